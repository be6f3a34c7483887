//! What an evaluation says about each label.

use super::Tested;
use crate::failure::Failure;
use hapax::files::write_whole;
use std::{cmp::Reverse, collections::BTreeMap, path::Path};

/// The counts of one label. The predicted set of a row is its first [`Tested::cut`] answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabelFigures {
    pub id: u32,
    /// Training rows that carry the label, where the model knows.
    pub training_rows: Option<u32>,
    /// Test rows that carry it.
    pub support: u64,
    /// Test rows whose predicted set holds it.
    pub predicted: u64,
    /// Test rows of both kinds.
    pub right: u64,
    /// The wrong label that stands most often in the predicted sets of rows that carry this label
    /// and did not get it, and in how many; of equals the first by id.
    pub confused: Option<(u32, u64)>,
}

impl LabelFigures {
    /// Undefined where the label was never predicted.
    pub fn precision(&self) -> Option<f64> {
        share(self.right, self.predicted)
    }

    /// Undefined where no row carries the label.
    pub fn recall(&self) -> Option<f64> {
        share(self.right, self.support)
    }

    /// Defined for every label that occurs in truth or prediction.
    pub fn f1(&self) -> f64 {
        share(2 * self.right, self.support + self.predicted).unwrap_or(0.0)
    }

    /// Rows that lack the label, and rows that have it wrongly.
    pub fn errors(&self) -> u64 {
        self.support + self.predicted - 2 * self.right
    }
}

pub fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Rows that carry the first label, did not get it, and got the second, which is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Confusion {
    pub truth: u32,
    pub answer: u32,
    pub rows: u64,
}

/// All labels that occur in truth or predicted sets, most errors first, and all confusions, most
/// rows first; of equals the first by id.
///
/// Cost: O(rows times cut times labels of a row).
pub fn by_label(tested: &Tested) -> (Vec<LabelFigures>, Vec<Confusion>) {
    let mut labels: BTreeMap<u32, LabelFigures> = BTreeMap::new();
    let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (row, truth) in tested.test.labels().iter().enumerate() {
        let predicted = tested.predicted_set(row);
        for &id in truth {
            labels.entry(id).or_default().support += 1;
        }
        for &id in &predicted {
            let figures = labels.entry(id).or_default();
            figures.predicted += 1;
            figures.right += u64::from(truth.contains(&id));
        }
        let missed = truth.iter().filter(|id| !predicted.contains(id));
        for &id in missed {
            for &wrong in predicted.iter().filter(|id| !truth.contains(id)) {
                *pairs.entry((id, wrong)).or_default() += 1;
            }
        }
    }
    for (&(truth, answer), &rows) in &pairs {
        let figures = labels.entry(truth).or_default();
        if figures.confused.is_none_or(|(_, most)| rows > most) {
            figures.confused = Some((answer, rows));
        }
    }
    let frequencies = tested.model.label_frequencies().ok();
    let figures = labels.into_iter().map(|(id, figures)| LabelFigures {
        id,
        training_rows: frequencies
            .as_ref()
            .map(|of| of.get(id as usize).copied().unwrap_or(0)),
        ..figures
    });
    let mut figures: Vec<_> = figures.collect();
    figures.sort_by_key(|figures| (Reverse(figures.errors()), figures.id));
    let confusions = pairs.into_iter().map(|((truth, answer), rows)| Confusion {
        truth,
        answer,
        rows,
    });
    let mut confusions: Vec<_> = confusions.collect();
    confusions.sort_by_key(|pair| (Reverse(pair.rows), pair.truth, pair.answer));
    (figures, confusions)
}

/// Writes a line of CSV for each label. What is undefined or unknown is an empty field.
pub fn write_csv(path: &Path, tested: &Tested, labels: &[LabelFigures]) -> Result<(), Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: &dyn std::error::Error| Failure::Other(error.to_string());
    writer
        .write_record([
            "label",
            "training_rows",
            "support",
            "predicted",
            "right",
            "precision",
            "recall",
            "f1",
            "confused_with",
            "confused_rows",
        ])
        .map_err(|error| failed(&error))?;
    let decimals = |share: Option<f64>| share.map_or(String::new(), |share| format!("{share:.4}"));
    for figures in labels {
        let (confused, rows) = figures
            .confused
            .map_or_else(Default::default, |(id, rows)| {
                (tested.name(id), rows.to_string())
            });
        let training = figures.training_rows.map(|rows| rows.to_string());
        writer
            .write_record([
                tested.name(figures.id),
                training.unwrap_or_default(),
                figures.support.to_string(),
                figures.predicted.to_string(),
                figures.right.to_string(),
                decimals(figures.precision()),
                decimals(figures.recall()),
                decimals(Some(figures.f1())),
                confused,
                rows,
            ])
            .map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    Ok(write_whole(path, &bytes)?)
}
