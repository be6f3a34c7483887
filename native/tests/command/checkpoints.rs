//! Checkpoints: what was stopped goes on, to the same bytes.

use super::folder::{Folder, Ran};

/// Texts that all methods can learn from, one label each.
pub fn texts(rows: usize) -> String {
    (0..rows)
        .map(|row| {
            let (first, second) = (row * 7 % 23, row % 11);
            format!(
                "word{first} topic{second} and text{}\tlabel{second}\n",
                row % 97
            )
        })
        .collect()
}

/// Every method that keeps checkpoints, with options that give it a dozen parts or more.
pub const METHODS: [&str; 21] = [
    "cs --gap 1e-2",
    "ww --gap 1e-2",
    "llw --gap 3e-2 --cost 5",
    "mach --buckets 4 --repetitions 6 --epochs 12",
    "mach --buckets 4 --repetitions 6 --epochs 5 --max-bytes 8kB",
    "memoir-l2 --epochs 16",
    "memoir-l1 --epochs 16 --batch-size 50",
    "wsabie --epochs 12",
    "wsabie-pp --epochs 8",
    "ova-sgd --epochs 14 --balance 3",
    "auc --epochs 14",
    "wsabie --epochs 12 --reduce 5",
    "auc --epochs 12 --reduce 7 --bits 32",
    "memoir-lsh --epochs 16 --reduce 6 --oracle exhaustive",
    "memoir-lsh --epochs 16",
    "memoir-lsh --epochs 14 --reduce 6",
    "memoir-l1 --epochs 12 --oracle graph --batch-size 30",
    "memoir-l2 --epochs 12 --oracle sign-codes",
    "ovr --negatives mined --pool 40 --mine 3 --cost 1 --positive-weight 1 --exponent 1 --bias -1 \
     --prune 0.05 --centroid 0.2 --rounds 4",
    "ovr --fuse nearest --negatives mined --pool 40 --mine 3 --cost 1 --positive-weight 1 --exponent 1 --bias -1 \
     --prune 0.05 --centroid 0.2",
    "ovr --negatives all --gap 1e-2 --cost 1 --positive-weight 1 --exponent 1 --bias -1 --prune 0.05 --centroid 0",
];

impl Ran {
    /// Ended by itself because it was told to, and says how to go on.
    #[track_caller]
    fn stopped(self, resume: &str) {
        assert_eq!(self.status, Some(1), "{self:?}");
        assert!(self.err.contains("go on with"), "{self:?}");
        assert!(self.err.contains(resume), "{self:?}");
    }
}

#[test]
fn a_checkpoint_changes_no_byte_and_is_gone_when_the_model_is_there() {
    let folder = Folder::new();
    folder.write("train.tsv", texts(250));
    for method in METHODS {
        let train = format!("train {method} train.tsv --threads 2");
        folder.run(&format!("{train} -o whole")).good();
        let kept = format!("{train} -o kept --checkpoint states --every 1");
        folder.run(&kept).good();
        assert!(folder.read("whole") == folder.read("kept"), "{method}");
        let left: Vec<_> = std::fs::read_dir(folder.path("states")).unwrap().collect();
        assert!(left.is_empty(), "{method}: {left:?}");
        // Nothing to go on from: begins.
        folder
            .run(&format!("{train} -o again --resume states"))
            .good();
        assert!(folder.read("whole") == folder.read("again"), "{method}");
    }
}

#[test]
#[cfg(unix)]
fn ctrl_c_loses_nothing_and_says_how_to_go_on() {
    use super::folder::finish;
    use std::{process::Command, time::Duration};
    let folder = Folder::new();
    folder.write("train.tsv", texts(4000));
    let train = "train memoir-l2 train.tsv --epochs 300 --threads 1";
    folder.run(&format!("{train} -o whole")).good();
    let mut next = format!("{train} -o kept --checkpoint states --every 1");
    for _ in 0..2 {
        let mut child = folder.command(&next).spawn().unwrap();
        let state = folder.path("states").join("state");
        let written = || {
            std::fs::metadata(&state)
                .and_then(|state| state.modified())
                .ok()
        };
        let before = written();
        while written() == before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        let pid = child.id().to_string();
        Command::new("kill").args(["-INT", &pid]).status().unwrap();
        finish(child).stopped(
            "train memoir-l2 train.tsv --epochs 300 --threads 1 -o kept --every 1 --resume states",
        );
        next = format!("{train} -o kept --resume states --every 1");
    }
    folder
        .run(&format!("{train} -o kept --resume states"))
        .good();
    assert!(folder.read("whole") == folder.read("kept"));
}

#[test]
fn states_of_other_data_or_options_and_damaged_ones_are_refused_by_name() {
    let folder = Folder::new();
    folder.write("train.tsv", texts(400));
    folder.write("other.tsv", texts(399));
    let state = || folder.path("states").join("state");
    // A model that cannot be written leaves the state.
    let stop = |folder: &Folder| {
        let mut child = folder
            .command("train memoir-l2 train.tsv -o m --epochs 4000 --checkpoint states --every 1")
            .spawn()
            .unwrap();
        while !folder.path("states").join("state").exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    };
    stop(&folder);
    let whole = std::fs::read(state()).unwrap();
    let resume = |train: &str| folder.run(&format!("train memoir-l2 {train} -o m --resume states"));
    let taken = "train memoir-l2 train.tsv -o m --epochs 4000 --checkpoint states";
    folder.run(taken).refused_for("holds a checkpoint already");
    resume("other.tsv --epochs 4000").refused_for("was made with other training data");
    resume("train.tsv --epochs 3999").refused_for("another algorithm, other options");
    std::fs::write(state(), &whole[..whole.len() - 1]).unwrap();
    resume("train.tsv --epochs 4000").refused_for("it is damaged; delete it");
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 4;
    std::fs::write(state(), &damaged).unwrap();
    resume("train.tsv --epochs 4000").refused_for("its checksum is wrong");
    std::fs::write(
        state(),
        b"something else altogether, and longer than a header is, so that it is read",
    )
    .unwrap();
    resume("train.tsv --epochs 4000").refused_for("is not a file of a training under way");
}

#[test]
fn checkpoints_are_refused_where_there_are_none() {
    let folder = Folder::new();
    folder.write("train.tsv", texts(60));
    for (method, reason) in [
        ("nearest", "of nearest"),
        ("nearest-mean", "of nearest-mean"),
        ("nearest-mean --reduce 4", "of nearest-mean"),
    ] {
        let ran = folder.run(&format!(
            "train {method} train.tsv -o m --checkpoint states"
        ));
        ran.refused_for(reason);
    }
    let alone = folder.run("train cs train.tsv -o m --every 5");
    alone.refused_for("give --checkpoint DIR, too");
}
