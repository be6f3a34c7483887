//! Promise 3: any bytes give a model or an error, without a panic and without memory that the
//! bytes do not pay for.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use crate::golden::{ALL_NEWEST, NEWEST, QUERIES, answers, names, stored};
use hapax::core::{
    bytes::Bytes,
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::{Model, Scratch},
    parameters::{MultiClassLoss, MultiClassSvm, NearestParameters},
    random::Stream,
    sparse::{SparseRows, SparseVec},
    text::{Vectorizer, VectorizerOptions},
    train::{MemoryEstimate, multiclass::MultiLabel},
};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
    fmt::Write,
    ops::ControlFlow,
};

thread_local! {
    /// Bytes this thread holds, and the most it has held since the count began.
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    /// How often this thread asked for memory.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting for each thread.
struct Counting;

impl Counting {
    fn count(change: isize) {
        // Fails only while a thread ends, when nobody measures any more.
        let _ = HELD.try_with(|held| {
            held.set(held.get() + change);
            let _ = PEAK.try_with(|peak| peak.set(peak.get().max(held.get())));
        });
    }
}

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
        Self::count(layout.size() as isize);
        // SAFETY: the caller keeps the rules of `GlobalAlloc`, which are those of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        Self::count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What a thread may hold beside the arrays of the file: options, tables of sections, messages.
const CONSTANT: usize = 16 << 10;

/// Loads a model from bytes that are there already, and says how much memory that took at most.
fn load(bytes: &Bytes) -> (Option<Model>, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let model = Model::from_bytes(bytes.clone());
    let peak = PEAK.get() - before;
    (model.ok(), usize::try_from(peak).unwrap())
}

/// Loads damaged bytes: an error, or a model with the same answers, and within memory.
fn survives(bytes: Vec<u8>, expected: &str, what: impl Fn() -> String) -> bool {
    let limit = bytes.len() * 5 / 4 + CONSTANT;
    let (model, peak) = load(&bytes.into());
    assert!(peak <= limit, "{}: held {peak} bytes", what());
    if let Some(model) = &model {
        assert_eq!(answers(model), expected, "{}", what());
    }
    model.is_some()
}

#[test]
fn every_truncation_of_a_model_is_refused() {
    let (whole, expected) = stored(NEWEST).unwrap();
    for length in 0..whole.len() {
        let loaded = survives(whole[..length].to_vec(), &expected, || {
            format!("the first {length} bytes")
        });
        assert!(!loaded, "the first {length} bytes were taken for a model");
    }
    assert!(survives(whole, &expected, || "the whole".into()));
}

#[test]
fn every_bit_and_100_000_sets_of_bits_may_flip() {
    let (whole, expected) = stored(NEWEST).unwrap();
    assert!(survives(whole.clone(), &expected, || "the whole".into()));
    let bits = 8 * whole.len() as u64;
    let flip = |bytes: &mut [u8], bit: u64| bytes[(bit / 8) as usize] ^= 1 << (bit % 8);
    for bit in 0..bits {
        let mut bytes = whole.clone();
        flip(&mut bytes, bit);
        survives(bytes, &expected, || format!("bit {bit}"));
    }
    let mut random = Stream::new(2024, 0);
    for trial in 0..100_000 {
        let mut bytes = whole.clone();
        for _ in 0..=random.below(8) {
            flip(&mut bytes, random.below(bits));
        }
        survives(bytes, &expected, || format!("trial {trial}"));
    }
}

#[test]
fn headers_that_promise_too_much_cost_nothing() {
    let (whole, expected) = stored(NEWEST).unwrap();
    // The lengths in the header, each set to the largest number.
    for field in [16..24, 24..28] {
        let mut bytes = whole.clone();
        bytes[field.clone()].fill(0xff);
        let loaded = survives(bytes, &expected, || format!("bytes {field:?}"));
        assert!(!loaded);
    }
}

/// A model of some hundred kilobytes, where the constant hides nothing.
fn larger() -> Model {
    let mut random = Stream::new(77, 0);
    let mut texts = Vec::new();
    for _ in 0..3000 {
        let mut text = String::new();
        for _ in 0..10 {
            let bound = 1 + random.below(3000);
            let word = random.below(bound);
            write!(text, "word{word} ").unwrap();
        }
        texts.push(text);
    }
    let lines: String = texts
        .iter()
        .enumerate()
        .map(|(row, text)| format!("{text}\tlabel{}\n", row % 700))
        .collect();
    let options = hapax::core::data::ReadOptions::default();
    let input = hapax::core::data::read(lines.as_bytes(), &options, &Sequential).unwrap();
    let hapax::core::data::Source::Texts(documents) = input.source else {
        unreachable!("tab-separated texts")
    };
    let options = VectorizerOptions::default();
    let (vectorizer, rows) =
        Vectorizer::fit_transform(&documents.texts, options, &Sequential).unwrap();
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names)).unwrap();
    Model::train_nearest(NearestParameters::default(), &data, Some(vectorizer)).unwrap()
}

