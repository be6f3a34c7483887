//! Five numbers and the mean of a list of counts.

/// The five-number summary of a list of counts and their mean.
///
/// Quartiles interpolate linearly between the two counts next to them: the quantile q of the m
/// sorted counts is at position `q (m - 1)`, counted from 0 (type 7 of Hyndman and Fan, Sample
/// Quantiles in Statistical Packages, 1996: the rule of R and numpy). Each is a multiple of 1/4
/// and exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The smallest count.
    pub minimum: u32,
    /// The quantile 1/4.
    pub lower_quartile: f64,
    /// The quantile 1/2.
    pub median: f64,
    /// The quantile 3/4.
    pub upper_quartile: f64,
    /// The largest count.
    pub maximum: u32,
    /// The arithmetic mean.
    pub mean: f64,
}

impl Summary {
    /// Summarizes `counts`, which it sorts; `None` if there are none.
    ///
    /// Cost: O(m log m).
    #[must_use]
    pub(crate) fn of(counts: &mut [u32]) -> Option<Self> {
        counts.sort_unstable();
        let (&minimum, &maximum) = (counts.first()?, counts.last()?);
        let total: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        Some(Self {
            minimum,
            lower_quartile: quartile(counts, 1),
            median: quartile(counts, 2),
            upper_quartile: quartile(counts, 3),
            maximum,
            mean: total as f64 / counts.len() as f64,
        })
    }
}

/// The quantile `quarters / 4` of sorted counts, at least one.
fn quartile(sorted: &[u32], quarters: u64) -> f64 {
    let position = (sorted.len() as u64 - 1) * quarters;
    let (before, behind) = ((position / 4) as usize, position % 4);
    let lower = u64::from(sorted[before]);
    let upper = u64::from(sorted[(before + 1).min(sorted.len() - 1)]);
    (lower * (4 - behind) + upper * behind) as f64 / 4.0
}

#[cfg(test)]
mod tests {
    use super::Summary;

    #[test]
    fn summaries_by_hand() {
        assert_eq!(Summary::of(&mut []), None);
        let summary = Summary::of(&mut [5, 1, 2, 10]).unwrap();
        assert_eq!((summary.minimum, summary.maximum), (1, 10));
        assert_eq!((summary.lower_quartile, summary.median), (1.75, 3.5));
        let one = Summary::of(&mut [7]).unwrap();
        let numbers = [one.lower_quartile, one.median, one.upper_quartile, one.mean];
        assert_eq!((one.minimum, numbers, one.maximum), (7, [7.0; 4], 7));
        let two = Summary::of(&mut [4, 0]).unwrap();
        let numbers = [two.lower_quartile, two.median, two.upper_quartile, two.mean];
        assert_eq!(
            (two.minimum, numbers, two.maximum),
            (0, [1.0, 2.0, 3.0, 2.0], 4)
        );
        let five = Summary::of(&mut [9, 1, 1, 3, 2]).unwrap();
        let numbers = [five.lower_quartile, five.median, five.upper_quartile];
        assert_eq!((numbers, five.mean), ([1.0, 2.0, 3.0], 3.2));
        let largest = Summary::of(&mut [u32::MAX; 3]).unwrap();
        assert_eq!(largest.median, f64::from(u32::MAX));
    }
}
