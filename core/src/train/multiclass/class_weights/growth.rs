//! Lists of weights that grow and shrink, each part of the features by a thread of its own.

use super::{ClassWeights, Lists, Places};
use crate::{executor::Executor, train::multiclass::narrow_vec::Numbers};
use alloc::vec::Vec;
use core::ops::Range;

impl ClassWeights {
    /// Appends weights of 0 for classes that have no place: so many of `fresh` for each feature.
    /// Lists that come to hold a quarter of all classes get a place for every class; returns the
    /// features of these, rising.
    ///
    /// Cost: O(weights).
    pub(crate) fn append(
        &mut self,
        counts: &[u32],
        fresh: &[u32],
        executor: &Executor,
    ) -> Vec<u32> {
        let unchanged = counts.iter().take_while(|&&count| count == 0).count();
        if unchanged == counts.len() {
            return Vec::new();
        }
        let growth = Growth::new(self, unchanged, &counts[unchanged..]);
        let (lists, all) = (&mut self.lists, self.classes);
        growth.grow(
            (&mut self.weights, &self.starts),
            &growth.starts,
            fresh,
            executor,
            |part, own| part.spread(own, (&self.starts, lists), &growth, all),
        );
        let Lists { starts, classes } = lists;
        match classes {
            Numbers::Narrow(classes) => {
                growth.list((classes, starts), fresh, |class| class as u16, executor);
            }
            Numbers::Wide(classes) => {
                growth.list((classes, starts), fresh, |class| class, executor);
            }
        }
        (self.starts, lists.starts) = (growth.starts, growth.list_starts);
        growth.dense
    }

    /// Keeps only these places of all lists.
    ///
    /// Cost: O(weights).
    pub(crate) fn retain(&mut self, kept: &Places, executor: &Executor) {
        let Lists { starts, classes } = &mut self.lists;
        let list_starts: Vec<usize> = starts.iter().map(|&start| kept.before(start)).collect();
        let both = starts.iter().zip(&list_starts).zip(&self.starts);
        let new: Vec<usize> = both
            .map(|((old, new), start)| start - (old - new))
            .collect();
        let thinning = Thinning {
            kept,
            lists: starts,
            parts: parts(&self.starts, 0..new.len() - 1, executor.threads()),
        };
        thinning.thin(&mut self.weights, (&self.starts, &new), executor);
        match classes {
            Numbers::Narrow(classes) => thinning.thin(classes, (starts, &list_starts), executor),
            Numbers::Wide(classes) => thinning.thin(classes, (starts, &list_starts), executor),
        }
        (self.starts, *starts) = (new, list_starts);
    }
}

/// Ranges of some features with about equally many weights each, given where those of each feature
/// start; the last ones that have none are left out.
pub(super) fn parts(starts: &[usize], features: Range<usize>, count: usize) -> Vec<Range<usize>> {
    let (first, all) = (
        starts[features.start],
        starts[features.end] - starts[features.start],
    );
    let own = &starts[features.clone()];
    let ends = (1..=count).map(|part| {
        let end = first + all * part / count;
        features.start + own.partition_point(|&start| start < end)
    });
    let mut start = features.start;
    let ranges = ends.map(|end| {
        let range = start..end;
        start = end;
        range
    });
    ranges.collect()
}

/// Where everything is to be.
struct Growth<'a> {
    /// The first feature that gets weights.
    first: usize,
    /// How many it and each of those after it get.
    counts: &'a [u32],
    starts: Vec<usize>,
    list_starts: Vec<usize>,
    /// Features that get a place for every class.
    dense: Vec<u32>,
}

impl<'a> Growth<'a> {
    fn new(weights: &ClassWeights, first: usize, counts: &'a [u32]) -> Self {
        let mut growth = Self {
            first,
            counts,
            starts: weights.starts.clone(),
            list_starts: weights.lists.starts.clone(),
            dense: Vec::new(),
        };
        let (mut end, mut list_end) = (weights.starts[first], weights.lists.starts[first]);
        for (feature, &more) in (first..weights.features()).zip(counts) {
            (growth.starts[feature], growth.list_starts[feature]) = (end, list_end);
            let (held, listed) = (weights.of(feature).len(), weights.listed(feature));
            let more = more as usize;
            if more > 0 && (listed + more) * 4 >= weights.classes {
                growth.dense.push(feature as u32);
                end += weights.classes;
            } else {
                (end, list_end) = (end + held + more, list_end + listed + more);
            }
        }
        let last = weights.features();
        (growth.starts[last], growth.list_starts[last]) = (end, list_end);
        growth
    }

