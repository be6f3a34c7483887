//! What can be wrong with a `.npy` file.

use std::fmt;

/// Why the bytes of a `.npy` file are no data that can be read. Rows and columns count from 1.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum NpyError {
    /// The first bytes are not those of a `.npy` file.
    NotNpy,
    /// The file ends within its header.
    CutOff,
    /// The format has a version that is not known.
    Version {
        /// The version.
        major: u8,
        /// And what follows the point.
        minor: u8,
    },
    /// The header is longer than any sound one.
    HeaderTooLong {
        /// Its bytes.
        length: usize,
    },
    /// The header's text is not as it must be.
    Header {
        /// The place in the file, from 0.
        byte: usize,
        /// What should stand there.
        expected: &'static str,
    },
    /// Numbers of a type that is not read.
    Type {
        /// The type as the header names it.
        name: String,
    },
    /// Neither one nor two dimensions, or one where there must be two.
    Dimensions {
        /// How many there are.
        found: usize,
    },
    /// There are more or fewer bytes than the shape needs.
    Length {
        /// Bytes that the shape needs.
        expected: u64,
        /// Bytes behind the header.
        found: u64,
    },
    /// There is no number in it.
    Empty,
    /// A value that is NaN, infinite, or beyond the numbers of f32.
    NotFinite {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// The value.
        value: f64,
    },
    /// A label that is no whole number.
    NotWhole {
        /// Its row.
        row: usize,
        /// The value.
        value: f64,
    },
    /// A value other than 0 and 1 in labels of two dimensions.
    NotTruth {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
        /// The value.
        value: f64,
    },
    /// More columns or labels than can be numbered.
    TooLarge,
    /// Memory is lacking.
    OutOfMemory,
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNpy => f.write_str("is no .npy file"),
            Self::CutOff => f.write_str("ends within the header of a .npy file"),
            Self::Version { major, minor } => {
                write!(
                    f,
                    "is of version {major}.{minor} of .npy files, but 1 to 3 are known"
                )
            }
            Self::HeaderTooLong { length } => {
                write!(f, "has a header of {length} bytes, but 10000 are the most")
            }
            Self::Header { byte, expected } => {
                write!(f, "byte {byte} of the header: {expected} is expected there")
            }
            Self::Type { name } if name.contains(['U', 'S']) => write!(
                f,
                "holds texts (type {name}), but numbers are read: give labels that are names as a text file, the labels \
                 of a row in each line"
            ),
            Self::Type { name } => write!(
                f,
                "holds values of type {name}, but f4, f8, b1, i1 to i8 and u1 to u8 are read: save \
                 x.astype('f4')"
            ),
            Self::Dimensions { found } => write!(
                f,
                "has {found} dimensions, but rows of features have 2, and labels 1 or 2"
            ),
            Self::Length { expected, found } => write!(
                f,
                "has {found} bytes of values, but its shape needs {expected}: is it cut off?"
            ),
            Self::Empty => f.write_str("holds no value; at least one row is needed"),
            Self::NotFinite { row, column, value } => write!(
                f,
                "row {row}, column {column}: the value {value} is not finite in 32 bits"
            ),
            Self::NotWhole { row, value } => {
                write!(f, "row {row}: the label {value} is no whole number")
            }
            Self::NotTruth { row, column, value } => write!(
                f,
                "row {row}, column {column}: labels of two dimensions are 0 or 1, not {value}"
            ),
            Self::TooLarge => f.write_str("has more columns or labels than can be numbered"),
            Self::OutOfMemory => f.write_str("there is no memory for its values"),
        }
    }
}

impl std::error::Error for NpyError {}
