//! A model made smaller, to a number of bytes.

use crate::{
    executor::Executor, format::FormatError, kernels::Kernels, names::Names, text::Vectorizer,
    train::TrainError,
};
use crate::{
    model::{
        Method, Model,
        embedding::Embedding,
        linear::{
            Linear,
            fused_embedding::{FusedEmbedding, LEARNED},
        },
        mach::{Mach, head_weights::HeadWeights},
        nearest::Nearest,
        standardization::Standardization,
    },
    train::{nearest::BudgetReport, one_vs_rest::VECTORS},
};
use alloc::{boxed::Box, vec::Vec};
use core::fmt;

/// A model that fits, and what fitting it cost.
#[derive(Clone, Debug)]
pub struct Compacted {
    /// The model.
    pub model: Model,
    /// How many bytes its file has.
    pub bytes: u64,
    /// Of nearest neighbors, what was tried, and the loss; none if the model fitted as it was.
    pub report: Option<BudgetReport>,
    /// Of models of weights, what was done to them; none if the model fitted as it was.
    pub weights: Option<FewerWeights>,
}

/// What was done to the weights of a model to make it smaller.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FewerWeights {
    /// Bits of a weight.
    pub bits: u32,
    /// Weights up to this size were left out.
    pub prune: f32,
    /// The sum of squared differences of weights, as a share of that of the weights.
    pub lost: f64,
    /// How many features are left where words were left out: then `lost` is the share of the
    /// squares of scores that their weights and those of left-out weights had.
    pub features: Option<u32>,
    /// What no longer answers beside the weights: `"neighbors"`, `"vectors"`, `"embedding"`.
    pub without: Vec<&'static str>,
}

/// Why a model cannot be made so small.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CompactionError {
    /// No setting fits.
    TooSmall {
        /// The most bytes allowed.
        max_bytes: u64,
        /// How many bytes the smallest file takes.
        smallest: u64,
    },
    /// The file cannot be written.
    Format(FormatError),
    /// The rows cannot be divided or indexed.
    Train(TrainError),
}

