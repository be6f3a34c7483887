//! Why a label was suggested: the neighbors, and the features that made them similar.

use super::{Nearest, NearestScratch, votes::vote};
use crate::{
    model::ModelError,
    search::{Scored, rank},
    sparse::SparseView,
};
use alloc::vec::Vec;

/// A neighbor that voted, and what made it similar.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    /// The id of the row: its position in the training data, or the id that learning it gave.
    pub row: u32,
    /// Whether it is a text of its labels rather than a row of the data: see
    /// [`Documents::describe`](crate::data::Documents::describe).
    pub label_text: bool,
    /// `J^beta * cos`.
    pub similarity: f32,
    /// Its vote for each of its labels, `similarity^alpha`.
    pub vote: f32,
    /// Its labels, rising.
    pub labels: Vec<u32>,
    /// The features it shares with the query, the largest share of the cosine first.
    pub features: Vec<SharedFeature>,
}

/// A feature that query and neighbor share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedFeature {
    /// The feature.
    pub feature: u32,
    /// What it adds to the cosine of query and neighbor.
    pub share: f32,
}

impl Nearest {
    /// The `neighbors` most similar rows with their labels and the features they share with
    /// `query`; of those at most `features` a row.
    pub(crate) fn explain(
        &self,
        query: SparseView<'_>,
        neighbors: usize,
        features: usize,
        scratch: &mut NearestScratch,
    ) -> Result<Vec<Evidence>, ModelError> {
        self.find(query, scratch)?;
        let query = scratch.query.view();
        let chosen = scratch.neighbors.iter().take(neighbors);
        let evidence = chosen.map(
            |&Scored {
                 id: slot,
                 score: similarity,
             }| {
                let mut shared = match self.place(slot) {
                    Ok(position) => self.index.shared(query, position),
                    Err(at) => shared_features(query, self.changes.added()[at].row.view()),
                };
                shared.sort_unstable_by(rank);
                let shared = shared.iter().take(features);
                Evidence {
                    row: self.id(slot),
                    // Only the record of the whole model tells.
                    label_text: false,
                    similarity,
                    vote: vote(similarity, self.parameters.alpha) as f32,
                    labels: self.row_labels(slot),
                    features: shared
                        .map(|&Scored { id, score }| SharedFeature {
                            feature: id,
                            share: score,
                        })
                        .collect(),
                }
            },
        );
        Ok(evidence.collect())
    }
}

/// The features of both, by rising feature, each with its share of the cosine.
pub(super) fn shared_features(query: SparseView<'_>, row: SparseView<'_>) -> Vec<Scored> {
    let norms = query.norm() * row.norm();
    let mut shared = Vec::new();
    let mut rest = row.iter().peekable();
    for (feature, value) in query.iter() {
        while rest.next_if(|&(other, _)| other < feature).is_some() {}
        if let Some((_, other)) = rest.next_if(|&(other, _)| other == feature) {
            let score = (f64::from(value) * f64::from(other) / norms) as f32;
            shared.push(Scored { id: feature, score });
        }
    }
    shared
}
