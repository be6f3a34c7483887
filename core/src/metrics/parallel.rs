//! Prediction and evaluation of many rows on any number of threads.

use super::Evaluation;
use crate::{data::LabelLists, executor::Executor, top::Scored};
use alloc::vec::Vec;

/// Parts a thread: enough that all threads finish at nearly the same time.
const PARTS: usize = 8;

impl Evaluation<'_> {
    /// Predicts and adds all rows of `truth`: `predict(scratch, row, answers)` replaces `answers`
    /// by the answers to the numbered row, best first, [`Evaluation::depth`] of them if there are
    /// so many. The report has the same bits for every executor.
    pub fn add_all<E, S, I, P>(&mut self, truth: &LabelLists, executor: &E, scratch: I, predict: P)
    where
        E: Executor,
        I: Fn() -> S + Sync,
        P: Fn(&mut S, usize, &mut Vec<Scored>) + Sync,
    {
        let parts = executor.threads().max(1).saturating_mul(PARTS);
        let length = truth.len().div_ceil(parts).max(1);
        let own = || (scratch(), Vec::new());
        let this = &*self;
        let evaluated = executor.map(
            truth.len().div_ceil(length),
            own,
            |(scratch, answers), job| {
                let mut part = this.part();
                let end = (job + 1).saturating_mul(length).min(truth.len());
                for row in job * length..end {
                    predict(scratch, row, answers);
                    part.add(answers, truth.row(row));
                }
                part
            },
        );
        for part in &evaluated {
            self.absorb(part);
        }
    }
}
