//! Eigenvalues and eigenvectors of a symmetric matrix in f64.
//!
//! Problem: `S = Z' diag(λ) Z` for a symmetric S of n rows. Householder reflections make S
//! tridiagonal, implicit QL steps with Wilkinson's shift make it diagonal (Golub, Van Loan, Matrix
//! Computations, 8.3). Cost: about 5 n³ multiplications, 16 n² bytes. Letters: d the diagonal, e
//! what stands beside it, z the rows of Z.

use crate::float;
use alloc::{vec, vec::Vec};

/// The eigenvalues of the symmetric `matrix` of `n` rows, falling, and their eigenvectors, one a
/// row, of length 1.
///
/// # Panics
/// If there are fewer than `n * n` numbers.
#[must_use]
pub fn eigen(mut matrix: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut d, mut e, mut z) = tridiagonal(&mut matrix, n);
    diagonal(&mut d, &mut e, &mut z);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| d[b].total_cmp(&d[a]));
    let vectors = order.iter().flat_map(|&at| &z[at * n..][..n]).copied();
    (order.iter().map(|&at| d[at]).collect(), vectors.collect())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Diagonal, side diagonal (`e[i]` between i and i + 1) and rows of Z so that `S = Z' T Z`.
fn tridiagonal(s: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (mut d, mut e) = (Vec::new(), Vec::new());
    // Each reflection is I - v v', its v behind the first `at + 1` coordinates.
    let mut reflections: Vec<Vec<f64>> = Vec::new();
    for at in 0..n {
        d.push(s[at * n + at]);
        if at + 1 >= n {
            e.push(0.0);
            break;
        }
        let mut v: Vec<f64> = s[at * n + at + 1..(at + 1) * n].to_vec();
        let length = float::sqrt(dot(&v, &v));
        let target = if v[0] > 0.0 { -length } else { length };
        e.push(target);
        // |v - target|² = 2 length (length + |v_0|)
        let square = length * (length + v[0].abs());
        v[0] -= target;
        let factor = if square > 0.0 {
            1.0 / float::sqrt(square)
        } else {
            0.0
        };
        v.iter_mut().for_each(|v| *v *= factor);
        reflect_both(s, n, at + 1, &v);
        reflections.push(v);
    }
    let mut z = vec![0.0; n * n];
    (0..n).for_each(|at| z[at * n + at] = 1.0);
    // Row i of Z is e_i' H_last … H_0.
    for row in z.chunks_mut(n.max(1)) {
        for (at, v) in reflections.iter().enumerate().rev() {
            let part = &mut row[at + 1..];
            let product = dot(part, v);
            part.iter_mut().zip(v).for_each(|(z, v)| *z -= product * v);
        }
    }
    (d, e, z)
}

/// `(I - v v') S (I - v v')` for rows and columns from `start` on.
fn reflect_both(s: &mut [f64], n: usize, start: usize, v: &[f64]) {
    let mut w: Vec<f64> = s[start * n..]
        .chunks(n)
        .map(|row| dot(&row[start..], v))
        .collect();
    let half = 0.5 * dot(&w, v);
    w.iter_mut().zip(v).for_each(|(w, v)| *w -= half * v);
    for ((row, &vi), &wi) in s[start * n..].chunks_mut(n).zip(v).zip(&w) {
        for ((s, v), w) in row[start..].iter_mut().zip(v).zip(&w) {
            *s -= vi * w + wi * v;
        }
    }
}

/// Steps for one eigenvalue, at most; two or three are usual.
const STEPS: usize = 60;

fn diagonal(d: &mut [f64], e: &mut [f64], z: &mut [f64]) {
    let n = d.len();
    for first in 0..n {
        for _ in 0..STEPS {
            let small = |at: usize| {
                let beside = d[at].abs() + d[at + 1].abs();
                e[at].abs() <= f64::EPSILON * beside
            };
            let last = (first..n.saturating_sub(1)).find(|&at| small(at));
            let last = last.unwrap_or(n - 1);
            if last == first {
                break;
            }
            ql_step(d, e, z, first, last);
        }
    }
}

