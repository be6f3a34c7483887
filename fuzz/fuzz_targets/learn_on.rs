//! Any model of weights goes on with any rows: labels that were there stay, whether or not they
//! have rows, and no score is lost.
#![no_main]

use arbitrary::Arbitrary;
use hapax_core::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::{Model, Scratch},
    parameters::{NearestParameters, OneVsRest},
    sparse::{SparseRows, SparseVec},
};
use libfuzzer_sys::fuzz_target;
use std::{collections::BTreeSet, ops::ControlFlow};

type Rows = Vec<(Vec<(u8, u8)>, Vec<u8>)>;

#[derive(Arbitrary, Debug)]
struct Job {
    nearest: bool,
    first: Rows,
    /// Each is learned by what came out of the one before.
    then: Vec<Rows>,
}

fn row(pairs: &[(u8, u8)], features: u32) -> SparseVec {
    let pairs = pairs
        .iter()
        .map(|&(id, value)| (u32::from(id) % features, f32::from(value) / 16.0));
    SparseVec::from_pairs(pairs).expect("finite")
}

fn data(rows: &Rows, features: u32, labels: u32) -> Option<Dataset> {
    let (mut made, mut lists) = (SparseRows::new(features), LabelLists::new(labels));
    for (pairs, ids) in rows {
        made.push(row(pairs, features).view())
            .expect("within the features");
        let ids: BTreeSet<u32> = ids.iter().map(|&id| u32::from(id) % labels).collect();
        lists.push(ids);
    }
    Dataset::new(made, lists, None).ok()
}

fn train(job: &Job) -> Option<Model> {
    let data = data(&job.first, 12, 6)?;
    if job.nearest {
        return Model::train_nearest(NearestParameters::default(), &data, None).ok();
    }
    let go_on = |_| ControlFlow::Continue(());
    Model::train_ovr(
        &OneVsRest::default(),
        &data,
        None,
        &Sequential,
        &Portable,
        go_on,
    )
    .ok()
}

fuzz_target!(|job: Job| {
    let Some(mut model) = train(&job) else {
        return;
    };
    for (more, rows) in (1..4).zip(&job.then) {
        let (features, labels) = (12 + more, 6 + 2 * more);
        let Some(data) = data(rows, features, labels) else {
            return;
        };
        let before = model.label_frequencies().expect("memory");
        let learned = model.learn_all(&data, None, &Sequential, &Portable);
        let Ok(learned) = learned else {
            continue;
        };
        model = learned.model;
        assert_eq!((model.labels(), model.features()), (labels, features));
        let now = model.label_frequencies().expect("memory");
        assert!(before.iter().zip(&now).all(|(before, now)| before <= now));
        let read = Model::from_bytes(model.to_bytes().expect("a file")).expect("its own file");
        let mut scratch = Scratch::default();
        for (pairs, _) in rows.iter().chain(&job.first).take(8) {
            let query = row(pairs, features);
            let best = |model: &Model, scratch: &mut Scratch| {
                let best = model.predict(query.view(), labels as usize, scratch);
                best.map(<[_]>::to_vec).map_err(|why| why.to_string())
            };
            let found = best(&model, &mut scratch);
            assert_eq!(best(&read, &mut scratch), found);
            let best = found.unwrap_or_default();
            assert!(best.iter().all(|best| best.score.is_finite()), "{best:?}");
        }
    }
});
