//! The kernels of `hapax-core`, compiled for the vector units that this machine turns out to have.
//!
//! Every override runs the very code of the core's default method inside a function compiled
//! for a wider instruction set, or instructions that give the same bits.

use hapax_core::kernels::{Portable, TrainingKernels};

#[cfg(target_arch = "x86_64")]
mod fetch;
#[cfg(target_arch = "x86_64")]
mod scan;

/// The fastest kernels this machine can run.
#[must_use]
pub fn best() -> &'static dyn TrainingKernels {
    available().last().copied().unwrap_or(&Portable)
}

/// All kernels this machine can run, the fastest last.
#[must_use]
pub fn available() -> Vec<&'static dyn TrainingKernels> {
    #[allow(unused_mut, reason = "other machines have the portable kernels only")]
    let mut found: Vec<&'static dyn TrainingKernels> = vec![&Portable];
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(kernels) = x86::Avx2::detect() {
            found.push(kernels);
        }
        if let Some(kernels) = x86::Avx512::detect() {
            found.push(kernels);
        }
    }
    found
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "calls of functions compiled for instructions that were detected"
)]
mod x86 {
    use super::{
        fetch::{Lines, fetch_line, fetch_weights},
        scan::{scan_avx2, scan_avx512},
    };
    use core::arch::x86_64::*;
    use hapax_core::{
        kernels::{
            BundleKernels, EmbeddingKernels, ExactKernels, Kernels, MachKernels, OneVsRestKernels,
            Portable, TrainingKernels,
        },
        model::{
            embedding::{self, LabelScan},
            linear::{
                sums::{self, HeadTerm, LabelBounds, TailTerm},
                wide,
            },
        },
        search::neighbors::{BLOCK, BlockBounds},
        train::{
            dual::{
                label_block::{self, Block, BlockRows, BlockSweep, Met, Rebuilt},
                sweep::{self, GradientRange, Sweep},
            },
            embedding::{
                space::{self, Space, StepRule},
                steps::{self, VectorSteps},
                visit::{self, Visit, Visited},
            },
            exact::{
                bundles::{
                    bundle::Bundle,
                    meeting::Round,
                    pair::{Pair, PairDuals, PairMoved},
                },
                changes::{Changes, apply_changes},
                class_scores::{self, CHUNK},
                duals::RowDuals,
                lane::Lane,
                lee_lin_wahba::{
                    block::{Block as RowBlock, Visit as RowVisit},
                    part::{Moves, Part},
                },
                problem::Problem,
                row_step::Steps,
                state::State,
                weights::{ClassWeights, Shard},
            },
            mach::step::{self, Step, Term},
        },
    };

    /// A function that adds the heads with one rounding multiplication (`pmulhrsw`) a vector: of
    /// `256 w` and `x` it gives `(256 w x + 2^14) >> 15`, which is the core's term
    /// `(w x + 64) >> 7`. Compilers do not find it by themselves.
    macro_rules! add_heads {
        ($function:ident, $features:literal, $vector:ty, $half:ty, $set:ident, $load_half:ident,
         $load:ident, $store:ident, $widen:ident, $shift:ident, $multiply:ident, $add:ident) => {
            #[target_feature(enable = $features)]
            fn $function(sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
                const LANES: usize = size_of::<$half>();
                for part in terms {
                    let range = part.start as usize..part.start as usize + part.length as usize;
                    let weights = heads.get(range).unwrap_or(&[]);
                    let value = $set(part.value);
                    let places = sums.as_chunks_mut::<LANES>().0.iter_mut();
                    for (sum, weights) in places.zip(weights.as_chunks::<LANES>().0) {
                        // SAFETY: both arrays are as long as the vectors read and written here,
                        // and these loads and stores need no alignment.
                        unsafe {
                            let high = $shift::<8>($widen($load_half(weights.as_ptr().cast())));
                            let place = sum.as_mut_ptr().cast::<$vector>();
                            $store(place, $add($load(place), $multiply(high, value)));
                        }
                    }
                }
            }
        };
    }

