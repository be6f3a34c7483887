//! Navigable graphs over inner products: flat (SW-graph: Y. Malkov and others, *Approximate nearest neighbor algorithm
//! based on navigable small world graphs*, 2014), or in layers (HNSW: Y. Malkov, D. Yashunin, *Efficient and robust
//! approximate nearest neighbor search using hierarchical navigable small world graphs*, 2018; its algorithms 1, 2 and 4),
//! with inner products in place of distances.
//!
//! Problem: among L sparse vectors `w` over D features, find the `k` with the largest `w x`. A search starts at the
//! entry and follows edges, always from the best node not yet looked at, until that is worse than the worst of the
//! `beam` best found. A new node is searched for in the same way and joined to the `degree` best found.
//!
//! - Flat: the entry is the longest vector, and edges are only ever added.
//! - Layered: each node is in the lowest layer and, with probability `1 / degree`, in each next one; a search goes greedily
//!   through the upper layers first. The nodes to be joined to are chosen to lie apart, and a node that has more
//!   than `degree` edges (twice as many in the lowest layer) drops the worst.
//!
//! Edges go both ways. Those of a spanning tree of each layer are kept whatever happens; when a node is removed, its
//! neighbors in the tree are joined in a chain, which makes a tree again. So all nodes can be reached from
//! each other, whatever is inserted and removed.
//!
//! Inner products are no distances, so nothing is promised but what a test measures. Memory: the vectors, and 16 bytes an
//! edge. Cost of a search: the edges of the nodes looked at, an inner product each.

mod node;
mod walk;

use super::{MaxInnerProduct, Proposer, Scored};
use crate::{
    executor::Executor,
    float,
    random::Stream,
    sparse::{SparseVec, SparseView},
};
use alloc::{boxed::Box, vec, vec::Vec};
use node::{Link, Node};
use walk::{Walk, product};

/// See the module's text.
#[derive(Clone, Debug)]
pub struct Graph {
    nodes: Vec<Node>,
    entry: Option<u32>,
    live: usize,
    degree: usize,
    beam: usize,
    /// The seed of the layers, if there are any.
    layers: Option<u64>,
}

/// The share of its length that a vector may move before its edges are made anew.
const MOVEMENT: f64 = 0.1;

/// The most nodes that are searched for at once when several are inserted.
const BATCH: usize = 256;

/// More layers than any number of nodes needs.
const MOST_LAYERS: f64 = 16.0;

impl Graph {
    /// A flat graph without nodes; a new one is joined to `degree` others, and searches keep the `beam` best.
    #[must_use]
    pub fn new(degree: usize, beam: usize) -> Self {
        Self {
            nodes: Vec::new(),
            entry: None,
            live: 0,
            degree: degree.max(1),
            beam: beam.max(degree).max(1),
            layers: None,
        }
    }

