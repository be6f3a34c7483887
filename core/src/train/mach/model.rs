//! MACH as a method of [`Model`].

use super::{MachFit, MachKernels, Report};
use crate::{
    data::{Dataset, IndexBase},
    executor::Executor,
    model::{Mach, Method, Model, Provenance},
    parameters::mach::MachParameters,
    text::Vectorizer,
    train::{TrainError, Trained, Watch, compacted::fixed_bytes},
};
use alloc::boxed::Box;
use core::ops::ControlFlow;

impl Model {
    /// Trains a model of R heads over B buckets on `data`; `progress` hears of every part of the
    /// work and may stop it. Equal data and parameters give equal models for any executor.
    ///
    /// # Errors
    /// Bad parameters and unusable data, before any work; [`TrainError::Stopped`] if `progress`
    /// said so.
    pub fn train_mach(
        parameters: &MachParameters,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<Self, TrainError> {
        let mach = parameters.train(data, executor, kernels, progress)?;
        Ok(Self::made(Trained::Mach(mach), data, vectorizer))
    }

    /// The same with a file of at most `max_bytes`, all included: how many bits and weights to keep
    /// is judged on held-out rows, up to three tenths of the rows. Cost: two to four trainings, of
    /// which `watch` hears as of one that can be left and gone on with.
    ///
    /// # Errors
    /// As [`Model::train_mach`]; [`TrainError::Budget`] if no model is so small, with the bytes of
    /// the smallest file and before any training.
    pub fn train_mach_within(
        parameters: &MachParameters,
        data: &Dataset,
        vectorizer: Option<Vectorizer>,
        max_bytes: u64,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
        watch: &mut dyn Watch<Report>,
    ) -> Result<(Self, MachFit), TrainError> {
        let fixed = fixed_bytes(data.label_names(), vectorizer.as_ref());
        let budget = max_bytes.saturating_sub(fixed);
        let mut trained = parameters.train_within(data, budget, executor, kernels, watch);
        if let Err(TrainError::Budget { smallest, .. }) = trained {
            // That left room for the longest of headers: what the smallest file takes shows when it
            // is made.
            let mach = parameters.smallest(data, executor, kernels)?;
            let mach = mach.model(data, executor)?;
            let takes = file_bytes(mach, data, vectorizer.clone())?;
            let Some(room) = max_bytes.checked_sub(takes) else {
                return Err(TrainError::Budget {
                    budget: max_bytes,
                    smallest: takes,
                });
            };
            let budget = smallest + room.saturating_sub(PADDING);
            trained = parameters.train_within(data, budget, executor, kernels, watch);
        }
        let (mach, fit) = trained?;
        let chosen = &fit.tried[fit.chosen];
        let figures = [
            fit.before.at_1,
            chosen.precision.at_1,
            chosen.precision.at_3,
            chosen.precision.at_5,
            f64::from(u8::from(chosen.refined)),
        ];
        Ok((judged(mach, data, vectorizer, figures), fit))
    }
}

/// At most by how much two files differ whose arrays take the same bytes: the padding of sections.
const PADDING: u64 = 512;

/// 1 if the weights that were kept were trained on.
pub(in crate::train) const REFINED: &str = "refined";

/// The model of heads, with what held-out rows said: P@1 before compacting, P@1, P@3 and P@5, and
/// [`REFINED`].
fn judged(mach: Mach, data: &Dataset, vectorizer: Option<Vectorizer>, figures: [f64; 5]) -> Model {
    let mut provenance = Provenance::new("mach", data, mach.parameters().seed);
    let names = [
        "held-out P@1 before compacting",
        "held-out P@1",
        "held-out P@3",
        "held-out P@5",
        REFINED,
    ];
    let report = names.into_iter().map(Into::into).zip(figures);
    provenance.report.extend(report);
    Model::new(Method::Mach(Box::new(mach)), data, vectorizer, provenance)
}

/// Bytes of the file of these heads. Where indices of rows begin, which the caller may say later,
/// is counted.
fn file_bytes(
    mach: Mach,
    data: &Dataset,
    vectorizer: Option<Vectorizer>,
) -> Result<u64, TrainError> {
    let bytes = mach.bytes() as u64;
    let base = vectorizer.is_none().then_some(IndexBase::Zero);
    let mut model = judged(mach, data, vectorizer, [0.0; 5]);
    model.provenance_mut().index_base = base;
    let file = model.to_bytes();
    Ok(file.map_err(|_| TrainError::OutOfMemory { bytes })?.len() as u64)
}
