//! A node of a graph and its edges.

use crate::sparse::SparseVec;
use alloc::{vec, vec::Vec};

/// An edge's other end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub to: u32,
    /// Whether it is of the tree that keeps the graph together.
    pub kept: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub vector: SparseVec,
    /// Its edges in each layer that it is in, the lowest first.
    pub layers: Vec<Vec<Link>>,
    /// The length of the vector when the edges were made.
    pub length: f64,
    /// How far the vector has moved since then.
    pub moved: f64,
    pub live: bool,
}

impl Node {
    /// A node in so many layers, without edges.
    pub fn new(vector: SparseVec, layers: usize) -> Self {
        let length = vector.view().norm();
        Self {
            vector,
            layers: vec![Vec::new(); layers],
            length,
            moved: 0.0,
            live: true,
        }
    }

    /// The highest layer it is in.
    pub fn layer(&self) -> usize {
        self.layers.len().saturating_sub(1)
    }

    pub fn drop_link(&mut self, layer: usize, to: u32) {
        if let Some(links) = self.layers.get_mut(layer) {
            links.retain(|link| link.to != to);
        }
    }

    /// Bytes held beside the node itself.
    pub fn bytes(&self) -> usize {
        let edges: usize = self.layers.iter().map(Vec::capacity).sum();
        8 * (self.vector.view().len() + edges) + size_of::<Vec<Link>>() * self.layers.capacity()
    }
}
