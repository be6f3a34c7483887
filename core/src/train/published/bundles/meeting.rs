//! The rows of one bundle against the classes of another, or of their own.
//!
//! For a row x of class y and the other bundle's classes c, with `b_c = 1 - s_y + s_c`: classes
//! that are listed for the row have duals of their own, the others share one, whose best is found
//! from the mean of their `b_c`. All of them go to their best at once
//! ([`crate::train::multiclass::row_step`]), everything else fixed. A class joins the list if its
//! best dual would be far from the shared one.

mod duals;

use super::{
    bundle::Bundle,
    moved::{Move, Moved},
};
use crate::{
    random::Stream,
    train::multiclass::{
        prefetch::fetch_slice,
        problem::Problem,
        row_step::{Limits, Shared, root},
    },
};
use alloc::vec::Vec;
use hapax_processor::FETCHES;
use serde::{Deserialize, Serialize};

/// Most classes that join a row's list at one visit.
const JOIN: usize = 16;

/// A row without anything to gain rests for so many epochs: each time twice as many and one more.
const REST: u8 = 15;

/// The duals of a row for the classes of a bundle.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Duals {
    /// Classes with a dual of their own, by their numbers within the bundle, rising, and these
    /// duals.
    listed: Vec<(u32, f64)>,
    /// The dual of each other class.
    shared: f64,
    /// Epochs of its last rest, and epochs still to rest.
    rested: u8,
    rest: u8,
}

impl Duals {
    /// Whether the row rests in this meeting.
    fn rests(&mut self) -> bool {
        let rests = self.rest > 0;
        self.rest = self.rest.saturating_sub(1);
        rests
    }
}

/// What does not change during a round.
#[derive(Clone, Copy, Debug)]
pub struct Round<'a> {
    /// The rows.
    pub problem: &'a Problem,
    /// The limits of duals.
    pub limits: Limits,
    /// A row stays as it is if it could gain at most this.
    pub tolerance: f64,
    /// That of the order of rows.
    pub seed: u64,
    /// The number of bundles.
    pub many: usize,
    /// The number of this round, from 1.
    pub time: u32,
    /// Whether other processes are to be told what rows move.
    pub told: bool,
}

/// Memory of a meeting.
#[derive(Debug, Default)]
pub struct Scratch {
    order: Vec<u32>,
    scores: Vec<f64>,
    targets: Vec<f64>,
    joining: Vec<(f64, u32)>,
    /// By how much of a row the classes move that it meets: one by one.
    classes: Vec<(u32, f64)>,
}

/// How many rows before its turn a row is asked for: itself, where the weights of its features are,
/// these weights.
pub const STEPS: [usize; 3] = [6, 4, 2];

/// Asks for the memory of rows to come, the one whose turn is so many rows later by its number: all
/// but weights.
#[inline(always)]
pub fn fetch_ahead(
    problem: &Problem,
    (own, other): (&Bundle, Option<&Bundle>),
    later: impl Fn(usize) -> Option<u32>,
) {
    let soon = |step: usize| later(STEPS[step]).map(|row| problem.row(row as usize));
    if let Some(row) = soon(0) {
        fetch_slice(row.features);
        fetch_slice(row.values);
    }
    if let Some(row) = soon(1) {
        own.fetch_features(row);
        if let Some(other) = other {
            other.fetch_features(row);
        }
    }
}

