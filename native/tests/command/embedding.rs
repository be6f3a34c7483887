//! `hapax train wsabie` and its family, and what can be done with their models.

use super::folder::{Folder, QUESTIONS};

#[test]
fn models_of_prototypes_are_trained_judged_inspected_compacted_and_asked() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    for algorithm in ["wsabie", "wsabie-pp", "ova-sgd", "auc", "nearest-mean"] {
        let trained = folder
            .run(&format!(
                "train {algorithm} train.tsv -o m --test train.tsv --bits 8 --json"
            ))
            .json();
        assert_eq!(trained["algorithm"], algorithm);
        assert_eq!(trained["parameters"]["bits"], 8);
        assert_eq!(trained["model_bytes"], folder.read("m").len());
        assert!(
            trained["test"]["precision"]["1"].as_f64().unwrap() > 0.5,
            "{trained}"
        );
        let evaluated = folder.run("evaluate m train.tsv --json").json();
        assert_eq!(evaluated["precision"], trained["test"]["precision"]);
        let facts = folder.run("inspect m --json").json();
        assert_eq!(facts["facts"]["bits of a weight"], "8");
        assert!(facts["parts"]["prototypes of labels"].as_u64().unwrap() > 0);
        folder.run("verify m").good();
        let smaller = folder.read("m").len() - 64;
        let told = folder
            .run(&format!("compact m -o small --max-bytes {smaller} --json"))
            .json();
        assert_eq!(told["report"]["bits"], 4);
        assert!(folder.read("small").len() <= smaller);
        folder
            .run("compact m -o small --max-bytes 100")
            .refused_for("too few for this model");
        let question = QUESTIONS.split('\t').next().unwrap();
        let answers = folder
            .run_on("predict m -k 2 --output json", question)
            .good();
        assert!(answers.contains("\"score\""));
    }
}

#[test]
fn neighbors_of_a_label_are_its_nearest_prototypes() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder.run("train wsabie-pp train.tsv -o m").good();
    let label = folder.run("predict m train.tsv -k 1 --output json").good();
    let label = label
        .split("\"name\":\"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let near = folder
        .run(&format!("inspect m --neighbors {label} --json"))
        .json();
    assert_eq!(near["label"], label.as_str());
    let near = near["neighbors"].as_array().unwrap();
    assert!(!near.is_empty() && near.iter().all(|near| near["label"] != label.as_str()));
    let distances: Vec<f64> = near
        .iter()
        .map(|near| near["distance"].as_f64().unwrap())
        .collect();
    assert!(distances.is_sorted(), "{distances:?}");
    let table = folder.run(&format!("inspect m --neighbors {label}")).good();
    assert!(table.contains("cosine") && table.contains(&format!("nearest to {label}")));
    folder
        .run("inspect m --neighbors nonesuch")
        .refused_for("no label nonesuch");
    folder.run("train nearest train.tsv -o n").good();
    folder
        .run("inspect n --neighbors 0")
        .refused_for("--neighbors needs a model with prototypes");
}

#[test]
fn bad_parameters_and_hopeless_data_are_refused() {
    let folder = Folder::new();
    folder.write("none.tsv", "no data at all");
    for (options, message) in [
        (
            "--dimensions 0",
            "--dimensions is 0, but must be at least 1",
        ),
        ("--margin 0", "--margin is 0, but must be at least 1e-9"),
        (
            "--margin nan",
            "--margin is NaN, but must be a finite number",
        ),
        (
            "--step-size 0",
            "--step-size is 0, but must be at least 1e-9",
        ),
        (
            "--step-size -1",
            "--step-size is -1, but must be at least 1e-9",
        ),
        ("--epochs 0", "--epochs is 0, but must be at least 1"),
        ("--models 0", "--models is 0, but must be at least 1"),
        ("--bits 5", "--bits is 5, but must be one of 4, 8, 32"),
        ("--set block=0", "--block is 0, but must be at least 1"),
    ] {
        folder
            .run(&format!("train wsabie none.tsv -o m {options}"))
            .refused(message);
    }
    folder.write("one.tsv", "a b\tx\nb c\tx\n");
    for algorithm in ["wsabie", "wsabie-pp", "ova-sgd", "auc", "nearest-mean"] {
        folder
            .run(&format!("train {algorithm} one.tsv -o m --min-documents 1"))
            .refused_for("1 label: at least 2");
    }
    folder.write("all.tsv", "a b\tx y\nb c\tx y\n");
    folder
        .run("train wsabie all.tsv -o m --min-documents 1")
        .refused_for("carries every label");
    folder.write("long.svm", "0 1:1e30\n1 2:1e30\n0 1:1e30\n1 2:1e30\n");
    folder.run("train wsabie long.svm -o m --set as-published=true --no-normalize --step-size 100000 --max-norm 0").refused_for("weights grew beyond all");
}
