//! Exact multi-class machines: CPU seconds to a proven gap.
//!
//! `exact_svm SET LOSS [COST] [GAP] [THREADS]`

use hapax::{
    core::{
        executor::Executor,
        train::exact::{
            parameters::{MultiClassLoss, MultiClassSvm},
            problem::{MultiLabel, Problem},
            trainer::Trainer,
        },
    },
    kernels,
    threads::Threads,
};
use std::{env::args, error::Error, time::Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = args().skip(1).collect();
    let [set, loss, rest @ ..] = &given[..] else {
        return Err("usage: exact_svm SET LOSS [COST] [GAP] [THREADS]".into());
    };
    let loss = match loss.as_str() {
        "cs" => MultiClassLoss::CrammerSinger,
        _ => MultiClassLoss::WestonWatkins,
    };
    let number = |at: usize, default: f64| rest.get(at).map_or(Ok(default), |text| text.parse());
    let (train, _) = hapax_benches::load(set)?;
    let parameters = MultiClassSvm {
        cost: number(0, 1.0)?,
        gap: number(1, 1e-3)?,
        ..MultiClassSvm::new(loss)
    };
    let threads = Threads::new(number(2, 1.0)? as usize)?;
    let start = Instant::now();
    let problem = Problem::new(&train, &parameters, MultiLabel::Replicate)?;
    let mut trainer = Trainer::new(&parameters, problem);
    if let Ok(t) = std::env::var("TUNING") {
        for (at, x) in t.split(',').enumerate() {
            if !x.is_empty() {
                trainer.tuning[at] = x.parse()?;
            }
        }
    }
    while let Some(report) = trainer.epoch(&threads, kernels::best()) {
        eprintln!("{:.3} {report:?}", start.elapsed().as_secs_f64());
    }
    let certificate = trainer.certificate().unwrap_or_default();
    println!(
        "{set} {:?} threads {} seconds {:.3} gap {:.2e} {certificate:?} {} MB",
        parameters.loss,
        threads.threads(),
        start.elapsed().as_secs_f64(),
        certificate.relative_gap(),
        trainer.state().bytes() / 1_000_000
    );
    Ok(())
}
