//! Any bytes as vectors of words, as a text or as a matrix with any vocabulary beside it: finite
//! vectors of known words or an error.
#![no_main]

use arbitrary::Arbitrary;
use hapax::{
    core::{executor::Sequential, text::Vectorizer},
    first_words, read_vectors,
};
use libfuzzer_sys::fuzz_target;
use std::{fs, path::PathBuf, sync::LazyLock};
use tempfile::TempDir;

#[derive(Arbitrary, Debug)]
enum Job {
    Text(Vec<u8>),
    /// A file of any bytes, and a vocabulary.
    Bytes(Vec<u8>, Vocabulary),
    /// A file whose header is right: bits of its numbers, rows, columns.
    Matrix(Bits, u8, u8, Vec<u8>, Vocabulary),
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Bits {
    F32,
    F16,
    BF16,
}

#[derive(Arbitrary, Debug)]
enum Vocabulary {
    None,
    Lines(Vec<u8>),
    Json(Vec<u8>),
    /// Tokens with their rows.
    Tokens(Vec<(String, u16)>),
    /// Tokens in the order of their rows, with scores.
    Scored(Vec<String>),
}

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    }
    .expect("a folder")
});

static VECTORIZER: LazyLock<Vectorizer> = LazyLock::new(|| {
    let texts = [
        "the mouse a mouse",
        "the house a",
        "the mouse of the house",
        "a house of a",
    ];
    let made = Vectorizer::fit_transform(&texts, Default::default(), &Sequential);
    made.expect("texts with words").0
});

fn matrix(bits: Bits, rows: u8, columns: u8, mut data: Vec<u8>) -> Vec<u8> {
    let bytes = if matches!(bits, Bits::F32) { 4 } else { 2 };
    let length = usize::from(rows) * usize::from(columns) * bytes;
    data.resize(length, 0x3c);
    let header = format!(
        "{{\"m\":{{\"dtype\":\"{bits:?}\",\"shape\":[{rows},{columns}],\"data_offsets\":[0,{length}]}}}}"
    );
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.bytes());
    file.extend(data);
    file
}

fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.path().join(name);
    fs::write(&path, bytes).expect("a file in memory");
    path
}

fn write_vocabulary(vocabulary: &Vocabulary) {
    for name in ["tokenizer.json", "vocab.txt"] {
        let _ = fs::remove_file(FOLDER.path().join(name));
    }
    let json = |vocabulary: String| {
        write(
            "tokenizer.json",
            format!("{{\"model\":{{\"vocab\":{vocabulary}}}}}").as_bytes(),
        );
    };
    match vocabulary {
        Vocabulary::None => {}
        Vocabulary::Lines(lines) => drop(write("vocab.txt", lines)),
        Vocabulary::Json(bytes) => drop(write("tokenizer.json", bytes)),
        Vocabulary::Tokens(tokens) => {
            let each = tokens.iter().map(|(token, row)| format!("{token:?}:{row}"));
            json(format!("{{{}}}", each.collect::<Vec<_>>().join(",")));
        }
        Vocabulary::Scored(tokens) => {
            let each = tokens.iter().map(|token| format!("[{token:?},-1.5]"));
            json(format!("[{}]", each.collect::<Vec<_>>().join(",")));
        }
    }
}

fuzz_target!(|job: Job| {
    let path = match job {
        Job::Text(bytes) => write("vectors.txt", &bytes),
        Job::Bytes(bytes, vocabulary) => {
            write_vocabulary(&vocabulary);
            write("vectors.safetensors", &bytes)
        }
        Job::Matrix(bits, rows, columns, data, vocabulary) => {
            write_vocabulary(&vocabulary);
            write("vectors.safetensors", &matrix(bits, rows, columns, data))
        }
    };
    if let Ok(words) = first_words(&path) {
        assert!(words.len() <= 20_000);
    }
    if let Ok(found) = read_vectors(&path, &VECTORIZER) {
        assert_eq!(found.vectors.len(), VECTORIZER.features() as usize);
        assert!(found.words.is_sorted());
        for row in found.vectors.iter() {
            assert!(row.values().iter().all(|value| value.is_finite()));
        }
    }
});
