//! What the classes have as products with the Gaussian vectors of sign codes, kept up while
//! training.
//!
//! A step adds `amount x` to a class, so it adds `amount (a_b x)` to the class's product with
//! `a_b`, for each bit b. A row's products are computed once for all classes that it moves; no
//! weight is read. Where a step makes no weight of a feature because the weight would be small, the
//! products have it all the same: they are those of the weights that had all been made.
//!
//! Memory: 256 bytes a word of the codes and class. Cost of a step: 64 words Gaussian numbers a
//! value of the row, and 64 words additions a class.

use super::{class_rows::ClassRows, step::Steps};
use crate::{
    executor::Executor,
    search::sign_codes::SignCodes,
    train::state::{StateError, holds},
};
use alloc::vec::Vec;

/// See the module's text.
#[derive(Clone, Debug, Default)]
pub(super) struct Products {
    /// Those of a row, then padded ones of a class.
    row: Vec<f32>,
    /// Of each class one for each bit; none behind the last class that was moved.
    sums: Vec<f32>,
}

impl Products {
    /// Adds `factor` times the amounts of a step's row.
    pub(crate) fn add(
        &mut self,
        codes: &SignCodes,
        row: &[(u32, f32)],
        steps: &Steps<'_>,
        factor: f64,
    ) {
        codes.products(row, &mut self.row);
        let bits = self.row.len();
        for (&class, amount) in steps.classes.iter().zip(steps.amounts) {
            let amount = (amount * factor) as f32;
            let start = class as usize * bits;
            if self.sums.len() < start + bits {
                self.sums.resize(start + bits, 0.0);
            }
            let sums = &mut self.sums[start..start + bits];
            for (sum, product) in sums.iter_mut().zip(&self.row) {
                *sum += amount * product;
            }
        }
    }

    /// Computes those of some classes from their weights.
    pub(crate) fn set(
        &mut self,
        codes: &SignCodes,
        rows: &ClassRows,
        classes: &[u32],
        executor: &Executor,
    ) {
        let computed = executor.map(classes.len(), Vec::new, |terms, at| {
            let mut products = Vec::new();
            terms.clear();
            terms.extend(rows.vector(classes[at]).view().iter());
            codes.products(terms, &mut products);
            products
        });
        for (&class, products) in classes.iter().zip(&computed) {
            let start = class as usize * products.len();
            let end = start + products.len();
            if self.sums.len() < end {
                self.sums.resize(end, 0.0);
            }
            self.sums[start..end].copy_from_slice(products);
        }
    }

    /// Puts the codes of some classes in the place of theirs.
    pub(crate) fn put(&mut self, codes: &mut SignCodes, rows: &ClassRows, classes: &[u32]) {
        let bits = codes.bits();
        for &class in classes {
            let start = class as usize * bits;
            self.row.clear();
            self.row.extend_from_slice(&self.sums[start..start + bits]);
            codes.insert_products(class, &mut self.row, rows.length(class));
        }
    }

    pub(crate) fn saved(&self) -> &[f32] {
        &self.sums
    }

    /// Takes over what a state holds, which has these weights.
    pub(crate) fn restore(
        &mut self,
        saved: Vec<f32>,
        codes: &SignCodes,
        rows: &ClassRows,
    ) -> Result<(), StateError> {
        let (has, bits) = (saved.len() / codes.bits(), codes.bits());
        let within = has <= rows.classes() && saved.len() == has * bits;
        holds("how many products of classes there are", within)?;
        let behind: Vec<u32> = (has as u32..rows.classes() as u32).collect();
        let has_all = rows.with_weights(&behind).is_empty();
        holds("a class with weights, but without products", has_all)?;
        let finite = saved.iter().all(|sum| sum.is_finite());
        holds("a product of a class", finite)?;
        self.sums = saved;
        Ok(())
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        4 * (self.row.capacity() + self.sums.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::Products;
    use crate::{
        executor::Sequential,
        random::Stream,
        search::sign_codes::SignCodes,
        train::memoir::{class_rows::ClassRows, list::Beside, step::Steps},
    };
    use alloc::vec::Vec;

    #[test]
    fn products_kept_are_those_of_the_weights() {
        let (codes, mut dice) = (SignCodes::new(2, 1.5, 7), Stream::new(3, 3));
        let mut rows = ClassRows::new(4, 0.0, Beside::Nothing);
        let (mut products, mut folds) = (Products::default(), 0);
        for step in 0..600u32 {
            let terms = (0..7).map(|at| (at * 6 + dice.below(6) as u32, dice.unit() as f32 - 0.4));
            let terms: Vec<(u32, f32)> = terms.collect();
            rows.shrink(0.99);
            if rows.folds() != folds {
                folds = rows.folds();
                products = Products::default();
                products.set(&codes, &rows, &[0, 1, 2, 3], &Sequential);
            }
            let steps = Steps {
                classes: &[step % 4, (step + 1) % 4],
                amounts: &[0.3, -0.2],
            };
            rows.add(&terms, &steps);
            products.add(&codes, &terms, &steps, 1.0 / rows.scale());
        }
        assert!(folds > 0);
        for class in 0..4 {
            let vector: Vec<(u32, f32)> = rows.vector(class).view().iter().collect();
            let mut expected = Vec::new();
            codes.products(&vector, &mut expected);
            let kept = &products.sums[class as usize * codes.bits()..][..codes.bits()];
            let allowed = 1e-5 * rows.length(class) as f32;
            for (kept, expected) in kept.iter().zip(&expected) {
                assert!((kept - expected).abs() < allowed, "{kept} {expected}");
            }
        }
    }
}
