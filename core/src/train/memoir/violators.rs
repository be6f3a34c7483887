//! The wrong classes that a row pushes away, and how hard.

use crate::parameters::memoir::{Memoir, Silent};
use crate::{
    random::Stream,
    search::{Scored, Top},
};
use alloc::vec::Vec;

/// Finds violators; holds the memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Violators {
    top: Top,
    /// The row's own class, then its violators.
    pub classes: Vec<u32>,
    /// What of the row is added to each class.
    pub amounts: Vec<f64>,
    slacks: Vec<f64>,
    /// The largest score of each block, and again for sorting.
    maxima: Vec<f32>,
    order: Vec<f32>,
}

/// What choosing violators needs to know of a row.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub own: u32,
    /// All labels of the row, rising: none of them is a violator.
    pub labels: &'a [u32],
    /// Classes that have training rows.
    pub seen: &'a [u32],
    /// What scores are to be multiplied by.
    pub scale: f64,
}

const BLOCK: usize = 64;

/// The largest of some scores, in lanes.
#[inline(always)]
fn largest(scores: &[f32]) -> f32 {
    let larger = |a: f32, b: f32| if a > b { a } else { b };
    let (chunks, rest) = scores.as_chunks::<16>();
    let mut lanes = [f32::NEG_INFINITY; 16];
    for chunk in chunks {
        for (lane, &score) in lanes.iter_mut().zip(chunk) {
            *lane = larger(score, *lane);
        }
    }
    lanes
        .into_iter()
        .chain(rest.iter().copied())
        .fold(f32::NEG_INFINITY, larger)
}

impl Violators {
    /// Chooses among all classes by their scores and sets the amounts for a step of size `eta`.
    /// Whether there is anything to add.
    pub(crate) fn choose(
        &mut self,
        scores: &[f32],
        asked: Asked<'_>,
        parameters: &Memoir,
        eta: f64,
        stream: impl FnOnce() -> Stream,
    ) -> bool {
        let own = scores[asked.own as usize];
        let floor = floor(own, asked, parameters);
        self.best(scores, asked, parameters.violators as usize, floor);
        let silent = || silent(scores, asked, stream());
        self.weigh(own, asked, parameters, eta, silent)
    }

    /// The same among proposed classes, whose scores `exact` tells; `silent` names one more if none
    /// scores above 0.
    pub(crate) fn choose_among(
        &mut self,
        proposed: &[u32],
        asked: Asked<'_>,
        parameters: &Memoir,
        eta: f64,
        exact: impl Fn(u32) -> f32,
        silent: impl FnOnce() -> Option<u32>,
    ) -> bool {
        let own = exact(asked.own);
        let floor = floor(own, asked, parameters);
        self.top.reset(parameters.violators as usize);
        for &id in proposed {
            let score = exact(id);
            if score > floor && asked.labels.binary_search(&id).is_err() {
                self.top.push(Scored { id, score });
            }
        }
        let silent = || {
            silent().map(|id| Scored {
                id,
                score: exact(id),
            })
        };
        self.weigh(own, asked, parameters, eta, silent)
    }

    /// The best `count` wrong classes above `floor`, best first.
    pub(crate) fn best(
        &mut self,
        scores: &[f32],
        asked: Asked<'_>,
        count: usize,
        floor: f32,
    ) -> &[Scored] {
        self.top.reset(count);
        self.maxima.clear();
        self.maxima.extend(scores.chunks(BLOCK).map(largest));
        let mut least = floor.max(self.reached(count + asked.labels.len()));
        for (block, part) in scores.chunks(BLOCK).enumerate() {
            if self.maxima[block] <= least {
                continue;
            }
            for (at, &score) in part.iter().enumerate() {
                let id = (block * BLOCK + at) as u32;
                // Ids rise, so an equal score ranks behind those before.
                if score > least && asked.labels.binary_search(&id).is_err() {
                    self.top.push(Scored { id, score });
                    let worst = self.top.threshold();
                    least = worst.map_or(least, |worst| worst.score);
                }
            }
        }
        self.top.sorted()
    }

    /// A little less than the largest score of the block that is last of `count` by it.
    fn reached(&mut self, count: usize) -> f32 {
        if count > self.maxima.len() {
            return f32::NEG_INFINITY;
        }
        self.order.clear();
        self.order.extend_from_slice(&self.maxima);
        let (_, last, _) = self
            .order
            .select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
        last.next_down()
    }

    fn weigh(
        &mut self,
        own: f32,
        asked: Asked<'_>,
        parameters: &Memoir,
        eta: f64,
        silent: impl FnOnce() -> Option<Scored>,
    ) -> bool {
        self.classes.clear();
        self.slacks.clear();
        self.amounts.clear();
        self.classes.push(asked.own);
        let none = self.top.sorted().is_empty();
        let extra = if none && parameters.silent == Silent::Random {
            silent()
        } else {
            None
        };
        let mut total = 0.0;
        for scored in extra.iter().chain(self.top.sorted()) {
            let slack = 1.0 + asked.scale * (f64::from(scored.score) - f64::from(own));
            if slack > 0.0 || !parameters.gate {
                self.classes.push(scored.id);
                self.slacks.push(slack);
                total += slack;
            }
        }
        if self.slacks.is_empty() {
            // A row whose margin to silence is short still pulls its own class.
            let short = 1.0 - asked.scale * f64::from(own);
            self.amounts.push(eta);
            return parameters.silent == Silent::Ignored && short > 0.0;
        }
        self.amounts.push(eta);
        let one = self.slacks.len() == 1;
        for &slack in &self.slacks {
            let share = if one { 1.0 } else { slack / total };
            self.amounts.push(-eta * share);
        }
        true
    }
}

/// The score that a violator must exceed.
fn floor(own: f32, asked: Asked<'_>, parameters: &Memoir) -> f32 {
    let gate = if parameters.gate {
        // A little lower, so that rounding loses none; the slack decides.
        let gate = f64::from(own) - 1.0 / asked.scale;
        (gate - 1e-6 * gate.abs()) as f32
    } else {
        f32::NEG_INFINITY
    };
    gate.max(0.0)
}

/// Where no class scores above 0: a random one of those that score 0, else the best.
fn silent(scores: &[f32], asked: Asked<'_>, mut stream: Stream) -> Option<Scored> {
    let wrong = |class: &u32| asked.labels.binary_search(class).is_err();
    let start = stream.below(asked.seen.len() as u64) as usize;
    let round = asked.seen[start..].iter().chain(&asked.seen[..start]);
    let zero = round
        .copied()
        .find(|class| wrong(class) && scores[*class as usize] == 0.0);
    if let Some(id) = zero {
        return Some(Scored { id, score: 0.0 });
    }
    let all = asked.seen.iter().filter(|class| wrong(class));
    all.map(|&id| Scored {
        id,
        score: scores[id as usize],
    })
    .min_by(crate::search::rank)
}
