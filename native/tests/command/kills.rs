//! Training that is killed at any moment: nothing half-written is ever taken for whole, and who
//! goes on ends with the same bytes.
//!
//! Runs a few kills; `HAPAX_KILLS=100` runs so many.

use super::{
    checkpoints::{METHODS, texts},
    folder::{Folder, finish},
};
use hapax::core::random::Stream;
use std::{
    fs,
    path::Path,
    process::Child,
    time::{Duration, Instant},
};

/// When to kill.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Moment {
    /// At a random moment of the whole run.
    Any,
    /// While a checkpoint is written.
    Checkpoint,
    /// While the model is written.
    Model,
}

fn kills() -> usize {
    let asked = std::env::var("HAPAX_KILLS").ok();
    asked.map_or(12, |asked| asked.parse().unwrap())
}

/// Whether a file is being written in the folder.
fn is_writing(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else {
        return false;
    };
    let mut names = entries.flatten().map(|entry| entry.file_name());
    names.any(|name| name.to_string_lossy().ends_with(".tmp"))
}

/// Kills the process at the moment; false if it ended before.
fn kill(child: &mut Child, mut now: impl FnMut() -> bool) -> bool {
    while child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(100));
        if now() {
            child.kill().unwrap();
            let ended = child.wait().unwrap();
            return !ended.success();
        }
    }
    false
}

/// Clears what a killed process left where the model goes: only so that the next kill sees its own.
fn sweep(folder: &Folder) {
    for name in folder.files() {
        if name.ends_with(".tmp") {
            fs::remove_file(folder.path(&name)).unwrap();
        }
    }
}

#[test]
fn a_killed_training_goes_on_to_the_same_bytes() {
    let folder = Folder::new();
    folder.write("train.tsv", texts(600));
    let mut dice = Stream::new(2026, 9);
    let (mut hit, mut resumed) = ([0; 3], 0);
    let count = kills();
    let (state, model) = (folder.path("states").join("state"), folder.path("m"));
    let methods = &METHODS[..count.div_ceil(3).min(METHODS.len())];
    let runs = methods.iter().map(|method| {
        let train = format!("train {method} train.tsv --threads 1 -o m");
        folder.run(&train).good();
        let whole = folder.read("m");
        let begin = Instant::now();
        let timed = format!("{train} --checkpoint timed --every 1");
        folder.run(&timed).good();
        (train, whole, begin.elapsed())
    });
    let runs: Vec<_> = runs.collect();
    for number in 0..count {
        let (train, whole, time) = &runs[number / 3 % runs.len()];
        let moment = [Moment::Any, Moment::Checkpoint, Moment::Model][number % 3];
        let again = format!("{train} --resume states --every 1");
        let _ = fs::remove_file(&model);
        // Twice: a training that was gone on with may be killed, too.
        for _ in 0..2 {
            sweep(&folder);
            let mut child = folder.command(&again).spawn().unwrap();
            let (begin, states) = (Instant::now(), folder.path("states"));
            let delay = Duration::from_secs_f64(time.as_secs_f64() * dice.unit());
            // Whether there was a state when the kill came.
            let mut kept = false;
            let killed = kill(&mut child, || {
                let due = match moment {
                    Moment::Any => begin.elapsed() >= delay,
                    Moment::Checkpoint => begin.elapsed() >= delay / 2 && is_writing(&states),
                    Moment::Model => is_writing(&folder.path("")),
                };
                kept = due && state.exists();
                due
            });
            hit[moment as usize] += usize::from(killed);
            // A state goes only when the model is there. (A file of the model's kind is no sign of
            // a state: one is made before training, to see whether it can be.)
            if kept {
                let left = state.exists() || model.exists();
                assert!(left, "{again}, killed at {moment:?}: the state is lost");
            }
            // What is there is whole.
            if model.exists() {
                assert!(folder.read("m") == *whole, "{again}");
                break;
            }
        }
        let kept = state.exists();
        let ran = finish(folder.command(&again).spawn().unwrap());
        let went_on = ran.err.contains("going on from the checkpoint");
        assert_eq!(went_on, kept, "{again}, killed at {moment:?}: {ran:?}");
        resumed += usize::from(went_on);
        ran.good();
        assert!(folder.read("m") == *whole, "{again}, killed at {moment:?}");
        assert!(!is_writing(&folder.path("")), "{:?}", folder.files());
    }
    eprintln!(
        "killed {} times at random, {} at a checkpoint, {} at the model; {resumed} of {count} went on from a checkpoint",
        hit[0], hit[1], hit[2]
    );
    assert!(hit.iter().sum::<usize>() >= count / 2, "{hit:?} of {count}");
    assert!(resumed > 0);
}

