//! Whether features are standardized or weighed, as held-out rows say.
//!
//! Methods scale each row to length 1. Where features are of unlike scale, as measurements in
//! different units are, those of large values then decide alone; where values are counts or say
//! only that a feature is there, common features count as much as rare ones. So where at least a
//! fifth of the values of rows are stored, standardized rows ([`Standardization`]) are tried beside
//! rows as they are, and else rows weighed by inverse document frequencies and by their roots.
//! Each is judged by the better of one-vs-rest with its defaults and nearest neighbors, trained and
//! asked on the same sample, and taken if it is better than rows as they are by more than chance.
//! Dense rows that are too few to hold some out are standardized: that is better nearly always.
//! `benches/record/choice.md` has what it is worth.
//!
//! Cost: up to thirty trainings on at most [`MOST_ROWS`] rows and about [`MOST_WORK`] visits each.
//! Standardized rows take 8 bytes a feature each beside the rows as they are, weighed ones as much
//! as these.

use crate::{
    data::{Dataset, Split},
    executor::Executor,
    kernels::Kernels,
    model::{Model, standardization::Standardization},
    parameters::one_vs_rest::OneVsRest,
    sparse::SparseRows,
    train::{TrainError, one_vs_rest::choice::Judge, precision::Figures},
};
use core::ops::ControlFlow;

/// Stored values of rows, as a share of all, from which on they are dense.
const DENSE: f64 = 0.2;

/// The most rows that trials look at.
const MOST_ROWS: f64 = 2_500.0;

/// The most work of a trial of one-vs-rest, in visits of a stored value by a label.
const MOST_WORK: f64 = 5e8;

/// The fewest rows that trials look at, where there are so many.
const LEAST_ROWS: f64 = 300.0;

/// Held-out rows that are enough.
const ENOUGH: usize = 1_000;

/// How many times the chance of a difference standardized rows must gain.
const SURE: f64 = 2.0;

/// Whether so many values of rows are stored.
pub(super) fn is_dense(data: &Dataset) -> bool {
    let all = data.len() as f64 * f64::from(data.rows().features());
    data.rows().nonzeros() as f64 >= DENSE * all
}

/// Powers of inverse document frequencies that are tried.
const POWERS: [f64; 2] = [1.0, 0.5];

/// Features that are to be standardized or weighed.
#[derive(Debug, PartialEq)]
pub(super) struct Standardized {
    pub by: Standardization,
    /// P@1 on held-out rows as they are and as they are seen; `None` where rows are too few to hold
    /// some out.
    pub at_1: Option<[f64; 2]>,
}

/// How rows are best seen; `None` where that is as they are.
pub(super) fn choose(
    data: &Dataset,
    base: &OneVsRest,
    executor: &Executor,
    kernels: &'static dyn Kernels,
) -> Result<Option<Standardized>, TrainError> {
    let weighed = |power| move |rows: &SparseRows| Standardization::weights(rows, power).ok();
    let [whole, root] = POWERS.map(weighed);
    let standardized = |rows: &SparseRows| Standardization::of(rows);
    let dense = is_dense(data);
    let ways: &[&By] = match dense {
        true => &[&standardized],
        // How many features there are may be the word of one row: weights are no more than values.
        false if data.rows().nonzeros() < data.rows().features() as usize => return Ok(None),
        false => &[&whole, &root],
    };
    let work = f64::max(base.work(data, 1.0), 1.0);
    let rows = data.len().max(1) as f64;
    let sampled = f64::min(MOST_ROWS, rows * MOST_WORK / work).max(LEAST_ROWS);
    // All rows where they are no more than that: such a share is refused.
    let sample = Split::new(data.len(), sampled / rows, base.seed);
    let sample = sample.map(|split| data.select(&split.held_out));
    let sample = sample.as_ref().unwrap_or(data);
    let as_they_are = Judge::drawn(sample, base.seed, ENOUGH);
    if as_they_are.is_empty() {
        let by = dense.then(|| Standardization::of(data.rows())).flatten();
        return Ok(by.map(|by| Standardized { by, at_1: None }));
    }
    let judged = |judge: &Judge| best(judge, base, executor, kernels);
    let before = judged(&as_they_are)?;
    let mut least = before.worth() + SURE * as_they_are.chance();
    let mut chosen = None;
    for by in ways {
        let Some(seen) = as_they_are.seen_by(by) else {
            continue;
        };
        let after = judged(&seen)?;
        if after.worth() > least {
            least = after.worth();
            chosen = Some((by, after));
        }
    }
    let Some((by, after)) = chosen else {
        return Ok(None);
    };
    let at_1 = Some([before, after].map(|figures| figures.precision.at_1));
    Ok(by(data.rows()).map(|by| Standardized { by, at_1 }))
}

