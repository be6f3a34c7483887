//! Scores as probabilities.
//!
//! # Problem
//! The score of an answer ranks it, and means nothing beside another row's. Three curves turn the
//! scores `s_1 >= s_2 >= …` of a row's answers into probabilities:
//!
//! ```text
//! first(s_1, s_1 - s_2)            that the first answer is right
//! later(s_r, s_1 - s_r, ln r)      that answer r > 1 is right; at most the one before it
//! none(s_1, s_1 - s_2)             that none of the first five answers is right
//! curve(x) = 1 / (1 + exp(-q(u))),  u_i = 2 (x_i - low_i) / (high_i - low_i) - 1, cut to [-1, 1]
//! ```
//!
//! where `q` is a polynomial of degree 2. They are logistic regressions (Platt, 1999) on held-out
//! rows; beyond the scores that were seen there, the curves are flat. Of nearest neighbors, whose
//! scores are votes that differ by orders of magnitude, the curves see logarithms: `ln s` in place
//! of `s`, which is taken to be at least 1e-6, and differences of at most 5. A score of `f32::MIN`,
//! which labels without training rows have, is never right. Where there is no second answer its
//! score counts as 0.
//!
//! The form was chosen on held-out training rows of 12 sets, by log loss and calibration error of
//! rows not fitted: scores alone, margins alone, both, powers of them, shares of a softmax, and
//! isotonic regression over each. See `benches/record/calibration.md`.
//!
//! Cost: 39 numbers in the file, or 40; an `exp` and at most 20 products for each answer.

use crate::{float, search::Scored};
use alloc::vec::Vec;

/// Numbers of a calibration in a model file; one more, 1, where [`Scale`] is logarithmic.
pub(crate) const NUMBERS: usize = 39;

/// The largest weight of a curve: beyond it every probability is 0 or 1.
pub(crate) const MOST_WEIGHT: f32 = 1e4;

/// What turns the scores of a model into probabilities, and the probabilities from which an answer
/// is worth giving.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Calibration {
    /// The probability from which answers give the best micro-F1.
    pub micro_f1: f32,
    /// The probability from which answers give the best macro-F1.
    pub macro_f1: f32,
    /// The probability of the first answer from which rows are worth answering: the F1 of the
    /// answered share of rows and the rightly answered share is best.
    pub abstain: f32,
    pub(crate) first: Curve<2>,
    pub(crate) later: Curve<3>,
    pub(crate) none: Curve<2>,
    pub(crate) scale: Scale,
}

/// What the curves see of scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Scale {
    /// The scores themselves.
    #[default]
    Linear,
    /// Logarithms of votes.
    Logarithmic,
}

/// The least vote whose logarithm is seen.
const LEAST_VOTE: f64 = 1e-6;

/// The largest difference of logarithms that is seen: one to 148.
const MOST_RATIO: f64 = 5.0;

impl Scale {
    /// What the curves of a row's first answer look at, scores best first.
    pub(crate) fn row_inputs(self, best: &[Scored]) -> Option<[f64; 2]> {
        let first = best.first().filter(|first| first.score > f32::MIN)?;
        let second = best.get(1).filter(|second| second.score > f32::MIN);
        Some(self.inputs(first.score, second.map_or(0.0, |second| second.score)))
    }

    /// What the curve of later answers looks at: `place` is 1 for the second answer.
    pub(crate) fn later_inputs(self, best: &[Scored], place: usize) -> [f64; 3] {
        let [first, margin] = self.inputs(best[0].score, best[place].score);
        let score = match self {
            Self::Linear => f64::from(best[place].score),
            Self::Logarithmic => first - margin,
        };
        [score, margin, float::ln((place + 1) as f64)]
    }

    /// A score, and how far another lies below it.
    fn inputs(self, score: f32, other: f32) -> [f64; 2] {
        let [score, other] = [score, other].map(f64::from);
        match self {
            Self::Linear => [score, score - other],
            Self::Logarithmic => {
                let [score, other] = [score, other].map(|vote| float::ln(vote.max(LEAST_VOTE)));
                [score, f64::min(score - other, MOST_RATIO)]
            }
        }
    }
}

