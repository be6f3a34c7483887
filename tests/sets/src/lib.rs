//! Where tests find their data sets.
//!
//! Four small sets lie in `tests/data/sets`, with source and license; the others in `shared/data`
//! beside the workspace. A test whose set is absent fails. `cargo verify --without-data` leaves it
//! out instead: it names a file in `HAPAX_WITHOUT_DATA`, and each such test writes a line there.

#![allow(clippy::panic, reason = "a test without its data fails")]

use std::{
    env,
    fs::OpenOptions,
    io::Write,
    path::{Path, PathBuf},
    thread,
};

/// Names the file to which tests add what they leave out.
const LEFT_OUT: &str = "HAPAX_WITHOUT_DATA";
const VENDORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/sets");
const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");

/// The path of a file of a set, such as `iris/train.txt.xz`; `None` where the test is left out.
///
/// # Panics
/// If the file is absent and the test is not to be left out.
#[must_use]
pub fn path(name: &str) -> Option<PathBuf> {
    let places = [VENDORED, SHARED].map(|folder| Path::new(folder).join(name));
    let found = places.into_iter().find(|path| path.exists());
    if found.is_none() {
        leave_out(name);
    }
    found
}

/// The folder of the sets beside the workspace; `None` where the test is left out.
///
/// # Panics
/// If the folder is absent and the test is not to be left out.
#[must_use]
pub fn shared() -> Option<PathBuf> {
    let folder = Path::new(SHARED);
    if !folder.is_dir() {
        leave_out("all sets");
        return None;
    }
    Some(folder.to_owned())
}

/// Takes down that the running test lacks `name`, or fails it.
fn leave_out(name: &str) {
    let Some(list) = env::var_os(LEFT_OUT) else {
        panic!(
            "the data of {name} are absent: put them into {SHARED}, or leave such tests out by \
             `cargo verify --without-data`"
        );
    };
    let thread = thread::current();
    let line = format!("{}: {name}\n", thread.name().unwrap_or("main"));
    let file = OpenOptions::new().create(true).append(true).open(&list);
    let written = file.and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(
        written.is_ok(),
        "cannot write {}",
        Path::new(&list).display()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_sets_are_here() {
        for set in ["glass", "iris", "letter", "splice"] {
            for part in ["train", "test"] {
                let found = path(&format!("{set}/{part}.txt.xz")).unwrap();
                assert!(found.starts_with(VENDORED), "{}", found.display());
            }
        }
    }

    #[test]
    #[should_panic(expected = "the data of nowhere/train.txt.xz are absent")]
    fn a_set_that_is_absent_fails_its_test() {
        // Left out, there is nothing to see: the panic is then this test's own.
        assert!(
            env::var_os(LEFT_OUT).is_none(),
            "the data of nowhere/train.txt.xz are absent"
        );
        let _ = path("nowhere/train.txt.xz");
    }
}
