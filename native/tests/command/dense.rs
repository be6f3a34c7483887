//! Dense rows from `.npy` files, and training in few dimensions.

use super::folder::{Folder, ROWS};

/// A `.npy` file of 32-bit floats.
pub fn npy(rows: &[&[f32]]) -> Vec<u8> {
    let (n, d) = (rows.len(), rows[0].len());
    array(
        "<f4",
        &format!("({n}, {d})"),
        &rows
            .concat()
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<_>>(),
    )
}

fn array(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(data);
    bytes
}

/// Eight rows of two classes, and as text the same.
fn folder() -> Folder {
    let folder = Folder::new();
    let rows: [&[f32]; 8] = [
        &[1.0, 0.5, 0.0, 0.1],
        &[0.9, 0.6, 0.1, 0.0],
        &[0.8, 0.4, 0.0, 0.0],
        &[1.0, 0.7, 0.2, 0.1],
        &[0.0, 0.1, 1.0, 0.5],
        &[0.1, 0.0, 0.9, 0.4],
        &[0.0, 0.0, 0.8, 0.6],
        &[0.2, 0.1, 1.0, 0.7],
    ];
    folder.write("x.npy", npy(&rows));
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        text.push_str(if at < 4 { "7" } else { "30" });
        for (feature, value) in row.iter().enumerate() {
            text.push_str(&format!(" {feature}:{value}"));
        }
        text.push('\n');
    }
    folder.write("x.svm", text);
    let numbers = [7i64, 7, 7, 7, 30, 30, 30, 30]
        .map(i64::to_le_bytes)
        .concat();
    folder.write("y.npy", array("<i8", "(8,)", &numbers));
    folder.write("y.txt", "7\n7\n7\n7\n30\n30\n30\n30\n");
    folder
}

/// Two labels that the first number tells; the second is large and tells nothing.
fn unlike(count: usize) -> (Vec<u8>, String) {
    let noise = |row: usize| (row * 7919 % 1000) as f32;
    let rows: Vec<[f32; 2]> = (0..count)
        .map(|row| {
            [
                10.0 + 4.0 * (row % 2) as f32 + noise(row) / 1000.0,
                noise(row + 3),
            ]
        })
        .collect();
    let rows: Vec<&[f32]> = rows.iter().map(|row| &row[..]).collect();
    let labels: Vec<&str> = (0..count).map(|row| ["low\n", "high\n"][row % 2]).collect();
    (npy(&rows), labels.concat())
}

#[test]
fn lines_of_labels_are_cut_as_asked_and_commas_are_told() {
    let folder = Folder::new();
    let (rows, _) = unlike(60);
    folder.write("x.npy", rows);
    let lines: Vec<&str> = (0..60)
        .map(|row| match row {
            7 => "a,b\n",
            11 => "b,c\n",
            13 => "c,a\n",
            _ => ["a\n", "b\n", "c\n"][row % 3],
        })
        .collect();
    folder.write("y.txt", lines.concat());
    let ran = folder.run("train nearest x.npy --labels y.txt -o model");
    let told = "many hold ','; if it separates labels, say --label-separator ','";
    assert!(ran.err.contains(told), "{:?}", ran.err);
    let ran = folder.run("train nearest x.npy --labels y.txt --label-separator , -o model");
    assert!(!ran.err.contains("separator"), "{:?}", ran.err);
    let facts = folder.run("inspect model --json").json();
    assert_eq!(facts["l"], 3, "{facts}");
    let numbers: Vec<u8> = (0..60i64).flat_map(|row| (row % 3).to_le_bytes()).collect();
    folder.write("y.npy", array("<i8", "(60,)", &numbers));
    folder
        .run("train nearest x.npy --labels y.npy --label-separator , -o model")
        .refused_for("y.npy: is a .npy file, where nothing separates labels");
}

#[test]
fn features_of_unlike_scale_are_standardized_where_no_method_is_named() {
    let folder = Folder::new();
    let (rows, labels) = unlike(300);
    folder.write("x.npy", rows);
    folder.write("y.txt", labels);
    let trained = folder.run("train x.npy --labels y.txt -o model").good();
    assert!(
        trained.contains("features standardized: P@1 of"),
        "{trained:?}"
    );
    let facts = folder.run("inspect model").good();
    assert!(
        facts.contains("rows of features, standardized"),
        "{facts:?}"
    );
    let evaluated = folder
        .run("evaluate model x.npy --labels y.txt --json")
        .json();
    assert!(
        evaluated["precision"]["1"].as_f64() > Some(0.98),
        "{evaluated}"
    );
    folder
        .run("train ovr x.npy --labels y.txt -o plain --from model")
        .refused_for("features that are standardized or weighed");
    folder
        .run("learn model x.npy --labels y.txt -o more")
        .good();
    let learned = folder
        .run("evaluate more x.npy --labels y.txt --json")
        .json();
    assert!(learned["precision"]["1"].as_f64() > Some(0.98), "{learned}");
    // Rows too few to hold some out are standardized, too.
    let (rows, labels) = unlike(60);
    folder.write("x60.npy", rows);
    folder.write("y60.txt", labels);
    let trained = folder.run("train x60.npy --labels y60.txt -o few").good();
    assert!(
        trained.contains("features standardized: rows are too few"),
        "{trained:?}"
    );
    let evaluated = folder
        .run("evaluate few x.npy --labels y.txt --json")
        .json();
    assert!(
        evaluated["precision"]["1"].as_f64() > Some(0.95),
        "{evaluated}"
    );
    // A method that is named takes rows as they are.
    folder.run("train ovr x.npy --labels y.txt -o plain").good();
    let facts = folder.run("inspect plain").good();
    assert!(facts.contains("none: rows of features\n"), "{facts:?}");
}

