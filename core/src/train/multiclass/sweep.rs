//! A pass over rows and their listed classes: lanes of rows side by side, then their changes.
//!
//! How rows are cut into lanes depends on nothing but the duals' history, and every weight receives
//! its changes in the order of lanes and rows whichever thread applies them: equal bits for any
//! number of threads.

use super::{
    changes::ApplyChanges, duals::RowDuals, feature_ranges::equal_parts, problem::Problem,
    row_step::Steps, state::State,
};
use crate::executor::Executor;
use crate::train::multiclass::{
    class_weights::Shard,
    row_batch::{Lane, RunLane},
};
use alloc::vec::Vec;
use core::mem;
use hapax_processor::Processor;

/// Lanes side by side: their number never depends on the number of threads. Steps that go farther
/// than to their best stand more in each other's way: with four lanes the dual objective fell. So
/// do rows that all have a constant feature: with four lanes they took twice as many epochs.
const LANES: usize = 4;
const FEWER_LANES: usize = 2;

/// Rows from which there is more than one lane: rows of few are too much alike to move at once.
const ROWS_FOR_LANES: usize = 4000;

/// Rows that move, about, before the lanes hear of each other.
const MOVES: f64 = 96.0;

/// Fewest and most rows of all lanes until then.
const ROWS: (usize, usize) = (96, 2048);

/// What a pass found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Swept {
    /// The sum of the gap's shares before each visit, as far as listed classes know.
    pub gap: f64,
    /// Rows visited.
    pub visited: usize,
    /// Rows moved.
    pub moved: usize,
}

/// The lanes, and how to share the weights among threads.
#[derive(Debug)]
pub struct Sweeper {
    lanes: Vec<Lane>,
    cuts: Vec<u32>,
    /// The share of rows that moved in the last block.
    moving: f64,
    /// The dual objective when it was last known.
    dual: f64,
}

impl Sweeper {
    /// For a solution, to be run on `threads` threads.
    #[must_use]
    pub(crate) fn new(state: &State, threads: usize) -> Self {
        let many = state.problem.len() >= ROWS_FOR_LANES;
        let coupled = state.limits.over > 1.0 || state.problem.bias() != 0.0;
        let lanes = match (many, coupled) {
            (false, _) => 1,
            (true, true) => FEWER_LANES,
            (true, false) => LANES,
        };
        Self {
            dual: f64::NEG_INFINITY,
            lanes: (0..lanes).map(|_| Lane::new(&state.problem)).collect(),
            cuts: equal_parts(&state.problem, threads.max(1)),
            moving: 1.0,
        }
    }

    /// What later sweeps depend on: the number of lanes, the share of rows that moved last, and the
    /// dual objective when it was last known.
    #[must_use]
    pub(crate) fn memory(&self) -> (u32, f64, f64) {
        (self.lanes.len() as u32, self.moving, self.dual)
    }

    /// Takes over such a memory.
    pub(crate) fn remember(&mut self, (lanes, moving, dual): (u32, f64, f64)) {
        self.lanes.truncate(lanes.max(1) as usize);
        (self.moving, self.dual) = (moving, dual);
    }

    /// The borders of the parts of the weights that threads change.
    #[must_use]
    pub(crate) fn cuts(&self) -> &[u32] {
        &self.cuts
    }

    /// Hears the dual objective. Rows solved one after the other never lower it: if it fell, lanes
    /// stood in each other's way, and from now on there are half as many.
    pub(crate) fn judge(&mut self, dual: f64) {
        if dual < self.dual - 1e-6 * self.dual.abs() {
            self.lanes.truncate((self.lanes.len() / 2).max(1));
        }
        self.dual = dual;
    }

    /// Visits `rows`, block by block and by class within a block. `each` hears what became of every
    /// row.
    pub(crate) fn sweep(
        &mut self,
        state: &mut State,
        rows: &[u32],
        steps: Steps,
        executor: &Executor,
        processor: Processor,
        mut each: impl FnMut(u32, f64, bool),
    ) -> Swept {
        let mut swept = Swept::default();
        let mut rest = rows;
        let first = self.take(&mut rest);
        let mut block = Block::new(&state.problem, &state.duals, first, self.lanes.len());
        while !block.rows.is_empty() {
            let parts = block.parts();
            let frozen = &*state;
            let items = self.lanes.iter_mut().zip(parts.iter().copied());
            let items: Vec<(&mut Lane, &[u32])> = items.collect();
            executor.map_items(items, |_, (lane, rows)| {
                processor.run(RunLane {
                    lane,
                    state: frozen,
                    rows,
                    steps,
                });
            });
            let mut moved = 0;
            for (lane, rows) in self.lanes.iter().zip(&parts) {
                for (visited, &row) in lane.visited.iter().zip(*rows) {
                    swept.gap += visited.gap;
                    moved += usize::from(visited.moved);
                    each(row, visited.gap, visited.moved);
                }
            }
            swept.visited += block.rows.len();
            swept.moved += moved;
            self.moving = moved as f64 / block.rows.len() as f64;
            let next = self.take(&mut rest);
            let lanes = &self.lanes[..parts.len()];
            block = apply(state, (lanes, next), &self.cuts, executor, processor);
        }
        swept
    }

