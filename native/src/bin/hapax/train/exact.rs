//! `hapax train cs`, `ww` and `llw`: one machine for all labels, with a proof of how good it is.

mod among;
pub mod proof;

use super::{
    super::{
        failure::Failure,
        input::{load_model, threads},
        output::{insist, note, silence},
        progress::Progress,
        resources::Stopwatch,
        table::{bytes, count, percent},
    },
    Common,
    finish::{Made, Told},
};
use clap::{Args, ValueEnum};
use hapax::{
    choose_cost,
    core::{
        data::Dataset,
        model::Model,
        parameters::{MultiClassLoss, MultiClassSvm, Shrinking},
        train::{
            Exchange, MemoryEstimate, Parameters, TrainError, Trained,
            multiclass::{Machine, MultiLabel, Report, Solver, Start},
        },
    },
    kernels,
    processes::{self, Processes},
    threads::Threads,
};
use proof::tell;
use serde::Serialize;
use std::{ops::ControlFlow, path::PathBuf};

/// Why llw takes no model to start from.
const LLW_FROM: &str = "llw keeps a dual for every row and label, which no model tells: it starts anew only (leave out --from)";

/// One machine for all labels, trained to a proven gap.
///
/// All labels are learned together from rows with one label each. Training ends with a proof: the
/// gap bounds how far the weights are from the best there are, before pruning and rounding; the gap
/// of the weights as they are stored is told beside it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train cs train.tsv -o model.hapax --test test.tsv
  hapax train ww train.txt.xz -o model.hapax --costs 0.1,1,10
  hapax train cs train.tsv -o model.hapax --gap 1e-2 --prune 0.05 --max-bytes 2MB
  hapax train cs train.tsv -o model.hapax --bits 16 --prune 0   # what is proven is what is stored")]
pub struct TrainExact {
    #[command(flatten)]
    common: Common,
    /// The price of errors against the size of weights: above 0 [default: 1]
    #[arg(long, help_heading = "Machine", allow_negative_numbers = true)]
    cost: Option<f64>,
    /// Try these costs, each starting from the machine of the one below, and keep the best on a
    /// held-out tenth of the rows
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "COST,…",
        conflicts_with = "cost",
        help_heading = "Machine",
        allow_negative_numbers = true
    )]
    costs: Vec<f64>,
    /// Start from this linear model, by any algorithm: the labels that it ranks first for a row are
    /// those that the row is first held against; not for llw. The data must have as many features
    /// as it, and its labels, which others may follow
    #[arg(
        long,
        value_name = "MODEL",
        help_heading = "Machine",
        conflicts_with_all = ["label_texts", "TextOptions"]
    )]
    from: Option<PathBuf>,
    /// End when the gap is at most this share of the objective
    /// [default: 0.001, or none with --epsilon]
    #[arg(long, help_heading = "Machine", allow_negative_numbers = true)]
    gap: Option<f64>,
    /// End when no projected gradient of a full pass is larger
    #[arg(long, help_heading = "Machine", allow_negative_numbers = true)]
    epsilon: Option<f64>,
    /// How often rows are gone over at most [default: 1000]
    #[arg(long, help_heading = "Machine")]
    max_epochs: Option<u32>,
    /// The value of a constant feature of every row; 0 for none
    #[arg(
        long,
        default_value_t = 0.0,
        help_heading = "Machine",
        allow_negative_numbers = true
    )]
    bias: f64,
    /// The exponent of the values of features: 0 or more
    #[arg(
        long,
        default_value_t = 1.0,
        help_heading = "Machine",
        allow_negative_numbers = true
    )]
    exponent: f64,
    /// Take rows as long as they are, instead of scaling them to length 1
    #[arg(long, help_heading = "Machine")]
    keep_lengths: bool,
    /// Leave rows alone that did not move so many times in a row, instead of by bounds on gradients
    #[arg(long, value_name = "TIMES", help_heading = "Machine")]
    shrink_count: Option<u32>,
    /// Weights up to this size are left out
    #[arg(
        long,
        default_value_t = 0.01,
        help_heading = "Machine",
        allow_negative_numbers = true
    )]
    prune: f32,
    /// How many bits a stored weight has: 4, 5, 6, 8 or 16. With 16, and --prune 0, the gap as
    /// stored is nearly that of the proof
    #[arg(long, default_value_t = 8, help_heading = "Machine")]
    bits: u32,
    /// What to do with rows that have not exactly one label
    #[arg(long, value_enum, default_value_t = Several::Refuse, help_heading = "Machine")]
    multilabel: Several,
    /// For ww: pairs of bundles of labels take turns on all threads, and under MPI in all
    /// processes, each of which keeps the duals of its pairs only. Slower by far in one process
    #[arg(long, help_heading = "Machine")]
    rotate_labels: bool,
}

