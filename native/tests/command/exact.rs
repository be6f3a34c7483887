//! `hapax train cs`, `ww` and `llw`.

use super::folder::{Folder, QUESTIONS};

/// The questions, each with its first label only.
fn single() -> String {
    QUESTIONS
        .lines()
        .filter_map(|line| {
            let (text, labels) = line.split_once('\t')?;
            let first = labels.split([' ', ',']).next()?;
            Some(format!("{text}\t{first}\n"))
        })
        .collect()
}

#[test]
fn machines_are_trained_with_a_proof_and_can_be_asked() {
    let folder = Folder::new();
    folder.write("train.tsv", single());
    for algorithm in ["cs", "ww", "llw"] {
        let trained = folder
            .run(&format!(
                "train {algorithm} train.tsv -o m --test train.tsv --gap 1e-2 --json"
            ))
            .json();
        assert_eq!(trained["algorithm"], algorithm);
        assert!(trained["gap"].as_f64().unwrap() <= 1e-2);
        assert!(trained["epochs"].as_u64().unwrap() > 0);
        assert!(trained["test"]["precision"]["1"].as_f64().unwrap() > 0.5);
        let facts = folder.run("inspect m --json").json();
        assert_eq!(facts["facts"]["cost"], "1");
        folder.run("verify m").good();
        let told = folder
            .run(&format!("train {algorithm} train.tsv -o m --costs 1,0.1"))
            .good();
        assert!(
            told.contains("best of 2 costs") && told.contains("as stored:"),
            "{told}"
        );
    }
    for algorithm in ["cs", "ww", "llw --gap 5e-3 --cost 5"] {
        let exact = format!("train {algorithm} train.tsv -o m --bits 16 --prune 0 --json");
        let trained = folder.run(&exact).json();
        let (gap, stored) = (&trained["gap"], &trained["stored_gap"]);
        let (gap, stored) = (gap.as_f64().unwrap(), stored.as_f64().unwrap());
        assert!((gap - stored).abs() < 2e-4, "{algorithm}: {gap} {stored}");
        let facts = folder.run("inspect m --json").json();
        assert_eq!(facts["facts"]["bits of a weight"], "16");
        let reported = &facts["reported"];
        assert_eq!(reported["relative gap of the stored weights"], stored);
        assert_eq!(reported["relative gap"], gap);
        folder.run("verify m").good();
        folder.write("row.txt", "what is a test");
        folder.run("predict m row.txt --explain").good();
    }
    folder.run("train cs train.tsv -o m").good();
    let told = folder
        .run("train ww train.tsv -o later --from m --costs 0.1,1")
        .good();
    assert!(told.contains("relative gap"), "{told}");
    let refused = folder.run("train llw train.tsv -o later --from m");
    assert!(
        refused.err.contains("starts anew") && refused.status == Some(2),
        "{refused:?}"
    );
    folder.run("train nearest train.tsv -o near").good();
    let refused = folder.run("train cs train.tsv -o later --from near");
    assert!(refused.err.contains("is not linear"), "{refused:?}");
    let told = folder
        .run("train ovr train.tsv -o m --negatives all --gap 1e-3")
        .good();
    assert!(told.contains("relative gap"), "{told}");
    let exact = "train ovr train.tsv -o m --negatives all --gap 1e-3 --bits 16 --prune 0 --json";
    let trained = folder.run(exact).json();
    assert!(trained["stored_gap"].as_f64().unwrap() < 1.2e-3);
}

#[test]
fn bundles_of_labels_meet_on_any_number_of_threads_to_the_same_bytes_and_optimum() {
    let folder = Folder::new();
    folder.write("train.tsv", single());
    let train = |options: &str| {
        let command = format!("train ww train.tsv -o m --gap 1e-2 {options} --json");
        let told = folder.run(&command).json();
        let number = |name: &str| told[name].as_f64().unwrap();
        assert!(number("gap") <= 1e-2);
        (number("objective"), folder.read("m"))
    };
    let (by_rows, _) = train("");
    let (rotating, bytes) = train("--rotate-labels --threads 1");
    let distance = (rotating - by_rows).abs() / by_rows;
    assert!(distance <= 1e-2, "{rotating} {by_rows}");
    for more in ["--threads 2", "--threads 3 --checkpoint kept --every 1"] {
        assert!(
            train(&format!("--rotate-labels {more}")).1 == bytes,
            "{more}"
        );
    }
    folder
        .run("train cs train.tsv -o m --rotate-labels")
        .refused("only ww can be trained by bundles of labels that rotate: its duals concern two labels each");
}

#[test]
fn bad_input_is_refused_with_its_rule() {
    let folder = Folder::new();
    folder.write("train.tsv", single());
    folder.write("several.txt", "3 2 3\n0 0:1\n1,2 1:1\n2 0:1\n");
    folder.write("one.txt", "2 2 3\n1 0:1\n1 1:1\n");
    for (line, message) in [
        (
            "train cs train.tsv -o m --cost 0",
            "cost is 0, but must be more than 0",
        ),
        (
            "train ww train.tsv -o m --cost -1",
            "cost is -1, but must be more than 0",
        ),
        (
            "train ww train.tsv -o m --epsilon 0",
            "epsilon is 0, but must be more than 0",
        ),
        (
            "train ww train.tsv -o m --bits 7",
            "bits is 7, but must be one of 4, 5, 6, 8, 16",
        ),
        ("train ww several.txt -o m", "row 2 (from 1) has 2 labels"),
        ("train cs one.txt -o m", "at least 2 labels are needed"),
        (
            "train ovr train.tsv -o m --gap 1e-3",
            "--gap needs --negatives all",
        ),
    ] {
        let ran = folder.run(line);
        assert!(ran.err.contains(message), "{line}: {ran:?}");
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""));
    }
    folder
        .run("train ww several.txt -o m --multilabel replicate")
        .good();
    folder.write("empty.txt", "3 2 2\n0 0:1\n1\n1 1:1\n");
    folder.run("train cs empty.txt -o m").good();
    folder.write("nothing.txt", "2 2 2\n0 0:0\n1 1:0\n");
    let ran = folder.run("train cs nothing.txt -o m");
    assert_eq!(ran.status, Some(2), "{ran:?}");
}
