//! Training held against slow versions of itself.

use super::step::{Rates, Step};
use crate::parameters::mach::{MachParameters, Optimizer};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    hash::BucketHash,
    kernels::{Portable, Term},
    random::Stream,
    sparse::{SparseRows, SparseVec},
    train::Training,
};
use alloc::{vec, vec::Vec};
use hapax_processor::Processor;

/// Rows whose features tell their labels, more or less.
pub(crate) fn data(rows: usize, labels: u32, several: bool, seed: u64) -> Dataset {
    let mut dice = Stream::new(seed, 0);
    let (mut made, mut lists) = (SparseRows::new(60), LabelLists::new(labels));
    for _ in 0..rows {
        let label = dice.below(u64::from(labels)) as u32;
        let pairs = (0..8).map(|_| {
            let own = (u64::from(label) * 7 + dice.below(9)) % 60;
            let feature = if dice.below(3) == 0 {
                dice.below(60)
            } else {
                own
            };
            (feature as u32, 0.3 + dice.unit() as f32)
        });
        let row = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
        made.push(row.view()).unwrap();
        lists.push(
            [label]
                .into_iter()
                .chain(several.then_some((label + 3) % labels)),
        );
    }
    Dataset::new(made, lists, None).unwrap()
}

pub(crate) fn parameters(optimizer: Optimizer) -> MachParameters {
    MachParameters {
        buckets: 5,
        repetitions: 4,
        optimizer,
        learning_rate: 0.7,
        epochs: 3,
        decay: optimizer == Optimizer::Sgd,
        ..MachParameters::default()
    }
}

/// One head's weights in f64, `[row][bucket]`, trained the obvious way: rows in the order of the
/// trainer, all sums term by term.
fn twin(
    p: &MachParameters,
    data: &Dataset,
    codes: &[u16],
    priors: &[f64],
    softmax: bool,
) -> Vec<Vec<f64>> {
    let (rows, buckets) = (data.rows().features() as usize + 1, p.buckets as usize);
    let mut w = vec![vec![0f64; buckets]; rows];
    w[rows - 1] = priors.to_vec();
    let mut a = vec![vec![0f64; buckets]; rows];
    let mut order: Vec<usize> = (0..data.len()).collect();
    let steps = (p.epochs as usize * data.len()) as f64;
    let mut step = 0.0;
    for epoch in 0..p.epochs {
        Stream::new(p.seed, u64::from(epoch)).shuffle(&mut order);
        for &i in &order {
            let row = data.rows().row(i);
            let mut x: Vec<(usize, f64)> = row
                .iter()
                .map(|(f, v)| (f as usize, f64::from(v) / row.norm()))
                .collect();
            let mut dice = Stream::new(p.seed ^ 0xd0, u64::from(epoch) << 32 | i as u64);
            let whole = x.clone();
            x.retain(|_| p.dropout == 0.0 || dice.unit() >= p.dropout);
            x.iter_mut().for_each(|(_, v)| *v /= 1.0 - p.dropout);
            if x.is_empty() {
                x = whole;
            }
            x.push((rows - 1, p.bias));
            let mut z: Vec<f64> = (0..buckets)
                .map(|b| x.iter().map(|(f, v)| v * w[*f][b]).sum())
                .collect();
            if softmax {
                let total: f64 = z.iter().map(|z| z.exp()).sum();
                z.iter_mut().for_each(|z| *z = z.exp() / total);
            } else {
                z.iter_mut().for_each(|z| *z = 1.0 / (1.0 + (-*z).exp()));
            }
            let labels = data.labels().row(i);
            let mut target = vec![0f64; buckets];
            for &label in labels {
                let bucket = usize::from(codes[label as usize]);
                if softmax {
                    target[bucket] += 1.0 / labels.len() as f64;
                } else {
                    target[bucket] = 1.0;
                }
            }
            let g: Vec<f64> = z.iter().zip(&target).map(|(z, t)| z - t).collect();
            let rate = if p.decay {
                p.learning_rate * (1.0 - step / steps)
            } else {
                p.learning_rate
            };
            let square: f64 = g.iter().map(|g| g * g).sum();
            for (f, v) in x {
                for b in 0..buckets {
                    a[f][b] += v * v * square;
                    let by = if p.optimizer == Optimizer::Sgd {
                        1.0
                    } else {
                        (a[f][b] + 1e-20).sqrt()
                    };
                    w[f][b] -= rate * v * g[b] / by;
                }
            }
            step += 1.0;
        }
    }
    w
}

pub(super) fn run(p: &MachParameters, data: &Dataset, threads: usize) -> Vec<Vec<f32>> {
    let mut trainer = p.trainer(data, threads, &Portable).unwrap();
    while trainer.step(&Sequential).is_some() {}
    let mut row = Vec::new();
    (0..trainer.features() as usize + 1)
        .map(|at| {
            trainer.copy_row(at, &mut row);
            row.clone()
        })
        .collect()
}