/// What to do with rows that have not exactly one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
enum Several {
    /// End with an error that names the first
    Refuse,
    /// Make one row of each label of a row
    Replicate,
}

impl TrainExact {
    fn parameters(&self, loss: MultiClassLoss, cost: f64) -> MultiClassSvm {
        let base = MultiClassSvm::new(loss);
        let default_gap = if self.epsilon.is_some() {
            0.0
        } else {
            base.gap
        };
        MultiClassSvm {
            cost,
            bias: self.bias,
            exponent: self.exponent,
            normalize: !self.keep_lengths,
            epsilon: self.epsilon.unwrap_or(base.epsilon),
            gap: self.gap.unwrap_or(default_gap),
            max_epochs: self.max_epochs.unwrap_or(base.max_epochs),
            shrinking: self.shrink_count.map_or(base.shrinking, Shrinking::Counter),
            prune: self.prune,
            bits: self.bits,
            seed: self.common.seed,
            ..base
        }
    }

    /// Trains, alone or as one of the processes that a launcher started.
    pub fn run(self, loss: MultiClassLoss) -> Result<(), Failure> {
        let mut processes = processes::join().map_err(|error| Failure::Input(error.to_string()))?;
        if processes.as_ref().is_some_and(|p| p.rank() > 0) {
            silence();
        }
        let done = self.run_among(loss, processes.as_mut());
        if let (Err(failure), Some(processes)) = (&done, &processes) {
            if matches!(failure, Failure::Stopped(_)) && processes.rank() > 0 {
                // The first process says so and ends all.
                return Ok(());
            }
            // The others would wait for this one for ever.
            insist(format_args!(
                "hapax, process {}: {failure}",
                processes.rank()
            ));
            processes.abort(1);
        }
        done
    }

    /// Checks the parameters with each of the costs.
    fn check_costs(&self, loss: MultiClassLoss) -> Result<(), Failure> {
        let one = [self.cost.unwrap_or(1.0)];
        let costs = if self.costs.is_empty() {
            &one
        } else {
            &self.costs[..]
        };
        for &cost in costs {
            let given = self.parameters(loss, cost);
            given.check().map_err(TrainError::from)?;
            if self.epsilon.is_some() && given.epsilon <= 0.0 {
                let epsilon = given.epsilon;
                return Err(Failure::Input(format!(
                    "--epsilon is {epsilon}, but must be more than 0"
                )));
            }
        }
        Ok(())
    }

