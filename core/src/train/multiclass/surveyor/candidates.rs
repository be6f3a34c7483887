//! The classes that a row is to list: those that add most to its share of the gap.

use super::{
    super::{
        class_scores::{ASIDE, CHUNK},
        state::State,
        survey::{MORE, Search, Survey},
    },
    Surveyor,
};

impl Surveyor {
    /// A score that at least `most` classes reach, each the highest of its chunk; [`ASIDE`] if
    /// there are not so many chunks.
    fn reached_by(&mut self, most: usize) -> f32 {
        self.highs.clear();
        self.highs.extend_from_slice(&self.highest);
        if most == 0 || self.highs.len() <= most {
            return ASIDE;
        }
        let falling = |a: &f32, b: &f32| b.total_cmp(a);
        *self.highs.select_nth_unstable_by(most - 1, falling).1
    }

    /// Lists the classes that add most to the row's gap.
    #[allow(clippy::too_many_arguments, reason = "all are of one row")]
    pub(super) fn list(
        &mut self,
        state: &State,
        search: Search,
        row: usize,
        base: f64,
        floor: f64,
        gap: f64,
        found: &mut Survey,
    ) {
        let duals = &state.duals[row];
        let classes = state.weights.classes;
        let only_largest = state.limits.largest_only();
        self.candidates.clear();
        let sharing = duals.sharing(classes) as f64;
        let more = (gap / search.usual).clamp(1.0, MORE);
        let most = if search.usual > 0.0 {
            (more * search.most as f64) as usize
        } else {
            search.most
        };
        // What one class may add without being listed.
        let worth = if only_largest {
            0.0
        } else {
            (0.5 * search.tolerance / sharing).max(0.02 * gap / sharing)
        };
        let above = state.limits.cost - duals.shared;
        let value = |score: f32| {
            let short = base + f64::from(score);
            if only_largest {
                short - floor
            } else if short > 0.0 {
                above * short
            } else {
                -duals.shared * short
            }
        };
        // Higher scores are worth more, unless classes have a dual to lose.
        let rising = only_largest || duals.shared == 0.0;
        let least = if rising {
            self.reached_by(most).max(0.5 * ASIDE)
        } else {
            0.5 * ASIDE
        };
        for (at, chunk) in self.sums.as_chunks::<CHUNK>().0.iter().enumerate() {
            let high = self.highest[at];
            let short = high < least || value(high) <= worth;
            if !self.touched[at] || (short && rising) {
                continue;
            }
            for (offset, &score) in chunk.iter().enumerate() {
                let class = at * CHUNK + offset;
                if score >= least && class < classes && value(score) > worth {
                    self.candidates.push((value(score) as f32, class as u32));
                }
            }
        }
        let order = |a: &(f32, u32), b: &(f32, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if self.candidates.len() > most {
            self.candidates.select_nth_unstable_by(most, order);
            self.candidates.truncate(most);
        }
        self.candidates.sort_unstable_by(order);
        if !self.candidates.is_empty() {
            found.rows.push((row as u32, self.candidates.len() as u32));
            found.fresh.extend(self.candidates.iter().map(|c| c.1));
        }
    }
}
