//! The mean rows of labels, for [`Centroids`].

use crate::{
    data::Dataset,
    float,
    model::mach::{
        SeenLabels,
        centroids::{Centroids, LEVELS},
        record::{scale_code, scales},
    },
    parameters::RowTransform,
    sparse::order,
    train::TrainError,
    varint::put_varint,
};
use alloc::vec::Vec;

impl Centroids {
    /// The centroids of `data`'s labels, at most `entries` entries each.
    ///
    /// Cost: O(values times labels of a row, and sorting them). Memory: 8 bytes for each of these.
    ///
    /// # Errors
    /// If memory is lacking, or the records need 4 GiB or more.
    pub(crate) fn build(
        data: &Dataset,
        seen: &SeenLabels,
        transform: RowTransform,
        entries: usize,
    ) -> Result<Self, TrainError> {
        let rows_of = rows_by_label(data, seen)?;
        let transform = RowTransform {
            normalize: true,
            ..transform
        };
        let scales = scales();
        let (mut offsets, mut records) = (alloc::vec![0u32], Vec::new());
        let (mut values, mut sums) = (Vec::new(), Vec::<(u32, f32)>::new());
        for rows in rows_of {
            sums.clear();
            for row in rows {
                let view = data.rows().row(row as usize);
                values.clear();
                transform.apply(view, &mut values);
                sums.extend(view.indices().iter().copied().zip(values.iter().copied()));
            }
            merge(&mut sums);
            write(&mut sums, entries, &scales, &mut records);
            let end = u32::try_from(records.len()).map_err(|_| TrainError::TooLarge {
                what: "bytes of centroids",
                value: records.len() as u64,
                limit: u64::from(u32::MAX),
            })?;
            offsets.push(end);
        }
        Ok(Self::new(offsets.into(), records.into()))
    }
}

/// The rows of each label seen, in order.
fn rows_by_label(data: &Dataset, seen: &SeenLabels) -> Result<Vec<Vec<u32>>, TrainError> {
    let mut rows_of: Vec<Vec<u32>> = Vec::new();
    let lacking = |_| TrainError::OutOfMemory {
        bytes: 24 * seen.ids.len() as u64,
    };
    rows_of.try_reserve_exact(seen.ids.len()).map_err(lacking)?;
    rows_of.resize(seen.ids.len(), Vec::new());
    for (row, labels) in data.labels().iter().enumerate() {
        for place in labels.iter().filter_map(|&label| seen.place(label)) {
            rows_of[place as usize].push(row as u32);
        }
    }
    Ok(rows_of)
}

/// Adds up the values of equal features; what comes first is added first.
fn merge(pairs: &mut Vec<(u32, f32)>) {
    pairs.sort_by_key(|pair| pair.0);
    let mut kept = 0;
    for at in 0..pairs.len() {
        if kept > 0 && pairs[kept - 1].0 == pairs[at].0 {
            pairs[kept - 1].1 += pairs[at].1;
        } else {
            pairs[kept] = pairs[at];
            kept += 1;
        }
    }
    pairs.truncate(kept);
}

fn write(pairs: &mut Vec<(u32, f32)>, entries: usize, scales: &[f32; 256], out: &mut Vec<u8>) {
    let square: f64 = pairs
        .iter()
        .map(|(_, v)| f64::from(*v) * f64::from(*v))
        .sum();
    let largest = pairs.iter().fold(0f32, |a, (_, v)| a.max(*v));
    let length = float::sqrt(square);
    if largest.is_nan() || largest <= 0.0 || !length.is_normal() {
        put_varint(0, out);
        return;
    }
    let code = scale_code((f64::from(largest) / length) as f32, scales);
    let unit = f64::from(scales[usize::from(code)]) * length / f64::from(LEVELS);
    let level = |value: f32| (f64::from(value) / unit + 0.5).clamp(0.0, f64::from(LEVELS)) as u32;
    pairs.retain(|(_, value)| level(*value) > 0);
    order::by_size(pairs);
    pairs.truncate(entries);
    order::by_id(pairs);
    put_varint(pairs.len() as u32, out);
    if pairs.is_empty() {
        return;
    }
    out.push(code);
    let mut next = 0;
    for &(feature, value) in pairs.iter() {
        put_varint((feature - next) << 3 | (level(value) - 1), out);
        next = feature + 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        data::{Dataset, LabelLists},
        model::mach::{SeenLabels, centroids::Centroids},
        parameters::RowTransform,
        random::Stream,
        sparse::{SparseRows, SparseVec},
    };
    use alloc::{vec, vec::Vec};

    #[test]
    fn products_are_those_of_the_plain_centroids() {
        let mut stream = Stream::new(4, 4);
        let mut rows = SparseRows::new(500);
        let mut lists = LabelLists::new(40);
        for _ in 0..300 {
            let pairs = (0..10).map(|_| (stream.below(500) as u32, 0.2 + stream.unit() as f32));
            rows.push(
                SparseVec::from_pairs(pairs.collect::<Vec<_>>())
                    .unwrap()
                    .view(),
            )
            .unwrap();
            lists.push([stream.below(40) as u32, stream.below(7) as u32]);
        }
        let data = Dataset::new(rows, lists, None).unwrap();
        let seen = SeenLabels::new(&data.labels().frequencies());
        let as_is = RowTransform {
            exponent: 1.0,
            normalize: false,
        };
        let centroids = Centroids::build(&data, &seen, as_is, 1000).unwrap();
        let query: Vec<f32> = (0..500).map(|_| stream.unit() as f32).collect();
        for (place, &label) in seen.ids.iter().enumerate() {
            let mut plain = vec![0f64; 500];
            for (row, labels) in data.rows().iter().zip(data.labels().iter()) {
                if labels.contains(&label) {
                    row.iter()
                        .for_each(|(f, v)| plain[f as usize] += f64::from(v) / row.norm());
                }
            }
            let length = plain.iter().map(|v| v * v).sum::<f64>().sqrt();
            let exact: f64 = plain
                .iter()
                .zip(&query)
                .map(|(a, b)| a * f64::from(*b))
                .sum::<f64>()
                / length;
            let own = f64::from(centroids.product(place, &query));
            assert!((own / exact - 1.0).abs() < 0.08, "{own}, exactly {exact}");
        }
        let (offsets, records) = centroids.parts();
        let read = |features| {
            Centroids::from_parts(offsets.clone(), records.clone(), seen.ids.len(), features)
        };
        assert!(read(500).is_some() && read(400).is_none());
    }
}
