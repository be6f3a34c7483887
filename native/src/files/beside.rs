//! Files that are being written, beside those whose place they will take.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// Names of files that are being written.
const PREFIX: &str = ".hapax-";
const SUFFIX: &str = ".tmp";

/// Removes from a folder what processes left that were killed while they wrote a file there. Who
/// still writes holds a lock on the file, which ends with the process.
pub(crate) fn remove_leftovers(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX)
            && name.ends_with(SUFFIX)
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A new file in the folder of `path`, locked; gone when dropped.
pub(crate) fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    // Renaming over a device, such as /dev/null, would replace it.
    match std::fs::metadata(path) {
        Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => {
            return Err(io::Error::other("it is not a regular file"));
        }
        _ => {}
    }
    let folder = path.parent().map_or(Path::new("."), folder_of);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    #[cfg(unix)]
    builder.permissions(permissions());
    loop {
        let file = builder.tempfile_in(folder)?;
        // Between the two another process may have taken it for a leftover: then it is gone now.
        // Where there are no locks nothing is ever taken for one.
        let locked = file.as_file().lock().is_ok();
        if !locked || file.path().exists() {
            return Ok(file);
        }
    }
}

/// A folder as it is opened: that of a bare name is the current one.
pub(super) fn folder_of(parent: &Path) -> &Path {
    match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    }
}

/// What a path leads to, whether or not it exists: a link stays a link, and what it points to is
/// written.
pub(super) fn behind_links(path: &Path) -> PathBuf {
    let mut target = path.to_owned();
    // As many as Linux follows.
    for _ in 0..40 {
        match std::fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => break,
        }
    }
    std::fs::canonicalize(&target).unwrap_or(target)
}

/// What other programs give a new file: readable by all, less the user's mask.
#[cfg(unix)]
fn permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    std::fs::Permissions::from_mode(0o666)
}

#[cfg(test)]
mod tests {
    use super::beside;
    use crate::files::write_whole;

    #[cfg(unix)]
    #[test]
    fn leftovers_of_killed_writers_go_links_and_permissions_stay() {
        use std::{fs, os::unix::fs::PermissionsExt};
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at(".hapax-dead.tmp"), b"half").unwrap();
        let alive = beside(&at("other")).unwrap();
        std::os::unix::fs::symlink("model", at("link")).unwrap();
        write_whole(&at("link"), b"first").unwrap();
        assert!(!at(".hapax-dead.tmp").exists());
        assert!(alive.path().exists(), "its writer lives");
        assert!(at("link").is_symlink(), "a link to what does not exist yet");
        assert_eq!(fs::read(at("model")).unwrap(), b"first");
        fs::set_permissions(at("model"), fs::Permissions::from_mode(0o600)).unwrap();
        write_whole(&at("model"), b"second").unwrap();
        let mode = fs::metadata(at("model")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
