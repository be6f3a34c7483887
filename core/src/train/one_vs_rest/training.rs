//! One-vs-rest with mined negatives: one binary machine for each label, trained on the rows that
//! carry it and on the few other rows that matter.
//!
//! Problem: [`super::label_solver`]'s for each of L labels, over N rows of D features. With
//! [`Negatives::All`](super::parameters::Negatives::All) every row takes part and the optimum is
//! LIBLINEAR's. With [`Negatives::Mined`](super::parameters::Negatives::Mined), each label starts
//! with its own rows and a random pool shared by all labels; then, in rounds, all labels are
//! scored for every row with the present weights, pruned and rounded to bytes, and a row becomes a
//! negative of each wrong label among its best `mine`. All rounds but the last see only the largest
//! values of a row. With 65,536 labels and more, a row of the pool counts as several without the
//! label; with 131,072 and more, several rounds of mining look at every second row in turn. That
//! the maximum over all labels need only be approximated while training is the idea of the paper on
//! inexact margins (MEMOIR).
//!
//! A bias fixed at -1 lets a label be silent about rows that share no feature with it, so that
//! few negatives suffice and weights stay sparse.
//!
//! Cost: O(values) a sweep over a label's working rows, one scoring of all labels a row and
//! mining. Memory: 4 bytes a value of the rows (and of their short copies), one array of D
//! weights a thread, 8 bytes a dual, 5 bytes a kept weight: L x D is never dense.
//!
//! Equal data, parameters and seed give equal models for any number of threads: every label has
//! its own stream, and mining adds whole numbers, whose order does not matter.

use crate::parameters::one_vs_rest::OneVsRest;
use crate::{
    data::Dataset,
    executor::Executor,
    kernels::Kernels,
    model::linear::LinearModel,
    parameters::RowTransform,
    train::{TrainError, heard},
};
use core::ops::ControlFlow;

/// What a part of the work was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Solving labels.
    Solve,
    /// Mining rows.
    Mine,
    /// Softmax regression over the stored weights, by epochs.
    Softmax,
}

/// How far training has come, after a part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The round, from 0.
    pub round: u32,
    /// Number of rounds.
    pub rounds: u32,
    /// What was done.
    pub stage: Stage,
    /// Labels, rows or epochs done in this stage.
    pub done: usize,
    /// Labels, rows or epochs of this stage.
    pub of: usize,
    /// Sweeps over a label's rows in this part, all labels together.
    pub sweeps: u64,
}

