use super::{MemoirTrainer, Saved, SavedWeights};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    parameters::memoir::{Length, Memoir, MemoirDraws, oracle::Oracle},
    random::Stream,
    sparse::{SparseRows, SparseVec},
    train::{
        Training,
        memoir::{class_rows::SavedRow, feature_lists::SavedList, list::Beside},
        state::{Resumable, StateError, read, write},
    },
};
use alloc::{borrow::Cow, string::ToString, vec, vec::Vec};

fn data(count: u32) -> Dataset {
    let mut dice = Stream::new(5, 5);
    let (mut rows, mut labels) = (SparseRows::new(40), LabelLists::new(30));
    for row in 0..count {
        let terms = (0..6).map(|_| {
            let feature = (u64::from(row % 30) + dice.below(12)) % 40;
            (feature as u32, 0.2 + dice.unit() as f32)
        });
        let terms: Vec<(u32, f32)> = terms.collect();
        rows.push(SparseVec::from_pairs(terms).unwrap().view())
            .unwrap();
        labels.push([row % 30]);
    }
    Dataset::new(rows, labels, None).unwrap()
}

/// Without an index, and with one.
fn ways() -> [Memoir; 8] {
    let base = Memoir {
        length: Length::Epochs(22),
        ..Memoir::default()
    };
    [
        base.clone(),
        Memoir {
            draws: MemoirDraws::Balanced,
            ..base.clone()
        },
        Memoir {
            batch: 100,
            ..base.clone()
        },
        base.clone().with_l1(30),
        searching(&base, CODES),
        Memoir {
            draws: MemoirDraws::Balanced,
            batch: 100,
            ..searching(&base, CODES)
        },
        searching(&base.clone().with_l1(30), GRAPH),
        searching(&base, GRAPH),
    ]
}

const GRAPH: Oracle = Oracle::Graph { degree: 4, beam: 8 };

const CODES: Oracle = Oracle::SignCodes {
    words: 1,
    candidates: 6,
};

fn searching(way: &Memoir, oracle: Oracle) -> Memoir {
    Memoir {
        oracle,
        ..way.clone()
    }
}

fn ended(trainer: &mut MemoirTrainer<'_>) -> Vec<u8> {
    while trainer.step(&Sequential).is_some() {}
    trainer.to_bytes().unwrap()
}

#[test]
fn a_training_left_after_any_part_ends_as_one_that_was_not() {
    let data = data(700);
    for way in ways() {
        let expected = ended(&mut way.trainer(&data).unwrap());
        let mut left = way.trainer(&data).unwrap();
        for part in 0..60 {
            if part % 3 == 0 {
                let mut again = way.trainer(&data).unwrap();
                again.resume(&left.to_bytes().unwrap()).unwrap();
                assert!(
                    ended(&mut again) == expected,
                    "left after {part} of {way:?}"
                );
            }
            if left.step(&Sequential).is_none() {
                break;
            }
        }
    }
}

#[test]
fn with_an_index_there_is_a_state_between_passes_only() {
    let data = data(9000);
    let oracles = [CODES, Oracle::Graph { degree: 3, beam: 6 }];
    for oracle in oracles {
        let way = Memoir {
            oracle,
            length: Length::Epochs(3),
            ..Memoir::default()
        };
        let expected = ended(&mut way.trainer(&data).unwrap());
        let mut left = way.trainer(&data).unwrap();
        let mut states = Vec::new();
        while let Some(report) = left.step(&Sequential) {
            assert_eq!(left.can_be_left(), report.epoch_ended);
            match left.to_bytes() {
                Ok(bytes) => states.push(bytes),
                Err(error) => assert_eq!(error, StateError::Unwritable),
            }
        }
        assert_eq!(states.len(), 3);
        for state in &states {
            let mut again = way.trainer(&data).unwrap();
            again.resume(state).unwrap();
            assert!(ended(&mut again) == expected, "{way:?}");
        }
    }
}

/// What a state is made of, to be damaged.
fn parts(bytes: &[u8]) -> Saved<'static> {
    read(bytes).unwrap()
}

fn refusal(way: &Memoir, data: &Dataset, state: &Saved<'_>) -> Option<StateError> {
    let mut bytes = Vec::new();
    write(state, &mut |piece| bytes.extend_from_slice(piece)).unwrap();
    way.trainer(data).unwrap().resume(&bytes).err()
}

