//! `hapax train memoir-l2`, `memoir-l1` and `memoir-lsh`, and what they refuse.

use super::folder::Folder;

const ONE_LABEL: &str = "\
where is my new card\tarrival
my card has not arrived yet\tarrival
i lost my card on the train\tlost
my card is lost or stolen\tlost
somebody stole my card\tstolen
which exchange rate do you use\texchange
is the exchange rate fair today\texchange
";

#[test]
fn a_model_is_trained_judged_inspected_and_asked() {
    let folder = Folder::new();
    folder.write("train.tsv", ONE_LABEL);
    for algorithm in ["memoir-l2", "memoir-l1"] {
        let line = format!("train {algorithm} train.tsv -o m --test train.tsv --report --json");
        let trained = folder.run(&line).json();
        assert_eq!(trained["algorithm"], algorithm);
        assert_eq!(trained["model_bytes"], folder.read("m").len());
        assert_eq!(trained["epochs"], 10);
        assert!(trained["objective"].as_f64().unwrap() < 1.0);
        assert!(trained["test"]["precision"]["1"].as_f64().unwrap() > 0.8);
        let facts = folder.run("inspect m --json").json();
        assert_eq!(facts["facts"]["violators"], "5");
        folder.run("verify m").good();
        let answers = folder
            .run_on("predict m -k 1 --output json", "a stolen card")
            .good();
        assert!(answers.contains("\"score\""));
    }
}

#[test]
fn every_oracle_trains_and_the_report_says_how_exact_it_is() {
    let folder = Folder::new();
    folder.write("train.tsv", ONE_LABEL);
    for oracle in ["exhaustive", "rare-features", "sign-codes", "graph"] {
        // Words of one text are the rarer features of all others, and would leave few to go by.
        let line = format!(
            "train memoir-l2 train.tsv -o m --oracle {oracle} --report --json --min-documents 2"
        );
        let trained = folder.run(&line).json();
        assert_eq!(trained["parameters"]["oracle"]["name"], oracle);
        let report = trained["report"].as_array().unwrap();
        assert_eq!(report.len(), 10);
        let last = &report[9];
        let error = last["margin_error"].as_f64().unwrap();
        // Of four classes none is missed.
        assert_eq!(last["recall"], 1.0, "{oracle}");
        assert_eq!(error, 0.0, "{oracle}");
        for name in ["objective", "loss", "seconds"] {
            assert!(last[name].as_f64().unwrap() >= 0.0);
        }
        assert!(last["nonzeros"].as_u64().unwrap() > 0 && last["bytes"].as_u64().unwrap() > 0);
    }
}

#[test]
fn the_reduced_space_is_trained_in_and_answers_texts() {
    let folder = Folder::new();
    folder.write("train.tsv", ONE_LABEL);
    let line = "train memoir-lsh train.tsv -o m --reduce 5 --test train.tsv --json";
    let trained = folder.run(line).json();
    assert_eq!(trained["algorithm"], "memoir-lsh");
    assert_eq!(trained["parameters"]["oracle"]["name"], "sign-codes");
    assert!(trained["test"]["precision"]["1"].as_f64().unwrap() > 0.8);
    folder.run("verify m").good();
    folder.run("inspect m").good();
    let answers = folder.run_on("predict m -k 1 --output json", "a stolen card");
    assert!(answers.good().contains("\"score\""));
    // Rows of few features are taken as they are.
    folder.write(
        "rows.txt",
        "4 3 2\n0 0:1\n0 0:1 2:0.1\n1 1:1\n1 1:1 2:0.1\n",
    );
    folder.run("train memoir-lsh rows.txt -o few").good();
}

#[test]
fn published_behaviors_run() {
    let folder = Folder::new();
    folder.write("train.tsv", ONE_LABEL);
    for repro in ["paper", "code"] {
        let line = format!("train memoir-l2 train.tsv -o m --set repro={repro} --json");
        let trained = folder.run(&line).json();
        assert_eq!(trained["parameters"]["lambda"], 1.0);
        assert_eq!(trained["parameters"]["batch_size"], 200);
        assert_eq!(trained["parameters"]["balanced"], repro == "code");
    }
}

#[test]
fn rows_of_several_labels_are_refused_by_name_or_replicated() {
    let folder = Folder::new();
    let text = format!("{ONE_LABEL}my card was lost and then stolen\tlost stolen\n");
    folder.write("train.tsv", &text);
    folder
        .run("train memoir-l2 train.tsv -o m")
        .refused_for("row 8 (from 1) has 2 labels");
    for way in ["replicate", "first"] {
        let line = format!("train memoir-l2 train.tsv -o m --multilabel {way}");
        folder.run(&line).good();
    }
}

#[test]
fn data_that_teach_nothing_are_refused() {
    let folder = Folder::new();
    folder.write("one.txt", "2 3 4\n1 0:1\n1 1:1\n");
    folder
        .run("train memoir-l2 one.txt -o m")
        .refused_for("1 label: at least 2 are needed");
    folder.write("zero.txt", "2 3 2\n0 \n1 \n");
    folder
        .run("train memoir-l2 zero.txt -o m")
        .refused_for("no training row has a feature");
    // Label 2 has no rows: it is never proposed, and comes last.
    folder.write("absent.txt", "3 3 3\n0 0:1\n1 1:1\n1 2:1\n");
    folder.run("train memoir-l2 absent.txt -o m").good();
    let answers = folder.run("predict m absent.txt -k 3 --output xmc").good();
    let last = |line: &str| {
        line.split(' ')
            .next_back()
            .map(|pair| pair.starts_with("2:"))
    };
    assert!(
        answers.lines().all(|line| last(line) == Some(true)),
        "{answers}"
    );
}

#[test]
fn bad_parameters_are_refused_before_the_data_are_read() {
    let folder = Folder::new();
    folder.write("train.tsv", "no data at all");
    for (options, message) in [
        ("--lambda 0", "--lambda is 0, but must be more than 0"),
        ("--lambda -1", "--lambda is -1, but must be more than 0"),
        (
            "--lambda nan",
            "--lambda is NaN, but must be a finite number",
        ),
        (
            "--lambda 2",
            "--step-size is 1, but must be at most 0.5, which is 1 / lambda",
        ),
        (
            "--batch-size 0",
            "--batch-size is 0, but must be at least 1",
        ),
        (
            "--violators 61",
            "--violators is 61, but must be at most 60",
        ),
        ("--epochs 0", "--epochs is 0, but must be at least 1"),
        (
            "--oracle sign-codes --set code-words=0",
            "--code-words is 0, but must be at least 1",
        ),
        (
            "--oracle graph --set beam=0",
            "--beam is 0, but must be at least 1",
        ),
        (
            "--oracle rare-features --set left-out=-1",
            "--left-out is -1, but must be at least 0",
        ),
    ] {
        folder
            .run(&format!("train memoir-l2 train.tsv -o m {options}"))
            .refused_for(message);
        assert_eq!(folder.files(), ["train.tsv"]);
    }
}
