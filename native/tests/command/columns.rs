//! Which columns of tab-separated data are read, and what separates labels.

use super::folder::{Folder, QUESTIONS};
use serde_json::Value;

/// [`QUESTIONS`] with other columns and another separator: `line` gets the number, the text and the
/// labels.
fn questions(line: impl Fn(usize, &str, &str) -> String) -> String {
    let rows = QUESTIONS.lines().filter_map(|row| row.split_once('\t'));
    let rows = rows.enumerate();
    rows.map(|(at, (text, labels))| line(at, text, labels) + "\n")
        .collect()
}

const OPTIONS: &str = "--min-documents 1 --neighbors 3";

#[test]
fn more_than_two_columns_are_refused_with_the_option_to_give() {
    let folder = Folder::new();
    folder.write("two.tsv", QUESTIONS);
    folder.write(
        "id.tsv",
        questions(|at, text, labels| format!("q{at}\t{text}\t{labels}")),
    );
    folder.write(
        "dates.tsv",
        questions(|_, text, labels| format!("{text}\t{labels}\tMay\t2")),
    );
    folder.write("late.tsv", format!("{QUESTIONS}my card\tlost\tsince May\n"));
    folder.write(
        "blank.tsv",
        questions(|_, text, labels| format!("{text}\t{labels}\t \t")),
    );
    folder
        .run(&format!("train nearest two.tsv -o m {OPTIONS}"))
        .good();
    let named = "name all columns in the file's order, such as --columns";
    let three = format!(
        "the line has 3 columns, but only 2 are named (text,labels); {named} id,text,labels, or --columns \
         text,labels,- to ignore the third"
    );
    for command in [
        "train nearest FILE -o other",
        "train nearest two.tsv -o other --test FILE",
        "evaluate m FILE",
        "inspect FILE",
    ] {
        let run = |file: &str| folder.run(&command.replace("FILE", file));
        let told = |message: String| {
            let ran = run(message.split(':').next().unwrap());
            assert_eq!(ran.status, Some(2), "{ran:?}");
            assert_eq!(
                ran.err.lines().next_back(),
                Some(&*format!("hapax: {message}"))
            );
        };
        told(format!("id.tsv:1:25: {three}"));
        told(format!("late.tsv:9:14: {three}"));
        told(format!(
            "dates.tsv:1:30: the line has 4 columns, but only 2 are named (text,labels); {named} text,labels,-,- to \
             ignore the others"
        ));
        run("blank.tsv").good();
    }
    folder
        .run("predict m id.tsv")
        .refused(&format!("id.tsv:1:25: {three}"));
}

#[test]
fn columns_beyond_those_named_are_ignored_with_a_warning() {
    let folder = Folder::new();
    folder.write("two.tsv", QUESTIONS);
    folder
        .run(&format!("train nearest two.tsv -o m {OPTIONS}"))
        .good();
    let comma = |labels: &str| labels.replace(' ', ",");
    for (columns, count, file) in [
        (
            "labels,text",
            2,
            questions(|at, text, labels| format!("{}\t{text}\tq{at}", comma(labels))),
        ),
        (
            "text,labels",
            2,
            questions(|_, text, labels| format!("{text}\t{labels}\t\tMay\t2")),
        ),
        (
            "id,text,labels",
            3,
            questions(|at, text, labels| format!("{at}\t{text}\t{labels}\tMay")),
        ),
    ] {
        folder.write("data.tsv", file);
        let run = |command: &str, on: &str| {
            let bare = folder.run(&command.replace("FILE", "two.tsv"));
            let ran = folder.run(&format!(
                "{} --columns {columns}",
                command.replace("FILE", on)
            ));
            let warning =
                format!("hapax: warning: {on}: only the first {count} columns are read\n");
            assert_eq!(ran.err, warning, "{command} --columns {columns}");
            (bare.good(), ran.good())
        };
        run(
            &format!("train nearest FILE -o other --format tsv {OPTIONS}"),
            "data.tsv",
        );
        assert_eq!(
            folder.trained_on("other"),
            folder.trained_on("m"),
            "{columns}"
        );
        let (bare, ran) = run("predict m FILE", "data.tsv");
        assert_eq!(bare, ran, "{columns}");
        let (bare, ran) = run("inspect FILE --format tsv --json", "data.tsv");
        assert_eq!(bare, ran, "{columns}");
        run("evaluate m FILE", "data.tsv");
        let all = format!(
            "{columns},-{}",
            if columns == "text,labels" { ",-,-" } else { "" }
        );
        let ran = folder.run(&format!("inspect data.tsv --columns {all}"));
        assert_eq!(ran.err, "", "all named");
        ran.good();
    }
    // Other suspicions stay.
    folder.write(
        "data.tsv",
        questions(|_, text, labels| format!("{}\t{text}\tMay", comma(labels))),
    );
    assert_eq!(
        folder
            .run("inspect data.tsv --columns text,labels --label-separator space")
            .err,
        "hapax: warning: data.tsv: only the first 2 columns are read\n\
         hapax: warning: data.tsv: read as text, then labels, but the columns look as if they were the other way round; \
         if so, say --columns labels,text\n"
    );
}

