//! The state of one-vs-rest training between two parts of the work.

use super::{RowsByLabel, Stage, Trainer};
use crate::{
    kernels::wide::WIDE,
    model::linear::build::LabelWeights,
    train::state::{Resumable, StateError, all_below, read, same, write},
};
use alloc::{borrow::Cow, vec::Vec};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Saved<'a> {
    round: u32,
    mining: bool,
    done: u64,
    jobs_done: u64,
    weights: Cow<'a, [LabelWeights]>,
    wrong: Cow<'a, RowsByLabel>,
    proposals: Cow<'a, [Vec<u32>]>,
    continued: bool,
    /// Epochs and weights of the second head.
    softmax: Option<(u32, Cow<'a, [f32]>)>,
}

/// No dual, scale or bias that training makes is larger.
const MOST: f32 = 1e15;

impl Resumable for Trainer<'_> {
    fn save(&self, sink: &mut dyn FnMut(&[u8])) -> Result<(), StateError> {
        let saved = Saved {
            round: self.round,
            mining: self.stage == Stage::Mine,
            done: self.done as u64,
            jobs_done: self.jobs_done as u64,
            weights: Cow::Borrowed(&self.weights),
            wrong: Cow::Borrowed(&self.wrong),
            proposals: Cow::Borrowed(&self.proposals),
            continued: self.continued,
            softmax: self.softmax.as_ref().and_then(|head| {
                let training = &head.as_ref().ok()?.training;
                Some((training.epoch(), Cow::Borrowed(training.weights())))
            }),
        };
        write(&saved, sink)
    }

    fn resume(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let saved: Saved<'_> = read(bytes)?;
        self.check(&saved)?;
        (self.round, self.done) = (saved.round, saved.done as usize);
        self.stage = match saved.mining {
            true => Stage::Mine,
            false => Stage::Solve,
        };
        self.jobs_done = saved.jobs_done as usize;
        self.weights = saved.weights.into_owned();
        self.wrong = saved.wrong.into_owned();
        self.proposals = saved.proposals.into_owned();
        self.continued = saved.continued;
        self.oracle = None;
        self.softmax = None;
        if let Some((epoch, weights)) = saved.softmax {
            same(
                "rounds before softmax",
                self.round as usize,
                self.rounds as usize,
            )?;
            // Without memory for it the next step says so.
            if let Ok(mut head) = self.second_head() {
                head.training.resume(epoch, weights.into_owned())?;
                self.softmax = Some(Ok(head));
            }
        }
        Ok(())
    }
}

impl Trainer<'_> {
    fn check(&self, saved: &Saved<'_>) -> Result<(), StateError> {
        let (rows, labels) = (self.rows.full.len(), self.weights.len());
        let beyond = |what, value: u64, limit: usize| match value < limit as u64 {
            true => Ok(()),
            false => Err(StateError::Beyond {
                what,
                value,
                limit: limit as u64,
            }),
        };
        beyond("round", u64::from(saved.round), self.rounds as usize + 1)?;
        beyond("job", saved.jobs_done, self.jobs.len() + 1)?;
        if saved.mining {
            beyond("mined row", saved.done, rows + 1)?;
            same("mined rows", saved.proposals.len(), saved.done as usize)?;
        } else {
            let jobs = 0..saved.jobs_done as usize;
            let solved: usize = jobs.map(|job| self.jobs.job(job).len()).sum();
            same("solved labels", saved.done as usize, solved)?;
        }
        saved.wrong.check(rows, labels)?;
        all_below("label", saved.proposals.iter().flatten(), labels)?;
        same("labels with weights", saved.weights.len(), labels)?;
        let mut weights = saved.weights.iter();
        weights.try_for_each(|weights| self.check_weights(weights))
    }

    pub(super) fn check_weights(&self, weights: &LabelWeights) -> Result<(), StateError> {
        weights.check(self.rows.order.feature.len(), self.parameters.bits)
    }
}

impl LabelWeights {
    /// Refuses what training cannot have made of so many features, with weights of so many bits.
    pub(crate) fn check(&self, features: usize, bits: u32) -> Result<(), StateError> {
        same("weights", self.weights.len(), self.features.len())?;
        all_below("feature", &self.features, features)?;
        let mut sorted = self.features.clone();
        sorted.sort_unstable();
        let once = sorted.windows(2).all(|pair| pair[0] < pair[1]);
        let most = if bits == WIDE {
            i16::MAX
        } else {
            i16::from(i8::MAX)
        };
        let sizes = 1..=most.unsigned_abs();
        let levels = self
            .weights
            .iter()
            .all(|w| sizes.contains(&w.unsigned_abs()));
        let scale = (0.0..=MOST).contains(&self.scale);
        if once && levels && scale && self.bias.abs() <= MOST {
            Ok(())
        } else {
            Err(StateError::Disordered {
                what: "weights of a label",
            })
        }
    }
}
