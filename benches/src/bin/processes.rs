//! What several processes gain that train one multi-class machine together, on a machine too busy
//! for a clock to tell.
//!
//! `processes SET ww|llw [COST] [GAP]`, SET a folder of `../shared/data`
//!
//! Processes are threads here, and seconds those of each thread's processor time. Between two
//! exchanges all wait for the one that worked longest: the sum of these longest times is what
//! training would take if parcels came at once. Packing and unpacking them is counted.

use cpu_time::ThreadTime;
use hapax::{
    core::{
        executor::Sequential,
        parameters::{MultiClassLoss, MultiClassSvm},
        train::{
            Exchange, ExchangeError, SharedTraining, TrainError,
            multiclass::{Certificate, MultiLabel},
        },
    },
    kernels,
};
use std::{
    env::args,
    error::Error,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

/// A process that is a thread.
struct Rank {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Receiver<Vec<u8>>>,
    since: Duration,
    /// Processor seconds before each exchange.
    worked: Vec<f64>,
    sent: usize,
}

/// The processor time of this thread so far.
fn used() -> Duration {
    ThreadTime::now().as_duration()
}

impl Rank {
    fn lap(&mut self) {
        self.worked.push((used() - self.since).as_secs_f64());
    }

    fn deliver(&self, parcels: &[(usize, &[u8])], from: &[usize]) -> Vec<Vec<u8>> {
        for &(to, parcel) in parcels {
            // Who has gone has failed, and is heard of where it is waited for.
            let _ = self.to[to].send(parcel.to_vec());
        }
        let receive = |&rank: &usize| self.from[rank].recv().unwrap_or_default();
        from.iter().map(receive).collect()
    }
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
        parcels: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        self.lap();
        self.sent += parcels.iter().map(|parcel| parcel.1.len()).sum::<usize>();
        let received = self.deliver(parcels, from);
        self.since = used();
        Ok(received)
    }

    fn largest(&mut self, values: &mut [f64]) -> Result<(), ExchangeError> {
        self.lap();
        let others: Vec<usize> = (0..self.ranks()).filter(|&r| r != self.rank).collect();
        let own: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.sent += own.len();
        let parcels: Vec<_> = others.iter().map(|&other| (other, &own[..])).collect();
        for parcel in self.deliver(&parcels, &others) {
            for (value, bytes) in values.iter_mut().zip(parcel.as_chunks::<8>().0) {
                *value = value.max(f64::from_le_bytes(*bytes));
            }
        }
        self.since = used();
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
    let ends = to.into_iter().zip(from).enumerate();
    ends.map(|(rank, (to, from))| Rank {
        rank,
        to,
        from,
        since: Duration::ZERO,
        worked: Vec::new(),
        sent: 0,
    })
    .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = args().skip(1).collect();
    let [set, loss, rest @ ..] = &given[..] else {
        return Err("usage: processes SET ww|llw [COST] [GAP]".into());
    };
    let loss = match loss.as_str() {
        "ww" => MultiClassLoss::WestonWatkins,
        "llw" => MultiClassLoss::LeeLinWahba,
        _ => return Err("the loss is ww or llw".into()),
    };
    let number = |at: usize, default: f64| rest.get(at).map_or(Ok(default), |text| text.parse());
    let parameters = MultiClassSvm {
        cost: number(0, 1.0)?,
        gap: number(1, 1e-3)?,
        ..MultiClassSvm::new(loss)
    };
    let data = hapax_benches::load(set)?.0;
    let train = |mut rank: Rank| -> Result<(Rank, Option<Certificate>), TrainError> {
        let (one, bits) = (MultiLabel::Replicate, kernels::best());
        let mut training =
            SharedTraining::new(&parameters, &data, one, (&Sequential, &mut rank), bits)?;
        rank.since = used();
        while training.epoch(&Sequential, bits, &mut rank)?.is_some() {}
        rank.lap();
        Ok((rank, training.certificate()))
    };
    let mut alone = 0.0;
    for many in [1, 2, 3, 4] {
        let done = thread::scope(|scope| {
            let started = ranks(many)
                .into_iter()
                .map(|rank| scope.spawn(|| train(rank)));
            let started: Vec<_> = started.collect();
            let joined = started.into_iter().map(thread::ScopedJoinHandle::join);
            joined
                .map(|ended| ended.map_err(|_| "a process panicked")?.map_err(Into::into))
                .collect::<Result<Vec<_>, Box<dyn Error>>>()
        })?;
        let exchanges = done[0].0.worked.len();
        let longest: f64 = (0..exchanges)
            .map(|at| done.iter().map(|one| one.0.worked[at]).fold(0.0, f64::max))
            .sum();
        let all: f64 = done.iter().flat_map(|one| &one.0.worked).sum();
        if many == 1 {
            alone = longest;
        }
        let sent: usize = done.iter().map(|one| one.0.sent).sum();
        let proof = done[0].1.unwrap_or_default();
        println!(
            "{set} {loss:?}, {many} processes: {longest:.2} s, {:.2} times as fast; work of all {all:.2} s, waiting {:.2} s \
             each; {} exchanges, {:.1} MB sent; {} epochs, gap {:.2e}",
            alone / longest,
            longest - all / many as f64,
            exchanges - 1,
            sent as f64 / 1e6,
            proof.epochs,
            proof.relative_gap(),
        );
    }
    Ok(())
}
