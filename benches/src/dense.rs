//! Dense data: synthetic sets, and real rows in a space of few dimensions.

use hapax::core::{
    data::{Dataset, LabelLists},
    random::Stream,
    sparse::{SparseRows, SparseVec},
};
use std::error::Error;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A number with mean 0 and variance 1, near enough to normal: twelve uniform ones.
fn normal(stream: &mut Stream) -> f64 {
    (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0
}

/// Clouds of `classes` classes in `dimensions` dimensions. Classes come in groups of `group`: centers of
/// groups are far from each other, those of a group are `near` times the spread of a cloud apart.
///
/// # Errors
/// None that numbers within reason meet.
pub fn clouds(
    rows: usize,
    classes: u32,
    dimensions: u32,
    group: u32,
    near: f64,
    part: u64,
) -> Result<Dataset> {
    let (mut made, mut labels) = (SparseRows::new(dimensions), LabelLists::new(classes));
    let center = |class: u32| -> Vec<f64> {
        let mut far = Stream::new(42, u64::from(class / group));
        let mut close = Stream::new(43, u64::from(class));
        let scale = near / (2.0 * f64::from(dimensions)).sqrt();
        (0..dimensions)
            .map(|_| 0.6 * normal(&mut far) + scale * normal(&mut close))
            .collect()
    };
    let mut last = (u32::MAX, Vec::new());
    let mut stream = Stream::new(44, part);
    for row in 0..rows {
        let class = (row as u64 * u64::from(classes) / rows as u64) as u32;
        if last.0 != class {
            last = (class, center(class));
        }
        let values = last.1.iter().map(|at| (at + normal(&mut stream)) as f32);
        made.push(SparseVec::from_pairs((0..).zip(values))?.view())?;
        labels.push([class]);
    }
    Ok(Dataset::new(made, labels, None)?)
}

/// Both sets in the `rank` directions in which the training rows extend most, by subspace iteration (Halko,
/// Martinsson, Tropp 2011): `V` spans the range of `(X'X)^3 G` for a random G, and rows become `x V`.
///
/// # Errors
/// None that finite rows meet.
pub fn reduced(train: &Dataset, test: &Dataset, rank: usize) -> Result<(Dataset, Dataset)> {
    let features = train.rows().features() as usize;
    let mut stream = Stream::new(45, 0);
    let mut basis: Vec<f32> = (0..features * rank)
        .map(|_| normal(&mut stream) as f32)
        .collect();
    for _ in 0..3 {
        orthonormalize(&mut basis, features, rank);
        let mut next = vec![0f32; features * rank];
        let mut point = vec![0f32; rank];
        for row in train.rows().iter() {
            project(row.iter(), &basis, rank, &mut point);
            for (feature, value) in row.iter() {
                let sums = &mut next[feature as usize * rank..][..rank];
                sums.iter_mut()
                    .zip(&point)
                    .for_each(|(sum, at)| *sum += value * at);
            }
        }
        basis = next;
    }
    orthonormalize(&mut basis, features, rank);
    let into = |data: &Dataset| -> Result<Dataset> {
        let mut rows = SparseRows::new(rank as u32);
        let mut point = vec![0f32; rank];
        for row in data.rows().iter() {
            project(row.iter(), &basis, rank, &mut point);
            rows.push(SparseVec::from_pairs((0..).zip(point.iter().copied()))?.view())?;
        }
        Ok(Dataset::new(
            rows,
            data.labels().clone(),
            data.label_names().cloned(),
        )?)
    };
    Ok((into(train)?, into(test)?))
}

fn project(row: impl Iterator<Item = (u32, f32)>, basis: &[f32], rank: usize, point: &mut [f32]) {
    point.fill(0.0);
    for (feature, value) in row {
        let line = basis
            .get(feature as usize * rank..(feature as usize + 1) * rank)
            .unwrap_or(&[]);
        point
            .iter_mut()
            .zip(line)
            .for_each(|(at, weight)| *at += value * weight);
    }
}

/// Gram and Schmidt over the columns, twice for accuracy.
fn orthonormalize(basis: &mut [f32], features: usize, rank: usize) {
    for _ in 0..2 {
        for column in 0..rank {
            // Products with the columns before, in one pass over the rows.
            let mut products = vec![0f64; column + 1];
            for line in basis.chunks(rank) {
                for (product, &weight) in products.iter_mut().zip(line) {
                    *product += f64::from(weight) * f64::from(line[column]);
                }
            }
            let own: f64 = products[column] - products[..column].iter().map(|p| p * p).sum::<f64>();
            let length = own.max(1e-30).sqrt();
            for line in basis.chunks_mut(rank).take(features) {
                let before: f64 = products[..column]
                    .iter()
                    .zip(&*line)
                    .map(|(p, &w)| p * f64::from(w))
                    .sum();
                line[column] = ((f64::from(line[column]) - before) / length) as f32;
            }
        }
    }
}
