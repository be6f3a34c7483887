//! `hapax train ovr --from`: what stays of the model that training starts from.

use super::folder::{Folder, QUESTIONS};
use serde_json::Value;

const MORE: &str = "\
the machine swallowed my card\tswallowed
my card was swallowed by the machine\tswallowed
i lost my card at the machine\tlost
";

/// A folder with a linear model `m` of [`QUESTIONS`], and with `more.tsv`.
fn with_more() -> Folder {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder.write("more.tsv", MORE);
    folder.run("train ovr train.tsv -o m").good();
    folder
}

/// The lines of a standard error that are notes.
fn notes(err: &str) -> Vec<&str> {
    err.lines().filter(|l| l.starts_with("note: ")).collect()
}

/// Label and score of each answer.
fn answers(folder: &Folder, model: &str, text: &str) -> Vec<(String, Value)> {
    let command = format!("predict {model} -k 10 --output json");
    let line = folder.run_on(&command, text).json();
    let labels = line["labels"].as_array().unwrap().iter();
    let name = |answer: &Value| answer["name"].as_str().unwrap().to_string();
    labels.map(|a| (name(a), a["score"].clone())).collect()
}

#[test]
fn labels_without_rows_keep_their_weights_and_it_is_said() {
    let folder = with_more();
    for options in [
        "",
        "--negatives mined",
        "--negatives mined --rounds 1",
        "--prune 0.3 --bits 8",
    ] {
        let ran = folder.run(&format!(
            "train ovr more.tsv -o newer --from m --json {options}"
        ));
        assert_eq!(
            notes(&ran.err),
            [
                "note: 5 words of the texts are unknown to the model and are ignored; train anew without --from to \
                 learn them",
                "note: 3 of the model's 4 labels have no rows in more.tsv: they keep their weights",
            ],
            "{options}"
        );
        assert_eq!(ran.json()["l"], 5);
        for text in ["where is my new card", "is the exchange rate fair"] {
            let (before, after) = (answers(&folder, "m", text), answers(&folder, "newer", text));
            assert_eq!((before.len(), after.len()), (4, 5));
            for label in before.iter().filter(|(name, _)| name != "lost") {
                assert!(after.contains(label), "{options}: {label:?} of {after:?}");
            }
        }
        let swallowed = answers(&folder, "newer", "swallowed by the card");
        assert!(swallowed.iter().any(|(name, _)| name == "swallowed"));
    }
}

#[test]
fn one_label_and_one_word_are_said_as_one_and_nothing_where_all_is_known() {
    let folder = with_more();
    let three = QUESTIONS
        .replace("\texchange", "\tarrival")
        .replace("fair", "just");
    folder.write("three.tsv", three);
    let ran = folder.run("train ovr three.tsv -o newer --from m");
    assert_eq!(
        notes(&ran.err),
        [
            "note: 1 word of the texts is unknown to the model and is ignored; train anew without --from to learn it",
            "note: 1 of the model's 4 labels has no rows in three.tsv: it keeps its weights",
        ]
    );
    let ran = folder.run("train ovr train.tsv -o newer --from m");
    assert_eq!(notes(&ran.err), Vec::<&str>::new(), "{ran:?}");
    ran.good();
    // Hashed words are never unknown.
    folder
        .run("train ovr train.tsv -o hashed --hash-bits 10")
        .good();
    let ran = folder.run("train ovr more.tsv -o newer --from hashed");
    assert_eq!(
        notes(&ran.err),
        ["note: 3 of the model's 4 labels have no rows in more.tsv: they keep their weights"]
    );
}

#[test]
fn what_is_kept_goes_through_checkpoints_and_a_budget() {
    let folder = with_more();
    folder.run("train ovr more.tsv -o whole --from m").good();
    folder
        .run("train ovr more.tsv -o again --from m --checkpoint states")
        .good();
    assert_eq!(folder.read("again"), folder.read("whole"));
    let size = folder.read("whole").len();
    folder
        .run(&format!(
            "train ovr more.tsv -o fitted --from m --max-bytes {size}"
        ))
        .good();
    assert_eq!(folder.read("fitted"), folder.read("whole"));
    let ran = folder.run("train ovr more.tsv -o proven --from m --negatives all --gap 0.1");
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.err
            .contains("'--from <MODEL>' cannot be used with '--gap <GAP>'"),
        "{ran:?}"
    );
}

#[test]
fn words_and_texts_of_labels_are_those_of_the_model_to_start_from() {
    let folder = with_more();
    folder.write("labels.tsv", "lost\ta card that is lost\n");
    for (option, shown) in [
        ("--words 1", "--words <N-M>"),
        ("--case-sensitive", "--case-sensitive"),
        ("--max-document-share 0.5", "--max-document-share <SHARE>"),
        ("--label-texts labels.tsv", "--label-texts <FILE>"),
    ] {
        for method in ["ovr", "cs", "ww"] {
            let ran = folder.run(&format!("train {method} more.tsv -o new --from m {option}"));
            assert_eq!((ran.status, folder.path("new").exists()), (Some(2), false));
            let rule = "the argument '--from <MODEL>' cannot be used with";
            assert!(
                ran.err.contains(rule) && ran.err.contains(shown),
                "{}",
                ran.err
            );
        }
    }
}

#[test]
fn labels_that_training_never_saw_are_no_answers() {
    let folder = Folder::new();
    folder.write("train.txt", "3 3 4\n0 0:1\n2 1:1\n0,2 0:1 2:1\n");
    for algorithm in ["ovr", "mach --buckets 2"] {
        folder
            .run(&format!("train {algorithm} train.txt -o m"))
            .good();
        for (output, seen) in [("json", "\"id\":"), ("text", "  ")] {
            let command = format!("predict m -k 4 --output {output}");
            let out = folder.run_on(&command, "1 1:1\n").good();
            assert!(!out.contains("340282"), "{out}");
            let answers = out.matches(seen).count();
            assert!(answers >= 2, "{algorithm}: {out}");
            if output == "json" {
                assert_eq!(answers, 2, "{algorithm}: {out}");
            }
        }
    }
}
