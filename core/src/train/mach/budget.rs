//! Fitting into a number of bytes: what is right on held-out rows says how.

use super::{
    MachKernels, Report,
    compact::Setting,
    fit::{MOST_HELD_OUT, share, split},
    smallest::Smallest,
    trials::Trials,
};
use crate::{
    data::Dataset,
    executor::Executor,
    model::Mach,
    parameters::mach::MachParameters,
    train::{Precision, TrainError, Watch, state::StateError},
};
use alloc::{borrow::Cow, vec::Vec};
use core::{cmp::Ordering, ops::ControlFlow};
use serde::{Deserialize, Serialize};

/// Where a tenth is fewer rows, so many tenths are drawn at most: on a thousand rows settings
/// differ by less than chance does.
const MOST_DRAWS: u64 = 3;

/// How many budgets of entries a centroid is tried with.
const ENTRIES: [u32; 3] = [32, 16, 8];

/// A setting that was tried on held-out rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitStep {
    /// Bits of a weight.
    pub bits: u32,
    /// Heads kept: the first ones.
    pub heads: u32,
    /// Weights stored.
    pub weights: u64,
    /// Most entries of a centroid; 0 for no centroids.
    pub entries: u32,
    /// What the comparison with centroids counts.
    pub rerank_weight: f64,
    /// Whether the weights that were kept were trained on.
    pub refined: bool,
    /// Bytes of the arrays.
    pub bytes: u64,
    /// Precision on the held-out rows.
    pub precision: Precision,
}

/// What was tried to fit a model into its bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MachFit {
    /// How many rows were held out.
    pub held_out: usize,
    /// The precision of unrounded weights on them.
    pub before: Precision,
    /// What was tried.
    pub tried: Vec<FitStep>,
    /// Which of it was chosen.
    pub chosen: usize,
}

/// What the comparison with centroids may count, as a multiple of what it would: the fewer weights
/// there are, the less sure the heads.
const RERANK_FACTORS: [f64; 2] = [1.0, 1.5];

/// How many of the best settings are judged once more after their weights were trained on.
const REFINED: usize = 2;

impl FitStep {
    fn of(mach: &Mach, setting: Setting, refined: bool, precision: Precision) -> Self {
        Self {
            bits: setting.bits,
            entries: setting.entries,
            heads: setting.heads,
            rerank_weight: mach.parameters().rerank_weight,
            refined,
            weights: mach.weights().nonzeros() as u64,
            bytes: mach.bytes() as u64,
            precision,
        }
    }

    fn setting(&self) -> Setting {
        Setting {
            bits: self.bits,
            entries: self.entries,
            heads: self.heads,
        }
    }

    fn compare(&self, other: &Self) -> Ordering {
        self.precision.mean().total_cmp(&other.precision.mean())
    }
}

impl MachFit {
    /// The settings whose weights were trained on.
    fn refined(&self) -> Vec<Setting> {
        let refined = self.tried.iter().filter(|step| step.refined);
        let mut settings: Vec<Setting> = refined.map(FitStep::setting).collect();
        settings.dedup();
        settings
    }

    /// Both together: what both tried, by its mean precision over all rows held out.
    fn with(mut self, other: &Self) -> Self {
        let (own, new) = (self.held_out as f64, other.held_out as f64);
        let mean = |a: Precision, b: Precision| {
            let mean = |a: f64, b: f64| (a * own + b * new) / (own + new);
            Precision {
                at_1: mean(a.at_1, b.at_1),
                at_3: mean(a.at_3, b.at_3),
                at_5: mean(a.at_5, b.at_5),
            }
        };
        self.before = mean(self.before, other.before);
        self.held_out += other.held_out;
        self.tried.retain_mut(|step| {
            let same = |other: &&FitStep| {
                other.setting() == step.setting()
                    && other.refined == step.refined
                    && other.rerank_weight == step.rerank_weight
            };
            let found = other.tried.iter().find(same);
            if let Some(found) = found {
                step.precision = mean(step.precision, found.precision);
            }
            found.is_some()
        });
        self
    }
}

