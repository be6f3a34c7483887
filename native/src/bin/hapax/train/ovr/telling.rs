//! What is said before and while one-vs-rest is trained.

use super::super::super::{
    output::note,
    progress::Progress,
    table::{bytes, count},
    text_options::arguments,
};
use hapax::core::{
    data::Dataset,
    executor::Executor,
    parameters::{Bias, OneVsRest},
    train::{
        MemoryEstimate,
        one_vs_rest::{Choice, FeatureChoice, FeatureTrial, Report, Stage},
    },
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
        softmax,
        prune,
        ..
    } = parameters;
    let bias = match parameters.bias {
        Bias::Fixed(bias) => format!("--bias {bias}"),
        Bias::Learned(bias) => format!("--bias {bias} --learn-bias"),
    };
    format!(
        "--cost {cost} --positive-weight {positive_weight} --exponent {exponent} {bias} \
         --centroid {centroid} --prior {prior} --softmax {softmax} --prune {prune}"
    )
}

/// The features that were chosen, and what they are worth.
pub fn features(choice: &FeatureChoice) -> String {
    let named = |options| arguments(options).join(" ").replace('=', " ");
    let at_1 = |trial: Option<&FeatureTrial>| 100.0 * trial.map_or(0.0, |trial| trial.at_1);
    let last = choice.tried.iter().rev();
    let chosen = last.clone().find(|trial| trial.options == choice.options);
    let first = choice.tried.first();
    let trained = chosen.or(first).map_or(0, |trial| trial.trained);
    format!(
        "best of {} kinds of n-grams{} on {} held-out texts: {} (P@1 {:.2}; {} {:.2}; trained on {} texts)",
        choice.tried.len(),
        in_time(choice.ended),
        count(first.map_or(0, |trial| trial.judged) as u64),
        named(&choice.options),
        at_1(chosen),
        first.map_or(String::new(), |trial| named(&trial.options)),
        at_1(
            last.clone()
                .find(|trial| first.is_some_and(|first| {
                    trial.options == first.options && trial.trained == trained
                }))
                .or(first)
        ),
        count(trained as u64),
    )
}

fn in_time(ended: bool) -> &'static str {
    if ended { " tried in time" } else { "" }
}

/// The settings that were chosen.
pub fn chosen(choice: &Choice) -> String {
    let neighbors = match choice.fused.neighbors {
        0.0 => String::new(),
        weight => format!(", neighbors beside with weight {weight}"),
    };
    format!(
        "best of {} settings{} on {} held-out rows: {} --embedding {}{neighbors}",
        choice.tried.len(),
        in_time(choice.ended),
        count(choice.held_out as u64),
        options(&choice.parameters),
        choice.fused.embedding,
    )
}

/// Says the parameters that training will have, and about how much memory it will need.
pub fn say_what_comes(choice: &Choice, gap: Option<f64>, data: &Dataset, threads: &Executor) {
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
                Stage::Softmax => "softmax regression",
            };
            self.0 = Some((round, stage, Progress::new(what, report.of)));
        }
        if let Some((_, _, progress)) = &self.0 {
            progress.set(report.done, report.of);
        }
        ControlFlow::Continue(())
    }
}