    add_heads!(
        add_heads_avx2,
        "avx2",
        __m256i,
        __m128i,
        _mm256_set1_epi16,
        _mm_loadu_si128,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_cvtepi8_epi16,
        _mm256_slli_epi16,
        _mm256_mulhrs_epi16,
        _mm256_add_epi16
    );
    add_heads!(
        add_heads_avx512,
        "avx512f,avx512bw",
        __m512i,
        __m256i,
        _mm512_set1_epi16,
        _mm256_loadu_si256,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_cvtepi8_epi16,
        _mm512_slli_epi16,
        _mm512_mulhrs_epi16,
        _mm512_add_epi16
    );

    /// Methods that run the code after them, the core's own, compiled for a set of instructions.
    /// The types that have these methods can only be made by `detect`, which makes sure that the
    /// machine has the instructions: that is the reason why the calls are safe.
    macro_rules! compiled {
        ($features:literal: $(
            fn $method:ident($($argument:ident: $kind:ty),*) $(-> $returned:ty)? $code:block
        )+) => {$(
            fn $method(&self, $($argument: $kind),*) $(-> $returned)? {
                #[target_feature(enable = $features)]
                fn compiled($($argument: $kind),*) $(-> $returned)? $code

                // SAFETY: `self` exists, so `detect` found the instructions.
                unsafe { compiled($($argument),*) }
            }
        )+};
    }

