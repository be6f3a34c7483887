//! Sums of table entries at the codes of labels: the loop of decoding MACH.

/// Labels of a block.
pub const BLOCK: usize = 64;

/// For blocks of 64 labels, with `heads` lines of 64 codes each, the sums of the tables' bytes at
/// the labels' codes, and the largest of each block. Tables have `tables.len() / heads` bytes, and
/// codes are below that; there are at most 257 heads.
#[inline(always)]
pub fn scan(codes: &[u8], tables: &[u8], heads: usize, sums: &mut [u16], maxima: &mut [u16]) {
    let size = tables.len() / heads.max(1);
    let blocks = codes.chunks_exact(heads.max(1) * BLOCK);
    let places = sums.as_chunks_mut::<BLOCK>().0.iter_mut();
    for ((block, sums), maximum) in blocks.zip(places).zip(maxima) {
        *sums = [0; BLOCK];
        let lines = block.as_chunks::<BLOCK>().0;
        for (line, table) in lines.iter().zip(tables.chunks_exact(size.max(1))) {
            for (sum, &code) in sums.iter_mut().zip(line) {
                *sum += u16::from(table.get(usize::from(code)).copied().unwrap_or(0));
            }
        }
        *maximum = sums.iter().copied().fold(0, u16::max);
    }
}
