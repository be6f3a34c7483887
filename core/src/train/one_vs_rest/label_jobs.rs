//! Labels shared out to jobs of sixteen that are alike, which are solved together.
//!
//! Sixteen labels meet the rows of each ([`super::trainer::BlockScratch`]): the more rows they have
//! in common, the fewer there are. Labels are ordered by the feature that is strongest in the sum
//! of their rows, then by the second: words name things.

use super::{label_block::LABELS, mining::RowsByLabel, packed_rows::PackedRows};
use crate::executor::Executor;
use alloc::{vec, vec::Vec};

/// Labels in jobs.
#[derive(Clone, Debug, Default)]
pub struct LabelJobs(Vec<u32>);

/// The features strongest in the sum of a label's rows, the strongest first; `u32::MAX` where there
/// are none.
type Strongest = [u32; 2];

/// Labels looked at in one job.
const BATCH: usize = 256;

impl LabelJobs {
    /// Orders the labels whose rows `own` tells; those without rows come last.
    ///
    /// Cost: a pass over the values of each label's rows. The result does not depend on the
    /// executor.
    pub(crate) fn new(
        labels: usize,
        own: &RowsByLabel,
        rows: &PackedRows,
        features: usize,
        executor: &Executor,
    ) -> Self {
        let scratch = || (vec![0f32; features], Vec::new());
        let strongest = executor.map(labels.div_ceil(BATCH), scratch, |(sums, met), batch| {
            let batch = batch * BATCH..((batch + 1) * BATCH).min(labels);
            batch
                .map(|label| strongest(own.of(label), rows, sums, met))
                .collect::<Vec<Strongest>>()
        });
        let strongest: Vec<Strongest> = strongest.into_iter().flatten().collect();
        let mut order: Vec<u32> = (0..labels as u32).collect();
        order.sort_unstable_by_key(|&label| {
            let at = label as usize;
            (own.of(at).is_empty(), strongest[at], label)
        });
        Self(order)
    }

    /// Number of jobs.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.0.len().div_ceil(LABELS)
    }

    /// The labels of a job, at most sixteen; none if there is no such job.
    #[must_use]
    pub(crate) fn job(&self, job: usize) -> &[u32] {
        self.0.chunks(LABELS).nth(job).unwrap_or_default()
    }

    /// Bytes held.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        4 * self.0.capacity()
    }
}

/// The two features with the largest sums over `own` rows; of equal ones the lower. `sums` are 0
/// before and after.
fn strongest(own: &[u32], rows: &PackedRows, sums: &mut [f32], met: &mut Vec<u32>) -> Strongest {
    met.clear();
    for &row in own {
        for (id, value) in rows.row(row as usize).terms() {
            let sum = &mut sums[id as usize];
            if *sum == 0.0 {
                met.push(id);
            }
            *sum += value.abs();
        }
    }
    let (mut best, mut second) = ((0f32, u32::MAX), (0f32, u32::MAX));
    for &id in met.iter() {
        let sum = core::mem::take(&mut sums[id as usize]);
        let found = (sum, id);
        let above = |other: (f32, u32)| sum > other.0 || (sum == other.0 && id < other.1);
        if sum > 0.0 && above(best) {
            (best, second) = (found, best);
        } else if sum > 0.0 && above(second) {
            second = found;
        }
    }
    [best.1, second.1]
}

#[cfg(test)]
mod tests {
    use super::{LABELS, LabelJobs};
    use crate::{
        executor::Sequential,
        train::one_vs_rest::{mining::RowsByLabel, packed_rows::PackedRows},
    };
    use alloc::{vec, vec::Vec};

    #[test]
    fn labels_with_the_same_strongest_feature_are_in_one_job_and_each_is_in_one() {
        let (mut rows, mut carried) = (PackedRows::default(), Vec::new());
        for row in 0..400u32 {
            let label = row * 7 % 100;
            // Label l's strongest feature is l % 5; label 99 has no rows.
            rows.push(&mut vec![(label % 5, 1.0), (5 + row % 9, 0.3)], usize::MAX);
            carried.push(vec![label.min(98)]);
        }
        let own = RowsByLabel::new(carried.iter().map(Vec::as_slice), 100);
        let jobs = LabelJobs::new(100, &own, &rows, 14, &Sequential);
        assert_eq!(jobs.len(), 100usize.div_ceil(LABELS));
        let order: Vec<u32> = (0..jobs.len())
            .flat_map(|job| jobs.job(job).to_vec())
            .collect();
        let strongest: Vec<u32> = order[..99].iter().map(|label| label % 5).collect();
        assert!(strongest.is_sorted());
        assert_eq!(order[99], 99);
        let mut sorted = order;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(0..100));
        assert!(jobs.job(jobs.len()).is_empty());
        let none = LabelJobs::new(0, &RowsByLabel::default(), &rows, 14, &Sequential);
        assert!(none.len() == 0);
    }
}
