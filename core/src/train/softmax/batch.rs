//! A batch of rows: its gradients, by rows, and the step, by features.

use super::{LEAST_SHARE, Rows, Support};
use crate::{data::Dataset, executor::Executor, float::exp_f32, kernels::Kernels};
use alloc::{vec, vec::Vec};
use core::ops::Range;
use hapax_processor::{Loop, Processor};

/// Sums that are added side by side, so that they have one order on any machine.
const LANES: usize = 16;

/// What the rows of a thread's share of a batch want changed.
#[derive(Default)]
struct Wanted {
    /// For each row where its terms and its gradients end.
    ends: Vec<(usize, usize)>,
    /// Features and values that were not left out, features rising in each row.
    terms: Vec<(u32, f32)>,
    /// Labels, and what their scores' gradients are, with the sign that lowers the loss.
    gradients: Vec<(u32, f32)>,
}

/// A label's score in the row whose number is `row`.
#[derive(Clone, Copy)]
struct Cell {
    row: u32,
    score: f32,
}

/// Memory of a thread.
struct Worker {
    cells: Vec<Cell>,
    /// Number of the row, so that cells need no clearing.
    row: u32,
    touched: Vec<u32>,
    scores: Vec<f32>,
    /// Gradients by label, 0 between rows.
    gradients: Vec<f32>,
}

/// All that batches need beside the weights and the rows.
#[derive(Default)]
pub(super) struct Batches {
    workers: Vec<Worker>,
    wanted: Vec<Wanted>,
    /// The features that each thread changes, with pairs of about equal work.
    shards: Vec<Range<usize>>,
}

impl Batches {
    /// Makes memory for each of so many threads.
    pub(super) fn share_among(&mut self, threads: usize, support: &Support, data: &Dataset) {
        let threads = threads.max(1);
        if self.workers.len() == threads {
            return;
        }
        let worker = || Worker {
            cells: vec![Cell { row: 0, score: 0.0 }; support.all_labels],
            row: 0,
            touched: Vec::new(),
            scores: Vec::new(),
            gradients: vec![0.0; support.all_labels],
        };
        self.workers = (0..threads).map(|_| worker()).collect();
        self.wanted = (0..threads).map(|_| Wanted::default()).collect();
        self.shards = shards(support, data, threads);
    }

    /// Finds the gradients of the rows of a batch.
    pub(super) fn gradients(
        &mut self,
        support: &Support,
        (rows, data): (&Rows, &Dataset),
        (batch, draws): (&[u32], (u64, u32)),
        (executor, kernels): (&Executor, &dyn Kernels),
    ) {
        let part = batch.len().div_ceil(self.workers.len());
        let workers = self.workers.iter_mut().zip(&mut self.wanted);
        let parts = batch.chunks(part).chain(core::iter::repeat(&[][..]));
        let items: Vec<_> = workers.zip(parts).collect();
        executor.map_items(items, |_, ((worker, wanted), batch)| {
            wanted.ends.clear();
            wanted.terms.clear();
            wanted.gradients.clear();
            for &row in batch {
                let at = row as usize;
                let first = wanted.terms.len();
                let mut take = |feature, value| wanted.terms.push((feature, value));
                rows.left(data, at, draws, &mut take);
                let own = data.labels().row(at);
                if !own.is_empty() {
                    let (processor, terms) = (kernels.processor(), &wanted.terms[first..]);
                    processor.run(RowScores {
                        support,
                        terms,
                        own,
                        worker,
                    });
                    worker.gradient(support, own, processor, &mut wanted.gradients);
                }
                wanted
                    .ends
                    .push((wanted.terms.len(), wanted.gradients.len()));
            }
        });
    }

    /// Changes the weights by the gradients of the batch.
    pub(super) fn descend(
        &mut self,
        support: &mut Support,
        rate: f32,
        (executor, kernels): (&Executor, &dyn Kernels),
    ) {
        let Support {
            offsets,
            labels,
            weights,
            all,
            ..
        } = support;
        let all = *all;
        let (wanted, offsets, labels) = (&self.wanted, &offsets[..], &labels[..]);
        let mut rest = &mut weights[..];
        let mut items = Vec::with_capacity(self.shards.len());
        for (worker, features) in self.workers.iter_mut().zip(&self.shards) {
            let pairs = offsets[features.end] - offsets[features.start];
            let (own, others) = core::mem::take(&mut rest).split_at_mut(pairs);
            rest = others;
            items.push((worker, features.clone(), own));
        }
        executor.map_items(items, |_, (worker, features, weights)| {
            let first = offsets[features.start];
            for wanted in wanted {
                let mut start = (0, 0);
                for &end in &wanted.ends {
                    let terms = &wanted.terms[start.0..end.0];
                    let place = |feature| terms.partition_point(|t| (t.0 as usize) < feature);
                    kernels.processor().run(RowDescent {
                        all,
                        offsets,
                        labels,
                        weights,
                        first,
                        terms: &terms[place(features.start)..place(features.end)],
                        gradients: &wanted.gradients[start.1..end.1],
                        by_label: &mut worker.gradients,
                        rate,
                    });
                    start = end;
                }
            }
        });
        support.clear_unpaired();
    }
}