/// The same, pruned and rounded.
fn larger_compact() -> Vec<u8> {
    let model = larger();
    let budget = model.to_bytes().unwrap().len() as u64 * 9 / 10;
    let compacted = model.compacted(budget, 1, &Sequential, hapax::kernels::best());
    let compacted = compacted.unwrap();
    assert!(compacted.report.is_some(), "it was made smaller");
    compacted.model.to_bytes().unwrap()
}

#[test]
fn loading_holds_at_most_a_quarter_more_than_the_file() {
    holds_at_most_a_quarter_more(&larger().to_bytes().unwrap());
}

#[test]
fn loading_a_compact_model_holds_at_most_a_quarter_more_than_the_file() {
    holds_at_most_a_quarter_more(&larger_compact());
}

#[test]
fn bits_of_a_compact_model_may_flip() {
    let whole = larger_compact();
    let expected = answers(&Model::from_bytes(whole.clone()).unwrap());
    let mut random = Stream::new(2025, 0);
    for trial in 0..2_000 {
        let mut bytes = whole.clone();
        // Half of the flips hit the first kilobyte, where the lengths are.
        let bound = if trial % 2 == 0 { 1 << 10 } else { whole.len() };
        let at = random.below(bound as u64) as usize;
        bytes[at] ^= 1 << random.below(8);
        survives(bytes, &expected, || format!("trial {trial}, byte {at}"));
        let length = random.below(whole.len() as u64) as usize;
        let cut = whole[..length].to_vec();
        assert!(!survives(cut, &expected, || format!("{length} bytes")));
    }
}

/// Loads a whole file from several alignments.
fn holds_at_most_a_quarter_more(file: &[u8]) {
    assert!(file.len() > 4 * CONSTANT, "{} bytes", file.len());
    let limit = file.len() * 5 / 4 + CONSTANT;
    // Wherever the bytes lie: if arrays cannot be borrowed they are copied.
    for offset in [0, 1, 2, 4, 32] {
        let mut shifted = vec![0; offset];
        shifted.extend_from_slice(file);
        let bytes = Bytes::from(shifted).slice(offset..);
        let (model, peak) = load(&bytes);
        assert!(model.is_some());
        assert!(peak <= limit, "offset {offset}: {peak} of {limit} bytes");
    }
}

/// Loading, counting labels and writing again: at most four times the file, of every kind.
#[test]
fn models_of_every_kind_hold_at_most_four_times_their_files() {
    for (name, _) in ALL_NEWEST {
        let (whole, _) = stored(name).unwrap();
        let limit = 4 * whole.len() as isize + CONSTANT as isize;
        let bytes = Bytes::from(whole);
        let before = HELD.get();
        PEAK.set(before);
        let model = Model::from_bytes(bytes.clone()).unwrap();
        let counts = model.label_frequencies().unwrap();
        let again = model.to_bytes().unwrap();
        let peak = PEAK.get() - before;
        assert!(peak <= limit, "{name}: held {peak} bytes of {limit}");
        assert!(counts.len() == model.labels() as usize && again == bytes);
    }
}

