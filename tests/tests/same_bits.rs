//! Promise 2: the same data, parameters and seed give the same model and the same answers, whatever
//! the number of threads.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use hapax::{
    core::{
        data::{Dataset, LabelLists, ReadOptions, Source, read},
        executor::{Executor, Sequential},
        model::{Model, Scratch},
        parameters::NearestParameters,
        random::Stream,
        sparse::{SparseRows, SparseVec},
        text::{Vectorizer, VectorizerOptions},
    },
    threads::Threads,
};
use std::fmt::Write;

const ROWS: u64 = 600;
const FEATURES: u64 = 300;

/// Rows whose values have both signs, some of them empty, some of them equal.
fn random_rows() -> Dataset {
    let mut random = Stream::new(11, 0);
    let mut rows = SparseRows::new(FEATURES as u32);
    let mut labels = LabelLists::new(40);
    for _ in 0..ROWS {
        let count = random.below(9);
        let mut indices: Vec<u32> = (0..count).map(|_| random.below(FEATURES) as u32).collect();
        indices.sort_unstable();
        indices.dedup();
        let pairs = indices
            .into_iter()
            .map(|index| (index, random.below(7) as f32 - 2.5));
        let row = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
        rows.push(row.view()).unwrap();
        labels.push([random.below(40) as u32]);
    }
    Dataset::new(rows, labels, None).unwrap()
}

/// Texts of words drawn by a skewed law.
fn random_texts() -> String {
    let mut random = Stream::new(12, 0);
    let mut lines = String::new();
    for _ in 0..ROWS {
        for _ in 0..random.below(12) + 1 {
            let bound = 1 + random.below(200);
            let word = random.below(bound);
            write!(lines, "word{word} ").unwrap();
        }
        writeln!(lines, "\tlabel{}", random.below(30)).unwrap();
    }
    lines
}

fn of_texts(executor: &Executor) -> (Model, Dataset) {
    let input = read(random_texts().as_bytes(), &ReadOptions::default(), executor).unwrap();
    let Source::Texts(documents) = input.source else {
        unreachable!("tab-separated texts")
    };
    let options = VectorizerOptions::default();
    let (vectorizer, rows) =
        Vectorizer::fit_transform(&documents.texts, options, executor).unwrap();
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names)).unwrap();
    let parameters = NearestParameters::default();
    let model = Model::train_nearest(parameters, &data, Some(vectorizer)).unwrap();
    (model, data)
}

/// The bits of all answers to the rows.
fn answers(model: &Model, data: &Dataset, executor: &Executor) -> Vec<Vec<(u32, u32)>> {
    executor.map(
        data.len(),
        || Scratch::new(hapax::kernels::best()),
        |scratch, row| {
            let best = model.predict(data.rows().row(row), 5, scratch).unwrap();
            best.iter().map(|s| (s.id, s.score.to_bits())).collect()
        },
    )
}

#[test]
fn of_a_model_of_rows() {
    let data = random_rows();
    let parameters = NearestParameters::default();
    let train = |threads: &Executor| {
        let model = Model::train_nearest(parameters, &data, None).unwrap();
        (model.to_bytes().unwrap(), answers(&model, &data, threads))
    };
    let one = train(&Threads::new(1).unwrap());
    assert!(one.1.iter().filter(|best| !best.is_empty()).count() > 400);
    for threads in [2, 8] {
        assert!(one == train(&Threads::new(threads).unwrap()), "{threads}");
    }
}

#[test]
fn of_a_model_of_texts() {
    let (model, data) = of_texts(&Sequential);
    let (bytes, expected) = (
        model.to_bytes().unwrap(),
        answers(&model, &data, &Sequential),
    );
    for threads in [1, 2, 8] {
        let threads = Threads::new(threads).unwrap();
        let (model, data) = of_texts(&threads);
        assert!(bytes == model.to_bytes().unwrap());
        assert!(expected == answers(&model, &data, &threads));
    }
}

#[test]
fn of_a_model_that_was_saved_and_loaded() {
    let (model, data) = of_texts(&Sequential);
    let bytes = model.to_bytes().unwrap();
    let loaded = Model::from_bytes(bytes.clone()).unwrap();
    assert!(loaded.to_bytes().unwrap() == bytes, "canonical bytes");
    assert!(answers(&model, &data, &Sequential) == answers(&loaded, &data, &Sequential));
}

/// The vector instructions of this machine change no bit.
#[test]
fn of_the_portable_kernels() {
    let (model, data) = of_texts(&Sequential);
    let mut portable = Scratch::default();
    let wide = answers(&model, &data, &Sequential);
    for (row, expected) in wide.iter().enumerate() {
        let best = model
            .predict(data.rows().row(row), 5, &mut portable)
            .unwrap();
        let bits: Vec<_> = best.iter().map(|s| (s.id, s.score.to_bits())).collect();
        assert_eq!(&bits, expected, "row {row}");
    }
}
