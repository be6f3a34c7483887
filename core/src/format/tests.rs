//! One refusal for each rule of the grammar.

use super::{Container, ContainerWriter, FormatError, SectionId, container::HEADER_BYTES};
use alloc::{string::String, vec::Vec};
use bytes::Bytes;

const NUMBERS: SectionId = SectionId(7);
const LETTERS: SectionId = SectionId(3);

fn file() -> Vec<u8> {
    let mut writer = ContainerWriter::new(1);
    writer.section(NUMBERS, &[1u32, 2, 3]);
    writer.section(LETTERS, b"abc");
    let mut file = Vec::new();
    let mut take = |parts: &[&[u8]]| file = parts.concat();
    let description = String::from("a description");
    writer.finish(&description, &mut take).unwrap();
    file
}

fn open(file: Vec<u8>) -> Result<Container<String>, FormatError> {
    Container::open(&Bytes::from(file))
}

/// Puts the checksum right after a deliberate change to header or metadata.
fn sealed(mut file: Vec<u8>) -> Vec<u8> {
    let metadata = u32::from_le_bytes(file[24..28].try_into().unwrap()) as usize;
    file[28..32].fill(0);
    let checksum = super::checksum::checksum(&[&file[..HEADER_BYTES + metadata]]);
    file[28..32].copy_from_slice(&checksum.to_le_bytes());
    file
}

fn changed(at: usize, byte: u8) -> Vec<u8> {
    let mut file = file();
    file[at] = byte;
    file
}

#[test]
fn what_was_written_is_read_in_canonical_order() {
    let mut container = open(file()).unwrap();
    assert_eq!(container.description(), "a description");
    let sizes: Vec<_> = container.sizes().collect();
    assert_eq!(sizes, [(LETTERS, 3), (NUMBERS, 12)]);
    assert_eq!(
        container.array_of::<u32>(NUMBERS, 3).unwrap()[..],
        [1, 2, 3]
    );
    assert_eq!(container.array::<u8>(LETTERS).unwrap()[..], *b"abc");
    assert!(container.finish().is_ok());
}

#[test]
fn arrays_borrow_from_the_file() {
    let mut container = open(file()).unwrap();
    let numbers = container.array::<u32>(NUMBERS).unwrap();
    assert_eq!(numbers.owned_bytes(), 0, "an aligned section is not copied");
}

#[test]
fn every_truncation_and_extension_is_refused() {
    let whole = file();
    for length in 0..whole.len() {
        let error = open(whole[..length].to_vec()).unwrap_err();
        let expected = match length {
            0..HEADER_BYTES => {
                matches!(error, FormatError::TooShort { .. } | FormatError::NotAModel)
            }
            _ => matches!(error, FormatError::WrongLength { .. }),
        };
        assert!(expected, "{length} bytes: {error}");
    }
    let longer = [&whole[..], &[0]].concat();
    assert!(matches!(open(longer), Err(FormatError::WrongLength { .. })));
}

#[test]
fn every_flipped_bit_is_noticed() {
    let whole = file();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut file = whole.clone();
            file[at] ^= 1 << bit;
            assert!(open(file).is_err(), "byte {at}, bit {bit}");
        }
    }
}

#[test]
fn other_files_and_later_versions_are_named() {
    assert_eq!(
        open(Vec::from([b'x'; 100])).unwrap_err(),
        FormatError::NotAModel
    );
    let later = open(changed(8, 2)).unwrap_err();
    assert_eq!(
        later,
        FormatError::NewerVersion {
            found: 2,
            supported: 1
        }
    );
    assert_eq!(
        open(sealed(changed(40, 1))).unwrap_err(),
        FormatError::HeaderDamaged
    );
}

#[test]
fn metadata_must_be_short_canonical_and_complete() {
    let mut long = file();
    long[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(
        open(long),
        Err(FormatError::MetadataTooLong { .. })
    ));
    let mut cut = file();
    cut[24] -= 1;
    assert_eq!(open(sealed(cut)).unwrap_err(), FormatError::MetadataInvalid);
}

#[test]
fn sections_leave_no_holes_and_do_not_overlap() {
    // The table's first entry: how many there are, then id, offset (two bytes: 128), length.
    let offset = HEADER_BYTES + 2;
    assert_eq!(file()[offset..offset + 2], [0x80, 0x01]);
    let moved = open(sealed(changed(offset, 0xc0))).unwrap_err();
    assert_eq!(moved, FormatError::SectionMisplaced { id: 3, offset: 192 });
    let mut padding = file();
    let behind_metadata = 127;
    assert_eq!(padding[behind_metadata], 0);
    padding[behind_metadata] = 1;
    let error = open(padding).unwrap_err();
    assert_eq!(
        error,
        FormatError::PaddingNotZero {
            offset: behind_metadata as u64
        }
    );
    let error = open(changed(128, b'x')).unwrap_err();
    assert_eq!(
        error,
        FormatError::SectionDamaged {
            section: LETTERS,
            offset: 128
        }
    );
}

#[test]
fn sections_are_all_asked_for_and_of_the_right_size() {
    let mut container = open(file()).unwrap();
    assert_eq!(
        container.array::<u16>(LETTERS).unwrap_err(),
        FormatError::SectionLength {
            section: LETTERS,
            length: 3,
            expected_items: None
        }
    );
    assert_eq!(
        container.array_of::<u32>(NUMBERS, 4).unwrap_err(),
        FormatError::SectionLength {
            section: NUMBERS,
            length: 12,
            expected_items: Some(4)
        }
    );
    let missing = SectionId(9);
    assert_eq!(
        container.array::<u8>(missing).unwrap_err(),
        FormatError::SectionMissing { section: missing }
    );
    let unread = open(file()).unwrap();
    assert_eq!(
        unread.finish().unwrap_err(),
        FormatError::SectionUnexpected { id: 3 }
    );
}
