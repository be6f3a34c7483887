//! Models whose sections were changed on purpose, with all checksums right: what a malicious writer
//! could make. They are refused, or answer without a panic.

mod calibration;
mod fused;

use super::{ContainerWriter, SectionId, container::Container, model::Description};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::{Model, ModelError, Scratch, standardization::Standardization},
    parameters::{
        NearestMean, NearestParameters,
        embedding::EmbeddingTraining,
        mach::MachParameters,
        one_vs_rest::{Bias, OneVsRest},
        sampled::Sampled,
        wsabie::Wsabie,
    },
    random::Stream,
    sparse::{SparseRows, SparseVec},
    text::{Vectorizer, VectorizerOptions},
};
use alloc::{format, string::String, vec::Vec};
use bytes::Bytes;
use core::ops::ControlFlow;

/// A model of texts with a small exact index.
pub(super) fn texts() -> Model {
    let words = [
        "mouse", "cat", "cheese", "eats", "sleeps", "grey", "small", "animal",
    ];
    let mut dice = Stream::new(1, 0);
    let text = |dice: &mut Stream| {
        let words: Vec<&str> = (0..6).map(|_| words[dice.below(8) as usize]).collect();
        words.join(" ")
    };
    let texts: Vec<String> = (0..60).map(|_| text(&mut dice)).collect();
    let options = VectorizerOptions::default();
    let (vectorizer, rows) = Vectorizer::fit_transform(&texts, options, &Sequential).unwrap();
    let mut labels = LabelLists::new(0);
    (0..60u32).for_each(|row| labels.push([row % 7, row % 5]));
    let names = crate::names::Names::new((0..7).map(|id| format!("label {id}"))).unwrap();
    let data = Dataset::new(rows, labels, Some(names)).unwrap();
    let parameters = NearestParameters {
        neighbors: 9,
        ..NearestParameters::default()
    };
    let mut model = Model::train_nearest(parameters, &data, Some(vectorizer)).unwrap();
    model.provenance_mut().columns = Some("{\"labels\":\"Schlagwörter\"}".into());
    model
}

/// A model of rows with frequent and rare features, perhaps of both signs.
pub(super) fn rows(signed: bool) -> Model {
    let data = sparse(signed);
    Model::train_nearest(NearestParameters::default(), &data, None).unwrap()
}

pub(super) fn sparse(signed: bool) -> Dataset {
    let (mut rows, mut labels) = (SparseRows::new(300), LabelLists::new(40));
    let mut dice = Stream::new(2, u64::from(signed));
    for _ in 0..250 {
        let pairs = (0..25).map(|_| {
            let feature = dice.below(1 + dice.clone().below(300)) as u32;
            let sign = if signed && dice.below(4) == 0 {
                -1.0
            } else {
                1.0
            };
            (feature, sign * (0.1 + dice.unit() as f32))
        });
        let row = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
        rows.push(row.view()).unwrap();
        labels.push([dice.below(40) as u32, dice.below(40) as u32]);
    }
    Dataset::new(rows, labels, None).unwrap()
}

/// The file again, with one section of those that are `wanted` changed at random and every checksum
/// right.
fn changed(file: &Bytes, kind: u32, wanted: fn(SectionId) -> bool, dice: &mut Stream) -> Vec<u8> {
    let mut container = Container::<Description>::open(file).unwrap();
    let ids: Vec<_> = container.sizes().map(|(id, _)| id).collect();
    let mut victims: Vec<usize> = (0..ids.len()).filter(|&at| wanted(ids[at])).collect();
    let victim = victims.swap_remove(dice.below(victims.len() as u64) as usize);
    let mut sections = Vec::new();
    for &id in &ids {
        sections.push((id, container.array::<u8>(id).unwrap().to_vec()));
    }
    let bytes = &mut sections[victim].1;
    match dice.below(8) {
        0 => bytes.truncate(dice.below(bytes.len() as u64 + 1) as usize),
        1 => bytes.extend((0..dice.below(9)).map(|byte| byte as u8)),
        _ => {
            for _ in 0..=dice.below(3) {
                if !bytes.is_empty() {
                    let at = dice.below(bytes.len() as u64) as usize;
                    let choices = [0, 1, 0x7f, 0x80, 0xff, dice.bits() as u8];
                    bytes[at] = choices[dice.below(6) as usize];
                }
            }
        }
    }
    let mut writer = ContainerWriter::new(kind);
    for (id, bytes) in &sections {
        writer.section(*id, bytes);
    }
    let mut file = Vec::new();
    let mut take = |parts: &[&[u8]]| file = parts.concat();
    writer.finish(container.description(), &mut take).unwrap();
    file
}

