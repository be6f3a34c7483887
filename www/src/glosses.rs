//! The definitions as a file of their own, fetched only when evidence is first shown.

use std::{error::Error, fmt};

/// A definition that would break the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineBreak {
    /// The row of the definition.
    pub row: usize,
}

impl fmt::Display for LineBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "definition {} has a line break within", self.row)
    }
}

impl Error for LineBreak {}

/// UTF-8 text whose line i, from 0, is the definition of row i of the model.
///
/// # Errors
/// If a definition has a line break, behind which the lines would no longer be the rows.
pub fn file(definitions: &[String]) -> Result<Vec<u8>, LineBreak> {
    let mut bytes = Vec::with_capacity(definitions.iter().map(|text| text.len() + 1).sum());
    for (row, definition) in definitions.iter().enumerate() {
        if definition.contains('\n') {
            return Err(LineBreak { row });
        }
        bytes.extend_from_slice(definition.as_bytes());
        bytes.push(b'\n');
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::{LineBreak, file};

    #[test]
    fn lines_are_rows() {
        let texts = ["a mouse".to_owned(), String::new(), "é".to_owned()];
        assert_eq!(file(&texts).unwrap(), "a mouse\n\né\n".as_bytes());
        assert_eq!(file(&["a\nb".to_owned()]), Err(LineBreak { row: 0 }));
    }
}
