//! Labels shared out to threads: jobs of about equal work, the heaviest labels first.
//!
//! Some labels have a thousand times the rows of others. Were each label a job, in the order of
//! ids, a thread would now and then wait for another that met a heavy one late.

use crate::train::state::{StateError, all_once, same};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// Jobs that all labels are shared out to, at most.
const JOBS: usize = 512;

/// Labels in jobs.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct LabelJobs {
    /// Labels by falling work, equal ones by rising id.
    labels: Vec<u32>,
    /// Where each job ends.
    ends: Vec<usize>,
}

impl LabelJobs {
    /// Shares out the labels `0..labels` by the work that each is.
    #[must_use]
    pub fn new(labels: usize, work: impl Fn(usize) -> usize) -> Self {
        let mut order: Vec<(usize, u32)> = (0..labels)
            .map(|label| (work(label) + 1, label as u32))
            .collect();
        order.sort_unstable_by_key(|&(work, label)| (core::cmp::Reverse(work), label));
        let total: usize = order.iter().map(|&(work, _)| work).sum();
        let share = total.div_ceil(JOBS);
        let (mut ends, mut held) = (Vec::new(), 0);
        for (at, &(work, _)) in order.iter().enumerate() {
            held += work;
            if held >= share || at + 1 == labels {
                ends.push(at + 1);
                held = 0;
            }
        }
        Self {
            labels: order.into_iter().map(|(_, label)| label).collect(),
            ends,
        }
    }

    /// Whether each of `labels` labels is in one job.
    pub(crate) fn check(&self, labels: usize) -> Result<(), StateError> {
        same("labels", self.labels.len(), labels)?;
        all_once("labels of jobs", &self.labels)?;
        let rising = self.ends.windows(2).all(|pair| pair[0] < pair[1]);
        if rising && self.ends.last().copied().unwrap_or(0) == labels {
            Ok(())
        } else {
            Err(StateError::Disordered { what: "jobs" })
        }
    }

    /// Number of jobs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no job.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The labels of a job; none if there is no such job.
    #[must_use]
    pub fn job(&self, job: usize) -> &[u32] {
        let start = match job.checked_sub(1) {
            Some(before) => self.ends.get(before).copied(),
            None => Some(0),
        };
        match (start, self.ends.get(job)) {
            (Some(start), Some(&end)) => &self.labels[start..end],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{JOBS, LabelJobs};
    use alloc::{vec, vec::Vec};

    #[test]
    fn every_label_has_its_job_and_jobs_are_about_equal() {
        let work = |label: usize| if label == 700 { 40_000 } else { label % 90 };
        let jobs = LabelJobs::new(10_000, work);
        assert_eq!(jobs.job(0), [700], "the heaviest is alone and first");
        let mut seen = vec![0; 10_000];
        let mut sizes: Vec<usize> = Vec::new();
        for job in 0..jobs.len() {
            jobs.job(job)
                .iter()
                .for_each(|&label| seen[label as usize] += 1);
            sizes.push(
                jobs.job(job)
                    .iter()
                    .map(|&label| work(label as usize) + 1)
                    .sum(),
            );
        }
        assert!(seen.iter().all(|&count| count == 1));
        assert!(jobs.len() <= JOBS);
        let share = sizes.iter().sum::<usize>() / JOBS;
        assert!(sizes[1..].iter().all(|&size| size <= share + 92));
        assert!(jobs.job(jobs.len()).is_empty() && LabelJobs::new(0, work).is_empty());
    }
}
