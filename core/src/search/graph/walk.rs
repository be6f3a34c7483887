//! Searches on a graph.

use super::{
    super::{Scored, rank},
    Graph,
};
use crate::sparse::SparseView;
use alloc::{collections::BinaryHeap, vec::Vec};
use core::cmp::{Ordering, Reverse};

/// By rank: the greatest is the best.
#[derive(Clone, Copy, Debug)]
struct Found(Scored);

impl PartialEq for Found {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Found {}
impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        rank(&other.0, &self.0)
    }
}

/// The memory of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    stamps: Vec<u32>,
    stamp: u32,
    waiting: BinaryHeap<Found>,
    best: BinaryHeap<Reverse<Found>>,
}

impl Walk {
    fn begin(&mut self, nodes: usize) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 || self.stamps.len() < nodes {
            self.stamps.clear();
            self.stamps.resize(nodes, 0);
            self.stamp = 1;
        }
        self.waiting.clear();
        self.best.clear();
    }
}

/// A vector with more than this many values for each of the other's is searched for them.
const LONGER: usize = 8;

/// `a b`: of vectors with values for the same features in lanes, of others by rising feature.
pub(super) fn product(a: SparseView<'_>, b: SparseView<'_>) -> f32 {
    if a.len() == b.len() && a.indices() == b.indices() {
        return same(a.values(), b.values());
    }
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let search = long.len() > LONGER * short.len();
    let mut rest = (long.indices(), long.values());
    let mut sum = 0.0;
    for (feature, value) in short.iter() {
        let at = if search {
            rest.0.partition_point(|&other| other < feature)
        } else {
            let further = rest.0.iter().position(|&other| other >= feature);
            further.unwrap_or(rest.0.len())
        };
        rest = (&rest.0[at..], &rest.1[at..]);
        match rest.0.first() {
            Some(&other) if other == feature => sum += value * rest.1[0],
            Some(_) => {}
            None => break,
        }
    }
    sum
}

fn same(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0f32; 16];
    let (a, a_rest) = a.as_chunks::<16>();
    let (b, b_rest) = b.as_chunks::<16>();
    for (a, b) in a.iter().zip(b) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| a * b);
    lanes
        .into_iter()
        .chain(rest)
        .fold(0.0, |sum, part| sum + part)
}

impl Graph {
    /// The `beam` best nodes found, best first.
    pub(super) fn search(
        &self,
        query: SparseView<'_>,
        beam: usize,
        walk: &mut Walk,
    ) -> Vec<Scored> {
        walk.begin(self.nodes.len());
        if let Some(entry) = self.entry {
            self.look(entry, query, beam, walk);
        }
        while let Some(Found(best)) = walk.waiting.pop() {
            let worst = walk.best.peek().map(|worst| worst.0.0);
            if walk.best.len() >= beam && worst.is_some_and(|w| rank(&best, &w).is_gt()) {
                break;
            }
            for edge in &self.nodes[best.id as usize].edges {
                self.look(edge.to, query, beam, walk);
            }
        }
        let mut found: Vec<Scored> = walk.best.drain().map(|found| found.0.0).collect();
        found.sort_unstable_by(rank);
        found
    }

    /// Scores a node, unless it was looked at before.
    fn look(&self, id: u32, query: SparseView<'_>, beam: usize, walk: &mut Walk) {
        if core::mem::replace(&mut walk.stamps[id as usize], walk.stamp) == walk.stamp {
            return;
        }
        let score = product(self.nodes[id as usize].vector.view(), query);
        let found = Found(Scored { id, score });
        let worst = walk.best.peek().map(|worst| worst.0);
        if walk.best.len() < beam || worst.is_some_and(|worst| found > worst) {
            walk.waiting.push(found);
            walk.best.push(Reverse(found));
            if walk.best.len() > beam {
                walk.best.pop();
            }
        }
    }
}
