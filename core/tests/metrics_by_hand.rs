//! The metrics on rows small enough to compute by hand, and at their borders.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use hapax_core::{
    data::LabelLists,
    executor::Sequential,
    metrics::{Evaluation, EvaluationError, Options, Propensities, Report},
    search::Scored,
};

fn report(ks: &[usize], options: Options<'_>, rows: &[(&[u32], &[u32])]) -> Report {
    let mut evaluation = Evaluation::new(ks, options).unwrap();
    for (answers, truth) in rows {
        evaluation.add_ids(answers, truth);
    }
    evaluation.finish().unwrap()
}

fn close(values: &[f64], expected: &[f64]) {
    assert_eq!(values.len(), expected.len());
    for (value, wanted) in values.iter().zip(expected) {
        assert!((value - wanted).abs() < 1e-14, "{values:?} {expected:?}");
    }
}

/// Answers and labels of three rows: hits at ranks 2 and 3; at rank 1; no labels at all.
const ROWS: [(&[u32], &[u32]); 3] = [
    (&[9, 1, 4], &[1, 4, 6, 7]),
    (&[2, 1, 0], &[2]),
    (&[3, 1, 0], &[]),
];

#[test]
fn ranking_figures_by_hand() {
    let report = report(&[5, 1, 3, 3], Options::default(), &ROWS);
    assert_eq!((report.rows, report.rows_without_labels), (3, 1));
    close(&[report.labels_per_row], &[5.0 / 3.0]);
    assert_eq!(report.ks, [1, 3, 5]);
    close(&report.precision, &[1.0 / 3.0, 3.0 / 9.0, 3.0 / 15.0]);
    close(
        &report.attainable_precision,
        &[2.0 / 3.0, 4.0 / 9.0, 5.0 / 15.0],
    );
    close(
        &report.r_precision,
        &[1.0 / 3.0, (2.0 / 3.0 + 1.0) / 3.0, (0.5 + 1.0) / 3.0],
    );
    close(&report.recall, &[1.0 / 3.0, 0.5, 0.5]);
    let [second, third, fourth] = [3f64.log2().recip(), 0.5, 5f64.log2().recip()];
    let gain = second + third;
    close(
        &report.ndcg,
        &[
            1.0 / 3.0,
            (gain / (1.0 + second + third) + 1.0) / 3.0,
            (gain / (1.0 + second + third + fourth) + 1.0) / 3.0,
        ],
    );
    // Labels of the truth: 1, 4, 6, 7, 2. Label 1 is a hit in the first row only.
    close(&report.coverage, &[0.2, 0.6, 0.6]);
    close(&[report.accuracy], &[1.0 / 3.0]);
    assert_eq!((report.psp, report.psndcg), (None, None));
}

#[test]
fn f1_by_hand() {
    let options = Options {
        cut: 2,
        ..Options::default()
    };
    let report = report(&[1], options, &ROWS);
    // Predicted sets {9, 1}, {2, 1}, {3, 1}: right are 1 in the first row and 2 in the second.
    close(&[report.micro_f1], &[2.0 * 2.0 / (6.0 + 5.0)]);
    // Labels met: 1 (F1 = 2 * 1 / (3 + 1)), 2 (F1 = 1), and 3, 4, 6, 7, 9 (F1 = 0).
    close(&[report.macro_f1], &[1.5 / 7.0]);
    let (precision, recall) = ((1.0 / 3.0 + 1.0) / 7.0, 2.0 / 7.0);
    close(
        &[report.macro_f1_of_means],
        &[2.0 * precision * recall / (precision + recall)],
    );
}

