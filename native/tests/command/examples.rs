//! The programs of `native/examples`, each run on small data.

use super::folder::{Folder, QUESTIONS, ROWS};
use std::fs;

#[path = "../../examples/evaluate.rs"]
#[allow(dead_code, reason = "main is for the command line")]
mod evaluate;
#[path = "../../examples/fit_budget.rs"]
#[allow(dead_code, reason = "main is for the command line")]
mod fit_budget;
#[path = "../../examples/learn_on.rs"]
#[allow(dead_code, reason = "main is for the command line")]
mod learn_on;
#[path = "../../examples/load_model.rs"]
#[allow(dead_code, reason = "main is for the command line")]
mod load_model;
#[path = "../../examples/one_vs_rest.rs"]
#[allow(dead_code, reason = "main is for the command line")]
mod one_vs_rest;
#[path = "../../examples/train_table.rs"]
#[allow(dead_code, reason = "main is for the command line")]
mod train_table;

#[test]
fn a_table_trains_a_model_that_the_command_reads() {
    let folder = Folder::new();
    folder.write(
        "books.csv",
        "id,title,subjects\n\
         1,rivers and lakes,water\n2,\"dams, old and new\",dams;water\n3,the great flood,water\n\
         4,cats of the city,animals\n5,dogs and cats,animals\n6,how birds fly,animals\n",
    );
    let model = folder.path("m");
    let labels = train_table::run(&folder.path("books.csv"), &model, "cats and birds").unwrap();
    assert_eq!(labels[0], "animals");
    let scored = load_model::run(&model, "cats and birds").unwrap();
    assert_eq!(scored[0].0, "animals");
    let out = folder.run("predict m books.csv -k 1 --output csv").good();
    assert_eq!(out.lines().count(), 7, "{out}");
}

#[test]
fn rows_train_one_vs_rest_as_the_command_does() {
    let folder = Folder::new();
    folder.write("rows.txt", ROWS);
    let labels = one_vs_rest::run(&folder.path("rows.txt"), &folder.path("m"));
    assert_eq!(labels.unwrap(), 3);
    assert!(folder.run("verify m").good().contains("sound"));
    folder.write("texts.tsv", QUESTIONS);
    let refused = one_vs_rest::run(&folder.path("texts.tsv"), &folder.path("m"));
    assert!(refused.unwrap_err().to_string().contains("texts"));
}

#[test]
fn figures_are_those_of_evaluate() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder.run("train nearest train.tsv -o m").good();
    let report = evaluate::run(&folder.path("m"), &folder.path("train.tsv")).unwrap();
    let json = folder.run("evaluate m train.tsv -k 1,3,5 --json").json();
    assert_eq!(json["precision"]["1"].as_f64(), Some(report.precision[0]));
    assert_eq!(json["macro_f1"].as_f64(), Some(report.macro_f1));
}

#[test]
fn learning_makes_the_bytes_of_learn() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder.write(
        "more.tsv",
        "the app shows a wrong balance\tbalance\nmy balance is zero\tbalance\n",
    );
    folder.run("train nearest train.tsv -o m").good();
    folder.run("learn m more.tsv -o by-command").good();
    let (more, newer) = (folder.path("more.tsv"), folder.path("newer"));
    assert_eq!(learn_on::run(&folder.path("m"), &more, &newer).unwrap(), 1);
    assert!(folder.read("newer") == folder.read("by-command"));
}

#[test]
fn a_model_fits_or_the_smallest_size_is_told() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder.run("train ovr train.tsv -o m").good();
    let whole = fs::metadata(folder.path("m")).unwrap().len();
    let (model, small) = (folder.path("m"), folder.path("small"));
    assert_eq!(fit_budget::run(&model, whole, &small).unwrap(), whole);
    let refused = fit_budget::run(&model, 100, &small)
        .unwrap_err()
        .to_string();
    assert!(refused.chars().any(|c| c.is_ascii_digit()), "{refused}");
}
