//! What is said before and while one-vs-rest is trained.

use super::super::super::{
    output::note,
    progress::Progress,
    table::{bytes, count},
};
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        train::dual::{
            choice::Choice,
            one_vs_rest::{Report, Stage},
            parameters::{Bias, OneVsRest},
        },
    },
    threads::Threads,
};
use std::ops::ControlFlow;

/// The settings as options.
fn options(parameters: &OneVsRest) -> String {
    let OneVsRest {
        cost,
        positive_weight,
        exponent,
        centroid,
        prior,
        prune,
        ..
    } = parameters;
    let bias = match parameters.bias {
        Bias::Fixed(bias) => format!("--bias {bias}"),
        Bias::Learned(bias) => format!("--bias {bias} --learn-bias"),
    };
    format!(
        "--cost {cost} --positive-weight {positive_weight} --exponent {exponent} {bias} \
         --centroid {centroid} --prior {prior} --prune {prune}"
    )
}

/// The settings that were chosen.
pub fn chosen(choice: &Choice) -> String {
    let neighbors = match choice.neighbors {
        0.0 => String::new(),
        weight => format!(", neighbors beside with weight {weight}"),
    };
    format!(
        "best of {} settings on {} held-out rows: {}{neighbors}",
        choice.tried.len(),
        count(choice.held_out as u64),
        options(&choice.parameters),
    )
}

/// Says the parameters that training will have, and about how much memory it will need.
pub fn say_what_comes(choice: &Choice, gap: Option<f64>, data: &Dataset, threads: &Threads) {
    let (parameters, threads) = (&choice.parameters, threads.threads());
    let memory = bytes(match gap {
        Some(_) => parameters.proving_memory_estimate(data, threads),
        None => parameters.memory_estimate(data, threads),
    });
    let by = match choice.held_out {
        0 => "by default".to_string(),
        rows => format!("on {} held-out rows", count(rows as u64)),
    };
    note(format_args!(
        "training with {}, chosen {by} where not given; this takes up to about {memory} of memory \
         beside the data",
        options(parameters),
    ));
}

/// The progress of the parts of training, one after the other.
#[derive(Default)]
pub struct Parts(Option<(u32, Stage, Progress)>);

impl Parts {
    pub fn tell(&mut self, report: Report) -> ControlFlow<()> {
        let (round, stage) = (report.round, report.stage);
        let same = matches!(&self.0, Some((r, s, _)) if (*r, *s) == (round, stage));
        if !same {
            let what = match stage {
                Stage::Solve => "solving labels",
                Stage::Mine => "mining rows",
            };
            self.0 = Some((round, stage, Progress::new(what, report.of)));
        }
        if let Some((_, _, progress)) = &self.0 {
            progress.set(report.done, report.of);
        }
        ControlFlow::Continue(())
    }
}