/// The first list that holds something.
fn list<'s>(state: &'s mut Saved<'static>) -> &'s mut SavedList<'static> {
    let SavedWeights::Features(lists) = &mut state.weights else {
        panic!("there are no lists")
    };
    let held = |list: &&mut SavedList<'_>| !list.entries.is_empty();
    lists.iter_mut().find(held).unwrap()
}

/// The first row of a class that holds something.
fn row<'s>(state: &'s mut Saved<'static>) -> &'s mut SavedRow<'static> {
    let SavedWeights::Classes(rows, _) = &mut state.weights else {
        panic!("there are no rows")
    };
    let held = |row: &&mut SavedRow<'_>| !row.features.is_empty();
    rows.iter_mut().find(held).unwrap()
}

/// What the index knows beside the weights.
fn products<'s>(state: &'s mut Saved<'static>) -> &'s mut Vec<f32> {
    let SavedWeights::Classes(_, products) = &mut state.weights else {
        panic!("there is no index")
    };
    products.to_mut()
}

/// The first weight, and what is beside those of its list or row.
fn first<'s>(state: &'s mut Saved<'static>) -> (&'s mut f32, &'s mut Vec<f32>) {
    match state.weights {
        SavedWeights::Features(_) => {
            let list = list(state);
            (&mut list.entries.to_mut()[0].value, list.extra.to_mut())
        }
        SavedWeights::Classes(..) => {
            let row = row(state);
            (&mut row.values.to_mut()[0], row.extra.to_mut())
        }
    }
}

type Damage = fn(&mut Saved<'static>);

/// Damages a state and holds what is said of it against words.
type Refused<'r> = dyn Fn(&str, &dyn Fn(&mut Saved<'static>)) + 'r;

/// What is refused of all states, and as what: the words of the error.
const DAMAGES: [(Damage, &str); 9] = [
    (|s| s.steps = u64::MAX, "step 18446744073709551615 occurs"),
    (|s| s.position += 1, "the place among the random draws"),
    (|s| s.state.scale = 0.0, "the scale of the weights"),
    (|s| s.state.scale = 1.5, "the scale of the weights"),
    (|s| s.state.scale = f64::NAN, "the scale of the weights"),
    (
        |s| s.state.square = f64::INFINITY,
        "the length of the weights",
    ),
    (|s| *first(s).0 = f32::NAN, "a weight: a number"),
    (|s| first(s).1.truncate(1), "numbers beside weights"),
    (|s| first(s).1.clear(), "numbers beside weights"),
];

/// The same of states without an index.
const DAMAGES_OF_LISTS: [(Damage, &str); 4] = [
    (
        |s| {
            let SavedWeights::Features(lists) = &mut s.weights else {
                return;
            };
            lists.pop();
        },
        "it has 39 features, but this training 40",
    ),
    (
        |s| list(s).entries.to_mut()[0].class = 30,
        "class 30 occurs, but must be below 30",
    ),
    (
        |s| {
            let entries = list(s).entries.to_mut();
            entries[0].class = entries[1].class;
        },
        "the classes of a feature are out of order, or occur twice",
    ),
    (
        |s| s.weights = SavedWeights::Classes(Vec::new(), Cow::Borrowed(&[])),
        "not what training saves",
    ),
];

/// The same of states with one.
const DAMAGES_OF_ROWS: [(Damage, &str); 6] = [
    (
        |s| {
            let SavedWeights::Classes(rows, _) = &mut s.weights else {
                return;
            };
            rows.pop();
        },
        "it has 29 classes, but this training 30",
    ),
    (
        |s| *row(s).features.to_mut().last_mut().unwrap() = 40,
        "feature 40 occurs, but must be below 40",
    ),
    (
        |s| row(s).features.to_mut().swap(0, 1),
        "the features of a class are out of order, or occur twice",
    ),
    (
        |s| {
            let features = row(s).features.to_mut();
            features[0] = features[1];
        },
        "the features of a class are out of order, or occur twice",
    ),
    (
        |s| row(s).features.to_mut().truncate(1),
        "weights, but this training",
    ),
    (
        |s| s.weights = SavedWeights::Features(Vec::new()),
        "not what training saves",
    ),
];