    /// Writes the fresh classes behind the old ones of each list.
    fn list<T: Copy + Default + Send>(
        &self,
        (classes, starts): (&mut Vec<T>, &mut [usize]),
        fresh: &[u32],
        number: impl Fn(u32) -> T + Sync,
        executor: &Executor,
    ) {
        self.cut_dense(classes, starts);
        let (new, old) = (&self.list_starts[..], &*starts);
        self.grow((classes, old), new, fresh, executor, |part, own| {
            part.list(own, (old, new), &number);
        });
    }

    /// Leaves out the lists of features that get a place for every class.
    fn cut_dense<T: Copy>(&self, classes: &mut Vec<T>, starts: &mut [usize]) {
        let last = starts.len() - 1;
        let dense = || self.dense.iter().map(|&feature| feature as usize);
        let mut cut = 0;
        for (feature, next) in dense().zip(dense().skip(1).chain([last])) {
            let end = starts[feature + 1];
            cut += end - (starts[feature] + cut);
            classes.copy_within(end..starts[next], end - cut);
            for start in &mut starts[feature + 1..=next] {
                *start -= cut;
            }
        }
        classes.truncate(classes.len() - cut);
    }

    /// Moves all weights or classes from where those of each feature start to where they are to,
    /// none of them before its old place: parts one after the other, then what each of them holds,
    /// by `fill`.
    fn grow<T: Copy + Default + Send>(
        &self,
        (all, old): (&mut Vec<T>, &[usize]),
        new: &[usize],
        mut fresh: &[u32],
        executor: &Executor,
        fill: impl Fn(&Part<'_>, &mut [T]) + Sync,
    ) {
        let features = self.first..self.first + self.counts.len();
        let last = new.len() - 1;
        if all.capacity() < new[last] {
            // Room for what comes next: to move all to larger memory each time takes longer than to
            // append.
            all.reserve_exact(new[last] + new[last] / 8 - all.len());
        }
        all.resize(new[last], T::default());
        all.copy_within(old[features.end]..old[last], new[features.end]);
        let ranges = parts(new, features, executor.threads());
        for part in ranges.iter().rev() {
            all.copy_within(old[part.start]..old[part.end], new[part.start]);
        }
        let mut rest = &mut all[new[self.first]..];
        let items = ranges.into_iter().map(|features| {
            let counts = &self.counts[features.start - self.first..features.end - self.first];
            let own = counts.iter().map(|&count| count as usize).sum();
            let length = new[features.end] - new[features.start];
            let part = Part {
                features,
                counts,
                fresh: fresh.split_off(..own).unwrap_or_default(),
            };
            (part, rest.split_off_mut(..length).unwrap_or_default())
        });
        let items: Vec<(Part<'_>, &mut [T])> = items.collect();
        executor.map_items(items, |_, (part, own)| fill(&part, own));
    }
}

/// Some features, how many weights each of them gets, and for which classes.
struct Part<'a> {
    features: Range<usize>,
    counts: &'a [u32],
    fresh: &'a [u32],
}

impl Part<'_> {
    /// Features that get weights one by one, those between them that get none together, the last
    /// ones first: which, and how many they get.
    fn groups(&self) -> impl Iterator<Item = (Range<usize>, usize)> {
        let groups = self.counts.chunk_by(|&one, &next| one == 0 && next == 0);
        let mut start = self.features.end;
        groups.rev().map(move |group| {
            start -= group.len();
            (start..start + group.len(), group[0] as usize)
        })
    }

