//! The reduction held against a plain decomposition of small dense matrices.

use super::Reduction;
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    model::embedding::build::Vectors,
    parameters::RowTransform,
    random::Stream,
    sparse::{SparseRows, SparseVec, SparseView},
    train::TrainError,
};
use alloc::{string::ToString, vec, vec::Vec};

const PLAIN: RowTransform = RowTransform {
    exponent: 1.0,
    normalize: false,
};

/// Singular values and right singular vectors of N x D numbers by one-sided Jacobi rotations of the
/// columns: the twin.
fn twin(rows: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let d = rows[0].len();
    let mut columns: Vec<Vec<f64>> = (0..d)
        .map(|f| rows.iter().map(|r| r[f]).collect())
        .collect();
    let mut turns: Vec<Vec<f64>> = (0..d)
        .map(|a| (0..d).map(|b| f64::from(u8::from(a == b))).collect())
        .collect();
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    for _ in 0..60 {
        for a in 0..d {
            for b in a + 1..d {
                let cross = dot(&columns[a], &columns[b]);
                if cross == 0.0 {
                    continue;
                }
                let apart = dot(&columns[b], &columns[b]) - dot(&columns[a], &columns[a]);
                let zeta = apart / (2.0 * cross);
                let tangent = 1.0f64.copysign(zeta) / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                for matrix in [&mut columns, &mut turns] {
                    for at in 0..matrix[a].len() {
                        let (x, y) = (matrix[a][at], matrix[b][at]);
                        matrix[a][at] = cosine * (x - tangent * y);
                        matrix[b][at] = cosine * (tangent * x + y);
                    }
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..d).collect();
    let values: Vec<f64> = columns.iter().map(|c| dot(c, c).sqrt()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    (
        order.iter().map(|&at| values[at]).collect(),
        order.iter().map(|&at| turns[at].clone()).collect(),
    )
}

fn dataset(rows: &[Vec<f64>]) -> Dataset {
    let mut made = SparseRows::new(rows[0].len() as u32);
    let mut labels = LabelLists::new(2);
    for (at, row) in (0u32..).zip(rows) {
        let pairs = (0..).zip(row.iter().map(|&v| v as f32));
        made.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
        labels.push([at % 2]);
    }
    Dataset::new(made, labels, None).unwrap()
}

/// Rows of `rank` topics whose strength falls by `fall` each, with a little noise, many values
/// zero.
fn topics(n: usize, d: usize, rank: usize, fall: f64, noise: f64) -> Vec<Vec<f64>> {
    let mut dice = Stream::new(77, (n * d) as u64);
    let topics: Vec<Vec<f64>> = (0..rank)
        .map(|_| {
            (0..d)
                .map(|_| {
                    if dice.below(3) == 0 {
                        dice.unit() - 0.5
                    } else {
                        0.0
                    }
                })
                .collect()
        })
        .collect();
    (0..n)
        .map(|_| {
            let mut row = vec![0.0; d];
            let mut strength = 1.0;
            for topic in &topics {
                let size = (dice.unit() - 0.5) * strength;
                strength *= fall;
                row.iter_mut().zip(topic).for_each(|(v, t)| *v += size * t);
            }
            for value in &mut row {
                if *value != 0.0 {
                    *value += noise * (dice.unit() - 0.5);
                }
                // As the data set stores it.
                *value = f64::from(*value as f32);
            }
            row
        })
        .collect()
}

#[test]
fn values_and_directions_are_those_of_the_plain_decomposition() {
    for (n, d, k) in [(60, 40, 5), (30, 50, 8), (200, 12, 12)] {
        let rows = topics(n, d, 20, 0.7, 0.01);
        let (values, vectors) = twin(&rows);
        let reduction = Reduction {
            dimensions: k,
            power_iterations: 4,
            ..Reduction::default()
        };
        let projection = reduction.fit(&dataset(&rows), PLAIN, &Sequential).unwrap();
        for (at, (&found, &expected)) in
            projection.singular_values().iter().zip(&values).enumerate()
        {
            assert!(
                (found - expected).abs() < 2e-6 * values[0],
                "{at}: {found} for {expected}"
            );
            let column = |f: usize| f64::from(projection.weights()[f * k as usize + at]);
            let cosine: f64 = (0..d).map(|f| column(f) * vectors[at][f]).sum();
            let apart = values
                .get(at + 1)
                .map_or(1.0, |next| (expected - next) / values[0]);
            assert!(cosine.abs() > 1.0 - 1e-4 || apart < 0.01, "{at}: {cosine}");
        }
    }
}

#[test]
fn what_is_left_out_is_nearly_the_least_possible_without_power_iterations_too() {
    let rows = topics(120, 90, 60, 0.9, 0.05);
    let (values, _) = twin(&rows);
    let data = dataset(&rows);
    for (power_iterations, most) in [(0, 1.04), (1, 1.002), (2, 1.0002)] {
        let reduction = Reduction {
            dimensions: 20,
            power_iterations,
            ..Reduction::default()
        };
        let projection = reduction.fit(&data, PLAIN, &Sequential).unwrap();
        let reduced = projection.reduce(&data, &Sequential).unwrap();
        let all: f64 = rows.iter().flatten().map(|v| v * v).sum();
        let kept: f64 = reduced
            .rows()
            .iter()
            .map(|row| row.norm() * row.norm())
            .sum();
        let least: f64 = values[20..].iter().map(|v| v * v).sum();
        let share = (all - kept) / least;
        assert!(
            (1.0 - 1e-4..most).contains(&share),
            "{power_iterations}: {share}"
        );
    }
}

#[test]
fn rows_of_lower_rank_leave_dimensions_empty() {
    let rows = topics(40, 30, 3, 1.0, 0.0);
    let reduction = Reduction {
        dimensions: 6,
        ..Reduction::default()
    };
    let projection = reduction.fit(&dataset(&rows), PLAIN, &Sequential).unwrap();
    let values = projection.singular_values();
    assert!(
        values[2] > 0.1 && values[3] < 1e-3 * values[0],
        "{values:?}"
    );
    let reduced = projection.reduce(&dataset(&rows), &Sequential).unwrap();
    for (row, short) in rows.iter().zip(reduced.rows().iter()) {
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        assert!((short.norm() - length).abs() < 1e-4 * length);
    }
}

#[test]
fn values_of_any_size_are_decomposed() {
    for size in [1e-30, 1.0, 1e30] {
        let mut rows = topics(30, 20, 4, 0.8, 0.01);
        rows.iter_mut()
            .flatten()
            .for_each(|v| *v = f64::from((*v * size) as f32));
        let reduction = Reduction {
            dimensions: 4,
            ..Reduction::default()
        };
        let (values, _) = twin(&rows);
        let projection = reduction.fit(&dataset(&rows), PLAIN, &Sequential).unwrap();
        let found = projection.singular_values();
        assert!((found[0] / values[0] - 1.0).abs() < 1e-5, "{found:?}");
        assert!(projection.weights().iter().all(|w| w.is_finite()));
    }
}

/// Frozen: other bits here are another model from the same data.
#[test]
fn the_bits_are_frozen() {
    let data = dataset(&topics(50, 70, 10, 0.8, 0.02));
    let reduction = Reduction {
        dimensions: 7,
        ..Reduction::default()
    };
    let transform = RowTransform {
        exponent: 0.5,
        normalize: true,
    };
    let projection = reduction.fit(&data, transform, &Sequential).unwrap();
    let bytes: Vec<u8> = projection
        .weights()
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    assert_eq!(xxhash_rust::xxh3::xxh3_64(&bytes), FROZEN);
}

const FROZEN: u64 = 1_509_996_008_668_566_514;

#[test]
fn unfolding_gives_the_points_that_reduced_rows_had() {
    let rows = topics(50, 30, 10, 0.8, 0.02);
    let data = dataset(&rows);
    let reduction = Reduction {
        dimensions: 6,
        ..Reduction::default()
    };
    let projection = reduction.fit(&data, PLAIN, &Sequential).unwrap();
    let embedding: Vec<f32> = (0..6 * 4).map(|at| (at % 5) as f32 - 1.5).collect();
    let trained = Vectors {
        dimensions: 4,
        embedding: embedding.clone(),
        features: None,
        prototypes: vec![1.0; 8],
    };
    let whole = projection.unfold(trained, &Sequential).unwrap();
    let (mut point, mut compared) = (Vec::new(), 0);
    for (row, sparse) in rows.iter().zip(data.rows().iter()) {
        projection.apply(sparse, &mut point);
        for column in 0..4 {
            let reduced: f32 = (0..6)
                .map(|at| point[at] * embedding[at * 4 + column])
                .sum();
            let direct: f64 = row
                .iter()
                .enumerate()
                .map(|(f, v)| v * f64::from(whole.embedding[f * 4 + column]))
                .sum();
            assert!(
                (direct - f64::from(reduced)).abs() < 1e-5,
                "{direct} {reduced}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 200);
    let direct = Vectors {
        dimensions: 6,
        embedding: Vec::new(),
        features: None,
        prototypes: vec![1.0; 12],
    };
    let whole = projection.unfold(direct, &Sequential).unwrap();
    assert_eq!(whole.embedding, projection.weights());
}

#[test]
fn unknown_features_count_nothing_and_wrong_numbers_are_refused() {
    let data = dataset(&topics(20, 10, 4, 0.8, 0.02));
    let reduction = |dimensions| Reduction {
        dimensions,
        ..Reduction::default()
    };
    let projection = reduction(2).fit(&data, PLAIN, &Sequential).unwrap();
    let (mut known, mut both) = (Vec::new(), Vec::new());
    projection.apply(SparseView::new(&[3], &[1.0]).unwrap(), &mut known);
    projection.apply(SparseView::new(&[3, 99], &[1.0, 5.0]).unwrap(), &mut both);
    assert_eq!(known, both);
    for (dimensions, message) in [
        (0, "reduce is 0, but must be at least 1"),
        (
            11,
            "reduce is 11, but must be at most 10, the number of features",
        ),
        (
            5000,
            "reduce is 5000, but must be at most 4096, which is not few any more",
        ),
    ] {
        let error = reduction(dimensions)
            .fit(&data, PLAIN, &Sequential)
            .unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let few = data.select(&[0, 1]);
    let error = reduction(3).fit(&few, PLAIN, &Sequential).unwrap_err();
    assert_eq!(
        error.to_string(),
        "reduce is 3, but must be at most 2, the number of rows"
    );
    let empty = dataset(&[vec![0.0; 3], vec![0.0; 3]]);
    let error = reduction(1).fit(&empty, PLAIN, &Sequential).unwrap_err();
    assert_eq!(error, TrainError::NoFeatures);
}
