//! Processes that are threads, and such that hear something else than what was said.

use hapax_core::train::{Exchange, ExchangeError};
use std::sync::{
    Arc, Barrier, Mutex,
    mpsc::{Receiver, Sender, channel},
};

/// A process that is a thread.
pub struct Rank {
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
        parcels: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        for &(to, parcel) in parcels {
            self.to[to].send(parcel.to_vec()).unwrap();
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

/// So many processes that reach each other.
pub fn ranks(many: usize) -> Vec<Rank> {
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

/// A process that is sent something else.
pub struct Broken;

impl Exchange for Broken {
    fn ranks(&self) -> usize {
        2
    }

    fn rank(&self) -> usize {
        0
    }

    fn send(
        &mut self,
        _: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        Ok(vec![vec![7, 7, 7]; from.len()])
    }

    fn largest(&mut self, values: &mut [f64]) -> Result<(), ExchangeError> {
        values.iter_mut().for_each(|value| *value = value.max(0.0));
        Ok(())
    }
}

/// One of two processes, which keeps what it hears.
pub struct Recorder(pub Rank, pub Vec<Vec<u8>>);

impl Exchange for Recorder {
    fn ranks(&self) -> usize {
        self.0.ranks()
    }

    fn rank(&self) -> usize {
        self.0.rank
    }

    fn send(
        &mut self,
        parcels: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let heard = self.0.send(parcels, from)?;
        self.1.extend_from_slice(&heard);
        Ok(heard)
    }

    fn largest(&mut self, values: &mut [f64]) -> Result<(), ExchangeError> {
        self.0.largest(values)?;
        self.1.push(
            values
                .iter()
                .flat_map(|value| value.to_le_bytes())
                .collect(),
        );
        Ok(())
    }
}

/// One of two processes, which hears what another one heard.
pub struct Replay<'a> {
    pub rank: usize,
    pub heard: &'a [Vec<u8>],
}

impl Exchange for Replay<'_> {
    fn ranks(&self) -> usize {
        2
    }

    fn rank(&self) -> usize {
        self.rank
    }

    fn send(
        &mut self,
        _: &[(usize, &[u8])],
        from: &[usize],
    ) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let rank = 1 - self.rank;
        let next = self.heard.split_at_checked(from.len());
        let (next, rest) = next.ok_or(ExchangeError::Parcel { rank })?;
        self.heard = rest;
        Ok(next.to_vec())
    }

    fn largest(&mut self, values: &mut [f64]) -> Result<(), ExchangeError> {
        let rank = 1 - self.rank;
        let heard = self.send(&[], &[rank])?;
        let (numbers, rest) = heard[0].as_chunks::<8>();
        if numbers.len() != values.len() || !rest.is_empty() {
            return Err(ExchangeError::Parcel { rank });
        }
        let numbers = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes));
        values
            .iter_mut()
            .zip(numbers)
            .for_each(|(value, heard)| *value = heard);
        Ok(())
    }
}
