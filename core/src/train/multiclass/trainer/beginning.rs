//! How training begins: with nothing, with duals of another cost, or with classes that rows should
//! list.

use super::{Sweeper, Trainer};
use crate::{
    executor::Executor,
    parameters::multiclass::MultiClassSvm,
    train::multiclass::{
        certificate::rebuild,
        class_weights::ClassWeights,
        duals::RowDuals,
        listing::{Turn, list},
        narrow_vec::Numbers,
        problem::Problem,
        row_step::Limits,
        schedule::Schedule,
        state::State,
        warm_start::WarmStart,
    },
};
use alloc::{vec, vec::Vec};

impl Trainer {
    /// Begins training with all duals 0.
    #[must_use]
    pub(crate) fn new(parameters: &MultiClassSvm, problem: Problem) -> Self {
        let rows = problem.len();
        let limits = Limits::new(parameters.loss, parameters.cost);
        Self {
            parameters: parameters.clone(),
            state: State {
                duals: vec![RowDuals::default(); rows],
                weights: ClassWeights::new(problem.features(), problem.classes()),
                limits,
                problem,
            },
            sweeper: None,
            active: (0..rows as u32).collect(),
            schedule: Schedule::new(limits, rows),
            epochs: 0,
            gap: 1.0,
            certificate: None,
            multiple: 1.0,
            relist: Vec::new(),
            remembered: None,
            likely: Vec::new(),
        }
    }

    /// Begins training with the duals of another cost, each multiplied by the ratio of costs, and
    /// then all by what is best for the new problem. Starts from 0 if the duals are of other rows.
    #[must_use]
    pub(crate) fn warm(parameters: &MultiClassSvm, problem: Problem, start: &WarmStart) -> Self {
        let mut trainer = Self::new(parameters, problem);
        let same = start.duals.len() == trainer.state.problem.len();
        if same {
            trainer.state.duals.clone_from(&start.duals);
            let ratio = parameters.cost / start.cost;
            let limits = trainer.state.limits;
            for (at, duals) in trainer.state.duals.iter_mut().enumerate() {
                scale(duals, ratio, limits);
                // Places are those of other weights: listing makes new ones.
                duals.places = Numbers::default();
                trainer.relist.push(at as u32);
            }
            trainer.schedule = Schedule::full(limits);
            trainer.active = Vec::new();
        }
        trainer
    }

    /// Begins training with all duals 0 and with the classes that each row should list. Sweeps then
    /// come before the first pass over all classes.
    #[must_use]
    pub(crate) fn informed(
        parameters: &MultiClassSvm,
        problem: Problem,
        likely: Vec<Vec<u32>>,
    ) -> Self {
        let mut trainer = Self::new(parameters, problem);
        let problem = &trainer.state.problem;
        let losses = if trainer.state.limits.largest_only() {
            1.0
        } else {
            problem.classes() as f64 - 1.0
        };
        trainer.schedule =
            Schedule::informed(parameters, trainer.state.limits, problem.len(), losses);
        trainer.likely = likely;
        trainer
    }

    /// Gives every row the places of its own class.
    pub(super) fn start(&mut self, executor: &Executor) -> Sweeper {
        let mut sweeper = Sweeper::new(&self.state, executor.threads());
        if let Some(memory) = self.remembered.take() {
            sweeper.remember(memory);
        }
        if !self.relist.is_empty() {
            self.restart(&sweeper, executor);
        } else if self.epochs == 0 {
            let count = self.state.problem.len();
            let mut likely = core::mem::take(&mut self.likely);
            likely.resize(count, Vec::new());
            let (mut rows, mut classes) = (Vec::with_capacity(count), Vec::new());
            for (row, likely) in likely.iter().enumerate() {
                rows.push((row as u32, 1 + likely.len() as u32));
                classes.push(self.state.problem.class(row));
                classes.extend_from_slice(likely);
            }
            let (state, cuts) = (&mut self.state, sweeper.cuts());
            list(state, &rows, &classes, Turn::First, cuts, executor);
        }
        sweeper
    }

    /// Finds places for the duals given at the start, and the multiple of them that is best.
    fn restart(&mut self, sweeper: &Sweeper, executor: &Executor) {
        let (mut rows, mut classes) = (Vec::new(), Vec::new());
        let mut alphas = Vec::new();
        for row in core::mem::take(&mut self.relist) {
            let duals = &mut self.state.duals[row as usize];
            classes.push(self.state.problem.class(row as usize));
            rows.push((row, 1 + duals.classes.len() as u32));
            classes.append(&mut duals.classes);
            alphas.push(core::mem::take(&mut duals.alphas));
        }
        let (state, cuts) = (&mut self.state, sweeper.cuts());
        list(state, &rows, &classes, Turn::First, cuts, executor);
        for (duals, alphas) in self.state.duals.iter_mut().zip(alphas) {
            let sharing = (self.state.problem.classes() - 1 - alphas.len()) as f64;
            duals.total = alphas.iter().sum::<f64>() + sharing * duals.shared;
            duals.alphas = alphas;
        }
        let dual = rebuild(&mut self.state, sweeper.cuts(), executor);
        let sum: f64 = self.state.duals.iter().map(|duals| duals.total).sum();
        let square = 2.0 * (sum - dual);
        if square > sum {
            let limits = self.state.limits;
            for duals in &mut self.state.duals {
                scale(duals, sum / square, limits);
            }
            rebuild(&mut self.state, sweeper.cuts(), executor);
        }
    }
}

/// Multiplies the duals of a row, within their limits.
fn scale(duals: &mut RowDuals, factor: f64, limits: Limits) {
    duals.shared = (duals.shared * factor).min(limits.each);
    duals.total *= factor;
    for alpha in &mut duals.alphas {
        *alpha = (*alpha * factor).min(limits.each);
    }
}
