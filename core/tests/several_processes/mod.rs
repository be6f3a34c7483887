//! Machines that several processes train together: the same bits for any number of them, and the
//! optimum.
#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

use exchanges::{Broken, Recorder, Replay, ranks};
use hapax_core::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    parameters::{
        MultiClassLoss::{self, CrammerSinger, LeeLinWahba, WestonWatkins},
        MultiClassSvm,
    },
    random::Stream,
    sparse::{SparseRows, SparseVec},
    train::{
        Alone, Exchange, ExchangeError, Shared, SharedTraining, TrainError,
        multiclass::{Machine, MultiLabel},
    },
};
use std::{ops::ControlFlow, sync::Arc, thread};

mod exchanges;

/// Rows of classes that overlap, with a few features each.
fn data(rows: usize, features: u64, classes: u32, seed: u64) -> Dataset {
    let mut stream = Stream::new(seed, 0);
    let (mut all, mut labels) = (SparseRows::new(features as u32), LabelLists::new(classes));
    for row in 0..rows {
        let class = row as u32 % classes;
        let mut pairs = vec![(class % features as u32, 0.5 + stream.unit() as f32)];
        for _ in 0..4 {
            pairs.push((stream.below(features) as u32, stream.unit() as f32));
        }
        pairs.sort_by_key(|pair| pair.0);
        pairs.dedup_by_key(|pair| pair.0);
        let row = SparseVec::from_pairs(pairs).unwrap();
        all.push(row.view()).unwrap();
        labels.push([class]);
    }
    Dataset::new(all, labels, None).unwrap()
}

fn parameters(loss: MultiClassLoss) -> MultiClassSvm {
    MultiClassSvm {
        gap: 1e-4,
        cost: 0.5,
        ..MultiClassSvm::new(loss)
    }
}

fn begin<X: Exchange>(
    loss: MultiClassLoss,
    data: &Dataset,
    exchange: &mut X,
) -> Result<SharedTraining, TrainError> {
    SharedTraining::new(
        &parameters(loss),
        data,
        MultiLabel::Refuse,
        (&Sequential, exchange),
        &Portable,
    )
}

fn train<X: Exchange>(
    loss: MultiClassLoss,
    data: &Dataset,
    exchange: &mut X,
) -> Result<Option<Machine>, TrainError> {
    let mut training = begin(loss, data, exchange)?;
    while training.epoch(&Sequential, &Portable, exchange)?.is_some() {}
    parameters(loss).finish_shared(training, data, &Sequential, &Portable)
}

#[test]
fn the_machine_has_the_same_bits_for_any_number_of_processes_and_is_the_best() {
    for (loss, classes, rows) in [
        (WestonWatkins, 37, 200),
        (WestonWatkins, 5, 200),
        (LeeLinWahba, 5, 200),
    ] {
        let data = Arc::new(data(rows, 40, classes, 3));
        let alone = train(loss, &data, &mut Alone).unwrap().unwrap();
        let go_on = |_| ControlFlow::Continue(());
        let (one, bits) = (MultiLabel::Refuse, &Portable);
        let other = parameters(loss).train(&data, one, None, &Sequential, bits, go_on);
        let other = other.unwrap();
        if loss == LeeLinWahba {
            assert!(alone.model == other.model);
        }
        let (proof, other) = (alone.certificate, other.certificate);
        assert!(proof.relative_gap() <= 1e-4);
        assert!(
            (proof.primal - other.primal).abs() < 3e-4 * other.primal,
            "{proof:?} {other:?}"
        );
        for many in 2..=4 {
            let started = ranks(many).into_iter().map(|mut rank| {
                let data = Arc::clone(&data);
                thread::spawn(move || train(loss, &data, &mut rank).unwrap())
            });
            let started: Vec<_> = started.collect();
            let mut made = started.into_iter().map(|process| process.join().unwrap());
            let first = made.next().unwrap().unwrap();
            assert_eq!(first.certificate, proof, "{many} processes");
            assert!(first.model == alone.model, "{many} processes");
            assert!(made.all(|machine| machine.is_none()));
        }
    }
}

#[test]
fn duals_that_concern_all_labels_are_for_one_process() {
    let refused = begin(CrammerSinger, &data(20, 9, 3, 1), &mut Alone);
    assert_eq!(refused.unwrap_err(), TrainError::NoBundles);
}

#[test]
fn what_does_not_belong_here_ends_training_with_the_process_it_came_from() {
    for loss in [WestonWatkins, LeeLinWahba] {
        let refused = train(loss, &data(60, 20, 9, 1), &mut Broken).unwrap_err();
        assert_eq!(
            refused,
            TrainError::Exchange(ExchangeError::Parcel { rank: 1 })
        );
    }
}