/// The settings of the `count` best of what was tried.
fn best(tried: &[FitStep], count: usize) -> Vec<Setting> {
    let mut order: Vec<&FitStep> = tried.iter().collect();
    order.sort_by(|a, b| b.compare(a));
    order.truncate(count);
    order.into_iter().map(FitStep::setting).collect()
}

impl Mach {
    /// The heads packed into `budget` bytes. A model of all rows fits; that of some may be a little
    /// larger.
    fn packed_about_within(
        &self,
        setting: Setting,
        data: &Dataset,
        budget: u64,
        executor: &Executor,
    ) -> Result<Self, TrainError> {
        match self.packed_within(setting, data, budget, executor) {
            Err(TrainError::Budget { smallest, .. }) => {
                self.packed_within(setting, data, smallest, executor)
            }
            other => other,
        }
    }

    /// Another model, of `data`, packed and perhaps refined as this one was, which
    /// [`MachParameters::train_within`] made. Cost: one training, and the packing.
    pub(in crate::train) fn packed_again(
        &self,
        refined: bool,
        data: &Dataset,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
    ) -> Result<Self, TrainError> {
        let own = self.parameters();
        let setting = Setting {
            bits: own.bits,
            entries: self.centroids().map_or(0, |_| own.centroid_entries),
            heads: own.repetitions,
        };
        let watch = &mut |_| ControlFlow::Continue(());
        let mut trials = Trials::begin(watch)?;
        let heads = 0..own.repetitions as usize;
        let (draw, rows) = (Some(self.draw()), Cow::Borrowed(data));
        let trainer = own.trainer_with(heads, draw, rows, executor.threads(), kernels)?;
        let whole = trials.trained(trainer, own.centroids(data)?, executor)?;
        let packed = whole.packed_about_within(setting, data, self.bytes() as u64, executor)?;
        if !refined {
            return Ok(packed);
        }
        packed.refined(data, executor, kernels, |trainer| {
            trials.run(trainer, Some(whole.weights()), executor)
        })
    }
}

impl MachParameters {
    /// Trains a model whose arrays take at most `budget` bytes. Without a tenth of the rows it is
    /// trained and packed in several ways that fit; the best of them on these rows is what the
    /// model trained on all rows is packed by. Where a tenth is less than 3,000 rows, up to three
    /// of them are drawn.
    ///
    /// Cost: twice that of [`MachParameters::train`], up to four times for few rows, and the
    /// packing.
    ///
    /// `watch` hears of all these trainings as of one, which can be left and gone on with.
    ///
    /// # Errors
    /// As [`MachParameters::train`]; [`TrainError::Budget`] if nothing fits, before any training;
    /// [`TrainError::State`] if what `watch` went on from is not a state of this training.
    pub(crate) fn train_within(
        &self,
        data: &Dataset,
        budget: u64,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
        watch: &mut dyn Watch<Report>,
    ) -> Result<(Mach, MachFit), TrainError> {
        self.check()?;
        let settings = self.smallest(data, executor, kernels)?.within(budget)?;
        let mut trials = Trials::begin(watch)?;
        let rows = data.len().max(1) as f64;
        let draws = (MOST_HELD_OUT / (rows * share(data)) + 0.999) as u64;
        for draw in trials.draws()..draws.clamp(1, MOST_DRAWS) {
            let split = split(data, self.seed.wrapping_add(draw))?;
            let refine = trials.fit().map(MachFit::refined);
            let parts = (data.select(&split.train), data.select(&split.held_out));
            let ways = (&settings[..], refine);
            let found = self.try_settings(&parts, budget, ways, executor, kernels, &mut trials)?;
            let all = match trials.fit() {
                None => found,
                Some(earlier) => earlier.clone().with(&found),
            };
            trials.end_draw(all);
        }
        let mut fit = trials.fit().cloned().ok_or(TrainError::Stopped)?;
        let order = |&a: &usize, &b: &usize| fit.tried[a].compare(&fit.tried[b]).then(b.cmp(&a));
        let chosen = (0..fit.tried.len()).max_by(order);
        let chosen = chosen.ok_or(TrainError::Stopped)?;
        let trainer = self.trainer(data, executor.threads(), kernels)?;
        fit.chosen = chosen;
        let whole = trials.trained(trainer, self.centroids(data)?, executor)?;
        let mut mach = whole.packed_within(fit.tried[chosen].setting(), data, budget, executor)?;
        if fit.tried[chosen].refined {
            let refined = mach.refined(data, executor, kernels, |trainer| {
                trials.run(trainer, Some(whole.weights()), executor)
            })?;
            if refined.bytes() as u64 <= budget {
                mach = refined.with_rerank_weight(fit.tried[chosen].rerank_weight);
            }
        }
        Ok((mach, fit))
    }

