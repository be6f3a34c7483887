//! What processes tell each other that train one Crammer-Singer or Weston-Watkins machine together.
//!
//! Each has all rows and duals, but changes the weights of one half of the features only ([`super::halves`]), and keeps the
//! places of its rows' classes in these. A block of a sweep has three steps:
//!
//! 1. Each finds what its features add to the scores of the block's rows, and all are told: the sums are the scores.
//! 2. Each runs some of the block's lanes, which do not hear of each other anyway ([`super::sweep`]), and all are told what
//!    moved.
//! 3. Each changes the weights of its features.
//!
//! Before a survey all are told the weights of the other half. Of the rows each looks at some, and all are told what was
//! found. So every process has the bits that a process on its own has.
//!
//! Sent: 8 bytes and 4 for each listed class of a row visited, about 30 more and 13 for each of its moves in sweeps; 6 bytes a
//! weight (8 from 65,537 classes on), 9 bytes a row and what it lists in surveys. Two exchanges' delay for every block. Not
//! shared, each process doing all of it: the duals, and sorting rows.

use super::{
    bundles::exchange::{Exchange, ExchangeError},
    changes::Changes,
    halves::{HALVES, Halves},
    lane::{Lane, Visited},
    numbers::little_endian,
    state::State,
    survey::{PartRows, Survey},
    weights::{ClassWeights, PARCELS},
};
use crate::kernels::ExactKernels;
use alloc::vec::Vec;
use core::ops::Range;
use serde::de::DeserializeOwned;

/// The lanes of one block that process `rank` runs, of `lanes`.
pub fn lanes_of(rank: usize, ranks: usize, lanes: usize) -> Range<usize> {
    (rank * lanes).div_ceil(ranks)..((rank + 1) * lanes).div_ceil(ranks)
}

/// Which of a block's rows process `rank` scores: processes that have the same half share them out.
fn rows_of(rank: usize, ranks: usize, rows: usize) -> Range<usize> {
    let (half, one) = (rank % HALVES, rank / HALVES);
    let alike = (ranks - half).div_ceil(HALVES);
    rows * one / alike..rows * (one + 1) / alike
}

/// The scores of a block's rows, one row after the other: the background's, then those of the row's own class and of
/// those listed.
pub fn share_scores<X: Exchange>(
    state: &State,
    rows: &[u32],
    kernels: &dyn ExactKernels,
    exchange: &mut X,
) -> Result<Vec<f32>, ExchangeError> {
    let (rank, ranks) = (exchange.rank(), exchange.ranks());
    let mut own = Vec::new();
    kernels.score_rows(state, &rows[rows_of(rank, ranks, rows.len())], &mut own);
    let all = exchange.gather(little_endian(&own, f32::to_le_bytes).into_owned())?;
    let mut scores = Vec::new();
    for half in 0..HALVES {
        let mut start = 0;
        for rank in (half..ranks).step_by(HALVES) {
            let rows = &rows[rows_of(rank, ranks, rows.len())];
            let count: usize = rows.iter().map(|&row| state.scores_of(row)).sum();
            let (numbers, rest) = all[rank].as_chunks::<4>();
            if numbers.len() != count || !rest.is_empty() {
                return Err(ExchangeError::Parcel { rank });
            }
            let numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
            if half == 0 {
                scores.extend(numbers);
            } else {
                let sums = scores[start..].iter_mut().zip(numbers);
                sums.for_each(|(sum, more)| *sum += more);
            }
            start += count;
        }
    }
    Ok(scores)
}

