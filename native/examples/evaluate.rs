//! Evaluates a model on labelled texts that it was not trained on.
//!
//! ```sh
//! cargo run --release --example evaluate -- model.hapax test.tsv
//! ```

use hapax::core::{
    data::{ReadOptions, Source, read},
    metrics::{Evaluation, Options, Report},
    model::{Model, Scratch},
};
use hapax::{files, kernels, threads::Threads};
use std::{error::Error, path::Path};

/// The figures at 1, 3 and 5 answers.
pub fn run(model: &Path, test: &Path) -> Result<Report, Box<dyn Error>> {
    let threads = Threads::new(0)?;
    let model = Model::from_bytes(files::map_model(model)?)?;
    // Labels get the ids that they have in the model; new ones follow, and count as misses.
    let options = ReadOptions {
        label_names: model.label_table(),
        ..ReadOptions::default()
    };
    let Source::Texts(documents) = read(&files::read_text(test)?, &options, &threads)?.source
    else {
        return Err("these are rows, not texts".into());
    };
    let vectorizer = model.vectorizer().ok_or("the model was trained on rows")?;
    let rows = vectorizer.transform_all(&documents.texts, &threads);

    let mut evaluation = Evaluation::new(&[1, 3, 5], Options::default())?;
    let depth = evaluation.depth();
    evaluation.add_all(
        &documents.labels,
        &threads,
        || Scratch::new(kernels::best()),
        |scratch, row, answers| {
            answers.clear();
            answers.extend(
                model
                    .predict(rows.row(row), depth, scratch)
                    .unwrap_or_default(),
            );
        },
    );
    Ok(evaluation.finish()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, test] = &arguments[..] else {
        return Err("usage: evaluate MODEL TEST".into());
    };
    let report = run(model.as_ref(), test.as_ref())?;
    for (k, precision) in report.ks.iter().zip(&report.precision) {
        println!("P@{k}  {:5.2} %", 100.0 * precision);
    }
    println!("macro-F1  {:5.2} %", 100.0 * report.macro_f1);
    Ok(())
}
