//! The direction of the mean of each label's rows, as a linear model: the score of a label is the
//! cosine of a row and its centroid.

use crate::parameters::one_vs_rest::OneVsRest;
use crate::{
    data::Dataset,
    executor::Executor,
    float,
    model::linear::{
        LinearModel,
        build::{LabelWeights, build},
    },
    train::{TrainError, one_vs_rest::mining::RowsByLabel},
};
use alloc::{vec, vec::Vec};

/// Labels of one job.
const BATCH: usize = 64;

/// The centroids of the labels of `data`, whose rows are transformed as `parameters` say, with
/// weights of a byte.
///
/// Cost: a pass over the values of each label's rows; memory: one array of D sums a thread.
pub(super) fn centroids(
    parameters: &OneVsRest,
    data: &Dataset,
    executor: &Executor,
) -> Result<LinearModel, TrainError> {
    const BITS: u32 = 8;
    let (features, labels) = (
        data.rows().features() as usize,
        data.labels().labels() as usize,
    );
    let own = RowsByLabel::new((0..data.len()).map(|row| data.labels().row(row)), labels);
    let transform = parameters.transform();
    let scratch = || (vec![0f32; features], Vec::new(), Vec::new());
    let jobs = labels.div_ceil(BATCH);
    let found = executor.map(jobs, scratch, |(sums, values, met), job| {
        let batch = job * BATCH..((job + 1) * BATCH).min(labels);
        let centroid = |label: usize| {
            if own.of(label).is_empty() {
                return LabelWeights::unseen();
            }
            met.clear();
            for &row in own.of(label) {
                let row = data.rows().row(row as usize);
                values.clear();
                transform.apply(row, values);
                for (&id, &value) in row.indices().iter().zip(values.iter()) {
                    if sums[id as usize] == 0.0 {
                        met.push(id);
                    }
                    sums[id as usize] += value;
                }
            }
            met.sort_unstable();
            met.dedup();
            let mut square = 0.0;
            let mut weights: Vec<(u32, f32)> = Vec::with_capacity(met.len());
            for &id in met.iter() {
                let sum = core::mem::take(&mut sums[id as usize]);
                square += f64::from(sum) * f64::from(sum);
                weights.push((id, sum));
            }
            let length = float::sqrt(square).max(f64::MIN_POSITIVE) as f32;
            weights.iter_mut().for_each(|(_, sum)| *sum /= length);
            LabelWeights::round(&weights, 0.0, BITS)
        };
        batch.map(centroid).collect::<Vec<LabelWeights>>()
    });
    let weights: Vec<LabelWeights> = found.into_iter().flatten().collect();
    Ok(build(&weights, features, transform, BITS)?)
}
