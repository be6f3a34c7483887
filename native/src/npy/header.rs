//! The header of a `.npy` file (NumPy enhancement proposal 1, versions 1.0, 2.0 and 3.0).
//!
//! ```text
//! file    = "\x93NUMPY" major minor length text data
//! text    = "{" pair *("," pair) [","] "}" *SP
//! pair    = "'descr'" ":" string | "'fortran_order'" ":" ("True" | "False") | "'shape'" ":" shape
//! shape   = "(" [number *("," number) [","]] ")"
//! string  = "'" order type "'"
//! length  : u16, from version 2 on u32, little-endian
//! pair    : each key once, in any order
//! order   : "<", ">", "|" or "="
//! type    : f4 f8 b1 i1-i8 u1-u8
//! ```
//!
//! with spaces between all of these, and double quotes in place of single ones.

use super::{MARK, NpyError};

/// The type of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// f32.
    Float,
    /// f64.
    Double,
    /// One byte: 0 or not.
    Truth,
    /// Two's complement, of so many bytes.
    Signed(usize),
    /// Without a sign, of so many bytes.
    Unsigned(usize),
}

impl Kind {
    /// Bytes of a number.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Float => 4,
            Self::Double => 8,
            Self::Truth => 1,
            Self::Signed(size) | Self::Unsigned(size) => size,
        }
    }
}

/// What a header says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The type.
    pub kind: Kind,
    /// Whether the first byte of a number is the highest.
    pub big: bool,
    /// Whether the first dimension varies fastest: columns stand one after another, not rows.
    pub by_columns: bool,
    /// The lengths of the dimensions.
    pub shape: Vec<u64>,
}

/// The longest text: NumPy itself refuses to read longer ones.
const MOST: usize = 10_000;

impl Header {
    /// The header of a file, and where its numbers begin.
    ///
    /// # Errors
    /// If the bytes do not begin with one, or it says something that is not read here.
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), NpyError> {
        let rest = bytes.strip_prefix(MARK).ok_or(NpyError::NotNpy)?;
        let &[major, minor, ..] = rest else {
            return Err(NpyError::CutOff);
        };
        let (length, start) = match (major, rest) {
            (1, &[_, _, a, b, ..]) => (usize::from(u16::from_le_bytes([a, b])), 10),
            (2 | 3, &[_, _, a, b, c, d, ..]) => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
            (1..=3, _) => return Err(NpyError::CutOff),
            _ => return Err(NpyError::Version { major, minor }),
        };
        if length > MOST {
            return Err(NpyError::HeaderTooLong { length });
        }
        let text = bytes.get(start..start + length).ok_or(NpyError::CutOff)?;
        let header = Text { text, at: 0, start }.dictionary()?;
        Ok((header, start + length))
    }
}

/// The text of a header, read from begin to end.
struct Text<'a> {
    text: &'a [u8],
    at: usize,
    start: usize,
}

impl<'a> Text<'a> {
    fn wrong(&self, expected: &'static str) -> NpyError {
        NpyError::Header {
            byte: self.start + self.at,
            expected,
        }
    }

    fn next(&mut self) -> Option<u8> {
        let spaces = self.text[self.at..]
            .iter()
            .take_while(|b| b.is_ascii_whitespace());
        self.at += spaces.count();
        self.text.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let there = self.next() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Result<(), NpyError> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(self.wrong(expected))
        }
    }

    fn string(&mut self, expected: &'static str) -> Result<&'a [u8], NpyError> {
        let quote = self.next().filter(|byte| matches!(byte, b'\'' | b'"'));
        let quote = quote.ok_or_else(|| self.wrong(expected))?;
        let from = self.at + 1;
        let length = self.text[from..].iter().position(|&byte| byte == quote);
        let end = from + length.ok_or_else(|| self.wrong("a string that ends"))?;
        self.at = end + 1;
        Ok(&self.text[from..end])
    }

    fn word(&mut self) -> &'a [u8] {
        self.next();
        let from = self.at;
        self.at += self.text[from..]
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        &self.text[from..self.at]
    }

    fn dictionary(&mut self) -> Result<Header, NpyError> {
        let (mut kind, mut fortran, mut shape) = (None, None, None);
        self.expect(b'{', "{")?;
        while !self.take(b'}') {
            let place = self.at;
            let key = self.string("a key")?;
            self.expect(b':', ":")?;
            let twice = match key {
                b"descr" => kind.replace(self.kind()?).is_some(),
                b"fortran_order" => fortran.replace(self.truth()?).is_some(),
                b"shape" => shape.replace(self.shape()?).is_some(),
                _ => true,
            };
            if twice {
                self.at = place;
                return Err(self.wrong("descr, fortran_order and shape, each once"));
            }
            if !self.take(b',') && self.next() != Some(b'}') {
                return Err(self.wrong(", or }"));
            }
        }
        if self.next().is_some() {
            return Err(self.wrong("nothing behind }"));
        }
        let (Some((kind, big)), Some(by_columns), Some(shape)) = (kind, fortran, shape) else {
            return Err(self.wrong("descr, fortran_order and shape, each once"));
        };
        Ok(Header {
            kind,
            big,
            by_columns,
            shape,
        })
    }

    fn truth(&mut self) -> Result<bool, NpyError> {
        match self.word() {
            b"True" => Ok(true),
            b"False" => Ok(false),
            _ => Err(self.wrong("True or False")),
        }
    }

    fn kind(&mut self) -> Result<(Kind, bool), NpyError> {
        let name = self.string("a plain type such as '<f4'")?;
        let (big, kind) = match name {
            [b'>', kind @ ..] => (true, kind),
            [b'<' | b'|' | b'=', kind @ ..] => (false, kind),
            kind => (false, kind),
        };
        let kind = match kind {
            b"f4" => Kind::Float,
            b"f8" => Kind::Double,
            b"b1" => Kind::Truth,
            [b'i', size @ (b'1' | b'2' | b'4' | b'8')] => Kind::Signed(usize::from(size - b'0')),
            [b'u', size @ (b'1' | b'2' | b'4' | b'8')] => Kind::Unsigned(usize::from(size - b'0')),
            _ => {
                let name = String::from_utf8_lossy(&name[..name.len().min(40)]).into_owned();
                return Err(NpyError::Type { name });
            }
        };
        Ok((kind, big))
    }

    fn shape(&mut self) -> Result<Vec<u64>, NpyError> {
        self.expect(b'(', "a shape such as (100, 16)")?;
        let mut shape = Vec::new();
        while !self.take(b')') {
            let digits = std::str::from_utf8(self.word()).unwrap_or("");
            let length = digits.parse().map_err(|_| self.wrong("a length"))?;
            shape.push(length);
            if !self.take(b',') && self.next() != Some(b')') {
                return Err(self.wrong(", or )"));
            }
        }
        Ok(shape)
    }
}
