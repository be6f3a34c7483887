//! The search that proposes classes while training, kept near the weights as they move.

use super::{class_rows::ClassRows, products::Products, step::Steps};
use crate::parameters::memoir::oracle::Oracle;
use crate::{
    executor::Executor,
    search::{MaxInnerProduct, Proposer, graph::Graph, sign_codes::SignCodes},
    sparse::SparseVec,
    train::state::{StateError, same},
};
use alloc::{boxed::Box, vec::Vec};

/// A search of the classes' vectors, in units of `V`.
///
/// Codes of signs follow each step: what a row has as products with the Gaussian vectors is added
/// to what the classes have that it moves. Otherwise a class's vector is put in anew once its
/// weights may have moved by more than a quarter of their length. All vectors are put in anew where
/// the unit of `V` has changed, and before each pass: so between two passes the weights, and what
/// codes follow, are all there is to know.
#[derive(Clone, Debug)]
pub(super) struct Index {
    search: Search,
    oracle: Oracle,
    follows: bool,
    seed: u64,
    folds: u32,
}

#[derive(Clone, Debug)]
enum Search {
    Codes(Box<SignCodes>, Option<Products>),
    Graph(Graph),
}

/// The share of its length that a vector may move before the search is told.
const MOVEMENT: f64 = 0.25;

/// The ratio between lengths that share a bound.
const RATIO: f64 = 1.5;

impl Search {
    fn new(oracle: Oracle, follows: bool, seed: u64) -> Option<Self> {
        Some(match oracle {
            Oracle::Exhaustive | Oracle::RareFeatures(_) => return None,
            Oracle::SignCodes { words, .. } => {
                let codes = Box::new(SignCodes::new(words as usize, RATIO, seed));
                Self::Codes(codes, follows.then(Products::default))
            }
            Oracle::Graph { degree, beam } => {
                Self::Graph(Graph::new(degree as usize, beam as usize))
            }
        })
    }
}

impl Index {
    /// An empty one, if the oracle is a search of vectors; `follows` where weights change by steps
    /// alone (not l1's).
    pub(crate) fn new(oracle: Oracle, follows: bool, seed: u64) -> Option<Self> {
        Some(Self {
            search: Search::new(oracle, follows, seed)?,
            oracle,
            follows,
            seed,
            folds: 0,
        })
    }

    /// A step was taken: `factor` times its amounts of the row were added to the classes.
    pub(crate) fn add(&mut self, row: &[(u32, f32)], steps: &Steps<'_>, factor: f64) {
        if let Search::Codes(codes, Some(products)) = &mut self.search {
            products.add(codes, row, steps, factor);
        }
    }

    /// Puts in the vectors of those of `touched`, rising, that have moved, or of all of `seen`.
    pub(crate) fn refresh(
        &mut self,
        rows: &mut ClassRows,
        touched: &[u32],
        seen: &[u32],
        executor: &Executor,
    ) {
        if rows.folds() != self.folds {
            self.folds = rows.folds();
            if let Search::Codes(codes, Some(products)) = &mut self.search {
                products.set(codes, rows, &rows.with_weights(seen), executor);
            }
            self.renew(rows, seen, executor);
        } else if let Search::Codes(codes, Some(products)) = &mut self.search {
            products.put(codes, rows, &rows.with_weights(touched));
        } else {
            let moved = rows.moved(touched, MOVEMENT);
            self.insert(rows, moved, executor);
        }
    }

    /// Forgets all vectors, and puts in those of `seen`, rising.
    pub(crate) fn renew(&mut self, rows: &mut ClassRows, seen: &[u32], executor: &Executor) {
        let classes = rows.with_weights(seen);
        if let Search::Codes(codes, Some(products)) = &mut self.search {
            codes.clear();
            return products.put(codes, rows, &classes);
        }
        if let Some(fresh) = Search::new(self.oracle, self.follows, self.seed) {
            self.search = fresh;
        }
        self.insert(rows, classes, executor);
    }

    fn insert(&mut self, rows: &mut ClassRows, classes: Vec<u32>, executor: &Executor) {
        let items: Vec<(u32, SparseVec)> = classes
            .into_iter()
            .map(|class| (class, rows.vector(class)))
            .collect();
        for (class, vector) in &items {
            rows.tell(*class, vector.view().norm());
        }
        match &mut self.search {
            Search::Codes(codes, _) => codes.insert_all(&items, executor),
            Search::Graph(graph) => graph.insert_all(items, executor),
        }
    }

    /// What a state holds beside the weights: see [`Products`].
    pub(crate) fn saved(&self) -> &[f32] {
        match &self.search {
            Search::Codes(_, Some(products)) => products.saved(),
            _ => &[],
        }
    }

    /// Takes over what a state holds, which has these weights.
    pub(crate) fn restore(&mut self, saved: Vec<f32>, rows: &ClassRows) -> Result<(), StateError> {
        match &mut self.search {
            Search::Codes(codes, Some(products)) => products.restore(saved, codes, rows),
            _ => same("products of classes", saved.len(), 0),
        }
    }

    pub(crate) fn proposer(&self) -> Box<dyn Proposer + '_> {
        match &self.search {
            Search::Codes(codes, _) => codes.proposer(),
            Search::Graph(graph) => graph.proposer(),
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        match &self.search {
            Search::Codes(codes, products) => {
                codes.bytes() + products.as_ref().map_or(0, Products::bytes)
            }
            Search::Graph(graph) => graph.bytes(),
        }
    }
}
