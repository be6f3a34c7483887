//! CRC-32 (ISO-HDLC), the checksum of headers and sections.
//!
//! Where the processor has instructions for it the crate `crc32fast` uses them. Elsewhere that
//! crate would bring 16 kB of tables, which do not compress: there a table of 1 kB does, made on
//! the spot where the program itself is fetched, and for long contents seven more let eight bytes
//! be taken at a time (M. Kounavis, F. Berry: A systematic approach to building high performance
//! software-based CRC generators, ISCC 2005).

/// The checksum of parts that follow each other.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) fn checksum(parts: &[&[u8]]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    parts.iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

/// The checksum of parts that follow each other.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(super) use by_table as checksum;

const POLYNOMIAL: u32 = 0xedb8_8320;

/// From here on making the further tables takes less time than it saves. They take 8 kB of the
/// stack, which devices without an operating system keep for better things.
const LONG: usize = if cfg!(any(target_family = "wasm", test)) {
    1 << 14
} else {
    usize::MAX
};

/// What a byte does to the checksum.
type Table = [u32; 256];

const fn table() -> Table {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1) ^ (POLYNOMIAL * (crc & 1));
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

#[cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    allow(dead_code, reason = "tests hold it against the crate")
)]
pub(super) fn by_table(parts: &[&[u8]]) -> u32 {
    #[cfg(not(target_family = "wasm"))]
    let first = const { &table() };
    // A table that is fetched takes longer than one that is made.
    #[cfg(target_family = "wasm")]
    let first = &table();
    let crc = parts.iter().fold(!0, |crc, part| {
        if part.len() < LONG {
            byte_by_byte(first, crc, part)
        } else {
            eight_by_eight(first, crc, part)
        }
    });
    !crc
}

fn byte_by_byte(table: &Table, crc: u32, bytes: &[u8]) -> u32 {
    bytes.iter().fold(crc, |crc, &byte| {
        (crc >> 8) ^ table[usize::from(crc as u8 ^ byte)]
    })
}

/// Table `k` says what a byte does when `k` further bytes follow it.
fn eight_by_eight(first: &Table, mut crc: u32, bytes: &[u8]) -> u32 {
    let mut tables = [*first; 8];
    for k in 1..8 {
        tables[k] = tables[k - 1].map(|before| (before >> 8) ^ first[usize::from(before as u8)]);
    }
    let (eights, rest) = bytes.as_chunks::<8>();
    for &eight in eights {
        let word = u64::from_le_bytes(eight) ^ u64::from(crc);
        let [a, b, c, d, e, f, g, h] = word.to_le_bytes().map(usize::from);
        let low = tables[7][a] ^ tables[6][b] ^ tables[5][c] ^ tables[4][d];
        crc = low ^ tables[3][e] ^ tables[2][f] ^ tables[1][g] ^ tables[0][h];
    }
    byte_by_byte(first, crc, rest)
}

#[cfg(test)]
mod tests {
    use super::{LONG, by_table, checksum};
    use crate::random::Stream;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn the_check_value_of_the_standard() {
        assert_eq!(by_table(&[b"1234", b"56789"]), 0xcbf4_3926);
        assert_eq!(checksum(&[b"1234", b"", b"56789"]), 0xcbf4_3926);
    }

    proptest! {
        #[test]
        fn the_table_gives_what_the_crate_gives(bytes: Vec<u8>, cut: prop::sample::Index) {
            let (left, right) = bytes.split_at(cut.index(bytes.len() + 1));
            prop_assert_eq!(by_table(&[left, right]), checksum(&[&bytes]));
        }
    }

    #[test]
    fn long_parts_are_as_short_ones() {
        let mut stream = Stream::new(7, 0);
        for length in [LONG - 1, LONG, LONG + 1, LONG + 7, 3 * LONG + 4] {
            let bytes: Vec<u8> = (0..length).map(|_| stream.bits() as u8).collect();
            assert_eq!(by_table(&[&bytes]), checksum(&[&bytes]), "{length} bytes");
            assert_eq!(by_table(&[b"head", &bytes]), checksum(&[b"head", &bytes]));
        }
    }
}
