//! Thresholds of probability, and what they are worth.

use super::Calibrated;
use crate::{model::Calibration, search::Scored};
use alloc::vec::Vec;

/// Thresholds are multiples of this part.
const PARTS: u32 = 200;

/// Answers by their probability.
pub(super) struct Thresholds {
    /// Probability, label, whether it is right.
    answers: Vec<(f32, u32, bool)>,
    /// The same of each row's first.
    first: Vec<(f32, u32, bool)>,
    rows: usize,
    /// Rows that carry each label.
    truth: Vec<u32>,
}

/// What has been counted of one label: rows that carry it, answers, and right ones.
struct Label {
    rows: u32,
    right: u32,
    given: u32,
}

impl Label {
    fn f1(&self) -> f64 {
        f1(self.right.into(), self.given.into(), self.rows.into())
    }
}

/// `2 right / (given + carried)`, 0 if there are none.
fn f1(right: u64, given: u64, carried: u64) -> f64 {
    match given + carried {
        0 => 0.0,
        sizes => 2.0 * right as f64 / sizes as f64,
    }
}

impl Thresholds {
    pub(super) fn new(truth: &[u32]) -> Self {
        Self {
            answers: Vec::new(),
            first: Vec::new(),
            rows: 0,
            truth: truth.to_vec(),
        }
    }

    /// Adds a row's answers: probability, label, whether it is right.
    pub(super) fn push<'a>(&mut self, row: impl Iterator<Item = ((f32, &'a Scored), &'a bool)>) {
        let before = self.answers.len();
        self.answers
            .extend(row.map(|((probability, scored), &right)| (probability, scored.id, right)));
        self.first.extend(self.answers.get(before));
        self.rows += 1;
    }

    /// Puts the best thresholds into `calibration`; of equally good ones that follow each
    /// other the middle one.
    pub(super) fn choose(mut self, calibration: &mut Calibration) -> Calibrated {
        for answers in [&mut self.answers, &mut self.first] {
            // The order of equal ones changes no count at a threshold.
            answers.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        let (mut micro, mut mean) = (Best::default(), Best::default());
        let carried = self.truth.iter().map(|&rows| u64::from(rows)).sum();
        let none = |&rows: &u32| Label {
            rows,
            right: 0,
            given: 0,
        };
        let mut labels: Vec<Label> = self.truth.iter().map(none).collect();
        let mut occurring = self.truth.iter().filter(|&&rows| rows > 0).count();
        let (mut right, mut at, mut sum) = (0, 0, 0.0);
        for (part, end) in steps(&self.answers) {
            for &(_, label, is_right) in &self.answers[at..end] {
                let Some(label) = labels.get_mut(label as usize) else {
                    continue;
                };
                let before = label.f1();
                occurring += usize::from(label.rows == 0 && label.given == 0);
                label.given += 1;
                label.right += u32::from(is_right);
                right += u64::from(is_right);
                sum += label.f1() - before;
            }
            at = end;
            micro.hear(f1(right, end as u64, carried), part);
            mean.hear(sum / occurring.max(1) as f64, part);
        }
        let mut answered = Best::default();
        for (part, end) in steps(&self.first) {
            let right = self.first[..end].iter().filter(|first| first.2).count();
            answered.hear(f1(right as u64, end as u64, self.rows as u64), part);
        }
        calibration.micro_f1 = micro.threshold();
        calibration.macro_f1 = mean.threshold();
        calibration.abstain = answered.threshold();
        let abstain = calibration.abstain;
        let sure = &self.first[..self.first.partition_point(|first| first.0 >= abstain)];
        let right = sure.iter().filter(|first| first.2).count();
        Calibrated {
            rows: self.rows,
            micro_f1: micro.value,
            macro_f1: mean.value,
            answered: sure.len() as f64 / self.rows.max(1) as f64,
            accuracy: right as f64 / sure.len().max(1) as f64,
        }
    }
}

/// The best value so far, and the run of thresholds that have it.
struct Best {
    value: f64,
    high: u32,
    low: u32,
    /// Whether the last threshold had it, too.
    open: bool,
}

impl Default for Best {
    fn default() -> Self {
        Self {
            value: -1.0,
            high: PARTS,
            low: PARTS,
            open: false,
        }
    }
}

