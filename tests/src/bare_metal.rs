//! `bare-metal`: the answers of a microcontroller, held against those of this machine.
//!
//! Trains a small model, builds the firmware in `tests/bare-metal` with that model in its flash
//! memory, runs it on the Cortex-M4 that QEMU plays, and compares the bits of every score.

use hapax_core::{
    bytes::Bytes,
    data::{ReadOptions, Source, read},
    executor::Sequential,
    model::{Model, NearestParameters, Scratch},
    text::{FeatureSpace, Vectorizer, VectorizerOptions},
};
use std::{
    error::Error,
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bare-metal: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let fixture = fs::read(tests.join("../wasm/tests/fixture.tsv"))?;
    let text = std::str::from_utf8(&fixture)?;
    let queries: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split('\t').next())
        .collect();
    let model = train(&fixture)?;
    let expected = answers(&model, &queries)?;
    let folder = tests.join("bare-metal/target");
    fs::create_dir_all(&folder)?;
    let (model_file, query_file) = (folder.join("model.hapax"), folder.join("queries.txt"));
    fs::write(&model_file, &model)?;
    fs::write(&query_file, queries.join("\n"))?;
    let printed = run_firmware(&tests.join("bare-metal"), &model_file, &query_file)?;
    let (found, others): (Vec<&str>, Vec<&str>) = printed
        .lines()
        .partition(|line| line.starts_with("answer:"));
    if found != expected.lines().collect::<Vec<_>>() {
        return Err(format!("answers differ:\n{}\nnot\n{expected}", found.join("\n")).into());
    }
    if !others.iter().any(|line| line.starts_with("truncated: ")) {
        return Err("the truncated model was not refused".into());
    }
    println!("{} queries, each score equal to the bit", queries.len());
    println!("{}", others.join("\n"));
    Ok(())
}

fn train(text: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let Source::Texts(documents) = read(text, &ReadOptions::default(), &Sequential)?.source else {
        return Err("the fixture is not text".into());
    };
    let options = VectorizerOptions {
        features: FeatureSpace::Vocabulary {
            min_documents: 1,
            max_document_share: 1.0,
            max_features: None,
        },
        ..VectorizerOptions::default()
    };
    let vectorizer = Vectorizer::fit(&documents.texts, options, &Sequential)?;
    let data = documents.vectorize(&vectorizer, &Sequential)?;
    let parameters = NearestParameters {
        neighbors: 10,
        ..NearestParameters::default()
    };
    Ok(Model::train_nearest(parameters, &data, Some(vectorizer), &Sequential)?.to_bytes()?)
}

/// What the firmware must print.
fn answers(model: &[u8], queries: &[&str]) -> Result<String, Box<dyn Error>> {
    let model = Model::from_bytes(Bytes::copy_from_slice(model))?;
    let mut scratch = Scratch::default();
    let mut lines = String::new();
    for query in queries {
        lines += "answer:";
        for answer in model.predict_text(query, 5, &mut scratch)? {
            write!(lines, " {}:{:08x}", answer.id, answer.score.to_bits())?;
        }
        lines += "\n";
    }
    Ok(lines)
}

fn run_firmware(
    folder: &Path,
    model: &PathBuf,
    queries: &PathBuf,
) -> Result<String, Box<dyn Error>> {
    let output = Command::new("cargo")
        .args(["run", "--release", "--locked", "--quiet"])
        .current_dir(folder)
        .env("HAPAX_TEST_MODEL", model)
        .env("HAPAX_TEST_QUERIES", queries)
        .env_remove("CARGO_TARGET_DIR")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        Ok(printed)
    } else {
        Err(format!("the firmware failed (needs qemu-system-arm):\n{printed}").into())
    }
}
