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
use hapax_processor::Loop;

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
    Neighbors(OfNeighbors<'a>),
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

/// The loops of nearest neighbors.
enum OfNeighbors<'a> {
    BoundBlock(
        &'a BlockBounds<'a>,
        &'a mut [f32; BLOCK],
        &'a mut [f32; BLOCK / 16],
    ),
    AddPostings(Posted<'a>, &'a mut [u32]),
    Dots(&'a FourRows<'a>, &'a [f32], &'a mut [(f32, u32); 4]),
}

impl Task<'_> {
    /// Runs it in a program that answers with nearest neighbors only: those of other methods are
    /// not compiled.
    ///
    /// # Panics
    /// On a loop of another method.
    #[inline(always)]
    pub fn run_of_neighbors(self) {
        match self.0 {
            Work::Neighbors(work) => work.run_on(Processor::portable()),
            _ => unreachable!("a loop that models of nearest neighbors do not have"),
        }
    }

    /// Runs it on the processor.
    #[inline(always)]
    pub(crate) fn run_on(self, processor: Processor) {
        match self.0 {
            Work::Neighbors(work) => work.run_on(processor),
            Work::PromisingBlocks(sums, bounds, first, [unit, least], found) => {
                *found = match sums {
                    Sums::Bytes(sums) => apart(
                        processor,
                        #[inline(always)]
                        || sums::promising_blocks(sums, bounds, first, unit, least),
                    ),
                    Sums::Wide(sums) => apart(
                        processor,
                        #[inline(always)]
                        || sums::promising_blocks(sums, bounds, first, unit, least),
                    ),
                }
            }
            Work::Scores(sums, [scales, biases], [unit, least], out, above) => {
                *above = match sums {
                    Sums::Bytes(sums) => apart(
                        processor,
                        #[inline(always)]
                        || sums::scores(sums, scales, biases, unit, least, out),
                    ),
                    Sums::Wide(sums) => apart(
                        processor,
                        #[inline(always)]
                        || sums::scores(sums, scales, biases, unit, least, out),
                    ),
                }
            }
            Work::AddWideHeads(sums, heads, terms) => apart(
                processor,
                #[inline(always)]
                || wide::add_heads(sums, heads, terms),
            ),
            Work::AddWideTails(tails) => apart(processor, tails),
            Work::AddTerms(sums, weights, terms) => apart(
                processor,
                #[inline(always)]
                || terms::add_terms(sums, weights, terms),
            ),
            Work::ScoreLabels(scan) => apart(
                processor,
                #[inline(always)]
                || score_labels(scan),
            ),
        }
    }
}

impl OfNeighbors<'_> {
    /// Two loops without vectors are left to the crate's own target.
    #[inline(always)]
    fn run_on(self, processor: Processor) {
        match self {
            Self::AddPostings(posted, sums) => posted.add(sums),
            Self::Dots(rows, query, out) => *out = rows.dots(query),
            Self::BoundBlock(block, bounds, highest) => apart(
                processor,
                #[inline(always)]
                || block.compute(bounds, highest),
            ),
        }
    }
}

/// A loop in a function of its own: all in one would be larger, and share its registers.
#[inline(never)]
fn apart<L: Loop>(processor: Processor, task: L) -> L::Output {
    processor.run(task)
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
        self.run(Task(Work::Neighbors(OfNeighbors::BoundBlock(
            block, bounds, highest,
        ))));
    }

    /// Adds the postings of one feature to the sums of the rows; rows beyond them are passed over.
    pub(crate) fn add_postings(&self, posted: Posted<'_>, sums: &mut [u32]) {
        self.run(Task(Work::Neighbors(OfNeighbors::AddPostings(
            posted, sums,
        ))));
    }

    /// The dot product and the number of shared features of four stored rows with a query given
    /// densely: one value a feature, 0 where it stores nothing.
    pub(crate) fn dots(&self, rows: &FourRows<'_>, query: &[f32]) -> [(f32, u32); 4] {
        let mut dots = [(0.0, 0); 4];
        self.run(Task(Work::Neighbors(OfNeighbors::Dots(
            rows, query, &mut dots,
        ))));
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
