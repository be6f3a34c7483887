//! Nearest neighbors: the fast search against its exhaustive twin, in one run on one thread.
//!
//! `neighbors [--queries N] [--neighbors S] [--beta B] [SET ...]`, where a set is the name of a
//! folder of `../shared/data`, or `amazon` (synthetic: 490k rows, 136k features, Zipf).

use hapax_core::{
    kernels::{Kernels, Portable},
    random::Stream,
    search::neighbors::{
        Exhaustive, ExhaustiveScratch, NeighborIndex, NeighborScratch, Similarity,
    },
    sparse::{SparseRows, SparseVec},
};
use std::{error::Error, process::Command, time::Instant};

/// The rows of an XMC file compressed by xz, labels left out.
fn read(path: &str, features: Option<u32>) -> Result<SparseRows, Box<dyn Error>> {
    let output = Command::new("xz").args(["-dc", path]).output()?;
    if !output.status.success() {
        return Err(format!("{path}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8(output.stdout)?;
    let mut lines = text.lines();
    let header: Vec<u32> = lines
        .next()
        .ok_or("no header")?
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()?;
    let mut rows = SparseRows::new(features.unwrap_or(header[1]));
    for line in lines {
        let mut pairs = Vec::new();
        for pair in line.split(' ').filter_map(|token| token.split_once(':')) {
            pairs.push((pair.0.parse::<u32>()?, pair.1.parse::<f32>()?));
        }
        rows.push(SparseVec::from_pairs(pairs)?.view())?;
    }
    Ok(rows)
}

/// Rows of 76 features drawn by Zipf's law, values as of tf-idf: no structure for bounds to use.
fn synthetic(rows: usize, features: u32, job: u64) -> Result<SparseRows, Box<dyn Error>> {
    let mut stream = Stream::new(42, job);
    let mut total = 0.0;
    let cumulative: Vec<f64> = (0..features)
        .map(|rank| {
            total += 1.0 / (f64::from(rank) + 10.0);
            total
        })
        .collect();
    let mut made = SparseRows::new(features);
    for _ in 0..rows {
        let mut drawn: Vec<u32> = Vec::new();
        while drawn.len() < 76 {
            let point = stream.unit() * total;
            let rank = cumulative.partition_point(|&sum| sum < point) as u32;
            if !drawn.contains(&rank) {
                drawn.push(rank);
            }
        }
        let pairs = drawn.iter().map(|&rank| {
            let idf = (f64::from(features) / (f64::from(rank) + 1.0)).ln() + 1.0;
            // Spread over the feature ids, so that frequent features do not stand together.
            let id = (u64::from(rank) * 48_271 % u64::from(features)) as u32;
            (id, ((0.5 + stream.unit()) * idf * 0.02) as f32)
        });
        made.push(SparseVec::from_pairs(pairs)?.view())?;
    }
    Ok(made)
}

fn load(set: &str) -> Result<(SparseRows, SparseRows), Box<dyn Error>> {
    if set == "amazon" {
        return Ok((synthetic(490_000, 135_909, 0)?, synthetic(500, 135_909, 1)?));
    }
    let folder = format!("{}/../../shared/data/{set}", env!("CARGO_MANIFEST_DIR"));
    let train = read(&format!("{folder}/train.txt.xz"), None)?;
    let test = read(&format!("{folder}/test.txt.xz"), Some(train.features()))?;
    Ok((train, test))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut sets = Vec::new();
    let (mut queries, mut neighbors, mut beta) = (1000usize, 75usize, 1f64);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or("a value is missing");
        match argument.as_str() {
            "--queries" => queries = value()?.parse()?,
            "--neighbors" => neighbors = value()?.parse()?,
            "--beta" => beta = value()?.parse()?,
            _ => sets.push(argument),
        }
    }
    let similarity = Similarity::new(beta)?;
    for set in &sets {
        let (train, test) = load(set)?;
        let queries = queries.min(test.len());
        let start = Instant::now();
        let twin = Exhaustive::new(&train);
        let build = start.elapsed().as_secs_f64();
        let mut scratch = ExhaustiveScratch::default();
        let (mut times, mut expected) = (Vec::new(), Vec::new());
        for query in 0..queries {
            let start = Instant::now();
            let found = twin.search(
                test.row(query * test.len() / queries),
                neighbors,
                similarity,
                &mut scratch,
            );
            times.push(start.elapsed().as_secs_f64() * 1e6);
            expected.push(found.to_vec());
        }
        drop(twin);
        let twin_mean = report(set, "twin", &mut times, None, 8.0, build);
        let start = Instant::now();
        let index = NeighborIndex::build(&train)?;
        let build = start.elapsed().as_secs_f64();
        let size = index.bytes() as f64 / index.nonzeros() as f64;
        println!("{}", index.summary());
        let kernels: [&'static dyn Kernels; 2] = [hapax::kernels::best(), &Portable];
        for kernels in kernels {
            let mut scratch = NeighborScratch::new(kernels);
            let mut times = Vec::new();
            for (query, expected) in expected.iter().enumerate() {
                let start = Instant::now();
                let found = index.search(
                    test.row(query * test.len() / queries),
                    neighbors,
                    similarity,
                    &[],
                    &mut scratch,
                )?;
                times.push(start.elapsed().as_secs_f64() * 1e6);
                if found != expected {
                    return Err(format!("{set}: query {query} differs from its twin").into());
                }
            }
            report(
                set,
                kernels.name(),
                &mut times,
                Some(twin_mean),
                size,
                build,
            );
        }
    }
    Ok(())
}

fn report(
    set: &str,
    method: &str,
    times: &mut [f64],
    twin: Option<f64>,
    size: f64,
    build: f64,
) -> f64 {
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    times.sort_unstable_by(f64::total_cmp);
    let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    let ratio = twin.map_or(1.0, |twin| twin / mean);
    println!(
        "{set:16} {method:9} mean {mean:7.0} us  median {median:7.0}  p99 {p99:7.0}  ratio {ratio:5.2}  {size:.2} bytes/value  build {build:.2} s"
    );
    mean
}
