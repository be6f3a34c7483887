//! Trains on a table, and suggests labels for a text.
//!
//! ```sh
//! cargo run --release --example train_table -- books.csv books.hapax "rivers and springs"
//! ```
//! The columns are recognized by their names; several labels of a row are separated by `;`.

use hapax::core::{data::Source, model::Scratch};
use hapax::tables::{Selection, Table, TableFormat, read_table};
use hapax::{files, kernels, threads::Threads};
use std::{error::Error, path::Path};

/// Writes the model and returns the best labels of `text`, best first.
pub fn run(table: &Path, output: &Path, text: &str) -> Result<Vec<String>, Box<dyn Error>> {
    let threads = Threads::new(0)?;
    let format = TableFormat::by_ending(table).ok_or("the table is .csv, .tsv or .jsonl")?;
    let table_options = Table {
        given: Selection {
            separator: Some(";".into()),
            ..Selection::default()
        },
        ..Table::new(format)
    };
    let read = read_table(files::open_text(table)?, table_options, None)?;

    // Features, method and parameters are chosen on held-out rows. The seed decides which.
    let mut model = hapax::train(Source::Texts(read.documents), 42, &threads)?.model;
    // What `hapax predict` needs to read such tables without options.
    model.provenance_mut().columns = read.selection.to_json();
    files::write_model(output, &model)?;

    let answers = model.predict_text(text, 3, &mut Scratch::new(kernels::best()))?;
    Ok(answers
        .into_iter()
        .filter_map(|answer| answer.name)
        .collect())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [table, output, text] = &arguments[..] else {
        return Err("usage: train_table TABLE MODEL TEXT".into());
    };
    for label in run(table.as_ref(), output.as_ref(), text)? {
        println!("{label}");
    }
    Ok(())
}
