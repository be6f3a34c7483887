use super::{Calibrating, FEW_ROWS, LEAST_ROWS, folds, held_out::HeldOut, share};
use crate::{
    data::{Dataset, LabelLists},
    executor::Sequential,
    kernels::Portable,
    model::{Model, Scratch, calibration::Scale},
    parameters::{NearestParameters, mach::MachParameters, one_vs_rest::OneVsRest},
    random::Stream,
    search::Scored,
    sparse::{SparseRows, SparseVec},
    text::{Vectorizer, VectorizerOptions},
};
use alloc::{format, string::String, vec::Vec};
use core::ops::ControlFlow;

/// Rows of words of their label, and of others.
fn data(count: usize) -> Dataset {
    let mut dice = Stream::new(3, 1);
    let (mut rows, mut lists) = (SparseRows::new(120), LabelLists::new(12));
    for _ in 0..count {
        let label = dice.below(12) as u32;
        let own = (0..2)
            .map(|_| (label * 10 + dice.below(10) as u32, 1.0))
            .collect::<Vec<_>>();
        let noise = (0..4)
            .map(|_| (dice.below(120) as u32, 1.0))
            .collect::<Vec<_>>();
        let row = SparseVec::from_pairs(own.into_iter().chain(noise)).unwrap();
        rows.push(row.view()).unwrap();
        lists.push([label, (label + dice.below(3) as u32) % 12]);
    }
    Dataset::new(rows, lists, None).unwrap()
}

#[test]
fn rows_are_held_out_until_there_are_enough_of_them_and_too_few_not_at_all() {
    for (rows, times, held_out) in [
        (0, 0, 0),
        (199, 0, 195),
        (200, 5, 200),
        (1_000, 5, 1_000),
        (2_500, 2, 1_000),
        (FEW_ROWS, 2, 1_000),
        (20_000, 1, 2_000),
        (1_000_000, 1, 5_000),
    ] {
        assert_eq!(folds(rows), times, "{rows}");
        let each = (share(rows) * rows as f64) as usize;
        let times = if times == 0 { 5 } else { times as usize };
        assert_eq!(each * times, held_out, "{rows}");
    }
}

/// Answers whose scores are the log odds of their being right.
#[test]
fn probabilities_are_those_that_answers_were_drawn_by() {
    let mut dice = Stream::new(4, 0);
    let mut held_out = HeldOut::of(9);
    for _ in 0..4_000 {
        let score = 6.0 * dice.unit() - 3.0;
        let p = 1.0 / (1.0 + libm::exp(-score));
        let best = [score, score - 1.0].into_iter().zip(0..);
        let best: Vec<Scored> = best
            .map(|(s, id)| Scored {
                id,
                score: s as f32,
            })
            .collect();
        let truth: &[u32] = if dice.unit() < p { &[0] } else { &[8] };
        held_out.push(&best, truth);
    }
    let (calibration, told) = held_out.fit(Scale::Linear).unwrap();
    assert_eq!(told.rows, 4_000);
    for score in [-2.5_f32, -1.0, 0.0, 1.5, 2.5] {
        let best = [score, score - 1.0].map(|score| Scored { id: 0, score });
        let found = calibration.probabilities(&best).next().unwrap();
        let right = 1.0 / (1.0 + libm::expf(-score));
        assert!(
            (found - right).abs() < 0.03,
            "{score}: {found}, not {right}"
        );
        assert!((calibration.none(&best) - (1.0 - right)).abs() < 0.03);
    }
}

