//! Which row each step sees.

use crate::parameters::memoir::{MemoirDraws, SeveralLabels};
use crate::{data::Dataset, random::Stream, train::TrainError};
use alloc::vec::Vec;

/// A row and the class it is drawn for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub row: u32,
    pub class: u32,
}

/// An endless sequence of pairs; see [`MemoirDraws`]. Memory: 8 bytes a pair, for balanced draws 4
/// more a class.
#[derive(Clone, Debug)]
pub(crate) struct Sequence {
    pairs: Vec<Pair>,
    /// Where the pairs of each class begin, for balanced draws, and where the last ends.
    starts: Vec<u32>,
    next: usize,
    pass: u64,
    seed: u64,
    stream: Stream,
}

/// Streams with job numbers from here on are of draws.
const DRAWS: u64 = 1 << 60;

/// Random numbers of a balanced draw: one for the class, one for its row.
const CALLS: u64 = 2;

impl Sequence {
    /// MemoirDraws of the rows of `data` that have a feature and a label.
    pub(crate) fn new(
        data: &Dataset,
        draws: MemoirDraws,
        several: SeveralLabels,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let mut pairs = pairs(data, several)?;
        let mut starts = Vec::new();
        let mut seen: Vec<u32> = pairs.iter().map(|pair| pair.class).collect();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() < 2 {
            let labels = seen.len() as u32;
            return Err(TrainError::TooFewLabels {
                labels: u64::from(labels),
            });
        }
        if draws == MemoirDraws::Balanced {
            pairs.sort_unstable_by_key(|pair| (pair.class, pair.row));
            let first = |at: &usize| *at == 0 || pairs[*at].class != pairs[*at - 1].class;
            starts = (0..pairs.len()).filter(first).map(|at| at as u32).collect();
            starts.push(pairs.len() as u32);
        }
        Ok(Self {
            next: pairs.len(),
            pairs,
            starts,
            pass: 0,
            seed,
            stream: Stream::new(seed, DRAWS),
        })
    }

    /// Number of pairs: draws of one pass.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// All pairs, in no particular order.
    pub(crate) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Where the stream of balanced draws is.
    pub(crate) fn position(&self) -> u64 {
        self.stream.position()
    }

    /// Goes from the beginning to where `draws` draws have been made.
    pub(crate) fn go_to(&mut self, draws: u64) {
        if !self.starts.is_empty() {
            self.stream.skip(draws.wrapping_mul(CALLS));
            return;
        }
        let length = self.pairs.len() as u64;
        let passes = draws.div_ceil(length);
        while self.pass < passes {
            self.pass += 1;
            Stream::new(self.seed, DRAWS + self.pass).shuffle(&mut self.pairs);
        }
        if let Some(before) = passes.checked_sub(1) {
            self.next = (draws - before * length) as usize;
        }
    }

    pub(crate) fn draw(&mut self) -> Pair {
        if !self.starts.is_empty() {
            let class = self.stream.below(self.starts.len() as u64 - 1) as usize;
            let (start, end) = (self.starts[class], self.starts[class + 1]);
            let at = start + self.stream.below(u64::from(end - start)) as u32;
            return self.pairs[at as usize];
        }
        if self.next == self.pairs.len() {
            self.pass += 1;
            Stream::new(self.seed, DRAWS + self.pass).shuffle(&mut self.pairs);
            self.next = 0;
        }
        self.next += 1;
        self.pairs[self.next - 1]
    }
}

fn pairs(data: &Dataset, several: SeveralLabels) -> Result<Vec<Pair>, TrainError> {
    let total = match several {
        SeveralLabels::Replicate => data.labels().total(),
        _ => data.len(),
    };
    let mut pairs = Vec::new();
    pairs
        .try_reserve_exact(total)
        .map_err(|_| TrainError::OutOfMemory {
            bytes: 8 * total as u64,
        })?;
    for (row, (view, labels)) in data.rows().iter().zip(data.labels().iter()).enumerate() {
        if labels.len() > 1 && several == SeveralLabels::Refuse {
            let (row, labels) = (row as u64 + 1, labels.len() as u64);
            return Err(TrainError::NotOneLabel { row, labels });
        }
        if view.is_empty() {
            continue;
        }
        let most = if several == SeveralLabels::Replicate {
            labels.len()
        } else {
            1
        };
        let row = row as u32;
        pairs.extend(labels.iter().take(most).map(|&class| Pair { row, class }));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::{MemoirDraws, Sequence, SeveralLabels};
    use crate::{
        data::{Dataset, LabelLists},
        sparse::{SparseRows, SparseView},
        train::TrainError,
    };

    fn data() -> Dataset {
        let mut rows = SparseRows::new(2);
        let mut lists = LabelLists::new(3);
        for row in 0..20u32 {
            if row == 7 {
                rows.push(SparseView::default()).unwrap();
            } else {
                rows.push(SparseView::new(&[0], &[1.0]).unwrap()).unwrap();
            }
            match row {
                5 => lists.push([0, 2]),
                6 => lists.push([]),
                _ => lists.push([u32::from(row >= 16)]),
            }
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    #[test]
    fn uniform_draws_see_every_usable_row_once_a_pass_the_first_of_a_batch_included() {
        let mut draws =
            Sequence::new(&data(), MemoirDraws::Uniform, SeveralLabels::First, 3).unwrap();
        assert_eq!(draws.len(), 18);
        for _ in 0..3 {
            let mut rows: alloc::vec::Vec<u32> = (0..18).map(|_| draws.draw().row).collect();
            rows.sort_unstable();
            rows.dedup();
            assert_eq!(rows.len(), 18);
            assert!(!rows.contains(&6) && !rows.contains(&7));
        }
    }

    #[test]
    fn balanced_draws_see_every_class_equally_often() {
        let mut draws =
            Sequence::new(&data(), MemoirDraws::Balanced, SeveralLabels::Replicate, 3).unwrap();
        let mut counts = [0u32; 3];
        for _ in 0..30_000 {
            counts[draws.draw().class as usize] += 1;
        }
        // A standard deviation is 82.
        assert!(
            counts.iter().all(|c| c.abs_diff(10_000) < 400),
            "{counts:?}"
        );
    }

    #[test]
    fn going_to_a_place_is_drawing_up_to_it() {
        for way in [MemoirDraws::Uniform, MemoirDraws::Balanced] {
            let new = || Sequence::new(&data(), way, SeveralLabels::First, 3).unwrap();
            for draws in [0, 1, 17, 18, 19, 36, 1000] {
                let (mut drawn, mut gone) = (new(), new());
                (0..draws).for_each(|_| {
                    drawn.draw();
                });
                gone.go_to(draws);
                assert_eq!(drawn.position(), gone.position());
                for _ in 0..40 {
                    assert_eq!(drawn.draw(), gone.draw(), "{draws} of {way:?}");
                }
            }
        }
    }

    #[test]
    fn rows_of_several_labels_are_refused_by_name() {
        let refused = Sequence::new(&data(), MemoirDraws::Uniform, SeveralLabels::Refuse, 3);
        assert_eq!(
            refused.err(),
            Some(TrainError::NotOneLabel { row: 6, labels: 2 })
        );
    }
}
