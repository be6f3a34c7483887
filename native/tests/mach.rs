//! MACH with threads and with every kernel: the same bits, and on real data the same answers as
//! from scoring all labels.
#![allow(clippy::unwrap_used, reason = "a test may stop at what must not fail")]

use hapax::{
    core::{
        data::{Dataset, LabelLists, ReadOptions, Source, read},
        executor::Sequential,
        kernels::{Kernels, LABEL_BLOCK as BLOCK, Portable},
        model::{Model, Scratch},
        parameters::{Estimator, MachParameters, Optimizer},
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::mach::MachKernels,
    },
    files::read_text,
    kernels,
    threads::Threads,
};
use std::ops::ControlFlow;

#[test]
fn every_kernel_scans_to_the_same_sums() {
    let mut dice = Stream::new(3, 3);
    for (buckets, heads, blocks) in [
        (3, 1, 2),
        (16, 25, 9),
        (32, 25, 30),
        (50, 7, 5),
        (64, 256, 3),
        (100, 9, 4),
        (256, 12, 4),
    ] {
        // Tables have a power of two of bytes, from 16 on.
        let tables: Vec<u8> = (0..heads * usize::next_power_of_two(buckets).max(16))
            .map(|_| dice.bits() as u8)
            .collect();
        let codes: Vec<u8> = (0..heads * blocks * BLOCK)
            .map(|_| dice.below(buckets as u64) as u8)
            .collect();
        let scan = |kernels: &dyn Kernels| {
            let (mut sums, mut maxima) = (vec![0u16; blocks * BLOCK], vec![0u16; blocks]);
            kernels.scan(&codes, &tables, heads, &mut sums, &mut maxima);
            (sums, maxima)
        };
        let plain = scan(&Portable);
        for kernels in kernels::available() {
            assert!(
                scan(kernels) == plain,
                "{} with {buckets} buckets",
                kernels.processor().name()
            );
        }
    }
}

/// A part of a set; `None` where the test is left out.
fn load(set: &str, part: &str) -> Option<Dataset> {
    let text = read_text(&hapax_sets::path(&format!("{set}/{part}"))?).unwrap();
    match read(&text, &ReadOptions::default(), &Sequential)
        .unwrap()
        .source
    {
        Source::Rows(data) => Some(data),
        Source::Texts(_) => None,
    }
}

/// Rows of their own where the real ones are absent.
fn synthetic(job: u64) -> Dataset {
    let mut dice = Stream::new(9, job);
    let mut text = String::from("600 200 80\n");
    for _ in 0..600 {
        let label = dice.below(80);
        text += &format!("{label}");
        let mut features: Vec<u64> = (0..6).map(|_| (label * 5 + dice.below(11)) % 200).collect();
        features.sort_unstable();
        features.dedup();
        features
            .iter()
            .for_each(|f| text += &format!(" {f}:{}", 1 + dice.below(5)));
        text += "\n";
    }
    match read(text.as_bytes(), &ReadOptions::default(), &Sequential)
        .unwrap()
        .source
    {
        Source::Rows(data) => data,
        Source::Texts(_) => unreachable!("these are rows"),
    }
}

fn banking(part: &str, job: u64) -> Dataset {
    load("banking77", part).unwrap_or_else(|| synthetic(job))
}

fn bytes(
    p: &MachParameters,
    data: &Dataset,
    threads: usize,
    kernels: &'static dyn MachKernels,
) -> Vec<u8> {
    let threads = Threads::new(threads).unwrap();
    let go_on = |_| ControlFlow::Continue(());
    let model = Model::train_mach(p, data, None, &threads, kernels, go_on).unwrap();
    model.to_bytes().unwrap()
}

#[test]
fn any_number_of_threads_and_any_kernels_make_the_same_file() {
    let data = banking("train.txt.xz", 1).select(&(0..600).collect::<Vec<_>>());
    for optimizer in [Optimizer::Sgd, Optimizer::FeatureAdaGrad] {
        let p = MachParameters {
            repetitions: 9,
            epochs: 2,
            optimizer,
            rerank: 10,
            ..MachParameters::automatic(&data)
        };
        let one = bytes(&p, &data, 1, &Portable);
        for kernels in kernels::available() {
            for threads in [1, 2, 8] {
                assert!(
                    bytes(&p, &data, threads, kernels) == one,
                    "{} {threads} threads",
                    kernels.processor().name()
                );
            }
        }
    }
}

/// Core holds its portable form against scoring every label.
#[test]
fn all_kernels_answer_as_the_portable_ones_do() {
    let (data, test) = (banking("train.txt.xz", 1), banking("test.txt.xz", 2));
    // Of banking77 and of the synthetic rows that stand in for it.
    let least = if test.len() == 3080 { 0.5 } else { 0.4 };
    let few =
        |data: &Dataset, step| data.select(&(0..data.len()).step_by(step).collect::<Vec<_>>());
    let (data, test) = (few(&data, 2), few(&test, 4));
    let threads = Threads::new(2).unwrap();
    for estimator in [Estimator::Mean, Estimator::LogMean, Estimator::LogitSum] {
        let p = MachParameters {
            epochs: 1,
            estimator,
            ..MachParameters::automatic(&data)
        };
        let mach = train(&p, &data, &threads);
        let mut right = 0;
        for kernels in kernels::available() {
            right += right_as_portable(&mach, &test, kernels);
        }
        let share = right as f64 / (test.len() * kernels::available().len()) as f64;
        assert!(share > least, "{share} right");
    }
}

/// Many labels, whose scan is worth it: the paper's codes, each label with a row of its own.
#[test]
fn all_kernels_answer_as_the_portable_ones_do_among_many_labels() {
    let (mut rows, mut lists) = (SparseRows::new(200), LabelLists::new(20_000));
    let mut dice = Stream::new(5, 5);
    for label in 0..20_000 {
        let pairs = (0..3).map(|_| (dice.below(200) as u32, 1.0));
        let row = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
        rows.push(row.view()).unwrap();
        lists.push([label]);
    }
    let data = Dataset::new(rows, lists, None).unwrap();
    let p = MachParameters {
        buckets: 32,
        repetitions: 25,
        epochs: 1,
        estimator: Estimator::Mean,
        ..MachParameters::automatic(&data)
    };
    let mach = train(&p, &data, &Threads::new(2).unwrap());
    let few = data.select(&(0..100).collect::<Vec<_>>());
    for kernels in kernels::available() {
        right_as_portable(&mach, &few, kernels);
    }
}

fn train(p: &MachParameters, data: &Dataset, threads: &Threads) -> Model {
    let go_on = |_| ControlFlow::Continue(());
    Model::train_mach(p, data, None, threads, kernels::best(), go_on).unwrap()
}

/// How many rows are answered right, each as the portable kernels answer it.
fn right_as_portable(mach: &Model, test: &Dataset, kernels: &'static dyn MachKernels) -> usize {
    let (mut fast, mut plain) = (Scratch::new(kernels), Scratch::new(&Portable));
    let mut right = 0;
    for (row, truth) in test.rows().iter().zip(test.labels().iter()) {
        let (fast, plain) = (
            mach.predict(row, 5, &mut fast).unwrap(),
            mach.predict(row, 5, &mut plain).unwrap(),
        );
        assert_eq!(fast, plain, "{}", kernels.processor().name());
        right += usize::from(truth.contains(&plain[0].id));
    }
    right
}
