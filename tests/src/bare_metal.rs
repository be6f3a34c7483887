//! `bare-metal`: the answers of a microcontroller, held against those of this machine.
//!
//! Trains small models, builds the firmware in `tests/bare-metal` with each in its flash
//! memory, runs it on the Cortex-M4 that QEMU plays, and compares the bits of every score.

use hapax_core::{
    bytes::Bytes,
    data::{ReadOptions, Source, read},
    executor::Sequential,
    kernels::Portable,
    model::{Model, Scratch},
    parameters::{
        NearestParameters, embedding::EmbeddingTraining, mach::MachParameters,
        one_vs_rest::OneVsRest, wsabie::Wsabie,
    },
    text::{FeatureSpace, Vectorizer, VectorizerOptions},
};
use std::{
    error::Error,
    fmt::Write,
    fs,
    ops::ControlFlow,
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
    for (method, model) in train(&fixture)? {
        println!("{method}:");
        hold(tests, &model, &queries)?;
    }
    Ok(())
}

/// Runs the firmware with this model and compares.
fn hold(tests: &Path, model: &[u8], queries: &[&str]) -> Result<(), Box<dyn Error>> {
    let expected = answers(model, queries)?;
    let folder = tests.join("bare-metal/target");
    fs::create_dir_all(&folder)?;
    let (model_file, query_file) = (folder.join("model.hapax"), folder.join("queries.txt"));
    fs::write(&model_file, model)?;
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

/// A name and the bytes of a file.
type NamedModel = (&'static str, Vec<u8>);

/// A model of each method on the same texts.
fn train(text: &[u8]) -> Result<[NamedModel; 4], Box<dyn Error>> {
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
    let words = Some(vectorizer.clone());
    let nearest = Model::train_nearest(parameters, &data, words, &Sequential)?;
    let parameters = OneVsRest::default();
    let words = Some(vectorizer.clone());
    let go_on = |_| ControlFlow::Continue(());
    let linear = Model::train_ovr(&parameters, &data, words, &Sequential, &Portable, go_on)?;
    // Four bits a weight, as by default.
    let parameters = MachParameters {
        keep: 0.5,
        ..MachParameters::automatic(&data)
    };
    let words = Some(vectorizer.clone());
    let buckets = Model::train_mach(&parameters, &data, words, &Sequential, &Portable, |_| {
        ControlFlow::Continue(())
    })?;
    let training = EmbeddingTraining::Wsabie(Wsabie::distances());
    let words = Some(vectorizer);
    let prototypes =
        Model::train_embedding(&training, &data, words, &Sequential, &Portable, |_| {
            ControlFlow::Continue(())
        })?;
    Ok([
        ("nearest neighbors", nearest.to_bytes()?),
        ("linear", linear.to_bytes()?),
        ("hashed labels, 4 bits", buckets.to_bytes()?),
        ("prototypes", prototypes.to_bytes()?),
    ])
}

/// What the firmware must print. Here the model is prepared for speed, there it is walked in flash.
fn answers(model: &[u8], queries: &[&str]) -> Result<String, Box<dyn Error>> {
    let mut model = Model::from_bytes(Bytes::copy_from_slice(model))?;
    model.prepare()?;
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
