//! What made a model.

use crate::data::{Dataset, IndexBase};
use alloc::{format, string::String, vec::Vec};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3;

/// What made a model: kept in its file and shown by `hapax inspect`.
///
/// Holds nothing that may differ between two runs on the same data with the same parameters
/// and seed: no times, no thread counts, no machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The algorithm, as on the command line.
    pub algorithm: String,
    /// The release that trained the model.
    pub library: String,
    /// The seed of all random draws.
    pub seed: u64,
    /// Training rows.
    pub rows: u64,
    /// Features of the training data.
    pub features: u32,
    /// Labels of the training data.
    pub labels: u32,
    /// Stored values of the training rows.
    pub nonzeros: u64,
    /// Labels of all training rows together.
    pub label_total: u64,
    /// Where the feature indices of the training file started, if it held rows.
    pub index_base: Option<IndexBase>,
    /// Which columns of a table the training data were read from, in the words of the program that
    /// read it: a section of its own in the file, absent where there was no table.
    #[serde(skip)]
    pub columns: Option<String>,
    /// XXH3 of the rows and their labels: equal data, equal fingerprint.
    pub fingerprint: u64,
    /// Figures measured while training, such as held-out scores.
    pub report: Vec<(String, f64)>,
}

/// What the report calls the number of texts of labels: the last of the rows.
const LABEL_TEXTS: &str = "texts of labels";

impl Provenance {
    /// The record of training `algorithm` on `data` with `seed`.
    #[must_use]
    pub(crate) fn new(algorithm: &str, data: &Dataset, seed: u64) -> Self {
        let texts = data.len() - data.labels().measured();
        let texts = (texts > 0).then(|| (LABEL_TEXTS.into(), texts as f64));
        Self {
            algorithm: algorithm.into(),
            library: format!("hapax {}", env!("CARGO_PKG_VERSION")),
            seed,
            rows: data.len() as u64,
            features: data.rows().features(),
            labels: data.labels().labels(),
            nonzeros: data.rows().nonzeros() as u64,
            label_total: data.labels().total() as u64,
            index_base: None,
            columns: None,
            fingerprint: fingerprint(data),
            report: texts.into_iter().collect(),
        }
    }

    /// The record of a training on rows that were made of these: their values and fingerprint are
    /// those of `data`.
    #[must_use]
    pub(crate) fn made_of(self, data: &Dataset) -> Self {
        Self {
            nonzeros: data.rows().nonzeros() as u64,
            fingerprint: fingerprint(data),
            ..self
        }
    }

    /// Whether training row `row` was a text of labels rather than a row of the data.
    pub(super) fn is_label_text(&self, row: u32) -> bool {
        let told = self.report.iter().find(|(name, _)| name == LABEL_TEXTS);
        let texts = told.map_or(0, |&(_, texts)| texts as u64);
        let row = u64::from(row);
        row < self.rows && row >= self.rows.saturating_sub(texts)
    }

    /// The record of a model that went on with `data`: rows are added up, and the fingerprint is of
    /// both fingerprints.
    #[must_use]
    pub(crate) fn went_on(&self, data: &Dataset) -> Self {
        let more = Self::new(&self.algorithm, data, self.seed);
        let both = [
            self.fingerprint.to_le_bytes(),
            more.fingerprint.to_le_bytes(),
        ];
        let mut hasher = Xxh3::new();
        hasher.update(both.as_flattened());
        Self {
            rows: self.rows.saturating_add(more.rows),
            nonzeros: self.nonzeros.saturating_add(more.nonzeros),
            label_total: self.label_total.saturating_add(more.label_total),
            index_base: self.index_base,
            columns: self.columns.clone(),
            fingerprint: hasher.digest(),
            ..more
        }
    }
}

/// XXH3 of the rows and their labels.
pub(crate) fn fingerprint(data: &Dataset) -> u64 {
    let mut hasher = Xxh3::new();
    for (row, labels) in data.rows().iter().zip(data.labels().iter()) {
        hasher.update(&(row.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(row.indices()));
        hasher.update(bytemuck::cast_slice(row.values()));
        hasher.update(&(labels.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(labels));
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::fingerprint;
    use crate::{
        data::{Dataset, LabelLists},
        sparse::{SparseRows, SparseView},
    };

    #[test]
    fn the_fingerprint_tells_data_apart_and_nothing_else() {
        let data = |value: f32, label: u32| {
            let mut rows = SparseRows::new(3);
            rows.push(SparseView::new(&[1], &[value]).unwrap()).unwrap();
            let mut labels = LabelLists::new(5);
            labels.push([label]);
            Dataset::new(rows, labels, None).unwrap()
        };
        let first = fingerprint(&data(1.0, 2));
        assert_eq!(first, fingerprint(&data(1.0, 2)));
        assert_ne!(first, fingerprint(&data(1.5, 2)));
        assert_ne!(first, fingerprint(&data(1.0, 3)));
    }
}
