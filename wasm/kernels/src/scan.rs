//! The scan of label codes with an instruction that looks up 16 bytes at once.

use bytemuck::cast;
use core::arch::wasm32::*;
use hapax_core::kernels::{Kernels, LABEL_BLOCK as BLOCK, Portable};

/// Codes of a vector.
const LANES: usize = 16;

/// [`Kernels::scan`], 16 codes at a time: a table of 16 bytes is one look-up, one of 32, 64 or 128
/// bytes two, four or eight, of which all but one give 0, because a code less the part's first is
/// then 16 or more. Sums stay in vectors over all heads.
pub fn scan(codes: &[u8], tables: &[u8], heads: usize, sums: &mut [u16], maxima: &mut [u16]) {
    let size = tables.len() / heads.max(1);
    if !matches!(size, 16 | 32 | 64 | 128) {
        return Portable.scan(codes, tables, heads, sums, maxima);
    }
    let blocks = codes.chunks_exact(heads * BLOCK);
    let places = sums.as_chunks_mut::<BLOCK>().0.iter_mut();
    for ((block, sums), maximum) in blocks.zip(places).zip(maxima) {
        let mut totals = [u16x8_splat(0); BLOCK / 8];
        let lines = block.as_chunks::<BLOCK>().0;
        for (line, table) in lines.iter().zip(tables.chunks_exact(size)) {
            add_line(line, table.as_chunks::<LANES>().0, &mut totals);
        }
        let mut largest = u16x8_splat(0);
        for (eight, total) in sums.as_chunks_mut::<8>().0.iter_mut().zip(totals) {
            *eight = cast(total);
            largest = u16x8_max(largest, total);
        }
        *maximum = cast::<v128, [u16; 8]>(largest)
            .into_iter()
            .fold(0, u16::max);
    }
}

/// Adds what one head's table has for the codes of a block.
#[inline(always)]
fn add_line(line: &[u8; BLOCK], table: &[[u8; LANES]], totals: &mut [v128; BLOCK / 8]) {
    let codes: [[u8; LANES]; BLOCK / LANES] = cast(*line);
    let mut codes = codes.map(cast::<_, v128>);
    let mut found = [u8x16_splat(0); BLOCK / LANES];
    for part in table {
        let part = cast::<_, v128>(*part);
        for (found, codes) in found.iter_mut().zip(&mut codes) {
            *found = v128_or(*found, u8x16_swizzle(part, *codes));
            *codes = u8x16_sub(*codes, u8x16_splat(LANES as u8));
        }
    }
    for (pair, found) in totals.as_chunks_mut::<2>().0.iter_mut().zip(found) {
        pair[0] = u16x8_add(pair[0], u16x8_extend_low_u8x16(found));
        pair[1] = u16x8_add(pair[1], u16x8_extend_high_u8x16(found));
    }
}
