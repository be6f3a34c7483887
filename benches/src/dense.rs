//! Dense data: synthetic sets, and real rows in a space of few dimensions.

use hapax::{
    core::{
        data::{Dataset, LabelLists},
        parameters::RowTransform,
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::Reduction,
    },
    threads::Threads,
};
use std::error::Error;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// A number with mean 0 and variance 1, near enough to normal: twelve uniform ones.
fn normal(stream: &mut Stream) -> f64 {
    (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0
}

/// Clouds of `classes` classes in `dimensions` dimensions. Classes come in groups of `group`:
/// centers of groups are far from each other, those of a group are `near` times the spread of a
/// cloud apart.
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

/// Both sets in the `rank` directions in which the training rows, of length 1, extend most.
///
/// # Errors
/// If there are fewer rows or features than directions.
pub fn reduced(train: &Dataset, test: &Dataset, rank: u32) -> Result<(Dataset, Dataset)> {
    let reduction = Reduction {
        dimensions: rank,
        ..Reduction::default()
    };
    let transform = RowTransform {
        exponent: 1.0,
        normalize: true,
    };
    let threads = Threads::new(0)?;
    let projection = reduction.fit(train, transform, &threads)?;
    let into = |data| projection.reduce(data, &threads);
    Ok((into(train)?, into(test)?))
}
