//! The real data sets beside the project.

use hapax::{
    core::data::{Dataset, ReadOptions, Source, read},
    files::read_text,
    threads::Threads,
};
use std::path::Path;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");

/// A part of a data set; `None`, said loudly, where the data are absent.
pub fn part(set: &str, part: &str, threads: &Threads) -> Option<Dataset> {
    let path = Path::new(DATA).join(set).join(format!("{part}.txt.xz"));
    if !path.exists() {
        eprintln!(
            "DATA ABSENT: {} is not there: this test shows nothing",
            path.display()
        );
        return None;
    }
    let text = read_text(&path).unwrap();
    let input = read(&text, &ReadOptions::default(), threads).unwrap();
    match input.source {
        Source::Rows(data) => Some(data),
        Source::Texts(_) => None,
    }
}
