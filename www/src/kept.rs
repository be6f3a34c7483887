//! What is kept from one run to the next: files beside a note of what they were made from.

use hapax::files::write_whole;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use xxhash_rust::xxh3::Xxh3;

/// A hash of all that decides what a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u128);

impl Key {
    /// Hashes parts, so that no two lists of parts are the same bytes.
    pub fn new<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hash = Xxh3::new();
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self(hash.digest128())
    }
}

/// The note beside a file.
#[derive(Serialize, Deserialize)]
struct Note<T> {
    key: String,
    /// The hash of the file.
    file: String,
    told: T,
}

fn note_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

fn shown(Key(hash): Key) -> String {
    format!("{hash:032x}")
}

/// What was told of the file when it was made, if that was with this key and it is whole.
#[must_use]
pub fn kept<T: DeserializeOwned>(path: &Path, key: Key) -> Option<T> {
    let note: Note<T> = serde_json::from_slice(&fs::read(note_of(path)).ok()?).ok()?;
    let is_whole = || {
        let file = fs::read(path).ok()?;
        Some(shown(Key::new([&*file])) == note.file)
    };
    (note.key == shown(key) && is_whole()?).then_some(note.told)
}

/// Notes that the file, which is there, was made with this key.
///
/// # Errors
/// If the file cannot be read or the note not written.
pub fn keep<T: Serialize>(path: &Path, key: Key, told: &T) -> io::Result<()> {
    let file = fs::read(path)?;
    let note = Note {
        key: shown(key),
        file: shown(Key::new([&*file])),
        told,
    };
    let note = serde_json::to_vec(&note)?;
    write_whole(&note_of(path), &note).map_err(io::Error::other)
}

#[cfg(test)]
mod tests {
    use super::{Key, keep, kept};
    use std::fs;

    #[test]
    fn a_file_is_kept_as_long_as_it_is_what_its_key_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let key = Key::new([&b"a"[..], b"b"]);
        let found = |key| kept::<u32>(&path, key);
        assert_eq!(found(key), None);
        fs::write(&path, "bytes").unwrap();
        assert_eq!(found(key), None, "without a note nothing is known");
        keep(&path, key, &7_u32).unwrap();
        assert_eq!(found(key), Some(7));
        assert_eq!(found(Key::new([&b"ab"[..]])), None);
        assert_eq!(found(Key::new([&b""[..], b"ab"])), None);
        fs::write(&path, "other").unwrap();
        assert_eq!(found(key), None, "another file");
        fs::write(folder.path().join("model.json"), "{").unwrap();
        assert_eq!(found(key), None, "another note");
    }
}
