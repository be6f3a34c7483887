//! Any sequence of learning, forgetting, writing, reading, compacting, preparing and explaining,
//! against a list of rows in memory.
#![no_main]

use arbitrary::Arbitrary;
use hapax_core::{
    bytes::Bytes,
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::{Model, Scratch},
    parameters::NearestParameters,
    sparse::{SparseRows, SparseVec},
};
use libfuzzer_sys::fuzz_target;
use std::collections::{BTreeMap, BTreeSet};

const FEATURES: u32 = 24;

#[derive(Arbitrary, Debug)]
struct Job {
    /// Rows to train on: features with values, and labels.
    rows: Vec<(Vec<(u8, u8)>, Vec<u8>)>,
    neighbors: u8,
    steps: Vec<Step>,
}

#[derive(Arbitrary, Debug)]
enum Step {
    Learn(Vec<(u8, u8)>, Vec<u8>),
    Forget(u8),
    Reread,
    Compact(u16),
    Prepare,
    Ask(Vec<(u8, u8)>),
}

fn row(pairs: &[(u8, u8)]) -> SparseVec {
    let pairs = pairs
        .iter()
        .map(|&(id, value)| (u32::from(id) % FEATURES, f32::from(value) / 8.0));
    SparseVec::from_pairs(pairs).expect("finite")
}

fn labels(ids: &[u8]) -> Vec<u32> {
    let ids: BTreeSet<u32> = ids.iter().map(|&id| u32::from(id) % 9).collect();
    ids.into_iter().collect()
}

/// The model, and what it must hold.
struct Pair {
    model: Model,
    rows: BTreeMap<u32, Vec<u32>>,
}

impl Pair {
    fn train(job: &Job) -> Option<Self> {
        let (mut rows, mut lists) = (SparseRows::new(FEATURES), LabelLists::new(9));
        for (pairs, ids) in &job.rows {
            rows.push(row(pairs).view()).expect("within the features");
            lists.push(labels(ids));
        }
        let all: Vec<Vec<u32>> = lists.iter().map(<[u32]>::to_vec).collect();
        let data = Dataset::new(rows, lists, None).ok()?;
        let parameters = NearestParameters {
            neighbors: u32::from(job.neighbors % 8) + 1,
            ..NearestParameters::default()
        };
        let model = Model::train_nearest(parameters, &data, None).ok()?;
        Some(Self {
            model,
            rows: (0..).zip(all).collect(),
        })
    }

    fn learn(&mut self, pairs: &[(u8, u8)], ids: &[u8]) {
        let (row, labels) = (row(pairs), labels(ids));
        if let Ok(id) = self.model.learn(row.view(), &labels) {
            assert!(!labels.is_empty());
            assert!(self.rows.insert(id, labels).is_none(), "row {id} is there");
        }
    }

    fn reread(&mut self) {
        if self.rows.is_empty() {
            assert!(self.model.to_bytes().is_err(), "no model without rows");
            return;
        }
        let bytes = self.model.to_bytes().expect("a file");
        assert_eq!(bytes.len() as u64, self.model.file_bytes().expect("a size"));
        self.model = Model::from_bytes(Bytes::from(bytes.clone())).expect("its own file");
        assert_eq!(self.model.to_bytes().expect("a file"), bytes);
    }

    /// A smaller model is within its bytes, and knows no rows but these.
    fn compact(&self, most: u16) {
        let Ok(size) = self.model.file_bytes() else {
            return;
        };
        let most = size * u64::from(most) / u64::from(u16::MAX);
        if let Ok(made) = self.model.compacted(most, 1, &Sequential, &Portable) {
            assert!(made.bytes <= most.max(size));
            assert_eq!(made.bytes, made.model.file_bytes().expect("a size"));
        }
    }

    fn ask(&self, pairs: &[(u8, u8)]) {
        let (query, mut scratch) = (row(pairs), Scratch::default());
        let Ok(best) = self.model.predict(query.view(), 9, &mut scratch) else {
            return;
        };
        let best = best.to_vec();
        assert!(best.is_sorted_by(|a, b| a.score >= b.score));
        let near = self.model.explain(query.view(), 8, 4, &mut scratch);
        let near = near.expect("neighbors explain");
        for found in &near {
            assert_eq!(
                self.rows.get(&found.row),
                Some(&found.labels),
                "row {}",
                found.row
            );
        }
        let again = self
            .model
            .predict(query.view(), 9, &mut scratch)
            .expect("again");
        assert_eq!(again, best);
        let Ok(bytes) = self.model.to_bytes() else {
            assert!(self.rows.is_empty(), "rows make a file");
            return;
        };
        let read = Model::from_bytes(bytes).expect("its own file");
        let other = read
            .predict(query.view(), 9, &mut scratch)
            .expect("the same");
        assert_eq!(other, best);
    }
}

fuzz_target!(|job: Job| {
    let Some(mut pair) = Pair::train(&job) else {
        return;
    };
    for step in &job.steps {
        match step {
            Step::Learn(pairs, ids) => pair.learn(pairs, ids),
            Step::Forget(row) => {
                let row = u32::from(*row);
                let was_there = pair.rows.remove(&row).is_some();
                assert_eq!(pair.model.forget(row), was_there, "row {row}");
            }
            Step::Reread => pair.reread(),
            Step::Compact(most) => pair.compact(*most),
            Step::Prepare => _ = pair.model.prepare(),
            Step::Ask(pairs) => pair.ask(pairs),
        }
    }
});
