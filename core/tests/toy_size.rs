//! Every solver on six rows: small enough for an interpreter, which sees any use of memory that is
//! not defined, and for one of a machine of 32 bits (`cargo verify memory`).
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use core::ops::ControlFlow;
use hapax_core::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::{Model, Scratch},
    parameters::{
        EmbeddingTraining, MachParameters, Memoir, MultiClassLoss, MultiClassSvm, NearestMean,
        NearestParameters, Negatives, OneVsRest, Sampled, Wsabie,
    },
    sparse::{SparseRows, SparseVec},
    train::{Trained, Training, multiclass::MultiLabel},
};

const LABELS: u32 = 3;

/// Two rows a label: of a feature of its own, and of one that the next label has, too.
fn data() -> Dataset {
    let (mut rows, mut labels) = (SparseRows::new(2 * LABELS), LabelLists::new(LABELS));
    for row in 0..2 * LABELS {
        let label = row % LABELS;
        let pairs = [
            (label, 1.0),
            (LABELS + row / 2, 0.25),
            ((label + 1) % LABELS, 0.125),
        ];
        let row = SparseVec::from_pairs(pairs).unwrap();
        rows.push(row.view()).unwrap();
        labels.push([label]);
    }
    Dataset::new(rows, labels, None).unwrap()
}

/// Each training row has its own label first, from the model, prepared, and from its file; more
/// than one best label is asked for.
fn answers(mut model: Model, data: &Dataset) {
    let file = model.to_bytes().unwrap();
    let read = Model::from_bytes(file.clone()).unwrap();
    assert_eq!(read.to_bytes().unwrap(), file);
    let mut scratch = Scratch::default();
    let mut all = |model: &Model| -> Vec<_> {
        let rows = data.rows().iter();
        rows.map(|row| model.predict(row, 2, &mut scratch).unwrap().to_vec())
            .collect()
    };
    let best = all(&model);
    assert_eq!(all(&read), best);
    model.prepare().unwrap();
    assert_eq!(all(&model), best);
    for (best, labels) in best.iter().zip(data.labels().iter()) {
        assert_eq!(best[0].id, labels[0], "{best:?}");
    }
}

fn go_on<R>(_: R) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

#[test]
fn nearest_neighbors() {
    let data = data();
    let parameters = NearestParameters {
        neighbors: 3,
        ..NearestParameters::default()
    };
    answers(
        Model::train_nearest(parameters, &data, None).unwrap(),
        &data,
    );
}

#[test]
fn one_vs_rest() {
    let data = data();
    for negatives in [Negatives::All, Negatives::Mined] {
        let parameters = OneVsRest {
            negatives,
            ..OneVsRest::default()
        };
        let model =
            Model::train_ovr(&parameters, &data, None, &Sequential, &Portable, go_on).unwrap();
        answers(model, &data);
    }
}

#[test]
fn multi_class_machines() {
    use MultiClassLoss::{CrammerSinger, LeeLinWahba, WestonWatkins};
    let data = data();
    for loss in [CrammerSinger, WestonWatkins, LeeLinWahba] {
        let parameters = MultiClassSvm {
            gap: 0.1,
            ..MultiClassSvm::new(loss)
        };
        let (way, alone) = (MultiLabel::Refuse, &Sequential);
        let machine = parameters
            .train(&data, way, None, alone, &Portable, go_on)
            .unwrap();
        let made = Trained::MultiClass(&machine, &parameters);
        answers(Model::made(made, &data, None), &data);
    }
}

#[test]
fn memoir() {
    let data = data();
    let parameters = Memoir::automatic(&data);
    let trainer = parameters.trainer(&data).unwrap();
    let weights = trainer.train(&Sequential, &mut go_on).unwrap();
    let made = Trained::Memoir(weights, &parameters);
    answers(Model::made(made, &data, None), &data);
}

#[test]
fn mach() {
    let data = data();
    let parameters = MachParameters {
        buckets: 3,
        repetitions: 9,
        epochs: 8,
        keep: 1.0,
        averaged_epochs: 2,
        learning_rate: 0.9,
        ..MachParameters::default()
    };
    let model = Model::train_mach(&parameters, &data, None, &Sequential, &Portable, go_on).unwrap();
    answers(model, &data);
}

#[test]
fn embeddings() {
    let data = data();
    let small = |wsabie| Wsabie {
        dimensions: 3,
        epochs: 10,
        ..wsabie
    };
    for training in [
        EmbeddingTraining::Wsabie(small(Wsabie::default())),
        EmbeddingTraining::Wsabie(small(Wsabie::distances())),
        EmbeddingTraining::Sampled(Sampled::auc()),
        EmbeddingTraining::NearestMean(NearestMean::default()),
    ] {
        let (none, watch) = (None, &mut go_on);
        let made =
            Model::train_embedding(&training, none, &data, None, &Sequential, &Portable, watch);
        answers(made.unwrap(), &data);
    }
}
