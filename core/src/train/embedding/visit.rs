//! One visit of a row: where it falls in the embedding, which classes violate its margin there, and
//! what that pulls at.

use super::{last_violators::LastViolators, space::Space};
use crate::parameters::wsabie::{RankWeight, ViolatorSearch};
use crate::{
    kernels::panels::{LANES, dots, embed, panels_for, place},
    random::Stream,
};
use alloc::vec::Vec;
use hapax_processor::Loop;

/// What a visit came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// No class violates the margin.
    #[default]
    Satisfied,
    /// A class of the chain of last violators does: the row is ignored.
    Ignored,
    /// There are violators to learn from.
    Violated,
}

/// What a visit found: memory that is used again.
#[derive(Clone, Debug, Default)]
pub struct Visited {
    /// The row's position in the data.
    pub row: usize,
    /// The class drawn from its labels, which is to be ahead.
    pub positive: u32,
    /// What came of it.
    pub outcome: Outcome,
    /// Violators by falling violation, with their weights.
    pub violators: Vec<(u32, f32)>,
    /// The sum of their weights.
    pub weight: f32,
    /// z = W x.
    pub point: Vec<f32>,
    /// The gradient of the loss by z.
    pub gradient: Vec<f32>,
}

/// What all visits share.
#[derive(Clone, Copy, Debug)]
pub struct VisitRule<'a> {
    /// b.
    pub margin: f32,
    /// How violators are found.
    pub search: ViolatorSearch,
    /// What a violation counts.
    pub rank_weight: RankWeight,
    /// Q.
    pub links: u32,
    /// `1 + 1/2 + … + 1/r` at place r.
    pub harmonic: &'a [f32],
    /// The memory of violators.
    pub last: &'a LastViolators,
}

/// A row to visit.
pub struct Visit<'a> {
    /// Where.
    pub space: &'a Space,
    /// How.
    pub rule: &'a VisitRule<'a>,
    /// The row's features.
    pub features: &'a [u32],
    /// Their values.
    pub values: &'a [f32],
    /// The row's labels, rising.
    pub labels: &'a [u32],
    /// All that is random in this visit.
    pub dice: Stream,
    /// The answer: row and positive are given.
    pub out: &'a mut Visited,
}

/// A class over the limit.
#[derive(Clone, Copy, Debug)]
struct Violator {
    class: u32,
    score: f32,
}

/// The violators found, the worst first, and what is known of how many there are.
#[derive(Default)]
struct Found {
    worst: Vec<Violator>,
    /// Of the classes tried.
    violators: usize,
    tried: usize,
}

impl Loop for Visit<'_> {
    type Output = ();

    /// Runs a visit. Cost: M for each stored value of the row and each class that is tried.
    #[inline(always)]
    fn run(mut self) {
        let (space, rule) = (self.space, self.rule);
        let out = &mut *self.out;
        out.violators.clear();
        out.point.clear();
        out.point.resize(space.dimensions, 0.0);
        embed(&space.embedding, self.features, self.values, &mut out.point);
        let positive_slot = space.slot_of[out.positive as usize] as usize;
        let limit = space.score(positive_slot, &out.point) - rule.margin;
        let over =
            |class: u32| space.score(space.slot_of[class as usize] as usize, &out.point) > limit;
        if rule.links > 0
            && rule
                .last
                .ignore(out.positive, self.labels, rule.links, over)
        {
            out.outcome = Outcome::Ignored;
            return;
        }
        let quest = Quest {
            space,
            labels: self.labels,
            point: &out.point,
            limit,
        };
        let found = match rule.search {
            ViolatorSearch::Replacement => quest.by_draws(&mut self.dice),
            ViolatorSearch::Cyclic => {
                quest.cyclic(self.dice.below(space.classes() as u64) as usize)
            }
            ViolatorSearch::Blocks { classes, top } => {
                let panels = panels_for(space.classes());
                let first = self.dice.below(panels as u64) as usize;
                quest.by_blocks(first, panels_for(classes as usize), top as usize)
            }
        };
        if found.worst.is_empty() {
            out.outcome = Outcome::Satisfied;
            return;
        }
        out.outcome = Outcome::Violated;
        weigh(
            &found,
            rule,
            limit,
            space.classes() - self.labels.len(),
            out,
        );
        pull(space, positive_slot, out);
    }
}

/// Deals the weight of the violation to the violators.
#[inline(always)]
fn weigh(found: &Found, rule: &VisitRule<'_>, limit: f32, negatives: usize, out: &mut Visited) {
    out.weight = match rule.rank_weight {
        RankWeight::Constant => 1.0,
        RankWeight::Harmonic => {
            let rank = negatives * found.violators / found.tried.max(1);
            rule.harmonic[rank.clamp(1, rule.harmonic.len() - 1)]
        }
    };
    let total: f32 = found
        .worst
        .iter()
        .map(|violator| violator.score - limit)
        .sum();
    out.violators.extend(found.worst.iter().map(|violator| {
        let share = if found.worst.len() == 1 {
            1.0
        } else {
            (violator.score - limit) / total
        };
        (violator.class, out.weight * share)
    }));
}

