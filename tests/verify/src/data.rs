//! Tests whose data are absent fail; with `--without-data` they are left out and listed.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Names the file in which tests write what they leave out; see the crate `hapax-sets`.
pub const VARIABLE: &str = "HAPAX_WITHOUT_DATA";

/// The list of what tests left out.
pub struct LeftOut {
    list: PathBuf,
}

impl LeftOut {
    /// Begins an empty list.
    pub fn begin(root: &Path) -> Self {
        let list = root.join("target/without-data.txt");
        // A list that is not there is empty.
        let _ = fs::remove_file(&list);
        Self { list }
    }

    pub fn list(&self) -> &Path {
        &self.list
    }

    /// Prints how many tests were left out, and each with the data it lacked.
    pub fn tell(&self) {
        let text = fs::read_to_string(&self.list).unwrap_or_default();
        let lines: BTreeSet<&str> = text.lines().collect();
        println!("\nleft out for want of data: {}", lines.len());
        for line in lines {
            println!("  {line}");
        }
    }
}
