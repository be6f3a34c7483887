//! The numbers and names of all sections of all kinds of models.

use core::fmt;

/// The identity of a section in a model file. The numbers are part of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SectionId(pub u16);

macro_rules! sections {
    ($($(#[$doc:meta])* $name:ident = $number:literal, $text:literal;)*) => {
        impl SectionId {
            $($(#[$doc])* pub const $name: Self = Self($number);)*

            /// What the section holds, in words.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self.0 {
                    $($number => $text,)*
                    _ => "unknown",
                }
            }
        }
    };
}

sections! {
    /// Where each block of label names begins (u32).
    LABEL_NAME_STARTS = 1, "label name blocks";
    /// Front-coded label names.
    LABEL_NAME_TEXT = 2, "label names";
    /// Where each block of vocabulary words begins (u32).
    VOCABULARY_STARTS = 3, "vocabulary blocks";
    /// Front-coded words of the vocabulary.
    VOCABULARY_TEXT = 4, "vocabulary";
    /// In how many training texts each feature occurs.
    DOCUMENT_FREQUENCIES = 5, "document frequencies";
    /// Where each block of 16 rows begins in the packed labels (u32).
    ROW_LABEL_OFFSETS = 16, "row label blocks";
    /// The packed labels of all rows.
    ROW_LABELS = 17, "row labels";
    /// The ids of rows, rising; empty where they are positions (u32).
    ROW_IDS = 18, "row ids";
    /// The value of each code of a compact index (f32).
    COMPACT_LEVELS = 32, "levels of values";
    /// How many postings each row of a compact index has (u8).
    COMPACT_COUNTS = 33, "postings per row";
    /// Where each block of 16 features begins in the postings (u32).
    COMPACT_OFFSETS = 34, "posting blocks";
    /// Posting lists: gaps between rows with codes of values.
    COMPACT_POSTINGS = 35, "postings";
}

impl fmt::Display for SectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.0, self.name())
    }
}
