//! SimpleLSH: large inner products by codes of signs (B. Neyshabur, N. Srebro, *On symmetric and asymmetric LSHs
//! for inner product search*, 2015).
//!
//! Problem: among L sparse vectors `w` over D features, find those with large `w x`. Bit b of a code is the sign of a
//! product with a Gaussian vector `a_b` over D + 1 features. An item is coded as `w / U` with
//! `sqrt(1 - ||w||^2 / U^2)` behind, where no item is longer than `U`; a query as `x / ||x||` with 0 behind. Both
//! have length 1 and their product is `w x / (U ||x||)`, so two bits are equal with probability
//! `1 - arccos(w x / (U ||x||)) / pi`: the more equal bits, the larger the product, whatever the items' lengths.
//! Items are sorted by length and cut into ranges, each with a `U` of its own (X. Yan and others, *Norm-ranging LSH*,
//! 2018), so that one long item does not blur the others. A zero product counts as positive on both sides.
//!
//! Search: one pass over all codes counts equal bits; each range's count is turned into an estimate of the inner
//! product, and the items with the largest are proposed. Codes need the lengths in the items' own unit: a
//! factor common to all items changes no code.
//!
//! Memory: 8 bytes a word and item, 8 an item. Cost: O(64 words (values of x)) for a query's code, and one
//! popcount a word and item.

use super::{MaxInnerProduct, Proposer, Scored, Top};
use crate::{float, random::Stream, sparse::SparseView};
use alloc::{boxed::Box, vec, vec::Vec};

/// Codes of vectors; see the module's text.
#[derive(Clone, Debug, PartialEq)]
pub struct SignCodes {
    words: usize,
    seed: u64,
    /// The items by rising length, and their codes.
    ids: Vec<u32>,
    codes: Vec<u64>,
    /// Where each range ends, and its `U`.
    ranges: Vec<(usize, f64)>,
}

/// The projections of a vector: bit b of its code is the sign of the b-th.
fn project(words: usize, seed: u64, terms: impl Iterator<Item = (u32, f32)>, out: &mut Vec<f64>) {
    out.clear();
    out.resize(64 * words, 0.0);
    for (feature, value) in terms {
        let mut stream = Stream::new(seed, u64::from(feature));
        add_gaussian(&mut stream, f64::from(value), out);
    }
}

/// Adds `value` times a Gaussian vector (Box and Muller 1958).
fn add_gaussian(stream: &mut Stream, value: f64, out: &mut [f64]) {
    for pair in out.chunks_mut(2) {
        let radius = float::sqrt(-2.0 * float::ln(1.0 - stream.unit()));
        let (sine, cosine) = float::sine_cosine(core::f64::consts::TAU * stream.unit());
        for (sum, part) in pair.iter_mut().zip([cosine, sine]) {
            *sum += value * (radius * part);
        }
    }
}

/// The job number of the Gaussian numbers of the padding, beyond all features.
const PADDING: u64 = 1 << 32;

fn signs(projections: &[f64], out: &mut Vec<u64>) {
    for part in projections.chunks(64) {
        let bits = part.iter().enumerate();
        out.push(bits.fold(0, |word, (at, p)| word | u64::from(*p >= 0.0) << at));
    }
}

