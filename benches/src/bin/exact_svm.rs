//! Exact multi-class machines: CPU seconds to a proven gap, accuracy, and memory.
//!
//! `exact_svm SET cs|ww|llw [COST] [GAP] [THREADS] [BIAS] [EPOCHS]`; THREADS may be `path:2`, which
//! runs on one and says what two would gain if waking them cost nothing. SET is a folder of
//! `../shared/data`, or `lshtc`, which is synthetic and has the shape of LSHTC-2011, or `lshtc/20`,
//! one of 20 parts of its rows, features and labels.

use hapax::{
    core::{
        data::Dataset,
        parameters::{MultiClassLoss, MultiClassSvm},
        train::{MemoryEstimate, multiclass::MultiLabel},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    critical_path::CriticalPath,
    process::{cpu_seconds, peak_megabytes},
    synthetic::Shape,
};
use std::{env::args, error::Error, ops::ControlFlow, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = args().skip(1).collect();
    let [set, loss, rest @ ..] = &given[..] else {
        return Err("usage: exact_svm SET cs|ww|llw [COST] [GAP] [THREADS] [BIAS] [EPOCHS]".into());
    };
    let loss = named(loss).ok_or("the loss is cs, ww or llw")?;
    let number = |at: usize, default: f64| rest.get(at).map_or(Ok(default), |text| text.parse());
    let (train, test) = load(set)?;
    let parameters = MultiClassSvm {
        cost: number(0, 1.0)?,
        gap: number(1, 1e-3)?,
        bias: number(3, 0.0)?,
        max_epochs: number(4, 1000.0)? as u32,
        ..MultiClassSvm::new(loss)
    };
    let path = rest.get(2).and_then(|word| word.strip_prefix("path:"));
    let path = path.map(|many| many.parse().map(CriticalPath::new));
    let path = path.transpose()?;
    let many = if path.is_some() {
        1
    } else {
        number(2, 1.0)? as usize
    };
    let threads = Threads::new(many)?;
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let (first, trace) = (several(&train), std::env::var_os("TRACE").is_some());
    let train = first.unwrap_or(train);
    let all = MultiLabel::Replicate;
    let (estimate, before) = (parameters.memory_estimate(&train, 1), peak_megabytes());
    println!(
        "{set}: {} rows, {} features, {} labels, {before:.0} MB at most until now; training will take about {:.0} MB",
        train.len(),
        train.rows().features(),
        train.labels().labels(),
        estimate as f64 / 1e6,
    );
    let tell = |report| {
        if trace {
            eprintln!("{:.2} {report:?}", cpu_seconds() - cpu);
        }
        ControlFlow::Continue(())
    };
    let best = kernels::best();
    let machine = match &path {
        Some(path) => parameters.train(&train, all, None, path, best, tell)?,
        None => threads.within(|| parameters.train(&train, all, None, &threads, best, tell))?,
    };
    let (wall, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    if let Some(path) = path {
        let (all, longest) = path.seconds();
        let (between, sum) = (cpu - all, cpu - all + longest);
        let gain = cpu / sum;
        println!(
            "{set}: {sum:.2} s on so many threads, {gain:.2} times as fast: {all:.2} s of jobs in {longest:.2}, {between:.2} between"
        );
    }
    let proof = machine.certificate;
    let model = &machine.model;
    let found = model.predict_rows(test.rows(), 1, kernels::best(), &threads)?;
    let right = found.iter().enumerate();
    let right = right.filter(|(row, best)| test.labels().row(*row).contains(&best.id));
    println!(
        "{set} {loss:?} cost {}: CPU {cpu:.2} s, wall {wall:.2} s, gap {:.2e} (stored {:.2e}), primal {:.4}, {} epochs, \
         {} non-zeros, {:.1} duals a row, accuracy {:.2}, peak {:.0} MB",
        parameters.cost,
        proof.relative_gap(),
        machine.stored_gap(),
        proof.primal,
        proof.epochs,
        proof.nonzeros,
        proof.duals as f64 / train.len() as f64,
        100.0 * right.count() as f64 / test.len().max(1) as f64,
        peak_megabytes(),
    );
    Ok(())
}

fn named(loss: &str) -> Option<MultiClassLoss> {
    match loss {
        "cs" => Some(MultiClassLoss::CrammerSinger),
        "ww" => Some(MultiClassLoss::WestonWatkins),
        "llw" => Some(MultiClassLoss::LeeLinWahba),
        _ => None,
    }
}

fn load(set: &str) -> Result<(Dataset, Dataset), Box<dyn Error>> {
    let Some(parts) = set.strip_prefix("lshtc") else {
        return hapax_benches::load(set);
    };
    let shape = match parts.strip_prefix('/') {
        Some(parts) => Shape::LSHTC_2011.part(parts.parse()?),
        None => Shape::LSHTC_2011,
    };
    let rows = shape.rows.min(5_000);
    let test = Shape { rows, ..shape };
    Ok((shape.make(0)?, test.make(1)?))
}

/// The data with the first label of each row only, if a row has several.
fn several(data: &Dataset) -> Option<Dataset> {
    if data.labels().iter().all(|labels| labels.len() == 1) {
        return None;
    }
    let mut lists = hapax::core::data::LabelLists::new(data.labels().labels());
    for labels in data.labels().iter() {
        lists.push(labels.iter().copied().take(1));
    }
    Dataset::new(data.rows().clone(), lists, None).ok()
}
