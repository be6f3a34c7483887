//! Figures of a trained model and what making it cost.

use hapax::core::{data::Dataset, search::Scored};
use std::{collections::BTreeMap, fs};

/// Precision at `at` in percent, of `k` answers a row.
#[must_use]
pub fn precision(found: &[Scored], k: usize, test: &Dataset, at: usize) -> f64 {
    let rows = found.chunks(k).zip(test.labels().iter());
    let hits = rows.map(|(best, truth)| {
        let right = |s: &&Scored| truth.contains(&s.id);
        best.iter().take(at).filter(right).count()
    });
    100.0 * hits.sum::<usize>() as f64 / (at * test.len()) as f64
}

/// Mean F1 of the best answer over the labels in truth or prediction, in percent; for data of one
/// label a row.
#[must_use]
pub fn macro_f1(found: &[Scored], k: usize, test: &Dataset) -> f64 {
    let mut counts: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (best, truth) in found.chunks(k).zip(test.labels().iter()) {
        for &label in truth {
            counts.entry(label).or_default().1 += 1.0;
        }
        let entry = counts.entry(best[0].id).or_default();
        entry.1 += 1.0;
        if truth.contains(&best[0].id) {
            entry.0 += 2.0;
        }
    }
    let sum: f64 = counts.values().map(|(hits, total)| hits / total).sum();
    100.0 * sum / counts.len() as f64
}

/// CPU seconds of this process, all threads together.
#[must_use]
pub fn cpu_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace();
    let ticks = fields
        .skip(11)
        .take(2)
        .filter_map(|f| f.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The most memory this process has held so far, in megabytes.
#[must_use]
pub fn peak_megabytes() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
}