fn survive(model: &Model, rounds: u64) {
    survive_in(model, |_| true, rounds);
}

/// The same with changes in these sections alone.
fn survive_in(model: &Model, wanted: fn(SectionId) -> bool, rounds: u64) {
    let file = Bytes::from(model.to_bytes().unwrap());
    let kind = super::container::kind(&file).unwrap();
    let mut dice = Stream::new(7, 0);
    let mut scratch = Scratch::default();
    let (mut refused, mut answered) = (0, 0);
    for _ in 0..rounds {
        let Ok(mut read) = Model::from_bytes(changed(&file, kind, wanted, &mut dice)) else {
            refused += 1;
            continue;
        };
        answered += 1;
        let pairs = (0..12).map(|_| (dice.below(310) as u32, 0.2 + dice.unit() as f32));
        let query = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
        let best = read.predict(query.view(), 5, &mut scratch).unwrap();
        assert!(best.iter().all(|answer| answer.score.is_finite()));
        let _ = read.predict_text("the mouse eats cheese", 3, &mut scratch);
        let _ = read.explain(query.view(), 3, 3, &mut scratch);
        let _ = read.label_frequencies();
        let _ = read.learn(query.view(), &[0]);
        let _ = read.forget(1);
        let _ = read.to_bytes();
    }
    assert!(
        refused > rounds / 10 && answered > rounds / 100,
        "{refused} refused, {answered} not"
    );
}

#[test]
fn columns_of_the_training_data_are_read_again() {
    let model = texts();
    let file = model.to_bytes().unwrap();
    let read = Model::from_bytes(file.clone()).unwrap();
    assert_eq!(read.provenance().columns, model.provenance().columns);
    assert_eq!(read.to_bytes().unwrap(), file);
}

#[test]
fn changed_sections_of_a_model_of_texts() {
    survive(&texts(), 2000);
}

#[test]
fn changed_sections_of_a_standardized_model() {
    let mut model = rows(true);
    let own = |id| id == SectionId::STANDARDIZATION;
    model.standardization = Standardization::of(sparse(true).rows());
    survive_in(&model, own, 200);
    model.standardization = Standardization::weights(sparse(true).rows(), 0.5).ok();
    survive_in(&model, own, 200);
}

#[test]
fn changed_sections_of_a_model_of_rows() {
    survive(&rows(false), 1500);
    survive(&rows(true), 1500);
}

#[test]
fn changed_sections_of_a_compact_model() {
    let model = rows(false);
    let whole = model.to_bytes().unwrap().len() as u64;
    let small = model
        .compacted(whole / 3, 1, &Sequential, &Portable)
        .unwrap();
    assert!(small.report.is_some());
    survive(&small.model, 2000);
}

#[test]
fn changed_sections_of_a_linear_model() {
    for bias in [Bias::Fixed(-1.0), Bias::Learned(1.0)] {
        let parameters = OneVsRest {
            bias,
            prune: 0.02,
            ..OneVsRest::default()
        };
        let data = sparse(true);
        let go_on = |_| ControlFlow::Continue(());
        let model =
            Model::train_ovr(&parameters, &data, None, &Sequential, &Portable, go_on).unwrap();
        let whole = model.to_bytes().unwrap();
        let read = Model::from_bytes(whole.clone()).unwrap();
        assert_eq!(read.to_bytes().unwrap(), whole);
        assert_eq!(read.label_frequencies(), model.label_frequencies());
        survive(&model, 1500);
        let small = model
            .compacted(whole.len() as u64 * 3 / 4, 1, &Sequential, &Portable)
            .unwrap();
        assert!(small.bytes <= whole.len() as u64 * 3 / 4 && small.weights.is_some());
        assert_eq!(small.model.to_bytes().unwrap().len() as u64, small.bytes);
        survive(&small.model, 500);
    }
}

