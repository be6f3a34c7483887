//! The first page of the demonstration: coding diagnoses, made by the command as users make theirs.

use crate::kept::{Key, keep, kept};
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// What the page may weigh with all that it loads is a megabyte, compressed.
const MAX_BYTES: &str = "--max-bytes=1MB";

/// Writes the page into `site`, a folder of `hapax web`. Data and model go to `folder`, where they
/// stay for the next time; figures on held-out texts are printed when the model is trained.
///
/// # Errors
/// If a program does not start or fails: it has said why.
pub fn page(hapax: &Path, folder: &Path, site: &Path) -> Result<(), Box<dyn Error>> {
    let file = |name: &str| folder.join(name);
    let [train, test, labels] = ["train.tsv", "test.tsv", "labels.tsv"].map(file);
    let model = file("model.hapax");
    if ![&train, &test, &labels].iter().all(|path| path.is_file()) {
        eprintln!("fetching ICD-10-CM with pip, once");
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("diagnosis.py");
        run(Command::new("python3").arg(script).arg(folder))?;
    }
    let key = Key::new([&*fs::read(hapax)?, &fs::read(&train)?, MAX_BYTES.as_bytes()]);
    if kept::<()>(&model, key).is_none() {
        let words = [MAX_BYTES.as_ref(), "--test".as_ref(), test.as_os_str()];
        let training = [train.as_os_str(), "-o".as_ref(), model.as_os_str()];
        run(Command::new(hapax).arg("train").args(training).args(words))?;
        keep(&model, key, &())?;
    }
    let mut web = Command::new(hapax);
    web.arg("web").arg(&model).arg("-o").arg(site);
    web.args(["--title", "Code a diagnosis", "--label-info"])
        .arg(&labels);
    for example in [
        "closed fracture of the left wrist",
        "type 2 diabetes with kidney damage",
        "stung by a bee",
        "underactive thyroid",
    ] {
        web.args(["--example", example]);
    }
    web.args(["--link", "The dictionary, backwards=dictionary/"]);
    run(web.args(["--link", "Train it on a table of yours=yours/"]))
}

fn run(command: &mut Command) -> Result<(), Box<dyn Error>> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command
        .status()
        .map_err(|error| format!("{name} does not start: {error}; --no-page does without"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{name} failed, for the reason above; --no-page does without").into()),
    }
}
