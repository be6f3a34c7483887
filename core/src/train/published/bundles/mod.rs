//! The Weston-Watkins machine on several processes: bundles of classes that meet in a tournament.
//!
//! The L classes are dealt into an even number M of bundles. A dual `a_ic` concerns the weights of
//! two classes only, that of row i and c; so while two bundles meet, all duals between their
//! classes can be solved for, and other pairs of bundles can meet elsewhere at the same time. An
//! epoch is a round in which each bundle meets itself, then M - 1 rounds of M / 2 meetings
//! ([`crate::train::published::bundles::tournament`]): Algorithm 5 of M. Alber, J. Zimmert, U.
//! Dogan, M. Kloft, *Distributed optimization of multi-class SVMs*, 2017, corrected.
//!
//! M depends on the number of classes only, each meeting on its two bundles only, and sums over
//! bundles are added in their order: equal bits for any number of processes and threads.
//!
//! Every process reads all rows and keeps a copy of all weights. After a round all are told what
//! rows moved elsewhere (`moved.rs`), and move the same weights by as much: that takes a third of
//! what the meeting took, most of which was finding scores, and far fewer bytes than the weights
//! that changed. The duals of a pair stay where the pair meets.
//!
//! Crammer-Singer's duals of a row share one limit, which pairs of bundles cannot keep apart: it
//! has no such solver.
//!
//! The other way for processes to share this machine, and that of Crammer-Singer, is by rows
//! ([`crate::train::multiclass::together`]): it reaches a gap in far fewer epochs, because all
//! duals of a row are solved for at once, and is what [`shared::SharedTraining::new`] begins.

pub(crate) mod bundle;
pub(crate) mod epochs;
pub(crate) mod meeting;
pub(crate) mod moved;
pub(crate) mod pair;
pub(crate) mod plan;
pub(crate) mod shared;

#[cfg(test)]
mod tests;
pub(crate) mod tournament;
