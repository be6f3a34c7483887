//! The fast search against its twins, on random rows of every kind.

use super::{NeighborCounts, NeighborIndex, NeighborParts, NeighborScratch, RowBuffer, Similarity};
use crate::{
    array::Array,
    random::Stream,
    search::{Scored, rank},
    sparse::{SparseRows, SparseVec, SparseView},
};
use alloc::{vec, vec::Vec};
use bytes::Bytes;

/// Random rows; frequent features are likelier, so that heads and tails both occur.
fn random_rows(stream: &mut Stream, rows: usize, features: u32, kind: Kind) -> SparseRows {
    let mut made = SparseRows::new(features);
    for row in 0..rows {
        if row > 2 && stream.below(10) == 0 {
            let copied = made.row(stream.below(row as u64) as usize).to_owned();
            made.push(copied.view()).unwrap();
            continue;
        }
        let length = stream.below(kind.longest);
        let pairs = (0..length).map(|_| {
            let skewed = stream.unit() * stream.unit() * stream.unit();
            let feature = (skewed * f64::from(features)) as u32;
            let sign = if kind.signed && stream.below(2) == 0 {
                -1.0
            } else {
                1.0
            };
            (feature, sign * kind.scale * (0.05 + stream.unit() as f32))
        });
        let pairs: Vec<(u32, f32)> = pairs.collect();
        made.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
    }
    made
}

#[derive(Clone, Copy)]
struct Kind {
    signed: bool,
    longest: u64,
    scale: f32,
}

const PLAIN: Kind = Kind {
    signed: false,
    longest: 30,
    scale: 1.0,
};

/// Row by row, with the sort of everything: slow and obviously right.
fn naive(rows: &SparseRows, query: SparseView<'_>, count: usize, by: Similarity) -> Vec<Scored> {
    let mut all: Vec<Scored> = rows
        .iter()
        .enumerate()
        .map(|(id, row)| Scored {
            id: id as u32,
            score: by.between(query, row),
        })
        .filter(|found| found.score > 0.0)
        .collect();
    all.sort_by(rank);
    all.truncate(count);
    all
}

fn bits(found: &[Scored]) -> Vec<(u32, u32)> {
    found.iter().map(|s| (s.id, s.score.to_bits())).collect()
}

fn check_against_twin(rows: &SparseRows, queries: &SparseRows) {
    let index = NeighborIndex::build(rows).unwrap();
    assert!(index.bytes() <= NeighborIndex::estimate(rows));
    let mut fast = NeighborScratch::default();
    for beta in [0.0, 0.5, 1.0, 2.0, 1.3] {
        let by = Similarity::new(beta);
        for query in queries.iter() {
            for count in [1, 5, 75] {
                let expected = naive(rows, query, count, by);
                let found = index.search(query, count, by, &[], &mut fast).unwrap();
                assert_eq!(bits(found), bits(&expected), "beta {beta} count {count}");
            }
        }
    }
}

#[test]
fn equals_its_twins_on_random_rows() {
    let long = Kind {
        longest: 300,
        ..PLAIN
    };
    let signed = Kind {
        signed: true,
        ..PLAIN
    };
    let long_signed = Kind {
        signed: true,
        ..long
    };
    for (job, kind) in [PLAIN, long, signed, long_signed].into_iter().enumerate() {
        for (rows, features) in [(1, 40), (60, 20), (700, 40), (1100, 3000), (600, 70_000)] {
            let mut stream = Stream::new(features.into(), job as u64);
            let stored = random_rows(&mut stream, rows, features, kind);
            // Features beyond those stored count in the query's length and norm.
            let queries = random_rows(&mut stream, 12, features + 30, kind);
            check_against_twin(&stored, &queries);
        }
    }
}

#[test]
fn equals_its_twins_at_the_ends_of_the_number_range() {
    for (job, scale) in [1e-38, 1e-30, 1e-12, 1e30, 3e38].into_iter().enumerate() {
        for signed in [false, true] {
            let kind = Kind {
                signed,
                longest: 40,
                scale,
            };
            let mut stream = Stream::new(5, job as u64);
            let stored = random_rows_clipped(&mut stream, kind);
            let queries = random_rows(&mut stream, 6, 200, PLAIN);
            check_against_twin(&stored, &queries);
            check_against_twin(&stored, &random_rows_clipped(&mut stream, kind));
        }
    }
}

/// Rows whose sums of equal features cannot overflow.
fn random_rows_clipped(stream: &mut Stream, kind: Kind) -> SparseRows {
    let mut made = SparseRows::new(200);
    for _ in 0..60 {
        let mut features: Vec<u32> = (0..kind.longest)
            .map(|_| stream.below(200) as u32)
            .collect();
        features.sort_unstable();
        features.dedup();
        let values: Vec<f32> = features
            .iter()
            .map(|_| {
                let sign = if kind.signed && stream.below(2) == 0 {
                    -1.0
                } else {
                    1.0
                };
                sign * kind.scale * (0.05 + 0.95 * stream.unit() as f32)
            })
            .collect();
        made.push(SparseView::new(&features, &values).unwrap())
            .unwrap();
    }
    made
}

