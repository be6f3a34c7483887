//! One-vs-rest with very many labels: a synthetic set of Amazon-670K's shape.
//!
//! `many_labels [share=1] [threads=1] [key=value]...` makes 490,000 rows of 76 features out of 135,909 with 5.45
//! labels on average out of 670,091 (all times `share`, but for the lengths of rows), labels and features
//! by Zipf's law, trains, and prints one line: the memory stated beforehand and the peak, CPU seconds in
//! all and by stage, microseconds of training a label and of mining a row, bytes of the model, P@1 and
//! microseconds a row on 1,000 other rows. Labels have a few features of their own, so that there is
//! something to learn. Compare shares to see what grows with the number of labels.

use hapax::{
    core::{
        data::{Dataset, LabelLists},
        model::linear::scorer::LinearScorer,
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::dual::{one_vs_rest::Stage, parameters::OneVsRest},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::process::{cpu_seconds, peak_megabytes};
use std::{collections::BTreeMap, error::Error, ops::ControlFlow, time::Instant};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Features that a label has of its own.
const OWN: u64 = 6;

/// Features of a row.
const VALUES: usize = 76;

fn main() -> Result<()> {
    let mut options: BTreeMap<String, String> = BTreeMap::new();
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.split_once('=').ok_or("key=value")?;
        options.insert(name.into(), value.into());
    }
    let share: f64 = options.get("share").map_or(Ok(1.0), |v| v.parse())?;
    let threads = Threads::new(options.get("threads").map_or(Ok(1), |v| v.parse())?)?;
    let shape = Shape {
        features: (135_909.0 * share) as u32,
        labels: (670_091.0 * share) as u32,
    };
    let data = shape.rows((490_000.0 * share) as usize, 1)?;
    let test = shape.rows(1_000, 2)?;
    let mut parameters = OneVsRest::by_counts(&data);
    if let Some(pool) = options.get("pool") {
        parameters.pool = pool.parse()?;
    }
    let before = peak_megabytes();
    let stated = parameters.memory_estimate(&data, 1) as f64 / 1_048_576.0;
    println!(
        "{} rows, {} features, {} labels ({} with rows), {} labels a row; data {before:.0} MB; stated {stated:.0} MB more",
        data.len(),
        shape.features,
        shape.labels,
        data.labels()
            .frequencies()
            .iter()
            .filter(|&&n| n > 0)
            .count(),
        data.labels().total() as f64 / data.len() as f64,
    );
    let start = cpu_seconds();
    let (mut solve, mut mine, mut last) = (0.0, 0.0, start);
    let model = parameters.train(&data, &threads, kernels::best(), |report| {
        let now = cpu_seconds();
        match report.stage {
            Stage::Solve => solve += now - last,
            Stage::Mine => mine += now - last,
        }
        last = now;
        ControlFlow::Continue(())
    })?;
    let train = cpu_seconds() - start;
    let peak = peak_megabytes();
    let scorer = LinearScorer::new(&model)?;
    let start = Instant::now();
    let best = scorer.predict_rows(test.rows(), 1, kernels::best(), &threads);
    let query = start.elapsed().as_secs_f64() * 1e6 / test.len() as f64;
    let hits = best
        .iter()
        .enumerate()
        .filter(|(row, found)| test.labels().row(*row).contains(&found.id));
    println!(
        "train {train:.1} s (solve {solve:.1}, mine {mine:.1}); {:.1} us a label solved, {:.1} us a row mined; peak {:.0} MB \
         beside the data; {} weights, {} bytes; P@1 {:.1}, {query:.0} us a row",
        1e6 * solve / f64::from(shape.labels),
        1e6 * mine / data.len() as f64 / f64::from(parameters.rounds - 1),
        peak - before,
        model.nonzeros(),
        model.bytes(),
        100.0 * hits.count() as f64 / test.len() as f64,
    );
    Ok(())
}

struct Shape {
    features: u32,
    labels: u32,
}

impl Shape {
    fn rows(&self, count: usize, job: u64) -> Result<Dataset> {
        let mut stream = Stream::new(42, job);
        let mut rows = SparseRows::new(self.features);
        let mut lists = LabelLists::new(self.labels);
        for _ in 0..count {
            let labels: Vec<u32> = (0..2 + stream.below(8))
                .map(|_| zipf(&mut stream, self.labels, 50.0))
                .collect();
            let mut pairs: Vec<(u32, f32)> = Vec::with_capacity(VALUES);
            for &label in &labels {
                for _ in 0..4 {
                    let mut own = Stream::new(u64::from(label), stream.below(OWN));
                    let rank = zipf(&mut own, self.features, 100.0);
                    pairs.push((self.id(rank), 0.5 + stream.unit() as f32));
                }
            }
            while pairs.len() < VALUES {
                let rank = zipf(&mut stream, self.features, 10.0);
                let idf = (f64::from(self.features) / (f64::from(rank) + 1.0)).ln();
                pairs.push((self.id(rank), (0.1 * idf * stream.unit()) as f32 + 0.01));
            }
            rows.push(SparseVec::from_pairs(pairs)?.view())?;
            lists.push(labels);
        }
        Ok(Dataset::new(rows, lists, None)?)
    }

    /// Frequent features do not stand together.
    fn id(&self, rank: u32) -> u32 {
        (u64::from(rank) * 48_271 % u64::from(self.features)) as u32
    }
}

/// A rank below `count` with probability falling as 1 / (rank + start).
fn zipf(stream: &mut Stream, count: u32, start: f64) -> u32 {
    let span = ((f64::from(count) + start) / start).ln();
    let rank = start * (stream.unit() * span).exp() - start;
    (rank as u32).min(count - 1)
}
