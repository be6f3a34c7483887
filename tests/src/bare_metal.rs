//! `bare-metal`: the answers of a microcontroller, held against those of this machine.
//!
//! Trains a small model of each kind, builds the firmware in `tests/bare-metal` with all of them in
//! its flash memory, runs it on the Cortex-M4 that QEMU plays, and compares the bits of every
//! score.

use hapax_core::{
    bytes::Bytes,
    data::{Dataset, ReadOptions, Source, read},
    executor::Sequential,
    kernels::Portable,
    model::{Model, Scratch},
    parameters::{EmbeddingTraining, MachParameters, NearestParameters, OneVsRest, Wsabie},
    text::{FeatureSpace, Vectorizer, VectorizerOptions},
};
use std::{
    error::Error,
    fmt::Write,
    fs,
    ops::ControlFlow,
    path::Path,
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
    let folder = tests.join("bare-metal/target/inputs");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("queries.txt"), queries.join("\n"))?;
    let models = train(&fixture)?;
    for (kind, model) in &models {
        fs::write(folder.join(format!("{kind}.hapax")), model)?;
    }
    let printed = run_firmware(&tests.join("bare-metal"), &folder)?;
    let (sizes, parts) = printed
        .split_once("model: ")
        .ok_or("the firmware names no model")?;
    let parts: Vec<&str> = parts.split("model: ").collect();
    if parts.len() != models.len() {
        return Err(format!("{} models answered, not {}", parts.len(), models.len()).into());
    }
    for ((kind, model), part) in models.iter().zip(parts) {
        println!("{kind}:");
        hold(kind, model, &queries, part)?;
    }
    print!("{sizes}");
    Ok(())
}

/// Compares what the firmware printed of a model.
fn hold(kind: &str, model: &[u8], queries: &[&str], printed: &str) -> Result<(), Box<dyn Error>> {
    let expected = answers(model, queries)?;
    if printed.lines().next() != Some(kind) {
        return Err(format!("{kind} is missing:\n{printed}").into());
    }
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
    println!("{}", others[1..].join("\n"));
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
    let (vectorizer, rows) = Vectorizer::fit_transform(&documents.texts, options, &Sequential)?;
    let data = Dataset::new(rows, documents.labels, Some(documents.label_names))?;
    let parameters = NearestParameters {
        neighbors: 10,
        ..NearestParameters::default()
    };
    let words = Some(vectorizer.clone());
    let nearest = Model::train_nearest(parameters, &data, words)?;
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
    let prototypes = Model::train_embedding(
        &training,
        None,
        &data,
        words,
        &Sequential,
        &Portable,
        &mut |_| ControlFlow::Continue(()),
    )?;
    Ok([
        ("nearest", nearest.to_bytes()?),
        ("linear", linear.to_bytes()?),
        ("mach", buckets.to_bytes()?),
        ("embedding", prototypes.to_bytes()?),
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

/// Runs the firmware in `folder` with the models and queries of another.
fn run_firmware(folder: &Path, inputs: &Path) -> Result<String, Box<dyn Error>> {
    let output = Command::new("cargo")
        .args(["run", "--release", "--locked", "--quiet"])
        .current_dir(folder)
        .env("HAPAX_TEST_INPUTS", inputs)
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
