//! SimpleLSH: large inner products by codes of signs (B. Neyshabur, N. Srebro, *On symmetric and
//! asymmetric LSHs for inner product search*, 2015).
//!
//! Problem: among L sparse vectors `w` over D features, find those with large `w x`. Bit b of a
//! code is the sign of a product with a Gaussian vector `a_b` over D + 1 features. An item is coded
//! as `w / U` with `sqrt(1 - ||w||^2 / U^2)` behind, where no item is longer than `U`; a query as
//! `x / ||x||` with 0 behind. Both have length 1 and their product is `w x / (U ||x||)`, so two
//! bits are equal with probability `1 - arccos(w x / (U ||x||)) / pi`: the more equal bits, the
//! larger the product, whatever the items' lengths. Items whose lengths lie between the same two
//! powers of a ratio share a `U` (X. Yan and others, *Norm-ranging LSH*, 2018), so that one long
//! item does not blur the others, and an item can come and go without the others' codes. A zero
//! product counts as positive on both sides.
//!
//! Search: one pass over all codes counts equal bits; the count is turned into an estimate of the
//! inner product, and the items with the largest are proposed. Codes need the lengths in the items'
//! own unit: a power of the ratio common to all items changes no code.
//!
//! Memory: 8 bytes a word and item, 12 an item. Cost: O(64 words (values of x)) for a query's code,
//! and one popcount a word and item.

use super::{
    MaxInnerProduct, Proposer, Scored, Top,
    sign_projection::{Projection, signs},
};
use crate::{
    executor::Executor,
    float,
    sparse::{SparseVec, SparseView},
};
use alloc::{boxed::Box, vec::Vec};

/// Codes of vectors; see the module's text.
#[derive(Clone, Debug)]
pub struct SignCodes {
    words: usize,
    projection: Projection,
    ids: Vec<u32>,
    codes: Vec<u64>,
    /// The `U` of each item.
    bounds: Vec<f32>,
    /// Where each id stands, or `NOWHERE`.
    places: Vec<u32>,
    /// `cos(pi (1 - share))`, the product of unit vectors for each number of equal bits.
    estimates: Vec<f32>,
}

const NOWHERE: u32 = u32::MAX;

impl SignCodes {
    /// No items yet; codes will have `words` times 64 bits, and `ratio` (above 1) is between the
    /// lengths that share a `U`.
    #[must_use]
    pub(crate) fn new(words: usize, ratio: f64, seed: u64) -> Self {
        let words = words.max(1);
        let bits = 64 * words;
        let angle = |equal: usize| core::f64::consts::PI * (1.0 - equal as f64 / bits as f64);
        Self {
            words,
            projection: Projection::new(bits, ratio, seed),
            ids: Vec::new(),
            codes: Vec::new(),
            bounds: Vec::new(),
            places: Vec::new(),
            estimates: (0..=bits)
                .map(|equal| float::sine_cosine(angle(equal)).1 as f32)
                .collect(),
        }
    }

    /// Number of items.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Bits of a code.
    #[must_use]
    pub(crate) fn bits(&self) -> usize {
        64 * self.words
    }

    /// Bytes held.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        let ids = self.ids.len() + self.bounds.len() + self.places.len();
        4 * (ids + self.estimates.len()) + 8 * self.codes.len() + self.projection.bytes()
    }

    /// Adds an item, or puts it in the place of the one with the same id.
    ///
    /// Cost: 64 words Gaussian numbers a stored value.
    #[cfg(test)]
    fn insert(&mut self, id: u32, item: SparseView<'_>) {
        let (code, bound) = self.coded(item, &mut Vec::new());
        self.put(id, &code, bound);
    }

    /// Adds items, or puts them in the places of those with the same ids; their codes are made in
    /// parallel.
    pub(crate) fn insert_all(&mut self, items: &[(u32, SparseVec)], executor: &Executor) {
        let this = &*self;
        let coded = executor.map(items.len(), Vec::new, |projections, at| {
            this.coded(items[at].1.view(), projections)
        });
        for ((id, _), (code, bound)) in items.iter().zip(coded) {
            self.put(*id, &code, bound);
        }
    }

    /// The products of a row with the Gaussian vectors in place of `out`: 64 times the words. Those
    /// of a sum of rows are the sums of theirs, so that an item that grows by rows need not be
    /// multiplied anew.
    ///
    /// Cost: 64 words Gaussian numbers a stored value.
    pub(crate) fn products(&self, row: &[(u32, f32)], out: &mut Vec<f32>) {
        self.projection.query(row, out);
    }

    /// Adds an item of this length whose products are known; these are overwritten.
    pub(crate) fn insert_products(&mut self, id: u32, products: &mut [f32], length: f64) {
        let bound = self.projection.pad(length, products);
        let mut code = Vec::with_capacity(self.words);
        signs(products, &mut code);
        self.put(id, &code, bound as f32);
    }

    /// Removes all items.
    pub(crate) fn clear(&mut self) {
        self.ids.clear();
        self.codes.clear();
        self.bounds.clear();
        self.places.clear();
    }

    fn place(&self, id: u32) -> Option<usize> {
        let place = *self.places.get(id as usize)?;
        (place != NOWHERE).then_some(place as usize)
    }

    fn coded(&self, item: SparseView<'_>, projections: &mut Vec<f32>) -> (Vec<u64>, f32) {
        let bound = self.projection.item(item, projections);
        let mut code = Vec::with_capacity(self.words);
        signs(projections, &mut code);
        (code, bound as f32)
    }

    fn put(&mut self, id: u32, code: &[u64], bound: f32) {
        let place = self.place(id).unwrap_or(self.ids.len());
        if place == self.ids.len() {
            if self.places.len() <= id as usize {
                self.places.resize(id as usize + 1, NOWHERE);
            }
            self.places[id as usize] = place as u32;
            self.ids.push(id);
            self.bounds.push(0.0);
            self.codes.resize(self.words * (place + 1), 0);
        }
        self.bounds[place] = bound;
        self.codes[self.words * place..self.words * (place + 1)].copy_from_slice(code);
    }

    /// The code of a query.
    fn code(&self, row: &[(u32, f32)], projections: &mut Vec<f32>, out: &mut Vec<u64>) {
        self.projection.query(row, projections);
        out.clear();
        signs(projections, out);
    }
}

