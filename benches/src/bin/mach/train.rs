//! Accuracy, time and bytes of trainings, on the test rows or on tenths of the training rows.

use crate::{
    Options, Result, number, precision,
    setting::{ESTIMATORS, parameters},
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::{Method, Model},
        parameters::MachParameters,
        train::{Trained, Training},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{load, process::cpu_seconds};
use std::{collections::BTreeMap, ops::ControlFlow};

/// Training rows and the rows to judge by: those of the test, or random tenths of the training
/// rows.
fn parts(set: &str, options: &Options) -> Result<Vec<(Dataset, Dataset)>> {
    let (data, test) = load(set)?;
    let splits = number(options, "held-out", 0.0)? as u64;
    if splits == 0 {
        return Ok(vec![(data, test)]);
    }
    let part = |seed| {
        let split = data.labels().split(0.1, seed)?;
        Ok((data.select(&split.train), data.select(&split.held_out)))
    };
    (7..7 + splits).map(part).collect()
}

/// What one way to train and answer came to, summed over the parts.
#[derive(Default)]
struct Outcome {
    precision: [f64; 3],
    seconds: f64,
    answer: f64,
    bytes: u64,
    weights: usize,
}

impl Outcome {
    fn add(&mut self, model: &Model, seconds: f64, test: &Dataset) -> Result<()> {
        let start = cpu_seconds();
        let found = precision(model, test)?;
        self.answer += (cpu_seconds() - start) * 1e6 / test.len() as f64;
        self.precision
            .iter_mut()
            .zip(found)
            .for_each(|(a, b)| *a += b);
        self.seconds += seconds;
        self.bytes += model.file_bytes()?;
        if let Method::Mach(mach) = model.method() {
            self.weights += mach.weights().nonzeros();
        }
        Ok(())
    }

    fn print(&self, name: &str, parts: usize) {
        let of = parts as f64;
        let [at_1, at_3, at_5] = self.precision.map(|sum| sum / of);
        println!(
            "{name}: {at_1:.2} {at_3:.2} {at_5:.2}, {:.2} CPU s, {:.0} us, {} bytes, {} weights",
            self.seconds / of,
            self.answer / of,
            self.bytes / parts as u64,
            self.weights / parts,
        );
    }
}

pub fn train(set: &str, options: &Options) -> Result<()> {
    let threads = Threads::new(number(options, "threads", 1.0)? as usize)?;
    let parts = parts(set, options)?;
    let budget = number(options, "budget", 0.0)? as u64;
    let estimators = if options.contains_key("estimators") {
        ESTIMATORS.to_vec()
    } else {
        Vec::new()
    };
    let mut outcomes = BTreeMap::<&str, Outcome>::new();
    let mut shape = String::new();
    for (data, test) in &parts {
        let p = parameters(options, data)?;
        shape = format!("{}x{}", p.buckets, p.repetitions);
        let start = cpu_seconds();
        if budget > 0 {
            let mut go_on = |_| ControlFlow::Continue(());
            let (model, fit) = Model::train_mach_within(
                &p,
                data,
                None,
                budget,
                &threads,
                kernels::best(),
                &mut go_on,
            )?;
            println!("{set} {shape} {:?}", fit.tried[fit.chosen]);
            let own = outcomes.entry("own").or_default();
            own.add(&model, cpu_seconds() - start, test)?;
            continue;
        }
        let own = [("own", p.estimator)];
        for &(name, estimator) in own
            .iter()
            .filter(|_| estimators.is_empty())
            .chain(&estimators)
        {
            let start = cpu_seconds();
            let p = MachParameters {
                estimator,
                ..p.clone()
            };
            let mut trainer = p.trainer(data, Executor::threads(&threads), kernels::best())?;
            while trainer.step(&threads).is_some() {}
            let model = Model::made(Trained::Mach(trainer.model(&threads)?), data, None);
            let seconds = cpu_seconds() - start;
            outcomes
                .entry(name)
                .or_default()
                .add(&model, seconds, test)?;
        }
    }
    for (name, outcome) in &outcomes {
        outcome.print(&format!("{set} {shape} {name}"), parts.len());
    }
    Ok(())
}