impl Best {
    /// Takes note of the value of a threshold below all earlier ones.
    fn hear(&mut self, value: f64, part: u32) {
        if value > self.value {
            (self.value, self.high, self.low, self.open) = (value, part, part, true);
        } else if self.open && value >= self.value {
            self.low = part;
        } else {
            self.open = false;
        }
    }

    fn threshold(&self) -> f32 {
        ((self.high + self.low) / 2) as f32 / PARTS as f32
    }
}

/// Thresholds as parts of 1, from high to low, and how many of these answers, which fall, have at
/// least each.
fn steps(answers: &[(f32, u32, bool)]) -> impl Iterator<Item = (u32, usize)> {
    (1..PARTS).rev().map(|part| {
        let threshold = part as f32 / PARTS as f32;
        let reaching = answers.partition_point(|answer| answer.0 >= threshold);
        (part, reaching)
    })
}

#[cfg(test)]
mod tests {
    use super::{PARTS, Thresholds};
    use crate::{model::calibration::tests::calibration, random::Stream, search::Scored};
    use alloc::{collections::BTreeSet, vec, vec::Vec};

    /// The labels of a row, and its answers with their probabilities.
    type TwinRow = (Vec<u32>, Vec<(f32, u32)>);

    /// The twin counts every threshold anew.
    #[test]
    fn thresholds_are_those_that_counting_anew_finds() {
        let mut dice = Stream::new(9, 0);
        let labels = 7;
        let mut rows: Vec<TwinRow> = Vec::new();
        for _ in 0..120 {
            let truth: BTreeSet<u32> = (0..2).map(|_| dice.below(5) as u32).collect();
            let mut p = dice.unit() as f32;
            let answers = (0..4).map(|at| {
                let label = (at + dice.below(2) as u32 * 3) % labels;
                p *= 0.5 + 0.5 * dice.unit() as f32;
                (p, label)
            });
            let mut seen = BTreeSet::new();
            let answers = answers.filter(|(_, label)| seen.insert(*label)).collect();
            rows.push((truth.into_iter().collect(), answers));
        }
        let mut truth = vec![0; labels as usize];
        rows.iter()
            .flat_map(|row| &row.0)
            .for_each(|&l| truth[l as usize] += 1);
        let mut thresholds = Thresholds::new(&truth);
        for (truth, answers) in &rows {
            let scored: Vec<Scored> = answers
                .iter()
                .map(|&(p, id)| Scored { id, score: p })
                .collect();
            let right: Vec<bool> = answers.iter().map(|(_, id)| truth.contains(id)).collect();
            thresholds.push(answers.iter().map(|a| a.0).zip(&scored).zip(&right));
        }
        let mut found = calibration();
        let told = thresholds.choose(&mut found);
        let at = |threshold: f32| {
            let mut counts = vec![(0u32, 0u32, 0u32); labels as usize];
            let (mut answered, mut accurate) = (0.0, 0.0);
            for (truth, answers) in &rows {
                truth.iter().for_each(|&l| counts[l as usize].2 += 1);
                for (place, &(p, label)) in answers.iter().enumerate() {
                    if p >= threshold {
                        let right = truth.contains(&label);
                        counts[label as usize].0 += u32::from(right);
                        counts[label as usize].1 += 1;
                        answered += if place == 0 { 1.0 } else { 0.0 };
                        accurate += if place == 0 && right { 1.0 } else { 0.0 };
                    }
                }
            }
            let f1 = |c: (u32, u32, u32)| f64::from(2 * c.0) / f64::from((c.1 + c.2).max(1));
            let sum = counts
                .iter()
                .fold((0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
            let of: Vec<f64> = counts
                .iter()
                .filter(|c| c.1 + c.2 > 0)
                .map(|&c| f1(c))
                .collect();
            let rows = rows.len() as f64;
            let alone = 2.0 * accurate / (answered + rows);
            (
                f1(sum),
                of.iter().sum::<f64>() / of.len() as f64,
                alone,
                answered / rows,
            )
        };
        assert!((at(found.micro_f1).0 - told.micro_f1).abs() < 1e-12);
        assert!((at(found.macro_f1).1 - told.macro_f1).abs() < 1e-12);
        assert_eq!(at(found.abstain).3, told.answered);
        for part in 1..PARTS {
            let (micro, mean, alone, _) = at(part as f32 / PARTS as f32);
            assert!(micro <= told.micro_f1 + 1e-12 && mean <= told.macro_f1 + 1e-12);
            assert!(alone <= at(found.abstain).2 + 1e-12);
        }
    }
}
