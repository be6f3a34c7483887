//! Another model of the same parameters.

use crate::{
    data::Dataset,
    executor::Executor,
    model::{
        Linear, Method, Model,
        linear::{FusedEmbedding, FusedNearest},
    },
    parameters::linear::LinearTraining,
    train::{
        TrainError, Trained, Training,
        mach::{MachKernels, REFINED},
        multiclass::MultiLabel,
        one_vs_rest::FusedWeights,
    },
};
use core::ops::ControlFlow;

impl Model {
    /// A model of the same method and parameters, of these rows; `None` if the record of what made
    /// this one says that the parameters are not all.
    pub(super) fn again(
        &self,
        data: &Dataset,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
    ) -> Result<Option<Self>, TrainError> {
        let report = &self.provenance().report;
        // Nor are vectors that were given.
        let given = matches!(self.method(), Method::Linear(linear) if linear.vectors().is_some());
        if given || report.iter().any(|(name, _)| name == "reduced to") {
            return Ok(None);
        }
        let made = match self.method() {
            Method::Nearest(nearest) => {
                let parameters = nearest.parameters().within(data.len());
                Self::train_nearest(parameters, data, None)?
            }
            Method::Linear(linear) => linear_again(linear, data, executor, kernels)?,
            Method::Mach(mach) => {
                let parameters = mach.parameters();
                match report.iter().find(|(name, _)| name == REFINED) {
                    Some(&(_, refined)) => {
                        let made = mach.packed_again(refined > 0.0, data, executor, kernels)?;
                        Self::made(Trained::Mach(made), data, None)
                    }
                    None => {
                        let go_on = |_| ControlFlow::Continue(());
                        Self::train_mach(parameters, data, None, executor, kernels, go_on)?
                    }
                }
            }
            Method::Embedding(embedding) => {
                let training = embedding.training();
                let go_on = &mut |_| ControlFlow::Continue(());
                Self::train_embedding(training, None, data, None, executor, kernels, go_on)?
            }
        };
        Ok(Some(made))
    }
}

fn linear_again(
    linear: &Linear,
    data: &Dataset,
    executor: &Executor,
    kernels: &'static dyn MachKernels,
) -> Result<Model, TrainError> {
    match linear.parameters() {
        LinearTraining::OneVsRest(parameters) => {
            let go_on = |_| ControlFlow::Continue(());
            let weights = parameters.train(data, executor, kernels, go_on)?;
            let fused = FusedWeights {
                neighbors: linear.nearest().map_or(0.0, FusedNearest::weight),
                embedding: linear.embedding().map_or(0.0, FusedEmbedding::weight),
            };
            fused.model(weights, parameters, (data, None), executor, kernels)
        }
        LinearTraining::MultiClass(parameters) => {
            let go_on = |_| ControlFlow::Continue(());
            let several = MultiLabel::Replicate;
            let machine = parameters.train(data, several, None, executor, kernels, go_on)?;
            Ok(Model::made(
                Trained::MultiClass(&machine, parameters),
                data,
                None,
            ))
        }
        LinearTraining::Memoir(parameters) => {
            let watch = &mut |_| ControlFlow::Continue(());
            let weights = parameters.trainer(data)?.train(executor, watch)?;
            Ok(Model::made(
                Trained::Memoir(weights, parameters),
                data,
                None,
            ))
        }
    }
}
