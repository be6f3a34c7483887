//! The loops of prediction that no implementation of [`Kernels`] overrides.

use super::{
    Kernels, LabelScan, Posted, Processor,
    bounds::{BLOCK, BlockBounds},
    four_rows::FourRows,
    label_scan::score_labels,
    sums::{self, AddTails, HEAD_BLOCK, HeadTerm, LabelBounds, LabelSum, TailTerm},
    terms::{self, Term},
    wide,
};
use hapax_processor::{Fetch, Loop};

/// A loop of prediction with its arrays, for [`Kernels::run`].
pub struct Task<'a>(Work<'a>);

/// Sums of labels, of either width.
#[derive(Clone, Copy)]
pub enum Sums<'a> {
    /// Of weights of bytes.
    Bytes(&'a [i16]),
    /// Of weights of 16 bits.
    Wide(&'a [i32]),
}

enum Work<'a> {
    BoundBlock(
        &'a BlockBounds<'a>,
        &'a mut [f32; BLOCK],
        &'a mut [f32; BLOCK / 16],
    ),
    AddPostings(Posted<'a>, &'a mut [u32]),
    Dots(&'a FourRows<'a>, &'a [f32], &'a mut [(f32, u32); 4]),
    PromisingBlocks(Sums<'a>, &'a LabelBounds, usize, [f32; 2], &'a mut u64),
    Scores(
        Sums<'a>,
        [&'a [f32]; 2],
        [f32; 2],
        &'a mut [f32; HEAD_BLOCK],
        &'a mut u64,
    ),
    AddWideHeads(&'a mut [i32], &'a [i16], &'a [HeadTerm]),
    AddWideTails(AddTails<'a, i32>),
    AddTerms(&'a mut [f32], &'a [f32], &'a [Term]),
    ScoreLabels(&'a mut LabelScan<'a>),
}

impl Task<'_> {
    /// Runs it on the processor; two loops without vectors are left to the crate's own target.
    #[inline(always)]
    pub(crate) fn run_on(self, processor: Processor) {
        match self.0 {
            Work::AddPostings(posted, sums) => posted.add(sums),
            Work::Dots(rows, query, out) => *out = rows.dots(query),
            work => processor.run(work),
        }
    }
}

impl Loop for Work<'_> {
    type Output = ();

    #[inline(always)]
    fn run<F: Fetch>(self, fetch: &F) {
        match self {
            Self::AddPostings(..) | Self::Dots(..) => {}
            Self::BoundBlock(block, bounds, highest) => block.compute(bounds, highest),
            Self::PromisingBlocks(sums, bounds, first, [unit, least], found) => {
                *found = match sums {
                    Sums::Bytes(sums) => sums::promising_blocks(sums, bounds, first, unit, least),
                    Sums::Wide(sums) => sums::promising_blocks(sums, bounds, first, unit, least),
                }
            }
            Self::Scores(sums, [scales, biases], [unit, least], out, above) => {
                *above = match sums {
                    Sums::Bytes(sums) => sums::scores(sums, scales, biases, unit, least, out),
                    Sums::Wide(sums) => sums::scores(sums, scales, biases, unit, least, out),
                }
            }
            Self::AddWideHeads(sums, heads, terms) => wide::add_heads(sums, heads, terms),
            Self::AddWideTails(tails) => tails.run(fetch),
            Self::AddTerms(sums, weights, terms) => terms::add_terms(sums, weights, terms),
            Self::ScoreLabels(scan) => score_labels(scan),
        }
    }
}

impl dyn Kernels + '_ {
    /// Upper bounds on the similarity of a block of rows with a query, and the highest of each 16
    /// rows.
    pub(crate) fn bound_block(
        &self,
        block: &BlockBounds<'_>,
        bounds: &mut [f32; BLOCK],
        highest: &mut [f32; BLOCK / 16],
    ) {
        self.run(Task(Work::BoundBlock(block, bounds, highest)));
    }

    /// Adds the postings of one feature to the sums of the rows; rows beyond them are passed over.
    pub(crate) fn add_postings(&self, posted: Posted<'_>, sums: &mut [u32]) {
        self.run(Task(Work::AddPostings(posted, sums)));
    }

    /// The dot product and the number of shared features of four stored rows with a query given
    /// densely: one value a feature, 0 where it stores nothing.
    pub(crate) fn dots(&self, rows: &FourRows<'_>, query: &[f32]) -> [(f32, u32); 4] {
        let mut dots = [(0.0, 0); 4];
        self.run(Task(Work::Dots(rows, query, &mut dots)));
        dots
    }

    /// Which of up to 64 blocks of 64 labels may hold a score of at least `least`.
    pub(crate) fn promising_blocks<S: LabelSum>(
        &self,
        sums: &[S],
        bounds: &LabelBounds,
        first: usize,
        unit: f32,
        least: f32,
    ) -> u64 {
        let (mut found, sums) = (0, S::sums(sums));
        let at = [unit, least];
        self.run(Task(Work::PromisingBlocks(
            sums, bounds, first, at, &mut found,
        )));
        found
    }

    /// Turns the sums of up to 64 labels into scores and returns which are at least `least`.
    pub(crate) fn scores<S: LabelSum>(
        &self,
        sums: &[S],
        (scales, biases): (&[f32], &[f32]),
        unit: f32,
        least: f32,
        out: &mut [f32; HEAD_BLOCK],
    ) -> u64 {
        let (mut above, sums) = (0, S::sums(sums));
        let of_labels = [scales, biases];
        let at = [unit, least];
        self.run(Task(Work::Scores(sums, of_labels, at, out, &mut above)));
        above
    }

    /// [`Kernels::add_heads`] of weights of 16 bits.
    pub(crate) fn add_wide_heads(&self, sums: &mut [i32], heads: &[i16], terms: &[HeadTerm]) {
        self.run(Task(Work::AddWideHeads(sums, heads, terms)));
    }

    /// [`Kernels::add_tails`] of weights of 16 bits.
    pub(crate) fn add_wide_tails(
        &self,
        sums: &mut [i32; 1 << 16],
        tails: &[u32],
        terms: &[TailTerm],
    ) {
        let tails = AddTails { sums, tails, terms };
        self.run(Task(Work::AddWideTails(tails)));
    }

    /// Adds rows of weights, each times its value, to sums.
    pub(crate) fn add_terms(&self, sums: &mut [f32], weights: &[f32], terms: &[Term]) {
        self.run(Task(Work::AddTerms(sums, weights, terms)));
    }

    /// Scores panels of the prototypes of an embedding model.
    pub(crate) fn score_labels<'a>(&self, scan: &'a mut LabelScan<'a>) {
        self.run(Task(Work::ScoreLabels(scan)));
    }
}
