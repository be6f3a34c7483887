//! How well and how fast each oracle of MEMOIR finds the classes with the largest scores.
//!
//! `memoir_oracles SET [epochs=N] [rows=1000] [svg=FILE]` trains on a set (a folder of `../shared/data`) and asks each oracle, at
//! several sizes, for the classes of test rows. Of each it prints the microseconds of CPU time a row, how often
//! the best class is among those proposed, what share of the 20 best is, the seconds of building, and the bytes beside the weights'.

use hapax::{
    core::{
        data::Dataset,
        executor::Sequential,
        parameters::memoir::{Length, Memoir, SeveralLabels},
        search::{MaxInnerProduct, Proposer, Scored, Top, graph::Graph, sign_codes::SignCodes},
        sparse::SparseVec,
        train::Training,
    },
    threads::Threads,
};
use hapax_benches::{
    curve::{Chart, Line},
    figures::cpu_seconds,
    load,
};
use std::{error::Error, fs};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Row = Vec<(u32, f32)>;

/// The best so many are looked for.
const BEST: usize = 20;

/// All rows are asked so often: the clock of processor time counts hundredths of a second.
const REPEATS: usize = 10;

/// What is found for each row, and the CPU seconds of finding it once.
fn timed(queries: &[Row], mut find: impl FnMut(&Row) -> Vec<u32>) -> (Vec<Vec<u32>>, f64) {
    let start = cpu_seconds();
    let mut found = Vec::new();
    for _ in 0..REPEATS {
        found = queries.iter().map(&mut find).collect();
    }
    (found, (cpu_seconds() - start) / REPEATS as f64)
}

fn main() -> Result<()> {
    let mut set = String::from("oewn-hypernym");
    let (mut epochs, mut rows, mut svg) = (None, 1000, None);
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            None => set = argument,
            Some(("epochs", n)) => epochs = Some(n.parse()?),
            Some(("rows", n)) => rows = n.parse()?,
            Some(("svg", file)) => svg = Some(file.to_string()),
            Some((name, _)) => return Err(format!("no parameter {name}").into()),
        }
    }
    let (train, test) = load(&set)?;
    let vectors = trained(&train, epochs)?;
    let postings = postings(&vectors, train.rows().features() as usize);
    let queries: Vec<Row> = (0..test.len())
        .step_by(test.len().div_ceil(rows).max(1))
        .map(|row| scaled(&test, row))
        .filter(|row| !row.is_empty())
        .collect();
    println!(
        "{set}: {} classes, {} rows asked",
        vectors.len(),
        queries.len()
    );
    println!("oracle          size               us/row  best  of 20 build-s       bytes");
    let truth = exhaustive(&queries, &postings, vectors.len());
    let lines = vec![
        rare(&queries, &postings, &truth, vectors.len()),
        sign_codes(&queries, &vectors, &truth),
        graphs(&queries, &vectors, &truth),
    ];
    if let Some(file) = svg {
        let chart = Chart {
            title: format!("{set}: the best class is among those proposed"),
            across: "microseconds a row",
            up: "recall",
            logarithmic: true,
            lines,
        };
        fs::write(file, chart.svg())?;
    }
    Ok(())
}

/// The weights of each class after training with default options.
fn trained(data: &Dataset, epochs: Option<u32>) -> Result<Vec<SparseVec>> {
    let mut parameters = Memoir::automatic(data);
    parameters.several = SeveralLabels::First;
    if let Some(epochs) = epochs {
        parameters.length = Length::Epochs(epochs);
    }
    let mut trainer = parameters.trainer(data)?;
    let threads = Threads::new(1)?;
    while trainer.step(&threads).is_some() {}
    let mut pairs = vec![Vec::new(); data.labels().labels() as usize];
    trainer.weights().visit(|feature, class, weight| {
        pairs[class as usize].push((feature, weight));
    });
    let vectors = pairs.into_iter().map(SparseVec::from_pairs);
    Ok(vectors.collect::<std::result::Result<_, _>>()?)
}

fn postings(vectors: &[SparseVec], features: usize) -> Vec<Row> {
    let mut made = vec![Vec::new(); features];
    for (class, vector) in vectors.iter().enumerate() {
        for (feature, weight) in vector.view().iter() {
            made[feature as usize].push((class as u32, weight));
        }
    }
    made
}

/// A row of length 1.
fn scaled(data: &Dataset, row: usize) -> Row {
    let view = data.rows().row(row);
    let length = view.norm();
    let value = |x: f32| (f64::from(x) / length) as f32;
    view.iter().map(|(f, x)| (f, value(x))).collect()
}

/// The best classes of a row by some of its features.
fn best(row: &[(u32, f32)], postings: &[Row], scores: &mut [f32], count: usize) -> Vec<u32> {
    scores.fill(0.0);
    for &(feature, x) in row {
        for &(class, weight) in postings.get(feature as usize).map_or(&[][..], |list| list) {
            scores[class as usize] += weight * x;
        }
    }
    let (mut top, mut least) = (Top::new(count), f32::NEG_INFINITY);
    for (id, &score) in scores.iter().enumerate() {
        if score > least {
            let id = id as u32;
            top.push(Scored { id, score });
            least = top.threshold().map_or(least, |worst| worst.score);
        }
    }
    top.sorted().iter().map(|scored| scored.id).collect()
}

