//! Compact indexes against the exhaustive twin, in one run on one thread: bytes, speed, precision.
//!
//! `compact [SET ...]`, where a set is the name of a folder of `../shared/data`.

use hapax_core::{
    data::Dataset,
    metrics::{Evaluation, Options},
    search::{
        Scored, Top,
        compact::{CompactIndex, CompactLabels, CompactOptions, CompactScratch},
        neighbors::{Exhaustive, ExhaustiveScratch, Similarity},
    },
    sparse::SparseView,
};
use std::{collections::BTreeMap, error::Error, time::Instant};

/// The neighbors that vote; a vote is the square of the similarity, and beta is 1.
const NEIGHBORS: usize = 20;

/// Largest share of rows of a feature, weights a row, bits of a value.
const SETTINGS: [(f64, u8, u8); 7] = [
    (1.0, 255, 8),
    (1.0, 255, 4),
    (1.0, 32, 4),
    (0.2, 36, 4),
    (0.2, 32, 4),
    (0.2, 24, 4),
    (0.1, 32, 4),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut sets: Vec<String> = std::env::args().skip(1).collect();
    if sets.is_empty() {
        sets.push("eurlex57k".into());
    }
    sets.iter().try_for_each(|set| measure(set))
}

fn measure(set: &str) -> Result<(), Box<dyn Error>> {
    let (train, test) = hapax_benches::load(set)?;
    let twin = Exhaustive::new(train.rows());
    let similarity = Similarity::new(1.0)?;
    let mut scratch = ExhaustiveScratch::default();
    let (twin_time, exact) = judge(&train, &test, |query| {
        twin.search(query, NEIGHBORS, similarity, &mut scratch)
            .to_vec()
    })?;
    let twin_bytes = 8 * train.rows().nonzeros();
    println!("{set:14} twin            {twin_bytes:10} bytes  {twin_time:7.0} us         {exact}");
    let labels = CompactLabels::new(train.labels())?.bytes();
    for (max_share, row_weights, bits) in SETTINGS {
        let mut options = CompactOptions::default();
        (options.max_share, options.row_weights, options.bits) = (max_share, row_weights, bits);
        let index = CompactIndex::build(train.rows(), &options)?;
        let mut scratch = CompactScratch::default();
        let (time, precision) = judge(&train, &test, |query| {
            index
                .search(query, NEIGHBORS, 1.0, &[], &mut scratch)
                .to_vec()
        })?;
        let (bytes, ratio) = (index.bytes() + labels, twin_time / time);
        println!(
            "{set:14} {max_share:4} {row_weights:4} {bits:4}  {bytes:10} bytes  {time:7.0} us  \
             {ratio:5.1} x  {precision}"
        );
    }
    Ok(())
}

/// Mean microseconds of a search, by the best of two passes, and the precision of the votes.
fn judge(
    train: &Dataset,
    test: &Dataset,
    mut search: impl FnMut(SparseView<'_>) -> Vec<Scored>,
) -> Result<(f64, String), Box<dyn Error>> {
    let mut best = f64::INFINITY;
    let mut evaluation = Evaluation::new(&[1, 3, 5], Options::default())?;
    for pass in 0..2 {
        let mut seconds = 0.0;
        for (query, truth) in test.rows().iter().zip(test.labels().iter()) {
            let start = Instant::now();
            let found = search(query);
            seconds += start.elapsed().as_secs_f64();
            if pass == 0 {
                evaluation.add(&votes(train, &found), truth);
            }
        }
        best = f64::min(best, 1e6 * seconds / test.len() as f64);
    }
    let percent = |share: &f64| format!("{:.2}", 100.0 * share);
    let precision: Vec<String> = evaluation.finish()?.precision.iter().map(percent).collect();
    Ok((best, format!("P@1/3/5 {}", precision.join(" / "))))
}

fn votes(train: &Dataset, found: &[Scored]) -> Vec<Scored> {
    let mut sums: BTreeMap<u32, f64> = BTreeMap::new();
    for neighbor in found {
        for &label in train.labels().row(neighbor.id as usize) {
            *sums.entry(label).or_default() += f64::from(neighbor.score).powi(2);
        }
    }
    let mut top = Top::new(5);
    for (&id, &sum) in &sums {
        let score = sum as f32;
        top.push(Scored { id, score });
    }
    top.sorted().to_vec()
}
