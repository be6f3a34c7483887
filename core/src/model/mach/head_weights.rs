//! The weights of the heads as a model holds them: as they were trained, or packed.
//!
//! There are R B logits, and for each feature a row of R B weights. Dense weights are 32-bit
//! numbers row by row. Packed weights are records ([`super::record`]) of 4 or 8 bits a weight,
//! those that matter; logits are added up from the records as they are. Biases, R B numbers, are
//! never rounded.

use super::record::{self, RecordError};
use crate::{
    array::Array,
    kernels::{Kernels, Term},
};
use alloc::{boxed::Box, vec::Vec};

/// Records that share a stored offset.
pub const RECORDS: usize = 16;

/// Linear maps from D features to R B logits; see the module's text.
#[derive(Clone, Debug)]
pub struct HeadWeights {
    pub(super) features: u32,
    pub(super) repetitions: usize,
    pub(super) buckets: usize,
    pub(super) biases: Array<f32>,
    pub(super) form: Form,
    scales: Box<[f32; 256]>,
}

/// How weights are held.
#[derive(Clone, Debug)]
pub enum Form {
    /// Rows of weights.
    Dense(Array<f32>),
    /// Records.
    Packed(Packed),
}

/// Records of 4 or 8 bits a weight.
#[derive(Clone, Debug)]
pub struct Packed {
    /// 4 or 8.
    pub bits: u32,
    /// Where each 16th record starts, and where the last one ends.
    pub offsets: Array<u32>,
    /// The records.
    pub records: Array<u8>,
}

/// Why arrays do not make weights of heads.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WeightsError {
    /// There are more rows of weights than can be numbered, or the arrays have the wrong lengths.
    Lengths,
    /// A weight or bias is NaN, infinite or beyond 1e15 in size.
    NotFinite {
        /// Its place.
        at: usize,
    },
    /// Offsets do not begin at 0, do not rise, or do not end where the records end.
    Offsets {
        /// The place.
        at: usize,
    },
    /// A record breaks its grammar.
    Record {
        /// Its number.
        record: usize,
        /// The rule.
        error: RecordError,
    },
}

/// The largest size of a weight: with as many terms as fit a row, logits stay finite.
const MOST: f32 = 1e15;

impl HeadWeights {
    /// Checks the parts and makes them weights.
    ///
    /// Cost: one pass over all weights.
    ///
    /// # Errors
    /// If they break a rule of [`WeightsError`].
    pub(crate) fn from_parts(
        features: u32,
        repetitions: usize,
        buckets: usize,
        biases: Array<f32>,
        form: Form,
    ) -> Result<Self, WeightsError> {
        let weights = Self {
            features,
            repetitions,
            buckets,
            biases,
            form,
            scales: Box::new(record::scales()),
        };
        weights.check()?;
        Ok(weights)
    }

    /// Logits: a number a head and bucket.
    #[must_use]
    pub(crate) fn width(&self) -> usize {
        self.repetitions * self.buckets
    }

    fn check(&self) -> Result<(), WeightsError> {
        let logits = self.repetitions.checked_mul(self.buckets);
        let Some(logits) = logits else {
            return Err(WeightsError::Lengths);
        };
        let records = self.records();
        let wild = |w: &f32| !(-MOST..=MOST).contains(w);
        if self.biases.len() != logits {
            return Err(WeightsError::Lengths);
        }
        if let Some(at) = self.biases.iter().position(wild) {
            return Err(WeightsError::NotFinite { at });
        }
        match &self.form {
            Form::Dense(weights) => {
                if records.checked_mul(self.width()) != Some(weights.len()) {
                    return Err(WeightsError::Lengths);
                }
                match weights.iter().position(wild) {
                    Some(at) => Err(WeightsError::NotFinite { at }),
                    None => Ok(()),
                }
            }
            Form::Packed(packed) => packed.check(records, self.width()),
        }
    }

    /// The model's logits for a row's values, features below D only.
    ///
    /// Cost: O(R B) a value, or O(stored weights of the features).
    pub(crate) fn logits(
        &self,
        values: &(impl Iterator<Item = (u32, f32)> + Clone),
        bias: f32,
        kernels: &dyn Kernels,
        terms: &mut Vec<Term>,
        out: &mut Vec<f32>,
    ) {
        out.clear();
        out.extend(self.biases.iter().map(|b| b * bias));
        let own = |(feature, value)| Term {
            row: feature,
            value,
        };
        match &self.form {
            Form::Dense(weights) => {
                terms.clear();
                terms.extend(values.clone().map(own));
                kernels.add_terms(out, weights, terms);
            }
            Form::Packed(packed) => {
                for (feature, value) in values.clone() {
                    self.add_record(packed, feature as usize, value, out);
                }
            }
        }
    }

