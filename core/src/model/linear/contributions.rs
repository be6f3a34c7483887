//! Why a label has its score: what each feature of the row adds to it.
//!
//! A score is a sum over features and a bias, so the parts are not an estimate: their whole numbers
//! add up to the label's sum exactly.

use super::{LinearModel, LinearScratch};
use crate::kernels::{
    sums::{score, term},
    wide::{self, WIDE},
};
use crate::sparse::{SparseView, order};
use alloc::{collections::TryReserveError, vec::Vec};

/// What a feature of a row adds to the score of a label.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contribution {
    /// The feature.
    pub feature: u32,
    /// What it adds; below 0 if it speaks against the label. Never 0.
    pub score: f32,
}

impl LinearModel {
    /// The `features` features that add most to the score of `label` for `row` or take most from
    /// it, by falling size. All of them and the label's [bias](Self::bias) add up to the score, but
    /// for the rounding of `f32`. Empty if there is no such label or no feature with a weight for
    /// it.
    ///
    /// Cost: as of a query of a model that is not prepared.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn contributions(
        &self,
        row: SparseView<'_>,
        label: u32,
        features: usize,
        scratch: &mut LinearScratch,
    ) -> Result<Vec<Contribution>, TryReserveError> {
        let Some(&scale) = self.parts.scales.get(label as usize) else {
            return Ok(Vec::new());
        };
        let query = &mut scratch.query;
        query.set(row, self.parts.transform, self.features());
        let mut found = Vec::new();
        found.try_reserve(query.features.len())?;
        let is_wide = self.parts.bits == WIDE;
        for (&feature, &value) in query.features.iter().zip(&query.values) {
            let mut own = 0;
            let each: &mut dyn FnMut(u32, i16) = &mut |other, weight| {
                if other == label {
                    own = weight;
                }
            };
            self.visit(feature, each);
            let score = if is_wide {
                wide::score(wide::term(own, value), scale, 0.0, query.unit)
            } else {
                score(term(own, value), scale, 0.0, query.unit)
            };
            if score != 0.0 {
                found.push((feature, score));
            }
        }
        order::by_size(&mut found);
        let found = found.into_iter().take(features);
        Ok(found
            .map(|(feature, score)| Contribution { feature, score })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        model::linear::{
            LinearScratch,
            build::{LabelWeights, build},
        },
        parameters::RowTransform,
        sparse::SparseVec,
    };
    use alloc::vec::Vec;

    const TRANSFORM: RowTransform = RowTransform {
        exponent: 1.0,
        normalize: true,
    };

    #[test]
    fn contributions_add_up_to_the_score() {
        let weights = [(0, 1.0), (1, -2.0), (2, 0.5), (4, 0.25)];
        let labels = [
            LabelWeights::round(&weights, -1.0, 8),
            LabelWeights::unseen(),
            LabelWeights::round(&[], -1.0, 8),
        ];
        let model = build(&labels, 5, TRANSFORM, 8).unwrap();
        let row =
            SparseVec::from_pairs([(0, 1.0), (1, 2.0), (2, 3.0), (3, 1.0), (7, 1.0)]).unwrap();
        let mut scratch = LinearScratch::default();
        let all = model.contributions(row.view(), 0, 9, &mut scratch).unwrap();
        let order: Vec<u32> = all.iter().map(|c| c.feature).collect();
        assert_eq!(
            order,
            [1, 2, 0],
            "by size; no weight or no value is no part"
        );
        assert!(all[0].score < 0.0 && all[1].score > 0.0);
        let total: f32 = all.iter().map(|c| c.score).sum::<f32>() + model.bias(0);
        let best = model.predict(row.view(), 3, &mut scratch).to_vec();
        let own = best.iter().find(|s| s.id == 0).unwrap().score;
        assert!((total - own).abs() < 1e-5, "{total} is not {own}");
        let two = model.contributions(row.view(), 0, 2, &mut scratch).unwrap();
        assert_eq!(two, all[..2]);
        for nothing in [1, 2, 3, u32::MAX] {
            let none = model.contributions(row.view(), nothing, 9, &mut scratch);
            assert_eq!(none.unwrap(), []);
        }
        let empty = SparseVec::default();
        let none = model.contributions(empty.view(), 0, 9, &mut scratch);
        assert_eq!(none.unwrap(), []);
    }
}
