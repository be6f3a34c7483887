//! Choosing for a file of limited size: what finds no room beside the weights is not tried. A head
//! that was weighed and is left out afterwards takes with it what was chosen beside it: up to two
//! points of P@1 (`benches/record/choice.md`).

use super::search::Search;
use crate::{
    data::Dataset,
    model::linear::LinearModel,
    train::{compacted::fixed_bytes, one_vs_rest::fused::embedding_bytes},
};
use core::ops::ControlFlow;

/// About the bytes of a word in a file: its name, where that begins, and its frequency.
const BYTES_OF_A_WORD: u64 = 12;

/// At least the bytes of a value in an index of neighbors: its feature and a code, twice.
const BYTES_OF_A_VALUE: u64 = 5;

/// What is left of `max_bytes` for weights and what answers beside them.
pub(super) fn room(max_bytes: u64, data: &Dataset, are_texts: bool) -> u64 {
    let words = match are_texts {
        true => BYTES_OF_A_WORD * u64::from(data.rows().features()),
        false => 0,
    };
    let frequencies = 4 * u64::from(data.labels().labels());
    let fixed = fixed_bytes(data.label_names(), None) + frequencies + words;
    max_bytes.saturating_sub(fixed)
}

impl<P: FnMut(usize, usize) -> ControlFlow<()>> Search<'_, P> {
    /// Decides against heads that [`Model::compacted`](crate::model::Model::compacted) would leave
    /// out beside `model`, which was trained on `train`.
    pub(super) fn leave_out_what_cannot_fit(&mut self, model: &LinearModel, train: &Dataset) {
        let Some(room) = self.room else {
            return;
        };
        // Half of the weights at least are to fit beside an embedding.
        if embedding_bytes(train) + model.bytes() as u64 / 2 > room {
            self.given.embedding = self.given.embedding.or(Some(0.0));
        }
        let bytes = self.given_vectors.map(|vectors| vectors.bytes(train));
        if bytes.is_some_and(|bytes| bytes + model.bytes() as u64 / 2 > room) {
            self.given_vectors = None;
        }
        if BYTES_OF_A_VALUE * train.rows().nonzeros() as u64 > room {
            self.given.neighbors = self.given.neighbors.or(Some(false));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Search, room};
    use crate::{
        data::Dataset,
        executor::{Executor, Sequential},
        kernels::Portable,
        parameters::OneVsRest,
        train::{
            multiclass::problem::tests::random_data,
            one_vs_rest::{
                choice::{Given, folds::Fold},
                fused::{FusedWeights, embedding_bytes},
            },
        },
    };
    use core::ops::ControlFlow;

    fn trained(data: &Dataset, parameters: &OneVsRest) -> crate::model::linear::LinearModel {
        let go_on = |_| ControlFlow::Continue(());
        let made = parameters.train(data, &Sequential, &Portable, go_on);
        made.unwrap()
    }

    #[test]
    fn heads_are_tried_that_find_room() {
        let data = random_data(200, 12, 30, 1);
        let (folds, parameters) = (Fold::all(&data, 1), OneVsRest::default());
        let model = trained(&data, &parameters);
        let embedding = embedding_bytes(&data) + model.bytes() as u64 / 2;
        let neighbors = 5 * data.rows().nonzeros() as u64;
        let left = |room, given| {
            let of: (&Executor, _) = (&Sequential, &Portable as _);
            let tell = |_: usize, _: usize| ControlFlow::Continue(());
            let mut search = Search::new(given, parameters.clone(), &folds, of, tell);
            search.room = room;
            search.leave_out_what_cannot_fit(&model, &data);
            (search.given.embedding, search.given.neighbors)
        };
        let open = Given::default();
        assert_eq!(left(None, open), (None, None));
        assert_eq!(left(Some(embedding), open).0, None);
        assert_eq!(left(Some(embedding - 1), open).0, Some(0.0));
        assert_eq!(left(Some(neighbors), open).1, None);
        assert_eq!(left(Some(neighbors - 1), open).1, Some(false));
        let given = Given {
            embedding: Some(0.3),
            neighbors: Some(true),
            ..open
        };
        assert_eq!(left(Some(0), given), (Some(0.3), Some(true)));
    }

    #[test]
    fn room_is_what_names_and_words_leave() {
        let data = random_data(50, 12, 30, 1);
        let (features, labels) = (data.rows().features(), data.labels().labels());
        let fixed = 2048 + 4 * u64::from(labels);
        assert_eq!(room(fixed + 7, &data, false), 7);
        let words = 12 * u64::from(features);
        assert_eq!(room(fixed + words + 7, &data, true), 7);
        assert_eq!(room(fixed + words - 1, &data, true), 0);
    }

    #[test]
    fn the_bytes_of_an_embedding_are_about_those_of_the_file() {
        let data = random_data(300, 40, 500, 1);
        let parameters = OneVsRest::default();
        let bytes = |embedding| {
            let fused = FusedWeights {
                neighbors: 0.0,
                embedding,
            };
            let machines = trained(&data, &parameters);
            let rows = (&data, None);
            let made = fused.model(machines, &parameters, rows, &Sequential, &Portable);
            made.unwrap().file_bytes().unwrap()
        };
        let (takes, said) = (bytes(0.1) - bytes(0.0), embedding_bytes(&data));
        assert!(
            takes.abs_diff(said) < takes / 20,
            "{takes} bytes, not {said}"
        );
    }
}
