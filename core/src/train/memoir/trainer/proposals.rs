//! What an index proposes for the draws to come, and when it is told of the weights.

use super::{BLOCK, MemoirTrainer};
use crate::{
    executor::Executor,
    train::memoir::{draws::Pair, weights::Storage},
};
use alloc::{vec, vec::Vec};

/// Draws of batch 1 that an index is asked for at once, by several threads: at most so many, and
/// one for each eight done so far, since it knows no class at first.
const AHEAD: u64 = 256;

impl MemoirTrainer<'_> {
    /// Makes the index anew where a pass begins.
    pub(super) fn begin_part(&mut self, executor: &Executor) {
        if core::mem::replace(&mut self.between_passes, false)
            && let (Some(index), Storage::Classes(rows)) = (&mut self.index, &mut self.weights.0)
        {
            index.renew(rows, &self.seen, executor);
            self.stale.clear();
        }
    }

    /// Lays the weights down as a state has them.
    pub(super) fn end_pass(&mut self) {
        self.between_passes = true;
        if let Storage::Classes(rows) = &mut self.weights.0 {
            rows.merge();
        }
    }

    /// Tells the index of the classes that have moved.
    pub(super) fn refresh(&mut self, executor: &Executor) {
        let (Some(index), Storage::Classes(rows)) = (&mut self.index, &mut self.weights.0) else {
            return;
        };
        self.stale.sort_unstable();
        self.stale.dedup();
        index.refresh(rows, &self.stale, &self.seen, executor);
        self.stale.clear();
    }

    /// The next draw, and what the index proposes for it: of weights as they were up to 256 draws
    /// ago.
    pub(super) fn next(&mut self, executor: &Executor) -> (Pair, Vec<u32>) {
        if self.index.is_none() {
            return (self.draws.draw(), Vec::new());
        }
        if self.ahead.is_empty() {
            self.refresh(executor);
            let length = self.draws.len() as u64;
            let left_of_pass = length - (self.t - 1) % length;
            let count = AHEAD
                .min(1 + self.t / 8)
                .min(left_of_pass)
                .min(self.total + 1 - self.t);
            let pairs: Vec<Pair> = (0..count).map(|_| self.draws.draw()).collect();
            let proposed = self.propose(&pairs, executor);
            self.ahead.extend(pairs.into_iter().zip(proposed));
        }
        self.ahead
            .pop_front()
            .unwrap_or_else(|| (self.draws.draw(), Vec::new()))
    }

    /// What the index proposes for each of several draws.
    pub(super) fn propose(&self, pairs: &[Pair], executor: &Executor) -> Vec<Vec<u32>> {
        let Some(index) = &self.index else {
            return vec![Vec::new(); pairs.len()];
        };
        let count = self.parameters.oracle.candidates();
        let blocks = executor.map(
            pairs.len().div_ceil(BLOCK),
            || (index.proposer(), Vec::new()),
            |(proposer, terms), block| {
                let part = pairs.iter().skip(block * BLOCK).take(BLOCK);
                part.map(|pair| {
                    terms.clear();
                    self.rows.terms(pair.row, terms);
                    let mut found = Vec::new();
                    proposer.propose(terms, count, &mut found);
                    found
                })
                .collect::<Vec<_>>()
            },
        );
        blocks.into_iter().flatten().collect()
    }
}
