//! The smallest models there are, before any training: those of which no weight is stored.

use super::{
    MachKernels,
    assemble::{assemble, packed_empty},
    compact::Setting,
};
use crate::{
    data::Dataset,
    executor::Executor,
    model::mach::{Mach, centroids::Centroids},
    parameters::mach::MachParameters,
    train::TrainError,
};
use alloc::vec::Vec;

/// A model without weights, and how small each way to pack one of `data` can be.
pub(super) struct Smallest {
    untrained: Mach,
    settings: Vec<(Setting, u64)>,
}

impl Smallest {
    /// Cost: a model without weights for each of `settings`, and centroids for each number of
    /// entries.
    pub(super) fn of(
        parameters: &MachParameters,
        settings: &[Setting],
        data: &Dataset,
        executor: &Executor,
        kernels: &'static dyn MachKernels,
    ) -> Result<Self, TrainError> {
        let trainer = parameters.trainer(data, executor.threads(), kernels)?;
        let untrained = assemble(&trainer, packed_empty(&trainer)?, None)?;
        drop(trainer);
        let mut centroids: Option<(u32, u64)> = None;
        let mut bytes = Vec::new();
        for &setting in settings {
            let entries = setting.entries;
            let beside = match centroids {
                Some((known, bytes)) if known == entries => bytes,
                _ => untrained
                    .centroids_of(entries, data)?
                    .map_or(0, |centroids| Centroids::bytes(&centroids) as u64),
            };
            centroids = Some((entries, beside));
            let weights = untrained.first_heads_empty(setting, executor)?;
            let frequencies = 4 * untrained.frequencies().len();
            let all = (weights.bytes() + frequencies) as u64 + beside;
            bytes.push((setting, all));
        }
        Ok(Self {
            untrained,
            settings: bytes,
        })
    }

    /// The ways to pack that can take at most `budget` bytes.
    ///
    /// # Errors
    /// [`TrainError::Budget`] if there are none.
    pub(super) fn within(&self, budget: u64) -> Result<Vec<Setting>, TrainError> {
        let fit = self.settings.iter().filter(|(_, bytes)| *bytes <= budget);
        let fit: Vec<Setting> = fit.map(|(setting, _)| *setting).collect();
        let smallest = self.settings.iter().map(|(_, bytes)| *bytes).min();
        match smallest {
            Some(smallest) if fit.is_empty() => Err(TrainError::Budget { budget, smallest }),
            _ => Ok(fit),
        }
    }

    /// The smallest model of all.
    pub(super) fn model(&self, data: &Dataset, executor: &Executor) -> Result<Mach, TrainError> {
        let smallest = self.settings.iter().min_by_key(|(_, bytes)| *bytes);
        let &(setting, bytes) = smallest.ok_or(TrainError::Stopped)?;
        self.untrained.packed_within(setting, data, bytes, executor)
    }
}
