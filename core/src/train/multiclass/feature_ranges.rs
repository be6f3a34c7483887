//! Splits the features into ranges, so that each thread changes the weights of one.

use super::problem::Problem;
use alloc::{vec, vec::Vec};

/// Borders of `parts` ranges of all features that take about equally long to read and change.
///
/// The first border is 0 and the last is D, the number of features. The rarer a feature, the less
/// likely its weights are in a cache: a value of the rarest feature counts two and a half times one
/// of the most frequent, as measured on texts (1.6 to 4.1 times).
#[must_use]
pub fn equal_parts(problem: &Problem, parts: usize) -> Vec<u32> {
    let features = problem.features();
    let mut counts = vec![0u128; features];
    for row in 0..problem.len() {
        for &feature in problem.row(row).features {
            counts[feature as usize] += 1;
        }
    }
    let values: u128 = counts.iter().sum();
    let mut before = 0;
    let costs = counts.into_iter().map(|count| {
        before += count;
        count * (2 * values + 3 * before)
    });
    let costs: Vec<u128> = costs.collect();
    let total: u128 = costs.iter().sum();
    let (mut borders, mut sum) = (vec![0], 0);
    for (feature, cost) in costs.into_iter().enumerate() {
        if borders.len() < parts && sum * parts as u128 >= total * borders.len() as u128 {
            borders.push(feature as u32);
        }
        sum += cost;
    }
    borders.resize(parts, features as u32);
    borders.push(features as u32);
    borders
}

#[cfg(test)]
mod tests {
    use super::equal_parts;
    use crate::train::multiclass::problem::tests::random;

    #[test]
    fn parts_hold_all_features_and_the_first_of_two_more_values() {
        let problem = random(300, 90, 7, 1);
        for parts in 1..9 {
            let borders = equal_parts(&problem, parts);
            assert_eq!(borders.len(), parts + 1);
            assert_eq!((borders[0], borders[parts]), (0, 90));
            assert!(borders.is_sorted(), "{borders:?}");
        }
        let first = 0..equal_parts(&problem, 2)[1];
        let rows = (0..problem.len()).map(|row| problem.row(row).features_in(&first).len());
        let share = rows.sum::<usize>() as f64 / problem.values() as f64;
        assert!((0.55..0.65).contains(&share), "{share}");
    }
}
