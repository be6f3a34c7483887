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
    /// Which columns of a table the training data were read from (UTF-8).
    COLUMNS = 6, "columns of the training data";
    /// What turns scores into probabilities (f32).
    CALIBRATION = 7, "calibration";
    /// Means of features, then the inverse of their standard deviations (f32).
    STANDARDIZATION = 8, "means and deviations, or weights, of features";
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
    /// Where each row of an exact index begins, and the end (u32).
    ROW_OFFSETS = 48, "row offsets";
    /// Feature ids of the rows, where there are at most 65,536 features (u16).
    NARROW_IDS = 49, "feature ids of rows";
    /// Feature ids of the rows, where there are more (u32).
    WIDE_IDS = 50, "wide feature ids of rows";
    /// Values of the rows as places in the dictionary (u16).
    VALUE_CODES = 51, "codes of values";
    /// The different values (f32).
    VALUE_DICTIONARY = 52, "different values";
    /// Values of the rows, where too many are different (f32).
    VALUES = 53, "values of rows";
    /// Norms of the rows (f64).
    NORMS = 54, "norms of rows";
    /// Where each feature is kept (u32).
    PLACES = 55, "places of features";
    /// Bits of the frequent features (u64).
    HEAD_LINES = 56, "bits of frequent features";
    /// Norms of groups of frequent features.
    HEAD_GROUPS = 57, "norms of frequent features";
    /// Units of the posted values of each rarer feature (f32).
    TAIL_STEPS = 58, "units of posted values";
    /// Where the postings of each rarer feature begin (u32).
    TAIL_STARTS = 59, "starts of postings";
    /// Rows of postings (u16).
    TAIL_ROWS = 60, "rows of postings";
    /// Values of postings.
    TAIL_VALUES = 61, "values of postings";
    /// What a weight of 1 is worth for each label of a linear model, 0 for labels never seen (f32).
    LABEL_SCALES = 64, "scales of labels";
    /// The bias of each label of a linear model; empty where all have one (f32).
    LABEL_BIASES = 65, "biases of labels";
    /// Where each feature's weights begin, and the end (u32).
    WEIGHT_OFFSETS = 66, "starts of weights";
    /// Weights by feature: gaps between labels with values.
    WEIGHTS = 67, "weights";
    /// How many training rows carry each label (u32).
    LABEL_FREQUENCIES = 68, "rows per label";
    /// The bias of each bucket of each head of a MACH model (f32).
    HEAD_BIASES = 80, "biases of buckets";
    /// Weights of all heads by feature, as they were trained (f32).
    HEAD_WEIGHTS = 81, "weights of heads";
    /// Where each 16th record of weights begins, and where the last ends (u32).
    RECORD_OFFSETS = 82, "starts of weight records";
    /// Records of the weights of all heads by feature: skips with values.
    WEIGHT_RECORDS = 83, "weight records";
    /// Where the centroid of each label with rows begins, and where the last ends (u32).
    CENTROID_OFFSETS = 84, "starts of centroids";
    /// The largest entries of the mean row of each label with rows.
    CENTROIDS = 85, "centroids of labels";
    /// The vectors of features: f32, or codes of 8 or 4 bits.
    EMBEDDING = 96, "vectors of features";
    /// What a weight of 1 is worth in each feature's vector; empty for f32 (f32).
    EMBEDDING_SCALES = 97, "scales of features";
    /// The prototypes of labels in panels: f32, or codes of 8 or 4 bits.
    PROTOTYPES = 98, "prototypes of labels";
    /// What a weight of 1 is worth in each label's prototype; empty for f32 (f32).
    PROTOTYPE_SCALES = 99, "scales of prototypes";
    /// What is added to each label's score; empty for inner products (f32).
    PROTOTYPE_OFFSETS = 100, "offsets of prototypes";
    /// Given vectors of features: codes of 8 bits.
    VECTORS = 101, "given vectors";
    /// What a weight of 1 is worth in each of these vectors (f32).
    VECTOR_SCALES = 102, "scales of given vectors";
    /// Which features have these vectors, rising (u32).
    VECTOR_FEATURES = 103, "features with given vectors";
    /// The prototypes of labels over these vectors, in panels: codes of 8 bits.
    VECTOR_PROTOTYPES = 104, "prototypes over vectors";
    /// What a weight of 1 is worth in each of these prototypes (f32).
    VECTOR_PROTOTYPE_SCALES = 105, "scales of prototypes over vectors";
    /// Which features have vectors, rising; absent where all have one (u32).
    EMBEDDING_FEATURES = 106, "features with vectors";
    /// How many times scores over given vectors count (f32).
    VECTOR_WEIGHT = 107, "weight of given vectors";
}

impl fmt::Display for SectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.0, self.name())
    }
}