impl MaxInnerProduct for SignCodes {
    fn proposer(&self) -> Box<dyn Proposer + '_> {
        Box::new(Scan {
            codes: self,
            projections: Vec::new(),
            code: Vec::new(),
            top: Top::default(),
        })
    }
}

struct Scan<'a> {
    codes: &'a SignCodes,
    projections: Vec<f32>,
    code: Vec<u64>,
    top: Top,
}

impl Proposer for Scan<'_> {
    fn propose(&mut self, row: &[(u32, f32)], k: usize, out: &mut Vec<u32>) -> bool {
        let codes = self.codes;
        codes.code(row, &mut self.projections, &mut self.code);
        self.top.reset(k);
        let mut least = f32::NEG_INFINITY;
        let items = codes.codes.chunks_exact(codes.words);
        for ((item, bound), id) in items.zip(&codes.bounds).zip(&codes.ids) {
            let pairs = item.iter().zip(&self.code);
            let equal: u32 = pairs.map(|(a, b)| (!(a ^ b)).count_ones()).sum();
            let score = bound * codes.estimates[equal as usize];
            if score >= least {
                self.top.push(Scored { id: *id, score });
                least = self.top.threshold().map_or(least, |worst| worst.score);
            }
        }
        out.extend(self.top.sorted().iter().map(|scored| scored.id));
        k == 0 || codes.len() <= k
    }
}

#[cfg(test)]
mod tests {
    use super::SignCodes;
    use crate::{
        executor::Sequential,
        float,
        random::Stream,
        search::MaxInnerProduct,
        sparse::{SparseVec, SparseView},
    };
    use alloc::{vec, vec::Vec};

    /// Equal bits of the query `(1, 0)` and of an item of length 0.8 whose product with it, over U
    /// = 1, is `s`. Another item has length 1, so that the first is padded.
    fn equal_bits(s: f32, words: usize) -> u32 {
        let other = float::sqrt(0.64 - f64::from(s) * f64::from(s)) as f32;
        let item = SparseVec::from_pairs([(0, s), (1, other)]).unwrap();
        let longest = SparseVec::from_pairs([(7, 1.0)]).unwrap();
        let mut codes = SignCodes::new(words, 2.0, 5);
        codes.insert(3, item.view());
        codes.insert(4, longest.view());
        assert_eq!(
            (codes.ids[0], codes.bounds[0], codes.bounds[1]),
            (3, 1.0, 1.0)
        );
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
    fn recall(words: usize, ratio: f64) -> f64 {
        let items = random(1_000);
        let codes = coded(&items, words, ratio);
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
        let (short, coarse, long) = (recall(1, 1.5), recall(16, 10.0), recall(16, 1.5));
        assert!(short < long && long > 0.8, "{short} {long}");
        assert!(coarse <= long + 0.02, "{coarse} {long}");
    }

    fn coded(items: &[SparseVec], words: usize, ratio: f64) -> SignCodes {
        let mut codes = SignCodes::new(words, ratio, 9);
        for (id, item) in items.iter().enumerate() {
            codes.insert(id as u32, item.view());
        }
        codes
    }

    #[test]
    fn a_common_factor_changes_no_code_and_no_items_propose_nothing() {
        let items = random(50);
        let scaled: Vec<SparseVec> = items
            .iter()
            .map(|i| SparseVec::from_pairs(i.view().iter().map(|(f, v)| (f, 0.25 * v))).unwrap())
            .collect();
        assert_eq!(coded(&items, 2, 2.0).codes, coded(&scaled, 2, 2.0).codes);
        let none = SignCodes::new(2, 2.0, 1);
        let mut proposed = vec![];
        assert!(none.proposer().propose(&[(0, 1.0)], 5, &mut proposed));
        assert!(proposed.is_empty());
    }

    #[test]
    fn items_inserted_again_leave_the_codes_as_they_were() {
        let items = random(80);
        let mut codes = coded(&items, 2, 2.0);
        let numbered: Vec<(u32, SparseVec)> = (0..80u32).zip(items.iter().cloned()).collect();
        codes.insert_all(&numbered, &Sequential);
        let fresh = coded(&items, 2, 2.0);
        let ask = |codes: &SignCodes| {
            let (mut proposed, row) = (vec![], [(5, 1.0), (9, 0.5)]);
            codes.proposer().propose(&row, 80, &mut proposed);
            proposed
        };
        assert_eq!(ask(&codes), ask(&fresh));
        assert_eq!(ask(&codes).len(), 80);
    }
}
