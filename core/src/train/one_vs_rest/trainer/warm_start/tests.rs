use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::linear::{LinearModel, LinearScratch},
    parameters::one_vs_rest::{Bias, Negatives, OneVsRest},
    sparse::{SparseRows, SparseVec},
    train::{Training, state::Resumable},
};
use alloc::{vec, vec::Vec};
use core::ops::ControlFlow;

const FEATURES: u32 = 12;

/// Rows of three features, of which the label's own is one, over so many labels.
fn data(carried: &[u32], labels: u32) -> Dataset {
    let (mut rows, mut lists) = (SparseRows::new(FEATURES), LabelLists::new(labels));
    for (at, &label) in (0..).zip(carried.iter().cycle().take(6 * carried.len())) {
        let pairs = [(label, 1.0), (6 + at % 5, 0.5), (11, 0.25)];
        let row = SparseVec::from_pairs(pairs).unwrap();
        rows.push(row.view()).unwrap();
        lists.push([label]);
    }
    Dataset::new(rows, lists, None).unwrap()
}

fn trained(
    parameters: &OneVsRest,
    start: Option<&LinearModel>,
    carried: &[u32],
    labels: u32,
) -> LinearModel {
    let data = data(carried, labels);
    let go_on = |_| ControlFlow::Continue(());
    let model = parameters.train_from(start, &data, &Sequential, &Portable, go_on);
    model.unwrap()
}

/// The scores of all labels, by label.
fn scores(model: &LinearModel, features: &[u32]) -> Vec<f32> {
    let row = SparseVec::from_pairs(features.iter().map(|&f| (f, 1.0))).unwrap();
    let mut scratch = LinearScratch::default();
    let labels = model.labels() as usize;
    let mut scores = vec![0.0; labels];
    for scored in model.predict(row.view(), labels, &mut scratch) {
        scores[scored.id as usize] = scored.score;
    }
    scores
}

/// All negatives, several rounds, one round; and a learned bias.
fn every_way() -> [OneVsRest; 4] {
    let way = |negatives, rounds, bias| OneVsRest {
        negatives,
        rounds,
        bias,
        prune: 0.01,
        ..OneVsRest::default()
    };
    let fixed = Bias::Fixed(-1.0);
    [
        way(Negatives::All, 3, fixed),
        way(Negatives::Mined, 3, fixed),
        way(Negatives::Mined, 1, fixed),
        way(Negatives::Mined, 3, Bias::Learned(1.0)),
    ]
}

#[test]
fn labels_without_rows_keep_their_weights_and_others_learn() {
    for parameters in every_way() {
        // Label 3 is seen by neither, label 4 only later.
        let earlier = trained(&parameters, None, &[0, 1, 2], 4);
        let later = trained(&parameters, Some(&earlier), &[2, 4], 5);
        for row in [&[0, 7][..], &[1, 8], &[2, 6], &[11]] {
            let (before, after) = (scores(&earlier, row), scores(&later, row));
            assert_eq!(after[..2], before[..2], "{parameters:?}");
            assert_eq!(after[3], f32::MIN);
            assert!(after[4] > f32::MIN);
        }
        assert!(scores(&later, &[4])[4] > 0.0);
        assert!(scores(&later, &[2])[2] > scores(&later, &[2])[4]);
        // What was kept is kept again, and an even larger limit takes nothing from it.
        let pruned = OneVsRest {
            prune: 1e6,
            ..parameters
        };
        let last = trained(&pruned, Some(&later), &[4], 5);
        assert_eq!(scores(&last, &[1, 8])[..3], scores(&later, &[1, 8])[..3]);
    }
}

#[test]
fn kept_weights_are_rounded_where_the_bits_differ() {
    for (had, wanted, near) in [(8, 4, 0.2), (16, 8, 0.01), (4, 8, 0.01), (8, 16, 1e-3)] {
        for parameters in every_way() {
            let of = |bits| OneVsRest {
                bits,
                ..parameters.clone()
            };
            let earlier = trained(&of(had), None, &[0, 1, 2], 3);
            let later = trained(&of(wanted), Some(&earlier), &[2], 3);
            assert_eq!(later.parts().bits, wanted);
            for row in [&[0, 7][..], &[1, 8]] {
                let (before, after) = (scores(&earlier, row), scores(&later, row));
                for label in 0..2 {
                    let apart = (after[label] - before[label]).abs();
                    assert!(apart < near, "{had} to {wanted}: {apart} {parameters:?}");
                }
            }
        }
    }
}

#[test]
fn kept_weights_go_through_every_state() {
    for (parameters, bits) in every_way().into_iter().zip([8, 16, 8, 16]) {
        let first = OneVsRest {
            bits,
            ..parameters.clone()
        };
        let earlier = trained(&first, None, &[0, 1, 2], 4);
        let data = data(&[2, 4], 5);
        let begin = || {
            let mut trainer = parameters.trainer(&data, &Sequential, &Portable).unwrap();
            trainer.start_from(&earlier).unwrap();
            trainer
        };
        let (mut whole, mut states) = (begin(), Vec::new());
        loop {
            let mut state = Vec::new();
            let mut sink = |piece: &[u8]| state.extend_from_slice(piece);
            whole.save(&mut sink).unwrap();
            states.push(state);
            if whole.step(&Sequential).is_none() {
                break;
            }
        }
        let whole = whole.finish(&Sequential).unwrap();
        for state in &states {
            let mut resumed = begin();
            resumed.resume(state).unwrap();
            while resumed.step(&Sequential).is_some() {}
            assert_eq!(resumed.finish(&Sequential).unwrap(), whole);
        }
    }
}
