//! Machines that several processes train together: the same bits for any number of them, and the optimum.
#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

use hapax_core::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    random::Stream,
    sparse::{SparseRows, SparseVec},
    train::{
        TrainError,
        exact::{
            bundles::exchange::{Alone, Exchange, ExchangeError},
            machine::Machine,
            parameters::{MultiClassLoss, MultiClassSvm},
            problem::MultiLabel,
        },
    },
};
use std::{
    ops::ControlFlow,
    sync::{
        Arc, Barrier, Mutex,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// A process that is a thread.
struct Rank {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
    values: Arc<Mutex<Vec<f64>>>,
    barrier: Arc<Barrier>,
}

impl Exchange for Rank {
    fn ranks(&self) -> usize {
        self.to.len()
    }

    fn rank(&self) -> usize {
        self.rank
    }

    fn send(
        &mut self,
        parcels: Vec<(usize, Vec<u8>)>,
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        for (to, parcel) in parcels {
            self.to[to].send(parcel).unwrap();
        }
        Ok(from
            .iter()
            .map(|&rank| self.from[rank].recv().unwrap())
            .collect())
    }

    fn largest(&mut self, values: &mut [f64]) -> Result<(), ExchangeError> {
        {
            let mut all = self.values.lock().unwrap();
            all.resize(values.len(), f64::NEG_INFINITY);
            all.iter_mut()
                .zip(&*values)
                .for_each(|(most, &value)| *most = most.max(value));
        }
        self.barrier.wait();
        values.copy_from_slice(&self.values.lock().unwrap());
        if self.barrier.wait().is_leader() {
            self.values.lock().unwrap().clear();
        }
        self.barrier.wait();
        Ok(())
    }
}

fn ranks(many: usize) -> Vec<Rank> {
    let (mut to, mut from): (Vec<Vec<_>>, Vec<Vec<_>>) = (Vec::new(), Vec::new());
    to.resize_with(many, Vec::new);
    from.resize_with(many, Vec::new);
    for sender in &mut to {
        for receiver in &mut from {
            let (out, into) = channel();
            sender.push(out);
            receiver.push(into);
        }
    }
    let (values, barrier) = (Arc::default(), Arc::new(Barrier::new(many)));
    let ends = to.into_iter().zip(from).enumerate();
    ends.map(|(rank, (to, from))| Rank {
        rank,
        to,
        from,
        values: Arc::clone(&values),
        barrier: Arc::clone(&barrier),
    })
    .collect()
}

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

fn train(
    loss: MultiClassLoss,
    data: &Dataset,
    exchange: &mut impl Exchange,
) -> Result<Option<Machine>, TrainError> {
    let go_on = |_| ControlFlow::Continue(());
    let (one, bits) = (MultiLabel::Refuse, &Portable);
    parameters(loss).train_shared(data, one, &Sequential, bits, exchange, go_on)
}

#[test]
fn the_machine_has_the_same_bits_for_any_number_of_processes_and_is_the_best() {
    for (loss, classes) in [
        (MultiClassLoss::WestonWatkins, 37),
        (MultiClassLoss::WestonWatkins, 5),
        (MultiClassLoss::LeeLinWahba, 5),
    ] {
        let data = Arc::new(data(200, 40, classes, 3));
        let alone = train(loss, &data, &mut Alone).unwrap().unwrap();
        let go_on = |_| ControlFlow::Continue(());
        let (one, bits) = (MultiLabel::Refuse, &Portable);
        let other = parameters(loss).train(&data, one, None, &Sequential, bits, go_on);
        let (proof, other) = (alone.certificate, other.unwrap().certificate);
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
fn a_loss_whose_duals_cannot_be_kept_apart_is_refused() {
    let refused = train(
        MultiClassLoss::CrammerSinger,
        &data(20, 9, 3, 1),
        &mut Alone,
    );
    assert_eq!(refused.unwrap_err(), TrainError::OneProcess);
}

/// A process that is sent something else.
struct Broken;

impl Exchange for Broken {
    fn ranks(&self) -> usize {
        2
    }

    fn rank(&self) -> usize {
        0
    }

    fn send(
        &mut self,
        _: Vec<(usize, Vec<u8>)>,
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        Ok(vec![vec![7, 7, 7]; from.len()])
    }

    fn largest(&mut self, values: &mut [f64]) -> Result<(), ExchangeError> {
        values.iter_mut().for_each(|value| *value = value.max(0.0));
        Ok(())
    }
}

#[test]
fn what_does_not_belong_here_ends_training_with_the_process_it_came_from() {
    for loss in [MultiClassLoss::WestonWatkins, MultiClassLoss::LeeLinWahba] {
        let refused = train(loss, &data(60, 20, 9, 1), &mut Broken).unwrap_err();
        assert_eq!(
            refused,
            TrainError::Exchange(ExchangeError::Parcel { rank: 1 })
        );
    }
}