    fn run_among(
        &self,
        loss: MultiClassLoss,
        mut processes: Option<&mut Processes>,
    ) -> Result<(), Failure> {
        self.common.check()?;
        if self.rotate_labels {
            self.check_rotating(loss)?;
        }
        if let Some(all) = &processes
            && !self.is_shared(loss, all.ranks())?
        {
            processes = None;
        }
        self.check_costs(loss)?;
        let threads = threads(match self.common.threads {
            0 if processes.is_some() => Self::threads_each(),
            asked => asked,
        })?;
        let earlier = self.from.as_deref().map(load_model).transpose()?;
        if earlier.is_some() && loss == MultiClassLoss::LeeLinWahba {
            return Err(Failure::Input(LLW_FROM.into()));
        }
        let start = earlier.as_ref().map(Model::weights_to_start_from);
        let start = start.transpose()?.map(Start::Model);
        let training = match &earlier {
            Some(model) => self.common.read_like(model, &threads)?,
            None => self.common.read(&threads)?,
        };
        let watch = Stopwatch::start();
        let parameters = self.parameters(loss, 1.0);
        let memory = if self.rotate_labels {
            parameters.rotating_memory_estimate(&training.data)
        } else {
            parameters.memory_estimate(&training.data, 1)
        };
        self.common.end_dry_run(&training.data, Some(memory))?;
        say_memory(memory);
        let mut told = Told::default();
        let cost = match &self.costs[..] {
            [] => self.cost.unwrap_or(1.0),
            [cost] => *cost,
            _ => self.best_cost(loss, (&training.data, start), &threads, &mut told)?,
        };
        let parameters = self.parameters(loss, cost);
        let machine = match processes {
            None if self.rotate_labels => self.rotating(&parameters, &training.data, &threads)?,
            None => self.proven(&parameters, &training.data, start, &threads)?,
            Some(processes) => {
                let data = &training.data;
                match self.train_among(processes, &parameters, data, &threads, &mut told)? {
                    Some(machine) => machine,
                    None => return Ok(()),
                }
            }
        };
        tell(&machine, &mut told);
        let (data, texts, origin) = (&training.data, training.vectorizer, training.origin);
        let made = Made {
            model: Model::made(Trained::MultiClass(&machine, &parameters), data, texts),
            origin,
            told,
        };
        self.common.finish_calibrated(made, data, &watch, &threads)
    }

    /// Trains epoch by epoch, keeping checkpoints where they were asked for.
    fn proven(
        &self,
        parameters: &MultiClassSvm,
        data: &Dataset,
        start: Option<Start<'_>>,
        threads: &Threads,
    ) -> Result<Machine, Failure> {
        let most = parameters.max_epochs as usize;
        let progress = Progress::new("closing the gap", most);
        let keeper = self.common.checkpoints.keeper()?;
        let (several, best) = (self.several(), kernels::best());
        let solver = Solver::new(parameters, data, several, start, threads, best)?;
        // The parameters do not say what became of rows with several labels.
        let identity = (parameters, self.multilabel == Several::Replicate);
        let belonging = ("multi-class machine", identity, data);
        let tell = |report: Report| progress.set(report.epoch as usize, most);
        threads.within(|| keeper.train(solver, belonging, threads, tell))
    }

    fn several(&self) -> MultiLabel {
        match self.multilabel {
            Several::Refuse => MultiLabel::Refuse,
            Several::Replicate => MultiLabel::Replicate,
        }
    }

    /// The best of several costs on held-out rows.
    fn best_cost(
        &self,
        loss: MultiClassLoss,
        (data, start): (&Dataset, Option<Start<'_>>),
        threads: &Threads,
        told: &mut Told,
    ) -> Result<f64, Failure> {
        let parameters = self.parameters(loss, 1.0);
        let most = parameters.max_epochs as usize;
        let progress = Progress::new("closing the gap", most);
        let tell = |report: Report| {
            progress.set(report.epoch as usize, most);
            ControlFlow::Continue(())
        };
        let rows = (data, self.several(), start);
        let chosen =
            threads.within(|| choose_cost(&parameters, &self.costs, rows, threads, tell))?;
        for (cost, share) in &chosen.tried {
            let share = percent(*share);
            told.lines
                .push(format!("--cost {cost}: held-out P@1 {share}"));
        }
        told.held_out = Some(chosen.held_out);
        told.lines.push(format!(
            "best of {} costs on {} held-out rows: --cost {}",
            chosen.tried.len(),
            count(chosen.held_out as u64),
            chosen.cost
        ));
        Ok(chosen.cost)
    }
}

fn say_memory(memory: u64) {
    let memory = bytes(memory);
    note(format_args!(
        "training to a proven gap; this takes up to about {memory} of memory beside the data"
    ));
}
