//! The ablation and the comparison of the paper on Wsabie++ (its tables 6 and 8) on public data.
//!
//! `embedding_tables ablation|comparison SET...` prints a table for each set: for every method the
//! step size, margin and (for one against all) balance that are best on a held-out tenth of the
//! training rows, then accuracy (P@1) of training on all rows. Sets as in `embedding`; `epochs=N`
//! and `dimensions=M` hold for all methods, and with `few=true` a third of the settings are tried.

use hapax::{
    core::{
        data::Dataset,
        executor::Sequential,
        model::{Model, Scratch},
        parameters::{
            Discriminant, EmbeddingTraining, NearestMean, RankWeight, Sampled, SampledDraws,
            Wsabie, WsabieSteps,
        },
        train::{EmbeddingReport, TrainError},
    },
    kernels,
};
use hapax_benches::{load, process::cpu_seconds};
use std::{error::Error, ops::ControlFlow};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What all methods of a run share.
struct Common {
    epochs: u32,
    dimensions: u32,
    normalize: bool,
    /// Whether a few settings are tried of each method, for large sets.
    few: bool,
}

fn main() -> Result<()> {
    let (mut common, mut sets) = (
        Common {
            epochs: 10,
            dimensions: 32,
            normalize: true,
            few: false,
        },
        Vec::new(),
    );
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("epochs", value)) => common.epochs = value.parse()?,
            Some(("dimensions", value)) => common.dimensions = value.parse()?,
            Some(("normalize", value)) => common.normalize = value.parse()?,
            Some(("few", value)) => common.few = value.parse()?,
            Some(_) => return Err(format!("no option {argument}").into()),
            None => sets.push(argument),
        }
    }
    if sets.is_empty() {
        return Err("ablation or comparison?".into());
    }
    let methods = match sets.remove(0).as_str() {
        "ablation" => ablation(&common),
        "comparison" => comparison(&common),
        other => return Err(format!("{other} is neither ablation nor comparison").into()),
    };
    for set in &sets {
        let (data, test) = load(set)?;
        println!(
            "\n{set}: {} epochs, {} dimensions\n",
            common.epochs, common.dimensions
        );
        println!(
            "| method | chosen | held-out | test P@1 | rows ignored | CPU s |\n|---|---|---:|---:|---:|---:|"
        );
        for (name, tried) in &methods {
            println!("| {name} | {}", row(tried, &data, &test));
        }
    }
    Ok(())
}

type Methods = Vec<(String, Vec<(String, EmbeddingTraining)>)>;

/// A joint method with the steps and margins that are tried. AdaGrad's runs depend on margin /
/// step² only, so one of them is varied; plain steps have both.
fn joint(base: &Wsabie, few: bool) -> Vec<(String, EmbeddingTraining)> {
    let pairs: Vec<(f64, f64)> = if base.steps == WsabieSteps::Plain {
        let margins: &[f64] = if few { &[1.0] } else { &[0.01, 0.1, 1.0] };
        let steps: &[f64] = if few {
            &[0.01, 0.1]
        } else {
            &[0.001, 0.01, 0.1, 1.0]
        };
        steps
            .iter()
            .flat_map(|&step| margins.iter().map(move |&margin| (step, margin)))
            .collect()
    } else {
        let margins: &[f64] = if few {
            &[1e4, 1e2, 1.0]
        } else {
            &[1e4, 1e3, 1e2, 1e1, 1.0, 0.1]
        };
        margins.iter().map(|&margin| (10.0, margin)).collect()
    };
    let named = |(step_size, margin)| {
        let p = Wsabie {
            step_size,
            margin,
            ..base.clone()
        };
        (
            format!("step {step_size}, margin {margin}"),
            EmbeddingTraining::Wsabie(p),
        )
    };
    pairs.into_iter().map(named).collect()
}

/// Table 6: Wsabie with distances, and each idea of the paper added to it.
fn ablation(common: &Common) -> Methods {
    let start = Wsabie {
        discriminant: Discriminant::Euclidean,
        max_norm: 0.0,
        epochs: common.epochs,
        dimensions: common.dimensions,
        normalize: common.normalize,
        initial: 0.1,
        ..Wsabie::published()
    };
    let row = |name: &str, adaptive: bool, constant: bool, violators: u32| {
        let base = Wsabie {
            steps: if adaptive {
                WsabieSteps::AdaGrad
            } else {
                WsabieSteps::Plain
            },
            rank_weight: if constant {
                RankWeight::Constant
            } else {
                RankWeight::Harmonic
            },
            violators,
            ..start.clone()
        };
        (name.to_owned(), joint(&base, common.few))
    };
    vec![
        row("Wsabie", false, false, 0),
        row("+ 10 last violators", false, false, 10),
        row("+ AdaGrad", true, false, 0),
        row("+ constant weight", false, true, 0),
        row("+ AdaGrad + 10 last violators", true, false, 10),
        row("+ AdaGrad + constant weight", true, true, 0),
        row(
            "+ AdaGrad + constant weight + 1 last violator",
            true,
            true,
            1,
        ),
        row(
            "+ AdaGrad + constant weight + 10 last violators",
            true,
            true,
            10,
        ),
        row(
            "+ AdaGrad + constant weight + 100 last violators",
            true,
            true,
            100,
        ),
    ]
}

