//! Processes that are killed or stopped: an end for all, and a state to go on from for any number
//! of them.

use super::{mpirun, texts, told};
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

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

fn started(launcher: &Child, many: usize) -> Vec<String> {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        let found = children(launcher.id());
        if found.len() == many {
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
        "--rotate-labels",
        train.to_str().unwrap(),
        "-o",
        model.to_str().unwrap(),
        "--gap",
        "1e-9",
    ];
    for kill in 0..kills() as u64 {
        let mut running = mpirun(4, &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let ranks = started(&running, 4);
        assert_eq!(ranks.len(), 4);
        sleep(Duration::from_millis(100 + 70 * kill));
        let victim = &ranks[kill as usize % 4];
        signal(victim, "-9");
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

/// How often one of four processes is killed: `HAPAX_KILLS`, or a few times.
fn kills() -> usize {
    let asked = std::env::var("HAPAX_KILLS").ok();
    asked.map_or(4, |asked| asked.parse().unwrap())
}

/// Sends a signal to a process, which may have ended by now.
fn signal(process: &str, name: &str) {
    Command::new("kill").args([name, process]).status().unwrap();
}

/// Waits for something, or for the end of a process.
fn until(running: &mut Child, happened: impl Fn() -> bool) {
    while !happened() && running.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(1));
    }
}

/// The attempts in a folder: the last whole one, and one under way.
fn attempts(states: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(states) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut attempts: Vec<String> = names.filter(|name| name.starts_with("attempt-")).collect();
    attempts.sort();
    attempts
}

#[test]
fn one_of_four_killed_is_gone_on_with_by_fewer_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_owned();
    let (mut resumed, mut hit) = (0, 0);
    for (way, rows, most, cost) in [
        (&["ww", "--rotate-labels"][..], 1500, "60", "1"),
        (&["llw"], 1500, "14", "30"),
    ] {
        let algorithm = way.join("");
        fs::write(at("train.tsv"), texts(rows, 60)).unwrap();
        let (train, whole, kept) = (text("train.tsv"), text("whole"), text("kept"));
        let length = ["--gap", "1e-9", "--max-epochs", most, "--cost", cost];
        let all = [way, &[&train, "--threads", "1"], &length].concat();
        let ended = mpirun(1, &[&all[..], &["-o", &whole]].concat()).output();
        let ended = ended.unwrap();
        assert!(ended.status.success(), "{}", told(&ended));
        let whole = fs::read(&whole).unwrap();
        for number in 0..kills().div_ceil(4) {
            let states = text(&format!("{algorithm}-{number}"));
            let keep = ["-o", &kept, "--every", "1", "--resume", &states];
            let keep = [&all[..], &keep].concat();
            // Four, of which one is killed; then three, of which one is; then one, that ends.
            for ranks in [4, 3] {
                let mut running = mpirun(ranks, &keep)
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .spawn()
                    .unwrap();
                let state = Path::new(&states).join("state");
                let before = fs::read(&state).ok();
                let found = started(&running, ranks);
                // Not before a state is whole: mpirun may wait for ever for a process that ends
                // while MPI starts.
                until(&mut running, || fs::read(&state).ok() != before);
                sleep(Duration::from_millis(13 * number as u64));
                if number % 2 == 1 {
                    // While the next one is being written.
                    let seen = attempts(Path::new(&states));
                    until(&mut running, || attempts(Path::new(&states)) != seen);
                }
                if running.try_wait().unwrap().is_none() {
                    signal(&found[number % ranks], "-9");
                }
                let killed = !running.wait().unwrap().success();
                hit += usize::from(killed);
                // It was killed after a state was whole, which stays until the model is written.
                let left = state.exists() || Path::new(&kept).exists();
                assert!(left || !killed, "{algorithm} {number}: the state is lost");
            }
            let left = Path::new(&states).join("state").exists();
            let ended = mpirun(1, &keep).output().unwrap();
            let told = told(&ended);
            assert!(ended.status.success(), "{told}");
            let went_on = told.contains("going on from the checkpoint");
            assert_eq!(went_on, left, "{algorithm} {number}: {told}");
            resumed += usize::from(went_on);
            assert!(fs::read(&kept).unwrap() == whole, "{algorithm} {number}");
            assert_eq!(
                fs::read_dir(&states).unwrap().count(),
                0,
                "the state is gone"
            );
        }
    }
    eprintln!(
        "{hit} of {} were killed; {resumed} of {} went on",
        8 * kills().div_ceil(4),
        4 * kills().div_ceil(4),
    );
    assert!(hit > 0 && resumed > 0, "{hit} {resumed}");
}

#[test]
fn a_signal_stops_all_and_damaged_shares_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = |name: &str| at(name).to_str().unwrap().to_owned();
    fs::write(at("train.tsv"), texts(4000, 100)).unwrap();
    let (train, model, states) = (text("train.tsv"), text("model"), text("states"));
    // By bundles the state has several shares.
    let all = [
        "ww",
        "--rotate-labels",
        &train,
        "-o",
        &model,
        "--gap",
        "1e-9",
        "--threads",
        "1",
    ];
    let keep = [&all[..], &["--checkpoint", &states, "--every", "1"]].concat();
    let running = mpirun(2, &keep).spawn().unwrap();
    while !at("states").join("state").exists() {
        sleep(Duration::from_millis(5));
    }
    signal(&running.id().to_string(), "-USR1");
    let ended = running.wait_with_output().unwrap();
    let said = told(&ended);
    assert!(!ended.status.success());
    assert_eq!(said.matches("go on, with").count(), 1, "{said}");
    assert!(said.contains("--resume") && !at("model").exists(), "{said}");
    let refused = |ranks: usize, more: &[&str], reason: &str| {
        let ended = mpirun(ranks, &[&all[..], more].concat()).output().unwrap();
        let said = told(&ended);
        assert!(!ended.status.success() && said.contains(reason), "{said}");
    };
    refused(2, &["--checkpoint", &states], "holds a checkpoint already");
    let resume = ["--resume", &states];
    refused(2, &["--resume", &states, "--cost", "2"], "other options");
    let alone = Command::new(env!("CARGO_BIN_EXE_hapax"))
        .arg("train")
        .args(all.iter().filter(|&&word| word != "--rotate-labels"))
        .args(resume)
        .output()
        .unwrap();
    assert!(
        told(&alone).contains("with several processes"),
        "{}",
        told(&alone)
    );
    let mut entries = fs::read_dir(&states).unwrap().map(|e| e.unwrap().path());
    let attempt = entries.find(|path| path.is_dir()).unwrap();
    let share = attempt.join("share-0001");
    let whole = fs::read(&share).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 4;
    for bytes in [&damaged[..], &whole[..whole.len() / 2]] {
        fs::write(&share, bytes).unwrap();
        refused(2, &resume, "share-0001");
    }
    // Sound, but another share.
    fs::copy(attempt.join("share-0000"), &share).unwrap();
    refused(1, &resume, "another division");
    fs::remove_file(&share).unwrap();
    refused(3, &resume, "there is no such file");
    fs::write(at("states").join("state"), &whole).unwrap();
    refused(3, &resume, "something else in mind");
}
