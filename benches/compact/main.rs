//! What a compact index costs and loses, beside the plain search in the same run.
//!
//! ```text
//! compact settings [SET] ...         a table of settings on the test rows
//! compact budget BYTES [SET] ...     the index chosen for a budget, on the test rows
//! compact tune [SET] ...             parameters on held-out training rows, by set and on average
//! ```
//!
//! Sets are folders of `shared/data`; times are of one thread, searching only.

mod twin;
mod xmc;

use hapax::{
    core::{
        data::LabelLists,
        model::{
            Precision, Votes,
            budget::{Voting, fit_to_budget},
            raise_values,
            tune::{Grid, Setting, TuneReport, tune},
        },
        search::{
            NeighborSearch,
            compact::{CompactIndex, CompactLabels, CompactOptions},
        },
        sparse::SparseRows,
    },
    threads::Threads,
};
use std::{env, error::Error, path::PathBuf, time::Instant};
use twin::Twin;

type Data = (SparseRows, LabelLists);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let mut words = arguments.iter().map(String::as_str);
    match words.next() {
        Some("settings") => sets(words, &["eurlex57k"]).try_for_each(|set| settings(&set)),
        Some("budget") => {
            let bytes = words.next().ok_or("how many bytes?")?.parse()?;
            sets(words, &["eurlex57k"]).try_for_each(|set| budget(&set, bytes))
        }
        Some("tune") => tune_all(&sets(words, TUNED).collect::<Vec<_>>()),
        _ => Err("compact settings | budget BYTES | tune, then names of data sets".into()),
    }
}

const TUNED: &[&str] = &[
    "cpv-it",
    "oewn-hypernym",
    "banking77",
    "clinc150",
    "bibtex",
    "stackex-cs",
    "reuters21578-modapte",
    "eurlex57k",
];

fn sets<'a>(
    named: impl Iterator<Item = &'a str>,
    default: &[&'a str],
) -> impl Iterator<Item = String> {
    let mut chosen: Vec<&str> = named.collect();
    if chosen.is_empty() {
        chosen.extend(default);
    }
    chosen
        .into_iter()
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

/// Reads one part of a set, every value raised to `exponent`.
fn read(set: &str, part: &str, exponent: f64) -> Result<Data, Box<dyn Error>> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data"));
    let (rows, labels) = xmc::read(&root.join(set).join(format!("{part}.txt.xz")))?;
    Ok((raise_values(&rows, exponent)?, labels))
}

/// Parameters of a table, and how they were chosen.
const VOTINGS: [(f64, Voting, &str); 2] = [
    (
        1.0,
        Voting {
            neighbors: 20,
            alpha: 2.0,
            beta: 1.0,
        },
        "the paper's",
    ),
    (
        1.25,
        Voting {
            neighbors: 20,
            alpha: 4.0,
            beta: 0.5,
        },
        "with raised values",
    ),
];

fn settings(set: &str) -> Result<(), Box<dyn Error>> {
    for (exponent, voting, name) in VOTINGS {
        let train = read(set, "train", exponent)?;
        let test = read(set, "test", exponent)?;
        println!("\n{set}, {name} parameters: value exponent {exponent}, {voting:?}");
        let twin = Twin::new(&train.0);
        let (exact, twin_time) = judge(&twin, &train.1, &test, voting);
        print_row(
            "plain search",
            twin.bytes(),
            train.0.nonzeros(),
            twin_time,
            1.0,
            exact,
        );
        let labels = CompactLabels::new(&train.1)?.bytes();
        for (max_share, row_weights, query_features, bits) in [
            (1.0, 255, 1023, 8),
            (1.0, 255, 64, 4),
            (1.0, 32, 64, 4),
            (0.2, 48, 64, 4),
            (0.2, 32, 64, 8),
            (0.2, 32, 64, 6),
            (0.2, 32, 64, 4),
            (0.2, 32, 32, 4),
            (0.1, 32, 64, 4),
            (0.2, 24, 64, 4),
            (0.2, 16, 64, 4),
        ] {
            let mut options = CompactOptions::default();
            options.max_share = max_share;
            options.row_weights = row_weights;
            options.query_features = query_features;
            options.bits = bits;
            let index = CompactIndex::build(&train.0, &options)?;
            let (precision, time) = judge(&index, &train.1, &test, voting);
            let name = format!("{max_share:4.2} {row_weights:3} {query_features:4} {bits}");
            let bytes = index.bytes() + labels;
            print_row(
                &name,
                bytes,
                index.postings(),
                time,
                twin_time / time,
                precision,
            );
        }
    }
    Ok(())
}

fn print_row(
    name: &str,
    bytes: usize,
    postings: usize,
    time: f64,
    ratio: f64,
    precision: Precision,
) {
    println!(
        "{name:18} {bytes:9} bytes {:5.2} a posting {:7.1} us {ratio:5.1} x   P@1/3/5 {}",
        bytes as f64 / postings as f64,
        time * 1e6,
        percent(precision)
    );
}

fn percent(precision: Precision) -> String {
    let Precision { at_1, at_3, at_5 } = precision;
    let [at_1, at_3, at_5] = [at_1, at_3, at_5].map(|share| share * 100.0);
    format!("{at_1:5.2} {at_3:5.2} {at_5:5.2}")
}