/// How rows are seen, found in rows to train on; `None` if they do not say.
type By<'a> = dyn Fn(&SparseRows) -> Option<Standardization> + 'a;

/// How good the better of two plain methods is.
fn best(
    judge: &Judge,
    base: &OneVsRest,
    executor: &Executor,
    kernels: &'static dyn Kernels,
) -> Result<Figures, TrainError> {
    let machines = |rows: &Dataset| {
        let go_on = |_| ControlFlow::Continue(());
        Model::train_ovr(base, rows, None, executor, kernels, go_on)
    };
    let machines = judge.judge(&machines, executor, kernels)?;
    let (_, neighbors) = judge.neighbors(executor, kernels)?;
    Ok(match neighbors.worth() > machines.worth() {
        true => neighbors,
        false => machines,
    })
}

#[cfg(test)]
mod tests {
    use super::choose;
    use crate::{
        data::{Dataset, LabelLists},
        executor::{Executor, Sequential},
        kernels::{Kernels, Portable},
        model::{Model, Scratch, provenance::fingerprint},
        parameters::OneVsRest,
        random::Stream,
        sparse::{SparseRows, SparseVec},
        train::auto::{Best, train_best},
    };
    use alloc::vec::Vec;
    use core::ops::ControlFlow;

    const MACHINE: (&Executor, &'static dyn Kernels) = (&Sequential, &Portable);

    /// Dense rows of three labels, which features around `mean` tell; another, of values up to
    /// `scale`, tells nothing.
    fn rows_of(count: u32, (mean, scale): (f32, f32), seed: u64) -> Dataset {
        let (mut rows, mut lists) = (SparseRows::new(4), LabelLists::new(3));
        let mut dice = Stream::new(seed, 0);
        for row in 0..count {
            let mut near = |at: f32| at + dice.unit() as f32;
            let of = |label: u32| mean + if row % 3 == label { 1.5 } else { 0.0 };
            let values = [near(of(0)), near(of(1)), near(of(2)), scale * near(0.0)];
            let row_of = SparseVec::from_pairs((0..).zip(values)).unwrap();
            rows.push(row_of.view()).unwrap();
            lists.push([row % 3]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    fn rows(count: u32, seed: u64) -> Dataset {
        rows_of(count, (5.0, 5000.0), seed)
    }

    fn trained(data: &Dataset, max_bytes: Option<u64>) -> Best {
        train_best(data, None, (1, max_bytes), MACHINE, |_| {
            ControlFlow::Continue(())
        })
        .unwrap()
    }

    fn right(model: &Model, data: &Dataset) -> usize {
        let mut scratch = Scratch::default();
        let mut first = |row: usize| {
            let best = model.predict(data.rows().row(row), 1, &mut scratch);
            best.unwrap()[0].id
        };
        (0..data.len())
            .filter(|&row| data.labels().row(row) == [first(row)])
            .count()
    }

    #[test]
    fn features_of_unlike_scale_are_standardized_in_all_that_a_model_does() {
        let (data, asked) = (rows(240, 1), rows(200, 2));
        let mut best = trained(&data, None);
        let [before, after] = best.standardized.unwrap();
        assert!(before < 0.95 && after > 0.95, "{before} {after}");
        let begun = core::mem::take(&mut best.choice.calibrating);
        let mut model = best.model;
        let made = model.provenance();
        assert_eq!(made.fingerprint, fingerprint(&data));
        assert_eq!(made.nonzeros, data.rows().nonzeros() as u64);
        model
            .calibrate(begun, (&data, 1), &Sequential, &Portable)
            .unwrap();
        assert!(right(&model, &asked) > 180, "{}", right(&model, &asked));
        // A file of it answers as it does, and what is made smaller sees rows alike.
        let file = model.to_bytes().unwrap();
        let read = Model::from_bytes(file.clone()).unwrap();
        assert_eq!(read.rows_are(), Some("standardized"));
        assert!(read.to_bytes().unwrap() == file);
        assert_eq!(right(&read, &asked), right(&model, &asked));
        let small = model.compacted(file.len() as u64 - 1, 1, &Sequential, &Portable);
        let small = small.unwrap().model;
        assert!(small.to_bytes().unwrap().len() < file.len());
        assert_eq!(small.rows_are(), Some("standardized"));
        // So do one that has learned more rows, and one for a budget.
        let more = rows(100, 3);
        let learned = model
            .learn_all(&more, None, &Sequential, &Portable)
            .unwrap();
        let learned = Model::from_bytes(learned.model.to_bytes().unwrap()).unwrap();
        assert!(right(&learned, &asked) > 180);
        let budget = file.len() as u64 - 1;
        let made = trained(&data, Some(budget)).model;
        let made = made
            .compacted(budget, 1, &Sequential, &Portable)
            .unwrap()
            .model;
        assert!(made.to_bytes().unwrap().len() as u64 <= budget);
        // No other training knows means and deviations.
        assert!(model.weights_to_start_from().is_err());
    }

    #[test]
    fn neighbors_learn_and_explain_standardized_rows() {
        let data = rows(240, 1);
        let chosen = choose(&data, &OneVsRest::default(), MACHINE.0, MACHINE.1);
        let standardization = chosen.unwrap().unwrap().by;
        let seen = standardization.dataset(&data);
        let parameters = crate::parameters::NearestParameters::default().within(data.len());
        let mut model = Model::train_nearest(parameters, &seen, None).unwrap();
        model.standardization = Some(standardization);
        let (row, mut scratch) = (data.rows().row(7), Scratch::default());
        let nearest = |model: &Model, scratch: &mut Scratch| {
            let found = model.explain(row, 2, 4, scratch).unwrap();
            let similar = |of: &crate::model::Evidence| (of.row, of.similarity);
            found.iter().map(similar).collect::<Vec<_>>()
        };
        let found = nearest(&model, &mut scratch);
        assert!(
            found[0].0 == 7 && (found[0].1 - 1.0).abs() < 1e-6,
            "{found:?}"
        );
        let id = model.learn(row, &[2]).unwrap();
        let found = nearest(&model, &mut scratch);
        assert!(found.iter().any(|&(row, _)| row == id) && (found[1].1 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn like_features_and_sparse_rows_stay_as_they_are_and_few_rows_do_not() {
        assert!(
            trained(&rows_of(240, (0.0, 0.1), 1), None)
                .standardized
                .is_none()
        );
        let few = trained(&rows(60, 1), None);
        assert_eq!(few.model.rows_are(), Some("standardized"));
        assert!(few.standardized.is_none());
        assert!(right(&few.model, &rows(200, 2)) > 160);
        let base = OneVsRest::default();
        // One row of all varies: where it is held out, there is nothing to standardize by.
        for varied in (0..240).step_by(8) {
            let mut same = SparseRows::new(1);
            for row in 0..240 {
                let value = if row == varied { 2.0 } else { 1.0 };
                let row_of = SparseVec::from_pairs([(0, value)]).unwrap();
                same.push(row_of.view()).unwrap();
            }
            let same = rows(240, 1).with_rows(same);
            let chosen = choose(&same, &base, MACHINE.0, MACHINE.1).unwrap();
            assert!(chosen.is_none_or(|chosen| chosen.at_1.is_some()));
        }
        let mut sparse = rows(240, 1);
        sparse.widen(21, 3);
        assert_eq!(choose(&sparse, &base, MACHINE.0, MACHINE.1), Ok(None));
        // So do rows of one far feature, which is no reason to ask for memory.
        let mut far = rows(240, 1);
        far.widen(u32::MAX, 3);
        assert_eq!(choose(&far, &base, MACHINE.0, MACHINE.1), Ok(None));
        // So do sparse rows that are too few to hold some out.
        let few = sparse.select(&(0..60).collect::<Vec<_>>());
        assert_eq!(choose(&few, &base, MACHINE.0, MACHINE.1), Ok(None));
    }

    /// Rows of one rare feature, which tells the label, and of twelve common ones, which do not.
    fn words(count: u32, seed: u64) -> Dataset {
        let (mut rows, mut lists) = (SparseRows::new(140), LabelLists::new(40));
        let mut dice = Stream::new(seed, 0);
        for row in 0..count {
            let label = row % 40;
            let rare = (label + 40 * dice.below(2) as u32, 1.0);
            let mut common: Vec<u32> = (80..140).collect();
            dice.shuffle(&mut common);
            let pairs = common.into_iter().take(12).map(|feature| (feature, 1.0));
            let pairs = core::iter::once(rare).chain(pairs);
            let row_of = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
            rows.push(row_of.view()).unwrap();
            lists.push([label]);
        }
        Dataset::new(rows, lists, None).unwrap()
    }

    #[test]
    fn features_are_weighed_where_rare_ones_tell_more() {
        let (data, asked) = (words(600, 1), words(200, 2));
        let best = trained(&data, None);
        let [before, after] = best.standardized.unwrap();
        assert!(after > before + 0.05, "{before} {after}");
        let file = best.model.to_bytes().unwrap();
        let read = Model::from_bytes(file.clone()).unwrap();
        assert_eq!(read.rows_are(), Some("weighed by how rare they are"));
        assert!(read.to_bytes().unwrap() == file);
        let right = right(&read, &asked);
        assert!(right > 180, "{right}");
    }
}