/// Visits the rows of `own` in random order; `other` is the bundle they meet, if it is not their
/// own. `stream` tells this meeting from others of the round; `fetch` is told of the memory of rows
/// before their turn. Returned is what rows moved, if it is to be told.
#[inline(always)]
pub fn meet(
    round: Round<'_>,
    own: &mut Bundle,
    mut other: Option<&mut Bundle>,
    duals: &mut Vec<Duals>,
    stream: u64,
    scratch: &mut Scratch,
) -> Moved {
    let mut told = Moved::default();
    duals.resize_with(own.rows.len(), Duals::default);
    let wrong = match &other {
        Some(other) => other.classes.len(),
        None => own.classes.len().saturating_sub(1),
    };
    if wrong == 0 {
        return told;
    }
    let mut order = core::mem::take(&mut scratch.order);
    order.clear();
    order.extend(0..own.rows.len() as u32);
    let job = u64::from(round.time) << 32 | stream;
    Stream::new(round.seed, job).shuffle(&mut order);
    order.retain(|&place| !duals[place as usize].rests());
    for (at, &place) in order.iter().enumerate() {
        if FETCHES {
            let later = |rows: usize| order.get(at + rows).map(|&place| own.rows[place as usize]);
            fetch_ahead(round.problem, (own, other.as_deref()), later);
            if let Some(number) = later(STEPS[2]) {
                let row = round.problem.row(number as usize);
                let class = Bundle::local(round.problem.class(number as usize), round.many);
                match &other {
                    Some(other) => {
                        own.fetch_some(row, &[(class, 0.0)]);
                        other.fetch_weights(row);
                    }
                    None => own.fetch_weights(row),
                }
            }
        }
        let place = place as usize;
        let duals = &mut duals[place];
        let number = own.rows[place] as usize;
        let row = round.problem.row(number);
        let class = Bundle::local(round.problem.class(number), round.many);
        let own_score = own.score(row, class);
        let excluded = other.is_none().then_some(class);
        match &other {
            Some(other) => other.scores(row, &mut scratch.scores),
            None => own.scores(row, &mut scratch.scores),
        }
        // From scores to shortfalls.
        for score in &mut scratch.scores {
            *score += 1.0 - own_score;
        }
        let square = round.problem.square(number);
        let Some((total, shared)) = solve(round, duals, square, excluded, scratch) else {
            duals.rested = (2 * duals.rested + 1).min(REST);
            duals.rest = duals.rested;
            continue;
        };
        duals.rested = 0;
        if excluded.is_some() {
            // The own class is moved with the others and must not be.
            scratch.classes.push((class, total - shared));
        }
        let next = Move {
            place,
            total,
            shared,
            classes: &scratch.classes,
        };
        apply(round, own, other.as_deref_mut(), next);
        if round.told {
            told.note(next);
        }
    }
    scratch.order = order;
    told
}

/// Asks for the weights that a move changes.
#[inline(always)]
pub fn fetch_moved(round: Round<'_>, own: &Bundle, other: Option<&Bundle>, next: Move<'_>) {
    let number = own.rows[next.place] as usize;
    let row = round.problem.row(number);
    match other {
        Some(other) => {
            other.fetch_some(row, next.classes);
            let class = Bundle::local(round.problem.class(number), round.many);
            own.fetch_some(row, &[(class, 0.0)]);
        }
        None => own.fetch_some(row, next.classes),
    }
}

/// Moves the weights of two bundles, or of one that meets itself, as a row of the first one says.
#[inline(always)]
pub fn apply(round: Round<'_>, own: &mut Bundle, other: Option<&mut Bundle>, next: Move<'_>) {
    let number = own.rows[next.place] as usize;
    let row = round.problem.row(number);
    own.totals[next.place] += next.total;
    match other {
        Some(other) => {
            other.add(row, next.shared, next.classes);
            let class = Bundle::local(round.problem.class(number), round.many);
            own.add(row, 0.0, &[(class, next.total)]);
        }
        None => own.add(row, next.shared, next.classes),
    }
}

