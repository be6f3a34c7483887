//! Which process keeps which classes: as shares whose number does not depend on that of processes.

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
