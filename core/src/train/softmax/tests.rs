use super::{
    BATCH, DROPOUT, EPOCHS, LEAST_SHARE, RATE, SoftmaxTraining, VISIT, VISITS_OF_ALL,
    batch::Softmax, support::visits, takes_all_weights, work,
};
use crate::{
    data::{Dataset, LabelLists},
    executor::{Executor, Sequential, tests::Many},
    kernels::Portable,
    model::linear::{LinearModel, LinearScratch},
    parameters::one_vs_rest::OneVsRest,
    random::Stream,
    sparse::{SparseRows, SparseVec},
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;
use hapax_processor::Loop;

const LABELS: u32 = 9;

/// Rows with one to three labels, one of them with none; the last label has no row.
fn data() -> Dataset {
    let mut stream = Stream::new(3, 9);
    let (mut rows, mut lists) = (SparseRows::new(30), LabelLists::new(LABELS));
    for row in 0..300u32 {
        let label = stream.below(u64::from(LABELS) - 1) as u32;
        let pairs: Vec<(u32, f32)> = (0..6)
            .map(|at| match at < 3 {
                true => (3 * label + at, 1.0),
                false => (stream.below(30) as u32, stream.unit() as f32),
            })
            .collect();
        rows.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
        match row {
            7 => lists.push([]),
            _ if row % 3 == 0 => lists.push([label, (label + row) % (LABELS - 1)]),
            _ => lists.push([label]),
        }
    }
    Dataset::new(rows, lists, None).unwrap()
}

/// One-vs-rest, so pruned that pairs are missing.
fn model(data: &Dataset) -> LinearModel {
    let parameters = OneVsRest {
        prune: 0.1,
        ..OneVsRest::default()
    };
    let go_on = |_| ControlFlow::Continue(());
    parameters
        .train(data, &Sequential, &Portable, go_on)
        .unwrap()
}

/// Visits all labels' weights, if `dense`, or those that there are.
fn trained(dense: bool, model: &LinearModel, data: &Dataset, executor: &Executor) -> Vec<f32> {
    let mut training = SoftmaxTraining::with(dense, model, data, 11).unwrap();
    while training.step(executor, &Portable) {}
    training.weights().to_vec()
}

/// The same training with dense weights in f64: slow and plain.
fn twin(model: &LinearModel, data: &Dataset) -> Vec<Vec<f64>> {
    let (labels, features) = (LABELS as usize, 30);
    let mut paired = vec![vec![false; features]; labels];
    for feature in 0..model.features() {
        model.visit(feature, |label, _| {
            paired[label as usize][feature as usize] = true;
        });
    }
    let mut weights = vec![vec![0f64; features]; labels];
    let transform = model.parts().transform;
    let rows: Vec<Vec<f32>> = data
        .rows()
        .iter()
        .map(|row| {
            let mut values = Vec::new();
            transform.apply(row, &mut values);
            values
        })
        .collect();
    let mut done = 0;
    for epoch in 0..EPOCHS {
        let mut order: Vec<u32> = (0..data.len() as u32).collect();
        Stream::new(11, u64::from(epoch)).shuffle(&mut order);
        for batch in order.chunks(BATCH) {
            let rate =
                f64::from(RATE) * (1.0 - done as f64 / (EPOCHS as usize * data.len()) as f64);
            let mut next = weights.clone();
            for &row in batch {
                let own = data.labels().row(row as usize);
                let mut stream = Stream::new(11, u64::from(epoch) << 32 | u64::from(row));
                let mut dense = vec![0f64; features];
                let indices = data.rows().row(row as usize).indices();
                for (&feature, &value) in indices.iter().zip(&rows[row as usize]) {
                    if stream.unit() >= DROPOUT {
                        dense[feature as usize] = f64::from(value) / (1.0 - DROPOUT);
                    }
                }
                let score = |w: &Vec<f64>| w.iter().zip(&dense).map(|(a, b)| a * b).sum::<f64>();
                let scores: Vec<f64> = weights.iter().map(score).collect();
                let sum: f64 = scores.iter().map(|score| score.exp()).sum();
                for label in 0..labels {
                    if own.is_empty() {
                        continue;
                    }
                    let share = scores[label].exp() / sum;
                    // A label none of whose weights was met has none to change.
                    let mut gradient = if share > f64::from(LEAST_SHARE) {
                        -share
                    } else {
                        0.0
                    };
                    if own.contains(&(label as u32)) {
                        gradient += 1.0 / own.len() as f64;
                    }
                    for feature in 0..features {
                        if paired[label][feature] {
                            next[label][feature] += rate * gradient * dense[feature];
                        }
                    }
                }
            }
            weights = next;
            done += batch.len();
        }
    }
    weights
}

#[test]
fn weights_are_those_of_the_plain_form() {
    let data = data();
    let model = model(&data);
    let expected = twin(&model, &data);
    for dense in [false, true] {
        let found = trained(dense, &model, &data, &Sequential);
        // Where a share is at the least that counts, single and double precision may part by a
        // step.
        let (mut at, mut largest) = (0, 0f64);
        for feature in 0..30 {
            model.visit(feature, |label, _| {
                let expected = expected[label as usize][feature as usize];
                let found = match dense {
                    true => found[(feature * LABELS + label) as usize],
                    false => found[at],
                };
                assert!(
                    (f64::from(found) - expected).abs() < 2e-2 * (1.0 + expected.abs()),
                    "label {label}, feature {feature}: {found} and {expected}",
                );
                largest = largest.max(expected.abs());
                at += 1;
            });
        }
        let places = if dense { 30 * LABELS as usize } else { at };
        assert_eq!(found.len(), places);
        let kept = found.iter().filter(|&&weight| weight != 0.0).count();
        assert!(kept <= at, "{kept} weights of {at} pairs");
        assert!(largest > 1.0 && at < 30 * 8, "{largest}, {at}");
    }
}

#[test]
fn all_labels_are_visited_where_that_is_faster() {
    let data = data();
    let model = model(&data);
    assert!(takes_all_weights(&model, &data));
    let all = 300.0 * 30.0 * f64::from(LABELS) / VISITS_OF_ALL;
    assert_eq!(work(&model, &data), VISIT * f64::from(EPOCHS) * all);
    // Rows of six of 3,000 features, the same labels.
    let mut rows = SparseRows::new(3_000);
    for row in data.rows().iter() {
        let values = row.indices().iter().zip(row.values());
        let pairs = values.map(|(&feature, &value)| (100 * feature, value));
        let row = SparseVec::from_pairs(pairs).unwrap();
        rows.push(row.view()).unwrap();
    }
    let data = Dataset::new(rows, data.labels().clone(), None).unwrap();
    let model = self::model(&data);
    assert!(!takes_all_weights(&model, &data));
    let found = visits(&model, &data);
    assert_eq!(work(&model, &data), VISIT * f64::from(EPOCHS) * found);
}

#[test]
fn shares_are_what_the_loss_falls_by() {
    // The derivative of -ln softmax_y by a score is the share of its label, less 1 for y.
    let scores = [0.3f32, -1.2, 2.0, 0.0, 0.7];
    let loss = |scores: &[f64], y: usize| {
        // Three further labels have a score of 0.
        let sum: f64 = scores.iter().map(|s| s.exp()).sum::<f64>() + 3.0;
        sum.ln() - scores[y]
    };
    let mut shares = scores;
    let run = |scores: &mut [f32], silent| Softmax { scores, silent }.run();
    let scale = run(&mut shares, 3);
    let y = 2;
    for at in 0..scores.len() {
        let moved = |by: f64| {
            let mut moved: Vec<f64> = scores.iter().map(|&s| f64::from(s)).collect();
            moved[at] += by;
            loss(&moved, y)
        };
        let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        let share = f64::from(shares[at] * scale) - f64::from(u8::from(at == y));
        assert!((slope - share).abs() < 1e-6, "{at}: {slope} and {share}");
    }
    let mut far = [-300f32, -310.0];
    let scale = run(&mut far, 0);
    assert!(far.iter().all(|share| (share * scale).is_finite()));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let data = data();
    let model = model(&data);
    for dense in [false, true] {
        let expected = trained(dense, &model, &data, &Sequential);
        for threads in [2, 3, 8] {
            let found = trained(dense, &model, &data, &Many(threads));
            assert!(found == expected, "{threads} threads");
        }
    }
}

#[test]
fn a_training_that_was_left_goes_on_with_the_same_bits() {
    let data = data();
    let model = model(&data);
    for dense in [false, true] {
        let begun = || SoftmaxTraining::with(dense, &model, &data, 11).unwrap();
        let (mut first, mut second) = (begun(), begun());
        (0..4).for_each(|_| assert!(first.step(&Sequential, &Portable)));
        let weights = first.weights().to_vec();
        assert!(second.resume(4, weights[1..].to_vec()).is_err());
        assert!(second.resume(EPOCHS + 1, weights.clone()).is_err());
        assert!(second.resume(4, vec![f32::NAN; weights.len()]).is_err());
        second.resume(4, weights).unwrap();
        while second.step(&Many(2), &Portable) {}
        assert!(second.weights() == trained(dense, &model, &data, &Sequential));
    }
}

#[test]
fn the_sum_scores_as_both_models_and_has_no_other_pairs() {
    let data = data();
    let model = model(&data);
    let mut training = SoftmaxTraining::new(&model, &data, 11).unwrap();
    while training.step(&Sequential, &Portable) {}
    let alone = training.alone(&model, 16).unwrap();
    let sum = training.added_to(&model, 0.2, 16).unwrap();
    assert!(sum.nonzeros() <= model.nonzeros());
    let score = |model: &LinearModel, row, label| {
        let mut scratch = LinearScratch::default();
        let found = model.predict(row, LABELS as usize, &mut scratch);
        found.iter().find(|found| found.id == label).unwrap().score
    };
    for row in data.rows().iter().take(20) {
        for label in 0..LABELS - 1 {
            let [a, b, both] = [&model, &alone, &sum].map(|of| score(of, row, label));
            assert!((a + 0.2 * b - both).abs() < 5e-3, "{a} + 0.2 x {b}, {both}");
        }
        assert_eq!(score(&sum, row, LABELS - 1), f32::MIN, "a label never seen");
    }
}

#[test]
fn visits_count_the_weights_of_each_value() {
    let data = data();
    let model = model(&data);
    let mut expected = 0;
    for row in data.rows().iter() {
        for &feature in row.indices() {
            model.visit(feature, |_, _| expected += 1);
        }
    }
    assert_eq!(visits(&model, &data), f64::from(expected));
}