/// Precision on the test rows and seconds a search, by the best of two passes.
fn judge<I: NeighborSearch>(
    index: &I,
    labels: &LabelLists,
    test: &Data,
    voting: Voting,
) -> (Precision, f64) {
    let mut scratch = index.scratch();
    let mut votes = Votes::default();
    let mut hits = [0usize; 3];
    let mut best = f64::INFINITY;
    for pass in 0..2 {
        let mut seconds = 0.0;
        for (query, truth) in test.0.iter().zip(test.1.iter()) {
            let start = Instant::now();
            let found = index.nearest(query, voting.neighbors, voting.beta, &mut scratch);
            seconds += start.elapsed().as_secs_f64();
            if pass > 0 {
                continue;
            }
            votes.clear(labels.labels() as usize);
            for row in found {
                let carried = labels.row(row.id as usize).iter().copied();
                votes.add(row.score, voting.alpha, carried);
            }
            let best = votes.best(Precision::DEPTH);
            for (sum, k) in hits.iter_mut().zip([1, 3, 5]) {
                *sum += best
                    .iter()
                    .take(k)
                    .filter(|l| truth.contains(&l.id))
                    .count();
            }
        }
        best = f64::min(best, seconds / test.0.len() as f64);
    }
    let share = |at: usize, k: f64| hits[at] as f64 / (k * test.0.len() as f64);
    let precision = Precision {
        at_1: share(0, 1.0),
        at_3: share(1, 3.0),
        at_5: share(2, 5.0),
    };
    (precision, best)
}

fn budget(set: &str, max_bytes: u64) -> Result<(), Box<dyn Error>> {
    for (exponent, voting, name) in VOTINGS {
        let train = read(set, "train", exponent)?;
        let test = read(set, "test", exponent)?;
        println!("\n{set} in {max_bytes} bytes, {name} parameters: {voting:?}");
        let start = Instant::now();
        let threads = Threads::new(0)?;
        let (index, labels, report) = fit_to_budget(
            &train.0,
            &train.1,
            &voting,
            max_bytes,
            42,
            &threads,
            Twin::new,
        )?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{} held-out rows, {seconds:.1} s; exact {}",
            report.held_out,
            percent(report.exact)
        );
        for (at, trial) in report.tried.iter().enumerate() {
            println!(
                "  {} share {:4.2} weights {:3} {:9} bytes {:8.0} words  {}",
                if at == report.chosen { "*" } else { " " },
                trial.options.max_share,
                trial.options.row_weights,
                trial.bytes,
                trial.words_read,
                percent(trial.precision)
            );
        }
        let twin = Twin::new(&train.0);
        let (exact, twin_time) = judge(&twin, &train.1, &test, voting);
        print_row(
            "plain search",
            twin.bytes(),
            train.0.nonzeros(),
            twin_time,
            1.0,
            exact,
        );
        let (precision, time) = judge(&index, &labels.to_lists(), &test, voting);
        let bytes = index.bytes() + labels.bytes();
        print_row(
            "chosen",
            bytes,
            index.postings(),
            time,
            twin_time / time,
            precision,
        );
        println!("of these {} bytes are label lists", labels.bytes());
    }
    Ok(())
}

/// Tunes every set and finds the setting with the best average.
fn tune_all(sets: &[String]) -> Result<(), Box<dyn Error>> {
    let threads = Threads::new(0)?;
    let grid = Grid::default();
    let mut reports: Vec<TuneReport> = Vec::new();
    for set in sets {
        let (rows, labels) = read(set, "train", 1.0)?;
        let build = |rows: &SparseRows| Ok::<_, std::convert::Infallible>(Twin::new(rows));
        let report = tune(&rows, &labels, &grid, 42, &threads, build)?;
        println!("{set:22} best {}", line(&report, &report.best.setting));
        reports.push(report);
    }
    let mut settings: Vec<(f64, Setting)> = (0..reports[0].tried.len())
        .map(|at| {
            let mean = |report: &TuneReport| report.tried[at].precision.mean();
            let sum: f64 = reports.iter().map(mean).sum();
            (sum / reports.len() as f64, reports[0].tried[at].setting)
        })
        .collect();
    settings.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("\naverage of the means over {} sets", reports.len());
    for (mean, setting) in settings.iter().take(12) {
        println!("{:6.2}  {setting:?}", mean * 100.0);
    }
    let best = settings[0].1;
    println!("\nthe best on average, set by set");
    for (set, report) in sets.iter().zip(&reports) {
        println!("{set:22} {}", line(report, &best));
    }
    Ok(())
}

fn line(report: &TuneReport, setting: &Setting) -> String {
    let found = report.tried.iter().find(|trial| trial.setting == *setting);
    found.map_or_else(String::new, |trial| {
        format!(
            "{:5.2} ({})  exponent {} beta {} alpha {} neighbors {}",
            trial.precision.mean() * 100.0,
            percent(trial.precision),
            setting.value_exponent,
            setting.beta,
            setting.alpha,
            setting.neighbors
        )
    })
}
