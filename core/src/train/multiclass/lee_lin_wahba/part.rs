//! The weights of a range of classes: those that one thread of one process reads and changes.

use super::row_step::{LANES, Lanes};
use crate::train::multiclass::problem::{Problem, Row};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use hapax_processor::{FETCHES, Loop, fetch};

/// What the rows of a block moved: of each that moved, how far each class's u went in units of the
/// row, and their mean.
#[derive(Clone, Debug)]
pub struct Moves {
    rows: Vec<u32>,
    /// Of each row one number a class, filled up to whole lanes.
    amounts: Vec<Lanes>,
    means: Vec<f64>,
    /// Lanes of a row.
    width: usize,
}

impl Moves {
    /// None, of so many classes.
    pub(crate) fn new(classes: usize) -> Self {
        Self {
            rows: Vec::new(),
            amounts: Vec::new(),
            means: Vec::new(),
            width: classes.div_ceil(LANES),
        }
    }

    /// Whether there are none.
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Each row with its numbers, and their mean.
    #[inline(always)]
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, &[Lanes], f64)> {
        let rows = self.rows.iter().zip(&self.means);
        let rows = rows.zip(self.amounts.chunks_exact(self.width));
        rows.map(|((row, mean), amounts)| (*row, amounts, *mean))
    }

    /// Adds a row; returns where its numbers belong.
    #[inline(always)]
    pub(crate) fn push(&mut self, row: u32) -> &mut [Lanes] {
        let start = self.amounts.len();
        self.rows.push(row);
        self.means.push(0.0);
        self.amounts.resize(start + self.width, [0.0; LANES]);
        &mut self.amounts[start..]
    }

    /// Sets the mean of the row that was added last.
    #[inline(always)]
    pub(crate) fn set_mean(&mut self, mean: f64) {
        if let Some(last) = self.means.last_mut() {
            *last = mean;
        }
    }

    /// Takes the last row away.
    #[inline(always)]
    pub(crate) fn pop(&mut self) {
        self.rows.pop();
        self.means.pop();
        self.amounts
            .truncate(self.amounts.len().saturating_sub(self.width));
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.amounts.clear();
        self.means.clear();
    }
}

/// u of each feature and class of a range, and the scores of a block's rows by them.
#[derive(Clone, Debug)]
pub struct Part {
    classes: Range<usize>,
    /// Of each feature u of these classes, then the mean of all classes' u: every part keeps that
    /// for itself.
    sums: Vec<f64>,
    /// Of each row `u_c.x` of these classes, then the mean's.
    scores: Vec<f64>,
}

impl Part {
    /// Of these classes, all u being 0. Nothing if there is no memory for it.
    pub(crate) fn new(classes: Range<usize>, features: usize) -> Option<Self> {
        let count = features * (classes.len() + 1);
        let mut sums = Vec::new();
        sums.try_reserve_exact(count).ok()?;
        sums.resize(count, 0.0);
        Some(Self {
            classes,
            sums,
            scores: Vec::new(),
        })
    }

    /// Its classes.
    pub(crate) fn classes(&self) -> Range<usize> {
        self.classes.clone()
    }

    /// Of each feature, u of its classes and the mean.
    pub(crate) fn features(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let features = self.sums.chunks_exact(self.width());
        features.map(|sums| (&sums[..sums.len() - 1], sums[sums.len() - 1]))
    }

    /// Of a feature, u of its classes and the mean.
    pub(crate) fn feature(&self, feature: usize) -> (&[f64], f64) {
        let sums = &self.sums[feature * self.width()..(feature + 1) * self.width()];
        (&sums[..sums.len() - 1], sums[sums.len() - 1])
    }

    /// The same, to be changed.
    pub(crate) fn feature_mut(&mut self, feature: usize) -> (&mut [f64], &mut f64) {
        let width = self.width();
        let sums = &mut self.sums[feature * width..(feature + 1) * width];
        let (sums, mean) = sums.split_at_mut(width - 1);
        (sums, &mut mean[0])
    }

    /// Multiplies all.
    pub(crate) fn multiply(&mut self, factor: f64) {
        self.sums.iter_mut().for_each(|sum| *sum *= factor);
    }

    /// Of each row of the last block, its scores by these classes, then by the mean.
    pub(crate) fn scores(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let rows = self.scores.chunks_exact(self.width());
        rows.map(|scores| (&scores[..scores.len() - 1], scores[scores.len() - 1]))
    }

    fn width(&self) -> usize {
        self.classes.len() + 1
    }

    #[inline(always)]
    fn add(&mut self, row: Row<'_>, amounts: &[Lanes], mean: f64) {
        let width = self.width();
        let here = &amounts.as_flattened()[self.classes.clone()];
        for (at, (&feature, &value)) in row.features.iter().zip(row.values).enumerate() {
            self.ask(row, at + 1);
            let (feature, value) = (feature as usize, f64::from(value));
            let sums = &mut self.sums[feature * width..(feature + 1) * width];
            let (sums, last) = sums.split_at_mut(width - 1);
            for (sum, amount) in sums.iter_mut().zip(here) {
                *sum += amount * value;
            }
            last[0] += mean * value;
        }
    }

    /// Asks for the first numbers of a feature to come.
    #[inline(always)]
    fn ask(&self, row: Row<'_>, at: usize) {
        if FETCHES && let Some(&feature) = row.features.get(at) {
            let start = feature as usize * self.width();
            for line in 0..2 {
                if let Some(sum) = self.sums.get(start + 8 * line) {
                    fetch(sum);
                }
            }
        }
    }
}

/// Parts for each of `count` threads, of a range of classes.
pub fn divide(classes: &Range<usize>, features: usize, count: usize) -> Option<Vec<Part>> {
    let count = count.clamp(1, classes.len().max(1));
    let cut = |place: usize| classes.start + classes.len() * place / count;
    let mut parts = vec![];
    for place in 0..count {
        parts.push(Part::new(cut(place)..cut(place + 1), features)?);
    }
    Some(parts)
}

/// What the rows of a block moved, to be taken over by a part, and the rows that it then scores.
pub struct FollowMoves<'a> {
    /// The part.
    pub part: &'a mut Part,
    /// The rows of the problem.
    pub problem: &'a Problem,
    /// What was moved.
    pub moves: &'a Moves,
    /// The rows to score.
    pub rows: &'a [u32],
}

impl Loop for FollowMoves<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            part,
            problem,
            moves,
            rows,
        } = self;
        for (row, amounts, mean) in moves.each() {
            part.add(problem.row(row as usize), amounts, mean);
        }
        let width = part.width();
        part.scores.clear();
        part.scores.resize(rows.len() * width, 0.0);
        for (place, &row) in rows.iter().enumerate() {
            let row = problem.row(row as usize);
            for (at, (&feature, &value)) in row.features.iter().zip(row.values).enumerate() {
                part.ask(row, at + 1);
                let (feature, value) = (feature as usize, f64::from(value));
                let sums = &part.sums[feature * width..(feature + 1) * width];
                let scores = &mut part.scores[place * width..(place + 1) * width];
                for (score, sum) in scores.iter_mut().zip(sums) {
                    *score += sum * value;
                }
            }
        }
    }
}
