//! Tables of other shapes: JSON arrays, objects within objects, labels in several columns, labels
//! before texts.

use super::folder::{Folder, QUESTIONS};

const TABLE: &str = "\
text,first,second
where is my new card,arrival,
my card has not arrived yet,arrival,
my card is lost or stolen,lost,stolen
i lost my card on the train,lost,
somebody stole my card,stolen,
";
const OPTIONS: &str = "--min-documents 1 --neighbors 3";

/// The text and labels of each row of [`TABLE`].
fn rows() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    TABLE.lines().skip(1).map(|line| {
        let mut fields = line.split(',');
        let text = fields.next().unwrap();
        (text, fields.filter(|label| !label.is_empty()).collect())
    })
}

/// A folder with the model `m` of [`TABLE`].
fn with_model() -> Folder {
    let folder = Folder::new();
    folder.write("table.csv", TABLE);
    folder
        .run(&format!(
            "train nearest table.csv -o m --text text --labels first,second {OPTIONS}"
        ))
        .good();
    folder
}

fn is_same(folder: &Folder, file: &str, options: &str) {
    folder
        .run(&format!(
            "train nearest {file} -o other {options} {OPTIONS}"
        ))
        .good();
    assert_eq!(folder.trained_on("other"), folder.trained_on("m"), "{file}");
}

#[test]
fn arrays_and_nested_objects_are_the_same_data() {
    let folder = with_model();
    let object = |(text, labels): (&str, Vec<&str>)| {
        serde_json::json!({"meta": {"labels": labels}, "text": text}).to_string()
    };
    let objects: Vec<String> = rows().map(object).collect();
    let named = "--text text --labels meta.labels";
    for (file, data) in [
        ("lines.jsonl", objects.join("\n")),
        ("array.json", format!("[{}]", objects.join(","))),
        ("array", format!("[\n  {}\n]\n", objects.join(",\n\n  "))),
    ] {
        folder.write(file, data);
        is_same(&folder, file, named);
    }
    // Rows of an array are answered in their lines, and what is wrong there has its place.
    folder.write("asked", "[\n{\"text\": \"my card\"},\n{\"text\": {}}\n]\n");
    let ran = folder.run("predict m asked -k 1 --output jsonl");
    assert_eq!(ran.status, Some(3));
    assert!(ran.out.contains("\"line\":2"), "{}", ran.out);
    assert!(
        ran.out.contains("3:1: \\\"text\\\" is an object"),
        "{}",
        ran.out
    );
    folder.write("cut.json", "[\n{\"text\": \"a\", \"labels\": \"b\"},\n");
    folder
        .run("train nearest cut.json -o other")
        .refused_for("cut.json:3:1: the line is no JSON: EOF while parsing a list");
}

#[test]
fn columns_of_0_and_1_are_labels() {
    let folder = with_model();
    let names = ["arrival", "lost", "stolen"];
    let row = |(text, labels): (&str, Vec<&str>)| {
        let marks = names.map(|name| u8::from(labels.contains(&name)).to_string());
        format!("{text},{}\n", marks.join(","))
    };
    let marked: String = rows().map(row).collect();
    let marked = format!("text,{}\n{marked}", names.join(","));
    folder.write("marked.csv", &marked);
    is_same(&folder, "marked.csv", "--labels arrival,lost,stolen");
    // The model remembers that they are: 0 and 1 would be labels that it has not seen.
    folder.write(
        "test.csv",
        "text,arrival,lost,stolen\nmy card,0,0,0\na train,0,1,0\n",
    );
    let figures = folder.run("evaluate other test.csv --json").json();
    assert_eq!(
        (&figures["n"], &figures["labels_unseen"]),
        (&2.into(), &0.into())
    );
    folder.write("unclear.csv", marked.replace("text,", "comment,"));
    folder
        .run("train nearest unclear.csv -o other")
        .refused_for("say --text comment --labels arrival,lost,stolen");
}

#[test]
fn lines_of_text_are_asked_of_a_model_whose_labels_came_first() {
    let folder = Folder::new();
    let labels_first: String = QUESTIONS
        .lines()
        .filter_map(|row| row.split_once('\t'))
        .map(|(text, labels)| format!("{labels},{text}\n"))
        .collect();
    folder.write("a.csv", labels_first);
    folder
        .run(&format!(
            "train nearest a.csv --columns labels,text -o m {OPTIONS}"
        ))
        .good();
    let told = folder.run_on(
        "predict m -k 1 --output csv",
        "i lost my card on the train\n",
    );
    let told = told.good();
    assert!(told.contains(",lost,"), "{told}");
    // What is judged must have both.
    folder.write("one.csv", "lost card\n");
    let refused = folder.run("evaluate m one.csv");
    assert!(
        refused.err.contains("there is no column \"2\""),
        "{refused:?}"
    );
}
