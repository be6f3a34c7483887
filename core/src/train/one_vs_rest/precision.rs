//! How precise answers are on held-out rows, in one number.

use crate::search::Scored;

/// Right answers among the first 1, 3 and 5.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Precision {
    hits: [u64; 3],
    rows: u64,
}

impl Precision {
    const DEPTHS: [usize; 3] = [1, 3, 5];

    /// Counts the answers to a row, best first, whose labels are `truth`.
    pub(super) fn count(&mut self, best: &[Scored], truth: &[u32]) {
        for (rank, scored) in best.iter().enumerate() {
            if truth.binary_search(&scored.id).is_ok() {
                let depths = self.hits.iter_mut().zip(Self::DEPTHS);
                depths
                    .filter(|(_, depth)| rank < *depth)
                    .for_each(|(hits, _)| *hits += 1);
            }
        }
        self.rows += 1;
    }

    /// Those of both.
    pub(super) fn and(mut self, other: Self) -> Self {
        for (hits, more) in self.hits.iter_mut().zip(other.hits) {
            *hits += more;
        }
        self.rows += other.rows;
        self
    }

    /// Number of rows counted.
    pub(super) fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The mean of the three precisions.
    pub(super) fn mean(&self) -> f64 {
        let shares = self.hits.iter().zip(Self::DEPTHS);
        let sum: f64 = shares
            .map(|(&hits, depth)| hits as f64 / (depth as u64 * self.rows.max(1)) as f64)
            .sum();
        sum / 3.0
    }

    /// The share of rows whose first answer is right.
    pub(super) fn at_1(&self) -> f64 {
        self.hits[0] as f64 / self.rows.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Precision;
    use crate::search::Scored;

    #[test]
    fn answers_count_by_their_rank() {
        let answer = |id| Scored { id, score: 0.0 };
        let mut precision = Precision::default();
        precision.count(&[answer(4), answer(1), answer(2)], &[2, 4]);
        assert_eq!(precision.hits, [1, 2, 2]);
        precision.count(&[], &[2]);
        let both = precision.and(precision);
        assert_eq!((both.rows(), both.at_1()), (4, 0.5));
        let mean = (0.5 + 2.0 / 6.0 + 2.0 / 10.0) / 3.0;
        assert!((both.mean() - mean).abs() < 1e-12);
    }
}
