//! Promise: exact unless asked otherwise. A fast search returns the same answer as the plain one.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

use hapax::{
    core::{
        data::{ReadOptions, Source, read},
        executor::Executor,
        kernels::{Kernels, Portable},
        search::neighbors::{
            Exhaustive, ExhaustiveScratch, NeighborIndex, NeighborScratch, Similarity,
        },
        sparse::SparseRows,
    },
    files::read_text,
    kernels,
    threads::Threads,
};
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");

/// The rows of a part of a data set; `None`, said loudly, where the data are absent.
fn rows(set: &str, part: &str, threads: &Threads) -> Option<SparseRows> {
    let path = Path::new(DATA).join(set).join(format!("{part}.txt.xz"));
    if !path.exists() {
        eprintln!(
            "DATA ABSENT: {} is not there: this test shows nothing",
            path.display()
        );
        return None;
    }
    let text = read_text(&path).unwrap();
    match read(&text, &ReadOptions::default(), threads)
        .unwrap()
        .source
    {
        Source::Rows(data) => Some(data.rows().clone()),
        Source::Texts(_) => None,
    }
}

/// Every `step`-th test row: ids and bits of similarities, by these kernels.
fn equals_the_twin(set: &str, beta: f64, step: usize, kernels: &'static dyn Kernels) {
    let threads = Threads::new(0).unwrap();
    let (Some(train), Some(test)) = (rows(set, "train", &threads), rows(set, "test", &threads))
    else {
        return;
    };
    let similarity = Similarity::new(beta).unwrap();
    let (twin, index) = (
        Exhaustive::new(&train),
        NeighborIndex::build(&train).unwrap(),
    );
    let scratch = || (ExhaustiveScratch::default(), NeighborScratch::new(kernels));
    let equal = threads.map(test.len() / step, scratch, |(plain, fast), query| {
        let row = test.row(query * step);
        let expected = twin.search(row, 75, similarity, plain);
        index.search(row, 75, similarity, &[], fast).unwrap() == expected
    });
    let different = equal.iter().position(|equal| !equal);
    assert_eq!(
        different, None,
        "{set}: query {different:?} of every {step}th test row"
    );
}

#[test]
fn eurlex57k() {
    equals_the_twin("eurlex57k", 1.0, 1, kernels::best());
}

#[test]
fn eurlex57k_by_portable_kernels() {
    equals_the_twin("eurlex57k", 0.5, 10, &Portable);
}

#[test]
fn cpv_it() {
    equals_the_twin("cpv-it", 1.3, 1, kernels::best());
    equals_the_twin("cpv-it", 1.0, 1, &Portable);
}

#[test]
fn banking77() {
    equals_the_twin("banking77", 1.0, 1, kernels::best());
    equals_the_twin("banking77", 0.0, 1, &Portable);
}

#[test]
fn oewn_hypernym() {
    equals_the_twin("oewn-hypernym", 2.0, 10, kernels::best());
}