#[test]
fn propensity_scored_figures_by_hand() {
    // N_l = 1 weighs ln N - 1 + 1 = ln 20; label 8 and those beyond L weigh as N_l = 0.
    let propensities = Propensities::new(&[1, 9], 20, 0.55, 1.5).unwrap();
    let weight = |rows: f64| 1.0 + (20f64.ln() - 1.0) * (2.5 / (rows + 1.5)).powf(0.55);
    let (rare, frequent, unseen) = (20f64.ln(), weight(9.0), weight(0.0));
    assert!(unseen > rare && rare > frequent && frequent > 1.0);
    let options = Options {
        propensities: Some(&propensities),
        ..Options::default()
    };
    let rows: [(&[u32], &[u32]); 2] = [(&[1, 0], &[0, 1]), (&[1, 0], &[0, 8])];
    let report = report(&[1, 2], options, &rows);
    close(
        &report.psp.unwrap(),
        &[
            frequent / (rare + unseen),
            (frequent + 2.0 * rare) / (2.0 * rare + frequent + unseen),
        ],
    );
    let second = 3f64.log2().recip();
    close(
        &report.psndcg.unwrap(),
        &[
            frequent / (rare + unseen),
            (frequent + 2.0 * second * rare) / (rare + second * frequent + unseen + second * rare),
        ],
    );
}

#[test]
fn unseen_labels_missing_answers_and_repetitions_are_misses() {
    let rows: [(&[u32], &[u32]); 3] = [(&[], &[u32::MAX]), (&[5, 5, 5], &[5]), (&[6], &[5])];
    let report = report(&[1, 3], Options::default(), &rows);
    close(&report.precision, &[1.0 / 3.0, 1.0 / 9.0]);
    close(&report.attainable_precision, &[1.0, 1.0 / 3.0]);
    close(&report.coverage, &[0.5, 0.5]);
    // Right 1, predicted 2, labels 3.
    close(&[report.micro_f1], &[0.4]);
}

#[test]
fn rows_without_labels_alone_give_zeros() {
    let propensities = Propensities::new(&[], 0, 0.55, 1.5).unwrap();
    let options = Options {
        propensities: Some(&propensities),
        ..Options::default()
    };
    let report = report(&[2], options, &[(&[], &[])]);
    let zero = [0.0];
    assert_eq!(report.precision, zero);
    assert_eq!(report.psp.as_deref(), Some(&zero[..]));
    assert_eq!(report.psndcg.as_deref(), Some(&zero[..]));
    assert_eq!((report.ndcg, report.coverage), (vec![0.0], vec![0.0]));
    assert_eq!((report.micro_f1, report.macro_f1), (0.0, 0.0));
}

#[test]
fn a_huge_k_costs_nothing() {
    let report = report(&[1, usize::MAX], Options::default(), &ROWS);
    assert!(report.precision[1] < 1e-15);
    close(&report.recall[1..], &[0.5]);
}

#[test]
fn each_rule_has_its_refusal() {
    let refused = |ks: &[usize], cut| {
        let options = Options {
            cut,
            ..Options::default()
        };
        Evaluation::new(ks, options).err()
    };
    assert_eq!(refused(&[], 1), Some(EvaluationError::NoK));
    assert_eq!(refused(&[1, 0], 1), Some(EvaluationError::ZeroK));
    assert_eq!(refused(&[1], 0), Some(EvaluationError::ZeroCut));
    let evaluation = Evaluation::new(&[1], Options::default()).unwrap();
    assert_eq!(evaluation.finish(), Err(EvaluationError::NoRows));
    for error in [EvaluationError::ZeroK, EvaluationError::NoK] {
        assert!(error.to_string().contains('k'));
    }
}

#[test]
fn adding_all_rows_is_adding_each() {
    let mut truth = LabelLists::new(10);
    let mut one_by_one = Evaluation::new(&[1, 3], Options::default()).unwrap();
    for (answers, labels) in ROWS {
        truth.push(labels.iter().copied());
        one_by_one.add_ids(answers, labels);
    }
    let mut all = Evaluation::new(&[1, 3], Options::default()).unwrap();
    all.add_all(
        &truth,
        &Sequential,
        || (),
        |(), row, answers| {
            answers.clear();
            answers.extend(ROWS[row].0.iter().map(|&id| Scored { id, score: 0.0 }));
        },
    );
    assert_eq!(all.finish(), one_by_one.finish());
    let before = all.finish();
    all.add_all(&LabelLists::new(3), &Sequential, || (), |(), _, _| {});
    assert_eq!(all.finish(), before, "no rows change nothing");
}