#[test]
fn changed_sections_of_models_of_prototypes() {
    let data = sparse(true);
    let mut go_on = |_| ControlFlow::Continue(());
    for bits in [32, 8, 4] {
        let mean = NearestMean {
            bits,
            ..NearestMean::default()
        };
        let pairs = Sampled {
            bits,
            epochs: 2,
            ..Sampled::auc()
        };
        let linear = Wsabie {
            bits,
            dimensions: 9,
            epochs: 2,
            ..Wsabie::default()
        };
        let distances = Wsabie {
            bits,
            dimensions: 5,
            epochs: 2,
            ..Wsabie::distances()
        };
        for training in [
            EmbeddingTraining::NearestMean(mean),
            EmbeddingTraining::Sampled(pairs),
            EmbeddingTraining::Wsabie(linear),
            EmbeddingTraining::Wsabie(distances),
        ] {
            let model = Model::train_embedding(
                &training,
                None,
                &data,
                None,
                &Sequential,
                &Portable,
                &mut go_on,
            )
            .unwrap();
            let whole = model.to_bytes().unwrap();
            let read = Model::from_bytes(whole.clone()).unwrap();
            assert_eq!(read.to_bytes().unwrap(), whole);
            assert_eq!(read.label_frequencies(), model.label_frequencies());
            survive(&model, 400);
            let most = whole.len() as u64 - 1;
            match model.compacted(most, 1, &Sequential, &Portable) {
                Ok(small) => {
                    let fewer = small.weights.unwrap();
                    assert!(small.bytes <= most && fewer.bits < bits);
                    assert!(fewer.lost > 0.0 && fewer.lost < 0.3, "{fewer:?}");
                    let file = small.model.to_bytes().unwrap();
                    assert_eq!(file.len() as u64, small.bytes);
                    let read = Model::from_bytes(file.clone()).unwrap();
                    assert_eq!(read.to_bytes().unwrap(), file);
                }
                Err(_) => assert_eq!(bits, 4, "more bits can be made fewer"),
            }
        }
    }
}

#[test]
fn a_linear_model_refuses_to_learn_and_changes_nothing() {
    let go_on = |_| ControlFlow::Continue(());
    let parameters = OneVsRest::default();
    let mut model = Model::train_ovr(
        &parameters,
        &sparse(false),
        None,
        &Sequential,
        &Portable,
        go_on,
    )
    .unwrap();
    let before = model.to_bytes().unwrap();
    let row = SparseVec::from_pairs([(1, 1.0)]).unwrap();
    assert_eq!(model.learn(row.view(), &[0]), Err(ModelError::CannotLearn));
    assert!(!model.forget(0));
    assert_eq!(model.to_bytes().unwrap(), before);
}

#[test]
fn changed_sections_of_a_mach_model() {
    let data = sparse(true);
    for (bits, rerank) in [(32, 0), (8, 20), (4, 20)] {
        let parameters = MachParameters {
            buckets: 8,
            repetitions: 12,
            keep: 0.5,
            epochs: 2,
            bits,
            rerank,
            ..MachParameters::default()
        };
        let go_on = |_| ControlFlow::Continue(());
        let model =
            Model::train_mach(&parameters, &data, None, &Sequential, &Portable, go_on).unwrap();
        let whole = model.to_bytes().unwrap();
        let read = Model::from_bytes(whole.clone()).unwrap();
        assert_eq!(read.to_bytes().unwrap(), whole);
        assert_eq!(read.label_frequencies(), model.label_frequencies());
        let mut scratch = (Scratch::default(), Scratch::default());
        for row in data.rows().iter().take(50) {
            let own = model.predict(row, 45, &mut scratch.0).unwrap();
            assert_eq!(read.predict(row, 45, &mut scratch.1).unwrap(), own);
        }
        survive(&model, 300);
        let most = whole.len() as u64 * 3 / 4;
        let small = model.compacted(most, 1, &Sequential, &Portable).unwrap();
        assert!(small.bytes <= most && small.weights.is_some());
        survive(&small.model, 150);
    }
}

/// A label that no row carries has no code: it comes last, with the least score.
#[test]
fn labels_never_seen_come_last_in_a_mach_model() {
    let mut data = sparse(false);
    let mut lists = LabelLists::new(45);
    data.labels()
        .iter()
        .for_each(|ids| lists.push(ids.iter().copied()));
    data = Dataset::new(data.rows().clone(), lists, None).unwrap();
    let parameters = MachParameters {
        buckets: 8,
        ..MachParameters::default()
    };
    let go_on = |_| ControlFlow::Continue(());
    let model = Model::train_mach(&parameters, &data, None, &Sequential, &Portable, go_on).unwrap();
    let mut scratch = Scratch::default();
    let empty = SparseVec::default();
    for row in [data.rows().row(3), empty.view()] {
        let all = model.predict(row, 100, &mut scratch).unwrap();
        let last: Vec<(u32, f32)> = all[40..].iter().map(|a| (a.id, a.score)).collect();
        let expected: Vec<(u32, f32)> = (40..45).map(|id| (id, f32::MIN)).collect();
        assert_eq!((all.len(), last), (45, expected));
    }
}
