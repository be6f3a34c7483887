//! The approximate search that `predict` and `evaluate` can be told to make.

use super::failure::Failure;
use clap::Args;
use hapax::{
    core::{
        data::Dataset,
        executor::Executor,
        model::{Model, PredictError, Scratch, mach::TopBuckets},
        search::Scored,
        sparse::SparseView,
    },
    kernels,
    threads::Threads,
};

/// Which labels are looked at.
#[derive(Args, Clone, Debug)]
pub struct CandidateOptions {
    /// Approximately, of MACH models: look only at labels in the P best buckets, from 1 to 255. What is missed is told
    /// by `evaluate` [default: an exact search]
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u16).range(1..=TopBuckets::MOST as i64))]
    top_buckets: Option<u16>,
}

/// How a model's answers are searched for: exactly by default.
#[derive(Default)]
pub struct Search {
    lists: Option<TopBuckets>,
}

impl CandidateOptions {
    /// Gets ready to search.
    pub fn search(&self, model: &Model) -> Result<Search, Failure> {
        let lists = match self.top_buckets {
            None => None,
            Some(visited) => {
                let lists = model.top_buckets(usize::from(visited));
                let rule = "--top-buckets is for models of MACH: leave it out";
                Some(lists.ok_or_else(|| Failure::Input(rule.into()))?)
            }
        };
        Ok(Search { lists })
    }
}

impl Search {
    /// The best labels, as far as the search finds them.
    pub fn predict<'s>(
        &self,
        model: &Model,
        row: SparseView<'_>,
        k: usize,
        scratch: &'s mut Scratch,
    ) -> Result<&'s [Scored], PredictError> {
        match &self.lists {
            None => model.predict(row, k, scratch),
            Some(lists) => model.predict_from(lists, row, k, scratch),
        }
    }

    /// What an approximate search found of the exact search's answers: how many buckets it visits, and for each of
    /// `ks` the share of the first k, over all rows. None if the search is exact.
    pub fn recall(
        &self,
        model: &Model,
        data: &Dataset,
        ks: &[usize],
        threads: &Threads,
    ) -> Option<Recall> {
        let lists = self.lists.as_ref()?;
        let depth = ks.iter().copied().max()?;
        let scratch = || Scratch::new(kernels::best());
        let shares = threads.map(data.len(), scratch, |scratch, row| {
            let row = data.rows().row(row);
            let answers = |found: Result<&[Scored], PredictError>| -> Vec<u32> {
                found.map_or(Vec::new(), |found| found.iter().map(|s| s.id).collect())
            };
            let found = answers(self.predict(model, row, depth, scratch));
            let exact = answers(model.predict(row, depth, scratch));
            let share = |&k: &usize| {
                let (found, exact) = (first(&found, k), first(&exact, k));
                let both = exact.iter().filter(|id| found.contains(id)).count();
                both as f64 / exact.len().max(1) as f64
            };
            ks.iter().map(share).collect::<Vec<f64>>()
        });
        let mean = |at| shares.iter().map(|row| row[at]).sum::<f64>() / data.len().max(1) as f64;
        Some(Recall {
            visited: lists.visited(),
            at: (0..ks.len()).map(mean).collect(),
        })
    }
}

/// The first `k` ids, or all.
fn first(ids: &[u32], k: usize) -> &[u32] {
    &ids[..k.min(ids.len())]
}

/// What an approximate search found.
pub struct Recall {
    pub visited: usize,
    /// For each k, of the exact search's first k answers.
    pub at: Vec<f64>,
}
