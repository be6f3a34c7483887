//! Header, metadata and sections, whatever the kind of model.

use super::{FormatError, SectionId, checksum::checksum};
use crate::array::Array;
use alloc::{vec, vec::Vec};
use bytemuck::{AnyBitPattern, NoUninit};
use bytes::Bytes;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The version of the format that this release writes, and the latest it reads.
pub const VERSION: u32 = 1;
/// Bytes of the header.
pub const HEADER_BYTES: usize = 64;
/// Bytes of metadata at most.
pub const MAX_METADATA_BYTES: usize = 1 << 20;

const MAGIC: [u8; 8] = *b"HAPAX\x1a\r\n";
const ALIGNMENT: usize = 64;
const CHECKSUM_AT: usize = 28;
const RESERVED_AT: usize = 32;

/// A line of the section table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    id: u16,
    offset: u64,
    length: u64,
    crc: u32,
}

fn padded(length: usize) -> usize {
    length.next_multiple_of(ALIGNMENT)
}

/// Collects the sections of a model and writes the file.
#[derive(Debug)]
pub struct ContainerWriter<'a> {
    kind: u32,
    sections: Vec<(SectionId, &'a [u8])>,
}

impl<'a> ContainerWriter<'a> {
    /// A file of this kind of model.
    #[must_use]
    pub fn new(kind: u32) -> Self {
        Self {
            kind,
            sections: Vec::new(),
        }
    }

    /// Adds a section. The order of calls does not matter.
    pub fn section<T: NoUninit>(&mut self, id: SectionId, items: &'a [T]) {
        self.sections.push((id, bytemuck::cast_slice(items)));
    }

    /// Writes the file with this description of the model.
    ///
    /// # Errors
    /// If the metadata exceed their limit or memory is lacking.
    pub fn finish<M: Serialize>(mut self, description: &M) -> Result<Vec<u8>, FormatError> {
        self.sections.sort_by_key(|&(id, _)| id);
        let metadata = self.metadata(description)?;
        let length = self.layout(metadata.len()).1;
        let mut file = Vec::new();
        file.try_reserve_exact(length)
            .map_err(|_| FormatError::OutOfMemory {
                bytes: length as u64,
            })?;
        file.extend_from_slice(&MAGIC);
        file.extend_from_slice(&VERSION.to_le_bytes());
        file.extend_from_slice(&self.kind.to_le_bytes());
        file.extend_from_slice(&(length as u64).to_le_bytes());
        file.extend_from_slice(&(metadata.len() as u32).to_le_bytes());
        file.resize(HEADER_BYTES, 0);
        file.extend_from_slice(&metadata);
        let checksum = checksum(&[&file]);
        file[CHECKSUM_AT..RESERVED_AT].copy_from_slice(&checksum.to_le_bytes());
        for (_, bytes) in &self.sections {
            file.resize(padded(file.len()), 0);
            file.extend_from_slice(bytes);
        }
        Ok(file)
    }

    /// The section table and the file's length, with so many bytes of metadata.
    fn layout(&self, metadata: usize) -> (Vec<Entry>, usize) {
        let mut end = HEADER_BYTES + metadata;
        let table = self.sections.iter().map(|(id, bytes)| {
            let offset = padded(end);
            end = offset + bytes.len();
            let (offset, length) = (offset as u64, bytes.len() as u64);
            Entry {
                id: id.0,
                offset,
                length,
                crc: checksum(&[bytes]),
            }
        });
        (table.collect(), end)
    }

    /// The coded metadata. Offsets are coded in as many bytes as they need, so their own length
    /// may move them: repeated until it no longer does.
    fn metadata<M: Serialize>(&self, description: &M) -> Result<Vec<u8>, FormatError> {
        let mut length = 0;
        loop {
            let table = self.layout(length).0;
            let metadata = encode(&table, description)?;
            if metadata.len() > MAX_METADATA_BYTES {
                let (length, limit) = (metadata.len() as u64, MAX_METADATA_BYTES as u64);
                return Err(FormatError::MetadataTooLong { length, limit });
            }
            if padded(HEADER_BYTES + metadata.len()) == padded(HEADER_BYTES + length) {
                return Ok(metadata);
            }
            // Lengths only grow from one round to the next, so this ends.
            length = length.max(metadata.len());
        }
    }
}

