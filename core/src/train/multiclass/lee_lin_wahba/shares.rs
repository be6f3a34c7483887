//! Which process keeps which classes: as shares whose number does not depend on that of processes.
//! And how they put together scores.

use super::{block::Block, part::Part};
use crate::train::exchange::{Exchange, ExchangeError, gather};
use alloc::vec::Vec;
use core::ops::Range;

/// Most shares that the classes are divided into.
const SHARES: usize = 24;

/// How many shares so many classes are divided into; it does not depend on the number of processes.
pub(super) fn shares(classes: usize) -> usize {
    classes.min(SHARES)
}

/// The classes of a share.
pub(super) fn share(classes: usize, share: usize) -> Range<usize> {
    let shares = shares(classes);
    classes * share / shares..classes * (share + 1) / shares
}

/// The classes that process `rank` of `ranks` keeps: those of some shares.
pub(super) fn range(classes: usize, rank: usize, ranks: usize) -> Range<usize> {
    let shares = shares(classes);
    let first = |rank: usize| classes * (rank * shares).div_ceil(ranks) / shares;
    first(rank)..first(rank + 1)
}

/// Puts together the scores of a block's rows: those by classes kept here and those of other
/// processes.
pub(super) fn share_scores<X: Exchange>(
    parts: &[Part],
    block: &mut Block,
    rows: usize,
    exchange: &mut X,
) -> Result<(), ExchangeError> {
    let (rank, ranks) = (exchange.rank(), exchange.ranks());
    block.begin(rows);
    for part in parts {
        for (row, (scores, mean)) in part.scores().enumerate() {
            let (all, last) = block.scores_mut(row);
            all[part.classes()].copy_from_slice(scores);
            *last = mean;
        }
    }
    if ranks == 1 {
        return Ok(());
    }
    let (classes, mut parcel) = (block.classes(), Vec::new());
    for row in 0..rows {
        let own = &block.scores_mut(row).0[range(classes, rank, ranks)];
        parcel.extend(own.iter().flat_map(|score| score.to_le_bytes()));
    }
    for (other, parcel) in gather(exchange, parcel)?.iter().enumerate() {
        if other == rank {
            continue;
        }
        let theirs = range(classes, other, ranks);
        let (numbers, rest) = parcel.as_chunks::<8>();
        if numbers.len() != rows * theirs.len() || !rest.is_empty() {
            return Err(ExchangeError::Parcel { rank: other });
        }
        let each_row = numbers.chunks(theirs.len().max(1)).enumerate();
        for (row, numbers) in each_row {
            let scores = block.scores_mut(row).0[theirs.clone()].iter_mut();
            scores
                .zip(numbers)
                .for_each(|(score, &bytes)| *score = f64::from_le_bytes(bytes));
        }
    }
    Ok(())
}
