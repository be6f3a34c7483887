//! Any bytes as a compressed file: what was wrapped comes out whole; what is damaged is refused or
//! read as other bytes, in memory that the limit of the run bounds.
#![no_main]

use arbitrary::Arbitrary;
use flate2::{Compression, write::GzEncoder};
use hapax::{files::read_text, tables::next_line};
use libfuzzer_sys::fuzz_target;
use liblzma::write::XzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use std::{fs, io::Write, path::PathBuf, sync::LazyLock};
use tempfile::TempDir;

#[derive(Arbitrary, Debug)]
struct Job {
    /// Members of one file, one behind the other.
    members: Vec<(Wrapper, Vec<u8>)>,
    /// Places and bits that are turned over.
    damage: Vec<(u16, u8)>,
    /// How many bytes are cut off the end.
    cut: u8,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Wrapper {
    Plain,
    Gzip,
    Xz,
    Zstd,
}

fn wrap(wrapper: Wrapper, bytes: &[u8]) -> Vec<u8> {
    match wrapper {
        Wrapper::Plain => bytes.to_vec(),
        Wrapper::Gzip => {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(bytes).expect("memory");
            encoder.finish().expect("memory")
        }
        Wrapper::Xz => {
            let mut encoder = XzEncoder::new(Vec::new(), 0);
            encoder.write_all(bytes).expect("memory");
            encoder.finish().expect("memory")
        }
        Wrapper::Zstd => compress_to_vec(bytes, CompressionLevel::Fastest),
    }
}

fuzz_target!(|job: Job| {
    static FILE: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("data");
        (folder, path)
    });
    let mut file: Vec<u8> = job
        .members
        .iter()
        .flat_map(|(by, bytes)| wrap(*by, bytes))
        .collect();
    let whole = file.len();
    for &(place, bits) in &job.damage {
        if let Some(byte) = file.get_mut(usize::from(place)) {
            *byte ^= bits;
        }
    }
    file.truncate(whole - usize::from(job.cut).min(whole));
    let path = &FILE.1;
    fs::write(path, &file).expect("a file");
    let read = read_text(path);
    if let Ok(mut input) = hapax::files::open_text(path) {
        while let Ok(Some(_)) = next_line(&mut input, 1 << 16) {}
    }
    let first = job.members.first().map(|&(by, _)| by);
    let alike = job
        .members
        .iter()
        .all(|&(by, _)| Some(by as u8) == first.map(|by| by as u8));
    let wrapped = matches!(first, Some(Wrapper::Gzip | Wrapper::Xz | Wrapper::Zstd));
    let sound = job.damage.iter().all(|&(_, bits)| bits == 0) && job.cut == 0;
    if alike && wrapped && sound {
        let text: Vec<u8> = job
            .members
            .iter()
            .flat_map(|(_, bytes)| bytes.clone())
            .collect();
        // A byte order mark is taken away, and an array of JSON is read as lines.
        if !text.starts_with(b"\xef\xbb\xbf") && text.trim_ascii_start().first() != Some(&b'[') {
            assert_eq!(read.expect("what was wrapped"), text);
        }
    }
});
