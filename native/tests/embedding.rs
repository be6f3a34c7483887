//! Embeddings with threads and with every kernel: the same bytes; and what they reach on real data.
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not fail")]

use hapax::{
    core::{
        data::{Dataset, LabelLists, ReadOptions, Source, read},
        executor::Sequential,
        model::{Method, Model, Scratch},
        parameters::{
            EmbeddingTraining, NearestMean, Sampled, ViolatorSearch, Wsabie, WsabieSteps,
        },
        random::Stream,
        sparse::{SparseRows, SparseVec},
    },
    files::read_text,
    kernels,
    threads::Threads,
};
use std::ops::ControlFlow;

/// Rows of 90 classes with some features of their own.
fn data(rows: usize, labels: usize) -> Dataset {
    let mut dice = Stream::new(2, 0);
    let (mut made, mut lists) = (SparseRows::new(200), LabelLists::new(90));
    for _ in 0..rows {
        let own: Vec<u32> = (0..labels).map(|_| dice.below(90) as u32).collect();
        let pairs = (0..15).map(|at| {
            let feature = match own.get(at % 3) {
                Some(label) => (label * 7 + dice.below(9) as u32 * 11) % 200,
                None => dice.below(200) as u32,
            };
            (feature, 0.5 + dice.unit() as f32)
        });
        made.push(
            SparseVec::from_pairs(pairs.collect::<Vec<_>>())
                .unwrap()
                .view(),
        )
        .unwrap();
        lists.push(own);
    }
    Dataset::new(made, lists, None).unwrap()
}

/// Every trainer, with batches so that threads have something to share.
fn every_training() -> Vec<EmbeddingTraining> {
    let batch = |base: Wsabie| Wsabie {
        batch: 24,
        dimensions: 19,
        epochs: 3,
        ..base
    };
    let mut all = vec![
        EmbeddingTraining::NearestMean(NearestMean::default()),
        EmbeddingTraining::Sampled(Sampled {
            epochs: 2,
            ..Sampled::one_vs_all()
        }),
        EmbeddingTraining::Sampled(Sampled {
            epochs: 2,
            max_norm: 0.7,
            ..Sampled::auc()
        }),
        EmbeddingTraining::Wsabie(batch(Wsabie {
            violators: 4,
            ..Wsabie::plus_plus()
        })),
        EmbeddingTraining::Wsabie(batch(Wsabie::published())),
        EmbeddingTraining::Wsabie(batch(Wsabie::distances())),
    ];
    for steps in [
        WsabieSteps::Plain,
        WsabieSteps::AdaGrad,
        WsabieSteps::AdaGradByFeature,
    ] {
        for search in [
            ViolatorSearch::Cyclic,
            ViolatorSearch::Replacement,
            ViolatorSearch::Blocks {
                classes: 32,
                top: 3,
            },
        ] {
            let base = Wsabie {
                steps,
                search,
                max_norm: 2.0,
                ..Wsabie::default()
            };
            all.push(EmbeddingTraining::Wsabie(batch(base)));
        }
    }
    all
}

fn bytes(
    training: &EmbeddingTraining,
    data: &Dataset,
    threads: usize,
    kernels: &'static dyn hapax::core::kernels::Kernels,
) -> Vec<u8> {
    let threads = Threads::new(threads).unwrap();
    let mut go_on = |_| ControlFlow::Continue(());
    let model =
        Model::train_embedding(training, None, data, None, &threads, kernels, &mut go_on).unwrap();
    model.to_bytes().unwrap()
}

#[test]
fn any_number_of_threads_and_any_kernels_give_the_same_bytes() {
    let data = data(600, 2);
    for training in every_training() {
        let expected = bytes(&training, &data, 1, kernels::available()[0]);
        for threads in [2, 8] {
            assert!(
                bytes(&training, &data, threads, kernels::best()) == expected,
                "{threads}: {training:?}"
            );
        }
        for kernels in kernels::available() {
            assert!(
                bytes(&training, &data, 1, kernels) == expected,
                "{}: {training:?}",
                kernels.processor().name()
            );
        }
    }
}

