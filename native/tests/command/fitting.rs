//! Data whose features or labels are not those of the model they are given to.

use super::folder::{Folder, QUESTIONS, ROWS};

/// Rows that each have one feature and the label of its number, with a header.
fn numbered(labels: std::ops::Range<u32>, (stated_features, stated_labels): (u32, u32)) -> String {
    let rows: String = (labels.clone().chain(labels.clone()))
        .map(|label| format!("{label} {label}:1\n"))
        .collect();
    format!(
        "{} {stated_features} {stated_labels}\n{rows}",
        2 * labels.len()
    )
}

/// A folder with a linear model `m` of five features and labels.
fn with_linear_model() -> Folder {
    let folder = Folder::new();
    folder.write("five.txt", numbered(0..5, (5, 5)));
    folder.run("train ovr five.txt -o m").good();
    folder
}

#[test]
fn training_goes_on_only_with_the_features_and_labels_of_the_model() {
    let folder = with_linear_model();
    folder.write("narrow.txt", numbered(0..4, (4, 5)));
    folder.write("wide.txt", numbered(0..5, (6, 5)));
    folder.write("few.txt", numbered(0..4, (5, 4)));
    let features = "but the model to start from has 5, and features go by number: give rows of the same features (whose \
                    header says 5), or train anew without --from";
    let labels = "few.txt: has 4 labels, but the model to start from has 5, and labels go by number: give rows of the \
                  same labels (whose header says 5, or more if there are new ones), or train anew without --from";
    for algorithm in ["ovr", "cs", "ww"] {
        let run = |file: &str| folder.run(&format!("train {algorithm} {file} -o later --from m"));
        run("narrow.txt").refused(&format!("narrow.txt: has 4 features, {features}"));
        run("wide.txt").refused(&format!("wide.txt: has 6 features, {features}"));
        run("few.txt").refused(labels);
        assert!(!folder.files().contains(&"later".into()), "{algorithm}");
    }
}

#[test]
fn new_labels_and_files_that_state_nothing_may_follow() {
    let folder = with_linear_model();
    // Of seven labels, one more than the model knows has rows.
    folder.write("more.txt", numbered(0..6, (5, 7)).replace(" 5:1", " 4:2"));
    // As svmlight the first three labels, by number; nothing says how many there are.
    let few: String = numbered(2..4, (5, 5))
        .lines()
        .skip(1)
        .fold(String::new(), |rows, line| rows + line + "\n");
    folder.write("few.svm", few);
    for algorithm in ["ovr", "cs", "ww"] {
        let from = |file: &str| format!("train {algorithm} {file} -o later --from m --json");
        assert_eq!(folder.run(&from("more.txt")).json()["l"], 7);
        let later = folder.run(&from("few.svm --index-base 0")).json();
        assert_eq!((&later["l"], &later["d"]), (&5.into(), &5.into()));
        let answers = folder.run_on("predict later --output json -k 1", "0 3:1\n");
        assert!(answers.good().contains("\"id\":3"), "{algorithm}");
    }
}

#[test]
fn names_of_labels_go_on_with_them() {
    let folder = with_linear_model();
    folder.write("names", "a\nb\nc\nd\ne\n");
    folder.write("others", "a\nb\nx\nd\ne\n");
    folder.write("more", "a\nb\nc\nd\ne\nf\n");
    folder.write("six.txt", numbered(0..5, (5, 6)));
    let named = "train ovr five.txt -o named --label-names names";
    folder.run(named).good();
    let from = |rest: &str| folder.run(&format!("train ovr {rest} -o later --from named"));
    from("five.txt").good();
    let answer = || {
        let answers = folder.run_on("predict later --output json -k 1", "0 2:1\n");
        answers.good()
    };
    assert!(answer().contains("\"name\":\"c\""), "{}", answer());
    from("six.txt").refused(
        "six.txt: has 6 labels without names, but the model to start from has names for 5: name all by --label-names",
    );
    from("six.txt --label-names more").good();
    assert!(answer().contains("\"name\":\"c\""), "{}", answer());
    from("five.txt --label-names others")
        .refused("others: names label 2 \"x\", but in the model to start from it is \"c\"");
}

