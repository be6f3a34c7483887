//! `mpirun hapax train ww` and `llw`: the same bytes for any number of processes, and an end for all if one ends.
//!
//! ```text
//! cargo test -p hapax --features mpi --test processes
//! ```
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

use std::{
    fs,
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");

/// `mpirun -np ranks hapax train …`, on a machine that may have fewer cores and by whoever runs the tests.
fn mpirun(ranks: usize, arguments: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .args(["--oversubscribe", "--bind-to", "none"])
        .args(["--mca", "mpi_yield_when_idle", "1"])
        .args([
            "-np",
            &ranks.to_string(),
            env!("CARGO_BIN_EXE_hapax"),
            "train",
        ])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn told(output: &Output) -> String {
    let (out, err) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(err)
    )
}

/// Lines of words that some labels share, so that no label is easy.
fn texts(rows: u32, labels: u32) -> String {
    let line = |row: u32| {
        let label = row % labels;
        let noise = row.wrapping_mul(2_654_435_761) >> 7;
        format!(
            "w{} v{} u{} t{}\tl{label}\n",
            label,
            (label + noise % 3) % labels,
            noise % 17,
            (noise >> 5) % 29
        )
    };
    (0..rows).map(line).collect()
}

fn same_bytes(algorithm: &str, train: &str, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let mut first = None;
    for ranks in 1..=4 {
        let model = folder.path().join(ranks.to_string());
        let model = model.to_str().unwrap();
        let arguments = [&[algorithm, train, "-o", model, "--threads", "1"], more].concat();
        let ended = mpirun(ranks, &arguments).output().unwrap();
        let told = told(&ended);
        assert!(ended.status.success(), "{algorithm} {ranks}: {told}");
        assert!(told.contains(&format!("{ranks} processes: ")), "{told}");
        assert_eq!(
            told.matches("relative gap").count(),
            2,
            "only one of them talks: {told}"
        );
        let bytes = fs::read(model).unwrap();
        let first = first.get_or_insert_with(|| bytes.clone());
        assert!(
            *first == bytes,
            "{algorithm} of {train}: {ranks} processes give other bytes"
        );
    }
}

#[test]
fn models_have_the_same_bytes_for_one_to_four_processes() {
    let folder = tempfile::tempdir().unwrap();
    let train = folder.path().join("train.tsv");
    fs::write(&train, texts(300, 20)).unwrap();
    for algorithm in ["ww", "llw"] {
        same_bytes(algorithm, train.to_str().unwrap(), &["--gap", "0.01"]);
    }
}

#[test]
fn models_of_real_data_have_the_same_bytes_for_one_to_four_processes() {
    for set in ["iris", "glass"] {
        let train = Path::new(DATA).join(set).join("train.txt.xz");
        if !train.exists() {
            eprintln!(
                "DATA ABSENT: {} is not there: this test shows nothing",
                train.display()
            );
            return;
        }
        for algorithm in ["ww", "llw"] {
            same_bytes(
                algorithm,
                train.to_str().unwrap(),
                &["--keep-lengths", "--gap", "0.02"],
            );
        }
    }
}

#[test]
fn what_several_processes_cannot_do_ends_them_all_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let train = folder.path().join("train.tsv");
    fs::write(&train, texts(100, 10)).unwrap();
    let (train, model) = (train.to_str().unwrap(), folder.path().join("model"));
    let model = model.to_str().unwrap();
    for (arguments, reason) in [
        (vec!["cs", train, "-o", model], "only ww and llw can"),
        (vec!["ww", train, "-o", model, "--costs", "1,2"], "--costs"),
        (vec!["ww", "nowhere.tsv", "-o", model], "nowhere.tsv"),
    ] {
        let ended = mpirun(3, &arguments).output().unwrap();
        let told = told(&ended);
        assert!(!ended.status.success() && told.contains(reason), "{told}");
        assert!(!Path::new(model).exists());
    }
}

/// The numbers of the processes that `launcher` started.
fn children(launcher: u32) -> Vec<String> {
    let found = Command::new("pgrep")
        .args(["-P", &launcher.to_string()])
        .output()
        .unwrap();
    String::from_utf8_lossy(&found.stdout)
        .lines()
        .map(str::to_owned)
        .collect()
}

fn started(launcher: &Child) -> Vec<String> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        let found = children(launcher.id());
        if found.len() == 4 {
            return found;
        }
        sleep(Duration::from_millis(5));
    }
    Vec::new()
}

#[test]
fn one_of_four_killed_ends_the_others_and_leaves_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let train = folder.path().join("train.tsv");
    fs::write(&train, texts(20_000, 300)).unwrap();
    let model = folder.path().join("model");
    let arguments = [
        "ww",
        train.to_str().unwrap(),
        "-o",
        model.to_str().unwrap(),
        "--gap",
        "1e-9",
    ];
    for kill in 0..10 {
        let mut running = mpirun(4, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let ranks = started(&running);
        assert_eq!(ranks.len(), 4);
        sleep(Duration::from_millis(100 + 70 * kill));
        let victim = &ranks[kill as usize % 4];
        assert!(
            Command::new("kill")
                .args(["-9", victim])
                .status()
                .unwrap()
                .success()
        );
        let start = Instant::now();
        let status = running.wait().unwrap();
        assert!(!status.success());
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the others went on"
        );
        let left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        assert_eq!(left, std::slice::from_ref(&train), "kill {kill}");
    }
}