/// An opened file: its parts stand where the table says, and match their checksums.
#[derive(Debug)]
pub struct Container<M> {
    description: M,
    bytes: Bytes,
    table: Vec<Entry>,
    taken: Vec<bool>,
}

/// The metadata of a file. Never inlined: files are read and written in many places, and this is much
/// code.
#[inline(never)]
fn encode<M: Serialize>(table: &[Entry], description: &M) -> Result<Vec<u8>, FormatError> {
    postcard::to_allocvec(&(table, description)).map_err(|_| FormatError::MetadataInvalid)
}

/// The kind of model in a file that begins like `bytes`, without further checks.
///
/// # Errors
/// If the first bytes are not those of a model file of a version that this release reads.
pub(crate) fn kind(bytes: &[u8]) -> Result<u32, FormatError> {
    let Some(header) = bytes.get(..HEADER_BYTES) else {
        return Err(if bytes.starts_with(&MAGIC[..5]) || bytes.is_empty() {
            FormatError::TooShort {
                length: bytes.len() as u64,
            }
        } else {
            FormatError::NotAModel
        });
    };
    if header[..8] != MAGIC {
        return Err(FormatError::NotAModel);
    }
    let found = u32_at(header, 8);
    if found > VERSION {
        return Err(FormatError::NewerVersion {
            found,
            supported: VERSION,
        });
    }
    if found == 0 {
        return Err(FormatError::HeaderDamaged);
    }
    Ok(u32_at(header, 12))
}

fn u32_at(header: &[u8], at: usize) -> u32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&header[at..at + 4]);
    u32::from_le_bytes(bytes)
}