impl SignCodes {
    /// Codes of `words` times 64 bits for `items`, ids with their vectors, in `ranges` ranges of length.
    ///
    /// Cost: 64 words Gaussian numbers a stored value.
    #[must_use]
    pub fn new<'a>(
        items: impl Iterator<Item = (u32, SparseView<'a>)>,
        words: usize,
        ranges: usize,
        seed: u64,
    ) -> Self {
        let mut items: Vec<(f64, u32, SparseView<'a>)> =
            items.map(|(id, view)| (view.norm(), id, view)).collect();
        items.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let words = words.max(1);
        let mut made = Self {
            words,
            seed,
            ids: items.iter().map(|item| item.1).collect(),
            codes: Vec::with_capacity(words * items.len()),
            ranges: Vec::new(),
        };
        let mut padding = vec![0.0; 64 * words];
        add_gaussian(&mut Stream::new(seed, PADDING), 1.0, &mut padding);
        let mut projections = Vec::new();
        let each = items.len().div_ceil(ranges.max(1)).max(1);
        for range in items.chunks(each) {
            let longest = range.last().map_or(0.0, |item| item.0);
            for (norm, _, view) in range {
                project(words, seed, view.iter(), &mut projections);
                let pad = float::sqrt((longest * longest - norm * norm).max(0.0));
                for (sum, a) in projections.iter_mut().zip(&padding) {
                    *sum += pad * a;
                }
                signs(&projections, &mut made.codes);
            }
            let end = made.codes.len() / words;
            made.ranges.push((end, longest));
        }
        made
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are no items: then nothing is ever proposed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        4 * self.ids.len() + 8 * self.codes.len() + 16 * self.ranges.len()
    }

    /// The code of a query.
    fn code(&self, row: &[(u32, f32)], projections: &mut Vec<f64>, out: &mut Vec<u64>) {
        project(self.words, self.seed, row.iter().copied(), projections);
        out.clear();
        signs(projections, out);
    }

    /// `cos(pi (1 - share))`, the product of unit vectors for each number of equal bits.
    fn estimates(&self) -> Vec<f64> {
        let bits = 64 * self.words;
        let angle = |equal: usize| core::f64::consts::PI * (1.0 - equal as f64 / bits as f64);
        (0..=bits)
            .map(|equal| float::sine_cosine(angle(equal)).1)
            .collect()
    }
}

impl MaxInnerProduct for SignCodes {
    fn proposer(&self) -> Box<dyn Proposer + '_> {
        Box::new(Scan {
            codes: self,
            estimates: self.estimates(),
            projections: Vec::new(),
            code: Vec::new(),
            top: Top::default(),
        })
    }
}

struct Scan<'a> {
    codes: &'a SignCodes,
    estimates: Vec<f64>,
    projections: Vec<f64>,
    code: Vec<u64>,
    top: Top,
}

impl Proposer for Scan<'_> {
    fn propose(&mut self, row: &[(u32, f32)], k: usize, out: &mut Vec<u32>) -> bool {
        let codes = self.codes;
        codes.code(row, &mut self.projections, &mut self.code);
        self.top.reset(k);
        let mut start = 0;
        for &(end, longest) in &codes.ranges {
            let range = start * codes.words..end * codes.words;
            let each = codes.codes[range].chunks(codes.words);
            for (id, item) in codes.ids[start..end].iter().zip(each) {
                let pairs = item.iter().zip(&self.code);
                let equal: u32 = pairs.map(|(a, b)| (!(a ^ b)).count_ones()).sum();
                let score = (longest * self.estimates[equal as usize]) as f32;
                self.top.push(Scored { id: *id, score });
            }
            start = end;
        }
        out.extend(self.top.sorted().iter().map(|scored| scored.id));
        k == 0 || codes.len() <= k
    }
}

#[cfg(test)]
mod tests {
    use super::SignCodes;
    use crate::{
        float,
        random::Stream,
        search::MaxInnerProduct,
        sparse::{SparseVec, SparseView},
    };
    use alloc::{vec, vec::Vec};

    /// Equal bits of the query `(1, 0)` and of an item of length 0.8 whose product with it, over U = 1, is `s`.
    /// Another item has length 1, so that the first is padded.
    fn equal_bits(s: f32, words: usize) -> u32 {
        let other = float::sqrt(0.64 - f64::from(s) * f64::from(s)) as f32;
        let item = SparseVec::from_pairs([(0, s), (1, other)]).unwrap();
        let longest = SparseVec::from_pairs([(7, 1.0)]).unwrap();
        let items = [(3, item.view()), (4, longest.view())];
        let codes = SignCodes::new(items.into_iter(), words, 1, 5);
        assert_eq!((codes.ids[0], codes.ranges.len()), (3, 1));
        let (mut projections, mut code) = (Vec::new(), Vec::new());
        codes.code(&[(0, 2.5)], &mut projections, &mut code);
        let pairs = code.iter().zip(&codes.codes[..words]);
        pairs.map(|(a, b)| (!(a ^ b)).count_ones()).sum()
    }

