//! `hapax train cs`, `ww` and `llw`: one machine for all labels, with a proof of how good it is.

use super::{
    super::{
        failure::Failure,
        input::threads,
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
    core::{
        data::{Dataset, Split},
        model::{Model, linear::scorer::LinearScorer},
        train::{
            TrainError,
            exact::{
                bundles::exchange::Exchange,
                machine::{Machine, WarmStart},
                parameters::{MultiClassLoss, MultiClassSvm, Shrinking},
                problem::MultiLabel,
                trainer::Report,
            },
        },
    },
    kernels,
    processes::{self, Processes},
    threads::Threads,
};
use serde_json::{Value, json};
use std::{ops::ControlFlow, thread::available_parallelism};

/// One machine for all labels, trained to a proven gap.
///
/// All labels are learned together from rows with one label each. Training ends with a proof: the gap bounds how far
/// the weights are from the best there are, before pruning and rounding; the gap of the weights as they are
/// stored is told beside it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  hapax train cs train.tsv -o model.hapax --test test.tsv
  hapax train ww train.txt.xz -o model.hapax --costs 0.1,1,10
  hapax train cs train.tsv -o model.hapax --gap 1e-2 --prune 0.05 --max-bytes 2MB")]
pub struct TrainExact {
    #[command(flatten)]
    common: Common,
    /// The price of errors against the size of weights: above 0 [default: 1]
    #[arg(long, help_heading = "Machine", allow_negative_numbers = true)]
    cost: Option<f64>,
    /// Try these costs, each starting from the machine of the one below, and keep the best on a held-out
    /// tenth of the rows
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "COST,…",
        conflicts_with = "cost",
        help_heading = "Machine",
        allow_negative_numbers = true
    )]
    costs: Vec<f64>,
    /// End when the gap is at most this share of the objective [default: 0.001, or none with --epsilon]
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
    /// What to do with rows that have not exactly one label
    #[arg(long, value_enum, default_value_t = Several::Refuse, help_heading = "Machine")]
    multilabel: Several,
}

