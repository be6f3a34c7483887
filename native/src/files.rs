//! Files in and out: compressed input, memory-mapped models, writing that is all or nothing.

mod beside;
mod json_array;
mod text;
mod zstd;

use beside::{behind_links, folder_of};
pub(crate) use beside::{beside, remove_leftovers};
use hapax_core::{bytes::Bytes, model::Model};
use std::{
    fmt,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};
pub use text::{open_text, read_text};

/// A file that could not be read or written.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    doing: &'static str,
    source: io::Error,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: cannot {}: ", self.path.display(), self.doing)?;
        match self.source.kind() {
            io::ErrorKind::NotFound if self.doing == "write" => {
                f.write_str("there is no such folder")
            }
            io::ErrorKind::NotFound => f.write_str("there is no such file"),
            io::ErrorKind::PermissionDenied => f.write_str("permission denied"),
            io::ErrorKind::IsADirectory => f.write_str("it is a directory"),
            _ => write!(f, "{}", self.source),
        }
    }
}

impl FileError {
    /// That a file could not be read.
    #[must_use]
    pub fn reading(path: &Path, source: io::Error) -> Self {
        failed(path, "read")(source)
    }

    /// Whether the system lacks something, such as room on the disk or memory, rather than the path
    /// being wrong.
    #[must_use]
    pub fn is_lacking(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, OutOfMemory, QuotaExceeded, StorageFull, WriteZero};
        let lacking = [
            StorageFull,
            QuotaExceeded,
            OutOfMemory,
            WriteZero,
            FileTooLarge,
        ];
        lacking.contains(&self.source.kind())
    }

    /// Whether there is no such file.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

fn failed(path: &Path, doing: &'static str) -> impl Fn(io::Error) -> FileError {
    move |source| FileError {
        path: path.to_owned(),
        doing,
        source,
    }
}

/// Refuses to write `output` over `input`, by whatever path, before the work is done.
///
/// # Errors
/// If both are the same file.
pub fn check_not_over(output: &Path, input: &Path) -> Result<(), FileError> {
    let same = match (std::fs::canonicalize(output), std::fs::canonicalize(input)) {
        (Ok(output), Ok(input)) => output == input,
        _ => false,
    };
    let why = "the data are read from it; name another file for the output";
    match same && input.as_os_str() != "-" {
        true => Err(failed(output, "write")(io::Error::other(why))),
        false => Ok(()),
    }
}

/// The bytes of a model file, mapped into memory where the system can.
///
/// # Errors
/// If the file cannot be read.
#[allow(unsafe_code)]
pub fn map_model(path: &Path) -> Result<Bytes, FileError> {
    let file = File::open(path).map_err(failed(path, "open"))?;
    // SAFETY: mapping is unsound only if another process cuts or rewrites this very file while it
    // is in use. hapax never writes a model in place (see `write_whole`): it renames a new file
    // over the old one, whose mapping then stays as it was.
    match unsafe { memmap2::Mmap::map(&file) } {
        Ok(map) => Ok(Bytes::from_owner(map)),
        Err(_) => std::fs::read(path)
            .map(Bytes::from)
            .map_err(failed(path, "read")),
    }
}

/// Refuses a path that [`write_whole`] could not write, before the work whose result it would get.
///
/// # Errors
/// If the folder does not exist or cannot be written, or the path is taken by something other
/// than a file.
pub fn check_writable(path: &Path) -> Result<(), FileError> {
    beside(path).map_err(failed(path, "write"))?;
    Ok(())
}

/// Refuses a path that [`open_text`] could not open, without reading from it.
///
/// # Errors
/// If there is no such file, it is a directory, or it may not be read.
pub fn check_readable(path: &Path) -> Result<(), FileError> {
    if path.as_os_str() == "-" {
        return Ok(());
    }
    let kind = std::fs::metadata(path).map_err(failed(path, "open"))?;
    if kind.is_dir() {
        return Err(failed(path, "read")(io::ErrorKind::IsADirectory.into()));
    }
    // Opening a pipe could wait for its writer, or take what it wrote.
    if kind.is_file() {
        File::open(path).map_err(failed(path, "open"))?;
    }
    Ok(())
}

/// Writes a file so that it is either wholly there or unchanged: beside the target, flushed to
/// the disk, then renamed over it.
///
/// # Errors
/// If the directory does not exist or cannot be written, or the disk is full.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    write_whole_by(path, |file| file.write_all(bytes))
}

