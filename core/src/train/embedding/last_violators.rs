//! Classes too confusable to learn from: rows whose violator was the last one of their class, too,
//! are ignored.
//!
//! Every class remembers the violator of its last step. A row of class `y` is ignored if one of the
//! first Q classes of the chain `LV[y], LV[LV[y]], …` violates its margin. The chain ends where a
//! class has no last violator, at a class the row carries (`y` itself among them), and where it
//! bites its tail. Without those ends two classes that are each other's last violator would never
//! learn again: the chain would come back to `y`, which violates every margin above 0.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// No class.
const NONE: u32 = u32::MAX;

/// The last violator of each class. Memory: 4 bytes a class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LastViolators(Vec<u32>);

impl LastViolators {
    /// No class has one yet.
    #[must_use]
    pub(crate) fn new(classes: usize) -> Self {
        Self(alloc::vec![NONE; classes])
    }

    /// Whether these are the last violators of so many classes.
    #[must_use]
    pub(crate) fn fit(&self, classes: usize) -> bool {
        let known = |&last: &u32| last == NONE || (last as usize) < classes;
        self.0.len() == classes && self.0.iter().all(known)
    }

    /// The last violator of `class`, if it has one.
    #[must_use]
    pub(crate) fn of(&self, class: u32) -> Option<u32> {
        self.0
            .get(class as usize)
            .copied()
            .filter(|&last| last != NONE)
    }

    /// Remembers the violator of a step of `class`, or that there was none.
    pub(crate) fn set(&mut self, class: u32, violator: Option<u32>) {
        if let Some(last) = self.0.get_mut(class as usize) {
            *last = violator.unwrap_or(NONE);
        }
    }

    /// Whether a row of class `positive` that carries `labels` (rising) is to be ignored: whether
    /// one of the first `links` classes of the chain violates its margin, which `violates` says of
    /// a class.
    pub(crate) fn ignore(
        &self,
        positive: u32,
        labels: &[u32],
        links: u32,
        mut violates: impl FnMut(u32) -> bool,
    ) -> bool {
        // Chains are short; a step of Brent's would save comparisons only from hundreds of links
        // on.
        let mut seen: [u32; 8] = [NONE; 8];
        let mut class = positive;
        for link in 0..links as usize {
            let Some(next) = self.of(class) else {
                return false;
            };
            if labels.binary_search(&next).is_ok()
                || seen.contains(&next)
                || (link >= seen.len() && self.walked(positive, link, next))
            {
                return false;
            }
            if violates(next) {
                return true;
            }
            if let Some(place) = seen.get_mut(link) {
                *place = next;
            }
            class = next;
        }
        false
    }

    /// Whether `class` is among the first `links` of the chain.
    fn walked(&self, positive: u32, links: usize, class: u32) -> bool {
        let mut at = positive;
        (0..links).any(|_| {
            at = self.of(at).unwrap_or(NONE);
            at == class
        })
    }
}

#[cfg(test)]
mod tests {
    use super::LastViolators;
    use crate::random::Stream;
    use alloc::vec::Vec;

    /// Class 0 with the violators of one row after the other: whether each is counted, and by which
    /// violator.
    fn counted(last: &mut LastViolators, violators: &[u32], pick: usize) -> Option<u32> {
        if last.ignore(0, &[0], 1, |class| violators.contains(&class)) {
            return None;
        }
        let found = violators.get(pick % violators.len().max(1)).copied();
        last.set(0, found);
        found
    }

    #[test]
    fn the_cats_of_table_1_come_row_by_row() {
        let (dog, pig) = (1, 2);
        let mut last = LastViolators::new(3);
        let rows: [(&[u32], Option<u32>, Option<u32>); 8] = [
            (&[dog, pig], Some(dog), Some(dog)),
            (&[dog, pig], None, Some(dog)),
            (&[dog], None, Some(dog)),
            (&[dog, pig], None, Some(dog)),
            (&[pig], Some(pig), Some(pig)),
            (&[], None, None),
            (&[dog], Some(dog), Some(dog)),
            (&[dog], None, Some(dog)),
        ];
        for (row, (violators, sampled, after)) in rows.into_iter().enumerate() {
            assert_eq!(counted(&mut last, violators, 0), sampled, "row {}", row + 1);
            assert_eq!(last.of(0), after, "after row {}", row + 1);
        }
    }

