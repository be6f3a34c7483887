//! One-vs-rest against its slow twins: LIBLINEAR's optimum, all negatives, plain scores, one
//! thread.
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not fail")]

use hapax::{
    core::{
        data::{Dataset, LabelLists, ReadOptions, Source, read},
        executor::Sequential,
        kernels::Portable,
        model::{LinearModel, Scratch},
        parameters::{Bias, Negatives, OneVsRest},
        random::Stream,
        search::Scored,
        sparse::{SparseRows, SparseVec},
        train::{
            Training,
            one_vs_rest::{FusedWeights, Given, Report},
        },
    },
    files::read_text,
    kernels,
    threads::Threads,
};
use std::ops::ControlFlow;

/// Seven costs, two exponents, three finalists, neighbors, pruning.
const MOST_TRIALS: usize = 14;

const SETS: [&str; 2] = ["bibtex", "reuters21578-modapte"];

/// Training and test rows of a set, or synthetic ones where the test is left out.
fn load(set: &str) -> (Dataset, Dataset) {
    let part = |name: &str| rows_of(&format!("{set}/{name}"));
    match (part("train"), part("test")) {
        (Some(train), Some(test)) => (train, test),
        _ => (synthetic(1500, 1), synthetic(500, 2)),
    }
}

fn bibtex() -> (Dataset, Dataset) {
    load("bibtex")
}

fn rows_of(name: &str) -> Option<Dataset> {
    let text = read_text(&hapax_sets::path(&format!("{name}.txt.xz"))?).unwrap();
    match read(&text, &ReadOptions::default(), &Sequential)
        .unwrap()
        .source
    {
        Source::Rows(data) => Some(data),
        Source::Texts(_) => None,
    }
}

/// Rows over 400 features whose labels, of 60, each prefer six features.
fn synthetic(count: usize, seed: u64) -> Dataset {
    let mut stream = Stream::new(seed, 9);
    let mut rows = SparseRows::new(400);
    let mut lists = LabelLists::new(60);
    for _ in 0..count {
        let labels = [
            stream.below(60) as u32,
            stream.below(stream.clone().below(60) + 1) as u32,
        ];
        let mut pairs = Vec::new();
        for label in labels {
            pairs.extend((0..4).map(|_| (label * 6 + stream.below(6) as u32, 1.0)));
        }
        pairs.extend((0..6).map(|_| (stream.below(400) as u32, 0.7)));
        rows.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
        lists.push(labels);
    }
    Dataset::new(rows, lists, None).unwrap()
}

