//! Rows of real data sets.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use hapax::{
    core::{
        data::{Dataset, ReadOptions, Source, read},
        executor::Executor,
    },
    files::read_text,
};

/// A part of a data set; `None` where the test is left out.
pub fn part(set: &str, part: &str, threads: &Executor) -> Option<Dataset> {
    let path = hapax_sets::path(&format!("{set}/{part}.txt.xz"))?;
    let text = read_text(&path).unwrap();
    let input = read(&text, &ReadOptions::default(), threads).unwrap();
    match input.source {
        Source::Rows(data) => Some(data),
        Source::Texts(_) => unreachable!("{set} holds rows"),
    }
}