/// Brings the duals of a row to their best and writes down by how much of it classes move one by
/// one; returns by how much the sum of duals moved and by how much all classes move, or nothing if
/// there was too little to gain.
#[inline(always)]
fn solve(
    round: Round<'_>,
    duals: &mut Duals,
    square: f64,
    excluded: Option<u32>,
    scratch: &mut Scratch,
) -> Option<(f64, f64)> {
    let Scratch {
        scores: shortfalls,
        targets,
        joining,
        classes: moves,
        ..
    } = scratch;
    let cost = round.limits.cost;
    let (gap, mut sum, mut sharing) = left_to_gain(duals, shortfalls, excluded, cost);
    if gap <= round.tolerance {
        return None;
    }
    let before: f64 =
        duals.listed.iter().map(|dual| dual.1).sum::<f64>() + sharing as f64 * duals.shared;
    let mut z = best(
        duals,
        shortfalls,
        sharing,
        sum,
        before,
        square,
        round.limits,
        targets,
    );
    let mean = |sum: f64, sharing: usize| sum / (sharing as f64).max(1.0);
    let target = |short: f64| short / square + before + duals.shared;
    let shared = (target(mean(sum, sharing)) - z).clamp(0.0, cost);
    joining.clear();
    let mut listed = duals.listed.iter().peekable();
    for (class, &short) in shortfalls.iter().enumerate() {
        let class = class as u32;
        if listed.next_if(|dual| dual.0 == class).is_some() || excluded == Some(class) {
            continue;
        }
        let off = (target(short) - z).clamp(0.0, cost) - shared;
        let gain = square * off * off;
        if gain > 0.125 * round.tolerance && gain > 1e-14 * cost {
            joining.push((gain, class));
        }
    }
    if !joining.is_empty() {
        joining.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        joining.truncate(JOIN);
        for &(_, class) in joining.iter() {
            let at = duals.listed.partition_point(|dual| dual.0 < class);
            duals.listed.insert(at, (class, duals.shared));
            sum -= shortfalls[class as usize];
            sharing -= 1;
        }
        z = best(
            duals,
            shortfalls,
            sharing,
            sum,
            before,
            square,
            round.limits,
            targets,
        );
    }
    let shared = if sharing > 0 {
        (mean(sum, sharing) / square + before + duals.shared - z).clamp(0.0, cost)
    } else {
        duals.shared
    };
    let (after, shared_move) = move_duals(duals, shared, sharing, cost, z, targets, moves);
    Some((after - before, shared_move))
}

/// What a row has left to gain, the sum of the shortfalls that share a dual, and how many do.
#[inline(always)]
fn left_to_gain(
    duals: &Duals,
    shortfalls: &[f64],
    excluded: Option<u32>,
    cost: f64,
) -> (f64, f64, usize) {
    let gain = |dual: f64, short: f64| cost * short.max(0.0) - dual * short;
    let (mut gap, mut sum, mut sharing) = (0.0, 0.0, 0usize);
    let mut listed = duals.listed.iter().peekable();
    for (class, &short) in (0u32..).zip(shortfalls) {
        match listed.next_if(|dual| dual.0 == class) {
            Some(dual) => gap += gain(dual.1, short),
            None if excluded == Some(class) => {}
            None => {
                gap += gain(duals.shared, short);
                sum += short;
                sharing += 1;
            }
        }
    }
    (gap, sum, sharing)
}

/// Moves the duals of a row to their targets, writes down by how much classes move one by one, and
/// returns the sum of the duals and by how much all classes move.
#[inline(always)]
fn move_duals(
    duals: &mut Duals,
    shared: f64,
    sharing: usize,
    cost: f64,
    z: f64,
    targets: &[f64],
    moves: &mut Vec<(u32, f64)>,
) -> (f64, f64) {
    moves.clear();
    let shared_move = duals.shared - shared;
    let mut after = sharing as f64 * shared;
    for (dual, target) in duals.listed.iter_mut().zip(targets) {
        let new = (target - z).clamp(0.0, cost);
        after += new;
        // Classes with a dual of their own move with the others, too.
        let amount = dual.1 - new - shared_move;
        if amount != 0.0 {
            moves.push((dual.0, amount));
        }
        dual.1 = new;
    }
    duals.shared = shared;
    duals.listed.retain(|dual| dual.1 != 0.0 || shared != 0.0);
    (after, shared_move)
}

/// The root for the duals of a row, whose targets are left in `targets`.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "one formula, used twice")]
fn best(
    duals: &Duals,
    shortfalls: &[f64],
    sharing: usize,
    sum: f64,
    before: f64,
    square: f64,
    limits: Limits,
    targets: &mut Vec<f64>,
) -> f64 {
    targets.clear();
    let of = |dual: &(u32, f64)| shortfalls[dual.0 as usize] / square + before + dual.1;
    targets.extend(duals.listed.iter().map(of));
    let shared = Shared {
        count: sharing as f64,
        target: sum / (sharing as f64).max(1.0) / square + before + duals.shared,
    };
    root(targets, shared, limits, before)
}
