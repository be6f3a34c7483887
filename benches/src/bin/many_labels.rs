//! One-vs-rest with very many labels: a synthetic set of Amazon-670K's shape.
//!
//! `many_labels [parts=1] [threads=1] [key=value]...` makes rows of that shape, or of one of
//! `parts` parts of its rows, features and labels, trains, and prints the memory stated beforehand
//! and the peak, CPU seconds in all and by stage, solving by round, microseconds a label in all,
//! microseconds and sweeps of solving a label, microseconds of mining a row, bytes of the model,
//! P@1 and CPU microseconds a row on 1,000 other rows. Compare parts to see what grows with the
//! number of labels.

use hapax::{
    core::{
        parameters::OneVsRest,
        train::{MemoryEstimate, one_vs_rest::Stage},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    process::{cpu_seconds, peak_megabytes},
    synthetic::Shape,
};
use std::{collections::BTreeMap, error::Error, ops::ControlFlow};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut options: BTreeMap<String, String> = BTreeMap::new();
    for argument in std::env::args().skip(1) {
        let (name, value) = argument.split_once('=').ok_or("key=value")?;
        options.insert(name.into(), value.into());
    }
    let parts: u32 = options.get("parts").map_or(Ok(1), |v| v.parse())?;
    let threads = Threads::new(options.get("threads").map_or(Ok(1), |v| v.parse())?)?;
    let shape = Shape::AMAZON_670K.part(parts.max(1));
    let data = shape.make(0)?;
    let test = Shape {
        rows: 1_000,
        ..shape
    }
    .make(1)?;
    let mut parameters = OneVsRest::default();
    for (name, value) in &options {
        match name.as_str() {
            "pool" => parameters.pool = value.parse()?,
            "mine" => parameters.mine = value.parse()?,
            "mine-prune" => parameters.mine_prune = value.parse()?,
            "rounds" => parameters.rounds = value.parse()?,
            "parts" | "threads" => {}
            other => return Err(format!("no parameter {other}").into()),
        }
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
    let (mut mine, mut last, mut sweeps) = (0.0, start, 0);
    let mut solve = vec![0f64; parameters.rounds as usize];
    let mut model = parameters.train(&data, &threads, kernels::best(), |report| {
        let now = cpu_seconds();
        match report.stage {
            Stage::Solve => solve[report.round as usize] += now - last,
            Stage::Mine | Stage::Softmax => mine += now - last,
        }
        last = now;
        sweeps += report.sweeps;
        ControlFlow::Continue(())
    })?;
    let train = cpu_seconds() - start;
    let peak = peak_megabytes();
    model.prepare()?;
    let start = cpu_seconds();
    let best = model.predict_rows(test.rows(), 1, kernels::best(), &threads)?;
    let query = (cpu_seconds() - start) * 1e6 / test.len() as f64;
    let hits = best
        .iter()
        .enumerate()
        .filter(|(row, found)| test.labels().row(*row).contains(&found.id));
    let rounds: Vec<String> = solve.iter().map(|s| format!("{s:.1}")).collect();
    let solve: f64 = solve.iter().sum();
    println!(
        "train {train:.1} s (solve {solve:.1}: {}, mine {mine:.1}), {:.1} us a label; {:.1} us and {:.1} sweeps a label solved, {:.1} us a row mined; peak {:.0} MB \
         beside the data; {} weights, {} bytes; P@1 {:.1}, {query:.0} us a row",
        rounds.join(" + "),
        1e6 * train / f64::from(shape.labels),
        1e6 * solve / f64::from(shape.labels),
        sweeps as f64 / f64::from(shape.labels),
        1e6 * mine / data.len() as f64 / f64::from(parameters.rounds - 1),
        peak - before,
        model.nonzeros(),
        model.bytes(),
        100.0 * hits.count() as f64 / test.len() as f64,
    );
    Ok(())
}