    /// How small each way to pack a model of `data` can be.
    pub(super) fn smallest(
        &self,
        data: &Dataset,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
    ) -> Result<Smallest, TrainError> {
        Smallest::of(self, &self.settings(), data, executor, kernels)
    }

    /// Trains on the first part and judges every one of `settings` by the second. Weights are
    /// trained on for the settings `refine`, or else for the best ones.
    fn try_settings(
        &self,
        (rest, held_out): &(Dataset, Dataset),
        budget: u64,
        (settings, refine): (&[Setting], Option<Vec<Setting>>),
        executor: &Executor,
        kernels: &'static dyn MachKernels,
        trials: &mut Trials<'_>,
    ) -> Result<MachFit, TrainError> {
        let trainer = self.trainer(rest, executor.threads(), kernels)?;
        let whole = trials.trained(trainer, self.centroids(rest)?, executor)?;
        let before = whole.judge(held_out, executor, kernels);
        let mut tried = Vec::new();
        let pack = |setting| whole.packed_about_within(setting, rest, budget, executor);
        for &setting in settings {
            let mach = pack(setting)?;
            let precision = mach.judge(held_out, executor, kernels);
            tried.push(FitStep::of(&mach, setting, false, precision));
        }
        let refine = refine.unwrap_or_else(|| best(&tried, REFINED));
        for (at, setting) in refine.into_iter().enumerate() {
            if let Some(known) = trials.refined(at) {
                let what = "a way to pack that was tried";
                if known.iter().any(|step| step.setting() != setting) {
                    return Err(TrainError::State(StateError::Impossible { what }));
                }
                tried.extend_from_slice(known);
                continue;
            }
            let mach = pack(setting)?.refined(rest, executor, kernels, |trainer| {
                trials.run(trainer, Some(whole.weights()), executor)
            })?;
            let mut steps = Vec::new();
            let factors = match (mach.bytes() as u64 > budget, setting.entries) {
                (true, _) => 0,
                (false, 0) => 1,
                _ => RERANK_FACTORS.len(),
            };
            for factor in &RERANK_FACTORS[..factors] {
                let mach = mach.with_rerank_weight(factor * self.rerank_weight);
                let precision = mach.judge(held_out, executor, kernels);
                steps.push(FitStep::of(&mach, setting, true, precision));
            }
            tried.extend_from_slice(&steps);
            trials.end_refined(steps);
        }
        Ok(MachFit {
            held_out: held_out.len(),
            before,
            tried,
            chosen: 0,
        })
    }

    /// Bits, heads and entries to try.
    fn settings(&self) -> Vec<Setting> {
        let entries: &[u32] = if self.rerank == 0 { &[0] } else { &ENTRIES };
        let all = self.repetitions;
        let mut settings = Vec::new();
        for &entries in entries {
            for (bits, heads) in [
                (4, all),
                (4, all.div_ceil(2)),
                (4, all.div_ceil(4)),
                (4, all.div_ceil(8)),
                (8, all),
                (8, all.div_ceil(2)),
            ] {
                let setting = Setting {
                    bits,
                    entries,
                    heads,
                };
                if !settings.contains(&setting) {
                    settings.push(setting);
                }
            }
        }
        settings
    }
}
