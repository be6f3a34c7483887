//! The search that proposes classes while training, kept near the weights as they move.

use super::{class_rows::ClassRows, oracle::Oracle};
use crate::{
    executor::Executor,
    search::{
        MaxInnerProduct, Proposer, graph::Graph, sign_codes::SignCodes, sign_tables::SignTables,
    },
    sparse::SparseVec,
};
use alloc::{boxed::Box, vec::Vec};

/// A search of the classes' vectors, in units of `V`.
///
/// A class's vector is put in anew once its weights may have moved by more than a quarter of their
/// length; all are where the unit of `V` has changed.
#[derive(Clone, Debug)]
pub(super) struct Index {
    search: Search,
    oracle: Oracle,
    seed: u64,
    folds: u32,
    /// Vectors put in so far.
    pub inserted: u64,
}

#[derive(Clone, Debug)]
enum Search {
    Codes(SignCodes),
    Tables(SignTables),
    Graph(Graph),
}

/// The share of its length that a vector may move before the search is told.
const MOVEMENT: f64 = 0.25;

/// The ratio between lengths that share a bound.
const RATIO: f64 = 1.5;

impl Search {
    fn new(oracle: Oracle, seed: u64) -> Option<Self> {
        Some(match oracle {
            Oracle::Exhaustive | Oracle::RareFeatures(_) => return None,
            Oracle::SignCodes { words, .. } => {
                Self::Codes(SignCodes::new(words as usize, RATIO, seed))
            }
            Oracle::SignTables { tables, bits, .. } => {
                let (tables, bits) = (tables as usize, bits as usize);
                Self::Tables(SignTables::new(tables, bits, RATIO, seed))
            }
            Oracle::Graph { degree, beam } => {
                Self::Graph(Graph::new(degree as usize, beam as usize))
            }
            Oracle::LayeredGraph { degree, beam } => {
                Self::Graph(Graph::layered(degree as usize, beam as usize, seed))
            }
        })
    }
}

impl Index {
    /// An empty one, if the oracle is a search of vectors.
    pub fn new(oracle: Oracle, seed: u64) -> Option<Self> {
        Some(Self {
            search: Search::new(oracle, seed)?,
            oracle,
            seed,
            folds: 0,
            inserted: 0,
        })
    }

    /// Puts in the vectors of those of `touched`, rising, that have moved, or of all of `seen`.
    pub fn refresh<E: Executor>(
        &mut self,
        rows: &mut ClassRows,
        touched: &[u32],
        seen: &[u32],
        executor: &E,
    ) {
        let moved = if rows.folds() == self.folds {
            rows.moved(touched, MOVEMENT)
        } else {
            self.folds = rows.folds();
            if let Some(fresh) = Search::new(self.oracle, self.seed) {
                self.search = fresh;
            }
            rows.moved(seen, -1.0)
        };
        let items: Vec<(u32, SparseVec)> = moved
            .into_iter()
            .map(|class| (class, rows.vector(class)))
            .collect();
        for (class, vector) in &items {
            rows.tell(*class, vector.view().norm());
        }
        self.inserted += items.len() as u64;
        match &mut self.search {
            Search::Codes(codes) => codes.insert_all(&items, executor),
            Search::Tables(tables) => tables.insert_all(&items, executor),
            Search::Graph(graph) => graph.insert_all(items, executor),
        }
    }

    pub fn proposer(&self) -> Box<dyn Proposer + '_> {
        match &self.search {
            Search::Codes(codes) => codes.proposer(),
            Search::Tables(tables) => tables.proposer(),
            Search::Graph(graph) => graph.proposer(),
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        match &self.search {
            Search::Codes(codes) => codes.bytes(),
            Search::Tables(tables) => tables.bytes(),
            Search::Graph(graph) => graph.bytes(),
        }
    }
}
