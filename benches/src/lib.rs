//! What all measurements share: the data sets by name or shape, and what the process has used.

pub mod critical_path;
pub mod dense;
pub mod process;
pub mod synthetic;

pub mod curve;
pub mod figures;
pub mod grid;

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
/// and has the shape of Amazon-670K; or `wiki`, that of WIKI-100K, and `wiki/20` a twentieth of it;
/// or `imagenet`, the shape of the paper's 22k-ImageNet (100,000 rows); or `overlap`, `twins` and
/// `apart`, clouds of 1,000 classes in pairs that overlap widely, are the same, or alone.
/// `NAME@RANK` are the rows of a set in so many dimensions.
///
/// # Errors
/// If the set is absent or is none.
pub fn load(set: &str) -> Result<(Dataset, Dataset), Box<dyn Error>> {
    if let Some((name, rank)) = set.split_once('@') {
        let (train, test) = load(name)?;
        return dense::reduced(&train, &test, rank.parse()?);
    }
    if let Some(dense) = load_dense(set) {
        return dense;
    }
    let shape = match set.split_once('/') {
        None if set == "amazon" => Some(Shape::AMAZON_670K),
        None if set == "wiki" => Some(Shape::WIKI_100K),
        Some(("wiki", share)) => Some(Shape::WIKI_100K.part(share.parse()?)),
        _ => None,
    };
    if let Some(shape) = shape {
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

/// A synthetic dense set by name.
fn load_dense(set: &str) -> Option<Result<(Dataset, Dataset), Box<dyn Error>>> {
    let (rows, classes, dimensions, group, near) = match set {
        "imagenet" => (100_000, 21_841, 479, 1, 1.0),
        "overlap" => (40_000, 1_000, 32, 2, 1.0),
        "twins" => (40_000, 1_000, 32, 2, 0.0),
        "apart" => (40_000, 1_000, 32, 1, 1.0),
        _ => return None,
    };
    let make = |rows, part| dense::clouds(rows, classes, dimensions, group, near, part);
    Some(make(rows, 0).and_then(|train| Ok((train, make(5_000, 1)?))))
}
