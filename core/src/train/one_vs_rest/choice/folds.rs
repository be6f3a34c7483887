//! Training rows held out, once or more, and how many of the others a trial may look at.

use crate::{
    data::{Dataset, Split},
    parameters::one_vs_rest::OneVsRest,
    train::{calibration::share, check_data},
};
use alloc::vec::Vec;

/// Rows to train trials on, and rows to judge them by.
pub(super) struct Fold {
    pub train: Dataset,
    pub test: Dataset,
}

/// Rows below which what is held out says nothing.
const TOO_FEW_ROWS: usize = 100;

/// Held-out rows that are enough: a difference of half a point then is more than chance.
const ENOUGH: usize = 3_000;

/// How often rows are held out at most.
const MOST_FOLDS: usize = 5;

impl Fold {
    /// Divides `data` once or, where rows are few, up to five times; not at all if they are too
    /// few. Texts of labels take no part: rows alone decide.
    pub(crate) fn all(data: &Dataset, seed: u64) -> Vec<Self> {
        let rows = data.labels().measured();
        if rows < TOO_FEW_ROWS {
            return Vec::new();
        }
        let share = share(rows);
        let held_out = (share * rows as f64).max(1.0);
        let times = (ENOUGH as f64 / held_out) as usize;
        let times = times.clamp(1, MOST_FOLDS);
        let one = |fold: usize| {
            let split = Split::new(rows, share, seed.wrapping_add(fold as u64)).ok()?;
            let train = data.select(&split.train);
            let test = data.select(&split.held_out);
            check_data(&train).is_ok().then_some(Self { train, test })
        };
        (0..times).filter_map(one).collect()
    }

    /// Every so many-th row to train on, so that `share` of them are left; `None` if they are too
    /// few to learn from.
    pub(crate) fn sampled(&self, share: f64) -> Option<Dataset> {
        let rows = self.train.len();
        let kept = ((rows as f64 * share) as usize).clamp(1, rows);
        // Rows were held out at random: to leave some out, too, any will do.
        let at = |place: usize| (place as u64 * rows as u64 / kept as u64) as usize;
        let sample: Vec<usize> = (0..kept).map(at).collect();
        let data = self.train.select(&sample);
        check_data(&data).is_ok().then_some(data)
    }
}

impl OneVsRest {
    /// What a training on `share` of the rows of `data` costs: visits of a stored value by a label,
    /// the visit of a row counting as four. About a nanosecond each.
    #[must_use]
    pub(crate) fn work(&self, data: &Dataset, share: f64) -> f64 {
        let rows = data.len() as f64 * share;
        let values = data.rows().nonzeros() as f64 * share + ROW * rows;
        let labels = f64::from(data.labels().labels());
        match self.takes_all(data) {
            true => labels * values,
            false => {
                // Sixteen labels share the rows that they are held against.
                let carried = data.labels().total() as f64 * share / labels.max(1.0);
                let mined = f64::from(self.mine) * rows / labels.max(1.0);
                let block = f64::from(self.pool) + 16.0 * (carried + mined);
                let solving = labels * values * (block / rows.max(1.0)).min(1.0);
                f64::from(self.rounds) * (solving + MINING * labels * rows)
            }
        }
    }
}

/// Values that visiting a row costs as much as.
const ROW: f64 = 4.0;

/// Values that scoring a label of a row costs as much as while rows are mined.
const MINING: f64 = 0.3;

#[cfg(test)]
mod tests {
    use super::Fold;
    use crate::{
        data::{Dataset, Documents, LabelLists},
        executor::Sequential,
        sparse::{SparseRows, SparseVec},
        text::{Vectorizer, VectorizerOptions},
    };
    use alloc::{string::ToString, vec::Vec};

    fn data(rows: usize) -> Dataset {
        let (mut sparse, mut lists) = (SparseRows::new(50), LabelLists::new(9));
        for row in 0..rows as u32 {
            let row_of = SparseVec::from_pairs([(row % 50, 1.0)]).unwrap();
            sparse.push(row_of.view()).unwrap();
            lists.push([row % 9]);
        }
        Dataset::new(sparse, lists, None).unwrap()
    }

    #[test]
    fn texts_of_labels_are_in_no_fold() {
        let text = |row: usize| (alloc::format!("word{}", row % 9), [(row % 9).to_string()]);
        let mut documents = Documents::new((0..200).map(text)).unwrap();
        documents.describe((0..60).map(text)).unwrap();
        let options = VectorizerOptions::default();
        let vectorizer = Vectorizer::fit_transform(&documents.texts, options, &Sequential)
            .unwrap()
            .0;
        let rows = vectorizer.transform_all(&documents.texts, &Sequential);
        let data = Dataset::new(rows, documents.labels, Some(documents.label_names)).unwrap();
        let rows: Vec<usize> = (0..200).collect();
        let (found, expected) = (Fold::all(&data, 1), Fold::all(&data.select(&rows), 1));
        assert_eq!((found.len(), expected.len()), (5, 5));
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.train, expected.train);
            assert_eq!(found.test, expected.test);
        }
    }

    #[test]
    fn few_rows_are_held_out_more_than_once_and_too_few_not_at_all() {
        for (rows, folds, held_out) in [
            (99, 0, 0),
            (100, 5, 20),
            (3_000, 5, 600),
            (8_000, 3, 800),
            (30_000, 1, 3_000),
        ] {
            let found = Fold::all(&data(rows), 1);
            assert_eq!(found.len(), folds, "{rows}");
            for fold in found {
                assert_eq!(
                    (fold.test.len(), fold.train.len()),
                    (held_out, rows - held_out)
                );
                assert_eq!(fold.sampled(0.25).unwrap().len(), (rows - held_out) / 4);
                assert_eq!(fold.sampled(1.0).unwrap().len(), rows - held_out);
            }
        }
    }
}
