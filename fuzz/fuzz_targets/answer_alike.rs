//! Any model of any rows: its answers are the same to the bit with the loops of this processor,
//! once it is prepared and from its own file; neighbors are those of a search of every row, and
//! scores of weights the sums of what they show.
#![no_main]

use arbitrary::Arbitrary;
use hapax::kernels::best;
use hapax_core::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::{Method, Model, NearestScratch, Scratch},
    parameters::{EmbeddingTraining, MachParameters, NearestParameters, OneVsRest, Wsabie},
    random::Stream,
    sparse::{SparseRows, SparseVec, SparseView},
};
use libfuzzer_sys::fuzz_target;
use std::ops::ControlFlow;

const FEATURES: u32 = 200;
const LABELS: u32 = 150;

#[derive(Arbitrary, Debug)]
struct Job {
    kind: Kind,
    /// Rows that are made of a seed beside those that are given.
    made: u8,
    seed: u64,
    rows: Vec<(Vec<(u8, i8)>, u8)>,
    queries: Vec<Vec<(u8, i8)>>,
    answers: u8,
}

#[derive(Arbitrary, Debug)]
enum Kind {
    Nearest { beta: u8, neighbors: u8 },
    OneVsRest,
    Mach { buckets: u8, repetitions: u8 },
    Embedding { dimensions: u8 },
}

fn row(pairs: &[(u8, i8)]) -> SparseVec {
    let pairs = pairs
        .iter()
        .map(|&(id, value)| (u32::from(id) % FEATURES, f32::from(value) / 8.0));
    SparseVec::from_pairs(pairs).expect("finite")
}

/// The rows of a job: first the given ones.
fn data(job: &Job) -> Option<Dataset> {
    let (mut rows, mut labels) = (SparseRows::new(FEATURES), LabelLists::new(LABELS));
    for (pairs, label) in &job.rows {
        rows.push(row(pairs).view()).expect("within the features");
        labels.push([u32::from(*label) % LABELS]);
    }
    let mut random = Stream::new(job.seed, 0);
    for at in 0..u32::from(job.made) {
        let length = random.below(30);
        let pairs = (0..length).map(|_| {
            let feature = random.unit() * random.unit() * f64::from(FEATURES);
            (feature as u32, random.unit() as f32 - 0.3)
        });
        let made = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).expect("finite");
        rows.push(made.view()).expect("within the features");
        labels.push([at * at % LABELS]);
    }
    Dataset::new(rows, labels, None).ok()
}

fn train(kind: &Kind, data: &Dataset) -> Option<Model> {
    let (executor, kernels) = (&Sequential, &Portable);
    match *kind {
        Kind::Nearest { beta, neighbors } => {
            let parameters = NearestParameters {
                beta: f64::from(beta % 24) / 8.0,
                neighbors: u32::from(neighbors) + 1,
                ..NearestParameters::default()
            };
            Model::train_nearest(parameters, data, None).ok()
        }
        Kind::OneVsRest => {
            let go_on = |_| ControlFlow::Continue(());
            Model::train_ovr(&OneVsRest::default(), data, None, executor, kernels, go_on).ok()
        }
        Kind::Mach {
            buckets,
            repetitions,
        } => {
            let parameters = MachParameters {
                buckets: u32::from(buckets % 30) + 2,
                repetitions: u32::from(repetitions % 20) + 1,
                epochs: 1,
                ..MachParameters::default()
            };
            let go_on = |_| ControlFlow::Continue(());
            Model::train_mach(&parameters, data, None, executor, kernels, go_on).ok()
        }
        Kind::Embedding { dimensions } => {
            let training = EmbeddingTraining::Wsabie(Wsabie {
                dimensions: u32::from(dimensions % 70) + 1,
                ..Wsabie::default()
            });
            let watch = &mut |_| ControlFlow::Continue(());
            Model::train_embedding(&training, None, data, None, executor, kernels, watch).ok()
        }
    }
}

/// Answers as bits, or why there are none.
fn answers(
    model: &Model,
    query: SparseView<'_>,
    k: usize,
    scratch: &mut Scratch,
) -> Result<Vec<(u32, u32)>, String> {
    let best = model
        .predict(query, k, scratch)
        .map_err(|why| why.to_string())?;
    assert!(best.iter().all(|best| best.score.is_finite()));
    assert!(best.is_sorted_by(|a, b| a.score > b.score || a.score == b.score && a.id < b.id));
    Ok(best
        .iter()
        .map(|best| (best.id, best.score.to_bits()))
        .collect())
}