#[test]
fn named_columns_are_read_by_every_verb() {
    let folder = Folder::new();
    folder.write("two.tsv", QUESTIONS);
    folder
        .run(&format!("train nearest two.tsv -o m {OPTIONS}"))
        .good();
    let judged = folder.run("evaluate m two.tsv --json").json();
    let answers = folder.run("predict m two.tsv").good();
    let inspected = folder.run("inspect two.tsv --json").json();
    let comma = |labels: &str| labels.replace(' ', ",");
    for (columns, file) in [
        (
            "id,text,labels",
            questions(|at, text, labels| format!("{at}\t{text}\t{labels}")),
        ),
        (
            "labels,id,text",
            questions(|at, text, labels| format!("{}\tq{at}\t{text}", comma(labels))),
        ),
        (
            "-,labels,-,text",
            questions(|at, text, labels| format!("{at}\t{}\tx y\t{text}", comma(labels))),
        ),
        (
            "text,labels,date",
            questions(|_, text, labels| format!("{text}\t{labels}\tMay")),
        ),
    ] {
        folder.write("data.tsv", file);
        let run =
            |command: &str| folder.run(&format!("{command} --format tsv --columns {columns}"));
        let ran = run(&format!(
            "train nearest data.tsv -o other --test data.tsv {OPTIONS}"
        ));
        assert_eq!(ran.err, "", "{columns}");
        ran.good();
        assert_eq!(
            folder.trained_on("other"),
            folder.trained_on("m"),
            "{columns}"
        );
        let precision = |judged: &Value| judged["precision"].clone();
        let ran = run("evaluate m data.tsv --json").json();
        assert_eq!(precision(&ran), precision(&judged));
        assert_eq!(run("predict m data.tsv").good(), answers);
        assert_eq!(run("inspect data.tsv --json").json(), inspected);
    }
    // A line without a tab is a text, whatever the columns.
    let answer = folder.run_on(
        "predict m --columns id,text,labels -k 1",
        "my card is lost\n",
    );
    assert_eq!(answer.json()["labels"][0]["name"], "lost");
}

#[test]
fn names_that_are_no_columns_and_lines_without_them_are_refused() {
    let folder = Folder::new();
    folder.write("two.tsv", QUESTIONS);
    folder
        .run("inspect two.tsv --columns id,text,labels")
        .refused("two.tsv:1:29: expected labels in column 3, but the line has 2 columns");
    for (columns, rule) in [
        (
            "id,text,label",
            "no column is named `labels`; name all columns in the file's order, `text` and `labels` \
                           among them, such as id,text,labels; where the first line names the columns, say --text and \
                           --labels",
        ),
        (
            "text,text,labels",
            "two columns are named `text`; call a column to ignore `-`",
        ),
        (
            "text,,labels",
            "column 2 has no name; call a column to ignore `-`",
        ),
    ] {
        let ran = folder.run(&format!("inspect two.tsv --columns {columns}"));
        assert_eq!((ran.status, &*ran.out), (Some(2), ""));
        let message = format!("error: invalid value '{columns}' for '--columns <NAMES>': {rule}\n");
        assert!(ran.err.starts_with(&message), "{}", ran.err);
    }
}