#[test]
fn every_kernel_gives_the_same_answers() {
    let data = data(300, 1);
    let mut go_on = |_| ControlFlow::Continue(());
    for bits in [32, 8, 4] {
        for training in [
            EmbeddingTraining::Wsabie(Wsabie {
                bits,
                ..Wsabie::default()
            }),
            EmbeddingTraining::Wsabie(Wsabie {
                bits,
                dimensions: 13,
                ..Wsabie::distances()
            }),
            EmbeddingTraining::NearestMean(NearestMean {
                bits,
                ..NearestMean::default()
            }),
        ] {
            let model = Model::train_embedding(
                &training,
                None,
                &data,
                None,
                &Sequential,
                kernels::best(),
                &mut go_on,
            )
            .unwrap();
            for kernels in kernels::available() {
                let (mut wide, mut plain) = (Scratch::new(kernels), Scratch::default());
                for row in data.rows().iter() {
                    let found = model.predict(row, 7, &mut wide).unwrap();
                    let expected = model.predict(row, 7, &mut plain).unwrap();
                    assert_eq!(found, expected, "{}", kernels.processor().name());
                }
            }
        }
    }
}

/// Every label scored by itself, in f64, from the stored vectors.
#[test]
fn answers_are_those_of_a_plain_scan() {
    let data = data(300, 2);
    let mut go_on = |_| ControlFlow::Continue(());
    for training in every_training() {
        let model = Model::train_embedding(
            &training,
            None,
            &data,
            None,
            &Sequential,
            kernels::best(),
            &mut go_on,
        )
        .unwrap();
        let Method::Embedding(embedding) = model.method() else {
            panic!("another method")
        };
        let (parts, vectors) = (embedding.model().parts(), embedding.model().vectors());
        let mut scratch = Scratch::default();
        let mut values = Vec::new();
        for row in data.rows().iter().take(40) {
            values.clear();
            values.extend_from_slice(row.values());
            assert_eq!(parts.transform.exponent, 1.0);
            if parts.transform.normalize {
                let length = row.norm();
                let scaled = |value: &mut f32| *value = (f64::from(*value) / length) as f32;
                values.iter_mut().for_each(scaled);
            }
            let mut point = vec![0f64; vectors.dimensions];
            for (&feature, &value) in row.indices().iter().zip(&values) {
                let at = feature as usize;
                if parts.embedding.is_none() {
                    point[at] = f64::from(value);
                    continue;
                }
                let vector = &vectors.embedding[at * vectors.dimensions..][..vectors.dimensions];
                point
                    .iter_mut()
                    .zip(vector)
                    .for_each(|(z, &w)| *z += f64::from(w) * f64::from(value));
            }
            let score = |prototype: &[f32]| -> f64 {
                let pairs = prototype.iter().zip(&point);
                if parts.euclidean {
                    -pairs.map(|(&b, z)| (f64::from(b) - z).powi(2)).sum::<f64>()
                } else {
                    pairs.map(|(&b, z)| f64::from(b) * z).sum()
                }
            };
            let scores: Vec<f64> = vectors
                .prototypes
                .chunks(vectors.dimensions)
                .map(score)
                .collect();
            let size = scores.iter().fold(0f64, |most, s| most.max(s.abs()));
            let answers = model.predict(row, 90, &mut scratch).unwrap();
            assert_eq!(answers.len(), 90);
            for answer in answers {
                let off = f64::from(answer.score) - scores[answer.id as usize];
                assert!(
                    off.abs() < 1e-4 * size.max(1.0),
                    "{answer:?} for {}",
                    scores[answer.id as usize]
                );
            }
        }
    }
}

/// Training and test rows of a real set; `None` where the test is left out.
fn real(set: &str) -> Option<(Dataset, Dataset)> {
    let part = |name: &str| {
        let text = read_text(&hapax_sets::path(&format!("{set}/{name}"))?).unwrap();
        match read(&text, &ReadOptions::default(), &Sequential)
            .unwrap()
            .source
        {
            Source::Rows(data) => Some(data),
            Source::Texts(_) => unreachable!("{set} holds rows"),
        }
    };
    part("train.txt.xz").zip(part("test.txt.xz"))
}

#[test]
fn intents_are_told_apart_in_half_a_megabyte() {
    for (set, least) in [("banking77", 0.904), ("clinc150", 0.910)] {
        let Some((data, test)) = real(set) else {
            continue;
        };
        let training = EmbeddingTraining::Wsabie(Wsabie::distances());
        let mut go_on = |_| ControlFlow::Continue(());
        let model = Model::train_embedding(
            &training,
            None,
            &data,
            None,
            &Sequential,
            kernels::best(),
            &mut go_on,
        )
        .unwrap();
        let mut scratch = Scratch::new(kernels::best());
        let right = test
            .rows()
            .iter()
            .zip(test.labels().iter())
            .filter(|(row, truth)| {
                truth.contains(&model.predict(*row, 1, &mut scratch).unwrap()[0].id)
            });
        let accuracy = right.count() as f64 / test.len() as f64;
        assert!(accuracy >= least, "{set}: {accuracy}");
        assert!(model.to_bytes().unwrap().len() < 500_000);
    }
}
