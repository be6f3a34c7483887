//! MACH on real and synthetic data.
//!
//! * `mach train SET... [key=value]...`: accuracy on the test rows by every estimator, CPU seconds of
//!   training, microseconds of an answer, bytes of the arrays. `held-out=N` judges N random tenths of the training rows
//!   instead, each by a model of the other rows, and prints means. Parameters are chosen automatically unless given
//!   (`buckets`, `repetitions`, `hash`, `rate`, `epochs`, `exponent`, `l2`, `bits`, `keep`, `rerank`, `weight`, `entries`,
//!   `hashed`, `optimizer`, `estimator`, `seed`, `threads`); `budget=BYTES` packs into so many; `estimators=1` judges
//!   one training by every estimator.
//! * `mach decode`: the best 5 of 105,033 labels, B = 32, R = 25, by every kernel, by the plain decoder,
//!   and approximately, from the best buckets.
//! * `mach odp [rows=N] [threads=N]`: rows of the paper's largest data set in shape (422,713 features, 105,033
//!   labels, 116 values a row by Zipf's law): memory, seconds of an epoch, bytes moved, microseconds of an answer.
//! * `mach grid SET...`: accuracy against B and R (figure 1 of the paper), as a table and as `mach-SET.svg`;
//!   `from=FILE` takes what an earlier run printed there, which was stopped, and makes only what is missing.

