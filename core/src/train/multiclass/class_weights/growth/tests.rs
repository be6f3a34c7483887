//! Growing and shrinking lists against lists of their own for each feature.

use super::super::{ClassWeights, Places};
use crate::{executor::tests::Many, random::Stream};
use alloc::{vec, vec::Vec};
use core::iter::repeat_n;

const FEATURES: usize = 13;

/// The slow way: the classes and weights of each feature.
type Lists = Vec<Vec<(u32, f32)>>;

/// The classes and weights of each feature.
pub fn lists_of(weights: &ClassWeights) -> Lists {
    let of = |feature: usize| {
        let mut all = Vec::new();
        weights.visit(feature, |class, weight| all.push((class, weight)));
        all
    };
    (0..weights.features()).map(of).collect()
}

/// Appends what the features from `first` on lack: how many classes each feature gets, and which.
fn lacking(
    lists: &mut [Vec<(u32, f32)>],
    first: usize,
    classes: usize,
    stream: &mut Stream,
) -> (Vec<u32>, Vec<u32>) {
    let (mut counts, mut fresh) = (vec![0; first], Vec::new());
    for list in &mut lists[first..] {
        let has = |list: &Vec<(u32, f32)>, class| list.iter().any(|one| one.0 == class);
        let before = fresh.len();
        for _ in 0..stream.below(12).saturating_sub(3) {
            let class = stream.below(classes as u64) as u32;
            if !has(list, class) {
                list.push((class, 0.0));
                fresh.push(class);
            }
        }
        counts.push((fresh.len() - before) as u32);
        if fresh.len() > before && list.len() * 4 >= classes {
            for class in 0..classes as u32 {
                if !has(list, class) {
                    list.push((class, 0.0));
                }
            }
            list.sort_by_key(|one| one.0);
        }
    }
    (counts, fresh)
}

#[test]
fn weights_stay_those_of_their_classes_as_lists_grow_and_shrink() {
    let mut stream = Stream::new(2, 1);
    // With 5 classes a list can come to hold all at once.
    for classes in [5, 20, (1 << 16) + 1] {
        for round in 0..60 {
            let executor = Many(1 + round % 4);
            let mut weights = ClassWeights::new(FEATURES, classes);
            let mut expected: Lists = vec![Vec::new(); FEATURES];
            for step in 0..6 {
                let first = stream.below(FEATURES as u64) as usize;
                let before = expected.clone();
                let (counts, fresh) = lacking(&mut expected, first, classes, &mut stream);
                let dense = weights.append(&counts, &fresh, &executor);
                let is_new = |&feature: &usize| {
                    expected[feature].len() == classes && before[feature].len() < classes
                };
                let new = (0..FEATURES).filter(is_new).map(|feature| feature as u32);
                assert_eq!(dense, new.collect::<Vec<_>>());
                assert_eq!(lists_of(&weights), expected, "{classes} {round} {step}");
                for mut shard in weights.shards(&[0, FEATURES as u32]) {
                    for (at, list) in expected.iter_mut().enumerate() {
                        for (weight, (_, expected)) in shard.of(at).iter_mut().zip(list) {
                            *weight = stream.unit() as f32;
                            *expected = *weight;
                        }
                    }
                }
                let keep: Vec<bool> = (0..weights.lists().len())
                    .map(|_| stream.below(8) > 0)
                    .collect();
                let mut places = Places::none(keep.len());
                let kept = keep.iter().enumerate().filter(|(_, keep)| **keep);
                kept.for_each(|(place, _)| places.add(place));
                weights.retain(&Places::union(vec![places]), &executor);
                let mut keep = keep.into_iter();
                for list in &mut expected {
                    let all = list.len() == classes;
                    list.retain(|_| all || keep.next() == Some(true));
                }
                assert_eq!(lists_of(&weights), expected, "{classes} {round} {step}");
            }
        }
    }
}

#[test]
fn places_of_several_sets_are_those_of_any() {
    let mut stream = Stream::new(4, 1);
    let sets = [0, 1, 2].map(|_| -> Vec<usize> {
        repeat_n((), 40)
            .map(|()| stream.below(300) as usize)
            .collect()
    });
    let union = sets.iter().map(|set| {
        let mut places = Places::none(300);
        set.iter().for_each(|&place| places.add(place));
        places
    });
    let union = Places::union(union.collect());
    let mut before = 0;
    for place in 0..300 {
        assert_eq!(union.before(place), before);
        let held = sets.iter().any(|set| set.contains(&place));
        assert_eq!(union.holds(place), held);
        before += usize::from(held);
    }
    assert_eq!(union.before(300), before);
}

#[test]
fn features_on_their_own_make_up_the_same_weights() {
    let mut weights = ClassWeights::new(5, 9);
    let (counts, fresh) = ([2, 1, 4, 2, 0], [3, 8, 0, 1, 2, 4, 5, 7, 2]);
    assert_eq!(weights.append(&counts, &fresh, &Many(2)), [2]);
    for mut shard in weights.shards(&[0, 2, 5]) {
        for (at, feature) in shard.range.clone().enumerate() {
            let own = shard.of(at).iter_mut().enumerate();
            own.for_each(|(place, weight)| *weight = feature as f32 - 0.25 * place as f32);
            shard.background[at] = 0.5 - feature as f32;
        }
    }
    let mut other = ClassWeights::new(5, 9);
    other.set_features(&weights.to_features(), &weights.background);
    assert_eq!(lists_of(&other), lists_of(&weights));
    assert_eq!(other.background, weights.background);
    assert!(other.is_dense(2) && !other.is_dense(3));
}