#[test]
fn every_way_of_training_is_that_of_the_slow_twin() {
    for optimizer in [Optimizer::Sgd, Optimizer::FeatureAdaGrad] {
        for several in [false, true] {
            let data = data(300, 11, several, 3);
            let p = MachParameters {
                dropout: if optimizer == Optimizer::Sgd {
                    0.3
                } else {
                    0.0
                },
                ..parameters(optimizer)
            };
            let softmax = p.softmax(&data);
            assert_eq!(softmax, !several);
            let trainer = p.trainer(&data, 1, &Portable).unwrap();
            let codes = trainer.codes().clone();
            let mut priors = Vec::new();
            trainer.copy_row(60, &mut priors);
            let own = run(&p, &data, 1);
            for head in 0..4 {
                let range = head * 5..head * 5 + 5;
                let priors: Vec<f64> = priors[range.clone()]
                    .iter()
                    .map(|p| f64::from(*p))
                    .collect();
                let exact = twin(&p, &data, codes.repetition(head), &priors, softmax);
                for (own, exact) in own.iter().zip(&exact) {
                    for (own, exact) in own[range.clone()].iter().zip(exact) {
                        assert!(
                            (f64::from(*own) - exact).abs() < 2e-4 * (1.0 + exact.abs()),
                            "{optimizer:?}, several {several}, head {head}: {own}, exactly {exact}"
                        );
                    }
                }
            }
        }
    }
}

/// Where the rate does not fall, the weights at the end of an epoch are those of a training of so
/// many epochs.
#[test]
fn the_mean_is_that_of_the_last_epochs() {
    let data = data(200, 9, true, 4);
    let of = |epochs: u32, averaged_epochs| {
        let p = MachParameters {
            epochs,
            averaged_epochs,
            ..parameters(Optimizer::FeatureAdaGrad)
        };
        run(&p, &data, 2)
    };
    for (averaged, last) in [(2, 4..=5), (3, 3..=5), (5, 1..=5), (9, 1..=5)] {
        let single: Vec<_> = last.map(|epochs| of(epochs, 1)).collect();
        let share = 1.0 / single.len() as f32;
        for (row, mean) in of(5, averaged).iter().enumerate() {
            for (at, mean) in mean.iter().enumerate() {
                let sum = single.iter().fold(0f32, |sum, w| sum + w[row][at]);
                assert_eq!(*mean, sum * share, "{averaged} epochs, row {row}");
            }
        }
    }
}

/// With a bucket for each label, one head and the identity, the trained model is softmax
/// regression.
#[test]
fn as_many_buckets_as_labels_is_plain_softmax_regression() {
    let data = data(300, 11, false, 5);
    let p = MachParameters {
        buckets: 11,
        repetitions: 1,
        hash: BucketHash::Identity,
        ..parameters(Optimizer::Sgd)
    };
    let own = run(&p, &data, 1);
    let counts = data.labels().frequencies();
    let prior = |count: &u32| ((f64::from(*count) + 0.5) / 301.0).ln();
    let priors: Vec<f64> = counts.iter().map(prior).collect();
    let identity: Vec<u16> = (0..11).collect();
    let exact = twin(&p, &data, &identity, &priors, true);
    for (own, exact) in own.iter().flatten().zip(exact.iter().flatten()) {
        assert!(
            (f64::from(*own) - exact).abs() < 2e-4 * (1.0 + exact.abs()),
            "{own}, exactly {exact}"
        );
    }
}

/// The step is the gradient of the loss: finite differences of a loss written out in f64.
#[test]
fn steps_follow_the_gradient() {
    let (buckets, heads) = (6usize, 3usize);
    let mut dice = Stream::new(8, 8);
    let start: Vec<f32> = (0..4 * buckets * heads)
        .map(|_| dice.unit() as f32 - 0.5)
        .collect();
    let terms = [(0, 0.7f32), (2, -1.3), (3, 0.4)].map(|(row, value)| Term { row, value });
    let targets = [1u16, 4, 0, 0, 5, 2];
    for softmax in [true, false] {
        let loss = |w: &[f64]| -> f64 {
            (0..heads)
                .map(|head| {
                    let z: Vec<f64> = (0..buckets)
                        .map(|b| {
                            terms
                                .iter()
                                .map(|t| {
                                    f64::from(t.value)
                                        * w[(t.row as usize * heads + head) * buckets + b]
                                })
                                .sum()
                        })
                        .collect();
                    let of = &targets[2 * head..2 * head + 2];
                    if softmax {
                        let total = z.iter().map(|z| z.exp()).sum::<f64>().ln();
                        of.iter()
                            .map(|t| 0.5 * (total - z[usize::from(*t)]))
                            .sum::<f64>()
                    } else {
                        let one = |b: usize| {
                            if of.contains(&(b as u16)) {
                                (-z[b]).exp().ln_1p()
                            } else {
                                z[b].exp().ln_1p()
                            }
                        };
                        (0..buckets).map(one).sum::<f64>()
                    }
                })
                .sum()
        };
        let mut weights = start.clone();
        let mut told = [0f64; 3];
        Processor::portable().run(Step {
            weights: &mut weights,
            squares: &mut [],
            buckets,
            terms: &terms,
            targets: &targets,
            softmax,
            rates: Rates::Same,
            rate: 1.0,
            sparse: false,
            gradient: &mut vec![0.0; buckets * heads],
            sizes: &mut [0.0; 3],
            steps: &mut [0.0; 3 * 5],
            loss: &mut told,
        });
        let at: Vec<f64> = start.iter().map(|w| f64::from(*w)).collect();
        assert!((told.iter().sum::<f64>() - loss(&at)).abs() < 1e-5);
        for place in 0..at.len() {
            let moved = |by: f64| {
                let mut at = at.clone();
                at[place] += by;
                loss(&at)
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            let step = f64::from(start[place] - weights[place]);
            assert!(
                (slope - step).abs() < 1e-5,
                "softmax {softmax}, weight {place}: {step}, not {slope}"
            );
        }
    }
}
