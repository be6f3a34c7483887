//! Trains one-vs-rest on rows of numbers, with parameters that you choose.
//!
//! ```sh
//! cargo run --release --example one_vs_rest -- rows.txt rows.hapax
//! ```
//! `rows.txt` is XMC or svmlight: labels, then `index:value` for each feature.

use hapax::core::{
    data::{ReadOptions, Source, read},
    executor::Workers,
    model::Model,
    parameters::OneVsRest,
    train::MemoryEstimate,
};
use hapax::{files, kernels, threads::Threads};
use std::{error::Error, ops::ControlFlow, path::Path};

/// Writes the model and returns how many labels it has.
pub fn run(rows: &Path, output: &Path) -> Result<u32, Box<dyn Error>> {
    let threads = Threads::new(0)?;
    let bytes = files::read_text(rows)?;
    let Source::Rows(data) = read(&bytes, &ReadOptions::default(), &threads)?.source else {
        return Err("these are texts, not rows".into());
    };
    let parameters = OneVsRest {
        cost: 2.0,
        ..OneVsRest::default()
    };
    let needed = parameters.memory_estimate(&data, threads.count());
    eprintln!("training holds about {} kB", needed / 1000);
    // The last argument hears of the progress and may stop the training.
    let model = Model::train_ovr(&parameters, &data, None, &threads, kernels::best(), |_| {
        ControlFlow::Continue(())
    })?;
    files::write_model(output, &model)?;
    Ok(model.labels())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [rows, output] = &arguments[..] else {
        return Err("usage: one_vs_rest ROWS MODEL".into());
    };
    println!("{} labels", run(rows.as_ref(), output.as_ref())?);
    Ok(())
}