/// What to do with rows that have not exactly one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
            seed: self.common.seed,
            ..base
        }
    }

    /// The costs to try, rising.
    fn costs(&self) -> Vec<f64> {
        let mut costs = self.costs.clone();
        if costs.is_empty() {
            costs.push(self.cost.unwrap_or(1.0));
        }
        costs.sort_by(f64::total_cmp);
        costs
    }

    /// Trains, alone or as one of the processes that a launcher started.
    pub fn run(self, loss: MultiClassLoss) -> Result<(), Failure> {
        let mut processes = processes::join().map_err(|error| Failure::Input(error.to_string()))?;
        if processes.as_ref().is_some_and(|p| p.rank() > 0) {
            silence();
        }
        let done = self.run_among(loss, processes.as_mut());
        if let (Err(failure), Some(processes)) = (&done, &processes) {
            // The others would wait for this one for ever.
            insist(format_args!(
                "hapax, process {}: {failure}",
                processes.rank()
            ));
            processes.abort(1);
        }
        done
    }

    fn run_among(
        &self,
        loss: MultiClassLoss,
        processes: Option<&mut Processes>,
    ) -> Result<(), Failure> {
        self.common.check()?;
        let costs = self.costs();
        for &cost in &costs {
            let given = self.parameters(loss, cost);
            given.check().map_err(TrainError::from)?;
            if self.epsilon.is_some() && given.epsilon <= 0.0 {
                let epsilon = given.epsilon;
                return Err(Failure::Input(format!(
                    "--epsilon is {epsilon}, but must be more than 0"
                )));
            }
        }
        let threads = threads(match self.common.threads {
            0 if processes.is_some() => Self::threads_each(),
            asked => asked,
        })?;
        let training = self.common.read(&threads)?;
        let watch = Stopwatch::start();
        let memory = self.parameters(loss, 1.0).memory_estimate(&training.data);
        let memory = bytes(memory);
        note(format_args!(
            "training to a proven gap; this takes up to about {memory} of memory beside the data"
        ));
        let mut told = Told::default();
        let cost = match &costs[..] {
            [cost] => *cost,
            several => self.best_cost(loss, several, &training.data, &threads, &mut told)?,
        };
        let parameters = self.parameters(loss, cost);
        let machine = match processes {
            None => self.train(&parameters, &training.data, None, &threads)?,
            Some(processes) => {
                let data = &training.data;
                match self.train_among(processes, &parameters, data, &threads, &mut told)? {
                    Some(machine) => machine,
                    None => return Ok(()),
                }
            }
        };
        let model = Model::from_machine(&machine, &parameters, &training.data, training.vectorizer);
        tell(&machine, &mut told);
        let index_base = training.index_base;
        let made = Made {
            model,
            index_base,
            told,
        };
        self.common.finish(made, &watch, &threads)
    }

    fn train(
        &self,
        parameters: &MultiClassSvm,
        data: &Dataset,
        start: Option<&WarmStart>,
        threads: &Threads,
    ) -> Result<Machine, Failure> {
        let progress = Progress::new("closing the gap", parameters.max_epochs as usize);
        let most = parameters.max_epochs as usize;
        let tell = |report: Report| {
            progress.set(report.epoch as usize, most);
            ControlFlow::Continue(())
        };
        Ok(parameters.train(data, self.several(), start, threads, kernels::best(), tell)?)
    }

    /// Trains together with other processes; only the first is given the machine.
    fn train_among(
        &self,
        processes: &mut Processes,
        parameters: &MultiClassSvm,
        data: &Dataset,
        threads: &Threads,
        told: &mut Told,
    ) -> Result<Option<Machine>, Failure> {
        if !self.costs.is_empty() || self.epsilon.is_some() {
            return Err(Failure::Input(
                "several processes train for one --cost and to a --gap: --costs and --epsilon are for one process"
                    .into(),
            ));
        }
        let watch = Stopwatch::start();
        let most = parameters.max_epochs as usize;
        let progress = (processes.rank() == 0).then(|| Progress::new("closing the gap", most));
        let mut epochs = 0;
        let tell = |report: Report| {
            epochs = report.epoch;
            if let Some(progress) = &progress {
                progress.set(report.epoch as usize, most);
            }
            ControlFlow::Continue(())
        };
        let machine = parameters.train_shared(
            data,
            self.several(),
            threads,
            kernels::best(),
            processes,
            tell,
        )?;
        let mut sent = vec![0.0; processes.ranks()];
        sent[processes.rank()] = processes.sent() as f64;
        processes.largest(&mut sent).map_err(TrainError::from)?;
        let sent: f64 = sent.iter().sum();
        told.lines.push(format!(
            "{} processes: {} sent and {:.4} s an epoch",
            processes.ranks(),
            bytes((sent / f64::from(epochs.max(1))) as u64),
            watch.seconds() / f64::from(epochs.max(1)),
        ));
        Ok(machine)
    }

    /// The threads of each of the processes on this machine, if it is not said how many.
    fn threads_each() -> usize {
        let cores = available_parallelism().map_or(1, usize::from);
        (cores / processes::on_this_machine()).max(1)
    }

    fn several(&self) -> MultiLabel {
        match self.multilabel {
            Several::Refuse => MultiLabel::Refuse,
            Several::Replicate => MultiLabel::Replicate,
        }
    }

    /// Trains the path of costs on nine tenths of the rows and judges each machine by the others.
    fn best_cost(
        &self,
        loss: MultiClassLoss,
        costs: &[f64],
        data: &Dataset,
        threads: &Threads,
        told: &mut Told,
    ) -> Result<f64, Failure> {
        let split = Split::new(data.len(), 0.1, self.common.seed)
            .map_err(|error| Failure::Input(error.to_string()))?;
        let (train, held_out) = (data.select(split.train()), data.select(split.held_out()));
        let (mut best, mut start) = ((f64::NEG_INFINITY, 0.0), None);
        for &cost in costs {
            let parameters = self.parameters(loss, cost);
            let machine = self.train(&parameters, &train, start.as_ref(), threads)?;
            let share = accuracy(&machine, &held_out, threads)?;
            told.lines
                .push(format!("--cost {cost}: held-out P@1 {}", percent(share)));
            if share > best.0 {
                best = (share, cost);
            }
            start = machine.duals;
        }
        told.held_out = Some(held_out.len());
        told.lines.push(format!(
            "best of {} costs on {} held-out rows: --cost {}",
            costs.len(),
            count(held_out.len() as u64),
            best.1
        ));
        Ok(best.1)
    }
}

/// The share of rows whose best label is one of theirs.
fn accuracy(machine: &Machine, data: &Dataset, threads: &Threads) -> Result<f64, Failure> {
    let scorer =
        LinearScorer::new(&machine.model).map_err(|error| Failure::Other(error.to_string()))?;
    let found = scorer.predict_rows(data.rows(), 1, kernels::best(), threads);
    let right = found.iter().enumerate();
    let right = right.filter(|(row, best)| data.labels().row(*row).contains(&best.id));
    Ok(right.count() as f64 / data.len().max(1) as f64)
}

/// What the proof says.
fn tell(machine: &Machine, told: &mut Told) {
    let proof = machine.certificate;
    told.epochs = Some(u64::from(proof.epochs));
    told.objective = Some(proof.primal);
    told.gap = Some(proof.relative_gap());
    told.lines.push(format!(
        "proof after {} epochs, before pruning and rounding: primal {:.6}, dual {:.6}, relative gap {:.2e}; \
         {} weights other than 0",
        proof.epochs,
        proof.primal,
        proof.dual,
        proof.relative_gap(),
        count(proof.nonzeros),
    ));
    told.lines.push(format!(
        "as stored: {} weights, relative gap {:.2e}",
        count(machine.model.nonzeros() as u64),
        machine.stored_gap(),
    ));
}

/// Parameters of a machine for programs.
pub fn parameters_json(parameters: &MultiClassSvm) -> Value {
    json!({
        "cost": parameters.cost, "bias": parameters.bias, "exponent": parameters.exponent,
        "normalize": parameters.normalize, "epsilon": parameters.epsilon, "gap": parameters.gap,
        "max_epochs": parameters.max_epochs, "prune": parameters.prune,
    })
}