/// Ranges of features, one for each thread, whose pairs are met about equally often.
fn shards(support: &Support, data: &Dataset, threads: usize) -> Vec<Range<usize>> {
    let features = support.offsets.len() - 1;
    let mut met = vec![0u64; features];
    for row in data.rows().iter() {
        row.indices()
            .iter()
            .for_each(|&feature| met[feature as usize] += 1);
    }
    let pairs = support
        .offsets
        .windows(2)
        .map(|ends| (ends[1] - ends[0]) as u64);
    let work: Vec<u64> = met
        .iter()
        .zip(pairs)
        .map(|(met, pairs)| met * pairs)
        .collect();
    let all: u64 = work.iter().sum();
    let (mut shards, mut start, mut sum) = (Vec::new(), 0, 0);
    for (feature, work) in work.iter().enumerate() {
        sum += work;
        let of = shards.len() as u64 + 1;
        if of < threads as u64 && sum * threads as u64 >= all * of {
            shards.push(start..feature + 1);
            start = feature + 1;
        }
    }
    shards.push(start..features);
    shards
}

impl Worker {
    /// Finds the gradient of a row's loss by its scores: its labels' shares less the softmax.
    fn gradient(
        &mut self,
        support: &Support,
        own: &[u32],
        processor: Processor,
        found: &mut Vec<(u32, f32)>,
    ) {
        let silent = support.all_labels - self.touched.len();
        let scale = processor.run(Softmax {
            scores: &mut self.scores,
            silent,
        });
        let share = 1.0 / own.len() as f32;
        own.iter()
            .for_each(|&label| self.gradients[label as usize] = share);
        for (&label, share) in self.touched.iter().zip(&self.scores) {
            let share = share * scale;
            let falls = if share > LEAST_SHARE { -share } else { 0.0 };
            let gradient = falls + self.gradients[label as usize];
            if gradient != 0.0 {
                found.push((label, gradient));
            }
        }
        own.iter()
            .for_each(|&label| self.gradients[label as usize] = 0.0);
    }
}

/// The scores of the labels that a row meets.
struct RowScores<'a> {
    support: &'a Support,
    terms: &'a [(u32, f32)],
    own: &'a [u32],
    worker: &'a mut Worker,
}

impl Loop for RowScores<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Worker {
            cells,
            row,
            touched,
            scores,
            ..
        } = self.worker;
        touched.clear();
        scores.clear();
        if self.support.all {
            let labels = self.support.all_labels;
            touched.extend(0..labels as u32);
            scores.resize(labels, 0.0);
            for &(feature, value) in self.terms {
                let weights = &self.support.weights[feature as usize * labels..];
                for (score, weight) in scores.iter_mut().zip(weights) {
                    *score += value * weight;
                }
            }
            return;
        }
        if *row == u32::MAX {
            cells.iter_mut().for_each(|cell| cell.row = 0);
            *row = 0;
        }
        *row += 1;
        let mut add = |label: u32, score: f32| {
            let cell = &mut cells[label as usize];
            if cell.row == *row {
                cell.score += score;
            } else {
                *cell = Cell { row: *row, score };
                touched.push(label);
            }
        };
        for &(feature, value) in self.terms {
            let feature = feature as usize;
            let pairs = self.support.offsets[feature]..self.support.offsets[feature + 1];
            let weights = &self.support.weights[pairs.clone()];
            for (&label, weight) in self.support.labels[pairs].iter().zip(weights) {
                add(label, value * weight);
            }
        }
        self.own.iter().for_each(|&label| add(label, 0.0));
        scores.extend(touched.iter().map(|&label| cells[label as usize].score));
    }
}

/// Replaces scores by what is in proportion to their softmax, and returns what to multiply them
/// with; so many other labels have a score of 0.
pub(super) struct Softmax<'a> {
    pub scores: &'a mut [f32],
    pub silent: usize,
}

impl Loop for Softmax<'_> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        let Self { scores, silent } = self;
        let mut most = [0f32; LANES];
        for chunk in scores.chunks(LANES) {
            for (most, &score) in most.iter_mut().zip(chunk) {
                *most = if score > *most { score } else { *most };
            }
        }
        let most = most.iter().fold(0f32, |a, &b| if b > a { b } else { a });
        let mut sums = [0f32; LANES];
        for chunk in scores.chunks_mut(LANES) {
            for (sum, score) in sums.iter_mut().zip(chunk) {
                *score = exp_f32(*score - most);
                *sum += *score;
            }
        }
        let sum = sums.iter().fold(0f32, |a, &b| a + b);
        1.0 / (sum + silent as f32 * exp_f32(-most)).max(f32::MIN_POSITIVE)
    }
}

/// The step of one row, over a range of features.
struct RowDescent<'a> {
    /// Whether there is a weight for each label and feature.
    all: bool,
    offsets: &'a [usize],
    labels: &'a [u32],
    /// Weights of the range's features, the first of which has this place among all.
    weights: &'a mut [f32],
    first: usize,
    terms: &'a [(u32, f32)],
    gradients: &'a [(u32, f32)],
    by_label: &'a mut [f32],
    rate: f32,
}

impl Loop for RowDescent<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        if self.all {
            let labels = self.by_label.len();
            for &(feature, value) in self.terms {
                let weights = &mut self.weights[feature as usize * labels - self.first..];
                let step = self.rate * value;
                for &(label, gradient) in self.gradients {
                    weights[label as usize] += step * gradient;
                }
            }
            return;
        }
        for &(label, gradient) in self.gradients {
            self.by_label[label as usize] += gradient;
        }
        for &(feature, value) in self.terms {
            let feature = feature as usize;
            let pairs = self.offsets[feature]..self.offsets[feature + 1];
            let labels = &self.labels[pairs.clone()];
            let weights = &mut self.weights[pairs.start - self.first..pairs.end - self.first];
            let step = self.rate * value;
            for (&label, weight) in labels.iter().zip(weights) {
                *weight += step * self.by_label[label as usize];
            }
        }
        for &(label, _) in self.gradients {
            self.by_label[label as usize] = 0.0;
        }
    }
}