impl OneVsRest {
    /// Trains from begin to end. `progress` hears of every part and may stop the work.
    ///
    /// # Errors
    /// As [`OneVsRest::trainer`] and [`Training::finish`](crate::train::Training::finish).
    pub fn train(
        &self,
        data: &Dataset,
        executor: &Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<LinearModel, TrainError> {
        self.train_from(None, data, executor, kernels, progress)
    }

    /// Trains as [`OneVsRest::train`] does, from an earlier model if there is one; see
    /// [`super::trainer::Trainer::start_from`].
    ///
    /// # Errors
    /// As [`OneVsRest::train`], and if the model does not fit the data.
    pub(crate) fn train_from(
        &self,
        start: Option<&LinearModel>,
        data: &Dataset,
        executor: &Executor,
        kernels: &dyn Kernels,
        progress: impl FnMut(Report) -> ControlFlow<()>,
    ) -> Result<LinearModel, TrainError> {
        let mut trainer = self.trainer(data, executor, kernels)?;
        if let Some(model) = start {
            trainer.start_from(model)?;
        }
        heard(trainer, executor, progress)
    }

    /// The transform that rows go through in training and prediction.
    #[must_use]
    pub(crate) fn transform(&self) -> RowTransform {
        RowTransform {
            exponent: self.exponent,
            normalize: self.normalize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OneVsRest, Stage};
    use crate::{
        data::{Dataset, Documents, LabelLists},
        executor::Sequential,
        kernels::Portable,
        model::linear::{LinearModel, LinearScratch},
        parameters::one_vs_rest::{Bias, Negatives},
        sparse::{SparseRows, SparseVec},
        text::{FeatureSpace, Vectorizer, VectorizerOptions},
        train::TrainError,
    };
    use alloc::{vec, vec::Vec};
    use core::ops::ControlFlow;

    fn data(rows: &[(&[u32], &[u32])], labels: u32) -> Dataset {
        let mut sparse = SparseRows::new(6);
        let mut lists = LabelLists::new(labels);
        for (features, ids) in rows {
            let pairs = features.iter().map(|&f| (f, 1.0));
            sparse
                .push(SparseVec::from_pairs(pairs).unwrap().view())
                .unwrap();
            lists.push(ids.iter().copied());
        }
        Dataset::new(sparse, lists, None).unwrap()
    }

    fn train(data: &Dataset, parameters: &OneVsRest) -> Result<LinearModel, TrainError> {
        parameters.train(data, &Sequential, &Portable, |_| ControlFlow::Continue(()))
    }

    fn ids(model: &LinearModel, features: &[u32]) -> Vec<u32> {
        let row = SparseVec::from_pairs(features.iter().map(|&f| (f, 1.0))).unwrap();
        let mut scratch = LinearScratch::default();
        model
            .predict(row.view(), 9, &mut scratch)
            .iter()
            .map(|s| s.id)
            .collect()
    }

    const EVERY_WAY: [Negatives; 2] = [Negatives::All, Negatives::Mined];

    #[test]
    fn labels_without_rows_come_last_and_empty_rows_are_no_trouble() {
        let rows: &[(&[u32], &[u32])] =
            &[(&[0, 1], &[1]), (&[], &[1]), (&[2, 3], &[3]), (&[4], &[])];
        for negatives in EVERY_WAY {
            for bias in [Bias::Fixed(-1.0), Bias::Learned(1.0)] {
                let parameters = OneVsRest {
                    negatives,
                    bias,
                    pool: 1_000,
                    ..OneVsRest::default()
                };
                let model = train(&data(rows, 5), &parameters).unwrap();
                assert_eq!(ids(&model, &[0]), [1, 3, 0, 2, 4]);
                assert_eq!(ids(&model, &[2, 5]), [3, 1, 0, 2, 4]);
                assert_eq!(ids(&model, &[]).len(), 5);
            }
        }
    }

    #[test]
    fn a_pool_larger_than_the_data_is_all_of_it() {
        let rows: &[(&[u32], &[u32])] = &[(&[0, 1], &[0]), (&[1, 2], &[1]), (&[2, 3], &[2])];
        let with_pool = |pool| OneVsRest {
            negatives: Negatives::Mined,
            pool,
            ..OneVsRest::default()
        };
        let data = data(rows, 3);
        let [exact, larger] = [3, 1_000].map(|pool| train(&data, &with_pool(pool)).unwrap());
        assert_eq!(exact, larger);
        assert_eq!(ids(&larger, &[2, 3])[0], 2);
    }

    #[test]
    fn one_label_that_all_rows_carry_is_learned() {
        for negatives in EVERY_WAY {
            let parameters = OneVsRest {
                negatives,
                ..OneVsRest::default()
            };
            let model = train(&data(&[(&[0], &[0]), (&[1], &[0])], 1), &parameters).unwrap();
            assert_eq!(ids(&model, &[0]), [0]);
        }
    }

    #[test]
    fn a_label_of_all_rows_ranks_behind_what_is_sure() {
        let rows: &[(&[u32], &[u32])] = &[(&[0], &[0, 1]), (&[1], &[0, 2]), (&[0, 2], &[0, 1])];
        for negatives in EVERY_WAY {
            let parameters = OneVsRest {
                negatives,
                ..OneVsRest::default()
            };
            let model = train(&data(rows, 3), &parameters).unwrap();
            assert_eq!(ids(&model, &[1])[2], 1);
            assert_eq!(ids(&model, &[0])[2], 2);
        }
    }

    #[test]
    fn centroids_and_priors_are_added_to_weights_and_biases() {
        let rows: &[(&[u32], &[u32])] = &[(&[0], &[0]), (&[0], &[0]), (&[1], &[1])];
        let score = |centroid, prior| {
            let parameters = OneVsRest {
                centroid,
                prior,
                ..OneVsRest::default()
            };
            let model = train(&data(rows, 2), &parameters).unwrap();
            let row = SparseVec::from_pairs([(0, 1.0)]).unwrap();
            model.predict(row.view(), 1, &mut LinearScratch::default())[0].score
        };
        let plain = score(0.0, 0.0);
        assert!((score(0.5, 0.0) - plain - 0.5).abs() < 0.02);
        let two_rows = 0.1 * (4f32 / 3.0).ln();
        assert!((score(0.0, 0.1) - plain - two_rows).abs() < 0.02);
    }

    #[test]
    fn a_label_of_which_only_texts_are_known_is_raised() {
        let rows = [("red fruit", "a"), ("red wine", "a"), ("blue sky", "b")];
        let texts = [("blue paint", "b"), ("green sky and fruit", "z")];
        let labelled = |rows: &[(&'static str, &'static str)]| {
            let rows = rows.iter().map(|&(text, label)| (text, [label]));
            rows.collect::<Vec<_>>()
        };
        let mut described = Documents::new(labelled(&rows)).unwrap();
        described.describe(labelled(&texts)).unwrap();
        let plain = Documents::new(labelled(&[&rows[..], &texts].concat())).unwrap();
        let scores = |documents: Documents| {
            let features = FeatureSpace::Vocabulary {
                min_documents: 1,
                max_document_share: 1.0,
                max_features: None,
            };
            let options = VectorizerOptions {
                features,
                ..VectorizerOptions::default()
            };
            let vectorizer = Vectorizer::fit_transform(&documents.texts, options, &Sequential)
                .unwrap()
                .0;
            let rows = vectorizer.transform_all(&documents.texts, &Sequential);
            let data = Dataset::new(rows, documents.labels, Some(documents.label_names)).unwrap();
            let model = train(&data, &OneVsRest::default()).unwrap();
            let mut scratch = LinearScratch::default();
            let mut best = model.predict(data.rows().row(0), 3, &mut scratch).to_vec();
            best.sort_by_key(|scored| scored.id);
            best.into_iter()
                .map(|scored| scored.score)
                .collect::<Vec<f32>>()
        };
        let [described, plain] = [described, plain].map(scores);
        // b has a row beside its text.
        assert_eq!(described[..2], plain[..2]);
        assert!((described[2] - plain[2] - 0.1).abs() < 1e-6);
    }

    #[test]
    fn a_model_that_does_not_fit_is_no_start() {
        let rows: &[(&[u32], &[u32])] = &[(&[0], &[0]), (&[1], &[1]), (&[2, 3], &[2])];
        let parameters = OneVsRest {
            negatives: Negatives::Mined,
            ..OneVsRest::default()
        };
        let model = train(&data(rows, 3), &parameters).unwrap();
        let start = |parameters: &OneVsRest, data: &Dataset| {
            parameters.train_from(Some(&model), data, &Sequential, &Portable, |_| {
                ControlFlow::Continue(())
            })
        };
        let more = start(&parameters, &data(rows, 5)).unwrap();
        assert_eq!(ids(&more, &[2, 3])[0], 2, "labels may be new");
        let (what, known, given) = ("labels", 3, 2);
        let differ = TrainError::StartDiffers {
            what,
            model: known,
            data: given,
        };
        assert_eq!(start(&parameters, &data(&rows[..2], 2)), Err(differ));
        let other = OneVsRest {
            exponent: 0.5,
            ..parameters
        };
        assert_eq!(
            start(&other, &data(rows, 3)),
            Err(TrainError::StartTransform)
        );
    }

    #[test]
    fn nothing_to_learn_from_and_bad_parameters_are_refused() {
        let parameters = OneVsRest::default();
        for (rows, error) in [
            (&[][..], TrainError::NoRows),
            (&[(&[][..], &[0u32][..])], TrainError::NoFeatures),
            (&[(&[0][..], &[][..])], TrainError::NoLabels),
        ] {
            assert_eq!(train(&data(rows, 2), &parameters), Err(error));
        }
        let bad = OneVsRest {
            cost: -1.0,
            ..parameters
        };
        let fine = data(&[(&[0], &[0])], 1);
        assert!(matches!(train(&fine, &bad), Err(TrainError::Parameter(_))));
    }

    #[test]
    fn progress_names_every_part_and_can_stop_the_work() {
        let fine = data(&[(&[0], &[0]), (&[1], &[1])], 2);
        let parameters = OneVsRest {
            negatives: Negatives::Mined,
            rounds: 2,
            ..OneVsRest::default()
        };
        let mut stages = vec![];
        let trained = parameters.train(&fine, &Sequential, &Portable, |report| {
            stages.push((report.round, report.stage));
            ControlFlow::Continue(())
        });
        assert!(trained.is_ok());
        assert_eq!(
            stages,
            [(0, Stage::Solve), (1, Stage::Mine), (1, Stage::Solve)]
        );
        let stopped = parameters.train(&fine, &Sequential, &Portable, |_| ControlFlow::Break(()));
        assert_eq!(stopped, Err(TrainError::Stopped));
    }
}
