//! Models of MEMOIR in few dimensions: each label's weights are its prototype, compared by
//! products.

use crate::{
    data::Dataset,
    executor::Executor,
    float,
    parameters::memoir::Memoir,
    train::{
        TrainError, Watch, error::array, memoir::trainer::MemoirReport, reduction::Projection,
        training::run,
    },
};
use crate::{
    model::embedding::{Embedding, build::Vectors},
    parameters::embedding::EmbeddingTraining,
};

impl Embedding {
    /// Trains by MEMOIR in the few dimensions of `projection`; the model answers rows as they are.
    /// Reduced rows are scaled to length 1 while training: the order of answers does not depend on
    /// it. A label without rows scores 0. With `measuring`, reports have the figures of each pass.
    ///
    /// # Errors
    /// As [`Memoir::trainer`], [`Projection::reduce`], and if `watch` stops the work.
    pub(crate) fn train_memoir(
        parameters: &Memoir,
        projection: &Projection,
        data: &Dataset,
        executor: &Executor,
        measuring: bool,
        watch: &mut dyn Watch<MemoirReport>,
    ) -> Result<Self, TrainError> {
        parameters.check()?;
        let reduced = projection.reduce(data, executor)?;
        let inner = Memoir {
            exponent: 1.0,
            normalize: true,
            bias: 0.0,
            ..parameters.clone()
        };
        let made = vectors(&inner, &reduced, executor, measuring, watch)?;
        let whole = projection.unfold(made, executor)?;
        let training = EmbeddingTraining::Memoir(parameters.clone());
        let training = training.with_transform(projection.transform());
        Ok(Self::from_vectors(&whole, &training, data)?)
    }
}

/// The trained weights of each label, one for each feature of `data`, divided by a power of their
/// length.
pub(crate) fn vectors(
    parameters: &Memoir,
    data: &Dataset,
    executor: &Executor,
    measuring: bool,
    watch: &mut dyn Watch<MemoirReport>,
) -> Result<Vectors, TrainError> {
    let mut trainer = parameters.trainer(data)?.measuring(measuring);
    run(&mut trainer, executor, watch)?;
    let dimensions = data.rows().features() as usize;
    let labels = data.labels().labels() as usize;
    let mut prototypes = array(labels.saturating_mul(dimensions), 0f32)?;
    trainer.weights().visit(|feature, class, weight| {
        if (feature as usize) < dimensions {
            prototypes[class as usize * dimensions + feature as usize] = weight;
        }
    });
    for prototype in prototypes.chunks_mut(dimensions.max(1)) {
        let square: f64 = prototype
            .iter()
            .map(|w| f64::from(*w) * f64::from(*w))
            .sum();
        let length = float::power(float::sqrt(square), parameters.norm_power);
        if length > 0.0 {
            prototype.iter_mut().for_each(|w| *w /= length as f32);
        }
    }
    Ok(Vectors {
        dimensions,
        embedding: alloc::vec::Vec::new(),
        features: None,
        prototypes,
    })
}
