//! SimpleLSH in several tables: what shares a short code with the row in some table is a candidate.
//!
//! Codes are those of [`super::sign_codes`], of few bits, one for each table. A query looks into the table's bucket of its
//! own code and then into those one bit away, first those whose bit was the nearest to the other sign, until it has
//! seen four times as many items as it may propose; those seen in most tables are proposed, longer ones
//! first among equals. With L items, T tables of b bits a bucket holds L / 2^b items on average: less than a scan of all
//! codes where L is large.
//!
//! Memory: 8 T bytes an item, 24 T 2^b for the buckets. Cost: O(b T (values of x)) for a query's codes, and what it sees.

use super::{MaxInnerProduct, Proposer, Scored, Top, sign_projection::Projection};
use crate::{
    executor::Executor,
    sparse::{SparseVec, SparseView},
};
use alloc::{boxed::Box, vec, vec::Vec};

/// Tables of codes; see the module's text.
#[derive(Clone, Debug)]
pub struct SignTables {
    tables: usize,
    bits: usize,
    projection: Projection,
    /// Of each table, 2^bits one behind the other, the ids.
    buckets: Vec<Vec<u32>>,
    /// Of each id its `U`, below 0 if there is none.
    bounds: Vec<f32>,
    /// Of each id its bucket in each table.
    codes: Vec<u16>,
    live: usize,
}

impl SignTables {
    /// No items yet; `tables` tables of `bits` bits (1 to 16), and the ratio between lengths that share a `U`.
    #[must_use]
    pub fn new(tables: usize, bits: usize, ratio: f64, seed: u64) -> Self {
        let (tables, bits) = (tables.max(1), bits.clamp(1, 16));
        Self {
            tables,
            bits,
            projection: Projection::new(tables * bits, ratio, seed),
            buckets: vec![Vec::new(); tables << bits],
            bounds: Vec::new(),
            codes: Vec::new(),
            live: 0,
        }
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.live
    }

    /// Whether there are no items: then nothing is ever proposed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let ids: usize = self.buckets.iter().map(Vec::capacity).sum();
        4 * (ids + self.bounds.len())
            + 2 * self.codes.len()
            + size_of::<Vec<u32>>() * self.buckets.len()
            + self.projection.bytes()
    }

    /// Adds an item, or puts it in the place of the one with the same id.
    pub fn insert(&mut self, id: u32, item: SparseView<'_>) {
        let (codes, bound) = self.coded(item, &mut Vec::new());
        self.put(id, &codes, bound);
    }

    /// [`SignTables::insert`] for several items, whose codes are made in parallel.
    pub fn insert_all<E: Executor>(&mut self, items: &[(u32, SparseVec)], executor: &E) {
        let this = &*self;
        let coded = executor.map(items.len(), Vec::new, |projections, at| {
            this.coded(items[at].1.view(), projections)
        });
        for ((id, _), (codes, bound)) in items.iter().zip(coded) {
            self.put(*id, &codes, bound);
        }
    }

    /// Removes an item; whether there was one.
    pub fn remove(&mut self, id: u32) -> bool {
        if self
            .bounds
            .get(id as usize)
            .is_none_or(|bound| *bound < 0.0)
        {
            return false;
        }
        for table in 0..self.tables {
            let bucket = (table << self.bits) + usize::from(self.codes[self.place(id, table)]);
            self.buckets[bucket].retain(|&other| other != id);
        }
        self.bounds[id as usize] = -1.0;
        self.live -= 1;
        true
    }

    fn place(&self, id: u32, table: usize) -> usize {
        id as usize * self.tables + table
    }

    fn coded(&self, item: SparseView<'_>, projections: &mut Vec<f32>) -> (Vec<u16>, f32) {
        let bound = self.projection.item(item, projections);
        (
            projections.chunks(self.bits).map(short_code).collect(),
            bound as f32,
        )
    }

    fn put(&mut self, id: u32, codes: &[u16], bound: f32) {
        self.remove(id);
        if self.bounds.len() <= id as usize {
            self.bounds.resize(id as usize + 1, -1.0);
            self.codes.resize(self.bounds.len() * self.tables, 0);
        }
        self.bounds[id as usize] = bound;
        for (table, &code) in codes.iter().enumerate() {
            let place = self.place(id, table);
            self.codes[place] = code;
            self.buckets[(table << self.bits) + usize::from(code)].push(id);
        }
        self.live += 1;
    }
}

fn short_code(projections: &[f32]) -> u16 {
    let bits = projections.iter().enumerate();
    bits.fold(0, |code, (at, p)| code | u16::from(*p >= 0.0) << at)
}