/// A logistic regression on all products of up to two inputs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Curve<const N: usize> {
    /// The least of each input that was seen.
    pub low: [f32; N],
    /// The largest.
    pub high: [f32; N],
    /// One for each of [`Curve::terms`].
    pub weights: Vec<f32>,
}

impl<const N: usize> Curve<N> {
    /// Terms of the polynomial.
    pub(crate) const TERMS: usize = (N + 1) * (N + 2) / 2;

    /// 1, the inputs in units of their ranges, and their products: `TERMS` numbers.
    pub(crate) fn terms(&self, inputs: [f64; N], mut each: impl FnMut(usize, f64)) {
        let mut units = [0.0; N];
        for at in 0..N {
            let (low, high) = (f64::from(self.low[at]), f64::from(self.high[at]));
            let share = (inputs[at].clamp(low, high) - low) / (high - low).max(f64::MIN_POSITIVE);
            units[at] = 2.0 * share - 1.0;
        }
        each(0, 1.0);
        let mut term = 1;
        for (at, &unit) in units.iter().enumerate() {
            each(term, unit);
            term += 1;
            for &other in &units[at..] {
                each(term, unit * other);
                term += 1;
            }
        }
    }

    fn probability(&self, inputs: [f64; N]) -> f32 {
        let mut sum = 0.0;
        self.terms(inputs, |term, value| {
            sum += f64::from(self.weights[term]) * value;
        });
        logistic(sum) as f32
    }

    fn put(&self, numbers: &mut Vec<f32>) {
        numbers.extend(self.low);
        numbers.extend(self.high);
        numbers.extend(&self.weights);
    }

    fn take(numbers: &mut impl Iterator<Item = f32>) -> Option<Self> {
        let mut curve = Self {
            low: [0.0; N],
            high: [0.0; N],
            weights: Vec::new(),
        };
        for number in curve.low.iter_mut().chain(&mut curve.high) {
            *number = numbers.next()?;
        }
        curve.weights.extend(numbers.take(Self::TERMS));
        (curve.weights.len() == Self::TERMS).then_some(curve)
    }

    /// The place of the first number, in the order of [`Curve::put`], that breaks a rule.
    fn wrong(&self) -> Option<usize> {
        let ranges = (0..2 * N).find(|&at| match at < N {
            true => !self.low[at].is_finite(),
            false => !self.high[at - N].is_finite() || self.high[at - N] < self.low[at - N],
        });
        let weight = |weight: &f32| !(-MOST_WEIGHT..=MOST_WEIGHT).contains(weight);
        ranges.or_else(|| Some(2 * N + self.weights.iter().position(weight)?))
    }
}

/// 1 / (1 + exp(-z)).
pub(crate) fn logistic(z: f64) -> f64 {
    1.0 / (1.0 + float::exp(-z))
}

impl Calibration {
    /// The probability of each answer of a row to be right, in the order of `best`, which are the
    /// model's answers, best first: two or more, unless the model gives fewer. They never rise.
    ///
    /// ```no_run
    /// # use hapax_core::{model::{Model, Scratch}, sparse::SparseView};
    /// # fn ask(model: &Model, row: SparseView<'_>) -> Result<(), Box<dyn core::error::Error>> {
    /// let mut scratch = Scratch::default();
    /// let best = model.predict(row, 5, &mut scratch)?;
    /// if let Some(calibration) = model.calibration() {
    ///     let mut probabilities = calibration.probabilities(best);
    ///     let worth_it = probabilities.filter(|&p| p >= calibration.micro_f1).count();
    ///     let suggested = &best[..worth_it];
    /// }
    /// # Ok(()) }
    /// ```
    pub fn probabilities<'a>(&'a self, best: &'a [Scored]) -> impl Iterator<Item = f32> + 'a {
        let first = self
            .scale
            .row_inputs(best)
            .map(|inputs| self.first.probability(inputs));
        let mut last = first.unwrap_or(0.0);
        (0..best.len()).map(move |place| {
            if best[place].score <= f32::MIN {
                last = 0.0;
            } else if place > 0 {
                let inputs = self.scale.later_inputs(best, place);
                last = self.later.probability(inputs).min(last);
            }
            last
        })
    }