/// One implicit step on the block from `first` to `last`.
fn ql_step(d: &mut [f64], e: &mut [f64], z: &mut [f64], first: usize, last: usize) {
    let n = d.len();
    let half = (d[first + 1] - d[first]) / (2.0 * e[first]);
    let root = float::sqrt(half * half + 1.0);
    let shift = e[first] / (half + root.copysign(half));
    let mut g = d[last] - d[first] + shift;
    let (mut sine, mut cosine, mut taken) = (1.0, 1.0, 0.0);
    for at in (first..last).rev() {
        let (f, b) = (sine * e[at], cosine * e[at]);
        let length = float::sqrt(f * f + g * g);
        e[at + 1] = length;
        if length == 0.0 {
            // The block falls apart here.
            d[at + 1] -= taken;
            e[last] = 0.0;
            return;
        }
        (sine, cosine) = (f / length, g / length);
        let left = d[at + 1] - taken;
        let r = (d[at] - left) * sine + 2.0 * cosine * b;
        taken = sine * r;
        d[at + 1] = left + taken;
        g = cosine * r - b;
        let (low, high) = z[at * n..(at + 2) * n].split_at_mut(n);
        for (low, high) in low.iter_mut().zip(high) {
            let (l, h) = (*low, *high);
            *high = sine * l + cosine * h;
            *low = cosine * l - sine * h;
        }
    }
    d[first] -= taken;
    e[first] = g;
    e[last] = 0.0;
}

#[cfg(test)]
mod tests {
    use super::{dot, eigen};
    use crate::random::Stream;
    use alloc::{vec, vec::Vec};

    fn check(matrix: &[f64], n: usize) {
        let (values, vectors) = eigen(matrix.to_vec(), n);
        let size = matrix.iter().fold(1e-300f64, |most, v| most.max(v.abs()));
        assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
        for (a, (value, vector)) in values.iter().zip(vectors.chunks(n)).enumerate() {
            for (line, v) in matrix.chunks(n).zip(vector) {
                assert!((dot(line, vector) - value * v).abs() < 1e-12 * size * n as f64);
            }
            for (b, other) in vectors.chunks(n).enumerate() {
                let unit = if a == b { 1.0 } else { 0.0 };
                assert!((dot(vector, other) - unit).abs() < 1e-12 * n as f64);
            }
        }
    }

    #[test]
    fn every_pair_solves_its_equation() {
        let mut dice = Stream::new(5, 0);
        for n in [1usize, 2, 3, 4, 7, 16, 33] {
            let mut matrix = vec![0.0; n * n];
            for a in 0..n {
                for b in 0..=a {
                    let value = dice.unit() - 0.5;
                    (matrix[a * n + b], matrix[b * n + a]) = (value, value);
                }
            }
            check(&matrix, n);
        }
    }

    #[test]
    fn zeros_equal_values_and_wide_spectra_end_well() {
        for diagonal in [
            vec![0.0; 6],
            vec![2.0; 6],
            vec![1e12, 1.0, 1e-12, 0.0, 0.0, 5.0],
            vec![-3.0, 3.0, -3.0, 3.0, 0.0, 0.0],
        ] {
            let n = diagonal.len();
            let mut matrix = vec![0.0; n * n];
            (0..n).for_each(|at| matrix[at * n + at] = diagonal[at]);
            check(&matrix, n);
            // The same turned by a reflection.
            let v: Vec<f64> = (0..n).map(|at| at as f64 + 1.0).collect();
            let factor = 2.0 / dot(&v, &v);
            let h = |a: usize, b: usize| f64::from(u8::from(a == b)) - factor * v[a] * v[b];
            let turned = |a: usize, b: usize| (0..n).map(|c| h(a, c) * diagonal[c] * h(c, b)).sum();
            let matrix: Vec<f64> = (0..n * n).map(|at| turned(at / n, at % n)).collect();
            let sound: Vec<f64> = (0..n * n)
                .map(|at| 0.5 * (matrix[at] + matrix[at % n * n + at / n]))
                .collect();
            check(&sound, n);
        }
    }
}
