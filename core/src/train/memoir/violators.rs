//! The wrong classes that a row pushes away, and how hard.

use super::parameters::{Memoir, Silent};
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

impl Violators {
    /// Chooses among all classes by their scores and sets the amounts for a step of size `eta`.
    /// Whether there is anything to add.
    pub fn choose(
        &mut self,
        scores: &[f32],
        asked: Asked<'_>,
        parameters: &Memoir,
        eta: f64,
        stream: impl FnOnce() -> Stream,
    ) -> bool {
        let own = scores[asked.own as usize];
        let floor = self.begin(own, asked, parameters);
        let mut least = floor;
        for (block, part) in scores.chunks(BLOCK).enumerate() {
            if part.iter().copied().fold(f32::NEG_INFINITY, f32::max) <= least {
                continue;
            }
            for (at, &score) in part.iter().enumerate() {
                let id = (block * BLOCK + at) as u32;
                // Ids rise, so an equal score ranks behind those before.
                if score > least && asked.labels.binary_search(&id).is_err() {
                    self.top.push(Scored { id, score });
                    let worst = self.top.threshold();
                    least = worst.map_or(floor, |worst| worst.score);
                }
            }
        }
        let silent = || silent(scores, asked, stream());
        self.weigh(own, asked, parameters, eta, silent)
    }

    /// The score that a violator must exceed.
    fn begin(&mut self, own: f32, asked: Asked<'_>, parameters: &Memoir) -> f32 {
        self.top.reset(parameters.violators as usize);
        let gate = if parameters.gate {
            // A little lower, so that rounding loses none; the slack decides.
            let gate = f64::from(own) - 1.0 / asked.scale;
            (gate - 1e-6 * gate.abs()) as f32
        } else {
            f32::NEG_INFINITY
        };
        gate.max(0.0)
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