fn exhaustive(queries: &[Row], postings: &[Row], classes: usize) -> Vec<Vec<u32>> {
    let mut scores = vec![0.0; classes];
    let (truth, seconds) = timed(queries, |row| best(row, postings, &mut scores, BEST));
    let each = 1e6 * seconds / queries.len() as f64;
    println!("exhaustive      -                {each:8.1} 1.000  1.000       -           -");
    truth
}

/// Prints how many of the best were proposed; the point of the curve.
fn told(
    name: &str,
    size: &str,
    (proposed, truth): (&[Vec<u32>], &[Vec<u32>]),
    (seconds, building, bytes): (f64, f64, usize),
) -> (f64, f64) {
    let each = 1e6 * seconds / truth.len() as f64;
    let rows = || proposed.iter().zip(truth);
    let first = rows()
        .filter(|(found, truth)| found.contains(&truth[0]))
        .count();
    let share = |(found, truth): (&Vec<u32>, &Vec<u32>)| {
        let hits = truth.iter().filter(|class| found.contains(class)).count();
        hits as f64 / truth.len() as f64
    };
    let first = first as f64 / truth.len() as f64;
    let all = rows().map(share).sum::<f64>() / truth.len() as f64;
    println!("{name:<15} {size:<16} {each:8.1} {first:5.3}  {all:5.3} {building:7.2} {bytes:11}");
    (each, first)
}

/// Long lists of features that make up little of a row are left out, and looked up for 40 candidates.
fn rare(queries: &[Row], postings: &[Row], truth: &[Vec<u32>], classes: usize) -> Line {
    let mut points = Vec::new();
    for share in [0.01f32, 0.03, 0.1, 0.2, 0.4] {
        let mut scores = vec![0.0; classes];
        let (proposed, seconds) = timed(queries, |row| {
            let kept = kept(row, postings, classes, share);
            best(&kept, postings, &mut scores, 2 * BEST)
        });
        let cost = (seconds, 0.0, 0);
        let size = format!("{share}");
        points.push(told("rare-features", &size, (&proposed, truth), cost));
    }
    Line {
        name: "rare features".into(),
        points,
    }
}

/// The features of a row that are walked.
fn kept(row: &Row, postings: &[Row], classes: usize, share: f32) -> Row {
    let long = |(feature, _): &(u32, f32)| {
        let list = postings.get(*feature as usize);
        list.is_some_and(|list| list.len() * 12 > classes)
    };
    let mut left: Row = row.iter().copied().filter(long).collect();
    left.sort_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    let mut rest = share * row.iter().map(|(_, x)| x * x).sum::<f32>();
    let out = left.iter().take_while(|(_, x)| {
        rest -= x * x;
        rest >= 0.0
    });
    let out: Vec<u32> = out.map(|(feature, _)| *feature).collect();
    let walked = row.iter().filter(|(feature, _)| !out.contains(feature));
    walked.copied().collect()
}

fn asked(queries: &[Row], search: &dyn MaxInnerProduct, count: usize) -> (Vec<Vec<u32>>, f64) {
    let mut proposer: Box<dyn Proposer + '_> = search.proposer();
    timed(queries, |row| {
        let mut found = Vec::new();
        proposer.propose(row, count, &mut found);
        found
    })
}

fn items(vectors: &[SparseVec]) -> Vec<(u32, SparseVec)> {
    (0..).zip(vectors.iter().cloned()).collect()
}

fn sign_codes(queries: &[Row], vectors: &[SparseVec], truth: &[Vec<u32>]) -> Line {
    let mut points = Vec::new();
    for words in [1, 2, 4, 8, 16] {
        let start = cpu_seconds();
        let mut codes = SignCodes::new(words, 1.5, 42);
        codes.insert_all(&items(vectors), &Sequential);
        let building = cpu_seconds() - start;
        let (found, seconds) = asked(queries, &codes, 100);
        let cost = (seconds, building, codes.bytes());
        let size = format!("{} bits", 64 * words);
        points.push(told("sign-codes", &size, (&found, truth), cost));
    }
    Line {
        name: "sign codes, 100".into(),
        points,
    }
}

fn graphs(queries: &[Row], vectors: &[SparseVec], truth: &[Vec<u32>]) -> Line {
    let name = "graph";
    let mut points = Vec::new();
    let (degree, beam) = (12, 40);
    let start = cpu_seconds();
    let mut graph = Graph::new(degree, beam);
    graph.insert_all(items(vectors), &Sequential);
    let building = cpu_seconds() - start;
    for beam in [40, 80, 160, 320] {
        let (found, seconds) = asked(queries, &graph, beam);
        let cost = (seconds, building, graph.bytes());
        let size = format!("{degree}, beam {beam}");
        points.push(told(name, &size, (&found, truth), cost));
    }
    Line {
        name: format!("{name}, {degree} edges"),
        points,
    }
}