/// The same with what `fill` writes into the new file.
///
/// # Errors
/// As [`write_whole`], and if `fill` fails.
pub fn write_whole_by(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), FileError> {
    let doing = failed(path, "write");
    let target = behind_links(path);
    let mut file = beside(&target).map_err(&doing)?;
    target
        .parent()
        .map(folder_of)
        .into_iter()
        .for_each(remove_leftovers);
    fill(file.as_file_mut()).map_err(&doing)?;
    // A file keeps the permissions that its owner gave it.
    if let Ok(there) = std::fs::metadata(&target) {
        let _ = file.as_file().set_permissions(there.permissions());
    }
    file.as_file().sync_all().map_err(&doing)?;
    file.persist(&target).map_err(|error| doing(error.error))?;
    // The new name outlives a loss of power only once its folder is on the disk, too.
    #[cfg(unix)]
    if let Some(folder) = target.parent().filter(|folder| folder.is_dir()) {
        let _ = File::open(folder).and_then(|folder| folder.sync_all());
    }
    Ok(())
}

/// Writes a model's file as [`write_whole`] does, from the model's own arrays: it is never whole in
/// memory.
///
/// # Errors
/// As [`write_whole`] and [`Model::to_bytes`].
pub fn write_model(path: &Path, model: &Model) -> Result<(), FileError> {
    write_whole_by(path, |file| {
        let mut written = Ok(());
        let format = model.file_parts(&mut |parts| {
            written = parts.iter().try_for_each(|part| file.write_all(part));
        });
        format.map_err(io::Error::other).and(written)
    })
}

/// Makes a folder, and those above it, where there is none.
///
/// # Errors
/// If that is not allowed, or something else has the name.
pub fn make_folder(path: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(path).map_err(failed(path, "write"))
}

#[cfg(test)]
mod tests {
    use super::{check_writable, map_model, read_text, write_model, write_whole};
    use hapax_core::{
        data::{ReadOptions, Source, read},
        executor::Sequential,
        model::Model,
        parameters::NearestParameters,
    };
    use std::path::Path;

    #[test]
    fn what_is_written_is_mapped_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        write_whole(&path, b"first").unwrap();
        let mapped = map_model(&path).unwrap();
        write_whole(&path, b"second, longer").unwrap();
        assert_eq!(&mapped[..], b"first", "an open model keeps its bytes");
        assert_eq!(&map_model(&path).unwrap()[..], b"second, longer");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_model_is_written_byte_by_byte_and_one_that_cannot_be_leaves_the_file() {
        let rows = b"3 4 2\n0 0:1 1:0.5\n1 2:1\n1 2:0.5 3:1\n";
        let read = read(rows, &ReadOptions::default(), &Sequential).unwrap();
        let Source::Rows(data) = read.source else {
            panic!("the header says that these are rows")
        };
        let parameters = NearestParameters {
            neighbors: 2,
            ..NearestParameters::default()
        };
        let mut model = Model::train_nearest(parameters, &data, None).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        write_model(&path, &model).unwrap();
        let bytes = model.to_bytes().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert_eq!(model.file_bytes().unwrap(), bytes.len() as u64);
        assert!((0..3).all(|row| model.forget(row)));
        let message = write_model(&path, &model).unwrap_err().to_string();
        assert!(
            message.ends_with("cannot write: all rows of the model were forgotten"),
            "{message}"
        );
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn errors_name_the_file_and_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let absent = folder.path().join("absent");
        let message = read_text(&absent).unwrap_err().to_string();
        assert!(
            message.ends_with("absent: cannot open: there is no such file"),
            "{message}"
        );
        let message = write_whole(&absent.join("x"), b"").unwrap_err().to_string();
        assert!(
            message.contains("cannot write: there is no such folder"),
            "{message}"
        );
        let message = read_text(folder.path()).unwrap_err().to_string();
        assert!(message.contains("it is a directory"), "{message}");
    }

    #[test]
    #[cfg(unix)]
    fn links_are_written_through_and_devices_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("model"), folder.path().join("link"));
        std::fs::write(&path, b"old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        for refused in [Path::new("/dev/null"), folder.path()] {
            assert!(check_writable(refused).is_err(), "{}", refused.display());
            assert!(write_whole(refused, b"").is_err(), "{}", refused.display());
        }
        assert!(check_writable(&path).is_ok());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
