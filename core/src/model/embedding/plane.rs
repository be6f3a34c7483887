//! Labels as points of a picture.
//!
//! Problem: places in the plane whose distances are as near to those of the prototypes as places in
//! a plane can be: the two strongest directions of the centered prototypes (classical scaling,
//! Torgerson 1952). With P the n x M matrix of centered prototypes, the eigenvectors u of `P P'`
//! with the two largest eigenvalues λ give the coordinates `sqrt(λ) u`. Where inner products rank
//! labels, prototypes are taken at length 1, as the cosine does. Cost: `n² M + 5 n³`.

use crate::model::embedding::arrays::EmbeddingModel;
use crate::{eigen::eigen, float};
use alloc::vec::Vec;

impl EmbeddingModel {
    /// A place in the plane for each of `labels`, so that labels with near prototypes are near each
    /// other. The directions are those of most spread; which way they point is arbitrary, but the
    /// same everywhere.
    ///
    /// # Panics
    /// If the model has no such label.
    #[must_use]
    pub fn plane(&self, labels: &[u32]) -> Vec<[f64; 2]> {
        let mut prototype = Vec::new();
        let vectors = labels.iter().map(|&label| {
            prototype.clear();
            self.prototype(label, &mut prototype);
            let vector: Vec<f64> = prototype.iter().map(|&v| f64::from(v)).collect();
            match self.parts.euclidean {
                true => vector,
                false => of_length_one(vector),
            }
        });
        plane(vectors.collect())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn of_length_one(mut vector: Vec<f64>) -> Vec<f64> {
    let length = float::sqrt(dot(&vector, &vector));
    if length > 0.0 {
        vector.iter_mut().for_each(|v| *v /= length);
    }
    vector
}

fn plane(mut vectors: Vec<Vec<f64>>) -> Vec<[f64; 2]> {
    let n = vectors.len();
    let dimensions = vectors.first().map_or(0, Vec::len);
    for at in 0..dimensions {
        let mean = vectors.iter().map(|vector| vector[at]).sum::<f64>() / n as f64;
        vectors.iter_mut().for_each(|vector| vector[at] -= mean);
    }
    let products = (0..n * n).map(|at| dot(&vectors[at / n], &vectors[at % n]));
    let (values, axes) = eigen(products.collect(), n);
    let coordinate = |axis: usize, point: usize| match values.get(axis) {
        Some(&value) => float::sqrt(value.max(0.0)) * axes[axis * n + point],
        None => 0.0,
    };
    (0..n)
        .map(|point| [coordinate(0, point), coordinate(1, point)])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{of_length_one, plane};
    use crate::float;
    use alloc::{vec, vec::Vec};

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        float::sqrt(a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum())
    }

    #[test]
    fn points_of_a_plane_in_space_keep_their_distances() {
        let (u, v) = ([0.6, 0.0, 0.8], [0.0, 1.0, 0.0]);
        let places = [(0.0, 0.0), (3.0, 1.0), (-1.0, 2.0), (0.5, -4.0), (2.0, 2.0)];
        let vectors: Vec<Vec<f64>> = places
            .iter()
            .map(|(a, b)| (0..3).map(|at| 7.0 + a * u[at] + b * v[at]).collect())
            .collect();
        let points = plane(vectors.clone());
        for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
            let wanted = distance(&vectors[i], &vectors[j]);
            assert!((distance(&points[i], &points[j]) - wanted).abs() < 1e-9);
        }
    }

    #[test]
    fn the_weakest_of_three_directions_is_left_out() {
        let corners = [-1.0, 1.0];
        let vectors: Vec<Vec<f64>> = (0..8)
            .map(|at| {
                vec![
                    5.0 * corners[at & 1],
                    0.1 * corners[at >> 1 & 1],
                    2.0 * corners[at >> 2],
                ]
            })
            .collect();
        for (point, vector) in plane(vectors.clone()).iter().zip(&vectors) {
            assert!((point[0].abs() - vector[0].abs()).abs() < 1e-9);
            assert!((point[1].abs() - vector[2].abs()).abs() < 1e-9);
        }
    }

    #[test]
    fn few_points_have_places_too() {
        assert_eq!(plane(Vec::new()), Vec::<[f64; 2]>::new());
        assert_eq!(plane(vec![vec![3.0, 4.0]]), [[0.0, 0.0]]);
        assert_eq!(of_length_one(vec![0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(of_length_one(vec![3.0, 4.0]), [0.6, 0.8]);
    }
}