/// The sum of a number of each feature, of which each process knows those of the features that it has.
pub fn share_sum<'a, X: Exchange>(
    numbers: impl Iterator<Item = (u32, &'a f64)>,
    halves: &Halves,
    exchange: &mut X,
) -> Result<f64, ExchangeError> {
    let mut sums = [0.0; HALVES];
    for (feature, number) in numbers {
        sums[halves.half_of(feature)] += number;
    }
    if exchange.ranks() > 1 {
        let own = sums[exchange.rank() % HALVES];
        let all = exchange.gather(own.to_le_bytes().to_vec())?;
        for (rank, (sum, parcel)) in sums.iter_mut().zip(&all).enumerate() {
            let bytes = parcel[..].try_into();
            *sum = f64::from_le_bytes(bytes.map_err(|_| ExchangeError::Parcel { rank })?);
        }
    }
    Ok(sums.iter().sum())
}

/// Makes the weights of the other half those that the process has which changes them.
pub fn share_weights<X: Exchange>(
    weights: &mut ClassWeights,
    halves: &Halves,
    exchange: &mut X,
) -> Result<(), ExchangeError> {
    let (rank, ranks) = (exchange.rank(), exchange.ranks());
    if ranks == 1 {
        return Ok(());
    }
    let other = 1 - rank % HALVES;
    // Of those that have the same half, one is enough to tell all that do not.
    let mut to: Vec<usize> = (0..ranks).filter(|to| to % HALVES == other).collect();
    to.truncate(if rank < HALVES { ranks } else { 0 });
    let own = weights.parcels(halves.held().clone());
    let sent = to
        .iter()
        .flat_map(|&to| own.iter().map(move |own| (to, &own[..])));
    let sent: Vec<(usize, &[u8])> = sent.collect();
    let heard = exchange.send(&sent, &[other; PARCELS])?;
    let parcels: Vec<&[u8]> = heard.iter().map(Vec::as_slice).collect();
    match parcels[..].try_into() {
        Ok(parcels) if weights.set_parcels(halves.half(other), parcels) => Ok(()),
        _ => Err(ExchangeError::Parcel { rank: other }),
    }
}

/// Takes over what the lanes of other processes changed; `parts` are the rows of each lane.
pub fn share_lanes<X: Exchange>(
    state: &State,
    lanes: &mut [Lane],
    parts: &[&[u32]],
    exchange: &mut X,
) -> Result<(), ExchangeError> {
    let (rank, ranks) = (exchange.rank(), exchange.ranks());
    if ranks == 1 {
        return Ok(());
    }
    let used = |rank: usize| {
        let own = lanes_of(rank, ranks, lanes.len());
        own.start.min(parts.len())..own.end.min(parts.len())
    };
    let own = lanes[used(rank)].iter();
    let told: Vec<(&Changes, &[Visited])> =
        own.map(|lane| (&lane.changes, &lane.visited[..])).collect();
    let parcel = postcard::to_allocvec(&told).map_err(|_| ExchangeError::Parcel { rank })?;
    let places: Vec<_> = (0..ranks).map(used).collect();
    let all = exchange.gather(parcel)?;
    for (other, (parcel, places)) in all.iter().zip(places).enumerate() {
        if other == rank {
            continue;
        }
        let heard: Vec<(Changes, Vec<Visited>)> = read(parcel, other)?;
        let fit = heard.len() == places.len()
            && heard
                .iter()
                .zip(&parts[places.clone()])
                .all(|((changes, visited), rows)| fits(state, changes, visited, rows));
        if !fit {
            return Err(ExchangeError::Parcel { rank: other });
        }
        for (lane, (changes, visited)) in lanes[places].iter_mut().zip(heard) {
            (lane.changes, lane.visited) = (changes, visited);
        }
    }
    Ok(())
}