    /// Takes the rows of the next block.
    fn take<'a>(&self, rest: &mut &'a [u32]) -> &'a [u32] {
        let length = ((MOVES / self.moving.max(1e-9)) as usize).clamp(ROWS.0, ROWS.1);
        rest.split_off(..rest.len().min(length)).unwrap_or_default()
    }
}

/// Rows that are visited side by side, those of each lane after those of the one before.
#[derive(Debug, Default)]
struct Block {
    rows: Vec<u32>,
    /// Where those of each lane end.
    ends: Vec<usize>,
}

impl Block {
    /// Cuts rows into as many lanes as there are, which take about equally long.
    fn new(problem: &Problem, duals: &[RowDuals], rows: &[u32], lanes: usize) -> Self {
        let mut rows = rows.to_vec();
        // Rows of one class move its weights the same way: those of one lane see each other's
        // moves.
        if lanes > 1 {
            rows.sort_by_key(|&row| problem.class(row as usize));
        }
        let ends = equal_runs(&rows, |row| visit_time(problem, duals, row), lanes);
        Self { rows, ends }
    }

    /// The rows of each lane.
    fn parts(&self) -> Vec<&[u32]> {
        let mut start = 0;
        let ends = self.ends.iter();
        ends.map(|&end| &self.rows[mem::replace(&mut start, end)..end])
            .collect()
    }
}

/// About how many nanoseconds a visit of a row takes, as measured: 3 for each value and class, 12
/// more for each value, and 600.
fn visit_time(problem: &Problem, duals: &[RowDuals], row: u32) -> u64 {
    let values = problem.row(row as usize).features.len() as u64;
    let classes = duals[row as usize].classes.len() as u64;
    3 * values * (classes + 5) + 600
}

/// Where so many runs of rows end that take about equally long.
fn equal_runs(rows: &[u32], time: impl Fn(u32) -> u64, runs: usize) -> Vec<usize> {
    let mut total = 0;
    let middles = rows.iter().map(|&row| {
        let own = time(row);
        total += own;
        total - own / 2
    });
    let middles: Vec<u64> = middles.collect();
    let runs = runs as u64;
    let end = |run: u64| middles.partition_point(|middle| middle * runs <= total * run);
    (1..=runs).map(end).collect()
}

/// A part of what is done between two runs of the lanes.
enum Work<'a> {
    /// Changing weights.
    Change(Shard<'a>),
    /// Cutting the next block.
    Cut,
}

/// Writes what lanes changed into weights and duals, and returns the block of the next rows.
fn apply(
    state: &mut State,
    (lanes, next): (&[Lane], &[u32]),
    cuts: &[u32],
    executor: &Executor,
    processor: Processor,
) -> Block {
    let State {
        problem,
        duals,
        weights,
        ..
    } = state;
    let (problem, rows) = (&*problem, &duals[..]);
    let shards = weights.shards(cuts).into_iter().map(Work::Change);
    let blocks = executor.map_items(shards.chain([Work::Cut]).collect(), |_, work| match work {
        Work::Change(mut shard) => {
            for lane in lanes {
                processor.run(ApplyChanges {
                    shard: &mut shard,
                    changes: &lane.changes,
                    problem,
                    duals: rows,
                });
            }
            None
        }
        Work::Cut => Some(Block::new(problem, rows, next, lanes.len())),
    });
    for lane in lanes {
        let mut start = 0;
        for &(number, _, end) in &lane.changes.rows {
            let new = &lane.changes.alphas[start..end as usize];
            start = end as usize;
            let duals = &mut duals[number as usize];
            let (alphas, rest) = new.split_at(duals.alphas.len());
            duals.alphas.copy_from_slice(alphas);
            (duals.shared, duals.total) = (rest[0], rest[1]);
        }
    }
    blocks.into_iter().flatten().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Block, equal_runs};
    use crate::random::Stream;
    use alloc::vec::Vec;

    #[test]
    fn runs_follow_each_other_and_none_takes_much_longer_than_its_share() {
        let mut stream = Stream::new(3, 1);
        for count in [0, 1, 5, 300] {
            let rows: Vec<u32> = (0..count).collect();
            let times: Vec<u64> = rows.iter().map(|_| 1 + stream.below(50)).collect();
            let time = |row: u32| times[row as usize];
            for runs in 1..6 {
                let ends = equal_runs(&rows, time, runs);
                let rows = rows.clone();
                let block = Block { rows, ends };
                let cut = block.parts();
                assert_eq!((cut.len(), cut.concat()), (runs, block.rows.clone()));
                let share = times.iter().sum::<u64>() / runs as u64;
                for run in cut {
                    let sum: u64 = run.iter().map(|&row| time(row)).sum();
                    assert!(sum <= share + 51, "{sum} of {share}");
                }
            }
        }
    }
}