    #[test]
    fn bits_are_equal_with_the_probability_of_the_angle() {
        // arccos of these products, divided by pi.
        for (s, angle) in [
            (0.1f32, 0.468_115_719),
            (0.5, 1.0 / 3.0),
            (0.75, 0.230_053_456),
        ] {
            let words = 3_125;
            let bits = 64.0 * f64::from(words);
            let p = 1.0 - angle;
            let share = f64::from(equal_bits(s, words as usize)) / bits;
            let error = float::sqrt(p * (1.0 - p) / bits);
            assert!(
                (share - p).abs() < 4.0 * error,
                "{s}: {share}, expected {p}"
            );
        }
    }

    fn random(count: usize) -> Vec<SparseVec> {
        let mut stream = Stream::new(6, 6);
        let mut made = Vec::new();
        for _ in 0..count {
            let length = 0.1 + 3.0 * stream.unit() as f32;
            let pairs = (0..12).map(|_| {
                let value = stream.unit() as f32 - 0.3;
                (stream.below(60) as u32, length * value)
            });
            made.push(SparseVec::from_pairs(pairs).unwrap());
        }
        made
    }

    fn product(a: SparseView<'_>, row: &[(u32, f32)]) -> f32 {
        let at = |f: u32| {
            a.indices()
                .binary_search(&f)
                .map_or(0.0, |at| a.values()[at])
        };
        row.iter().map(|&(f, x)| at(f) * x).sum()
    }

    /// How often the best of all items is among 40 proposed.
    fn recall(words: usize, ranges: usize) -> f64 {
        let items = random(1_000);
        let views = items
            .iter()
            .enumerate()
            .map(|(id, item)| (id as u32, item.view()));
        let codes = SignCodes::new(views, words, ranges, 9);
        let mut proposer = codes.proposer();
        let queries = random(1_200).split_off(1_000);
        let found = queries.iter().filter(|query| {
            let row: Vec<(u32, f32)> = query.view().iter().collect();
            let scores = items.iter().map(|item| product(item.view(), &row));
            let best = scores
                .enumerate()
                .max_by(|a, b| a.1.total_cmp(&b.1))
                .unwrap()
                .0;
            let mut proposed = vec![];
            assert!(!proposer.propose(&row, 40, &mut proposed));
            assert_eq!(proposed.len(), 40);
            proposed.contains(&(best as u32))
        });
        found.count() as f64 / 200.0
    }

    #[test]
    fn longer_codes_find_more_and_ranges_help() {
        let (short, long, ranged) = (recall(1, 1), recall(16, 1), recall(16, 8));
        assert!(short < long && long > 0.8, "{short} {long}");
        assert!(ranged >= long - 0.02, "{long} {ranged}");
    }

    #[test]
    fn a_common_factor_changes_no_code_and_no_items_propose_nothing() {
        let items = random(50);
        let scaled: Vec<SparseVec> = items
            .iter()
            .map(|i| SparseVec::from_pairs(i.view().iter().map(|(f, v)| (f, 0.25 * v))).unwrap())
            .collect();
        let of = |items: &[SparseVec]| {
            let views = items
                .iter()
                .enumerate()
                .map(|(id, item)| (id as u32, item.view()));
            SignCodes::new(views, 2, 4, 1).codes
        };
        assert_eq!(of(&items), of(&scaled));
        let none = SignCodes::new(core::iter::empty(), 2, 4, 1);
        let mut proposed = vec![];
        assert!(none.is_empty() && none.proposer().propose(&[(0, 1.0)], 5, &mut proposed));
        assert!(proposed.is_empty());
    }
}
