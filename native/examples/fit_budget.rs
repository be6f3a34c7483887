//! Fits a model into a number of bytes.
//!
//! ```sh
//! cargo run --release --example fit_budget -- model.hapax 4000000 small.hapax
//! ```

use hapax::core::model::Model;
use hapax::{files, kernels, threads::Threads};
use std::{error::Error, path::Path};

/// Writes the smaller model and returns its bytes. A number that no setting meets is an error that
/// says how small the file can become.
pub fn run(model: &Path, max_bytes: u64, output: &Path) -> Result<u64, Box<dyn Error>> {
    let model = Model::from_bytes(files::map_model(model)?)?;
    // Models of neighbors judge the settings by held-out rows of their own, which the seed decides.
    let small = model.compacted(max_bytes, 42, &Threads::new(0)?, kernels::best())?;
    files::write_model(output, &small.model)?;
    Ok(small.bytes)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, max_bytes, output] = &arguments[..] else {
        return Err("usage: fit_budget MODEL BYTES SMALLER".into());
    };
    let bytes = run(model.as_ref(), max_bytes.parse()?, output.as_ref())?;
    println!("{bytes} bytes");
    Ok(())
}
