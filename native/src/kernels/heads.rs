//! The dense parts of linear models with an instruction that multiplies and rounds at once.
#![allow(
    unsafe_code,
    reason = "loads and stores of vectors, of instructions that were detected"
)]

use core::arch::x86_64::*;
use hapax_core::kernels::HeadTerm;

/// A function that adds the heads with one rounding multiplication (`pmulhrsw`) a vector: of
/// `256 w` and `x` it gives `(256 w x + 2^14) >> 15`, which is the core's term
/// `(w x + 64) >> 7`. Compilers do not find it by themselves.
macro_rules! add_heads {
    ($function:ident, $features:literal, $vector:ty, $half:ty, $set:ident, $load_half:ident,
     $load:ident, $store:ident, $widen:ident, $shift:ident, $multiply:ident, $add:ident) => {
        #[target_feature(enable = $features)]
        pub(super) fn $function(sums: &mut [i16], heads: &[i8], terms: &[HeadTerm]) {
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