use hapax::{
    core::{
        data::{Dataset, Split},
        executor::Executor,
        hash::{BucketHash, BucketPlan},
        model::mach::{
            Mach, MachScratch,
            decode::{DecodeScratch, LabelDecoder},
            top_buckets::{TopBuckets, TopBucketsScratch},
        },
        random::Stream,
        search::Top,
        train::mach::{Estimator, MachParameters, Optimizer},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::{
    grid::{Line, svg},
    load,
    process::{cpu_seconds, peak_megabytes},
    synthetic::Shape,
};
use std::{
    collections::BTreeMap, error::Error, fs, hint::black_box, ops::ControlFlow, time::Instant,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;
type Options = BTreeMap<String, String>;

fn main() -> Result<()> {
    let (keys, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.contains('='));
    let mut options = Options::new();
    for key in keys {
        let (name, value) = key.split_once('=').ok_or("key=value")?;
        options.insert(name.into(), value.into());
    }
    match words.first().map(String::as_str) {
        Some("train") => words[1..].iter().try_for_each(|set| train(set, &options)),
        Some("decode") => decode(),
        Some("odp") => odp(&options),
        Some("grid") => words[1..].iter().try_for_each(|set| grid(set, &options)),
        _ => Err("train, decode, odp or grid".into()),
    }
}

fn number(options: &Options, name: &str, default: f64) -> Result<f64> {
    Ok(options
        .get(name)
        .map_or(Ok(default), |value| value.parse())?)
}

fn parameters(options: &Options, data: &Dataset) -> Result<MachParameters> {
    let mut p = MachParameters::automatic(data);
    for (name, value) in options {
        match name.as_str() {
            "buckets" => p.buckets = value.parse()?,
            "repetitions" => p.repetitions = value.parse()?,
            "rate" => p.learning_rate = value.parse()?,
            "epochs" => p.epochs = value.parse()?,
            "exponent" => p.exponent = value.parse()?,
            "bits" => p.bits = value.parse()?,
            "keep" => p.keep = value.parse()?,
            "rerank" => p.rerank = value.parse()?,
            "weight" => p.rerank_weight = value.parse()?,
            "entries" => p.centroid_entries = value.parse()?,
            "hashed" => p.hashed_rows = value.parse()?,
            "seed" => p.seed = value.parse()?,
            "decay" => p.decay = value.parse()?,
            "optimizer" => {
                p.optimizer = match value.as_str() {
                    "sgd" => Optimizer::Sgd,
                    "weights" => Optimizer::WeightAdaGrad,
                    _ => Optimizer::FeatureAdaGrad,
                };
                p.decay = p.optimizer == Optimizer::Sgd;
            }
            "estimator" => p.estimator = estimator(value)?,
            "l2" => p.l2 = value.parse()?,
            "l1" => p.l1 = value.parse()?,
            "hash" => {
                p.hash = match value.as_str() {
                    "identity" => BucketHash::Identity,
                    _ => BucketHash::Permutation,
                }
            }
            "threads" | "held-out" | "rows" | "estimators" | "from" | "budget" => {}
            other => return Err(format!("no parameter {other}").into()),
        }
    }
    Ok(p)
}

const ESTIMATORS: [(&str, Estimator); 5] = [
    ("logit-sum", Estimator::LogitSum),
    ("log-mean", Estimator::LogMean),
    ("mean", Estimator::Mean),
    ("median", Estimator::Median),
    ("min", Estimator::Min),
];

fn estimator(name: &str) -> Result<Estimator> {
    let found = ESTIMATORS.iter().find(|(own, _)| *own == name);
    Ok(found.ok_or("no such estimator")?.1)
}

/// Training rows and the rows to judge by: those of the test, or random tenths of the training rows.
fn parts(set: &str, options: &Options) -> Result<Vec<(Dataset, Dataset)>> {
    let (data, test) = load(set)?;
    let splits = number(options, "held-out", 0.0)? as u64;
    if splits == 0 {
        return Ok(vec![(data, test)]);
    }
    let part = |seed| {
        let split = Split::new(data.len(), 0.1, seed)?;
        Ok((data.select(split.train()), data.select(split.held_out())))
    };
    (7..7 + splits).map(part).collect()
}

fn fit(p: &MachParameters, data: &Dataset, threads: &Threads) -> Result<Mach> {
    let go_on = |_| ControlFlow::Continue(());
    Ok(p.train(data, threads, kernels::best(), go_on)?)
}

/// What one way to train and answer came to, summed over the parts.
#[derive(Default)]
struct Outcome {
    precision: [f64; 3],
    seconds: f64,
    answer: f64,
    bytes: usize,
    weights: usize,
}

impl Outcome {
    fn add(&mut self, mach: &Mach, seconds: f64, test: &Dataset) {
        let start = cpu_seconds();
        let found = precision(mach, test);
        self.answer += (cpu_seconds() - start) * 1e6 / test.len() as f64;
        self.precision
            .iter_mut()
            .zip(found)
            .for_each(|(a, b)| *a += b);
        self.seconds += seconds;
        self.bytes += mach.bytes();
        self.weights += mach.weights().nonzeros();
    }

    fn print(&self, name: &str, parts: usize) {
        let of = parts as f64;
        let [at_1, at_3, at_5] = self.precision.map(|sum| sum / of);
        println!(
            "{name}: {at_1:.2} {at_3:.2} {at_5:.2}, {:.2} CPU s, {:.0} us, {} bytes, {} weights",
            self.seconds / of,
            self.answer / of,
            self.bytes / parts,
            self.weights / parts,
        );
    }
}

fn train(set: &str, options: &Options) -> Result<()> {
    let threads = Threads::new(number(options, "threads", 1.0)? as usize)?;
    let parts = parts(set, options)?;
    let budget = number(options, "budget", 0.0)? as u64;
    let estimators = if options.contains_key("estimators") {
        ESTIMATORS.to_vec()
    } else {
        Vec::new()
    };
    let mut outcomes = BTreeMap::<&str, Outcome>::new();
    let mut shape = String::new();
    for (data, test) in &parts {
        let p = parameters(options, data)?;
        shape = format!("{}x{}", p.buckets, p.repetitions);
        let start = cpu_seconds();
        if budget > 0 {
            let go_on = |_| ControlFlow::Continue(());
            let (mach, fit) = p.train_within(data, budget, &threads, kernels::best(), go_on)?;
            println!("{set} {shape} {:?}", fit.tried[fit.chosen]);
            let own = outcomes.entry("own").or_default();
            own.add(&mach, cpu_seconds() - start, test);
            continue;
        }
        let parameters = p.clone();
        let mut trainer = p.trainer(data, Executor::threads(&threads), kernels::best())?;
        while trainer.step(&threads).is_some() {}
        let own = [("own", parameters.estimator)];
        for &(name, estimator) in own
            .iter()
            .filter(|_| estimators.is_empty())
            .chain(&estimators)
        {
            trainer.set_estimator(estimator);
            let mach = parameters.finish(&trainer, data)?;
            let seconds = cpu_seconds() - start;
            outcomes.entry(name).or_default().add(&mach, seconds, test);
        }
    }
    for (name, outcome) in &outcomes {
        outcome.print(&format!("{set} {shape} {name}"), parts.len());
    }
    Ok(())
}

fn precision(mach: &Mach, test: &Dataset) -> [f64; 3] {
    let mut scratch = MachScratch::new(kernels::best());
    let mut hits = [0f64; 3];
    for (row, truth) in test.rows().iter().zip(test.labels().iter()) {
        let best = mach.predict(row, 5, &mut scratch);
        for (sum, k) in hits.iter_mut().zip([1, 3, 5]) {
            let right = best
                .iter()
                .take(k)
                .filter(|a| truth.contains(&a.id))
                .count();
            *sum += right as f64 / k as f64;
        }
    }
    hits.map(|sum| 100.0 * sum / test.len() as f64)
}

fn decode() -> Result<()> {
    let plan = BucketPlan {
        hash: BucketHash::Permutation,
        buckets: 32,
        repetitions: 25,
        labels: 105_033,
        seed: 42,
    };
    let decoder = LabelDecoder::new(plan.draw()?);
    let mut dice = Stream::new(1, 1);
    // Heads of a trained model are sure of some rows and not of others; one label is right.
    let queries: Vec<Vec<f32>> = (0..200)
        .map(|query| {
            let sharp = 1.0 + 6.0 * dice.unit();
            let label = dice.below(105_033) as usize;
            let codes = plan.evaluate(0).ok();
            let mut scores: Vec<f32> = (0..800).map(|_| dice.unit() as f32).collect();
            for head in 0..25 {
                if let Some(codes) = &codes
                    && dice.unit() < 0.3 + 0.003 * f64::from(query)
                {
                    scores[head * 32 + usize::from(codes.repetition(head)[label])] += sharp as f32;
                }
                let own = &mut scores[head * 32..(head + 1) * 32];
                own.iter_mut().for_each(|s| *s = s.exp());
                let total: f32 = own.iter().sum();
                own.iter_mut().for_each(|s| *s /= total);
            }
            scores
        })
        .collect();
    let mut top = Top::default();
    let mut scratch = DecodeScratch::default();
    let time = |run: &mut dyn FnMut(&[f32])| {
        let mut best = f64::INFINITY;
        for _ in 0..3 {
            let start = cpu_seconds();
            (0..5).for_each(|_| queries.iter().for_each(|query| run(query)));
            best = best.min((cpu_seconds() - start) * 1e6 / (5 * queries.len()) as f64);
        }
        best
    };
    let plain = time(&mut |query| decoder.plain(query, 5, Estimator::Mean, &mut top));
    println!("plain decoder: {plain:.0} us");
    for kernels in kernels::available() {
        let mut scored = 0;
        let fast = time(&mut |query| {
            decoder.best(query, 5, Estimator::Mean, kernels, &mut scratch, &mut top);
            scored += scratch.scored;
        });
        let scored = scored / (15 * queries.len());
        println!(
            "{}: {fast:.0} us, {:.1} times faster, {scored} labels scored exactly",
            kernels.name(),
            plain / fast
        );
    }
    let mut candidates = TopBucketsScratch::default();
    for visited in [4, 8, 16, 32, 64] {
        let lists = TopBuckets::new(&decoder, visited);
        let mut search = |query: &[f32], top: &mut Top| {
            let (wanted, memory) = ((5, Estimator::Mean), (&mut candidates, &mut scratch));
            lists.best(&decoder, query, wanted, kernels::best(), memory, top);
        };
        let took = time(&mut |query| search(query, &mut top));
        let (mut found, mut exact) = (0, Top::default());
        for query in &queries {
            search(query, &mut top);
            decoder.plain(query, 5, Estimator::Mean, &mut exact);
            let exact = exact.sorted();
            found += top.sorted().iter().filter(|s| exact.contains(s)).count();
        }
        let recall = 100.0 * found as f64 / (5 * queries.len()) as f64;
        println!("labels of the {visited} best buckets: {took:.0} us, recall {recall:.1} percent");
    }
    Ok(())
}

fn odp(options: &Options) -> Result<()> {
    let rows = number(options, "rows", 100_000.0)? as usize;
    let threads = Threads::new(number(options, "threads", 1.0)? as usize)?;
    let shape = Shape {
        rows,
        features: 422_713,
        labels: 105_033,
        row_features: 116,
        row_labels: 1.0,
    };
    let data = shape.make(0)?;
    let p = MachParameters {
        buckets: 32,
        repetitions: 25,
        epochs: 1,
        normalize: false,
        estimator: Estimator::Mean,
        ..MachParameters::default()
    };
    let stated = p.memory_estimate(&data);
    println!("memory stated: {} MB", stated >> 20);
    let before = peak_megabytes();
    let mut trainer = p.trainer(&data, Executor::threads(&threads), kernels::best())?;
    let (start, cpu) = (Instant::now(), cpu_seconds());
    while trainer.step(&threads).is_some() {}
    let (seconds, cpu) = (start.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    println!(
        "memory held at most: {:.0} MB more than the data",
        peak_megabytes() - before
    );
    // A row of weights is read for the logits, and read and written by the step.
    let moved = data.rows().nonzeros() as f64 * 800.0 * 4.0 * 3.0;
    let whole = 1_084_404.0 / rows as f64;
    println!(
        "{rows} rows: {seconds:.2} s, {cpu:.2} CPU s, {:.1} GB moved, {:.1} GB/s by the clock, {:.1} GB/s by CPU seconds; an epoch of 1,084,404 rows: {:.0} s ({:.0} CPU s); paper: 7.2 h of training on a Titan X",
        moved / 1e9,
        moved / seconds / 1e9,
        moved / cpu / 1e9,
        seconds * whole,
        cpu * whole,
    );
    drop(trainer);
    // Behind what memory was counted of: it takes some itself.
    let [wall, busy] = bandwidth();
    println!(
        "bandwidth of memory, one thread: {wall:.1} GB/s by the clock, {busy:.1} GB/s by CPU seconds (256 MB added to another 256 MB)"
    );
    let first: Vec<usize> = (0..2000.min(rows)).collect();
    let few = data.select(&first);
    let mach = fit(&p, &few, &threads)?;
    let mut scratch = MachScratch::new(kernels::best());
    let start = Instant::now();
    for row in few.rows().iter() {
        black_box(mach.predict(row, 5, &mut scratch));
    }
    let answer = start.elapsed().as_secs_f64() * 1e6 / few.len() as f64;
    println!(
        "an answer of a packed model of {} labels: {answer:.0} us; paper: 2,850 us",
        mach.decoder().labels()
    );
    Ok(())
}

/// Gigabytes a second of adding one array to another, two reads and a write: by the clock, and by CPU seconds, which
/// other work on the machine changes less.
fn bandwidth() -> [f64; 2] {
    let (mut a, b) = (vec![1f32; 1 << 26], vec![0.5f32; 1 << 26]);
    let mut best = [f64::INFINITY; 2];
    for _ in 0..5 {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        a.iter_mut().zip(&b).for_each(|(a, b)| *a += b);
        black_box(&mut a);
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        best[1] = best[1].min(cpu_seconds() - cpu);
    }
    best.map(|seconds| 3.0 * 4.0 * (1u64 << 26) as f64 / seconds / 1e9)
}

fn grid(set: &str, options: &Options) -> Result<()> {
    let threads = Threads::new(number(options, "threads", 1.0)? as usize)?;
    let (data, test) = load(set)?;
    let base = parameters(options, &data)?;
    let repetitions = [4u32, 8, 16, 32];
    let earlier = match options.get("from") {
        Some(path) => fs::read_to_string(path)?,
        None => String::new(),
    };
    let mut lines = Vec::new();
    for buckets in [8u32, 16, 32, 64] {
        let mut line = Line {
            buckets,
            points: Vec::new(),
            bytes: 0,
        };
        for repetitions in repetitions {
            let p = MachParameters {
                buckets,
                repetitions,
                rerank: 0,
                ..base.clone()
            };
            let place = format!("{set} B {buckets} R {repetitions}: ");
            let known = earlier.lines().find_map(|line| line.strip_prefix(&place));
            let found = match known {
                Some(found) => found.to_owned(),
                None => {
                    let start = cpu_seconds();
                    let mach = fit(&p, &data, &threads)?;
                    let seconds = cpu_seconds() - start;
                    let [at_1, at_3, at_5] = precision(&mach, &test);
                    let bytes = mach.bytes();
                    format!("{at_1:.2} {at_3:.2} {at_5:.2}, {bytes} bytes, {seconds:.1} CPU s")
                }
            };
            println!("{place}{found}");
            let words: Vec<&str> = found.split([' ', ',']).collect();
            line.points.push((repetitions, words[0].parse()?));
            line.bytes = words.get(4).ok_or("no bytes")?.parse()?;
        }
        lines.push(line);
    }
    fs::write(format!("mach-{set}.svg"), svg(set, base.epochs, &lines))?;
    Ok(())
}
