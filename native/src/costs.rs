//! Choosing the cost of a multi-class machine on held-out rows.

use crate::kernels;
use hapax_core::{
    data::Dataset,
    executor::Executor,
    parameters::MultiClassSvm,
    train::{
        TrainError,
        multiclass::{Machine, MultiLabel, Report, Start, WarmStart},
    },
};
use std::ops::ControlFlow;

/// The cost that did best on held-out rows.
#[derive(Clone, Debug, PartialEq)]
pub struct CostChoice {
    /// The best of the costs; of equal ones the smallest.
    pub cost: f64,
    /// Each cost, rising, with the share of held-out rows whose first answer was right.
    pub tried: Vec<(f64, f64)>,
    /// How many rows were held out.
    pub held_out: usize,
}

/// Trains a machine for each of `costs` on nine tenths of the rows, each from the duals of the one
/// of the cost below and the first from `start`, and judges them by the other rows. The cost of
/// `parameters` counts for nothing. Takes as long as one training for each cost, or less.
///
/// # Errors
/// Too few rows to hold some out, and as [`MultiClassSvm::train`].
///
/// ```
/// use hapax::{
///     choose_cost,
///     core::{
///         data::{ReadOptions, Source, read},
///         parameters::{MultiClassLoss, MultiClassSvm},
///         train::multiclass::MultiLabel,
///     },
///     threads::Threads,
/// };
/// use std::ops::ControlFlow;
///
/// let threads = Threads::new(1)?;
/// let lines = (0..40).map(|row| format!("{} {}:1\n", row % 2, 1 + row % 4));
/// let input = read(lines.collect::<String>().as_bytes(), &ReadOptions::default(), &threads)?;
/// let Source::Rows(data) = input.source else {
///     unreachable!("these are rows")
/// };
/// let parameters = MultiClassSvm::new(MultiClassLoss::CrammerSinger);
/// let (rows, going) = ((&data, MultiLabel::Refuse, None), |_| ControlFlow::Continue(()));
/// let chosen = choose_cost(&parameters, &[1.0, 0.1], rows, &threads, going)?;
/// assert_eq!(chosen.tried, [(0.1, 1.0), (1.0, 1.0)]);
/// assert_eq!((chosen.cost, chosen.held_out), (0.1, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn choose_cost(
    parameters: &MultiClassSvm,
    costs: &[f64],
    (data, several, start): (&Dataset, MultiLabel, Option<Start<'_>>),
    executor: &Executor,
    mut progress: impl FnMut(Report) -> ControlFlow<()>,
) -> Result<CostChoice, TrainError> {
    let split = data.labels().split(0.1, parameters.seed);
    let split = split.map_err(|_| TrainError::TooFewRows {
        rows: data.len() as u64,
    })?;
    let (train, held_out) = (data.select(&split.train), data.select(&split.held_out));
    let mut rising = costs.to_vec();
    rising.sort_by(f64::total_cmp);
    let (mut best, mut below) = ((parameters.cost, f64::NEG_INFINITY), None::<WarmStart>);
    let mut tried = Vec::with_capacity(rising.len());
    for cost in rising {
        let parameters = MultiClassSvm {
            cost,
            ..parameters.clone()
        };
        let from = below.as_ref().map(Start::Duals).or(start);
        let going = &mut progress;
        let machine = parameters.train(&train, several, from, executor, kernels::best(), going)?;
        let share = right(&machine, &held_out, executor)?;
        tried.push((cost, share));
        if share > best.1 {
            best = (cost, share);
        }
        below = machine.duals;
    }
    Ok(CostChoice {
        cost: best.0,
        tried,
        held_out: held_out.len(),
    })
}

/// The share of rows whose first answer is one of their labels.
fn right(machine: &Machine, data: &Dataset, executor: &Executor) -> Result<f64, TrainError> {
    let found = machine
        .model
        .predict_rows(data.rows(), 1, kernels::best(), executor)
        .map_err(|_| TrainError::OutOfMemory {
            bytes: 8 * data.len() as u64,
        })?;
    let labels = data.labels().iter().zip(&found);
    let right = labels.filter(|(own, best)| own.contains(&best.id));
    Ok(right.count() as f64 / data.len().max(1) as f64)
}
