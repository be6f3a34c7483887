//! Labels by the number of their training rows.

use super::super::labels::LabelFigures;

/// Where buckets begin.
const BEGINNINGS: [u32; 10] = [0, 1, 2, 5, 10, 20, 50, 100, 1000, 10_000];

/// The labels with so many training rows, taken together.
pub struct Bucket {
    from: u32,
    /// The last number in it, if it has one.
    to: Option<u32>,
    pub labels: u64,
    pub sums: LabelFigures,
}

impl Bucket {
    pub fn name(&self) -> String {
        let from = self.from;
        match self.to {
            Some(to) if to == from => from.to_string(),
            Some(to) => format!("{from}–{to}"),
            None => format!("{from}+"),
        }
    }
}

/// The buckets that hold labels, rare ones first; `None` if the numbers of training rows are not
/// known.
pub fn buckets(labels: &[LabelFigures]) -> Option<Vec<Bucket>> {
    let ends = BEGINNINGS.iter().skip(1).map(|next| Some(next - 1));
    let both = BEGINNINGS.into_iter().zip(ends.chain([None]));
    let mut buckets: Vec<_> = both
        .map(|(from, to)| Bucket {
            from,
            to,
            labels: 0,
            sums: LabelFigures::default(),
        })
        .collect();
    for label in labels {
        let rows = label.training_rows?;
        let at = BEGINNINGS.partition_point(|&from| from <= rows) - 1;
        let bucket = &mut buckets[at];
        bucket.labels += 1;
        bucket.sums.support += label.support;
        bucket.sums.predicted += label.predicted;
        bucket.sums.right += label.right;
    }
    buckets.retain(|bucket| bucket.labels > 0);
    Some(buckets)
}
