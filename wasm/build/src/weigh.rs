//! How many bytes the files of the package have, and how many they may have.

use flate2::{Compression, write::GzEncoder};
use std::{
    fs,
    io::{self, Write},
    path::Path,
};

/// Prints the bytes of each file, as it is and gzipped. Whether those named in `limits` are there
/// and within their limits.
pub fn weigh(folder: &Path, limits: &str) -> io::Result<bool> {
    let mut names = Vec::new();
    list(folder, "", &mut names)?;
    names.sort();
    println!(
        "{:<22} {:>9} {:>9}  limit, gzipped",
        "file", "bytes", "gzip"
    );
    let limits = parse(limits)?;
    let mut kept = limits.iter().all(|(name, _)| names.contains(name));
    for name in &names {
        let bytes = fs::read(folder.join(name))?;
        let gzip = gzipped(&bytes)?;
        let limit = limits.iter().find(|(limited, _)| limited == name);
        let verdict = match limit {
            None => String::new(),
            Some((_, most)) if gzip <= *most => format!("{most}"),
            Some((_, most)) => {
                kept = false;
                format!("{most} EXCEEDED")
            }
        };
        println!("{name:<22} {:>9} {gzip:>9}  {verdict}", bytes.len());
    }
    Ok(kept)
}

/// The files of a folder and of those within it, named from the first.
fn list(folder: &Path, prefix: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &format!("{name}/"), names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

fn parse(limits: &str) -> io::Result<Vec<(String, usize)>> {
    let lines = limits
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let wrong = || io::Error::other(format!("limits.txt: '{line}' is not `file bytes`"));
            let (name, bytes) = line.split_once(' ').ok_or_else(wrong)?;
            Ok((name.to_owned(), bytes.trim().parse().map_err(|_| wrong())?))
        })
        .collect()
}

fn gzipped(bytes: &[u8]) -> io::Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}