impl MaxInnerProduct for SignTables {
    fn proposer(&self) -> Box<dyn Proposer + '_> {
        Box::new(Look {
            tables: self,
            projections: Vec::new(),
            probes: Vec::new(),
            counts: vec![0; self.bounds.len()],
            seen: Vec::new(),
            top: Top::default(),
        })
    }
}

struct Look<'a> {
    tables: &'a SignTables,
    projections: Vec<f32>,
    /// How far a bit is from the other sign, and the bucket with it turned.
    probes: Vec<(f32, u32)>,
    counts: Vec<u16>,
    seen: Vec<u32>,
    top: Top,
}

/// A query sees so many items for each one it may propose.
const SEEN: usize = 4;

impl Look<'_> {
    fn look(&mut self, bucket: usize) {
        for &id in &self.tables.buckets[bucket] {
            let count = &mut self.counts[id as usize];
            if *count == 0 {
                self.seen.push(id);
            }
            *count += 1;
        }
    }
}

impl Proposer for Look<'_> {
    fn propose(&mut self, row: &[(u32, f32)], k: usize, out: &mut Vec<u32>) -> bool {
        let bits = self.tables.bits;
        self.tables.projection.query(row, &mut self.projections);
        let projections = core::mem::take(&mut self.projections);
        self.probes.clear();
        for (table, part) in projections.chunks(bits).enumerate() {
            let bucket = (table << bits) + usize::from(short_code(part));
            self.look(bucket);
            let turned = part.iter().enumerate();
            self.probes
                .extend(turned.map(|(bit, p)| (p.abs(), (bucket ^ (1 << bit)) as u32)));
        }
        self.projections = projections;
        self.probes
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for at in 0..self.probes.len() {
            if self.seen.len() >= SEEN * k {
                break;
            }
            self.look(self.probes[at].1 as usize);
        }
        self.top.reset(k);
        for id in self.seen.drain(..) {
            let count = core::mem::take(&mut self.counts[id as usize]);
            // The bound counts less than one table, whatever it is.
            let bound = self.tables.bounds[id as usize];
            let score = f32::from(count) + bound / (1.0 + bound);
            self.top.push(Scored { id, score });
        }
        out.extend(self.top.sorted().iter().map(|scored| scored.id));
        k == 0 || self.tables.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::SignTables;
    use crate::{executor::Sequential, random::Stream, search::MaxInnerProduct, sparse::SparseVec};
    use alloc::{vec, vec::Vec};

    fn items(count: u32) -> Vec<(u32, SparseVec)> {
        let mut stream = Stream::new(3, 3);
        let mut vector = || {
            let pairs = (0..10).map(|_| (stream.below(60) as u32, stream.unit() as f32 - 0.4));
            SparseVec::from_pairs(pairs).unwrap()
        };
        (0..count).map(|id| (id, vector())).collect()
    }

    #[test]
    fn an_items_own_direction_finds_it_and_more_tables_find_more() {
        let items = items(2_000);
        let found = |tables: usize| {
            let mut made = SignTables::new(tables, 8, 2.0, 1);
            made.insert_all(&items, &Sequential);
            assert_eq!(made.len(), 2_000);
            let mut proposer = made.proposer();
            let own = items.iter().take(300).filter(|(id, item)| {
                let row: Vec<(u32, f32)> = item.view().iter().collect();
                let mut proposed = vec![];
                assert!(!proposer.propose(&row, 30, &mut proposed));
                assert!(proposed.len() <= 30);
                proposed.contains(id)
            });
            own.count()
        };
        let (few, many) = (found(2), found(24));
        assert!(few < many && many > 210, "{few} {many}");
    }

    #[test]
    fn what_is_removed_is_not_proposed_and_updates_lose_none() {
        let items = items(200);
        let mut made = SignTables::new(4, 2, 2.0, 1);
        assert!(made.is_empty() && !made.remove(7));
        for _ in 0..3 {
            made.insert_all(&items, &Sequential);
        }
        assert_eq!(made.len(), 200);
        let ask = |made: &SignTables| {
            let mut proposed = vec![];
            made.proposer().propose(&[(1, 1.0)], 400, &mut proposed);
            proposed.sort_unstable();
            proposed
        };
        // Two bits and all their neighbors are all but one bucket of each table.
        assert!(ask(&made).len() > 190);
        assert!(made.remove(0) && made.remove(199) && !made.remove(199));
        let left = ask(&made);
        assert!(!left.contains(&0) && !left.contains(&199) && made.len() == 198);
    }
}
