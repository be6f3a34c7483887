//! Teaches a model more texts, words and labels; the texts of its training are not needed.
//!
//! ```sh
//! cargo run --release --example learn_on -- model.hapax more.tsv newer.hapax
//! ```

use hapax::core::{
    data::{Dataset, ReadOptions, Source, read},
    model::Model,
};
use hapax::{files, kernels, threads::Threads};
use std::{error::Error, path::Path};

/// Writes the model that has learned and returns how many labels are new.
pub fn run(model: &Path, more: &Path, output: &Path) -> Result<u32, Box<dyn Error>> {
    let threads = Threads::new(0)?;
    let model = Model::from_bytes(files::map_model(model)?)?;
    let options = ReadOptions {
        label_names: model.label_table(),
        ..ReadOptions::default()
    };
    let Source::Texts(documents) = read(&files::read_text(more)?, &options, &threads)?.source
    else {
        return Err("these are rows, not texts".into());
    };
    let vectorizer = model.vectorizer().ok_or("the model was trained on rows")?;
    // New words become features; the second part says where old features went.
    let extended = vectorizer.extended(&documents.texts, &threads)?;
    let rows = extended.0.transform_all(&documents.texts, &threads);
    let mut data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
    data.widen(data.rows().features(), model.labels());

    let learned = model.learn_all(&data, Some(extended), &threads, kernels::best())?;
    files::write_model(output, &learned.model)?;
    Ok(learned.model.labels() - model.labels())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, more, output] = &arguments[..] else {
        return Err("usage: learn_on MODEL TEXTS NEWER".into());
    };
    let new = run(model.as_ref(), more.as_ref(), output.as_ref())?;
    println!("{new} new labels");
    Ok(())
}