impl fmt::Display for CompactionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooSmall {
                max_bytes,
                smallest,
            } => write!(
                f,
                "{max_bytes} bytes are too few for this model: its smallest file takes {smallest}"
            ),
            Self::Format(error) => error.fmt(f),
            Self::Train(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for CompactionError {}

impl<E: Into<TrainError>> From<E> for CompactionError {
    fn from(error: E) -> Self {
        Self::Train(error.into())
    }
}

impl From<FormatError> for CompactionError {
    fn from(error: FormatError) -> Self {
        Self::Format(error)
    }
}

/// At most the bytes of header, metadata and padding.
const SLACK: u64 = 2048;

/// Bytes of a file for label names and texts, and what header and metadata take.
pub(crate) fn fixed_bytes(names: Option<&Names>, vectorizer: Option<&Vectorizer>) -> u64 {
    let of = |names: &Names| 4 * names.starts().len() + names.text().len();
    let names = names.map_or(0, of);
    let texts = vectorizer.map_or(0, |vectorizer| {
        let parts = vectorizer.parts();
        parts.vocabulary.map_or(0, of) + 4 * parts.frequencies.len()
    });
    (names + texts) as u64 + SLACK
}

impl Model {
    /// Bytes of a file beside index, row labels and row ids.
    pub(super) fn fixed_bytes(&self) -> u64 {
        let standardization = self.standardization.as_ref();
        let beside = standardization.map_or(0, Standardization::bytes);
        beside + fixed_bytes(self.label_table().as_ref(), self.vectorizer.as_ref())
    }

    /// The model with a file of at most `max_bytes`, all included: label names and text settings
    /// stay, the rows are pruned and rounded as much as is needed, and the loss is
    /// measured on a held-out tenth of the rows, drawn by `seed`. A linear model keeps no rows: its
    /// weights are pruned and rounded where that changes them least, after neighbors and, if less
    /// than half of the weights fit beside them, given vectors and an embedding were left out; of a
    /// vocabulary as many features stay as keep most of the squares of scores. Weights of an
    /// embedding are rounded to 8 bits, or to 4.
    ///
    /// # Errors
    /// If no setting fits, or memory is lacking.
    pub fn compacted(
        &self,
        max_bytes: u64,
        seed: u64,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<Compacted, CompactionError> {
        let bytes = self.file_bytes()?;
        if bytes <= max_bytes {
            return Ok(Compacted {
                model: self.clone(),
                bytes,
                report: None,
                weights: None,
            });
        }
        let within = |max_bytes| match &self.method {
            Method::Nearest(nearest) => {
                self.compacted_nearest(nearest, max_bytes, seed, executor, kernels)
            }
            Method::Linear(linear) => self.compacted_linear(linear, max_bytes),
            Method::Mach(mach) => self.compacted_mach(mach, max_bytes, executor),
            Method::Embedding(embedding) => self.compacted_embedding(embedding, max_bytes),
        };
        match within(max_bytes) {
            // That left room for the longest of headers: what the smallest file takes shows when it
            // is made.
            Err(CompactionError::TooSmall { smallest, .. }) => {
                let made = within(smallest)?;
                let takes = made.bytes;
                let Some(room) = max_bytes.checked_sub(takes) else {
                    return Err(CompactionError::TooSmall {
                        max_bytes,
                        smallest: takes.min(bytes),
                    });
                };
                // Padding may differ from that of the smallest file.
                let larger = within(smallest + room)?;
                let fits = larger.bytes <= max_bytes;
                Ok(if fits { larger } else { made })
            }
            other => other,
        }
    }

    /// With as many rows and values of nearest neighbors as fit.
    fn compacted_nearest(
        &self,
        nearest: &Nearest,
        max_bytes: u64,
        seed: u64,
        executor: &Executor,
        kernels: &'static dyn Kernels,
    ) -> Result<Compacted, CompactionError> {
        let fixed = self.fixed_bytes();
        let small = nearest.compacted(max_bytes.saturating_sub(fixed), seed, executor, kernels);
        let (nearest, report) = small.map_err(|error| match error {
            CompactionError::TooSmall { smallest, .. } => CompactionError::TooSmall {
                max_bytes,
                smallest: smallest + fixed,
            },
            other => other,
        })?;
        let mut model = Self {
            method: Method::Nearest(nearest),
            ..self.clone()
        };
        let chosen = &report.tried[report.chosen];
        for (name, value) in [
            ("held-out P@1 before compacting", report.before.at_1),
            ("held-out P@1", chosen.precision.at_1),
            ("held-out P@3", chosen.precision.at_3),
            ("held-out P@5", chosen.precision.at_5),
        ] {
            model.provenance.report.push((name.into(), value));
        }
        let bytes = model.file_bytes()?;
        Ok(Compacted {
            model,
            bytes,
            report: Some(report),
            weights: None,
        })
    }

    /// Of 8 and 4 bits, each with as many weights as fit, what changes the weights least.
    fn compacted_mach(
        &self,
        mach: &Mach,
        max_bytes: u64,
        executor: &Executor,
    ) -> Result<Compacted, CompactionError> {
        let fixed = self.fixed_bytes();
        let budget = max_bytes.saturating_sub(fixed);
        let most = mach.weights().bits().min(8);
        let mut best: Option<(f64, HeadWeights)> = None;
        for bits in [4, 8].into_iter().filter(|&bits| bits <= most) {
            let weights = match mach.weights_within(bits, budget, executor) {
                Ok(weights) => weights,
                Err(TrainError::Budget { smallest, .. }) => {
                    let smallest = smallest + fixed;
                    return Err(CompactionError::TooSmall {
                        max_bytes,
                        smallest,
                    });
                }
                Err(_) => {
                    let bytes = mach.bytes() as u64;
                    return Err(FormatError::OutOfMemory { bytes }.into());
                }
            };
            let lost = mach.lost(&weights);
            if best.as_ref().is_none_or(|(least, _)| lost < *least) {
                best = Some((lost, weights));
            }
        }
        let Some((lost, weights)) = best else {
            return Err(FormatError::NothingToWrite.into());
        };
        let bits = weights.bits();
        let model = Self {
            method: Method::Mach(Box::new(mach.with_weights(weights))),
            ..self.clone()
        };
        Ok(Compacted {
            bytes: model.file_bytes()?,
            model,
            report: None,
            weights: Some(FewerWeights {
                bits,
                prune: 0.0,
                lost,
                features: None,
                without: Vec::new(),
            }),
        })
    }

    fn compacted_linear(
        &self,
        linear: &Linear,
        max_bytes: u64,
    ) -> Result<Compacted, CompactionError> {
        // Beside the weights an index of neighbors takes most bytes for what it gives.
        if linear.nearest().is_some() {
            let less = self.with_linear(linear.clone().with(None, linear.embeddings().to_vec()));
            return less.without("neighbors", max_bytes);
        }
        let mut fixed = self.fixed_bytes() + 4 * linear.frequencies().len() as u64;
        for place in linear.embeddings().iter().rev().map(FusedEmbedding::place) {
            let mut bare = self.with_linear(linear.clone().without(place));
            fixed += self.file_bytes()? - bare.file_bytes()?;
            // Half of the weights at least are to fit beside it.
            if max_bytes >= fixed + linear.model().bytes() as u64 / 2 {
                continue;
            }
            if place == LEARNED {
                return bare.without("embedding", max_bytes);
            }
            bare.provenance.report.retain(|(name, _)| name != VECTORS);
            return bare.without("vectors", max_bytes);
        }
        let made = self.with_fewer_weights(linear, fixed, max_bytes);
        if !linear.embeddings().is_empty() {
            return made;
        }
        self.with_fewer_words(made, max_bytes)
    }

    /// Of as many weights as fit beside `fixed` bytes, by fewer bits or less of them, those that
    /// differ least.
    pub(super) fn with_fewer_weights(
        &self,
        linear: &Linear,
        fixed: u64,
        max_bytes: u64,
    ) -> Result<Compacted, CompactionError> {
        let budget = usize::try_from(max_bytes.saturating_sub(fixed)).unwrap_or(usize::MAX);
        let fitted = linear
            .model()
            .fitted(budget)
            .map_err(|least| CompactionError::TooSmall {
                max_bytes,
                smallest: least as u64 + fixed,
            })?;
        let model = self.with_linear(linear.with_model(fitted.model));
        Ok(Compacted {
            bytes: model.file_bytes()?,
            model,
            report: None,
            weights: Some(FewerWeights {
                bits: fitted.bits,
                prune: fitted.prune,
                lost: fitted.lost,
                features: None,
                without: Vec::new(),
            }),
        })
    }

    /// What fits of this model, from which a part was taken.
    fn without(&self, part: &'static str, max_bytes: u64) -> Result<Compacted, CompactionError> {
        let bytes = self.file_bytes()?;
        let Method::Linear(linear) = &self.method else {
            return Err(FormatError::NothingToWrite.into());
        };
        let mut made = match bytes <= max_bytes {
            true => Compacted {
                model: self.clone(),
                bytes,
                report: None,
                weights: None,
            },
            false => self.compacted_linear(linear, max_bytes)?,
        };
        let as_it_is = FewerWeights {
            bits: linear.model().parts().bits,
            ..FewerWeights::default()
        };
        made.weights.get_or_insert(as_it_is).without.push(part);
        Ok(made)
    }

    fn with_linear(&self, linear: Linear) -> Self {
        Self {
            method: Method::Linear(linear),
            ..self.clone()
        }
    }

    /// Rounds the weights to 8 bits, or to 4 if that is still too large.
    fn compacted_embedding(
        &self,
        embedding: &Embedding,
        max_bytes: u64,
    ) -> Result<Compacted, CompactionError> {
        let mut smallest = u64::MAX;
        for bits in [8, 4] {
            let (model, lost) = embedding.model().with_bits(bits);
            let model = Self {
                method: Method::Embedding(embedding.with_model(model)),
                ..self.clone()
            };
            let bytes = model.file_bytes()?;
            smallest = smallest.min(bytes);
            if bytes <= max_bytes {
                let weights = Some(FewerWeights {
                    bits,
                    prune: 0.0,
                    lost,
                    features: None,
                    without: Vec::new(),
                });
                return Ok(Compacted {
                    model,
                    bytes,
                    report: None,
                    weights,
                });
            }
        }
        Err(CompactionError::TooSmall {
            max_bytes,
            smallest,
        })
    }
}
