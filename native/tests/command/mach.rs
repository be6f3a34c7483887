//! `hapax train mach` and what can be done with its model.

use super::folder::{Folder, QUESTIONS};

#[test]
fn a_mach_model_is_trained_judged_inspected_compacted_and_asked() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    let trained = folder
        .run("train mach train.tsv -o m --test train.tsv --buckets 2 --repetitions 9 --bits 8 --keep 1 --json")
        .json();
    assert_eq!(trained["algorithm"], "mach");
    assert_eq!(trained["parameters"]["repetitions"], 9);
    assert_eq!(trained["model_bytes"], folder.read("m").len());
    assert!(trained["test"]["precision"]["1"].as_f64().unwrap() > 0.5);
    let evaluated = folder.run("evaluate m train.tsv --json").json();
    assert_eq!(evaluated["precision"], trained["test"]["precision"]);
    let facts = folder.run("inspect m --json").json();
    assert_eq!(facts["facts"]["repetitions"], "9");
    folder.run("verify m").good();
    let whole = folder.read("m").len();
    folder
        .run(&format!("compact m -o small --max-bytes {whole}"))
        .good();
    assert_eq!(folder.read("small"), folder.read("m"), "it fits as it is");
    let question = QUESTIONS.split('\t').next().unwrap();
    folder.run_on("predict small -k 2", question).good();
}

#[test]
fn bad_parameters_are_refused_before_the_data_are_read() {
    let folder = Folder::new();
    folder.write("train.tsv", "no data at all");
    for (options, message) in [
        ("--buckets 1", "--buckets is 1, but must be at least 2"),
        (
            "--repetitions 0",
            "--repetitions is 0, but must be at least 1",
        ),
        ("--epochs 0", "--epochs is 0, but must be at least 1"),
        (
            "--learning-rate nan",
            "--learning-rate is NaN, but must be a finite number",
        ),
        ("--bits 5", "--bits is 5, but must be one of"),
        ("--keep 0", "--keep is 0, but must be at least"),
    ] {
        folder
            .run(&format!("train mach train.tsv -o m {options}"))
            .refused_for(message);
        assert_eq!(folder.files(), ["train.tsv"]);
    }
}

#[test]
fn more_buckets_than_labels_and_budgets_too_small_are_refused() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder
        .run("train mach train.tsv -o m --buckets 500")
        .refused_for("--buckets is 500, but must be at most");
    folder
        .run("train mach train.tsv -o m --max-bytes 100")
        .refused_for("the smallest takes");
    assert_eq!(folder.files(), ["train.tsv"]);
}

#[test]
fn a_model_of_few_bytes_has_probabilities_where_they_fit() {
    let folder = Folder::new();
    let row = |at: usize| format!("{} {}:1 {}:1\n", at % 12, 1 + at % 12, 13 + at % 7);
    folder.write("train.svm", (0..1200).map(row).collect::<String>());
    let train = "train mach train.svm -o m --repetitions 5 --epochs 3";
    let within = |most: usize| folder.run(&format!("{train} --max-bytes {most} --json"));
    let told = within(4000).json();
    assert!(told["model_bytes"].as_u64().unwrap() <= 4000);
    assert!(told["calibration"]["rows"].as_u64().unwrap() >= 1000);
    let asked = folder.run_on("predict m --output jsonl -k 1", "3 4:1 16:1\n");
    let best = &asked.json()["labels"][0];
    assert_eq!(best["name"], "3");
    assert!(best["probability"].as_f64().unwrap() > 0.5);
    // The smallest file that there is leaves no room for them.
    let refused = within(100).err;
    let smallest = refused.rsplit(' ').next().unwrap().trim().parse().unwrap();
    let told = within(smallest).json();
    assert_eq!(told["model_bytes"], smallest);
    assert!(told["calibration"].is_null());
}
