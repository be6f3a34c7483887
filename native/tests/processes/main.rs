//! `mpirun hapax train ww --rotate-labels` and `llw`: the same bytes for any number of processes,
//! and an end for all if one ends.
//!
//! ```text
//! cargo test -p hapax --features mpi --test processes
//! ```
#![allow(clippy::unwrap_used, reason = "a test: the helpers fail it too")]

mod kills;

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

/// `mpirun -np ranks hapax train …`, on a machine that may have fewer cores and by whoever runs
/// the tests.
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

/// At its default cost its training begins at the optimum, or near.
const LLW: [&str; 3] = ["llw", "--cost", "100"];

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

/// The primal and dual objectives of the proof that a training told.
fn proof(told: &str) -> [f64; 2] {
    ["primal ", "dual "].map(|name| {
        let at = told.find(name).unwrap() + name.len();
        let number = told[at..].split([',', ' ']).next().unwrap();
        number.parse().unwrap()
    })
}

/// Pairs of bundles of labels instead of rows.
const ROTATING: &str = "--rotate-labels";

/// Trains by one to four processes and by one on its own, to the same bytes, and to the optimum of
/// the solver by rows.
fn same_bytes(way: &[&str], train: &str, (gap, more): (f64, &[&str])) {
    let folder = tempfile::tempdir().unwrap();
    let gap_option = gap.to_string();
    let more = [&["--gap", &gap_option], more].concat();
    let alone = folder.path().join("alone");
    let train_alone = |way: &[&str]| {
        let ended = Command::new(env!("CARGO_BIN_EXE_hapax"))
            .arg("train")
            .args(way)
            .args([train, "-o"])
            .arg(&alone)
            .args(&more)
            .output()
            .unwrap();
        (proof(&told(&ended)), fs::read(&alone).unwrap())
    };
    let by_rows: Vec<&str> = way.iter().copied().filter(|&o| o != ROTATING).collect();
    let ([primal, dual], mut first) = train_alone(&by_rows);
    if way.contains(&ROTATING) {
        first = train_alone(way).1;
    }
    for ranks in 1..=4 {
        let model = folder.path().join(ranks.to_string());
        let model = model.to_str().unwrap();
        let arguments = [way, &[train, "-o", model, "--threads", "1"], &more].concat();
        let ended = mpirun(ranks, &arguments).output().unwrap();
        let told = told(&ended);
        assert!(ended.status.success(), "{way:?} {ranks}: {told}");
        assert!(told.contains(&format!("{ranks} processes: ")), "{told}");
        assert_eq!(
            told.matches("relative gap").count(),
            2,
            "only one of them talks: {told}"
        );
        // Both optima are between dual and primal of each.
        let [other_primal, other_dual] = proof(&told);
        assert!(other_primal - other_dual <= gap * other_primal, "{told}");
        assert!(
            other_dual <= primal && dual <= other_primal,
            "{told}: {primal} {dual}"
        );
        let line = told.lines().find(|line| line.contains("processes: "));
        eprintln!("{} {train}: {}", way.join(" "), line.unwrap());
        let bytes = fs::read(model).unwrap();
        assert!(
            first == bytes,
            "{way:?} of {train}: {ranks} processes give other bytes"
        );
    }
}

#[test]
fn models_have_the_same_bytes_for_one_to_four_processes() {
    let folder = tempfile::tempdir().unwrap();
    let train = folder.path().join("train.tsv");
    fs::write(&train, texts(300, 20)).unwrap();
    let train = train.to_str().unwrap();
    same_bytes(&LLW, train, (0.001, &[]));
    // Words of a single text make rows so easy to tell apart that bundles close the gap too slowly
    // for a test.
    same_bytes(&["ww", ROTATING], train, (0.01, &["--min-documents", "2"]));
}

/// Gaps are loose, as training by bundles is slow: what is shown does not depend on them.
#[test]
fn models_of_real_data_have_the_same_bytes_for_one_to_four_processes() {
    for (set, gap, options) in [
        ("iris", 0.02, &["--set", "keep-lengths=true"][..]),
        ("glass", 0.02, &["--set", "keep-lengths=true"]),
        ("banking77", 0.05, &[]),
    ] {
        let Some(train) = hapax_sets::path(&format!("{set}/train.txt.xz")) else {
            continue;
        };
        for way in [&["ww", ROTATING][..], &LLW] {
            same_bytes(way, train.to_str().unwrap(), (gap, options));
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
        (vec!["ovr", train, "-o", model], "`hapax plan`"),
        (vec!["memoir-l2", train, "-o", model], "start one"),
        (
            vec!["cs", ROTATING, train, "-o", model],
            "only ww can be trained by bundles",
        ),
        (
            vec!["ww", ROTATING, train, "-o", model, "--costs", "1,2"],
            "leave out --costs",
        ),
        (vec!["llw", train, "-o", model, "--costs", "1,2"], "--costs"),
        (vec!["cs", train, "-o", model], "start one process"),
        (vec!["ww", train, "-o", model], "add --rotate-labels"),
        (
            vec!["ww", ROTATING, "nowhere.tsv", "-o", model],
            "nowhere.tsv",
        ),
    ] {
        let ended = mpirun(3, &arguments).output().unwrap();
        let told = told(&ended);
        assert!(!ended.status.success() && told.contains(reason), "{told}");
        assert!(!Path::new(model).exists());
    }
}

#[test]
fn two_hosts_joined_by_a_cable_make_the_same_bytes() {
    let allowed = Command::new("ip")
        .args(["netns", "add", "hapax-may-i"])
        .output();
    if !allowed.is_ok_and(|ran| ran.status.success()) {
        eprintln!("NOT TESTED: network namespaces, which stand for two hosts, cannot be made here");
        return;
    }
    let removed = Command::new("ip")
        .args(["netns", "del", "hapax-may-i"])
        .status();
    assert!(removed.unwrap().success());
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(at("train.tsv"), texts(300, 20)).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/processes/two_hosts.sh");
    for way in [&["ww", ROTATING][..], &LLW] {
        let (train, model, one) = (at("train.tsv"), at("model"), at("one"));
        let options = ["--gap", "0.05", "--threads", "1", "-o"];
        let all = [way, &[&train[..]], &options[..]].concat();
        let ended = mpirun(1, &[&all[..], &[&one]].concat()).output().unwrap();
        assert!(ended.status.success(), "{}", told(&ended));
        let ended = Command::new(script)
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .args(["3", env!("CARGO_BIN_EXE_hapax"), "train"])
            .args([&all[..], &[&model]].concat())
            .output()
            .unwrap();
        let told = told(&ended);
        assert!(
            ended.status.success() && told.contains("3 processes: "),
            "{told}"
        );
        let (_, bytes) = told.split_once("bytes over the cable: ").unwrap();
        let bytes: u64 = bytes.split_whitespace().next().unwrap().parse().unwrap();
        assert!(bytes > 50_000, "the cable was used: {told}");
        assert!(
            fs::read(&model).unwrap() == fs::read(&one).unwrap(),
            "{way:?}"
        );
    }
}
