//! The folder of a site: what is hapax's in it, and what is not.
//!
//! [`MARK`] lists the files that hapax has written there, each with its hash. What is not listed is
//! never changed, and what was changed by others is not overwritten.

use super::page::{File, integrity};
use crate::failure::Failure;
use hapax::files::{FileError, make_folder, write_whole};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Component, Path, PathBuf},
};

/// The list of files.
const MARK: &str = "hapax-site.json";

/// A folder that hapax may write to.
pub struct Folder {
    path: PathBuf,
    /// The files that hapax has written, with their hashes; `None` if it was interrupted.
    made: BTreeMap<String, Option<String>>,
}

impl Folder {
    /// Refuses a folder with files of others that hapax never wrote to, or one of whose files was
    /// changed since. It need not be there.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let mark = path.join(MARK);
        let made = match fs::read(&mark) {
            Ok(bytes) => listed(&bytes).ok_or_else(|| {
                Failure::in_file(&mark, "is no list of files of hapax: name another folder")
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                check_empty(path)?;
                BTreeMap::new()
            }
            Err(error) => return Err(FileError::reading(&mark, error).into()),
        };
        for (name, hash) in &made {
            let (file, Some(hash)) = (path.join(name), hash) else {
                continue;
            };
            match fs::read(&file) {
                Ok(bytes) if integrity(&bytes) != *hash => {
                    return Err(Failure::in_file(
                        &file,
                        "was changed since hapax wrote it: move it away, or name another folder",
                    ));
                }
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(FileError::reading(&file, error).into());
                }
                _ => {}
            }
        }
        let path = path.to_owned();
        Ok(Self { path, made })
    }

    /// Makes these the files of hapax: writes them, and removes those of before that are not among
    /// them. Each is there wholly or as it was, and at any time the list holds all that are there.
    pub fn write(mut self, files: &[File]) -> Result<(), Failure> {
        for File { name, .. } in files {
            let path = self.path.join(name);
            if !self.made.contains_key(name) && path.symlink_metadata().is_ok() {
                return Err(Failure::in_file(
                    &path,
                    "is not of hapax, but the page needs a file of this name: move it away, or name \
                     another folder",
                ));
            }
        }
        make_folder(&self.path)?;
        let names = files.iter().map(|file| file.name.clone());
        self.made = self
            .made
            .into_keys()
            .chain(names)
            .map(|n| (n, None))
            .collect();
        self.list()?;
        for File { name, bytes } in files {
            let path = self.path.join(name);
            make_folder(path.parent().unwrap_or(&self.path))?;
            write_whole(&path, bytes)?;
            let hash = integrity(bytes);
            self.made.insert(name.clone(), Some(hash));
        }
        let old = self.made.iter().filter(|(_, hash)| hash.is_none());
        for (name, _) in old {
            let path = self.path.join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Failure::in_file(
                        &path,
                        format_args!("cannot remove: {error}"),
                    ));
                }
                _ => {}
            }
        }
        self.made.retain(|_, hash| hash.is_some());
        self.list()
    }

    fn list(&self) -> Result<(), Failure> {
        let made_by = concat!("hapax ", env!("CARGO_PKG_VERSION"));
        let list = json!({"made_by": made_by, "files": self.made});
        write_whole(&self.path.join(MARK), format!("{list:#}\n").as_bytes())?;
        Ok(())
    }
}

/// Refuses a folder that holds anything but what a killed hapax has left.
fn check_empty(path: &Path) -> Result<(), Failure> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(FileError::reading(path, error).into()),
    };
    for entry in entries {
        let name = entry
            .map_err(|error| FileError::reading(path, error))?
            .file_name();
        let name = name.to_string_lossy();
        if !(name.starts_with(".hapax-") && name.ends_with(".tmp")) {
            return Err(Failure::in_file(
                path,
                format_args!(
                    "holds {name:?}, which hapax did not write: name a new or an empty folder"
                ),
            ));
        }
    }
    Ok(())
}

/// The files of a list, whose names lead to no other folder.
fn listed(bytes: &[u8]) -> Option<BTreeMap<String, Option<String>>> {
    let list: Value = serde_json::from_slice(bytes).ok()?;
    let files = list["files"].as_object()?.iter();
    let is_inside = |name: &str| {
        let parts = Path::new(name).components();
        !name.is_empty()
            && parts
                .into_iter()
                .all(|part| matches!(part, Component::Normal(_)))
    };
    files
        .map(|(name, hash)| {
            let hash = match hash {
                Value::Null => None,
                hash => Some(hash.as_str()?.to_owned()),
            };
            is_inside(name).then(|| (name.clone(), hash))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_list_names_files_within_its_folder() {
        let list = |name: &str| {
            let list = serde_json::json!({"files": {name: "sha256-x", "b": null}});
            listed(list.to_string().as_bytes())
        };
        let good = list("hapax/a.js").unwrap();
        assert_eq!(good["hapax/a.js"].as_deref(), Some("sha256-x"));
        assert_eq!(good["b"], None);
        for outside in ["../a", "/etc/passwd", "a/../../b", "./a", ""] {
            assert!(list(outside).is_none(), "{outside}");
        }
        for other in [&b""[..], b"{}", b"[1]", b"{\"files\": {\"a\": 1}}"] {
            assert!(listed(other).is_none());
        }
    }
}