    #[test]
    fn proposition_1_says_how_many_confusions_count() {
        // The number counted of n draws with probability p: its mean is p + (n - 1) p (1 - p). Runs
        // alternate, so the exact distribution follows from a chain of two states; chi-squared
        // compares it.
        let (n, p, repetitions) = (12usize, 0.3, 40_000);
        let mut expected = [[0.0; 2]; 8];
        expected[0][0] = 1.0;
        for _ in 0..n {
            let mut next = [[0.0; 2]; 8];
            for (count, states) in expected.iter().enumerate() {
                next[count][0] += (states[0] + states[1]) * (1.0 - p);
                next[count][1] += states[1] * p;
                if let Some(more) = next.get_mut(count + 1) {
                    more[1] += states[0] * p;
                }
            }
            expected = next;
        }
        let mut dice = Stream::new(5, 0);
        let mut counts = [0u32; 8];
        for _ in 0..repetitions {
            let mut last = LastViolators::new(2);
            let found = (0..n).filter(|_| {
                let violators: &[u32] = if dice.unit() < p { &[1] } else { &[] };
                counted(&mut last, violators, 0).is_some()
            });
            counts[found.count()] += 1;
        }
        let total = f64::from(repetitions);
        let mean: f64 = (0..8)
            .map(|c| c as f64 * f64::from(counts[c]) / total)
            .sum();
        let exact = p + (n as f64 - 1.0) * p * (1.0 - p);
        assert!(
            (mean - exact).abs() < 0.02,
            "{mean} counted, {exact} expected"
        );
        let chi: f64 = (0..7)
            .map(|count| {
                let expected = total * (expected[count][0] + expected[count][1]);
                (f64::from(counts[count]) - expected).powi(2) / expected.max(1e-9)
            })
            .sum();
        assert!(
            chi < 27.9,
            "chi-squared {chi}: 6 degrees of freedom, p = 1e-4; {counts:?}"
        );
    }

    #[test]
    fn figure_3_has_its_stationary_distribution() {
        // Two possible violators g and h. None is the state after a row that violates nothing.
        for (pg, ph) in [(0.3, 0.6), (0.5, 0.5), (0.9, 0.2)] {
            let mut dice = Stream::new(6, 0);
            let mut last = LastViolators::new(3);
            let mut counts = [0f64; 3];
            let steps = 200_000;
            for _ in 0..steps {
                let mut violators: Vec<u32> = Vec::new();
                if dice.unit() < pg {
                    violators.push(1);
                }
                if dice.unit() < ph {
                    violators.push(2);
                }
                counted(&mut last, &violators, dice.below(2) as usize);
                counts[last.of(0).map_or(0, |class| class as usize)] += 1.0;
            }
            let none = (1.0 - pg) * (1.0 - ph);
            let stay = 1.0 - pg;
            let enter_g = none * pg * (1.0 - ph / 2.0);
            // pi_g (1 - p_g) = pi_none p_g (1 - p_h/2) + pi_h (1 - p_h) p_g, and the three add up
            // to 1.
            let pi_g = (enter_g + (1.0 - none) * (1.0 - ph) * pg) / (stay + (1.0 - ph) * pg);
            let pi_h = 1.0 - none - pi_g;
            for (count, expected) in counts.into_iter().zip([none, pi_g, pi_h]) {
                let share = count / f64::from(steps);
                assert!(
                    (share - expected).abs() < 0.01,
                    "{share} for {expected} at {pg}, {ph}"
                );
            }
        }
    }

    #[test]
    fn chains_end_at_own_labels_and_where_they_bite_their_tail() {
        let mut last = LastViolators::new(40);
        // Two classes that are each other's last violator.
        last.set(0, Some(1));
        last.set(1, Some(0));
        for links in 1..=8 {
            assert!(!last.ignore(0, &[0], links, |class| class == 0));
            assert!(last.ignore(0, &[0], links, |class| class == 1));
        }
        // A tail of 30 classes that runs into a circle of 9.
        (0..39).for_each(|class| last.set(class, Some(class + 1)));
        last.set(39, Some(31));
        let mut asked = Vec::new();
        let ignored = last.ignore(0, &[0], 10_000, |class| {
            asked.push(class);
            false
        });
        assert!(!ignored);
        assert!(asked.iter().copied().eq(1..40), "{asked:?}");
        let mut asked = 0;
        last.ignore(0, &[0, 5], 100, |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, 4, "class 5 is the row's own");
    }
}
