//! A navigable graph over inner products (SW-graph: Y. Malkov and others, *Approximate nearest neighbor algorithm based on
//! navigable small world graphs*, 2014; here with inner products in place of distances).
//!
//! Problem: among L sparse vectors `w` over D features, find the `k` with the largest `w x`. A search starts at the longest
//! vector and follows edges, always from the best node not yet looked at, until that is worse than the worst of the
//! `beam` best found. A new node is searched for in the same way and joined by edges in both directions to the `degree`
//! best found. Edges are never dropped but with their node, whose neighbors are then joined in a chain: so all
//! nodes stay reachable from each other, whatever is inserted and removed.
//!
//! Inner products are no distances, so nothing is promised but what a test measures. Memory: the vectors, and 8 bytes an
//! edge. Cost of a search: the edges of the nodes looked at, an inner product each.

use super::{MaxInnerProduct, Proposer, Scored, rank};
use crate::sparse::{SparseVec, SparseView};
use alloc::{boxed::Box, collections::BinaryHeap, vec, vec::Vec};
use core::cmp::{Ordering, Reverse};

#[derive(Clone, Debug, Default)]
struct Node {
    vector: SparseVec,
    neighbors: Vec<u32>,
    length: f64,
    /// How far the vector has moved since its edges were made.
    moved: f64,
    live: bool,
}

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    entry: Option<u32>,
    live: usize,
    degree: usize,
    beam: usize,
}

/// The share of its length that a vector may move before its edges are made anew.
const MOVEMENT: f64 = 0.1;

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

/// `a b`, summed by rising feature of the shorter.
fn product(a: SparseView<'_>, b: SparseView<'_>) -> f32 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    let mut rest = (long.indices(), long.values());
    let mut sum = 0.0;
    for (feature, value) in short.iter() {
        let at = rest.0.partition_point(|&other| other < feature);
        rest = (&rest.0[at..], &rest.1[at..]);
        match rest.0.first() {
            Some(&other) if other == feature => sum += value * rest.1[0],
            Some(_) => {}
            None => break,
        }
    }
    sum
}

impl Graph {
    /// No nodes yet; a new one is joined to `degree` others, and searches keep the `beam` best.
    #[must_use]
    pub fn new(degree: usize, beam: usize) -> Self {
        Self {
            nodes: Vec::new(),
            entry: None,
            live: 0,
            degree: degree.max(1),
            beam: beam.max(degree).max(1),
        }
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are no nodes: then nothing is ever proposed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of = |node: &Node| 8 * node.vector.view().len() + 4 * node.neighbors.capacity();
        self.nodes.iter().map(of).sum::<usize>() + self.nodes.len() * size_of::<Node>()
    }

    /// Adds a node, or puts it in the place of the one with the same id.
    pub fn insert(&mut self, id: u32, vector: SparseVec) {
        self.remove(id);
        let found = self.search(vector.view(), self.beam, &mut Walk::default());
        let place = id as usize;
        if place >= self.nodes.len() {
            self.nodes.resize(place + 1, Node::default());
        }
        let chosen: Vec<u32> = found.iter().take(self.degree).map(|s| s.id).collect();
        for &other in &chosen {
            self.nodes[other as usize].neighbors.push(id);
        }
        let length = vector.view().norm();
        self.nodes[place] = Node {
            vector,
            neighbors: chosen,
            length,
            moved: 0.0,
            live: true,
        };
        self.live += 1;
        let longest = self
            .entry
            .map_or(-1.0, |entry| self.nodes[entry as usize].length);
        if length > longest {
            self.entry = Some(id);
        }
    }

    /// Removes a node; whether there was one. Its neighbors are joined in a chain.
    ///
    /// Cost: its edges and those of its neighbors; O(L) if it is where searches start.
    pub fn remove(&mut self, id: u32) -> bool {
        let Some(node) = self.nodes.get_mut(id as usize).filter(|node| node.live) else {
            return false;
        };
        let neighbors = core::mem::take(node).neighbors;
        self.live -= 1;
        for &other in &neighbors {
            self.nodes[other as usize].neighbors.retain(|&n| n != id);
        }
        for pair in neighbors.windows(2) {
            let (left, right) = (pair[0] as usize, pair[1] as usize);
            if !self.nodes[left].neighbors.contains(&pair[1]) {
                self.nodes[left].neighbors.push(pair[1]);
                self.nodes[right].neighbors.push(pair[0]);
            }
        }
        if self.entry == Some(id) {
            let live = self.nodes.iter().enumerate().filter(|(_, node)| node.live);
            // Of equal lengths the last: any will do, but always the same.
            let longest = live.max_by(|a, b| a.1.length.total_cmp(&b.1.length));
            self.entry = longest.map(|(at, _)| at as u32);
        }
        true
    }

    /// Gives a node another vector, and new edges if it has moved by more than a tenth of its
    /// length since it got them; whether it did. A node that is not there is inserted.
    pub fn update(&mut self, id: u32, vector: SparseVec) -> bool {
        let live = self.nodes.get_mut(id as usize).filter(|node| node.live);
        if let Some(node) = live {
            let (old, new) = (node.vector.view(), vector.view());
            let square = node.length * node.length + new.norm() * new.norm()
                - 2.0 * f64::from(product(old, new));
            node.moved += crate::float::sqrt(square.max(0.0));
            if node.moved <= MOVEMENT * node.length {
                node.vector = vector;
                return false;
            }
        }
        self.insert(id, vector);
        true
    }

    /// The nodes that can be reached from where searches start, rising.
    #[must_use]
    pub fn reachable(&self) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut waiting: Vec<u32> = self.entry.into_iter().collect();
        while let Some(id) = waiting.pop() {
            if !core::mem::replace(&mut seen[id as usize], true) {
                waiting.extend(&self.nodes[id as usize].neighbors);
            }
        }
        (0..seen.len() as u32)
            .filter(|&id| seen[id as usize])
            .collect()
    }

    /// The `beam` best nodes found, best first.
    fn search(&self, query: SparseView<'_>, beam: usize, walk: &mut Walk) -> Vec<Scored> {
        let Some(entry) = self.entry else {
            return Vec::new();
        };
        walk.begin(self.nodes.len());
        self.look(entry, query, beam, walk);
        while let Some(Found(best)) = walk.waiting.pop() {
            let worst = walk.best.peek().map(|worst| worst.0.0);
            if walk.best.len() >= beam && worst.is_some_and(|w| rank(&best, &w).is_gt()) {
                break;
            }
            for &other in &self.nodes[best.id as usize].neighbors {
                self.look(other, query, beam, walk);
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

/// The memory of a search.
#[derive(Clone, Debug, Default)]
struct Walk {
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

impl MaxInnerProduct for Graph {
    fn proposer(&self) -> Box<dyn Proposer + '_> {
        let walk = Walk::default();
        Box::new(Walker { graph: self, walk })
    }
}

struct Walker<'a> {
    graph: &'a Graph,
    walk: Walk,
}

impl Proposer for Walker<'_> {
    fn propose(&mut self, row: &[(u32, f32)], k: usize, out: &mut Vec<u32>) -> bool {
        let Ok(query) = SparseVec::from_pairs(row.iter().copied()) else {
            return false;
        };
        let beam = self.graph.beam.max(k);
        let found = self.graph.search(query.view(), beam, &mut self.walk);
        out.extend(found.iter().take(k).map(|scored| scored.id));
        // All nodes are connected, so a beam as wide as the graph misses none.
        beam >= self.graph.len()
    }
}

#[cfg(test)]
mod tests;
