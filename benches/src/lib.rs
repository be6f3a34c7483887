//! What all measurements share: the data sets by name or shape, and what the process has used.

pub mod process;
pub mod synthetic;

use hapax::{
    core::{
        data::{Dataset, ReadOptions, Source, read},
        executor::Sequential,
    },
    files::read_text,
};
use std::{error::Error, path::Path};
use synthetic::Shape;

/// Training and test rows of a set: a folder of `../shared/data`, or `amazon`, which is synthetic
/// and has the shape of Amazon-670K.
///
/// # Errors
/// If the set is absent or is none.
pub fn load(set: &str) -> Result<(Dataset, Dataset), Box<dyn Error>> {
    if set == "amazon" {
        let shape = Shape::AMAZON_670K;
        let test = Shape {
            rows: 2000,
            ..shape
        };
        return Ok((shape.make(0)?, test.make(1)?));
    }
    Ok((
        load_part(set, "train.txt.xz")?,
        load_part(set, "test.txt.xz")?,
    ))
}

/// The rows of one file of a set.
///
/// # Errors
/// If the file is absent or holds no rows.
pub fn load_part(set: &str, file: &str) -> Result<Dataset, Box<dyn Error>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).join(set);
    let text = read_text(&folder.join(file))?;
    match read(&text, &ReadOptions::default(), &Sequential)?.source {
        Source::Rows(data) => Ok(data),
        Source::Texts(_) => Err(format!("{set} holds texts").into()),
    }
}