    /// Adds the weights of a record, times `value`.
    fn add_record(&self, packed: &Packed, record: usize, value: f32, sums: &mut [f32]) {
        let Some((scale, weights)) = packed.record(record) else {
            return;
        };
        let most = if packed.bits == 4 { 7.0 } else { 127.0 };
        let worth = value * (self.scales[usize::from(scale)] / most);
        let add = |position: usize, level: i8| {
            if let Some(sum) = sums.get_mut(position) {
                *sum += worth * f32::from(level);
            }
        };
        // Two calls, so that each is compiled for its number of bits.
        if packed.bits == 4 {
            record::read(weights, 4, add);
        } else {
            record::read(weights, 8, add);
        }
    }

    /// The weights of a row, decoded.
    pub(crate) fn row_into(&self, record: usize, out: &mut Vec<f32>) {
        let width = self.width();
        out.clear();
        match &self.form {
            Form::Dense(weights) => {
                out.extend_from_slice(
                    weights
                        .get(record * width..(record + 1) * width)
                        .unwrap_or(&[]),
                );
            }
            Form::Packed(packed) => {
                out.resize(width, 0.0);
                self.add_record(packed, record, 1.0, out);
            }
        }
    }

    /// Rows of weights: one a feature.
    #[must_use]
    pub(crate) fn records(&self) -> usize {
        self.features as usize
    }

    /// Bits of a weight: 32, 8 or 4.
    #[must_use]
    pub fn bits(&self) -> u32 {
        match &self.form {
            Form::Dense(_) => 32,
            Form::Packed(packed) => packed.bits,
        }
    }

    /// How the weights are held.
    #[must_use]
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// The biases: a number a head and bucket.
    #[must_use]
    pub(crate) fn biases(&self) -> &Array<f32> {
        &self.biases
    }

    /// Heads R.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        self.repetitions
    }

    /// Buckets B.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.buckets
    }

    /// Features D.
    #[must_use]
    pub(crate) fn features(&self) -> u32 {
        self.features
    }

    /// Bytes of the arrays, in a file as in memory.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        4 * self.biases.len()
            + match &self.form {
                Form::Dense(weights) => 4 * weights.len(),
                Form::Packed(packed) => 4 * packed.offsets.len() + packed.records.len(),
            }
    }

    /// Number of stored weights that are not 0.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        let mut row = Vec::new();
        (0..self.records())
            .map(|record| {
                self.row_into(record, &mut row);
                row.iter().filter(|w| **w != 0.0).count()
            })
            .sum()
    }
}

impl Packed {
    /// The scale and weights of a record; none if it has no weights.
    fn record(&self, record: usize) -> Option<(u8, &[u8])> {
        let start = *self.offsets.get(record / RECORDS)? as usize;
        let mut bytes = self.records.get(start..)?;
        for _ in 0..record % RECORDS {
            record::take(&mut bytes).ok()?;
        }
        record::take(&mut bytes).ok()?
    }

    fn check(&self, records: usize, width: usize) -> Result<(), WeightsError> {
        if !matches!(self.bits, 4 | 8) || self.offsets.len() != records.div_ceil(RECORDS) + 1 {
            return Err(WeightsError::Lengths);
        }
        if self.offsets.first() != Some(&0) {
            return Err(WeightsError::Offsets { at: 0 });
        }
        let mut at = 0usize;
        for (block, &end) in self.offsets[1..].iter().enumerate() {
            let wrong = WeightsError::Offsets { at: block + 1 };
            let mut bytes = self.records.get(at..end as usize).ok_or(wrong)?;
            for record in block * RECORDS..((block + 1) * RECORDS).min(records) {
                let found = record::take(&mut bytes);
                let checked = found.and_then(|found| match found {
                    Some((_, weights)) => record::check(weights, self.bits, width),
                    None => Ok(()),
                });
                checked.map_err(|error| WeightsError::Record { record, error })?;
            }
            if !bytes.is_empty() {
                return Err(wrong);
            }
            at = end as usize;
        }
        if at == self.records.len() {
            Ok(())
        } else {
            Err(WeightsError::Offsets {
                at: self.offsets.len() - 1,
            })
        }
    }
}
