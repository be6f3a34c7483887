//! CRC-32 (ISO-HDLC), the checksum of headers and sections.
//!
//! Where the processor has instructions for it the crate `crc32fast` uses them. Elsewhere that crate
//! would bring 16 kB of tables, which do not compress: there a table of 1 kB does.

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

/// What a byte does to the checksum.
static TABLE: [u32; 256] = {
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
};

#[cfg_attr(
    any(target_arch = "x86_64", target_arch = "aarch64"),
    allow(dead_code, reason = "tests hold it against the crate")
)]
pub(super) fn by_table(parts: &[&[u8]]) -> u32 {
    let mut crc = !0;
    for &byte in parts.iter().copied().flatten() {
        crc = (crc >> 8) ^ TABLE[(crc as u8 ^ byte) as usize];
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::{by_table, checksum};
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
}
