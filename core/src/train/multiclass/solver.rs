//! The solver that a loss needs.

use super::{
    lee_lin_wahba::LeeLinWahba,
    machine::Machine,
    problem::{MultiLabel, Problem},
    trainer::{MOST, Report, Trainer},
};
use crate::parameters::multiclass::{MultiClassLoss, MultiClassSvm};
use crate::train::multiclass::warm_start::{Start, likely_classes};
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::{Kernels, Processor},
    train::{
        TrainError, Training,
        state::{Resumable, StateError},
    },
};
use alloc::boxed::Box;

/// Training under way, epoch by epoch.
#[derive(Debug)]
pub struct Solver<'a> {
    parameters: &'a MultiClassSvm,
    labels: usize,
    processor: Processor,
    form: Form,
}

#[derive(Debug)]
enum Form {
    /// Of Crammer-Singer and Weston-Watkins.
    ByRows(Box<Trainer>),
    LeeLinWahba(Box<LeeLinWahba>),
}

impl<'a> Solver<'a> {
    /// Begins training on `data`, perhaps from the duals of another cost or from a model.
    ///
    /// # Errors
    /// Bad parameters, unusable data and a model of other features, before any work; lack of
    /// memory.
    pub fn new(
        parameters: &'a MultiClassSvm,
        data: &Dataset,
        multi_label: MultiLabel,
        start: Option<Start<'_>>,
        executor: &Executor,
        kernels: &dyn Kernels,
    ) -> Result<Self, TrainError> {
        let problem = Problem::new(data, parameters, multi_label)?;
        let processor = kernels.processor();
        let form = match (parameters.loss, start) {
            (MultiClassLoss::LeeLinWahba, _) => {
                let solver = LeeLinWahba::new(parameters, problem, executor, processor)?;
                Form::LeeLinWahba(Box::new(solver))
            }
            (_, Some(Start::Duals(start))) => {
                Form::ByRows(Box::new(Trainer::warm(parameters, problem, start)))
            }
            (_, Some(Start::Model(model))) => {
                let likely = likely_classes(model, data, &problem, MOST, executor, kernels)?;
                Form::ByRows(Box::new(Trainer::informed(parameters, problem, likely)))
            }
            (_, None) => Form::ByRows(Box::new(Trainer::new(parameters, problem))),
        };
        Ok(Self {
            parameters,
            labels: data.labels().labels() as usize,
            processor,
            form,
        })
    }
}

impl Training for Solver<'_> {
    type Report = Report;
    type Made = Machine;

    fn step(&mut self, executor: &Executor) -> Option<Report> {
        match &mut self.form {
            Form::ByRows(trainer) => trainer.epoch(executor, self.processor),
            Form::LeeLinWahba(solver) => solver.epoch(executor, self.processor),
        }
    }

    fn finish(self, executor: &Executor) -> Result<Machine, TrainError> {
        let (parameters, machine) = (self.parameters, (executor, self.processor));
        match self.form {
            Form::ByRows(trainer) => parameters.machine_by_rows(*trainer, self.labels, machine),
            Form::LeeLinWahba(solver) => {
                parameters.lee_lin_wahba_machine(&solver, self.labels, machine)
            }
        }
    }
}

impl Resumable for Solver<'_> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        match &self.form {
            Form::ByRows(trainer) => trainer.save(sink),
            Form::LeeLinWahba(solver) => solver.save(sink),
        }
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        match &mut self.form {
            Form::ByRows(trainer) => trainer.resume(bytes),
            Form::LeeLinWahba(solver) => solver.resume(bytes),
        }
    }
}
