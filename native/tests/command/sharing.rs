//! One training on several machines: the same bytes as on one.

use super::{
    checkpoints::texts,
    folder::{Folder, finish},
};
use std::process::Command;

const METHODS: [&str; 3] = [
    "ovr train.tsv --negatives mined --pool 40 --mine 3 --rounds 3",
    "ovr train.tsv --negatives all --cost 1",
    "mach train.tsv --buckets 4 --repetitions 6 --epochs 3",
];

fn with_texts() -> Folder {
    let folder = Folder::new();
    folder.write("train.tsv", texts(400));
    folder
}

#[test]
fn models_of_1_2_and_7_shards_are_those_of_one_machine() {
    let folder = with_texts();
    for (number, method) in METHODS.into_iter().enumerate() {
        folder.run(&format!("train {method} -o whole")).good();
        for shards in [1, 2, 7] {
            let work = format!("work-{number}-{shards}");
            folder
                .run(&format!("plan {work} --shards {shards} {method}"))
                .good();
            // One after the other: the first does what it needs of the others.
            for shard in (0..shards).rev() {
                let run = format!("train --parts {work} --shard {shard}/{shards} --threads 1");
                folder.run(&run).good();
            }
            folder.run(&format!("merge {work} -o merged")).good();
            assert!(
                folder.read("whole") == folder.read("merged"),
                "{method}, {shards}"
            );
        }
    }
}

#[test]
fn shards_at_once_wait_for_each_other_and_take_their_number_from_the_scheduler() {
    let folder = with_texts();
    let method = METHODS[0];
    folder.run(&format!("train {method} -o whole")).good();
    let variables = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "HQ_TASK_ID"];
    for (first, variable) in (0..2).cycle().zip(variables) {
        folder
            .run(&format!("plan {variable} --shards 3 {method}"))
            .good();
        let shards: Vec<_> = (first..first + 3)
            .map(|task| {
                let mut command = folder.command(&format!("train --parts {variable} --threads 1"));
                command.env(variable, task.to_string()).spawn().unwrap()
            })
            .collect();
        for shard in shards {
            finish(shard).good();
        }
        folder.run(&format!("merge {variable} -o merged")).good();
        assert!(folder.read("whole") == folder.read("merged"), "{variable}");
    }
}

#[test]
fn parts_that_are_done_are_kept_and_damaged_ones_done_again() {
    let folder = with_texts();
    folder.run(&format!("train {} -o whole", METHODS[0])).good();
    folder
        .run(&format!("plan work --shards 2 {}", METHODS[0]))
        .good();
    for shard in [0, 1] {
        folder
            .run(&format!("train --parts work --shard {shard}/2"))
            .good();
    }
    let again = folder.run("train --parts work --shard 1/2");
    assert!(!again.err.contains("doing part"), "{again:?}");
    for (name, shard) in [("stage-01-part-0001", 0), ("stage-04-part-0000", 0)] {
        let path = folder.path("work").join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        folder
            .run("merge work -o merged")
            .refused_for("its checksum is wrong");
        let ran = folder.run(&format!("train --parts work --shard {shard}/2"));
        assert!(ran.err.contains("doing it again"), "{ran:?}");
    }
    folder.run("merge work -o merged").good();
    assert!(folder.read("whole") == folder.read("merged"));
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let folder = with_texts();
    let method = METHODS[0];
    let refused = |arguments: &str, reason| folder.run(arguments).refused_for(reason);
    refused("train --parts none --shard 0/2", "there is no such file");
    folder.run(&format!("plan work --shards 2 {method}")).good();
    folder.run(&format!("plan work --shards 2 {method}")).good();
    refused(
        &format!("plan work --shards 3 {method}"),
        "holds another plan",
    );
    refused(
        "merge work -o m",
        "of 2 parts of stage 0 there are missing: 0, 1",
    );
    refused("train --parts work --shard 0/3", "is a plan of 2 shards");
    refused("train --parts work", "which shard?");
    refused("plan other --shards 2 ww train.tsv", "only ovr and mach");
    assert!(!folder.path("other").exists(), "an empty folder was left");
    folder.write("train.tsv", texts(401));
    refused("train --parts work --shard 0/2", "other training data");
}

#[test]
#[cfg(unix)]
fn the_recipes_of_the_documentation_work() {
    let page = include_str!("../../../docs/scale.md");
    let recipes: Vec<&str> = page
        .split("```sh\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .filter(|recipe| recipe.contains("hapax train --parts"))
        .collect();
    assert!(recipes.len() >= 3, "shell, GNU parallel and Slurm");
    let command = std::path::Path::new(env!("CARGO_BIN_EXE_hapax"));
    let path = format!(
        "{}:{}",
        command.parent().unwrap().display(),
        std::env::var("PATH").unwrap()
    );
    let have = |name: &str| Command::new(name).arg("--version").output().is_ok();
    let is_root = || {
        let id = Command::new("id").arg("-u").output();
        id.is_ok_and(|id| id.stdout == b"0\n")
    };
    for recipe in recipes {
        if recipe.contains("parallel ") && !have("parallel") {
            eprintln!("GNU parallel is not installed: its recipe is NOT TESTED");
            continue;
        }
        let folder = with_texts();
        let mut run = Command::new("sh");
        if recipe.contains("sbatch ") {
            let tools = ["slurmctld", "slurmd", "munged"];
            if !tools.iter().all(|name| have(name)) || !is_root() {
                eprintln!("Slurm is not installed, or this is not root: its recipe is NOT TESTED");
                continue;
            }
            run = Command::new(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/tests/command/slurm.sh"
            ));
            run.arg(folder.path("slurm")).arg("sh");
        }
        let ran = run
            .args(["-euc", recipe])
            .env("PATH", &path)
            .current_dir(folder.path(""))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{recipe}\n{ran:?}");
        folder.run("train ovr train.tsv -o whole").good();
        assert!(folder.read("whole") == folder.read("model.hapax"));
    }
}
