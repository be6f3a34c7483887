//! The scan of label codes with instructions that look up many bytes at once.
#![allow(
    unsafe_code,
    reason = "loads and stores of vectors, of instructions that were detected"
)]

use core::arch::x86_64::*;
use hapax_core::kernels::LABEL_BLOCK as BLOCK;
use hapax_processor::Instructions;

/// Runs the scan if there are instructions for tables of this size, and returns whether it did.
pub(super) fn scan(
    instructions: Instructions,
    codes: &[u8],
    tables: &[u8],
    heads: usize,
    sums: &mut [u16],
    maxima: &mut [u16],
) -> bool {
    let size = tables.len() / heads.max(1);
    let vbmi = instructions == Instructions::Avx512 && is_x86_feature_detected!("avx512vbmi");
    match instructions {
        // SAFETY: these instructions were just found, and those of AVX-512 before.
        Instructions::Avx512 if vbmi && size <= 128 => unsafe {
            scan_vbmi(codes, tables, heads, sums, maxima);
        },
        // SAFETY: a machine with either has AVX2, and it was detected.
        Instructions::Avx2 | Instructions::Avx512 if !vbmi && matches!(size, 16 | 32 | 64) => unsafe {
            scan_avx2(codes, tables, heads, sums, maxima);
        },
        _ => return false,
    }
    true
}

/// The scan with byte shuffles that look up 16 codes in each half of a vector: tables of 16 bytes
/// with one shuffle, of 32 and 64 with two and four, chosen by the higher bits of the code.
#[target_feature(enable = "avx2")]
fn scan_avx2(codes: &[u8], tables: &[u8], heads: usize, sums: &mut [u16], maxima: &mut [u16]) {
    let size = tables.len() / heads.max(1);
    let blocks = codes.chunks_exact(heads * BLOCK);
    let places = sums.as_chunks_mut::<{ BLOCK }>().0.iter_mut();
    for ((block, sums), maximum) in blocks.zip(places).zip(maxima) {
        let mut total = [_mm256_setzero_si256(); 4];
        let lines = block.as_chunks::<{ BLOCK }>().0;
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
    let blocks = codes.chunks_exact(heads * BLOCK);
    let places = sums.as_chunks_mut::<{ BLOCK }>().0.iter_mut();
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
        let lines = block.as_chunks::<{ BLOCK }>().0;
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
