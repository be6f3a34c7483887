//! What all measurements share: the data sets by name.

pub mod figures;

use hapax::{
    core::{
        data::{Dataset, LabelLists, ReadOptions, Source, read},
        executor::Sequential,
        random::Stream,
        sparse::{SparseRows, SparseVec},
    },
    files::read_text,
};
use std::{error::Error, path::Path};

/// Training and test rows of a set: a folder of `../shared/data`, or `amazon`, which is synthetic
/// (490,000 rows, 135,909 features, 76 of them in a row by Zipf's law, no labels).
///
/// # Errors
/// If the set is absent or is none.
pub fn load(set: &str) -> Result<(Dataset, Dataset), Box<dyn Error>> {
    if set == "amazon" {
        return Ok((synthetic(490_000, 135_909, 0)?, synthetic(500, 135_909, 1)?));
    }
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")).join(set);
    let part = |name: &str| -> Result<Dataset, Box<dyn Error>> {
        let text = read_text(&folder.join(name))?;
        match read(&text, &ReadOptions::default(), &Sequential)?.source {
            Source::Rows(data) => Ok(data),
            Source::Texts(_) => Err(format!("{set} holds texts").into()),
        }
    };
    Ok((part("train.txt.xz")?, part("test.txt.xz")?))
}

/// Rows of 76 features drawn by Zipf's law, values as of tf-idf: no structure for bounds to use.
fn synthetic(rows: usize, features: u32, job: u64) -> Result<Dataset, Box<dyn Error>> {
    let mut stream = Stream::new(42, job);
    let mut total = 0.0;
    let cumulative: Vec<f64> = (0..features)
        .map(|rank| {
            total += 1.0 / (f64::from(rank) + 10.0);
            total
        })
        .collect();
    let (mut made, mut labels) = (SparseRows::new(features), LabelLists::new(0));
    for _ in 0..rows {
        let mut drawn: Vec<u32> = Vec::new();
        while drawn.len() < 76 {
            let point = stream.unit() * total;
            let rank = cumulative.partition_point(|&sum| sum < point) as u32;
            if !drawn.contains(&rank) {
                drawn.push(rank);
            }
        }
        let pairs = drawn.iter().map(|&rank| {
            let idf = (f64::from(features) / (f64::from(rank) + 1.0)).ln() + 1.0;
            // Spread over the feature ids, so that frequent features do not stand together.
            let id = (u64::from(rank) * 48_271 % u64::from(features)) as u32;
            (id, ((0.5 + stream.unit()) * idf * 0.02) as f32)
        });
        made.push(SparseVec::from_pairs(pairs)?.view())?;
        labels.push([]);
    }
    Ok(Dataset::new(made, labels, None)?)
}
