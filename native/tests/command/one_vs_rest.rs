//! `hapax train ovr` and what can be done with its model.

use super::folder::{Folder, QUESTIONS};

#[test]
fn a_linear_model_is_trained_judged_inspected_compacted_and_asked() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    let trained = folder
        .run("train ovr train.tsv -o m --test train.tsv --cost 2 --json")
        .json();
    assert_eq!(trained["algorithm"], "ovr");
    assert_eq!(trained["parameters"]["cost"], 2.0);
    assert_eq!(trained["model_bytes"], folder.read("m").len());
    assert!(trained["test"]["precision"]["1"].as_f64().unwrap() > 0.5);
    assert!(trained["test"]["psp"]["1"].as_f64().unwrap() > 0.0);
    let evaluated = folder.run("evaluate m train.tsv --json").json();
    assert_eq!(evaluated["precision"], trained["test"]["precision"]);
    let facts = folder.run("inspect m --json").json();
    assert_eq!(facts["facts"]["cost"], "2");
    assert!(facts["parts"]["weights"].as_u64().unwrap() > 0);
    folder.run("verify m").good();
    let whole = folder.read("m").len();
    folder
        .run(&format!("compact m -o small --max-bytes {whole} --json"))
        .good();
    assert_eq!(folder.read("small"), folder.read("m"), "it fits as it is");
    let question = QUESTIONS.split('\t').next().unwrap();
    let answers = folder
        .run_on("predict m -k 2 --output json --explain", question)
        .good();
    let line: serde_json::Value = serde_json::from_str(&answers).unwrap();
    let why = &line["evidence"][0];
    assert_eq!(why["label"], line["labels"][0]["name"]);
    assert!(why["features"][0]["score"].as_f64().unwrap() > 0.0);
    let word = why["features"][0]["feature"].as_str().unwrap();
    assert!(question.to_lowercase().contains(word), "{word}");
    let told = folder
        .run_on("predict m -k 2 --output text --explain", question)
        .good();
    assert!(told.contains(&format!("  from {word} +")), "{told}");
}

#[test]
fn bad_parameters_are_refused_before_the_data_are_read() {
    let folder = Folder::new();
    folder.write("train.tsv", "no data at all");
    for (options, message) in [
        ("--cost 0", "--cost is 0, but must be at least 1e-9"),
        ("--cost nan", "--cost is NaN, but must be a finite number"),
        (
            "--positive-weight -1",
            "--positive-weight is -1, but must be at least 1e-6",
        ),
        (
            "--fuse none --centroid 0.2",
            "--fuse none leaves out what --centroid 0.2 adds: give one of the two",
        ),
        (
            "--fuse centroid --embedding 1",
            "--fuse centroid leaves out what --embedding 1 adds: give one of the two",
        ),
        ("--rounds 0", "--rounds is 0, but must be at least 1"),
        ("--pool 0", "--pool is 0, but must be at least 1"),
        (
            "--epsilon inf",
            "--epsilon is infinity, but must be a finite number",
        ),
        ("--prune -0.5", "--prune is -0.5, but must be at least 0"),
        (
            "--max-epochs 0",
            "--max-epochs is 0, but must be at least 1",
        ),
    ] {
        folder
            .run(&format!("train ovr train.tsv -o m {options}"))
            .refused(message);
        assert_eq!(folder.files(), ["train.tsv"]);
    }
}
