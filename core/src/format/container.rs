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

/// Stands between sections, as much of it as is needed.
const PADDING: [u8; ALIGNMENT] = [0; ALIGNMENT];

/// Collects the sections of a model and makes the file of them.
#[derive(Debug)]
pub struct ContainerWriter<'a> {
    kind: u32,
    /// By rising id.
    table: Vec<Entry>,
    /// Of each of them.
    contents: Vec<&'a [u8]>,
}

impl<'a> ContainerWriter<'a> {
    /// A file of this kind of model.
    #[must_use]
    pub(crate) fn new(kind: u32) -> Self {
        Self {
            kind,
            table: Vec::new(),
            contents: Vec::new(),
        }
    }

    /// Bytes of each section so far.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = u64> {
        self.contents.iter().map(|bytes| bytes.len() as u64)
    }

    /// Adds a section. The order of calls does not matter.
    pub(crate) fn section<T: NoUninit>(&mut self, id: SectionId, items: &'a [T]) {
        self.bytes(id, bytemuck::cast_slice(items));
    }

    fn bytes(&mut self, SectionId(id): SectionId, bytes: &'a [u8]) {
        let at = self.table.partition_point(|before| before.id < id);
        let entry = Entry {
            id,
            offset: 0,
            length: bytes.len() as u64,
            crc: checksum(&[bytes]),
        };
        self.table.insert(at, entry);
        self.contents.insert(at, bytes);
    }

    /// Hands `take` the file with this description of the model: parts that follow each other,
    /// sections not copied.
    ///
    /// # Errors
    /// If the metadata exceed their limit.
    pub(crate) fn finish<M: Serialize>(
        mut self,
        description: &M,
        take: &mut dyn FnMut(&[&[u8]]),
    ) -> Result<(), FormatError> {
        let metadata = self.metadata(description)?;
        let length = self.place(metadata.len());
        let mut header = [0; HEADER_BYTES];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&self.kind.to_le_bytes());
        header[16..24].copy_from_slice(&(length as u64).to_le_bytes());
        header[24..CHECKSUM_AT].copy_from_slice(&(metadata.len() as u32).to_le_bytes());
        let checksum = checksum(&[&header, &metadata]);
        header[CHECKSUM_AT..RESERVED_AT].copy_from_slice(&checksum.to_le_bytes());
        let mut parts: Vec<&[u8]> = Vec::with_capacity(2 + 2 * self.contents.len());
        parts.push(&header);
        parts.push(&metadata);
        let mut end = HEADER_BYTES + metadata.len();
        for bytes in self.contents {
            parts.push(&PADDING[..end.wrapping_neg() % ALIGNMENT]);
            parts.push(bytes);
            end = padded(end) + bytes.len();
        }
        take(&parts);
        Ok(())
    }

    /// Gives each section its place behind so many bytes of metadata; returns the file's length.
    fn place(&mut self, metadata: usize) -> usize {
        let mut end = HEADER_BYTES + metadata;
        for (entry, bytes) in self.table.iter_mut().zip(&self.contents) {
            let offset = padded(end);
            entry.offset = offset as u64;
            end = offset + bytes.len();
        }
        end
    }

    /// The coded metadata. Offsets are coded in as many bytes as they need, so their own length
    /// may move them: repeated until it no longer does.
    fn metadata<M: Serialize>(&mut self, description: &M) -> Result<Vec<u8>, FormatError> {
        let mut length = 0;
        loop {
            self.place(length);
            let metadata = encode(&self.table, description)?;
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

/// The metadata of a file. Never inlined: files are read and written in many places, and this is
/// much code.
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
    pub(crate) fn open(bytes: &Bytes) -> Result<Self, FormatError> {
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
    pub(crate) fn description(&self) -> &M {
        &self.description
    }

    /// Bytes of each section.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = (SectionId, u64)> {
        self.table
            .iter()
            .map(|entry| (SectionId(entry.id), entry.length))
    }

    /// The items of a section that must be there, of any number.
    ///
    /// # Errors
    /// If the section is missing or has no whole number of items.
    pub(crate) fn array<T: AnyBitPattern>(
        &mut self,
        section: SectionId,
    ) -> Result<Array<T>, FormatError> {
        self.optional(section)?
            .ok_or(FormatError::SectionMissing { section })
    }

    /// The items of a section that must be there, `items` in number.
    ///
    /// # Errors
    /// If the section is missing or has another number of items.
    pub(crate) fn array_of<T: AnyBitPattern>(
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
    pub(crate) fn optional<T: AnyBitPattern>(
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
    pub(crate) fn finish(self) -> Result<M, FormatError> {
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
