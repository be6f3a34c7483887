//! `hapax learn` and `hapax forget`.

use super::folder::{Folder, QUESTIONS, with_row_model, with_text_model};
use serde_json::Value;

const MORE: &str = "\
the machine swallowed my card\tswallowed
my card was swallowed by the machine\tswallowed
i lost my card at the machine\tlost
";

/// Label and score of each answer.
fn answers(folder: &Folder, model: &str, text: &str) -> Vec<(String, Value)> {
    let line = folder
        .run_on(&format!("predict {model} -k 10 --output jsonl"), text)
        .json();
    let labels = line["labels"].as_array().unwrap().iter();
    let name = |answer: &Value| answer["name"].as_str().unwrap().to_string();
    labels.map(|a| (name(a), a["score"].clone())).collect()
}

#[test]
fn neighbors_learn_rows_words_and_labels_and_forget_them() {
    let folder = with_text_model();
    folder.write("more.tsv", MORE);
    assert!(answers(&folder, "m", "swallowed").is_empty());
    let told = folder.run("learn m more.tsv -o newer --json").json();
    assert_eq!(told["rows"], 3);
    assert_eq!(
        (&told["first_row"], &told["last_row"]),
        (&8.into(), &10.into())
    );
    assert_eq!(
        (&told["labels"], &told["new_labels"]),
        (&5.into(), &1.into())
    );
    assert!(told["new_features"].as_u64() > Some(4), "{told}");
    assert_eq!(answers(&folder, "newer", "swallowed")[0].0, "swallowed");
    assert_eq!(
        answers(&folder, "newer", "is the exchange rate fair")[0].0,
        "exchange"
    );
    let out = folder.run("learn newer more.tsv -o newest").good();
    assert!(out.contains("3, as rows 11-13"), "{out}");
    let out = folder.run("forget newer --row 8,9-9 -o without").good();
    assert_eq!(out, "forgot 2 of 11 rows\nwrote without\n");
    assert!(answers(&folder, "without", "swallowed").is_empty());
    // Numbers stay what they were.
    folder
        .run("forget without --row 8 -o x")
        .refused_for("there is no row 8; it may be forgotten already");
    folder.run("forget without --row 10,0 -o without").good();
    folder
        .run("forget m --row 0-7 -o x")
        .refused_for("these are all rows of the model");
    folder
        .run("forget m --row 8 -o x")
        .refused_for("there is no row 8");
    assert_eq!(folder.run("forget m --row 5-2 -o x").status, Some(2));
    assert!(!folder.files().contains(&"x".to_owned()));
}

#[test]
fn one_vs_rest_learns_words_and_labels_and_keeps_the_others() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder.write("more.tsv", MORE);
    folder
        .run("train ovr train.tsv -o m --fuse centroid")
        .good();
    let ran = folder.run("learn m more.tsv -o newer --json");
    let note =
        "note: 3 of the model's 4 labels have no rows in more.tsv: they keep their weights\n";
    assert_eq!(ran.err, note);
    let told = ran.json();
    assert_eq!(
        (&told["labels"], &told["new_labels"]),
        (&5.into(), &1.into())
    );
    assert_eq!(
        answers(&folder, "newer", "swallowed by the machine")[0].0,
        "swallowed"
    );
    // Labels without rows score texts of known words nearly as before: only the rarity of words,
    // and so the length of rows, has changed.
    for text in ["where is my new card", "is the exchange rate fair"] {
        let (before, after) = (answers(&folder, "m", text), answers(&folder, "newer", text));
        for (name, score) in before.iter().filter(|(name, _)| name != "lost") {
            let now = &after.iter().find(|(other, _)| other == name).unwrap().1;
            let moved = (now.as_f64().unwrap() - score.as_f64().unwrap()).abs();
            assert!(moved < 0.2, "{name}: {score} became {now}");
        }
    }
    // The same bytes for any number of threads, and in place.
    folder.run("learn m more.tsv -o again --threads 1").good();
    assert_eq!(folder.read("again"), folder.read("newer"));
    folder.run("learn m more.tsv -o m --threads 2").good();
    assert_eq!(folder.read("m"), folder.read("newer"));
    folder.run("verify m").good();
}