#[test]
fn each_rule_of_a_state_has_its_refusal() {
    let data = data(700);
    for way in ways() {
        let mut left = way.trainer(&data).unwrap();
        // Until a mean is kept, where one is.
        while left
            .step(&Sequential)
            .is_some_and(|report| report.done < left.total * 3 / 4)
        {}
        let bytes = left.to_bytes().unwrap();
        assert_eq!(refusal(&way, &data, &parts(&bytes)), None);
        let refused = |what: &str, damage: &dyn Fn(&mut Saved<'static>)| {
            let mut state = parts(&bytes);
            damage(&mut state);
            let error = refusal(&way, &data, &state);
            let text = error.map(|error| error.to_string());
            assert!(
                text.as_ref().is_some_and(|text| text.contains(what)),
                "{text:?} instead of {what:?} in {way:?}"
            );
        };
        let own: &[(Damage, &str)] = if way.oracle.is_index() {
            refused("the steps done", &|s| s.steps += 1);
            refused("products of classes", &|s| {
                products(s).push(0.0);
            });
            if matches!(way.oracle, Oracle::SignCodes { .. }) && !way.is_l1() {
                refused("without products", &|s| {
                    let fewer = products(s).len() - 64;
                    products(s).truncate(fewer);
                });
                refused("products of classes there are", &|s| {
                    products(s).extend([0.0; 64]);
                });
                refused("a product of a class", &|s| products(s)[0] = f32::NAN);
            }
            &DAMAGES_OF_ROWS
        } else {
            &DAMAGES_OF_LISTS
        };
        for (damage, what) in DAMAGES.iter().chain(own) {
            refused(what, damage);
        }
        refuses_what_is_beside(&way, &refused);
    }
}

/// The rules of what is kept beside the weights.
fn refuses_what_is_beside(way: &Memoir, refused: &Refused<'_>) {
    let (beside, number) = (
        "what is kept beside the weights",
        "a number beside a weight",
    );
    refused(number, &|s| first(s).1[0] = f32::NAN);
    refused(beside, &|s| {
        s.state.beside = Cow::Owned(Beside::Penalties { now: vec![1.0; 29] });
    });
    if way.is_l1() {
        refused(number, &|s| first(s).1[0] = 1e30);
        refused(number, &|s| first(s).1[0] = -1e-9);
        for now in [-1.0, f64::INFINITY] {
            refused(beside, &|s| {
                s.state.beside = Cow::Owned(Beside::Penalty { now });
            });
        }
    } else {
        let length = "the length of the weights";
        // l1 keeps no mean, which is what tells how many steps there were.
        if !way.oracle.is_index() {
            refused(beside, &|s| s.steps -= 1);
            refused(beside, &|s| s.steps += 1);
        }
        refused(length, &|s| s.state.square *= 1.1);
        refused(length, &|s| *first(s).0 += 1e3);
        refused(beside, &|s| s.state.beside = Cow::Owned(Beside::Nothing));
        for (scales, steps) in [(-1.0, 0), (f64::NAN, 0), (1e12, 0), (0.5, 1)] {
            refused(beside, &|s| {
                let Beside::Sums { steps: done, .. } = *s.state.beside else {
                    panic!("no mean is kept")
                };
                let steps = steps + done;
                s.state.beside = Cow::Owned(Beside::Sums { scales, steps });
            });
        }
    }
}

#[test]
fn a_table_is_made_for_long_lists_only() {
    let data = data(700);
    let way = ways()[0].clone();
    let mut left = way.trainer(&data).unwrap();
    left.step(&Sequential);
    let mut state = parts(&left.to_bytes().unwrap());
    let list = list(&mut state);
    list.entries.to_mut().truncate(2);
    list.places = true;
    let error = refusal(&way, &data, &state);
    let what = "a table of a short list";
    assert_eq!(error, Some(StateError::Impossible { what }));
}

#[test]
fn any_flipped_bit_is_an_error_or_a_training_that_ends_and_any_cut_is_an_error() {
    let data = data(300);
    for way in ways() {
        let mut left = way.trainer(&data).unwrap();
        (0..12).for_each(|_| {
            left.step(&Sequential);
        });
        let bytes = left.to_bytes().unwrap();
        for at in (0..bytes.len()).step_by(61) {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            let mut again = way.trainer(&data).unwrap();
            if again.resume(&damaged).is_ok() && at % 5 == 0 {
                while again.step(&Sequential).is_some() {}
                // A weight of l1 may become so large that sums of it are not finite.
                again
                    .weights()
                    .visit(|_, _, weight| assert!(way.is_l1() || weight.is_finite()));
                again.finish(&Sequential).unwrap();
            }
            if at % 2 == 0 {
                let mut cut = way.trainer(&data).unwrap();
                assert!(cut.resume(&bytes[..at]).is_err());
            }
        }
        let long = [&bytes[..], &[0]].concat();
        let refused = way.trainer(&data).unwrap().resume(&long);
        assert_eq!(refused, Err(StateError::Trailing { bytes: 1 }));
    }
}