/// A sampled method with the step sizes that are tried.
fn sampled(common: &Common, draws: SampledDraws) -> Vec<(String, EmbeddingTraining)> {
    let base = Sampled {
        draws,
        epochs: common.epochs,
        normalize: common.normalize,
        ..Sampled::one_vs_all()
    };
    let named = |step_size| {
        let name = match draws {
            SampledDraws::Balance(balance) if balance > 1 => {
                format!("step {step_size}, {balance} negatives")
            }
            _ => format!("step {step_size}"),
        };
        (
            name,
            EmbeddingTraining::Sampled(Sampled {
                step_size,
                ..base.clone()
            }),
        )
    };
    let steps: &[f64] = if common.few {
        &[0.2, 1.0]
    } else {
        &[0.05, 0.2, 1.0]
    };
    steps.iter().map(|&step| named(step)).collect()
}

/// Table 8: the family and its rivals, and what this library does by default.
fn comparison(common: &Common) -> Methods {
    let shared = |base: Wsabie| Wsabie {
        epochs: common.epochs,
        dimensions: common.dimensions,
        normalize: common.normalize,
        ..base
    };
    let sampled = |draws| sampled(common, draws);
    let ensemble = |base: Wsabie| {
        let dimensions = (common.dimensions / 4).max(1);
        joint(
            &Wsabie {
                models: 4,
                dimensions,
                ..shared(base)
            },
            common.few,
        )
    };
    let plain = Wsabie {
        initial: 0.1,
        ..Wsabie::published()
    };
    let mean = NearestMean {
        normalize: common.normalize,
        ..NearestMean::default()
    };
    let own = |base: Wsabie| {
        let named = |(step_size, margin)| {
            let p = Wsabie {
                step_size,
                margin,
                ..shared(base.clone())
            };
            (
                format!("step {step_size}, margin {margin}"),
                EmbeddingTraining::Wsabie(p),
            )
        };
        [(0.05, 0.3), (0.05, 1.0), (0.1, 1.0)].map(named).to_vec()
    };
    let balances: &[u32] = if common.few { &[64] } else { &[16, 64] };
    let every = balances
        .iter()
        .flat_map(|&balance| sampled(SampledDraws::Balance(balance)))
        .collect();
    vec![
        (
            "nearest means".into(),
            vec![("".into(), EmbeddingTraining::NearestMean(mean))],
        ),
        (
            "one against all, 1:1".into(),
            sampled(SampledDraws::Balance(1)),
        ),
        ("one against all".into(), every),
        ("AUC".into(), sampled(SampledDraws::Pairs)),
        ("Wsabie".into(), joint(&shared(plain.clone()), common.few)),
        ("Wsabie, 4 models of M/4".into(), ensemble(plain)),
        (
            "Wsabie++".into(),
            joint(&shared(Wsabie::plus_plus()), common.few),
        ),
        (
            "Wsabie++, 4 models of M/4".into(),
            ensemble(Wsabie::plus_plus()),
        ),
        ("`hapax train wsabie`".into(), own(Wsabie::default())),
        ("`hapax train wsabie-pp`".into(), own(Wsabie::distances())),
    ]
}

/// The best of the settings on held-out rows, and what it gives on the test rows, as cells of a
/// table.
fn row(tried: &[(String, EmbeddingTraining)], data: &Dataset, test: &Dataset) -> String {
    let chosen = || -> Result<String> {
        let split = data.labels().split(0.1, 7)?;
        let (learn, judge) = (data.select(&split.train), data.select(&split.held_out));
        let mut best: Option<(f64, &(String, EmbeddingTraining))> = None;
        for setting in tried {
            let score = match run(&setting.1, &learn, &judge) {
                Ok((score, _)) => score,
                // WsabieSteps too long for this data: a setting like any other, and the worst.
                Err(TrainError::Diverged) => 0.0,
                Err(error) => return Err(error.into()),
            };
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, setting));
            }
        }
        let (held_out, (name, training)) = best.ok_or("nothing tried")?;
        let start = cpu_seconds();
        let (accuracy, ignored) = run(training, data, test)?;
        let seconds = cpu_seconds() - start;
        Ok(format!(
            "{name} | {held_out:.2} | {accuracy:.2} | {ignored:.0}% | {seconds:.1} |"
        ))
    };
    chosen().unwrap_or_else(|error| format!("{error} | | | | |"))
}

/// Accuracy in percent, and the share of visits that were ignored for last violators.
fn run(
    training: &EmbeddingTraining,
    data: &Dataset,
    test: &Dataset,
) -> std::result::Result<(f64, f64), TrainError> {
    let (mut ignored, mut visited, mut done) = (0, 0, 0);
    let model = Model::train_embedding(
        training,
        None,
        data,
        None,
        &Sequential,
        kernels::best(),
        &mut |report: EmbeddingReport| {
            visited += if report.done > done {
                report.done - done
            } else {
                report.done
            };
            done = if report.done == report.of {
                0
            } else {
                report.done
            };
            ignored += report.ignored;
            ControlFlow::Continue(())
        },
    )?;
    let mut scratch = Scratch::new(kernels::best());
    let mut hits = 0;
    for (row, truth) in test.rows().iter().zip(test.labels().iter()) {
        let best = model.predict(row, 1, &mut scratch).unwrap_or(&[]);
        hits += usize::from(best.first().is_some_and(|first| truth.contains(&first.id)));
    }
    let share = 100.0 * ignored as f64 / f64::from(visited.max(1) as u32);
    Ok((100.0 * hits as f64 / test.len() as f64, share))
}