#[test]
fn texts_of_other_labels_are_said() {
    let folder = Folder::new();
    let texts =
        |a: &str, b: &str| format!("my card is lost\t{a}\nwhich rate is it\t{b}\n").repeat(4);
    folder.write("train.tsv", texts("lost", "rate"));
    folder.write("half.tsv", texts("lost", "change"));
    folder.write("other.tsv", texts("theft", "change"));
    folder.run("train ovr train.tsv -o m").good();
    for (file, said) in [
        ("train.tsv", false),
        ("half.tsv", false),
        ("other.tsv", true),
    ] {
        let ran = folder.run(&format!("train ovr {file} -o later --from m --json"));
        let warning = format!(
            "hapax: warning: {file}: no label is known to the model to start from: are they named differently?\n"
        );
        assert_eq!(ran.err.contains(&warning), said, "{}", ran.err);
        let labels = ran.json()["l"].as_u64();
        assert_eq!(labels, Some(2 + (file != "train.tsv") as u64 + said as u64));
    }
}

#[test]
fn labels_of_svmlight_are_the_numbers_of_a_model_without_names() {
    let folder = with_linear_model();
    folder.write("last.svm", "4 4:1\n3 3:1\n11 0:1\n");
    let ran = folder.run("evaluate m last.svm --index-base 0 --json");
    assert_eq!(ran.err, "");
    let line = ran.json();
    assert_eq!((&line["labels_unseen"], &line["n"]), (&1.into(), &3.into()));
    assert!((line["precision"]["1"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-9);
}

#[test]
fn rows_of_other_features_or_labels_are_said() {
    let folder = with_linear_model();
    folder.write("other.txt", numbered(0..3, (3, 4)));
    let features = "hapax: warning: other.txt: has 3 features, but the model knows 5; answers are right only if these \
                    are its first 3\n";
    let labels = "hapax: warning: other.txt: has 4 labels, but the model has 5; figures are right only if both number \
                  labels alike\n";
    let ran = folder.run("evaluate m other.txt --json");
    assert_eq!(ran.err, format!("{features}{labels}"));
    assert_eq!(ran.json()["precision"]["1"], 1.0);
    let ran = folder.run("predict m other.txt --output json");
    assert_eq!(ran.err, features);
    assert_eq!(ran.good().lines().count(), 6);
    folder.write("wide.txt", "1 9 5\n0 0:1 8:1\n");
    assert_eq!(
        folder.run("predict m wide.txt").err,
        "hapax: warning: wide.txt: has 9 features, but the model knows 5; the others are ignored\n"
    );
    folder.write("rows.txt", ROWS);
    assert_eq!(
        folder
            .run("train ovr rows.txt -o rows --test rows.txt --json")
            .json()["l"],
        3
    );
}

#[test]
fn labels_that_go_by_number_are_said_where_a_model_of_svmlight_names_other_numbers() {
    let folder = Folder::new();
    folder.write("train.svm", "5 1:1\n7 2:1\n9 3:1\n5 1:1 2:0.5\n");
    folder.run("train nearest train.svm -o m").good();
    folder.write("test.txt", "2 3 3\n0 0:1\n1 1:1\n");
    let ran = folder.run("evaluate m test.txt --json");
    let said = "hapax: warning: test.txt: labels go by number, but the model names its label 0 \"5\"; figures are right \
                only if the file calls this label 0\n";
    assert_eq!(ran.err, said);
    // Names from a list are in the order of the labels, whatever they are.
    folder.write("names", "5\n7\n9\n");
    folder
        .run("train nearest test.txt -o named --label-names names")
        .good();
    assert_eq!(folder.run("evaluate named test.txt --json").err, "");
}

#[test]
fn a_header_is_used() {
    let folder = Folder::new();
    folder.write("plain.tsv", QUESTIONS);
    folder.write("train.tsv", format!("text\tlabel\n{QUESTIONS}"));
    folder.run("train nearest plain.tsv -o plain").good();
    let ran = folder.run("train nearest train.tsv -o m");
    assert_eq!(
        ran.err,
        "train.tsv: text from text, labels from label separated by spaces\n"
    );
    ran.good();
    assert_eq!(folder.trained_on("m"), folder.trained_on("plain"));
    let ran = folder.run("train nearest train.tsv -o m --columns text,labels");
    let said = "train.tsv: the first line looks like a header, but is read as a row";
    assert!(ran.err.contains(said), "{ran:?}");
}