/// The gradient by z: `sum_k w_k (beta_k - beta_+)`, twice that for distances.
#[inline(always)]
fn pull(space: &Space, positive: usize, out: &mut Visited) {
    let factor = if space.euclidean { 2.0 } else { 1.0 };
    out.gradient.clear();
    out.gradient.resize(space.dimensions, 0.0);
    let mut add = |slot: usize, weight: f32| {
        let start = place(slot, space.dimensions);
        let coordinates = space.panels[start..].iter().step_by(LANES);
        for (g, &beta) in out.gradient.iter_mut().zip(coordinates) {
            *g += weight * beta;
        }
    };
    for &(class, weight) in &out.violators {
        add(space.slot_of[class as usize] as usize, factor * weight);
    }
    add(positive, -factor * out.weight);
}

/// The search for classes whose score is above `limit` and which the row does not carry.
struct Quest<'a> {
    space: &'a Space,
    labels: &'a [u32],
    point: &'a [f32],
    limit: f32,
}

impl Quest<'_> {
    /// The scores of a panel's slots, and whether any is above the limit.
    #[inline(always)]
    fn scores(&self, panel: usize, scores: &mut [f32; LANES]) -> bool {
        let size = LANES * self.space.dimensions;
        dots(
            &self.space.panels[panel * size..][..size],
            self.point,
            scores,
        );
        let offsets = &self.space.offsets[panel * LANES..][..LANES];
        // Lanes of marks are joined side by side, a maximum is found one lane after the other.
        let mut above = 0;
        for (score, &offset) in scores.iter_mut().zip(offsets) {
            *score = self.space.ranked(*score, offset);
            above |= u32::from(*score > self.limit);
        }
        above != 0
    }

    /// The class of a slot with this score, if it violates the margin.
    #[inline(always)]
    fn violator(&self, slot: usize, score: f32) -> Option<Violator> {
        let class = *self.space.class_at.get(slot)?;
        let violates = score > self.limit && self.labels.binary_search(&class).is_err();
        violates.then_some(Violator { class, score })
    }

    /// Draws classes the row does not carry until one violates, at most as many as there are
    /// classes.
    fn by_draws(&self, dice: &mut Stream) -> Found {
        let classes = self.space.classes();
        let mut found = Found::default();
        while found.tried < classes {
            let slot = dice.below(classes as u64) as usize;
            if self
                .labels
                .binary_search(&self.space.class_at[slot])
                .is_ok()
            {
                continue;
            }
            found.tried += 1;
            if let Some(violator) = self.violator(slot, self.space.score(slot, self.point)) {
                found.violators = 1;
                found.worst.push(violator);
                break;
            }
        }
        found
    }

    /// The first violator from slot `start` on, round to the slot before it.
    #[inline(always)]
    fn cyclic(&self, start: usize) -> Found {
        let classes = self.space.classes();
        let panels = panels_for(classes);
        let mut scores = [0.0; LANES];
        for turn in 0..=panels {
            let panel = (start / LANES + turn) % panels;
            let lanes = match turn {
                0 => start % LANES..LANES,
                _ if turn == panels => 0..start % LANES,
                _ => 0..LANES,
            };
            if !self.scores(panel, &mut scores) {
                continue;
            }
            for lane in lanes {
                let slot = panel * LANES + lane;
                if let Some(violator) = self.violator(slot, scores[lane]) {
                    let distance = |slot: usize| (slot + classes - start) % classes;
                    let passed = distance(slot);
                    let slots = self
                        .labels
                        .iter()
                        .map(|&own| self.space.slot_of[own as usize]);
                    let own = slots.filter(|&own| distance(own as usize) < passed).count();
                    let (violators, tried) = (1, passed - own + 1);
                    return Found {
                        worst: alloc::vec![violator],
                        violators,
                        tried,
                    };
                }
            }
        }
        Found::default()
    }

    /// The worst `top` violators of the first block with any, from panel `first` on.
    #[inline(always)]
    fn by_blocks(&self, first: usize, block: usize, top: usize) -> Found {
        let panels = panels_for(self.space.classes());
        let mut found = Found::default();
        let mut scores = [0.0; LANES];
        let mut turns = 0;
        for turn in 0..panels {
            if turn % block == 0 && !found.worst.is_empty() {
                break;
            }
            turns = turn + 1;
            let panel = (first + turn) % panels;
            found.tried += LANES.min(self.space.classes() - panel * LANES);
            if !self.scores(panel, &mut scores) {
                continue;
            }
            for (lane, &score) in scores.iter().enumerate() {
                if let Some(violator) = self.violator(panel * LANES + lane, score) {
                    found.violators += 1;
                    keep_worst(&mut found.worst, violator, top);
                }
            }
        }
        let panel = |label: &u32| self.space.slot_of[*label as usize] as usize / LANES;
        let own = self.labels.iter().map(panel);
        found.tried -= own
            .filter(|own| (own + panels - first) % panels < turns)
            .count();
        found
    }
}

/// Puts a violator in its place among the worst, of which at most `top` stay.
#[inline(always)]
fn keep_worst(worst: &mut Vec<Violator>, violator: Violator, top: usize) {
    let before = |other: &Violator| {
        other.score > violator.score
            || (other.score == violator.score && other.class < violator.class)
    };
    let place = worst
        .iter()
        .position(|other| !before(other))
        .unwrap_or(worst.len());
    if place < top {
        worst.truncate(top - 1);
        worst.insert(place, violator);
    }
}