/// The similarity of two rows, in the words of the documentation.
fn similarity(x: SparseView<'_>, d: SparseView<'_>, beta: f64) -> f64 {
    let of = |feature| {
        d.iter()
            .find(|&(other, _)| other == feature)
            .map(|(_, value)| f64::from(value))
    };
    let both: Vec<f64> = x
        .iter()
        .filter_map(|(feature, value)| Some(f64::from(value) * of(feature)?))
        .collect();
    if both.is_empty() {
        return 0.0;
    }
    let jaccard = both.len() as f64 / (x.indices().len() + d.indices().len() - both.len()) as f64;
    jaccard.powf(beta) * both.iter().sum::<f64>() / (x.norm() * d.norm())
}

/// Those found are as similar as they say, and no row that was not is more similar than they are.
fn check_neighbors(model: &Model, data: &Dataset, query: SparseView<'_>) {
    const ROUNDING: f64 = 1e-5;
    let Method::Nearest(nearest) = model.method() else {
        return;
    };
    let beta = nearest.parameters().beta;
    let count = nearest.parameters().neighbors as usize;
    let mut scratch = NearestScratch::new(best());
    let Ok(found) = nearest.neighbors(query, &mut scratch) else {
        return;
    };
    let mut left: Vec<f64> = data
        .rows()
        .iter()
        .map(|row| similarity(query, row, beta))
        .collect();
    let mut least = f64::INFINITY;
    for near in found {
        let expected = std::mem::take(&mut left[near.id as usize]);
        assert!(
            (f64::from(near.score) - expected).abs() < ROUNDING,
            "row {}",
            near.id
        );
        least = least.min(expected);
    }
    let best = left.iter().copied().fold(0.0, f64::max);
    match found.len() < count {
        true => assert!(best < ROUNDING, "{best} was not found"),
        false => assert!(best < least + ROUNDING, "{best} was not found, {least} was"),
    }
}

/// A score is the sum of the label's bias and of what each feature adds.
fn check_scores(model: &Model, query: SparseView<'_>, best: &[(u32, u32)], scratch: &mut Scratch) {
    let Method::Linear(linear) = model.method() else {
        return;
    };
    let weights = linear.model().parts();
    // Labels that training never saw have the least score there is.
    let seen = |&(_, bits): &&(u32, u32)| f32::from_bits(*bits) > f32::MIN;
    for &(label, bits) in best.iter().filter(seen) {
        let Ok(parts) = model.contributions(query, label, usize::MAX, scratch) else {
            return;
        };
        let bias = weights.biases.get(label as usize).copied();
        let bias = f64::from(bias.unwrap_or(weights.bias));
        let sum = |of: fn(f64) -> f64| {
            parts
                .iter()
                .map(|part| of(f64::from(part.score)))
                .sum::<f64>()
        };
        let (expected, size) = (bias + sum(|part| part), bias.abs() + sum(f64::abs));
        let score = f64::from(f32::from_bits(bits));
        assert!(
            (score - expected).abs() <= 1e-5 * size + 1e-6,
            "label {label}: {score}, {expected}"
        );
    }
}

fuzz_target!(|job: Job| {
    let Some(data) = data(&job) else {
        return;
    };
    let Some(model) = train(&job.kind, &data) else {
        return;
    };
    let mut prepared = model.clone();
    prepared.prepare().expect("memory");
    let read = Model::from_bytes(model.to_bytes().expect("a file")).expect("its own file");
    let (mut plain, mut wide) = (Scratch::default(), Scratch::new(best()));
    let k = usize::from(job.answers) + 1;
    for query in &job.queries {
        let query = row(query);
        let query = query.view();
        let expected = answers(&model, query, k, &mut plain);
        for model in [&model, &prepared, &read] {
            assert_eq!(answers(model, query, k, &mut wide), expected);
            assert_eq!(answers(model, query, k, &mut plain), expected);
        }
        check_neighbors(&model, &data, query);
        if let Ok(best) = &expected {
            check_scores(&model, query, best, &mut plain);
        }
    }
});