    /// The same in layers, which follow from the seed and the ids.
    #[must_use]
    pub fn layered(degree: usize, beam: usize, seed: u64) -> Self {
        Self {
            layers: Some(seed),
            ..Self::new(degree.max(2), beam)
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
        let nodes: usize = self.nodes.iter().map(Node::bytes).sum();
        nodes + self.nodes.len() * size_of::<Node>()
    }

    /// Adds a node, or puts it in the place of the one with the same id.
    pub fn insert(&mut self, id: u32, vector: SparseVec) {
        self.remove(id);
        let found = self.plan(id, vector.view(), &mut Walk::default());
        self.join(id, vector, &found);
    }

    /// [`Graph::insert`] for several nodes with different ids, searched for in parallel: those of a batch, half as
    /// many as there are nodes and 256 at most, do not see each other. The graph is the same for any number of threads.
    pub fn insert_all<E: Executor>(&mut self, items: Vec<(u32, SparseVec)>, executor: &E) {
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
                let (id, vector) = &batch[at];
                this.plan(*id, vector.view(), walk)
            });
            for ((id, vector), found) in batch.into_iter().zip(plans) {
                self.join(id, vector, &found);
            }
        }
    }

    /// The highest layer of a node, from 0.
    fn layer_of(&self, id: u32) -> usize {
        let Some(seed) = self.layers else {
            return 0;
        };
        let chance = 1.0 - Stream::new(seed, u64::from(id)).unit();
        let layer = -float::ln(chance) / float::ln(self.degree as f64);
        layer.clamp(0.0, MOST_LAYERS) as usize
    }

    fn top_layer(&self) -> usize {
        let entry = self.entry.map(|entry| &self.nodes[entry as usize]);
        entry.map_or(0, Node::layer)
    }

    /// The nodes that a new one might be joined to, for each of its layers.
    fn plan(&self, id: u32, vector: SparseView<'_>, walk: &mut Walk) -> Vec<Vec<Scored>> {
        let own = self.layer_of(id);
        let mut found = vec![Vec::new(); own + 1];
        let mut starts: Vec<u32> = self.entry.into_iter().collect();
        for layer in (0..=self.top_layer()).rev() {
            let beam = if layer > own { 1 } else { self.beam };
            let best = self.search_layer(&starts, vector, layer, beam, walk);
            starts = best.iter().map(|scored| scored.id).collect();
            if layer <= own {
                found[layer] = best;
            }
        }
        found
    }

    /// Adds a node whose id is not live, with edges to nodes of `found`.
    fn join(&mut self, id: u32, vector: SparseVec, found: &[Vec<Scored>]) {
        let place = id as usize;
        if place >= self.nodes.len() {
            self.nodes.resize(place + 1, Node::default());
        }
        self.nodes[place] = Node::new(vector, found.len());
        self.live += 1;
        for (layer, found) in found.iter().enumerate() {
            let mut chosen = self.choose(found);
            if chosen.is_empty() {
                // Nodes of its batch, which it has not seen, may be here already.
                let here = |entry: &u32| self.nodes[*entry as usize].layer() >= layer;
                chosen.extend(self.entry.filter(here));
            }
            for (at, &other) in chosen.iter().enumerate() {
                self.link(layer, id, other, at == 0);
            }
            for &other in &chosen {
                self.limit(layer, other);
            }
        }
        let (node, entry) = (&self.nodes[place], self.entry);
        let entry = entry.map(|entry| &self.nodes[entry as usize]);
        let first = match (self.layers, entry) {
            (_, None) => true,
            (Some(_), Some(entry)) => node.layer() > entry.layer(),
            (None, Some(entry)) => node.length > entry.length,
        };
        if first {
            self.entry = Some(id);
        }
    }

    /// Of the nodes found, best first, those to be joined to.
    fn choose(&self, found: &[Scored]) -> Vec<u32> {
        if self.layers.is_none() {
            return found.iter().take(self.degree).map(|s| s.id).collect();
        }
        let mut chosen: Vec<u32> = Vec::with_capacity(self.degree);
        let vector = |id: u32| self.nodes[id as usize].vector.view();
        for scored in found {
            let apart = |&&other: &&u32| product(vector(scored.id), vector(other)) < scored.score;
            if chosen.len() < self.degree && chosen.iter().filter(apart).count() == chosen.len() {
                chosen.push(scored.id);
            }
        }
        // Where long vectors shade all others, the best of these fill up.
        for scored in found {
            if chosen.len() >= self.degree {
                break;
            }
            if !chosen.contains(&scored.id) {
                chosen.push(scored.id);
            }
        }
        chosen
    }

    /// Joins two nodes; an edge there is already may become one that is kept.
    fn link(&mut self, layer: usize, one: u32, other: u32, kept: bool) {
        for (from, to) in [(one, other), (other, one)] {
            let links = &mut self.nodes[from as usize].layers[layer];
            match links.iter_mut().find(|link| link.to == to) {
                Some(link) => link.kept |= kept,
                None => links.push(Link { to, kept }),
            }
        }
    }

    /// Drops the worst edges of a node that has too many, in a graph of layers.
    fn limit(&mut self, layer: usize, id: u32) {
        let most = if layer == 0 {
            2 * self.degree
        } else {
            self.degree
        };
        let node = &self.nodes[id as usize];
        if self.layers.is_none() || node.layers[layer].len() <= most {
            return;
        }
        let vector = |id: u32| self.nodes[id as usize].vector.view();
        let free = node.layers[layer].iter().filter(|link| !link.kept);
        let worst = free
            .map(|link| Scored {
                id: link.to,
                score: product(vector(id), vector(link.to)),
            })
            .max_by(super::rank);
        if let Some(worst) = worst {
            self.nodes[id as usize].drop_link(layer, worst.id);
            self.nodes[worst.id as usize].drop_link(layer, id);
        }
    }

    /// Removes a node; whether there was one.
    ///
    /// Cost: its edges and those of its neighbors; O(L) if it is where searches start.
    pub fn remove(&mut self, id: u32) -> bool {
        let Some(node) = self.nodes.get_mut(id as usize).filter(|node| node.live) else {
            return false;
        };
        let layers = core::mem::take(node).layers;
        self.live -= 1;
        for (layer, links) in layers.iter().enumerate() {
            for link in links {
                self.nodes[link.to as usize].drop_link(layer, id);
            }
            let tree: Vec<u32> = links.iter().filter(|l| l.kept).map(|l| l.to).collect();
            for pair in tree.windows(2) {
                self.link(layer, pair[0], pair[1], true);
            }
            for pair in links.windows(2) {
                self.link(layer, pair[0].to, pair[1].to, false);
                self.limit(layer, pair[0].to);
                self.limit(layer, pair[1].to);
            }
        }
        if self.entry == Some(id) {
            let live = self.nodes.iter().enumerate().filter(|(_, node)| node.live);
            let layered = self.layers.is_some();
            let key = |node: &Node| {
                if layered {
                    node.layer() as f64
                } else {
                    node.length
                }
            };
            // Of equals the last: any will do, but always the same.
            let first = live.max_by(|a, b| key(a.1).total_cmp(&key(b.1)));
            self.entry = first.map(|(at, _)| at as u32);
        }
        true
    }

    /// Gives a node another vector, and new edges if it has moved by more than a tenth of its
    /// length since it got them; whether it did. A node that is not there is inserted.
    pub fn update(&mut self, id: u32, vector: SparseVec) -> bool {
        let live = self.nodes.get_mut(id as usize).filter(|node| node.live);
        if let Some(node) = live {
            let (old, new) = (node.vector.view(), vector.view());
            let square = old.norm() * old.norm() + new.norm() * new.norm()
                - 2.0 * f64::from(product(old, new));
            node.moved += float::sqrt(square.max(0.0));
            if node.moved <= MOVEMENT * node.length {
                node.vector = vector;
                return false;
            }
        }
        self.insert(id, vector);
        true
    }

    /// The nodes that can be reached from where searches start in the lowest layer, rising.
    #[must_use]
    pub fn reachable(&self) -> Vec<u32> {
        let mut seen = vec![false; self.nodes.len()];
        let mut waiting: Vec<u32> = self.entry.into_iter().collect();
        while let Some(id) = waiting.pop() {
            if !core::mem::replace(&mut seen[id as usize], true) {
                let links = self.nodes[id as usize].layers[0].iter();
                waiting.extend(links.map(|link| link.to));
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
