//! The kernels of `hapax-core`, compiled for the vector units that this machine turns out to have.
//!
//! Every override runs the very code of the core's default method inside a function compiled
//! for a wider instruction set, or instructions that give the same bits.

use hapax_core::kernels::{Kernels, Portable};

/// The fastest kernels this machine can run.
#[must_use]
pub fn best() -> &'static dyn Kernels {
    available().last().copied().unwrap_or(&Portable)
}

/// All kernels this machine can run, the fastest last.
#[must_use]
pub fn available() -> Vec<&'static dyn Kernels> {
    #[allow(unused_mut, reason = "other machines have the portable kernels only")]
    let mut found: Vec<&'static dyn Kernels> = vec![&Portable];
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
    use core::arch::x86_64::*;
    use hapax_core::{
        kernels::{Kernels, Portable},
        model::{
            linear::sums::{self, HeadTerm, TailTerm},
            mach::decode,
        },
        search::neighbors::{BLOCK, BlockBounds},
        train::{
            dual::{
                packed_rows::{Group, PackedRow},
                sweep::{self, GradientRange, Sweep},
            },
            mach::step::{self, Step, Term},
        },
    };

    /// Asks for the first lines of a row; the processor follows from there by itself.
    #[inline(always)]
    fn fetch(row: PackedRow<'_>) {
        const PER_LINE: usize = 64 / size_of::<Group>();
        for group in row.groups.iter().step_by(PER_LINE).take(8) {
            // SAFETY: every x86-64 has this instruction, and it reads nothing.
            unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *group).cast()) };
        }
    }

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

    /// The scan with byte shuffles that look up 16 codes in each half of a vector: tables of 16 bytes with one
    /// shuffle, of 32 and 64 with two and four, chosen by the higher bits of the code.
    #[target_feature(enable = "avx2")]
    fn scan_avx2(codes: &[u8], tables: &[u8], heads: usize, sums: &mut [u16], maxima: &mut [u16]) {
        let size = tables.len() / heads.max(1);
        if !matches!(size, 16 | 32 | 64) {
            return decode::scan(codes, tables, heads, sums, maxima);
        }
        let blocks = codes.chunks_exact(heads * decode::BLOCK);
        let places = sums.as_chunks_mut::<{ decode::BLOCK }>().0.iter_mut();
        for ((block, sums), maximum) in blocks.zip(places).zip(maxima) {
            let mut total = [_mm256_setzero_si256(); 4];
            let lines = block.as_chunks::<{ decode::BLOCK }>().0;
            for (line, table) in lines.iter().zip(tables.chunks_exact(size)) {
                for half in 0..2 {
                    // SAFETY: a line has 64 bytes, of which 32 are read from place 0 or 32, and this
                    // load needs no alignment.
                    let own = unsafe { _mm256_loadu_si256(line.as_ptr().add(32 * half).cast()) };
                    let mut found = _mm256_setzero_si256();
                    for (part, sixteen) in table.as_chunks::<16>().0.iter().enumerate() {
                        // SAFETY: 16 bytes are read of an array of 16, without alignment.
                        let sixteen = unsafe { _mm_loadu_si128(sixteen.as_ptr().cast()) };
                        let table = _mm256_broadcastsi128_si256(sixteen);
                        // Codes of other parts get their highest bit set, for which a shuffle gives 0.
                        let near = _mm256_xor_si256(own, _mm256_set1_epi8((16 * part) as i8));
                        let far = _mm256_adds_epu8(near, _mm256_set1_epi8(0x70));
                        found = _mm256_or_si256(found, _mm256_shuffle_epi8(table, far));
                    }
                    let low = _mm256_cvtepu8_epi16(_mm256_castsi256_si128(found));
                    let high = _mm256_cvtepu8_epi16(_mm256_extracti128_si256::<1>(found));
                    total[2 * half] = _mm256_add_epi16(total[2 * half], low);
                    total[2 * half + 1] = _mm256_add_epi16(total[2 * half + 1], high);
                }
            }
            for (sixteen, total) in sums.as_chunks_mut::<16>().0.iter_mut().zip(total) {
                // SAFETY: 32 bytes are written to an array of 16 numbers of 2 bytes, without alignment.
                unsafe { _mm256_storeu_si256(sixteen.as_mut_ptr().cast(), total) };
            }
            *maximum = sums.iter().copied().fold(0, u16::max);
        }
    }

    /// The scan with one shuffle of 64 codes in tables of 16, 32 or 64 bytes, or one of 128 bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    fn scan_vbmi(codes: &[u8], tables: &[u8], heads: usize, sums: &mut [u16], maxima: &mut [u16]) {
        let size = tables.len() / heads.max(1);
        if size > 128 {
            return decode::scan(codes, tables, heads, sums, maxima);
        }
        let blocks = codes.chunks_exact(heads * decode::BLOCK);
        let places = sums.as_chunks_mut::<{ decode::BLOCK }>().0.iter_mut();
        let low_bytes = _mm512_set1_epi16(0xff);
        // Each table in two vectors, filled up with zeros.
        let halves: Vec<[[u8; 64]; 2]> = tables
            .chunks_exact(size)
            .map(|table| {
                let mut halves = [[0; 64]; 2];
                let (low, high) = table.split_at(size.min(64));
                halves[0][..low.len()].copy_from_slice(low);
                halves[1][..high.len()].copy_from_slice(high);
                halves
            })
            .collect();
        for ((block, sums), maximum) in blocks.zip(places).zip(maxima) {
            let (mut even, mut odd) = (_mm512_setzero_si512(), _mm512_setzero_si512());
            let lines = block.as_chunks::<{ decode::BLOCK }>().0;
            for (line, [low, high]) in lines.iter().zip(&halves) {
                // SAFETY: all three arrays have the 64 bytes that are read, without alignment.
                let (own, low) = unsafe {
                    (
                        _mm512_loadu_si512(line.as_ptr().cast()),
                        _mm512_loadu_si512(low.as_ptr().cast()),
                    )
                };
                let found = if size <= 64 {
                    _mm512_permutexvar_epi8(own, low)
                } else {
                    // SAFETY: as above.
                    let high = unsafe { _mm512_loadu_si512(high.as_ptr().cast()) };
                    _mm512_permutex2var_epi8(low, own, high)
                };
                even = _mm512_add_epi16(even, _mm512_and_si512(found, low_bytes));
                odd = _mm512_add_epi16(odd, _mm512_srli_epi16::<8>(found));
            }
            // Labels 0, 2, 4 … of each 128 bits stand in `even`, the others in `odd`.
            let (a, b) = (
                _mm512_unpacklo_epi16(even, odd),
                _mm512_unpackhi_epi16(even, odd),
            );
            let order = |first: i64| {
                let [a, b, c, d] = [first, first + 1, first + 8, first + 9];
                _mm512_setr_epi64(a, b, c, d, a + 2, b + 2, c + 2, d + 2)
            };
            let first = _mm512_permutex2var_epi64(a, order(0), b);
            let last = _mm512_permutex2var_epi64(a, order(4), b);
            let (start, end) = sums.split_at_mut(32);
            // SAFETY: both halves have 32 numbers of 2 bytes, written without alignment.
            unsafe {
                _mm512_storeu_si512(start.as_mut_ptr().cast(), first);
                _mm512_storeu_si512(end.as_mut_ptr().cast(), last);
            }
            *maximum = sums.iter().copied().fold(0, u16::max);
        }
    }

    /// The scan for machines with AVX-512, of which not all can shuffle bytes across a vector.
    fn scan_avx512(
        codes: &[u8],
        tables: &[u8],
        heads: usize,
        sums: &mut [u16],
        maxima: &mut [u16],
    ) {
        if is_x86_feature_detected!("avx512vbmi") {
            // SAFETY: these instructions were just found, and those of AVX-512 before.
            unsafe { scan_vbmi(codes, tables, heads, sums, maxima) }
        } else {
            // SAFETY: machines with AVX-512 have AVX2, and it was detected.
            unsafe { scan_avx2(codes, tables, heads, sums, maxima) }
        }
    }

    /// Compiles the core's kernels once more for a set of instructions. The type can only be made
    /// by `detect`, which makes sure that the machine has them: that is the reason why the calls
    /// are safe.
    macro_rules! compiled_for {
        ($kind:ident, $name:literal, $add_heads:ident, $scan:ident, $features:literal, $($feature:tt),+) => {
            pub(super) struct $kind(());

            impl $kind {
                pub(super) fn detect() -> Option<&'static dyn Kernels> {
                    static KERNELS: $kind = $kind(());
                    ($(is_x86_feature_detected!($feature))&&+).then_some(&KERNELS)
                }

                #[target_feature(enable = $features)]
                fn bound_block(block: &BlockBounds<'_>, bounds: &mut [f32; BLOCK], highest: &mut [f32; BLOCK / 16]) {
                    Portable.bound_block(block, bounds, highest);
                }

                #[target_feature(enable = $features)]
                fn sweep(state: &mut Sweep<'_>) -> GradientRange {
                    sweep::sweep(state, |row| fetch(row))
                }

                #[target_feature(enable = $features)]
                fn add_tails(sums: &mut [i16; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
                    sums::add_tails(sums, tails, terms);
                }

                #[target_feature(enable = $features)]
                fn block_maxima(sums: &[i16], out: &mut [i16]) {
                    sums::block_maxima(sums, out);
                }

                #[target_feature(enable = $features)]
                fn scores(sums: &[i16], scales: &[f32], biases: &[f32], unit: f32, out: &mut [f32; 64]) -> f32 {
                    sums::scores(sums, scales, biases, unit, out)
                }

                #[target_feature(enable = $features)]
                fn mach_step(step: &mut Step<'_>) {
                    step.take();
                }

                #[target_feature(enable = $features)]
                fn add_terms(sums: &mut [f32], weights: &[f32], terms: &[Term]) {
                    step::add_terms(sums, weights, terms);
                }
            }

            impl Kernels for $kind {
                fn name(&self) -> &'static str {
                    $name
                }

                fn bound_block(&self, block: &BlockBounds<'_>, bounds: &mut [f32; BLOCK], highest: &mut [f32; BLOCK / 16]) {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { Self::bound_block(block, bounds, highest) }
                }

                fn sweep(&self, state: &mut Sweep<'_>) -> GradientRange {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { Self::sweep(state) }
                }

                fn add_heads(&self, sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { $add_heads(sums, heads, terms) }
                }

                fn add_tails(&self, sums: &mut [i16; 1 << 16], tails: &[u32], terms: &[TailTerm]) {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { Self::add_tails(sums, tails, terms) }
                }

                fn block_maxima(&self, sums: &[i16], out: &mut [i16]) {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { Self::block_maxima(sums, out) }
                }

                fn scores(&self, sums: &[i16], scales: &[f32], biases: &[f32], unit: f32, out: &mut [f32; 64]) -> f32 {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { Self::scores(sums, scales, biases, unit, out) }
                }

                #[allow(unused_unsafe, reason = "one of the two scans is safe to call")]
                fn scan(&self, codes: &[u8], tables: &[u8], heads: usize, sums: &mut [u16], maxima: &mut [u16]) {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { $scan(codes, tables, heads, sums, maxima) }
                }

                fn mach_step(&self, step: &mut Step<'_>) {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { Self::mach_step(step) }
                }

                fn add_terms(&self, sums: &mut [f32], weights: &[f32], terms: &[Term]) {
                    // SAFETY: `self` exists, so `detect` found the instructions.
                    unsafe { Self::add_terms(sums, weights, terms) }
                }
            }
        };
    }

    compiled_for!(
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
    compiled_for!(
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
mod tests {
    use hapax_core::{
        kernels::Portable,
        random::Stream,
        search::neighbors::{NeighborIndex, NeighborScratch, Similarity},
        sparse::{SparseRows, SparseVec},
    };

    #[test]
    fn every_kernel_finds_the_same_neighbors() {
        let mut stream = Stream::new(3, 3);
        let mut rows = SparseRows::new(400);
        for _ in 0..1500 {
            let pairs = (0..30).map(|_| {
                let feature = (stream.unit() * stream.unit() * 400.0) as u32;
                (feature, (stream.unit() - 0.3) as f32)
            });
            let row = SparseVec::from_pairs(pairs.collect::<Vec<_>>()).unwrap();
            rows.push(row.view()).unwrap();
        }
        let index = NeighborIndex::build(&rows).unwrap();
        for kernels in super::available() {
            let mut scratch = NeighborScratch::new(kernels);
            let mut plain = NeighborScratch::new(&Portable);
            for beta in [1.0, 1.3] {
                let by = Similarity::new(beta).unwrap();
                for query in rows.iter().take(50) {
                    let found = index.search(query, 10, by, &[], &mut scratch).unwrap();
                    let expected = index.search(query, 10, by, &[], &mut plain).unwrap();
                    assert_eq!(found, expected, "{}", kernels.name());
                }
            }
        }
    }
}