#[test]
fn calibrated_models_are_read_again_and_uncalibrated_ones_keep_their_bytes() {
    let data = data(900);
    let nearest = NearestParameters::default();
    let go_on = |_| ControlFlow::Continue(());
    let parameters = OneVsRest::default();
    let linear = Model::train_ovr(&parameters, &data, None, &Sequential, &Portable, go_on);
    let mach = MachParameters {
        buckets: 8,
        epochs: 2,
        ..MachParameters::default()
    };
    let go_on = |_| ControlFlow::Continue(());
    for mut model in [
        Model::train_nearest(nearest, &data, None).unwrap(),
        linear.unwrap(),
        Model::train_mach(&mach, &data, None, &Sequential, &Portable, go_on).unwrap(),
    ] {
        let before = model.to_bytes().unwrap();
        assert!(
            Model::from_bytes(before.clone())
                .unwrap()
                .calibration()
                .is_none()
        );
        let told = model
            .calibrate(Calibrating::default(), (&data, 1), &Sequential, &Portable)
            .unwrap()
            .unwrap();
        assert!(told.rows >= LEAST_ROWS && told.micro_f1 > 0.2, "{told:?}");
        let file = model.to_bytes().unwrap();
        assert!(file.len() - before.len() <= 39 * 4 + 128);
        let read = Model::from_bytes(file.clone()).unwrap();
        assert_eq!(read.calibration(), model.calibration());
        assert_eq!(read.to_bytes().unwrap(), file);
        let again = model
            .clone()
            .calibrate(Calibrating::default(), (&data, 1), &Sequential, &Portable)
            .unwrap();
        assert_eq!(again, Some(told));
        let mut scratch = Scratch::default();
        let best = read.predict(data.rows().row(3), 5, &mut scratch).unwrap();
        let found: Vec<f32> = read.calibration().unwrap().probabilities(best).collect();
        assert!(
            found.is_sorted_by(|a, b| a >= b) && found[0] > 0.0,
            "{found:?}"
        );
    }
}

#[test]
fn too_few_rows_calibrate_nothing() {
    let data = data(150);
    let mut model = Model::train_nearest(NearestParameters::default(), &data, None);
    let model = model.as_mut().unwrap();
    let told = model.calibrate(Calibrating::default(), (&data, 1), &Sequential, &Portable);
    assert_eq!(told, Ok(None));
    assert!(model.calibration().is_none());
}

/// A model of texts, and the texts.
fn of_texts() -> (Model, Dataset, Vec<String>) {
    let rows = data(900);
    let text = |row: SparseVec| {
        let words = row.view().iter().map(|(id, _)| format!("w{id} "));
        words.collect::<String>()
    };
    let texts = rows.rows().iter().map(|row| text(row.to_owned()));
    let texts: Vec<String> = texts.collect();
    let options = VectorizerOptions::default();
    let (vectorizer, made) = Vectorizer::fit_transform(&texts, options, &Sequential).unwrap();
    let data = Dataset::new(made, rows.labels().clone(), None).unwrap();
    let go_on = |_| ControlFlow::Continue(());
    let (own, words) = (OneVsRest::default(), Some(vectorizer));
    let model = Model::train_ovr(&own, &data, words, &Sequential, &Portable, go_on).unwrap();
    (model, data, texts)
}

