//! Experiments.
use hapax::{
    core::{
        data::{Dataset, Split},
        executor::Executor,
        model::{
            linear::query::RowTransform,
            mach::{decode::*, estimate::*},
        },
        search::{Scored, Top},
        sparse::SparseView,
        train::mach::{step::Term, *},
    },
    kernels,
    threads::Threads,
};
use hapax_benches::load;
use std::{collections::BTreeMap, error::Error, time::Instant};
fn main() -> Result<(), Box<dyn Error>> {
    let (keys, sets): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.contains('='));
    let o: BTreeMap<String, String> = keys
        .iter()
        .map(|k| {
            let (a, b) = k.split_once('=').unwrap();
            (a.to_string(), b.to_string())
        })
        .collect();
    let get = |k: &str, d: f64| o.get(k).map_or(d, |v| v.parse().unwrap());
    let threads = Threads::new(get("threads", 1.0) as usize)?;
    for set in &sets {
        let (all, test) = load(set)?;
        let full = get("full", 0.0) > 0.0;
        let split = Split::new(all.len(), 0.1, 7)?;
        let (data, dev) = if full {
            (all.clone(), test.clone())
        } else {
            (
                all.select(split.train()),
                all.select(&split.held_out()[..split.held_out().len().min(2500)]),
            )
        };
        let p = MachParameters {
            buckets: get("b", 32.0) as u32,
            repetitions: get("r", 32.0) as u32,
            learning_rate: get("lr", 1.5),
            epochs: get("e", 5.0) as u32,
            exponent: get("x", 1.0),
            bias: get("bias", 1.0),
            l1: get("l1", 0.0),
            l2: get("l2", 0.0),
            hashed_rows: get("h", 0.0) as u32,
            seed: get("seed", 42.0) as u64,
            optimizer: match get("opt", 0.0) as u32 {
                0 => Optimizer::FeatureAdaGrad,
                1 => Optimizer::WeightAdaGrad,
                _ => Optimizer::Sgd,
            },
            loss: match get("loss", 0.0) as u32 {
                0 => HeadLoss::Auto,
                1 => HeadLoss::Softmax,
                _ => HeadLoss::Sigmoid,
            },
            decay: get("decay", 1.0) > 0.0,
            ..Default::default()
        };
        let start = Instant::now();
        let k = kernels::best();
        let mut t = p.trainer(&data, threads.threads(), k)?;
        println!(
            "{set} softmax {} codes {:.2}s mem {} MB",
            t.is_softmax(),
            start.elapsed().as_secs_f64(),
            p.memory_estimate(&data) >> 20
        );
        let decoder = LabelDecoder::new(t.codes().clone());
        let seen = trainer::SeenLabels::new(&data.labels().frequencies());
        let ids = seen.ids.clone();
        let start = Instant::now();
        let mut e = 0;
        let cent = centroids(&data, p.transform(), get("entries", 1e9) as usize);
        while let Some(r) = t.step(&threads) {
            if r.done == r.of {
                e += 1;
                print!(
                    "epoch {e} {:.2}s loss {:.4}",
                    start.elapsed().as_secs_f64(),
                    r.loss
                );
                if get("each", 1.0) > 0.0 || e == p.epochs {
                    let est: Vec<Estimator> = if e == p.epochs {
                        vec![Estimator::LogitSum, Estimator::LogMean, Estimator::Mean]
                    } else {
                        vec![Estimator::LogitSum]
                    };
                    let mut w = vec![];
                    let mut row = vec![];
                    for i in 0..t.feature_rows().rows() {
                        t.copy_row(i, &mut row);
                        w.extend_from_slice(&row);
                    }
                    if p.hashed_rows > 0 {
                        continue;
                    }
                    for est in est {
                        let (pr, sec) =
                            eval(&w, &t, &p, &dev, &decoder, &ids, est, 0.0, &cent, &threads);
                        print!(
                            " {est:?} {:.2}/{:.2}/{:.2} ({:.0}us)",
                            pr[0],
                            pr[1],
                            pr[2],
                            sec * 1e6
                        );
                    }
                    if e == p.epochs {
                        for est in [Estimator::LogitSum, Estimator::Mean] {
                            println!();
                            for l in [2.0, 4.0, 6.0, 8.0, 12.0] {
                                let (pr, _) = eval(
                                    &w,
                                    &t,
                                    &p,
                                    &dev,
                                    &decoder,
                                    &ids,
                                    est,
                                    l * if est == Estimator::Mean { 0.1 } else { 1.0 },
                                    &cent,
                                    &threads,
                                );
                                print!(" cent {est:?} {l}: {:.2}/{:.2}/{:.2}", pr[0], pr[1], pr[2]);
                            }
                        }
                    }
                }
                println!();
            }
        }
    }
    Ok(())
}
fn centroids(data: &Dataset, tr: RowTransform, entries: usize) -> Vec<Vec<(u32, f32)>> {
    let mut m: Vec<BTreeMap<u32, f32>> = vec![BTreeMap::new(); data.labels().labels() as usize];
    let tr = RowTransform {
        normalize: true,
        ..tr
    };
    for (row, labels) in data.rows().iter().zip(data.labels().iter()) {
        let mut v = vec![];
        tr.apply(row, &mut v);
        for &l in labels {
            for (&i, &x) in row.indices().iter().zip(&v) {
                *m[l as usize].entry(i).or_default() += x;
            }
        }
    }
    m.into_iter()
        .map(|m| {
            let mut v: Vec<(u32, f32)> = m.into_iter().collect();
            let n = v.iter().map(|x| x.1 * x.1).sum::<f32>().sqrt();
            v.sort_by(|a, b| b.1.total_cmp(&a.1));
            v.truncate(entries);
            v.iter_mut().for_each(|x| x.1 /= n);
            v.sort_by_key(|x| x.0);
            v
        })
        .collect()
}
#[allow(clippy::too_many_arguments)]
fn eval(
    w: &[f32],
    t: &Trainer<'_>,
    p: &MachParameters,
    dev: &Dataset,
    decoder: &LabelDecoder,
    ids: &[u32],
    est: Estimator,
    lambda: f32,
    cent: &[Vec<(u32, f32)>],
    threads: &Threads,
) -> ([f64; 3], f64) {
    let k = kernels::best();
    let width = (p.buckets * p.repetitions) as usize;
    let start = Instant::now();
    let hits = threads.map(
        dev.len(),
        || {
            (
                vec![0f32; width],
                DecodeScratch::default(),
                Top::default(),
                Vec::<Term>::new(),
                vec![0f32; dev.rows().features() as usize],
            )
        },
        |(z, s, top, terms, dense), i| {
            let row: SparseView = dev.rows().row(i);
            let mut v = vec![];
            p.transform().apply(row, &mut v);
            terms.clear();
            terms.extend(
                row.indices()
                    .iter()
                    .zip(&v)
                    .map(|(&row, &value)| Term { row, value }),
            );
            if p.bias != 0.0 {
                terms.push(Term {
                    row: t.feature_rows().rows() as u32 - 1,
                    value: p.bias as f32,
                });
            }
            z.fill(0.0);
            k.add_terms(z, w, terms);
            bucket_scores(z, p.buckets as usize, t.is_softmax(), est);
            decoder.best(z, if lambda > 0.0 { 100 } else { 5 }, est, k, s, top);
            let mut best: Vec<Scored> = top.sorted().to_vec();
            if lambda > 0.0 {
                let n = v.iter().map(|x| x * x).sum::<f32>().sqrt();
                for (&i, &x) in row.indices().iter().zip(&v) {
                    dense[i as usize] = x / n;
                }
                for b in &mut best {
                    let c = &cent[ids[b.id as usize] as usize];
                    b.score += lambda * c.iter().map(|&(i, x)| x * dense[i as usize]).sum::<f32>();
                }
                for &i in row.indices() {
                    dense[i as usize] = 0.0;
                }
                best.sort_by(hapax::core::search::rank);
            }
            let truth = dev.labels().row(i);
            let mut h = [0f64; 3];
            for (j, b) in best.iter().take(5).enumerate() {
                if truth.contains(&ids[b.id as usize]) {
                    if j < 1 {
                        h[0] += 1.0
                    }
                    if j < 3 {
                        h[1] += 1.0 / 3.0
                    }
                    if j < 5 {
                        h[2] += 0.2
                    }
                }
            }
            h
        },
    );
    let n = dev.len() as f64;
    let sec = start.elapsed().as_secs_f64() / n;
    let mut s = [0.0; 3];
    for h in hits {
        for i in 0..3 {
            s[i] += 100.0 * h[i] / n
        }
    }
    (s, sec)
}
