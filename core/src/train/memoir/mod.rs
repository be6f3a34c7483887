//! MEMOIR: multi-class margin machines by stochastic steps, the maximum inside the margin found by
//! a search.
//!
//! Problem, for N rows `x_i` of D features with one class `y_i` of L each (A. Belyy, A. Sholokhov,
//! *MEMOIR: multi-class extreme classification with inexact margin*, 2018; Crammer and Singer's
//! loss): minimize over `W`
//!
//! ```text
//! lambda R(W) + 1/N sum_i max(0, 1 + max_{r != y_i} w_r x_i - w_{y_i} x_i)
//! ```
//!
//! with `R(W) = ||W||^2 / 2` (l2) or the sum of sizes (l1). Step t of size `eta_t`, on a batch `b`
//! whose weights stay as they are until all of it is looked at:
//!
//! 1. for each row find the violators, wrong classes with slack `1 + w_r x - w_y x > 0`: the best
//!    one (the paper's), or several with weights `p_r` in proportion to their slack, which add up
//!    to 1;
//! 2. l2: `W *= 1 - lambda eta_t`;
//! 3. `w_y += eta_t / |b| x` and `w_r -= eta_t p_r / |b| x`;
//! 4. l2: `W *= min(1, 1 / (sqrt(lambda) ||W||))`; l1: all weights toward zero by `lambda eta_t`.
//!
//! With one violator, batches of one row, steps of `1 / (lambda t)` and exact scores this is
//! Pegasos for many classes. Differences from the paper, which `parameters::Repro` turns off:
//! several violators; a weight below zero is made only by a step of some size, which keeps the
//! weights sparse; classes that are silent about a row are not pushed away; the mean over the
//! second half of all steps; classes' scores divided by a power of their length. The paper's
//! listing lacks the `1 / |b|`; its l1 step is for the penalty `lambda`, not `lambda / 2`.
//!
//! The maximum may be inexact, which is what the paper is about: an `parameters::Oracle` says where
//! violators are looked for. All classes are scored feature by feature, which costs O(weights of
//! the row's features + L) a row; for many classes, frequent features that make up little of a row
//! are left out, and looked up for the best classes only. Or a search of vectors
//! (`search::sign_codes`, `search::graph`) proposes classes, whose weights then
//! stand class by class; it is told of a class once its weights may have moved by a quarter of
//! their length, made anew before each pass over the rows, and asked for up to 256 rows at a time.
//! Whatever was found is scored exactly. `report` measures what an oracle misses.
//!
//! Memory: 12 bytes a weight and a quarter more to grow, 72 a feature, 16 a row: L x D is never
//! dense. Equal data, parameters and seed give equal models for any number of threads: rows of a
//! batch, and rows of which a search is asked, are searched in parallel, and threads own features,
//! or classes, when a batch is added.

mod choose;
mod class_row;
mod class_rows;
mod draws;
mod feature_lists;
mod finish;
mod footprint;
mod list;
mod oracle_index;
mod products;
pub(crate) mod report;
mod state;
mod step;
pub(crate) mod trainer;
mod training_rows;
mod violators;
pub(crate) mod weights;

pub(crate) mod prototypes;
#[cfg(test)]
mod tests;

pub use report::Measured;
pub use trainer::{MemoirReport, MemoirTrainer};