/// The other models of a model that will be smaller are as small: the curves are those of texts
/// that such models answer.
#[test]
fn models_that_will_be_smaller_are_calibrated_by_smaller_ones() {
    let (model, data, texts) = of_texts();
    let whole = model.file_bytes().unwrap();
    let budget = whole / 4;
    let calibrated = |begun: Calibrating| {
        let mut made = model.clone();
        let told = made.calibrate(begun, (&data, 7), &Sequential, &Portable);
        told.unwrap().unwrap();
        made.calibration().unwrap().clone()
    };
    let within = |most| Calibrating {
        max_bytes: Some(most),
        ..Calibrating::default()
    };
    let found = calibrated(within(budget));
    let unlimited = calibrated(Calibrating::default());
    assert_eq!(calibrated(within(whole)), unlimited);

    let mut held_out = HeldOut::of(data.labels().labels());
    for fold in 0..folds(data.len()) {
        let seed = 7 + fold;
        let split = data.labels().split(share(data.len()), seed).unwrap();
        let words = model.vectorizer().cloned();
        let go_on = |_| ControlFlow::Continue(());
        let (own, rows) = (OneVsRest::default(), data.select(&split.train));
        let other = Model::train_ovr(&own, &rows, words, &Sequential, &Portable, go_on).unwrap();
        let most = budget as f64 * other.file_bytes().unwrap() as f64 / whole as f64;
        let small = other
            .compacted(most as u64, 7, &Sequential, &Portable)
            .unwrap();
        assert!(
            small.model.features() < model.features(),
            "words were left out"
        );
        let mut scratch = Scratch::default();
        for &row in &split.held_out {
            let asked = small
                .model
                .row(&texts[row], &mut scratch)
                .unwrap_or_default();
            let best = small.model.predict(asked.view(), 12, &mut scratch);
            held_out.push(best.unwrap_or_default(), data.labels().row(row));
        }
    }
    let (wanted, _) = held_out.fit(Scale::Linear).unwrap();
    let mut differ = 0.0_f32;
    for score in [-0.5_f32, 0.0, 0.25, 0.5, 1.0] {
        let best = [score, score - 0.2].map(|score| Scored { id: 0, score });
        let first = |known: &crate::model::Calibration| known.probabilities(&best).next().unwrap();
        assert!((first(&found) - first(&wanted)).abs() < 0.01, "{score}");
        differ = differ.max((first(&found) - first(&unlimited)).abs());
    }
    assert!(differ > 0.02, "{differ}");
}

/// Answers to other data, of fewer labels, make other curves and no panic.
#[test]
fn answers_of_fewer_labels_do_no_harm() {
    let rows = data(300);
    let mut begun = Calibrating::default();
    begun.begin(&LabelLists::new(2));
    let own = NearestParameters::default();
    let train = |rows: &Dataset| Model::train_nearest(own, rows, None).unwrap();
    let (mut model, mut other) = (train(&rows), None);
    while let Some(part) =
        model.calibrate_part(&mut begun, (&rows, 7), other, &Sequential, Scratch::default)
    {
        other = Some(train(&part));
    }
    assert!(model.calibration().is_some());
}

/// What is read back calibrates alike; what does not fit is refused: ends beyond the answers, out
/// of order or short of them, marks for fewer answers, labels beyond all, scores not finite.
#[test]
fn answers_that_are_read_back_fit_each_other() {
    let rows = data(300);
    let mut begun = Calibrating::default();
    begun.begin(rows.labels());
    for (row, labels) in rows.labels().iter().enumerate() {
        let of = |at: u32| Scored {
            id: (row as u32 + at) % 12,
            score: 3.0 - at as f32,
        };
        begun.push(&[of(0), of(1), of(2)], labels);
    }
    let bytes = postcard::to_allocvec(&begun).unwrap();
    assert_eq!(postcard::from_bytes(&bytes), Ok(begun.clone()));

    type Parts = (Vec<usize>, Vec<(u32, f32)>, Vec<bool>, Vec<u32>);
    let (some, fold) = (Some(()), 1u64);
    let read = |parts: &Parts| {
        let bytes = postcard::to_allocvec(&(some.map(|()| parts), fold)).unwrap();
        postcard::from_bytes::<Calibrating>(&bytes).is_ok()
    };
    let answers = (0..6).map(|id| (id, 1.0f32)).collect();
    let whole: Parts = (
        [3, 3, 6].into(),
        answers,
        [true, false].repeat(3),
        [1; 6].into(),
    );
    assert!(read(&whole));
    let damages: [fn(&mut Parts); 8] = [
        |parts| parts.0[2] = 7,
        |parts| parts.0[2] = 5,
        |parts| parts.0[0] = 4,
        |parts| parts.0.clear(),
        |parts| parts.2.truncate(5),
        |parts| parts.3.truncate(5),
        |parts| parts.1[4].1 = f32::NAN,
        |parts| parts.1[4].1 = f32::INFINITY,
    ];
    for (at, damage) in damages.iter().enumerate() {
        let mut parts = whole.clone();
        damage(&mut parts);
        assert!(!read(&parts), "damage {at}");
    }
}
