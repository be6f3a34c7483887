//! A tall matrix of D lines and few columns, in blocks of 16 columns: products and orthonormal
//! columns.
//!
//! Every product is a job for each block or pair of blocks, and every sum runs over the lines in
//! their order in f64: bits do not depend on the number of threads. Numbers are stored in f32.

use crate::{
    executor::Executor,
    float,
    train::{TrainError, error::array},
};
use alloc::vec::Vec;

/// Columns of a block.
pub(super) const WIDTH: usize = 16;

/// Blocks of columns; each has 16 numbers a line, line by line.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns {
    pub blocks: Vec<Vec<f32>>,
}

impl Columns {
    /// Number of columns, those beside the last block's own included.
    pub(crate) fn width(&self) -> usize {
        self.blocks.len() * WIDTH
    }

    /// A' B, row by row; of equal matrices only half of the work is done.
    pub(crate) fn products(&self, other: &Self, executor: &Executor) -> Vec<f64> {
        let (count, width) = (self.blocks.len(), self.width());
        let same = core::ptr::eq(self, other);
        let pairs: Vec<(usize, usize)> = (0..count)
            .flat_map(|a| (if same { a } else { 0 }..count).map(move |b| (a, b)))
            .collect();
        let made = executor.map(
            pairs.len(),
            || (),
            |(), job| {
                let (a, b) = pairs[job];
                block_products(&self.blocks[a], &other.blocks[b])
            },
        );
        let mut whole = alloc::vec![0.0; width * width];
        for (&(a, b), part) in pairs.iter().zip(&made) {
            for (i, line) in part.iter().enumerate() {
                for (j, &sum) in line.iter().enumerate() {
                    let (row, column) = (a * WIDTH + i, b * WIDTH + j);
                    whole[row * width + column] = sum;
                    if same {
                        whole[column * width + row] = sum;
                    }
                }
            }
        }
        whole
    }

    /// The matrix times a square one, given row by row.
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn times(&self, square: &[f64], executor: &Executor) -> Result<Self, TrainError> {
        let width = self.width();
        let lines = self.blocks.first().map_or(0, Vec::len) / WIDTH;
        let made = executor.map(
            self.blocks.len(),
            || (),
            |(), block| {
                let part = |row: usize| &square[row * width + block * WIDTH..][..WIDTH];
                // Rows of zeros above or below the diagonal of a triangle cost nothing.
                let used: Vec<usize> = (0..width)
                    .filter(|&row| part(row).iter().any(|&v| v != 0.0))
                    .collect();
                let mut out = array(lines * WIDTH, 0f32)?;
                for (line, out) in out.chunks_exact_mut(WIDTH).enumerate() {
                    let mut sums = [0f64; WIDTH];
                    for &row in &used {
                        let value = self.blocks[row / WIDTH][line * WIDTH + row % WIDTH];
                        let value = f64::from(value);
                        for (sum, weight) in sums.iter_mut().zip(part(row)) {
                            *sum += value * weight;
                        }
                    }
                    out.iter_mut()
                        .zip(sums)
                        .for_each(|(out, sum)| *out = sum as f32);
                }
                Ok(out)
            },
        );
        let blocks = made.into_iter().collect::<Result<_, TrainError>>()?;
        Ok(Self { blocks })
    }

    /// Columns of length 1, each at right angles to all others, that span the same space; columns
    /// that add nothing but noise to those before them become zeros.
    ///
    /// `Y = Q R` with `R' R = Y' Y` (Cholesky), done twice: the first pass leaves errors of about
    /// 1e-16 times the square of the condition of Y, the second removes them (Yamamoto et al.
    /// 2015).
    ///
    /// # Errors
    /// If memory is lacking.
    pub(crate) fn orthonormal(&self, executor: &Executor) -> Result<Self, TrainError> {
        let once = |columns: &Self| {
            let products = columns.products(columns, executor);
            columns.times(&inverse_root(products, columns.width()), executor)
        };
        once(&once(self)?)
    }
}

fn block_products(left: &[f32], right: &[f32]) -> [[f64; WIDTH]; WIDTH] {
    let mut sums = [[0f64; WIDTH]; WIDTH];
    let (left, right) = (left.as_chunks::<WIDTH>().0, right.as_chunks::<WIDTH>().0);
    for (a, b) in left.iter().zip(right) {
        let b = b.map(f64::from);
        for (sums, &a) in sums.iter_mut().zip(a) {
            let a = f64::from(a);
            sums.iter_mut().zip(&b).for_each(|(sum, b)| *sum += a * b);
        }
    }
    sums
}

