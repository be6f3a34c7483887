//! Another model of the same parameters.

use crate::{
    data::Dataset,
    executor::Executor,
    model::{Method, Model, linear::fused::FusedNearest},
    parameters::{NearestParameters, linear::LinearTraining},
    train::{Hearing, TrainError, Training, mach::MachKernels, multiclass::MultiLabel},
};
use core::ops::ControlFlow;

impl Model {
    /// A model of the same method and parameters, of these rows; `None` if the record of what made
    /// this one says that the parameters are not all.
    pub(super) fn again<E: Executor>(
        &self,
        data: &Dataset,
        executor: &E,
        kernels: &'static dyn MachKernels,
    ) -> Result<Option<Self>, TrainError> {
        let report = &self.provenance().report;
        if report.iter().any(|(name, _)| name == "reduced to") {
            return Ok(None);
        }
        let made = match self.method() {
            Method::Nearest(nearest) => {
                let parameters = nearest.parameters();
                let parameters = NearestParameters {
                    neighbors: parameters.neighbors.min(data.len() as u32),
                    ..parameters
                };
                Self::train_nearest(parameters, data, None, executor)?
            }
            Method::Linear(linear) => {
                let weight = linear.nearest().map(FusedNearest::weight);
                let training = linear.parameters();
                linear_again(training, weight, data, executor, kernels)?
            }
            Method::Mach(mach) => {
                let parameters = mach.parameters();
                let go_on = |_| ControlFlow::Continue(());
                Self::train_mach(parameters, data, None, executor, kernels, go_on)?
            }
            Method::Embedding(embedding) => {
                let training = embedding.training();
                let go_on = |_| ControlFlow::Continue(());
                Self::train_embedding(training, data, None, executor, kernels, go_on)?
            }
        };
        Ok(Some(made))
    }
}

fn linear_again<E: Executor>(
    training: &LinearTraining,
    neighbors: Option<f32>,
    data: &Dataset,
    executor: &E,
    kernels: &'static dyn MachKernels,
) -> Result<Model, TrainError> {
    match training {
        LinearTraining::OneVsRest(parameters) => {
            let go_on = |_| ControlFlow::Continue(());
            let linear = parameters.train(data, executor, kernels, go_on)?;
            Ok(match neighbors {
                Some(weight) => {
                    let both = (linear, FusedNearest::train(data, weight)?);
                    Model::from_fused(both, parameters, data, None)
                }
                None => Model::from_ovr(linear, parameters, data, None),
            })
        }
        LinearTraining::MultiClass(parameters) => {
            let go_on = |_| ControlFlow::Continue(());
            let several = MultiLabel::Replicate;
            let machine = parameters.train(data, several, None, executor, kernels, go_on)?;
            Ok(Model::from_machine(&machine, parameters, data, None))
        }
        LinearTraining::Memoir(parameters) => {
            let watch = &mut Hearing(|_| ControlFlow::Continue(()));
            let weights = parameters.trainer(data)?.train(executor, watch)?;
            Ok(Model::from_memoir(weights, parameters, data, None))
        }
    }
}
