//! A node of a graph and its edges.

use crate::sparse::SparseVec;
use alloc::vec::Vec;

/// An edge, by its other end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub to: u32,
    /// Whether it is of the tree that keeps the graph together.
    pub kept: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Node {
    pub vector: SparseVec,
    pub edges: Vec<Edge>,
    /// The length of the vector when the edges were made.
    pub length: f64,
    pub live: bool,
}

impl Node {
    /// A node without edges.
    pub(crate) fn new(vector: SparseVec) -> Self {
        let length = vector.view().norm();
        Self {
            vector,
            edges: Vec::new(),
            length,
            live: true,
        }
    }

    pub(crate) fn drop_edge(&mut self, to: u32) {
        self.edges.retain(|edge| edge.to != to);
    }

    /// Bytes held beside the node itself.
    pub(crate) fn bytes(&self) -> usize {
        8 * (self.vector.view().len() + self.edges.capacity())
    }
}