#[test]
fn killed_shards_are_done_again_and_the_model_has_the_same_bytes() {
    let folder = Folder::new();
    folder.write("train.tsv", texts(600));
    let methods = [
        "ovr train.tsv --negatives mined --pool 60 --mine 3 --cost 1 --positive-weight 1 --exponent 1 \
         --bias -1 --prune 0.05 --centroid 0.2",
        "mach train.tsv --buckets 4 --repetitions 6 --epochs 12",
    ];
    let mut dice = Stream::new(2026, 10);
    let (mut killed, mut rounds, count) = (0, 0, kills().div_ceil(4));
    // Shards that end before they can be killed are killed earlier the next time.
    let mut reach = 0.7;
    while rounds < count || killed == 0 {
        let number = rounds;
        rounds += 1;
        assert!(rounds < count + 20, "no shard of {rounds} could be killed");
        let method = methods[number % 2];
        let work = format!("work-{number}");
        let begin = Instant::now();
        folder
            .run(&format!("train {method} -o whole --threads 1"))
            .good();
        let time = begin.elapsed();
        folder
            .run(&format!("plan {work} --shards 3 {method}"))
            .good();
        let run = |shard| {
            folder.command(&format!(
                "train --parts {work} --shard {shard}/3 --threads 1"
            ))
        };
        let mut all: Vec<Child> = (0..3).map(|shard| run(shard).spawn().unwrap()).collect();
        let (begin, delay) = (Instant::now(), time.mul_f64(reach * dice.unit()));
        let victim = dice.below(3) as usize;
        match kill(&mut all[victim], || begin.elapsed() >= delay) {
            true => killed += 1,
            false => reach /= 2.0,
        }
        for (shard, child) in all.into_iter().enumerate() {
            if shard != victim {
                finish(child).good();
            }
        }
        finish(run(victim).spawn().unwrap()).good();
        folder.run(&format!("merge {work} -o merged")).good();
        assert!(folder.read("whole") == folder.read("merged"), "{method}");
    }
    eprintln!("killed {killed} shards of {rounds}");
}

/// Over a model that is there, `learn`, `forget`, `compact` and `merge` leave that or the new one,
/// and the next run takes away what a killed one left.
#[test]
fn what_writes_over_a_model_leaves_the_old_or_the_new_one() {
    let folder = Folder::new();
    folder.write("train.tsv", texts(600));
    folder.write("more.tsv", texts(90));
    folder.run("train nearest train.tsv -o old").good();
    folder
        .run("plan work --shards 2 mach train.tsv --buckets 4 --repetitions 6")
        .good();
    for shard in 0..2 {
        folder
            .run(&format!("train --parts work --shard {shard}/2"))
            .good();
    }
    let commands = [
        "learn old more.tsv -o m",
        "forget old --row 3 -o m",
        "compact old --max-bytes 14000 -o m",
        "merge work -o m",
    ];
    let runs = commands.map(|command| {
        let begin = Instant::now();
        folder.run(command).good();
        (command, folder.read("m"), begin.elapsed())
    });
    let (old, mut dice) = (folder.read("old"), Stream::new(2026, 11));
    let (mut killed, mut kept, count) = (0, 0, kills());
    for number in 0..count {
        let (command, new, time) = &runs[number % runs.len()];
        folder.write("m", &old);
        let mut child = folder.command(command).spawn().unwrap();
        let (begin, delay) = (Instant::now(), time.mul_f64(dice.unit()));
        let at_writing = number / runs.len() % 2 == 0;
        killed += usize::from(kill(&mut child, || match at_writing {
            true => is_writing(&folder.path("")),
            false => begin.elapsed() >= delay,
        }));
        let left = folder.read("m");
        kept += usize::from(left == old);
        assert!(left == old || left == *new, "{command}: neither model");
        folder.run(command).good();
        assert!(folder.read("m") == *new, "{command}");
        assert!(!is_writing(&folder.path("")), "{:?}", folder.files());
    }
    eprintln!("killed {killed} of {count}; {kept} left the old model");
    assert!(
        killed >= count / 2 && kept > 0,
        "{killed} of {count}, {kept} kept"
    );
}