    /// A type of all kernels for a set of instructions.
    macro_rules! kernels {
        ($type:ident, $name:literal, $add_heads:ident, $scan:ident, $features:literal, $($feature:tt),+) => {
            pub(super) struct $type(());

            impl $type {
                pub(super) fn detect() -> Option<&'static dyn TrainingKernels> {
                    static KERNELS: $type = $type(());
                    ($(is_x86_feature_detected!($feature))&&+).then_some(&KERNELS)
                }
            }

            impl Kernels for $type {
                fn name(&self) -> &'static str {
                    $name
                }

                compiled! { $features:
                    fn bound_block(block: &BlockBounds<'_>, bounds: &mut [f32; BLOCK], highest: &mut [f32; BLOCK / 16]) {
                        Portable.bound_block(block, bounds, highest);
                    }

                    fn add_heads(sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
                        $add_heads(sums, heads, terms);
                    }

                    fn add_tails(sums: &mut [i16; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
                        sums::add_tails(sums, tails, terms, |weights| fetch_weights(weights));
                    }

                    fn promising_blocks(sums: &[i16], bounds: &LabelBounds, first: usize, unit: f32, least: f32) -> u64 {
                        sums::promising_blocks(sums, bounds, first, unit, least)
                    }

                    fn scores(sums: &[i16], scales: &[f32], biases: &[f32], unit: f32, least: f32, out: &mut [f32; 64]) -> u64 {
                        sums::scores(sums, scales, biases, unit, least, out)
                    }

                    fn add_wide_heads(sums: &mut [i32], heads: &[i16], terms: &[HeadTerm]) {
                        wide::add_heads(sums, heads, terms);
                    }

                    fn add_wide_tails(sums: &mut [i32; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
                        wide::add_tails(sums, tails, terms, |weights| fetch_weights(weights));
                    }

                    fn promising_wide_blocks(sums: &[i32], bounds: &LabelBounds, first: usize, unit: f32, least: f32) -> u64 {
                        sums::promising_blocks(sums, bounds, first, unit, least)
                    }

                    fn wide_scores(sums: &[i32], scales: &[f32], biases: &[f32], unit: f32, least: f32, out: &mut [f32; 64]) -> u64 {
                        sums::scores(sums, scales, biases, unit, least, out)
                    }

                    fn scan(codes: &[u8], tables: &[u8], heads: usize, sums: &mut [u16], maxima: &mut [u16]) {
                        $scan(codes, tables, heads, sums, maxima);
                    }

                    fn add_terms(sums: &mut [f32], weights: &[f32], terms: &[Term]) {
                        step::add_terms(sums, weights, terms);
                    }

                    fn score_labels(scan: &mut LabelScan<'_>) {
                        embedding::score_labels(scan);
                    }
                }
            }

            impl OneVsRestKernels for $type {
                compiled! { $features:
                    fn sweep(state: &mut Sweep<'_>) -> GradientRange {
                        sweep::sweep(state, &Lines)
                    }

                    fn sweep_block(state: &mut BlockSweep<'_>) -> Met {
                        label_block::sweep_block(state, &Lines)
                    }

                    fn block_losses(of: &BlockRows<'_>, weights: &[Block], biases: &Block) -> Block<f64> {
                        label_block::block_losses(of, weights, biases)
                    }

                    fn rebuild_block(of: &BlockRows<'_>, duals: &[Block], weights: &mut [Block<f64>]) -> Rebuilt {
                        label_block::rebuild_block(of, duals, weights)
                    }

                    fn block_squares(weights: &[Block]) -> Block<f64> {
                        label_block::block_squares(weights)
                    }
                }
            }

            impl ExactKernels for $type {
                compiled! { $features:
                    fn add_class_weights(sums: &mut [f32], weights: &ClassWeights, terms: &[(u32, f32)]) {
                        class_scores::add_class_weights(sums, weights, terms);
                    }

                    fn class_shortfalls(chunk: &[f32; CHUNK], base: f32, less: [f32; 3]) -> [f64; 4] {
                        class_scores::class_shortfalls(chunk, base, less)
                    }

                    fn class_highs(sums: &[[f32; CHUNK]], highs: &mut [f32]) {
                        class_scores::class_highs(sums, highs);
                    }

                    fn class_low(chunk: &[f32; CHUNK]) -> f32 {
                        class_scores::class_low(chunk)
                    }

                    fn add_listed_weights(sums: &mut [f32], weights: &ClassWeights, terms: &[(u32, f32)]) {
                        class_scores::add_listed_weights(sums, weights, terms);
                    }

                    fn run_lane(lane: &mut Lane, state: &State, rows: &[u32], steps: Steps) {
                        lane.run(state, rows, steps, &Lines);
                    }

                    fn apply_changes(shard: &mut Shard<'_>, changes: &Changes, rows: (&Problem, &[RowDuals])) {
                        apply_changes(shard, changes, rows, &Lines);
                    }

                    fn follow_moves(part: &mut Part, problem: &Problem, moves: &Moves, rows: &[u32]) {
                        part.follow(problem, moves, rows, &Lines);
                    }

                    fn visit_rows(block: &mut RowBlock, visit: &mut RowVisit<'_>) {
                        block.visit(visit, &Lines);
                    }
                }
            }

            impl BundleKernels for $type {
                compiled! { $features:
                    fn hold_meeting(pair: &mut Pair, round: Round<'_>, duals: &mut PairDuals) -> PairMoved {
                        pair.meet(round, duals, &Lines)
                    }

                    fn follow_meeting(pair: &mut Pair, round: Round<'_>, moved: &PairMoved) -> bool {
                        pair.follow(round, moved, &Lines)
                    }

                    fn bundle_loss(bundle: &Bundle, rows: &Problem, own: &[f64], of: (usize, usize)) -> f64 {
                        bundle.loss(rows, own, of, &Lines)
                    }
                }
            }

            impl MachKernels for $type {
                compiled! { $features:
                    fn mach_step(step: &mut Step<'_>) {
                        step.take_fetching(#[inline(always)] |line| fetch_line(line));
                    }
                }
            }

            impl EmbeddingKernels for $type {
                compiled! { $features:
                    fn visit(visit: &mut Visit<'_>) {
                        visit::visit(visit);
                    }

                    fn step_classes(space: &mut Space, visited: &Visited, rule: &StepRule, gradient: &mut [f32]) {
                        space::step_classes(space, visited, rule, gradient);
                    }

                    fn step_vectors(steps: &mut VectorSteps<'_>) {
                        steps::step_vectors(steps);
                    }
                }
            }
        };
    }

    kernels!(
        Avx2,
        "avx2",
        add_heads_avx2,
        scan_avx2,
        "avx2,bmi1,bmi2,popcnt",
        "avx2",
        "bmi1",
        "bmi2",
        "popcnt"
    );
    kernels!(
        Avx512,
        "avx512",
        add_heads_avx512,
        scan_avx512,
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt",
        "avx512f",
        "avx512bw",
        "avx512dq",
        "avx512vl",
        "avx2",
        "bmi1",
        "bmi2",
        "popcnt"
    );
}

#[cfg(test)]
mod tests;
