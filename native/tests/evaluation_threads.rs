//! The number of threads never shows in an evaluation.
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use hapax::{
    core::{
        data::LabelLists,
        executor::{Executor, Sequential},
        metrics::{Evaluation, Options, Propensities, Report},
        random::Stream,
        search::Scored,
    },
    threads::Threads,
};

const ROWS: usize = 5_000;
const LABELS: u64 = 700;

fn truth() -> LabelLists {
    let mut random = Stream::new(5, 0);
    let mut truth = LabelLists::new(LABELS as u32);
    for _ in 0..ROWS {
        let count = random.below(7);
        truth.push((0..count).map(|_| random.below(LABELS) as u32));
    }
    truth
}

fn report(truth: &LabelLists, propensities: &Propensities, executor: &Executor) -> Report {
    let options = Options {
        propensities: Some(propensities),
        cut: 3,
    };
    let mut evaluation = Evaluation::new(&[1, 3, 5, 10], options).unwrap();
    // Answers drawn from the row's number: some of its labels among random ones.
    let predict = |_: &mut (), row: usize, answers: &mut Vec<Scored>| {
        let mut random = Stream::new(6, row as u64);
        answers.clear();
        for rank in 0..10u8 {
            let labels = truth.row(row);
            let right = labels.get(random.below(12) as usize).copied();
            let id = right.unwrap_or_else(|| random.below(LABELS) as u32);
            let score = -f32::from(rank);
            answers.push(Scored { id, score });
        }
    };
    evaluation.add_all(truth, executor, || (), predict);
    evaluation.finish().unwrap()
}

#[test]
fn reports_have_the_same_bits_for_any_number_of_threads() {
    let truth = truth();
    let (a, b) = (Propensities::A, Propensities::B);
    let propensities = Propensities::new(&truth.frequencies(), ROWS, a, b).unwrap();
    let one = report(&truth, &propensities, &Sequential);
    assert_eq!(one.rows, ROWS as u64);
    assert!(one.ndcg[3] > 0.1 && one.ndcg[3] < 1.0, "{one:?}");
    for threads in [1, 2, 8] {
        let many = report(&truth, &propensities, &Threads::new(threads).unwrap());
        assert_eq!(many, one, "{threads} threads");
        // Equality of numbers is not yet equality of bits.
        assert_eq!(format!("{many:?}"), format!("{one:?}"));
    }
}
