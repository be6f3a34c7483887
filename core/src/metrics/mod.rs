//! How good ranked answers are, against the labels of the rows.
//!
//! An [`Evaluation`] takes rows one at a time, each with its answers (best first) and its labels
//! (as [`LabelLists`](crate::data::LabelLists) gives them), and ends in a [`Report`] of plain
//! numbers: P@k, R@k, RP@k, nDCG@k, coverage@k, accuracy, F1 of decisions, labels and rows and,
//! given [`Propensities`], PSP@k and PSnDCG@k. The formulas stand at the fields of [`Report`].
//!
//! Answers and labels are compared by id. A label id that no training row carries, also one
//! beyond the model's L labels, cannot be answered and so is a miss.
//!
//! Counts are integers and sums of real numbers are kept in fixed point, so a report has the same
//! bits for any division of the rows among threads; [`Evaluation::add_all`] runs one.
//!
//! Papers: Bhatia et al., The Extreme Classification Repository (2016), for P, nDCG and their
//! propensity-scored kin; Jain, Prabhu, Varma (KDD 2016), section 4, for propensities; Opitz and
//! Burst, Macro F1 and Macro F1 (2019), for the two macro-F1; Chalkidis et al., Large-Scale
//! Multi-Label Text Classification on EU Legislation (ACL 2019), for RP@k.

mod discount;
mod evaluation;
mod label_counts;
mod propensity;
mod report;
mod sum;
mod tally;

pub use evaluation::{Evaluation, EvaluationError, Options};
pub use propensity::Propensities;
pub use report::Report;