    /// Where something of some of these features is, given where that of each feature starts,
    /// counted from the first one's start.
    fn place(&self, features: &Range<usize>, starts: &[usize]) -> Range<usize> {
        let first = starts[self.features.start];
        starts[features.start] - first..starts[features.end] - first
    }

    /// Moves weights to where those of each feature are to start; 0 is what others are.
    fn spread(
        &self,
        weights: &mut [f32],
        (old, lists): (&[usize], &Lists),
        growth: &Growth<'_>,
        classes: usize,
    ) {
        let (new, dense) = (&growth.starts, &growth.dense);
        let mut all_classes = Vec::new();
        for (features, more) in self.groups() {
            let (from, to) = (self.place(&features, old), self.place(&features, new));
            if more == 0 || dense.binary_search(&(features.start as u32)).is_err() {
                let end = to.start + from.len();
                weights.copy_within(from, to.start);
                weights[end..to.end].fill(0.0);
                continue;
            }
            all_classes.clear();
            all_classes.resize(classes, 0.0);
            let mut listed = weights[from].iter();
            lists
                .classes
                .visit_some(lists.range(features.start), |class| {
                    let weight = listed.next().into_iter();
                    weight.for_each(|&weight| all_classes[class as usize] = weight);
                });
            weights[to].copy_from_slice(&all_classes);
        }
    }

    /// Moves classes to where those of each feature's list are to start, and writes the fresh ones
    /// behind them.
    fn list<T: Copy>(
        &self,
        classes: &mut [T],
        (old, new): (&[usize], &[usize]),
        number: impl Fn(u32) -> T,
    ) {
        let mut fresh = self.fresh;
        for (features, more) in self.groups() {
            let (from, to) = (self.place(&features, old), self.place(&features, new));
            let appended = fresh.split_off(fresh.len() - more..).unwrap_or_default();
            let end = to.start + from.len();
            classes.copy_within(from, to.start);
            // One that has a place for every class has no list.
            let pairs = classes[end..to.end].iter_mut().zip(appended);
            pairs.for_each(|(place, &class)| *place = number(class));
        }
    }
}

/// Which places are kept of which lists.
struct Thinning<'a> {
    kept: &'a Places,
    /// Where the list of each feature starts.
    lists: &'a [usize],
    parts: Vec<Range<usize>>,
}

impl Thinning<'_> {
    /// Leaves out of `all`, weights or classes, what is not kept; `old` and `new` are where those
    /// of each feature start and are to start.
    fn thin<T: Copy + Send>(
        &self,
        all: &mut Vec<T>,
        (old, new): (&[usize], &[usize]),
        executor: &Executor,
    ) {
        let mut rest = &mut all[..];
        let items = self.parts.iter().map(|part| {
            let length = old[part.end] - old[part.start];
            (part, rest.split_off_mut(..length).unwrap_or_default())
        });
        let items: Vec<(&Range<usize>, &mut [T])> = items.collect();
        executor.map_items(items, |_, (part, own)| {
            self.thin_part(part, own, (old, new));
        });
        for part in &self.parts {
            let kept = new[part.end] - new[part.start];
            let start = old[part.start];
            all.copy_within(start..start + kept, new[part.start]);
        }
        all.truncate(new[new.len() - 1]);
    }

    /// Moves what is kept to the beginning of a part.
    fn thin_part<T: Copy>(
        &self,
        part: &Range<usize>,
        own: &mut [T],
        (old, new): (&[usize], &[usize]),
    ) {
        let length = |starts: &[usize], feature: usize| starts[feature + 1] - starts[feature];
        let is_whole = |feature: usize| length(old, feature) == length(new, feature);
        let mut feature = part.start;
        while feature < part.end {
            let rest = feature..part.end;
            let whole = rest.take_while(|&feature| is_whole(feature)).count();
            let end = feature + whole.max(1);
            let from = old[feature] - old[part.start]..old[end] - old[part.start];
            let mut to = new[feature] - new[part.start];
            if whole > 0 {
                own.copy_within(from, to);
            } else {
                for (at, place) in from.zip(self.lists[feature]..) {
                    own[to] = own[at];
                    to += usize::from(self.kept.holds(place));
                }
            }
            feature = end;
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