/// Whether these can be the changes of a lane that visited `rows`.
fn fits(state: &State, changes: &Changes, visited: &[Visited], rows: &[u32]) -> bool {
    if visited.len() != rows.len() || changes.background.len() != changes.rows.len() {
        return false;
    }
    let moved = visited.iter().zip(rows).filter(|(visit, _)| visit.moved);
    if !moved
        .map(|moved| *moved.1)
        .eq(changes.rows.iter().map(|row| row.0))
    {
        return false;
    }
    let (mut moves, mut alphas) = (0, 0);
    for &(row, moves_end, alphas_end) in &changes.rows {
        let width = 1 + state.duals[row as usize].classes.len();
        let moved = changes.moves.get(moves..moves_end as usize);
        let slots = moved.is_some_and(|moved| moved.iter().all(|m| (m.0 as usize) < width));
        // Of the listed classes, the shared one, and the sum.
        if !slots || alphas_end as usize != alphas + width + 1 {
            return false;
        }
        (moves, alphas) = (moves_end as usize, alphas_end as usize);
    }
    moves == changes.moves.len() && alphas == changes.alphas.len()
}

/// The findings of all jobs of a survey, given those of every `ranks`th from `rank` on.
pub fn share_survey<X: Exchange>(
    state: &State,
    mut own: Vec<Survey>,
    rows_of: impl Fn(usize) -> PartRows,
    exchange: &mut X,
) -> Result<Vec<Survey>, ExchangeError> {
    let (rank, ranks) = (exchange.rank(), exchange.ranks());
    if ranks == 1 {
        return Ok(own);
    }
    let parcel = postcard::to_allocvec(&own).map_err(|_| ExchangeError::Parcel { rank })?;
    let mut by_rank = Vec::with_capacity(ranks);
    for (other, parcel) in exchange.gather(parcel)?.iter().enumerate() {
        if other == rank {
            by_rank.push(core::mem::take(&mut own).into_iter());
            continue;
        }
        let heard: Vec<Survey> = read(parcel, other)?;
        let mut jobs = heard.iter().enumerate();
        if !jobs.all(|(job, found)| sound(state, found, &rows_of(job * ranks + other))) {
            return Err(ExchangeError::Parcel { rank: other });
        }
        by_rank.push(heard.into_iter());
    }
    let (mut all, mut job) = (Vec::new(), 0);
    while rows_of(job).len() > 0 {
        let other = job % ranks;
        let found = by_rank[other].next();
        all.push(found.ok_or(ExchangeError::Parcel { rank: other })?);
        job += 1;
    }
    Ok(all)
}

/// Whether these can be the findings of a job of these rows.
fn sound(state: &State, found: &Survey, rows: &PartRows) -> bool {
    let is_here = |&row: &u32| rows.clone().any(|here| here == row as usize);
    let listing: u64 = found.rows.iter().map(|row| u64::from(row.1)).sum();
    let idle = |&(row, place): &(u32, u32)| {
        is_here(&row) && (place as usize) < state.duals[row as usize].classes.len()
    };
    rows.len() > 0
        && found.gaps.len() == rows.len()
        && listing == found.fresh.len() as u64
        && found.rows.iter().all(|row| is_here(&row.0))
        && found.rows.is_sorted_by(|a, b| a.0 < b.0)
        && found.idle.is_sorted()
        && found.idle.iter().all(idle)
        && are_new(state, found)
}

/// Whether rows are to list other classes than their own and those that they list, each once.
fn are_new(state: &State, found: &Survey) -> bool {
    let mut fresh = &found.fresh[..];
    found.rows.iter().all(|&(row, count)| {
        let (new, rest) = fresh.split_at(count as usize);
        fresh = rest;
        let listed = &state.duals[row as usize].classes;
        let own = state.problem.class(row as usize);
        new.iter().enumerate().all(|(at, class)| {
            let is_known = *class == own || listed.contains(class) || new[..at].contains(class);
            (*class as usize) < state.weights.classes && !is_known
        })
    })
}

fn read<T: DeserializeOwned>(parcel: &[u8], rank: usize) -> Result<T, ExchangeError> {
    let wrong = ExchangeError::Parcel { rank };
    match postcard::take_from_bytes(parcel) {
        Ok((value, [])) => Ok(value),
        _ => Err(wrong),
    }
}