#[test]
fn warm_queries_by_rows_allocate_nothing() {
    for (name, _) in ALL_NEWEST {
        let model = Model::from_bytes(stored(name).unwrap().0).unwrap();
        let rows = [[(0, 0.6), (2, 0.8)], [(1, 1.0), (5, 0.4)]];
        let rows = rows.map(|pairs| SparseVec::from_pairs(pairs).unwrap());
        let mut scratch = Scratch::default();
        for row in &rows {
            model.predict(row.view(), 3, &mut scratch).unwrap();
        }
        let before = HELD.get();
        PEAK.set(before);
        for row in &rows {
            model.predict(row.view(), 3, &mut scratch).unwrap();
        }
        assert_eq!(PEAK.get() - before, 0, "{name}");
    }
}

/// For the answers themselves only: one vector, and a string for each name. All golden files are
/// asked, as they are and prepared.
#[test]
fn warm_queries_by_texts_allocate_their_answers_only() {
    let mut asked_of = 0;
    for name in names().unwrap() {
        let model = Model::from_bytes(stored(&name).unwrap().0).unwrap();
        if model.vectorizer().is_none() {
            continue;
        }
        let mut prepared = model.clone();
        prepared.prepare().unwrap();
        for (model, k) in [(&model, 1), (&model, 3), (&prepared, 1), (&prepared, 3)] {
            let mut scratch = Scratch::default();
            for text in QUERIES {
                let _ = model.predict_text(text, k, &mut scratch);
            }
            for text in QUERIES {
                let before = ASKED.get();
                let made = model.predict_text(text, k, &mut scratch);
                let asked = ASKED.get() - before;
                let answers = made.as_ref().map_or(0, Vec::len);
                assert_eq!(asked, usize::from(made.is_ok()) + answers, "{name}: {text}");
                asked_of += answers;
            }
        }
    }
    assert!(asked_of > 100, "{asked_of}");
}

/// Texts of random words: frequent ones and rare ones.
fn training_rows(rows: usize, features: u32, labels: u32) -> Dataset {
    let mut random = Stream::new(5, 0);
    let (mut made, mut lists) = (SparseRows::new(features), LabelLists::new(labels));
    for row in 0..rows {
        let pairs = (0..12).map(|_| {
            let bound = 1 + random.below(u64::from(features));
            (random.below(bound) as u32, 0.1 + random.unit() as f32)
        });
        let row_of = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
        made.push(row_of.view()).unwrap();
        lists.push([row as u32 % labels]);
    }
    Dataset::new(made, lists, None).unwrap()
}

#[test]
fn the_estimates_of_multi_class_machines_cover_what_training_holds() {
    use MultiClassLoss::{CrammerSinger, LeeLinWahba, WestonWatkins};
    for (rows, features, labels) in [(600, 300, 30), (1500, 3000, 12), (900, 200, 250)] {
        let data = training_rows(rows, features, labels);
        for loss in [CrammerSinger, WestonWatkins, LeeLinWahba] {
            let parameters = MultiClassSvm {
                max_epochs: 40,
                ..MultiClassSvm::new(loss)
            };
            let estimate = parameters.memory_estimate(&data, 1);
            let before = HELD.get();
            PEAK.set(before);
            let go_on = |_| ControlFlow::Continue(());
            let (alone, way) = (&Sequential, MultiLabel::Refuse);
            let made = parameters.train(&data, way, None, alone, &Portable, go_on);
            let peak = (PEAK.get() - before) as u64;
            drop(made.unwrap());
            let what = format!("{loss:?} {rows} {features} {labels}");
            assert!(
                peak <= estimate,
                "{what}: {peak} bytes, {estimate} estimated"
            );
            assert!(
                estimate <= 8 * peak,
                "{what}: {peak} bytes, {estimate} estimated"
            );
        }
    }
}