impl<M: Serialize + DeserializeOwned> Container<M> {
    /// Checks header, metadata, the places of all sections, padding and checksums.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn open(bytes: &Bytes) -> Result<Self, FormatError> {
        kind(bytes)?;
        let header = &bytes[..HEADER_BYTES];
        let length = bytes.len() as u64;
        let expected = u64::from(u32_at(header, 16)) | u64::from(u32_at(header, 20)) << 32;
        if length != expected {
            return Err(FormatError::WrongLength { length, expected });
        }
        let metadata_length = u32_at(header, 24) as usize;
        let limit = MAX_METADATA_BYTES.min(bytes.len() - HEADER_BYTES);
        if metadata_length > limit {
            let length = metadata_length as u64;
            return Err(FormatError::MetadataTooLong {
                length,
                limit: limit as u64,
            });
        }
        let metadata = &bytes[HEADER_BYTES..HEADER_BYTES + metadata_length];
        check_header(header, metadata)?;
        let ((table, description), rest) = postcard::take_from_bytes::<(Vec<Entry>, M)>(metadata)
            .map_err(|_| FormatError::MetadataInvalid)?;
        let taken = vec![false; table.len()];
        let container = Self {
            description,
            table,
            taken,
            bytes: bytes.clone(),
        };
        let again = encode(&container.table, &container.description)?;
        if !rest.is_empty() || again != metadata {
            return Err(FormatError::MetadataInvalid);
        }
        container.check_table(HEADER_BYTES + metadata_length)?;
        container.check_contents(HEADER_BYTES + metadata_length)?;
        Ok(container)
    }

    /// Sections stand by rising id, each at the first aligned place behind the one before, and the
    /// last one ends the file.
    fn check_table(&self, metadata_end: usize) -> Result<(), FormatError> {
        let file = self.bytes.len() as u64;
        let mut end = metadata_end as u64;
        let mut previous = None;
        for entry in &self.table {
            let misplaced = FormatError::SectionMisplaced {
                id: entry.id,
                offset: entry.offset,
            };
            if previous >= Some(entry.id) || entry.offset != end.next_multiple_of(ALIGNMENT as u64)
            {
                return Err(misplaced);
            }
            end = entry
                .offset
                .checked_add(entry.length)
                .ok_or(misplaced.clone())?;
            if end > file {
                return Err(misplaced);
            }
            previous = Some(entry.id);
        }
        if end == file {
            Ok(())
        } else {
            Err(FormatError::WrongLength {
                length: file,
                expected: end,
            })
        }
    }

    fn check_contents(&self, metadata_end: usize) -> Result<(), FormatError> {
        let mut end = metadata_end;
        for entry in &self.table {
            let start = entry.offset as usize;
            if let Some(at) = self.bytes[end..start].iter().position(|&byte| byte != 0) {
                return Err(FormatError::PaddingNotZero {
                    offset: (end + at) as u64,
                });
            }
            end = start + entry.length as usize;
            if !sealed(checksum(&[&self.bytes[start..end]]), entry.crc) {
                let (section, offset) = (SectionId(entry.id), entry.offset);
                return Err(FormatError::SectionDamaged { section, offset });
            }
        }
        Ok(())
    }

    /// The description of the model.
    pub fn description(&self) -> &M {
        &self.description
    }

    /// Bytes of each section.
    pub fn sizes(&self) -> impl Iterator<Item = (SectionId, u64)> {
        self.table
            .iter()
            .map(|entry| (SectionId(entry.id), entry.length))
    }

    /// The items of a section that must be there, of any number.
    ///
    /// # Errors
    /// If the section is missing or has no whole number of items.
    pub fn array<T: AnyBitPattern>(&mut self, section: SectionId) -> Result<Array<T>, FormatError> {
        self.optional(section)?
            .ok_or(FormatError::SectionMissing { section })
    }

    /// The items of a section that must be there, `items` in number.
    ///
    /// # Errors
    /// If the section is missing or has another number of items.
    pub fn array_of<T: AnyBitPattern>(
        &mut self,
        section: SectionId,
        items: usize,
    ) -> Result<Array<T>, FormatError> {
        let array = self.array(section)?;
        if array.len() == items {
            return Ok(array);
        }
        let length = (array.len() * size_of::<T>()) as u64;
        Err(FormatError::SectionLength {
            section,
            length,
            expected_items: Some(items as u64),
        })
    }

    /// The items of a section, if it is there.
    ///
    /// # Errors
    /// If it has no whole number of items.
    pub fn optional<T: AnyBitPattern>(
        &mut self,
        section: SectionId,
    ) -> Result<Option<Array<T>>, FormatError> {
        let Some(window) = self.window(section) else {
            return Ok(None);
        };
        let length = window.len() as u64;
        Array::from_bytes(window)
            .map(Some)
            .ok_or(FormatError::SectionLength {
                section,
                length,
                expected_items: None,
            })
    }

    /// The bytes of a section, if it is there.
    fn window(&mut self, section: SectionId) -> Option<Bytes> {
        let at = self.table.iter().position(|entry| entry.id == section.0)?;
        self.taken[at] = true;
        let Entry { offset, length, .. } = self.table[at];
        let start = offset as usize;
        Some(self.bytes.slice(start..start + length as usize))
    }

    /// Ends the reading: every section must have been asked for.
    ///
    /// # Errors
    /// If one was not.
    pub fn finish(self) -> Result<M, FormatError> {
        match self.taken.iter().position(|&taken| !taken) {
            Some(at) => Err(FormatError::SectionUnexpected {
                id: self.table[at].id,
            }),
            None => Ok(self.description),
        }
    }
}

/// Whether a checksum is right. A fuzzer is let past it, to try what stands behind.
fn sealed(computed: u32, stored: u32) -> bool {
    cfg!(fuzzing) || computed == stored
}

fn check_header(header: &[u8], metadata: &[u8]) -> Result<(), FormatError> {
    let found = checksum(&[
        &header[..CHECKSUM_AT],
        &[0; 4],
        &header[RESERVED_AT..],
        metadata,
    ]);
    let reserved_is_zero = header[RESERVED_AT..].iter().all(|&byte| byte == 0);
    if sealed(found, u32_at(header, CHECKSUM_AT)) && reserved_is_zero {
        Ok(())
    } else {
        Err(FormatError::HeaderDamaged)
    }
}