/// A column whose part at right angles to those before it is, squared, no more than this share of
/// it is noise of f32, and left out.
const NOISE: f64 = 1e-12;

/// The inverse of the upper triangle R with `R' R` the given products; zeros for columns that are
/// left out.
fn inverse_root(mut products: Vec<f64>, n: usize) -> Vec<f64> {
    let mut kept: Vec<bool> = Vec::new();
    let g = &mut products;
    for at in 0..n {
        // Row `at` of R, in place: what rows above explain is subtracted.
        let whole = g[at * n + at];
        let (above, row) = g.split_at_mut(at * n);
        let row = &mut row[..n];
        for (other, line) in above.chunks_exact(n).enumerate() {
            let factor = if kept[other] { line[at] } else { 0.0 };
            if factor != 0.0 {
                let pairs = row[at..].iter_mut().zip(&line[at..]);
                pairs.for_each(|(value, r)| *value -= factor * r);
            }
        }
        let keep = row[at] > NOISE * whole && row[at].is_finite();
        kept.push(keep);
        let scale = if keep {
            1.0 / float::sqrt(row[at])
        } else {
            0.0
        };
        row[at..].iter_mut().for_each(|value| *value *= scale);
    }
    // Column by column: R T = I.
    let mut inverse = alloc::vec![0.0; n * n];
    for column in (0..n).filter(|&column| kept[column]) {
        for row in (0..=column).rev().filter(|&row| kept[row]) {
            let mut sum = if row == column { 1.0 } else { 0.0 };
            for between in row + 1..=column {
                sum -= g[row * n + between] * inverse[between * n + column];
            }
            inverse[row * n + column] = sum / g[row * n + row];
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::{Columns, WIDTH};
    use crate::{executor::Sequential, random::Stream};
    use alloc::vec::Vec;

    fn random(lines: usize, blocks: usize) -> Columns {
        let mut dice = Stream::new(8, 0);
        let mut block = || {
            (0..lines * WIDTH)
                .map(|_| dice.unit() as f32 - 0.3)
                .collect()
        };
        let blocks = (0..blocks).map(|_| block()).collect();
        Columns { blocks }
    }

    #[test]
    fn columns_come_out_orthonormal_and_copies_as_zeros() {
        let mut columns = random(90, 3);
        for line in 0..90 {
            // Columns 5 and 40 repeat others, nearly so and exactly.
            let near = columns.blocks[0][line * WIDTH + 4] * 2.0;
            columns.blocks[0][line * WIDTH + 5] = near;
            columns.blocks[2][line * WIDTH + 8] = -columns.blocks[1][line * WIDTH];
        }
        let q = columns.orthonormal(&Sequential).unwrap();
        let products = q.products(&q, &Sequential);
        let width = q.width();
        for (at, &product) in products.iter().enumerate() {
            let (a, b) = (at / width, at % width);
            let expected = f64::from(u8::from(a == b && a != 5 && a != 40));
            assert!((product - expected).abs() < 1e-6, "{a} {b} {product}");
        }
        // Nothing of the space is lost: Q Q' Y = Y.
        let inner = q.products(&columns, &Sequential);
        let again = q.times(&inner, &Sequential).unwrap();
        let pairs = again
            .blocks
            .iter()
            .flatten()
            .zip(columns.blocks.iter().flatten());
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5));
    }

    #[test]
    fn products_are_those_of_plain_loops() {
        let (a, b) = (random(13, 2), random(13, 2));
        let products = a.products(&b, &Sequential);
        let at = |c: &Columns, line: usize, column: usize| {
            f64::from(c.blocks[column / WIDTH][line * WIDTH + column % WIDTH])
        };
        let plain: Vec<f64> = (0..32 * 32)
            .map(|p| (0..13).map(|l| at(&a, l, p / 32) * at(&b, l, p % 32)).sum())
            .collect();
        assert_eq!(products, plain);
        assert_eq!(
            a.products(&a, &Sequential),
            plain,
            "the half that is copied is the same"
        );
    }
}
