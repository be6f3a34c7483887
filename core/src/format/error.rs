//! Why bytes are not a model file.

use super::SectionId;
use core::fmt;

/// Why bytes are not a model file, or cannot be made one: the place, the rule and the value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// The file is shorter than a header.
    TooShort {
        /// Bytes there are.
        length: u64,
    },
    /// The first bytes are not those of a model file.
    NotAModel,
    /// The file was written by a later release.
    NewerVersion {
        /// The version of the file.
        found: u32,
        /// The latest version this release reads.
        supported: u32,
    },
    /// The kind of model is none that this release knows.
    UnknownKind {
        /// The kind in the file.
        kind: u32,
    },
    /// This program was made without the code of this kind of model; see [`crate::model::Kinds`].
    KindLeftOut {
        /// The kind of the model.
        kind: u32,
    },
    /// The file is shorter or longer than its header says.
    WrongLength {
        /// Bytes there are.
        length: u64,
        /// Bytes the header says.
        expected: u64,
    },
    /// The metadata are longer than allowed, or than the file.
    MetadataTooLong {
        /// Bytes of metadata.
        length: u64,
        /// The most allowed here.
        limit: u64,
    },
    /// Header and metadata do not match their checksum, or reserved bytes are not zero.
    HeaderDamaged,
    /// The metadata match their checksum but are not metadata of this kind of model.
    MetadataInvalid,
    /// A section does not stand where the one before it ends, or reaches beyond the file.
    SectionMisplaced {
        /// The number of the section.
        id: u16,
        /// Where the table says it begins.
        offset: u64,
    },
    /// The contents of a section do not match its checksum.
    SectionDamaged {
        /// The section.
        section: SectionId,
        /// Where it begins.
        offset: u64,
    },
    /// A section that this kind of model needs is missing.
    SectionMissing {
        /// The section.
        section: SectionId,
    },
    /// A section that this kind of model does not have.
    SectionUnexpected {
        /// The number of the section.
        id: u16,
    },
    /// A section has the wrong number of items.
    SectionLength {
        /// The section.
        section: SectionId,
        /// Bytes there are.
        length: u64,
        /// Items expected, where one number is expected.
        expected_items: Option<u64>,
    },
    /// Bytes between sections are not zero.
    PaddingNotZero {
        /// Where.
        offset: u64,
    },
    /// A value in a section breaks a rule.
    ValueInvalid {
        /// The section.
        section: SectionId,
        /// The position of the item in the section.
        position: u64,
        /// The rule, as a sentence.
        rule: &'static str,
    },
    /// All rows of the model were forgotten: there is nothing to write.
    NothingToWrite,
    /// The model would take memory out of proportion to its file.
    ClaimsMemory {
        /// For what.
        what: &'static str,
        /// Bytes of memory.
        bytes: u64,
        /// The most for a file of this length.
        limit: u64,
    },
    /// Memory for the file's contents is lacking.
    OutOfMemory {
        /// Bytes asked for.
        bytes: u64,
    },
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooShort { length } => write!(
                f,
                "{length} bytes are too few for a model file, which begins with 64"
            ),
            Self::NotAModel => f.write_str("not a hapax model: the file does not begin with HAPAX"),
            Self::NewerVersion { found, supported } => write!(
                f,
                "the model has format version {found} and this release reads up to {supported}: \
                 install a newer hapax"
            ),
            Self::UnknownKind { kind } => write!(f, "unknown kind of model: {kind}"),
            Self::KindLeftOut { kind } => write!(
                f,
                "a model of kind {kind}, but this program holds only nearest neighbors, kind 1: use one with all kinds"
            ),
            Self::WrongLength { length, expected } => write!(
                f,
                "the file has {length} bytes but its header says {expected}: it is {}",
                if length < expected {
                    "cut off"
                } else {
                    "followed by something else"
                }
            ),
            Self::MetadataTooLong { length, limit } => {
                write!(f, "{length} bytes of metadata, at most {limit} can be here")
            }
            Self::HeaderDamaged => {
                f.write_str("the header is damaged (bytes 0 to 63, or metadata)")
            }
            Self::MetadataInvalid => {
                f.write_str("the metadata behind the header are not those of this kind of model")
            }
            Self::SectionMisplaced { id, offset } => {
                write!(f, "section {id} cannot begin at byte {offset}")
            }
            Self::SectionDamaged { section, offset } => {
                write!(
                    f,
                    "section {section}, which begins at byte {offset}, is damaged"
                )
            }
            Self::SectionMissing { section } => write!(f, "section {section} is missing"),
            Self::SectionUnexpected { id } => {
                write!(f, "section {id} does not belong to this kind of model")
            }
            Self::SectionLength {
                section,
                length,
                expected_items,
            } => {
                write!(f, "section {section} has {length} bytes, ")?;
                match expected_items {
                    Some(items) => write!(f, "which are not {items} items"),
                    None => f.write_str("no whole number of items"),
                }
            }
            Self::PaddingNotZero { offset } => {
                write!(f, "byte {offset}, between two sections, is not zero")
            }
            Self::ValueInvalid {
                section,
                position,
                rule,
            } => {
                write!(f, "section {section}, item {position}: {rule}")
            }
            Self::NothingToWrite => f.write_str("all rows of the model were forgotten"),
            Self::ClaimsMemory { what, bytes, limit } => claims(f, what, *bytes, *limit),
            Self::OutOfMemory { bytes } => write!(f, "no memory for {bytes} bytes"),
        }
    }
}

fn claims(f: &mut fmt::Formatter<'_>, what: &str, bytes: u64, limit: u64) -> fmt::Result {
    write!(
        f,
        "the model would take {bytes} bytes of memory for its {what}, but a file of its length \
         may ask for {limit} at most"
    )
}

impl core::error::Error for FormatError {}