fn train(parameters: &OneVsRest, data: &Dataset) -> LinearModel {
    parameters
        .train(data, &Sequential, kernels::best(), |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
}

fn precision_at_1(model: &LinearModel, test: &Dataset) -> f64 {
    let best = model.predict_rows(test.rows(), 1, kernels::best(), &Sequential);
    let right = |(row, best): &(usize, Scored)| test.labels().row(*row).contains(&best.id);
    let hits = best.unwrap().into_iter().enumerate().filter(right);
    100.0 * hits.count() as f64 / test.len() as f64
}

#[test]
fn all_negatives_reach_the_optimum_of_the_problem() {
    SETS.iter()
        .for_each(|set| reaches_the_optimum(&load(set).0));
}

/// The dual objective of duals bounds the optimum from below, so a small gap proves that it is
/// reached.
fn reaches_the_optimum(train: &Dataset) {
    let mut go_on = |_| ControlFlow::Continue(());
    for bias in [Bias::Fixed(-1.0), Bias::Learned(1.0)] {
        let parameters = OneVsRest {
            bias,
            max_epochs: 1000,
            ..OneVsRest::default()
        };
        let proven = parameters
            .proving(train, 1e-4, kernels::best())
            .unwrap()
            .train(&Sequential, &mut go_on)
            .unwrap();
        let proof = &proven.certificate;
        assert!(proof.dual > 0.0, "{bias:?}: {proof:?}");
        assert!(proof.relative_gap() <= 1e-4, "{bias:?}: {proof:?}");
    }
}

/// A seed alone moves either by up to 0.7 points, so that means of three are compared.
#[test]
fn mined_negatives_rank_as_well_as_all() {
    for set in SETS {
        let (data, test) = load(set);
        let [all, mined] = [Negatives::All, Negatives::Mined].map(|negatives| {
            let base = OneVsRest {
                negatives,
                ..OneVsRest::default()
            };
            let seeds = [42, 1, 2].map(|seed| {
                let parameters = OneVsRest {
                    seed,
                    ..base.clone()
                };
                precision_at_1(&train(&parameters, &data), &test)
            });
            seeds.iter().sum::<f64>() / 3.0
        });
        assert!(
            mined >= all - 0.3,
            "{set}: P@1 {mined} with mined negatives, {all} with all"
        );
    }
}

#[test]
fn an_earlier_model_saves_sweeps_and_costs_no_precision() {
    let (data, test) = bibtex();
    let parameters = OneVsRest {
        negatives: Negatives::Mined,
        ..OneVsRest::default()
    };
    let first: Vec<usize> = (0..data.len() * 4 / 5).collect();
    let earlier = train(&parameters, &data.select(&first));
    let run = |start: Option<&LinearModel>| {
        let mut sweeps = 0;
        let kernels = kernels::best();
        let mut trainer = parameters.trainer(&data, &Sequential, kernels).unwrap();
        if let Some(earlier) = start {
            trainer.start_from(earlier).unwrap();
        }
        let mut count = |report: Report| {
            sweeps += report.sweeps;
            ControlFlow::Continue(())
        };
        let model = trainer.train(&Sequential, &mut count);
        (precision_at_1(&model.unwrap(), &test), sweeps)
    };
    let (cold, warm) = (run(None), run(Some(&earlier)));
    // Of bibtex and of the synthetic rows that stand in for it.
    let most = if data.labels().labels() == 159 { 8 } else { 9 };
    assert!(warm.0 >= cold.0 - 0.5, "P@1 {} after {}", warm.0, cold.0);
    assert!(
        10 * warm.1 < most * cold.1,
        "{} sweeps after {}",
        warm.1,
        cold.1
    );
}

#[test]
fn the_choice_is_the_same_for_any_thread_count_and_keeps_what_is_given() {
    let data = synthetic(600, 5);
    let choose = |threads, neighbors| {
        let given = Given {
            cost: Some(0.25),
            neighbors,
            ..Given::default()
        };
        let pool = Threads::new(threads).unwrap();
        let chosen =
            OneVsRest::default().choose(&given, &data, &pool, kernels::best(), false, |_, _| {
                ControlFlow::Continue(())
            });
        chosen.unwrap()
    };
    for neighbors in [Some(false), None] {
        let choice = choose(1, neighbors);
        assert_eq!(choice, choose(3, neighbors));
        assert!(choice.held_out >= 500 && choice.tried.len() <= MOST_TRIALS);
        assert_eq!(choice.parameters.cost, 0.25);
        let most = choice.tried.iter().map(|trial| trial.judged).max();
        let whole = choice.tried.iter().filter(|t| Some(t.judged) == most);
        let best = whole.clone().map(|trial| trial.precision);
        let best = best.fold(0.0, f64::max);
        // Pruning and neighbors come last, and are judged on fewer rows.
        let costs = |p: &OneVsRest| (p.positive_weight, p.exponent);
        let chosen = whole.filter(|t| costs(&t.parameters) == costs(&choice.parameters));
        assert!(chosen.map(|t| t.precision).fold(0.0, f64::max) > best - 0.01);
    }
}

#[test]
fn every_thread_count_and_kernel_gives_the_same_model() {
    let data = synthetic(1200, 3);
    let go_on = |_| ControlFlow::Continue(());
    for negatives in [Negatives::All, Negatives::Mined] {
        let parameters = OneVsRest {
            negatives,
            pool: 100,
            mine: 5,
            short_terms: 6,
            centroid: 0.3,
            prior: 0.01,
            ..OneVsRest::default()
        };
        let alone = parameters
            .train(&data, &Sequential, &Portable, go_on)
            .unwrap();
        assert!(alone.nonzeros() > 500);
        for threads in [1, 2, 8] {
            let pool = Threads::new(threads).unwrap();
            for kernels in kernels::available() {
                let model = parameters.train(&data, &pool, kernels, go_on).unwrap();
                assert_eq!(
                    model,
                    alone,
                    "{threads} threads, {}",
                    kernels.processor().name()
                );
            }
        }
        let other = OneVsRest {
            seed: 1,
            ..parameters
        }
        .train(&data, &Sequential, &Portable, go_on)
        .unwrap();
        assert_ne!(other, alone, "the seed matters");
    }
}

#[test]
fn the_fast_scorer_gives_the_scores_of_the_plain_one() {
    let (data, test) = bibtex();
    let data = data.select(&(0..data.len()).step_by(8).collect::<Vec<_>>());
    for bits in [4, 5, 6, 8, 16] {
        let parameters = OneVsRest {
            prune: 0.05,
            bits,
            ..OneVsRest::default()
        };
        let model = train(&parameters, &data);
        let whole = FusedWeights::default();
        let rows = (&data, None);
        let whole = whole.model(model.clone(), &parameters, rows, &Sequential, &Portable);
        let (whole, mut scratch) = (whole.unwrap(), Scratch::default());
        let mut plain = Vec::new();
        for row in test.rows().iter() {
            plain.extend_from_slice(whole.predict(row, 7, &mut scratch).unwrap());
        }
        for kernels in kernels::available() {
            let fast = model.predict_rows(test.rows(), 7, kernels, &Sequential);
            assert!(fast.unwrap() == plain, "{}", kernels.processor().name());
        }
    }
}