#[test]
fn neighbors_and_an_embedding_beside_one_vs_rest_learn_too() {
    let folder = Folder::new();
    folder.write("train.tsv", QUESTIONS);
    folder.write("more.tsv", MORE);
    folder
        .run("train ovr train.tsv -o m --fuse nearest --embedding 0.2 --min-documents 1")
        .good();
    let out = folder.run("learn m more.tsv -o newer").good();
    assert!(out.contains("pull of the embedding"), "{out}");
    let told = folder.run("learn m more.tsv -o newer --json").json();
    assert_eq!((&told["rows"], &told["new_labels"]), (&3.into(), &1.into()));
    assert!(
        told["strength"].is_number() && told["pull"].is_number(),
        "{told}"
    );
    assert!(told["new_features"].as_u64() > Some(2), "{told}");
    for (text, label) in [
        ("swallowed by the machine", "swallowed"),
        ("is the exchange rate fair", "exchange"),
        ("how long until the card arrives", "arrival"),
    ] {
        assert_eq!(answers(&folder, "newer", text)[0].0, label);
    }
    folder.run("learn m more.tsv -o again --threads 1").good();
    assert_eq!(folder.read("again"), folder.read("newer"));
    folder.run("verify newer").good();
    // What has learned can learn on.
    let told = folder.run("learn newer train.tsv -o newest --json").json();
    assert_eq!(
        (&told["labels"], &told["new_labels"]),
        (&5.into(), &0.into())
    );
}

#[test]
fn labels_that_are_all_new_are_said_and_learned() {
    let folder = with_text_model();
    folder.write(
        "new.tsv",
        "the machine swallowed it\tswallowed\nthe machine is broken\tbroken\n",
    );
    folder.run("train ovr train.tsv -o linear").good();
    for model in ["m", "linear"] {
        let ran = folder.run(&format!("learn {model} new.tsv -o newer --json"));
        assert_eq!(
            ran.err,
            "note: new.tsv: none of its labels, 2, is among the model's 4: they are added; labels are the same only \
             if they are spelled alike, and the model has \"arrival\", the rows \"swallowed\"\n"
        );
        assert_eq!(ran.json()["new_labels"], 2);
    }
}

#[test]
fn rows_are_learned_as_they_are() {
    let folder = with_row_model();
    folder.write("more.txt", "2 4 4\n3 3:1\n0,3 0:1 3:0.5\n");
    let told = folder.run("learn m more.txt -o newer --json").json();
    assert_eq!(
        (&told["labels"], &told["new_labels"]),
        (&4.into(), &1.into())
    );
    let best = folder.run_on("predict newer", "3:1\n").json();
    assert_eq!(best["labels"][0]["id"], 3);
    folder
        .run("train ovr rows.txt -o linear --fuse centroid")
        .good();
    folder.run("learn linear more.txt -o newer").good();
    let best = folder.run_on("predict newer -k 1", "3:1\n").json();
    assert_eq!(best["labels"][0]["id"], 3);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let folder = with_text_model();
    folder.write("rows.txt", "1 4 4\n0 0:1\n");
    folder
        .run("learn m rows.txt -o x")
        .refused_for("holds rows of features, but the model was trained on texts");
    folder.write("empty.tsv", "?!\tlost\n");
    folder
        .run("learn m empty.tsv -o x")
        .refused_for("no row has both labels and features");
    for (algorithm, name) in [
        ("mach --buckets 2 --repetitions 2", "mach"),
        ("cs --multilabel replicate", "cs"),
    ] {
        folder
            .run(&format!("train {algorithm} train.tsv -o other"))
            .good();
        folder
            .run("learn other train.tsv -o x")
            .refused_for(&format!(
                "is a model of {name}, which cannot learn more rows"
            ));
        folder
            .run("forget other --row 1 -o x")
            .refused_for(&format!("is a model of {name}, which holds no rows"));
    }
    let rows = with_row_model();
    rows.write("texts.tsv", QUESTIONS);
    rows.run("learn m texts.tsv -o x")
        .refused_for("holds texts, but the model was trained on rows");
    rows.write("wide.txt", "1 9 3\n0 8:1\n");
    rows.run("learn m wide.txt -o x")
        .refused_for("has 9 features, but the model to start from has 4");
    assert!(!folder.files().contains(&"x".to_owned()));
}
