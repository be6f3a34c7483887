//! A navigable graph over inner products (SW-graph: Y. Malkov and others, *Approximate nearest
//! neighbor algorithm based on navigable small world graphs*, 2014), with inner products in place
//! of distances.
//!
//! Problem: among L sparse vectors `w` over D features, find the `k` with the largest `w x`. A
//! search starts at the longest vector and follows edges, always from the best node not yet looked
//! at, until that is worse than the worst of the `beam` best found. A new node is searched for in
//! the same way and joined to the `degree` best found.
//!
//! Edges go both ways. Those of a spanning tree are kept whatever happens; when a node is removed,
//! its neighbors in the tree are joined in a chain, which makes a tree again. So all nodes can be
//! reached from each other, whatever is inserted and removed.
//!
//! Inner products are no distances, so nothing is promised but what a test measures. Memory: the
//! vectors, and 16 bytes an edge. Cost of a search: the edges of the nodes looked at, an inner
//! product each.

mod walk;

use super::{MaxInnerProduct, Proposer, Scored};
use crate::{executor::Executor, sparse::SparseVec};
use alloc::{boxed::Box, vec::Vec};
use walk::Walk;

/// An edge, by its other end.
#[derive(Clone, Copy, Debug)]
struct Edge {
    to: u32,
    /// Whether it is of the tree that keeps the graph together.
    kept: bool,
}

/// A vector and its edges.
#[derive(Clone, Debug, Default)]
struct Node {
    vector: SparseVec,
    edges: Vec<Edge>,
    /// The length of the vector when the edges were made.
    length: f64,
    live: bool,
}

impl Node {
    /// A node without edges.
    fn new(vector: SparseVec) -> Self {
        let length = vector.view().norm();
        Self {
            vector,
            edges: Vec::new(),
            length,
            live: true,
        }
    }

    fn drop_edge(&mut self, to: u32) {
        self.edges.retain(|edge| edge.to != to);
    }

    /// Bytes held beside the node itself.
    fn bytes(&self) -> usize {
        8 * (self.vector.view().len() + self.edges.capacity())
    }
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

/// The most nodes that are searched for at once when several are inserted.
const BATCH: usize = 256;

impl Graph {
    /// A graph without nodes; a new one is joined to `degree` others, and searches keep the `beam`
    /// best.
    #[must_use]
    pub(crate) fn new(degree: usize, beam: usize) -> Self {
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
    pub(crate) fn len(&self) -> usize {
        self.live
    }

    /// Bytes held.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        let nodes: usize = self.nodes.iter().map(Node::bytes).sum();
        nodes + self.nodes.len() * size_of::<Node>()
    }

    /// Adds nodes with different ids, or puts them in the places of those with the same ids. They
    /// are searched for in parallel: those of a batch, half as many as there are nodes and 256 at
    /// most, do not see each other. The graph is the same for any number of threads.
    pub(crate) fn insert_all(&mut self, items: Vec<(u32, SparseVec)>, executor: &Executor) {
        for (id, _) in &items {
            self.remove(*id);
        }
        let mut rest = items.into_iter();
        loop {
            let count = (self.live / 2).clamp(1, BATCH);
            let batch: Vec<(u32, SparseVec)> = rest.by_ref().take(count).collect();
            if batch.is_empty() {
                return;
            }
            let this = &*self;
            let plans = executor.map(batch.len(), Walk::default, |walk, at| {
                this.search(batch[at].1.view(), this.beam, walk)
            });
            for ((id, vector), found) in batch.into_iter().zip(plans) {
                self.join(id, vector, &found);
            }
        }
    }

    /// Adds a node whose id is not live, with edges to the best of `found`.
    fn join(&mut self, id: u32, vector: SparseVec, found: &[Scored]) {
        let place = id as usize;
        if place >= self.nodes.len() {
            self.nodes.resize(place + 1, Node::default());
        }
        self.nodes[place] = Node::new(vector);
        self.live += 1;
        let best = found.iter().take(self.degree);
        let mut chosen: Vec<u32> = best.map(|scored| scored.id).collect();
        if chosen.is_empty() {
            // Nodes of its batch, which it has not seen, may be here already.
            chosen.extend(self.entry);
        }
        for (at, &other) in chosen.iter().enumerate() {
            self.link(id, other, at == 0);
        }
        let entry = self.entry.map(|entry| &self.nodes[entry as usize]);
        if entry.is_none_or(|entry| self.nodes[place].length > entry.length) {
            self.entry = Some(id);
        }
    }

    /// Joins two nodes; an edge there is already may become one that is kept.
    fn link(&mut self, one: u32, other: u32, kept: bool) {
        for (from, to) in [(one, other), (other, one)] {
            let edges = &mut self.nodes[from as usize].edges;
            match edges.iter_mut().find(|edge| edge.to == to) {
                Some(edge) => edge.kept |= kept,
                None => edges.push(Edge { to, kept }),
            }
        }
    }

    /// Removes a node; whether there was one.
    ///
    /// Cost: its edges and those of its neighbors; O(L) if it is where searches start.
    pub(crate) fn remove(&mut self, id: u32) -> bool {
        let Some(node) = self.nodes.get_mut(id as usize).filter(|node| node.live) else {
            return false;
        };
        let edges = core::mem::take(node).edges;
        self.live -= 1;
        for edge in &edges {
            self.nodes[edge.to as usize].drop_edge(id);
        }
        let tree: Vec<u32> = edges.iter().filter(|e| e.kept).map(|e| e.to).collect();
        for pair in tree.windows(2) {
            self.link(pair[0], pair[1], true);
        }
        for pair in edges.windows(2) {
            self.link(pair[0].to, pair[1].to, false);
        }
        if self.entry == Some(id) {
            let live = self.nodes.iter().enumerate().filter(|(_, node)| node.live);
            // Of equals the last: any will do, but always the same.
            let first = live.max_by(|a, b| a.1.length.total_cmp(&b.1.length));
            self.entry = first.map(|(at, _)| at as u32);
        }
        true
    }

    /// The nodes that can be reached from where searches start, rising.
    #[cfg(test)]
    fn reachable(&self) -> Vec<u32> {
        let mut seen = alloc::vec![false; self.nodes.len()];
        let mut waiting: Vec<u32> = self.entry.into_iter().collect();
        while let Some(id) = waiting.pop() {
            if !core::mem::replace(&mut seen[id as usize], true) {
                let edges = self.nodes[id as usize].edges.iter();
                waiting.extend(edges.map(|edge| edge.to));
            }
        }
        (0..seen.len() as u32)
            .filter(|&id| seen[id as usize])
            .collect()
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
