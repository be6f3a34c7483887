//! The four data files together.

use super::{LineError, PartOfSpeech, Synset, parse_line};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// All synsets of a release, sorted by number: nouns, verbs, adjectives, adverbs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordNet {
    synsets: Vec<Synset>,
}

/// Why a folder is not read as WordNet.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// A data file cannot be read.
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A line breaks a rule of the format.
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The rule.
        rule: LineError,
    },
    /// A data file has no synset.
    Empty {
        /// The file.
        path: PathBuf,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Line { path, line, rule } => write!(f, "{}:{line}: {rule}", path.display()),
            Self::Empty { path } => write!(f, "{}: no synset in the file", path.display()),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::File { source, .. } => Some(source),
            Self::Line { rule, .. } => Some(rule),
            _ => None,
        }
    }
}

/// The license, which stands at the head of `data.noun`: its lines begin with two spaces and their
/// number.
///
/// # Errors
/// If the file cannot be read.
pub fn license(folder: &Path) -> io::Result<String> {
    let bytes = fs::read(folder.join(PartOfSpeech::Noun.file_name()))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().take_while(|line| line.starts_with("  "));
    let numberless = lines.map(|line| {
        let line = line
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit());
        format!("{}\n", line.trim())
    });
    Ok(numberless.collect())
}

impl WordNet {
    /// Reads `data.noun`, `data.verb`, `data.adj` and `data.adv` of `folder`. Lines that begin
    /// with two spaces are the license; every other line is a synset.
    ///
    /// # Errors
    /// The first file that cannot be read or has no synset, or the first line that breaks a rule.
    pub fn read(folder: &Path) -> Result<Self, ReadError> {
        let mut synsets = Vec::new();
        for part in PartOfSpeech::ALL {
            let path = folder.join(part.file_name());
            let bytes = match fs::read(&path) {
                Ok(bytes) => bytes,
                Err(source) => return Err(ReadError::File { path, source }),
            };
            let before = synsets.len();
            read_file(&bytes, part, &mut synsets).map_err(|(line, rule)| ReadError::Line {
                path: path.clone(),
                line,
                rule,
            })?;
            if synsets.len() == before {
                return Err(ReadError::Empty { path });
            }
        }
        Ok(Self { synsets })
    }

    /// All synsets, sorted by number.
    #[must_use]
    pub fn synsets(&self) -> &[Synset] {
        &self.synsets
    }
}

/// Appends the synsets of one file to `synsets`, or says which line breaks which rule.
fn read_file(
    bytes: &[u8],
    part: PartOfSpeech,
    synsets: &mut Vec<Synset>,
) -> Result<(), (usize, LineError)> {
    let mut previous = None;
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
        if line.starts_with(b"  ") || text.is_empty() {
            continue;
        }
        let line = std::str::from_utf8(line).map_err(|_| (number, LineError::NotUtf8))?;
        let synset = parse_line(line, part).map_err(|rule| (number, rule))?;
        let offset = synset.id.offset;
        match previous.replace(offset) {
            Some(previous) if previous >= offset => {
                return Err((number, LineError::OutOfOrder { previous, offset }));
            }
            _ => synsets.push(synset),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{WordNet, license};
    use crate::wordnet::fixture::Fixture;

    #[test]
    fn synsets_are_sorted_by_number() {
        let wordnet = Fixture::animals().read().unwrap();
        assert!(wordnet.synsets().is_sorted_by_key(|synset| synset.id));
    }

    #[test]
    fn the_license_is_the_head_without_its_numbers() {
        let folder = Fixture::animals().write();
        assert_eq!(license(folder.path()).unwrap(), "license\n");
    }

    fn said_of(fixture: &Fixture) -> String {
        let folder = fixture.write();
        let said = WordNet::read(folder.path()).unwrap_err().to_string();
        let shown = folder.path().display().to_string();
        said.replace(&format!("{shown}{}", std::path::MAIN_SEPARATOR), "")
    }

    #[test]
    fn errors_name_the_file_the_line_and_the_rule() {
        let mut fixture = Fixture::animals();
        fixture.adverb = "  license\n".into();
        assert_eq!(said_of(&fixture), "data.adv: no synset in the file");
        fixture.adverb = String::new();
        assert_eq!(said_of(&fixture), "data.adv: no synset in the file");
        fixture.verb.push('\n');
        assert_eq!(
            said_of(&fixture),
            "data.verb:4: no ` | ` stands between the fields and the gloss"
        );
        let first = fixture.noun.lines().nth(1).unwrap().to_owned();
        fixture.noun.push_str(&first);
        let line = fixture.noun.lines().count();
        assert_eq!(
            said_of(&fixture),
            format!("data.noun:{line}: offsets must rise, but 00000100 follows 00001700")
        );
    }

    #[test]
    fn a_missing_file_and_foreign_bytes_are_named() {
        let folder = Fixture::animals().write();
        std::fs::write(folder.path().join("data.adj"), b"00000001 \xff\n").unwrap();
        let said = WordNet::read(folder.path()).unwrap_err().to_string();
        assert!(
            said.ends_with("data.adj:1: the line is not UTF-8"),
            "{said}"
        );
        std::fs::remove_file(folder.path().join("data.noun")).unwrap();
        let said = WordNet::read(folder.path()).unwrap_err().to_string();
        assert!(said.contains("data.noun: "), "{said}");
    }
}