#[test]
fn npy_files_give_the_model_of_the_same_rows_as_text() {
    let folder = folder();
    folder.run("train wsabie-pp x.svm -o text").good();
    for labels in ["y.npy", "y.txt"] {
        let trained = folder
            .run(&format!(
                "train wsabie-pp x.npy --labels {labels} -o dense --test x.npy --test-labels {labels} --json"
            ))
            .json();
        assert_eq!(trained["test"]["precision"]["1"], 1.0, "{trained}");
        assert_eq!(folder.read("dense"), folder.read("text"));
    }
    let evaluated = folder
        .run("evaluate dense x.npy --labels y.npy --json")
        .json();
    assert_eq!(
        (&evaluated["n"], &evaluated["accuracy"]),
        (&8.into(), &1.0.into())
    );
    let answers = folder.run("predict dense x.npy -k 1 --output json").good();
    assert_eq!(
        answers,
        folder.run("predict dense x.svm -k 1 --output json").good()
    );
    assert_eq!(
        answers
            .lines()
            .filter(|line| line.contains("\"30\""))
            .count(),
        4
    );
    let facts = folder.run("inspect x.npy --labels y.txt --json").json();
    assert_eq!(
        (&facts["n"], &facts["d"], &facts["l"]),
        (&8.into(), &4.into(), &2.into())
    );
    // Other methods take dense rows as well.
    for algorithm in ["ovr", "memoir-l2", "nearest-mean"] {
        folder
            .run(&format!("train {algorithm} x.npy --labels y.npy -o other"))
            .good();
    }
}

#[test]
fn wrong_npy_files_are_refused_with_row_and_column() {
    let folder = folder();
    folder.write("nan.npy", npy(&[&[1.0, 2.0], &[3.0, f32::NAN]]));
    folder.write("short.npy", &npy(&[&[1.0, 2.0]])[..70]);
    folder.write("three.txt", "1\n2\n3\n");
    folder.write("rows.txt", ROWS);
    for (command, message) in [
        (
            "train wsabie nan.npy --labels y.txt -o m",
            "nan.npy: row 2, column 2: the value NaN is not finite in 32 bits",
        ),
        (
            "train wsabie x.npy --labels three.txt -o m",
            "three.txt: has the labels of 3 rows, but x.npy has 8 rows",
        ),
        (
            "train wsabie x.npy -o m",
            "x.npy: holds rows without labels",
        ),
        (
            "train wsabie x.npy --labels x.npy -o m",
            "x.npy: row 1, column 2: labels of two dimensions are 0 or 1, not 0.5",
        ),
        (
            "train wsabie rows.txt --labels y.txt -o m",
            "rows.txt: is read as xmc, whose lines hold their own labels; leave out --labels y.txt",
        ),
        (
            "train wsabie short.npy --labels y.txt -o m",
            "short.npy: has ",
        ),
    ] {
        folder.run(command).refused_for(message);
    }
    folder
        .run("train wsabie-pp x.npy --labels y.npy -o m")
        .good();
    folder
        .run("evaluate m x.npy")
        .refused_for("x.npy: holds rows without labels");
    folder
        .run("predict m nan.npy")
        .refused_for("row 2, column 2");
}

#[test]
fn models_made_in_few_dimensions_take_rows_as_they_are() {
    let folder = folder();
    for algorithm in ["wsabie", "wsabie-pp", "ova-sgd", "auc", "nearest-mean"] {
        let ran = folder.run(&format!("train {algorithm} x.svm --reduce 2 -o m --json"));
        assert!(
            ran.err.contains("reducing rows to 2 dimensions"),
            "{}",
            ran.err
        );
        ran.json();
        let line = folder.run("evaluate m x.svm --json").json();
        assert_eq!(line["accuracy"], 1.0, "{algorithm}: {line}");
        let facts = folder.run("inspect m --json").json();
        assert_eq!(facts["reported"]["reduced to"], 2.0);
        assert_eq!(facts["facts"]["embedding"], "yes");
    }
    folder
        .run("train wsabie x.svm --reduce 9 -o n")
        .refused_for("--reduce is 9, but must be at most 4, the number of features");
    folder
        .run("train wsabie x.svm --reduce 0 -o n")
        .refused("--reduce is 0, but must be at least 1");
}

#[test]
fn a_neighborhood_is_drawn() {
    let folder = Folder::new();
    let lines: String = (0..12)
        .map(|at| format!("word{at} word{} both\tlabel<{at}>\n", at / 3))
        .collect();
    folder.write("train.tsv", lines);
    folder
        .run("train wsabie-pp train.tsv -o m --min-documents 1")
        .good();
    folder
        .run("inspect m --neighbors label<4> --svg picture.svg")
        .good();
    let picture = String::from_utf8(folder.read("picture.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert_eq!(picture.matches("<circle").count(), 11);
    assert!(picture.contains("font-weight=\"bold\">label&lt;4&gt;</text>"));
    // Every number is one: nothing of a degenerate picture is left.
    assert!(!picture.contains("NaN") && !picture.contains("inf"));
    let ran = folder.run("inspect m --svg picture.svg");
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("--neighbors <LABEL>"), "{}", ran.err);
}
