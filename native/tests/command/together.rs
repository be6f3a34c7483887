//! Several processes that a launcher started: what cannot be trained together is refused by each of
//! them.

use super::folder::{Folder, QUESTIONS};

const ALONE: [&str; 11] = [
    "ovr",
    "mach",
    "nearest",
    "wsabie",
    "wsabie-pp",
    "ova-sgd",
    "auc",
    "nearest-mean",
    "memoir-l2",
    "memoir-l1",
    "memoir-lsh",
];

/// The variables by which launchers tell how many processes there are.
const LAUNCHERS: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"];

#[test]
fn what_several_processes_cannot_train_is_refused_before_any_work() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    for (number, algorithm) in ALONE.into_iter().enumerate() {
        let variable = LAUNCHERS[number % LAUNCHERS.len()];
        let mut command = folder.command(&format!("train {algorithm} train.tsv -o m"));
        let ran = super::folder::finish(command.env(variable, "3").spawn().unwrap());
        let instead = if number < 2 {
            "`hapax plan`, `hapax train --parts`"
        } else {
            "start one"
        };
        assert!(ran.err.contains(instead), "{algorithm}: {ran:?}");
        ran.refused_for("3 processes were started");
        assert_eq!(folder.files(), ["train.tsv"], "{algorithm}");
        // One process by a launcher is a process like any other.
        if number == 0 {
            let mut command = folder.command(&format!("train {algorithm} train.tsv -o m"));
            super::folder::finish(command.env(variable, "1").spawn().unwrap()).good();
            std::fs::remove_file(folder.path("m")).unwrap();
        }
    }
}

#[cfg(not(feature = "mpi"))]
#[test]
fn a_command_built_without_mpi_refuses_to_be_one_of_several() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    for algorithm in ["cs", "ww", "llw"] {
        for variable in LAUNCHERS {
            let mut command = folder.command(&format!("train {algorithm} train.tsv -o m"));
            let ran = super::folder::finish(command.env(variable, "2").spawn().unwrap());
            ran.refused_for("built without MPI");
            assert_eq!(folder.files(), ["train.tsv"]);
        }
    }
}