    /// The probability that none of a row's first five answers is right; `best` as for
    /// [`Calibration::probabilities`].
    #[must_use]
    pub fn none(&self, best: &[Scored]) -> f32 {
        let inputs = self.scale.row_inputs(best);
        inputs.map_or(1.0, |inputs| self.none.probability(inputs))
    }

    /// The numbers of the file.
    pub(crate) fn numbers(&self) -> Vec<f32> {
        let mut numbers = Vec::with_capacity(NUMBERS + 1);
        numbers.extend([self.micro_f1, self.macro_f1, self.abstain]);
        self.first.put(&mut numbers);
        self.later.put(&mut numbers);
        self.none.put(&mut numbers);
        if self.scale == Scale::Logarithmic {
            numbers.push(1.0);
        }
        numbers
    }

    /// The calibration of a file's numbers, or the place of the first that breaks a rule.
    pub(crate) fn from_numbers(numbers: &[f32]) -> Result<Self, usize> {
        let mut rest = numbers.iter().copied();
        let read = (|| {
            Some(Self {
                micro_f1: rest.next()?,
                macro_f1: rest.next()?,
                abstain: rest.next()?,
                first: Curve::take(&mut rest)?,
                later: Curve::take(&mut rest)?,
                none: Curve::take(&mut rest)?,
                scale: match rest.next() {
                    None => Scale::Linear,
                    Some(1.0) => Scale::Logarithmic,
                    Some(_) => return None,
                },
            })
        })();
        let read = read.ok_or(NUMBERS)?;
        let (later, none) = (3 + 10, 3 + 10 + 16);
        let threshold = |number: &f32| !(0.0..=1.0).contains(number);
        let wrong = numbers[..3].iter().position(threshold);
        let wrong = wrong.or_else(|| Some(3 + read.first.wrong()?));
        let wrong = wrong.or_else(|| Some(later + read.later.wrong()?));
        let wrong = wrong.or_else(|| Some(none + read.none.wrong()?));
        wrong.map_or(Ok(read), Err)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{Calibration, Curve, MOST_WEIGHT, NUMBERS, Scale};
    use crate::search::Scored;
    use alloc::{vec, vec::Vec};

    pub(crate) fn calibration() -> Calibration {
        let row = |weights: [f32; 6]| Curve {
            low: [-1.0, 0.0],
            high: [1.0, 2.0],
            weights: weights.to_vec(),
        };
        Calibration {
            micro_f1: 0.375,
            macro_f1: 0.25,
            abstain: 0.5,
            first: row([0.5, 2.0, 0.25, 0.125, 1.0, -0.25]),
            later: Curve {
                low: [-1.0, 0.0, 0.5],
                high: [1.0, 2.0, 3.5],
                weights: vec![-1.0, 2.0, 0.5, 0.0, 0.25, -1.0, 0.0, 0.5, -0.5, 0.125],
            },
            none: row([-1.0, -2.0, 0.0, 0.5, -1.0, 0.25]),
            scale: Scale::Linear,
        }
    }

    fn scored(scores: &[f32]) -> Vec<Scored> {
        let ids = (0..).zip(scores);
        ids.map(|(id, &score)| Scored { id, score }).collect()
    }

    /// The polynomial written out.
    #[test]
    fn probabilities_are_the_logistic_of_the_polynomial() {
        let calibration = calibration();
        let best = scored(&[0.5, 0.25, -0.5]);
        let found: Vec<f32> = calibration.probabilities(&best).collect();
        let sigma = |z: f64| 1.0 / (1.0 + libm::exp(-z));
        // 0.5 is at half of [-1, 1], 0.25 at -0.75 of [0, 2].
        let (a, b) = (0.5, 0.25 - 1.0);
        let first = 0.5 + 2.0 * a + 0.25 * a * a + 0.125 * a * b + b - 0.25 * b * b;
        assert_eq!(found[0], sigma(first) as f32);
        let none = -1.0 - 2.0 * a + 0.5 * a * b - b + 0.25 * b * b;
        assert_eq!(calibration.none(&best), sigma(none) as f32);
        let (a, b) = (-0.5, 0.0);
        let c = 2.0 * (libm::log(3.0) - 0.5) / 3.0 - 1.0;
        let third = -1.0 + 2.0 * a + 0.5 * a * a + 0.0 * a * b + 0.25 * a * c - b
            + 0.0 * b * b
            + 0.5 * b * c
            - 0.5 * c
            + 0.125 * c * c;
        assert!((f64::from(found[2]) - sigma(third)).abs() < 1e-7);
        assert!(found[0] >= found[1] && found[1] >= found[2], "{found:?}");
    }

    #[test]
    fn votes_are_seen_by_their_logarithms() {
        let best = scored(&[0.5, 0.25, 0.0]);
        let near = |found: f64, wanted: f64| (found - wanted).abs() < 1e-12;
        let [vote, ratio] = Scale::Logarithmic.row_inputs(&best).unwrap();
        assert!(near(vote, libm::log(0.5)) && near(ratio, libm::log(2.0)));
        let [vote, ratio, rank] = Scale::Logarithmic.later_inputs(&best, 1);
        assert!(near(vote, libm::log(0.25)) && near(ratio, libm::log(2.0)));
        assert!(near(rank, libm::log(2.0)));
        // The ratio to nothing is cut, and so is the vote that goes with it.
        let [vote, ratio, _] = Scale::Logarithmic.later_inputs(&best, 2);
        assert!(near(vote, libm::log(0.5) - 5.0) && near(ratio, 5.0));
        let alone = Scale::Logarithmic.row_inputs(&best[..1]).unwrap();
        assert!(near(alone[0], libm::log(0.5)) && near(alone[1], 5.0));
        assert!(near(
            Scale::Logarithmic.row_inputs(&best[2..]).unwrap()[0],
            libm::log(1e-6)
        ));
    }

    #[test]
    fn what_was_never_seen_is_never_right_and_scores_beyond_all_bounds_are_cut() {
        let calibration = calibration();
        let found =
            |scores: &[f32]| -> Vec<f32> { calibration.probabilities(&scored(scores)).collect() };
        assert_eq!(found(&[]), []);
        assert_eq!(found(&[f32::MIN, f32::MIN]), [0.0, 0.0]);
        assert_eq!(found(&[0.5, f32::MIN])[1], 0.0);
        assert_eq!(found(&[0.5, f32::MIN])[0], found(&[0.5])[0]);
        assert_eq!(calibration.none(&[]), 1.0);
        let most = found(&[f32::MAX, -f32::MAX]);
        assert_eq!(most[0], found(&[1.0, -1.0])[0]);
        assert!(most.iter().all(|p| (0.0..=1.0).contains(p)));
    }

    #[test]
    fn numbers_are_read_again_and_each_wrong_one_is_refused() {
        let calibration = calibration();
        let numbers: [f32; NUMBERS] = calibration.numbers().try_into().unwrap();
        assert_eq!(Calibration::from_numbers(&numbers), Ok(calibration.clone()));
        let votes = Calibration {
            scale: Scale::Logarithmic,
            ..calibration
        };
        let mut longer = votes.numbers();
        assert_eq!(Calibration::from_numbers(&longer), Ok(votes));
        longer[NUMBERS] = 2.0;
        assert_eq!(Calibration::from_numbers(&longer), Err(NUMBERS));
        for place in 0..NUMBERS {
            for wrong in [
                f32::NAN,
                f32::INFINITY,
                f32::NEG_INFINITY,
                -2.0 * MOST_WEIGHT,
            ] {
                let mut numbers = numbers;
                numbers[place] = wrong;
                match Calibration::from_numbers(&numbers) {
                    Err(found) => assert_eq!(found, place, "{wrong}"),
                    // A range may begin anywhere.
                    Ok(_) => assert_eq!(wrong, -2.0 * MOST_WEIGHT),
                }
            }
        }
        let refused = |place: usize, value: f32| {
            let mut numbers = numbers;
            numbers[place] = value;
            Calibration::from_numbers(&numbers).unwrap_err()
        };
        assert_eq!(
            (refused(0, 1.5), refused(2, -0.1), refused(5, -1.5)),
            (0, 2, 5)
        );
    }
}