#[test]
fn long_tails_that_no_sum_can_count_are_scored_plainly() {
    let mut rows = SparseRows::new(5000);
    for shift in 0..3u32 {
        let pairs = (0..2400).map(|at| (at * 2 + shift % 2, 0.01 + at as f32 * 1e-3));
        rows.push(SparseVec::from_pairs(pairs).unwrap().view())
            .unwrap();
    }
    for _ in 0..200 {
        rows.push(SparseView::default()).unwrap();
    }
    check_against_twin(&rows, &rows.select(&[0, 1]));
}

#[test]
fn removed_rows_are_as_if_they_were_not() {
    let mut stream = Stream::new(1, 1);
    let rows = random_rows(&mut stream, 900, 500, PLAIN);
    let removed: Vec<u64> = (0..9).map(|_| stream.bits()).collect();
    let is_removed = |row: u32| {
        removed
            .get(row as usize / 64)
            .is_some_and(|w| w >> (row % 64) & 1 == 1)
    };
    let index = NeighborIndex::build(&rows).unwrap();
    let mut scratch = NeighborScratch::default();
    let by = Similarity::new(1.0);
    for query in rows.iter().take(40) {
        let mut expected = naive(&rows, query, rows.len(), by);
        expected.retain(|found| !is_removed(found.id));
        expected.truncate(20);
        let found = index.search(query, 20, by, &removed, &mut scratch).unwrap();
        assert_eq!(found, expected);
        let score = found.first().map(|best| (best.id, best.score));
        if let Some((id, score)) = score {
            let mut buffer = RowBuffer::default();
            assert_eq!(index.similarity(query, id as usize, by, &mut buffer), score);
        }
    }
}

#[test]
fn rows_come_back_exactly() {
    for features in [300, 70_000] {
        let kind = Kind {
            signed: true,
            longest: 40,
            scale: 1.0,
        };
        let rows = random_rows(&mut Stream::new(8, 8), 300, features, kind);
        let index = NeighborIndex::build(&rows).unwrap();
        let mut buffer = RowBuffer::default();
        for (id, row) in rows.iter().enumerate() {
            assert_eq!(index.row(id, &mut buffer), row);
        }
        assert!(index.row(300, &mut buffer).is_empty());
    }
}

fn array<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Array<T> {
    Array::from_bytes(Bytes::copy_from_slice(bytes)).unwrap()
}

fn parts(counts: NeighborCounts, sections: &[Vec<u8>]) -> NeighborParts {
    NeighborParts {
        counts,
        offsets: array(&sections[0]),
        narrow_ids: array(&sections[1]),
        wide_ids: array(&sections[2]),
        codes: array(&sections[3]),
        dictionary: array(&sections[4]),
        values: array(&sections[5]),
        norms: array(&sections[6]),
        places: array(&sections[7]),
        lines: array(&sections[8]),
        groups: array(&sections[9]),
        steps: array(&sections[10]),
        starts: array(&sections[11]),
        posted_rows: array(&sections[12]),
        posted_values: array(&sections[13]),
    }
}

#[test]
fn parts_make_the_same_index_and_broken_parts_never_panic() {
    let by = Similarity::new(1.3);
    for (job, features) in [(0, 500), (1, 70_000)] {
        let kind = Kind {
            signed: job == 1,
            ..PLAIN
        };
        let mut stream = Stream::new(4, job);
        let rows = random_rows(&mut stream, 700, features, kind);
        let index = NeighborIndex::build(&rows).unwrap();
        let sections = index.sections().map(|(_, bytes)| bytes.to_vec());
        let again = NeighborIndex::from_parts(parts(index.counts(), &sections)).unwrap();
        assert_eq!(again, index);
        let (mut refused, mut scratch) = (0, NeighborScratch::default());
        for _ in 0..3000 {
            let mut broken = sections.clone();
            let section = stream.below(14) as usize;
            let length = broken[section].len() as u64;
            if length == 0 {
                continue;
            }
            match stream.below(4) {
                0 => broken[section].truncate(stream.below(length) as usize & !7),
                _ => broken[section][stream.below(length) as usize] ^= 1 << stream.below(8),
            }
            let mut counts = index.counts();
            if stream.below(20) == 0 {
                counts.heads ^= 1 << stream.below(32);
                counts.longest_tail ^= 1 << stream.below(32);
            }
            match NeighborIndex::from_parts(parts(counts, &broken)) {
                Ok(odd) => {
                    let query = rows.row(stream.below(700) as usize);
                    let found = odd.search(query, 9, by, &[], &mut scratch).unwrap();
                    assert!(found.iter().all(|s| s.id < 700 && s.score.is_finite()));
                }
                Err(_) => refused += 1,
            }
        }
        assert!(
            refused > 300,
            "only {refused} of 3000 broken indexes were refused"
        );
    }
}

#[test]
fn nothing_asked_nothing_found() {
    let by = Similarity::new(1.0);
    let mut scratch = NeighborScratch::default();
    let empty = NeighborIndex::build(&SparseRows::new(3)).unwrap();
    let one = SparseVec::from_pairs([(1, 1.0)]).unwrap();
    let found = empty.search(one.view(), 5, by, &[], &mut scratch).unwrap();
    assert_eq!(found, vec![]);
    let mut rows = SparseRows::new(3);
    rows.push(one.view()).unwrap();
    let index = NeighborIndex::build(&rows).unwrap();
    for (query, count) in [(one.view(), 0), (SparseView::default(), 5)] {
        assert_eq!(
            index.search(query, count, by, &[], &mut scratch).unwrap(),
            vec![]
        );
    }
}
