//! Multi-class support vector machines solved as one problem, to a proven gap.
//!
//! N rows `x_i` with one class `y_i` of L each, weights `w_1 … w_L`, scores `s_c = w_c.x_i`,
//! price of loss C:
//!
//! ```text
//! min over W   1/2 sum_c |w_c|² + C sum_i loss(s_i, y_i)
//!
//! Crammer-Singer    loss = max(0, max over c ≠ y of 1 - s_y + s_c)
//! Weston-Watkins    loss = sum over c ≠ y of max(0, 1 - s_y + s_c)
//! Lee-Lin-Wahba     loss = sum over c ≠ y of max(0, 1 + s_c),   with sum_c w_c = 0
//! ```
//!
//! Every solver keeps duals `a_ic >= 0` whose objective D can only be below the primal one P of any
//! weights, so that P - D, the gap, bounds how far the weights are from the best there are. The gap
//! is computed for the weights before pruning and rounding them, and again for those that a model
//! has: with 16 bits and none left out it is the same or a few percent larger.
//!
//! Papers: J. Weston, C. Watkins, *Support vector machines for multi-class pattern recognition*,
//! 1999; K. Crammer, Y. Singer, *On the algorithmic implementation of multiclass kernel-based
//! vector machines*, 2001; Y. Lee, Y. Lin, G. Wahba, *Multicategory support vector machines*, 2004;
//! M. Alber, J. Zimmert, U. Dogan, M. Kloft, *Distributed optimization of multi-class SVMs*, 2017.
//!
//! `parameters` says what can be chosen; `problem` holds the rows; the rest is the solvers'.

pub(crate) mod by_feature;
pub(crate) mod certificate;
#[cfg(test)]
mod certificate_tests;
pub(crate) mod changes;
pub(crate) mod class_scores;
pub(crate) mod class_weights;
pub(crate) mod duals;
mod feature_ranges;
pub(crate) mod lee_lin_wahba;
pub(crate) mod listing;
pub(crate) mod machine;
pub(crate) mod memory;
pub(crate) mod narrow_vec;
pub(crate) mod prefetch;
pub(crate) mod problem;
#[cfg(test)]
mod proof_tests;
pub(crate) mod prune_lists;
pub(crate) mod rounding;
pub(crate) mod row_batch;
pub(crate) mod row_step;
pub(crate) mod schedule;
pub(crate) mod solver;
pub(crate) mod state;
pub(crate) mod survey;
mod surveyor;
pub(crate) mod sweep;
pub(crate) mod trainer;
#[cfg(test)]
mod twin;
pub(crate) mod warm_start;

pub use certificate::Certificate;
pub use machine::Machine;
pub use problem::MultiLabel;
pub use solver::Solver;
pub use trainer::Report;
pub use warm_start::{Start, WarmStart};
