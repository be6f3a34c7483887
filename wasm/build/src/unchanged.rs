//! Whether the package is what these sources, this program and this compiler make.
//!
//! Cargo cannot say: the parts of the package are one crate with other features, whose files have
//! one name, so that each build of one is linked anew after another.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};
use xxhash_rust::xxh3::Xxh3;

/// What the package is made of, below the root of the workspace.
const SOURCES: [&str; 14] = [
    "Cargo.toml",
    "Cargo.lock",
    "core",
    "wasm/src",
    "wasm/module",
    "wasm/kernels",
    "wasm/package",
    "wasm/Cargo.toml",
    "wasm/package-lock.json",
    "wasm/build/limits.txt",
    "wasm/README.md",
    "wasm/THIRD-PARTY.txt",
    "docs/web.md",
    "CHANGELOG.md",
];

/// A note of what was made, and from what.
pub struct Note {
    path: PathBuf,
    root: PathBuf,
    threads: bool,
}

impl Note {
    pub fn new(root: &Path, threads: bool) -> Self {
        Self {
            path: root.join("target/wasm/made"),
            root: root.to_owned(),
            threads,
        }
    }

    /// Whether the note says what would be made now, and it is all there.
    pub fn is_true(&self) -> bool {
        let (Ok(note), Ok(now)) = (fs::read_to_string(&self.path), self.hash()) else {
            return false;
        };
        note == now
    }

    /// Notes what is there.
    pub fn write(&self) -> io::Result<()> {
        fs::write(&self.path, self.hash()?)
    }

    fn hash(&self) -> io::Result<String> {
        let mut hash = Xxh3::new();
        let compiler = Command::new("rustc").arg("-vV").output()?;
        hash.update(&compiler.stdout);
        hash.update(&fs::read(env::current_exe()?)?);
        hash.update(&[u8::from(self.threads)]);
        for source in SOURCES {
            add(&mut hash, &self.root.join(source))?;
        }
        for made in ["wasm/dist", "native/dist"] {
            add(&mut hash, &self.root.join(made))?;
        }
        Ok(format!("{:032x}", hash.digest128()))
    }
}

/// Adds the names and bytes of a file, or of all files of a folder in the order of their names.
fn add(hash: &mut Xxh3, path: &Path) -> io::Result<()> {
    if path.is_dir() {
        let entries = fs::read_dir(path)?;
        let paths: io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
        let mut paths = paths?;
        paths.sort();
        return paths.iter().try_for_each(|path| add(hash, path));
    }
    let bytes = fs::read(path)?;
    hash.update(path.as_os_str().as_encoded_bytes());
    hash.update(&(bytes.len() as u64).to_le_bytes());
    hash.update(&bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Note, SOURCES};
    use std::fs;

    #[test]
    fn a_note_is_true_until_a_source_or_a_product_changes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for source in SOURCES {
            match source.contains('.') {
                true => {
                    fs::create_dir_all(at(source).parent().unwrap()).unwrap();
                    fs::write(at(source), source).unwrap();
                }
                false => fs::create_dir_all(at(source)).unwrap(),
            }
        }
        for made in ["wasm/dist", "native/dist", "target/wasm"] {
            fs::create_dir_all(at(made)).unwrap();
        }
        let note = Note::new(folder.path(), false);
        assert!(!note.is_true());
        note.write().unwrap();
        assert!(note.is_true());
        assert!(!Note::new(folder.path(), true).is_true());
        for name in [
            "core/lib.rs",
            "wasm/dist/hapax.wasm",
            "native/dist/hapax.wasm.br",
            "Cargo.lock",
        ] {
            note.write().unwrap();
            fs::write(at(name), "other").unwrap();
            assert!(!note.is_true(), "{name}");
        }
        note.write().unwrap();
        fs::remove_file(at("wasm/dist/hapax.wasm")).unwrap();
        assert!(!note.is_true());
    }
}