#[test]
fn labels_are_separated_as_is_said() {
    let folder = Folder::new();
    folder.write(
        "data.tsv",
        "a card\tWorld War, 1914-1918; lost\nno card\tlost\n",
    );
    let labels = |options: &str| {
        folder
            .run(&format!("inspect data.tsv --json {options}"))
            .json()["l"]
            .clone()
    };
    assert_eq!(labels("--label-separator ;"), 2);
    assert_eq!(labels("--label-separator none"), 2);
    assert_eq!(labels("--label-separator ,"), 3);
    assert_eq!(labels("--label-separator space"), 4);
    assert_eq!(labels(""), 4);
    // The separator of the other order, and those of a third column.
    folder.write("data.tsv", "lost stolen\ta card\tb\nlost\tno card\td\n");
    assert_eq!(labels("--columns labels,text,- --label-separator space"), 2);
    assert_eq!(labels("--columns labels,text,-"), 2);
    folder
        .run("train ovr data.tsv -o m --columns labels,text,- --label-separator none")
        .good();
    let answer = folder.run_on("predict m -k 1", "a card\n");
    assert_eq!(answer.json()["labels"][0]["name"], "lost stolen");
    folder.write("data.tsv", "a\tb; ;c\n");
    folder
        .run("inspect data.tsv --label-separator ;")
        .refused("data.tsv:1:6: a label is empty");
    folder.write("rows.txt", super::folder::ROWS);
    folder.run("inspect rows.txt --label-separator ;").refused(
        "rows.txt: is read as xmc, where labels are always separated alike; --label-separator ';' is for tables: \
         leave it out, or say --format tsv",
    );
    let ran = folder.run("inspect data.tsv --label-separator comma");
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.err.starts_with(
            "error: invalid value 'comma' for '--label-separator <SEP>': `comma` is a word; give the character itself, \
             such as `;`, or `space` or `none`\n"
        ),
        "{}",
        ran.err
    );
}

#[test]
fn another_separator_is_suspected_and_named() {
    let folder = Folder::new();
    let by = |separator: &str| {
        questions(|_, text, labels| {
            format!("{text}\t{}{separator}new", labels.replace(' ', separator))
        })
    };
    let swapped = |separator: &str| {
        questions(|_, text, labels| {
            format!("{}{separator}new\t{text}", labels.replace(' ', separator))
        })
    };
    let phrases = questions(|_, text, labels| {
        let label = if labels.starts_with("lost") {
            "Lost card"
        } else {
            "Card arrival"
        };
        format!("{text}\t{label}")
    });
    let many = |by: &str, other: &str| {
        format!(
            "hapax: warning: data.tsv: labels are read as separated by {by}, but many hold '{other}'; if it separates \
             labels, say --label-separator '{other}'\n"
        )
    };
    for (file, columns, warning, option) in [
        (by(";"), "text,labels", many("spaces", ";"), ";"),
        (by(" | "), "text,labels", many("spaces", "|"), "|"),
        (by(","), "text,labels", many("spaces", ","), ","),
        (swapped(";"), "labels,text", many("commas", ";"), ";"),
        (
            phrases,
            "text,labels",
            "hapax: warning: data.tsv: labels are read as separated by spaces, but nearly always stand together, as do \
             those of \"Card arrival\"; if each row has one label of several words, say --label-separator none\n"
                .into(),
            "none",
        ),
    ] {
        folder.write("data.tsv", file);
        let run = |rest: &str| folder.run(&format!("inspect data.tsv --columns {columns} {rest}"));
        assert_eq!(run("").err, warning);
        let ran = run(&format!("--label-separator {option}"));
        assert_eq!(ran.err, "", "said, so not suspected");
        ran.good();
    }
    for file in [QUESTIONS.to_string(), by(" ")] {
        folder.write("data.tsv", file);
        assert_eq!(folder.run("inspect data.tsv").err, "");
    }
}

#[test]
fn a_few_labels_that_are_others_joined_are_told() {
    let folder = Folder::new();
    let mut lines: String = (0..300)
        .map(|row| format!("card {row}\tlabel{}\n", row % 20))
        .collect();
    for (first, second) in [(1, 2), (3, 4), (5, 19)] {
        lines += &format!("two cards\tlabel{first},label{second}\n");
    }
    folder.write("data.tsv", &lines);
    let warning = "hapax: warning: data.tsv: labels are read as separated by spaces, but 3 labels are others joined by \
                   ','; if it separates labels, say --label-separator ','\n";
    let ran = folder.run("train nearest data.tsv -o m");
    assert_eq!(
        (ran.status, ran.err.starts_with(warning)),
        (Some(0), true),
        "{}",
        ran.err
    );
    assert_eq!(folder.run("inspect data.tsv --label-separator ,").err, "");
}

#[test]
fn labels_before_texts_are_suspected_in_csv_too() {
    let folder = Folder::new();
    folder.write(
        "a.csv",
        "tree,an oak in a park\ntree,an ash in a wood\nanimal,a mouse in a house\n",
    );
    let warned = |options: &str| {
        let ran = folder.run(&format!("inspect a.csv {options}"));
        let warnings = ran.err.lines().filter(|line| line.contains("warning"));
        warnings.map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(
        warned(""),
        [
            "hapax: warning: a.csv: read as text, then labels, but the columns look as if they were the other way round; \
             if so, say --columns labels,text"
        ]
    );
    for said in [
        "--columns labels,text",
        "--columns text,labels",
        "--text 1 --labels 2",
    ] {
        assert_eq!(warned(said), [""; 0], "{said}");
    }
}
