//! The page as a folder: everything it needs, ready for any web server.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

/// What could not be put into the folder.
#[derive(Debug)]
pub struct SiteError {
    path: PathBuf,
    source: io::Error,
}

impl fmt::Display for SiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: cannot be copied to the page: {}",
            self.path.display(),
            self.source
        )
    }
}

impl std::error::Error for SiteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// Makes `folder` hold the files of each source and nothing else. A source is a file or a folder,
/// whose files are taken without those in folders below; it goes to the place named, a path
/// within `folder`.
///
/// # Errors
/// The first path that cannot be read, made or written.
pub fn assemble(folder: &Path, sources: &[(&Path, &str)]) -> Result<(), SiteError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| SiteError { path, source }
    };
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(folder)(error))?,
        _ => {}
    }
    for &(source, place) in sources {
        let target = folder.join(place);
        let copy = |from: &Path, to: &Path| fs::copy(from, to).map_err(failed(from)).map(drop);
        if !source.is_dir() {
            fs::create_dir_all(target.parent().unwrap_or(folder)).map_err(failed(&target))?;
            copy(source, &target)?;
            continue;
        }
        fs::create_dir_all(&target).map_err(failed(&target))?;
        for entry in fs::read_dir(source).map_err(failed(source))? {
            let from = entry.map_err(failed(source))?.path();
            if let (true, Some(name)) = (from.is_file(), from.file_name()) {
                copy(&from, &target.join(name))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::assemble;
    use std::fs;

    #[test]
    fn old_files_go_and_new_ones_come() {
        let place = tempfile::tempdir().unwrap();
        let (from, site) = (place.path().join("from"), place.path().join("a/site"));
        fs::create_dir_all(from.join("below")).unwrap();
        fs::write(from.join("index.html"), "page").unwrap();
        fs::write(from.join("below/secret"), "").unwrap();
        for _ in 0..2 {
            let sources = [(&*from, ""), (&from.join("index.html"), "copy/one.html")];
            let sources = sources.map(|(path, place): (&std::path::Path, _)| (path, place));
            assemble(&site, &sources).unwrap();
            let mut names: Vec<_> = fs::read_dir(&site)
                .unwrap()
                .map(|entry| entry.unwrap().file_name())
                .collect();
            names.sort();
            assert_eq!(names, ["copy", "index.html"]);
            assert_eq!(fs::read(site.join("copy/one.html")).unwrap(), b"page");
            fs::write(site.join("old"), "").unwrap();
        }
        let absent = place.path().join("absent");
        let refused = assemble(&site, &[(&absent, "x")]).unwrap_err().to_string();
        assert!(
            refused.contains("absent: cannot be copied to the page"),
            "{refused}"
        );
    }

    #[test]
    fn pages_carry_the_rule_of_their_server() {
        let rule = hapax::serve::POLICY
            .strip_suffix("; frame-ancestors 'none'")
            .unwrap();
        for page in [
            include_str!("../page/dictionary/index.html"),
            include_str!("../page/yours/index.html"),
        ] {
            assert!(page.contains(&format!("content=\"{rule}\"")));
        }
    }
}