#[test]
fn parcels_with_changed_bits_are_refused_or_believed_but_end_in_no_panic() {
    let loss = WestonWatkins;
    for rank in [0, 1] {
        let rows = Arc::new(data(150, 20, 9, 3));
        let mut both = ranks(2);
        let mut recorder = Recorder(both.remove(rank), Vec::new());
        let mut other = both.remove(0);
        let data = Arc::clone(&rows);
        let other = thread::spawn(move || train(loss, &data, &mut other).unwrap());
        // The first of two returns the machine.
        let made = train(loss, &rows, &mut recorder).unwrap();
        assert_eq!(made.is_some(), rank == 0);
        assert_eq!(other.join().unwrap().is_some(), rank == 1);
        let heard = &recorder.1[..];
        let again = train(loss, &rows, &mut Replay { rank, heard }).unwrap();
        assert_eq!(again.is_some(), rank == 0);
        let (mut stream, mut refused) = (Stream::new(4, 2), 0);
        for _ in 0..200 {
            let mut changed = heard.to_vec();
            let filled: Vec<&mut Vec<u8>> = changed.iter_mut().filter(|p| !p.is_empty()).collect();
            let place = stream.below(filled.len() as u64) as usize;
            let parcel = filled.into_iter().nth(place).unwrap();
            let at = stream.below(parcel.len() as u64) as usize;
            if stream.below(4) == 0 {
                parcel.truncate(at);
            } else {
                parcel[at] ^= 1 << stream.below(8);
            }
            let heard = &changed[..];
            let trained = train(loss, &rows, &mut Replay { rank, heard });
            refused += usize::from(trained.is_err());
        }
        assert!(refused > 50, "{rank}: {refused}");
    }
}

/// Trains with so many processes, each of which is a thread, from the shares in `shares` if there
/// are any, until `stop` epochs are done or training has ended; returns the shares it left, or the
/// machine.
fn go_on(
    loss: MultiClassLoss,
    data: &Arc<Dataset>,
    many: usize,
    shares: &[Vec<u8>],
    stop: u32,
) -> Result<Machine, Vec<Vec<u8>>> {
    let started = ranks(many).into_iter().map(|mut rank| {
        let (data, shares) = (Arc::clone(data), shares.to_vec());
        thread::spawn(move || {
            let mut training = begin(loss, &data, &mut rank).unwrap();
            for (share, bytes) in shares.iter().enumerate() {
                training.resume_share(share, bytes).unwrap();
            }
            while let Some(report) = training.epoch(&Sequential, &Portable, &mut rank).unwrap() {
                if report.epoch >= stop && training.certificate().is_none() {
                    let save = |&share: &usize| {
                        let mut bytes = Vec::new();
                        training
                            .save_share(share, &mut |piece| bytes.extend_from_slice(piece))
                            .unwrap();
                        (share, bytes)
                    };
                    return (training.here().iter().map(save).collect(), None);
                }
            }
            let made = parameters(loss).finish_shared(training, &data, &Sequential, &Portable);
            (Vec::new(), made.unwrap())
        })
    });
    let started: Vec<_> = started.collect();
    let (mut left, mut machine) = (Vec::new(), None);
    for process in started {
        let (shares, made): (Vec<(usize, Vec<u8>)>, _) = process.join().unwrap();
        left.extend(shares);
        machine = machine.or(made);
    }
    left.sort();
    assert!(left.iter().map(|share| share.0).eq(0..left.len()));
    machine.ok_or(left.into_iter().map(|share| share.1).collect())
}

#[test]
fn a_training_that_was_left_goes_on_with_other_numbers_of_processes_to_the_same_bits() {
    for (loss, classes) in [
        (WestonWatkins, 37),
        (WestonWatkins, 3),
        (LeeLinWahba, 5),
        (LeeLinWahba, 3),
    ] {
        let data = Arc::new(data(90, 30, classes, 3));
        let alone = train(loss, &data, &mut Alone).unwrap().unwrap();
        assert!(alone.certificate.epochs > 8, "{:?}", alone.certificate);
        let (mut shares, mut by_one) = (Vec::new(), Vec::new());
        for (stop, many) in [(1, 4), (2, 3), (5, 1), (7, 2)] {
            shares = go_on(loss, &data, many, &shares, stop).unwrap_err();
            by_one = go_on(loss, &data, 1, &by_one, stop).unwrap_err();
            assert!(
                shares == by_one,
                "{loss:?} {many} processes leave other shares"
            );
        }
        let machine = go_on(loss, &data, 3, &shares, u32::MAX).unwrap();
        assert_eq!(machine.certificate, alone.certificate);
        assert!(machine.model == alone.model, "{loss:?} {classes}");
    }
}

#[test]
fn shares_that_are_cut_or_of_another_training_are_refused_and_changed_ones_end_in_no_panic() {
    for (loss, classes) in [(WestonWatkins, 9), (LeeLinWahba, 5)] {
        let rows = Arc::new(data(60, 20, classes, 3));
        let shares = go_on(loss, &rows, 1, &[], 2).unwrap_err();
        let new = |data: &Dataset| begin(loss, data, &mut Alone).unwrap();
        let mut other = new(&data(61, 20, classes + 1, 3));
        let mut all = shares.iter().enumerate();
        assert!(all.any(|(number, share)| other.resume_share(number, share).is_err()));
        let mut stream = Stream::new(4, 1);
        for (number, share) in shares.iter().enumerate() {
            for cut in [0, 1, share.len() / 2, share.len() - 1] {
                assert!(new(&rows).resume_share(number, &share[..cut]).is_err());
            }
            let next = (number + 1) % shares.len().max(2);
            assert!(
                new(&rows).resume_share(next, share).is_err(),
                "another's place"
            );
            for _ in 0..40 {
                let mut changed = share.clone();
                let at = stream.below(share.len() as u64) as usize;
                changed[at] ^= 1 << stream.below(8);
                let mut training = new(&rows);
                let mut handed = shares.clone();
                handed[number] = changed;
                let mut all = handed.iter().enumerate();
                if all.all(|(number, share)| training.resume_share(number, share).is_ok()) {
                    // What was believed is sound enough to go on from.
                    training.epoch(&Sequential, &Portable, &mut Alone).unwrap();
                }
            }
        }
    }
}
