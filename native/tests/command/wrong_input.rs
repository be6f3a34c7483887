//! Wrong data: each kind is refused with the place, the rule and the value.

use super::folder::{Folder, finish, with_text_model};

/// Trains on a file with these contents, which must be refused.
#[track_caller]
fn refuses(contents: &str, options: &str, message: &str) {
    let folder = Folder::new();
    folder.write("data", contents);
    folder
        .run(&format!("train nearest data -o m --json {options}"))
        .refused(message);
    assert_eq!(folder.files(), ["data"], "nothing is written");
}

#[test]
fn a_missing_file() {
    let folder = Folder::new();
    for verb in [
        "train nearest absent -o m",
        "inspect absent",
        "verify absent",
        "predict absent",
        "evaluate absent x",
    ] {
        folder
            .run(verb)
            .refused("absent: cannot open: there is no such file");
    }
}

#[test]
fn a_text_where_a_file_is_expected() {
    let folder = with_text_model();
    let mut command = folder.command("predict m");
    let asked = finish(command.arg("two words").spawn().unwrap());
    asked.refused_for(
        "two words: cannot open: there is no such file; a text comes by standard input",
    );
}

#[test]
fn a_method_that_there_is_not() {
    let folder = Folder::new();
    folder.write("data", "0 0:1\n");
    for (arguments, error) in [
        (
            "train memoir data -o m",
            "error: unrecognized subcommand 'memoir'",
        ),
        // Two files are no method, whether they are there or not.
        (
            "train data data -o m",
            "error: unexpected argument 'data' found",
        ),
        (
            "train a.tsv data -o m",
            "error: unexpected argument 'data' found",
        ),
    ] {
        let output = folder.run(arguments);
        assert!(output.err.starts_with(error), "{output:?}");
        assert_eq!(output.status, Some(2));
    }
}

#[test]
fn a_file_too_many() {
    let folder = Folder::new();
    for name in ["a.tsv", "b.tsv"] {
        folder.write(name, "small animal\tmouse\n");
    }
    let ran = folder.run("train a.tsv b.tsv -o m");
    assert_eq!(ran.status, Some(2));
    assert_eq!(
        ran.err,
        "error: unexpected argument 'b.tsv' found\n\n  \
         tip: join files of one kind into one, with one header if they have any\n\n\
         Usage: hapax train [OPTIONS] --output <MODEL> <TRAIN>\n\n\
         For more information, try '--help'.\n"
    );
    let ran = folder.run("train a.tsv other -o m");
    assert!(!ran.err.contains("tip: join"), "{ran:?}");
}

#[test]
fn an_option_of_other_methods() {
    let folder = Folder::new();
    folder.write("a.tsv", "small animal\tmouse\n");
    for (given, tip) in [
        (
            "train a.tsv -o m --cost 1",
            "--cost is an option of ovr, cs, ww, llw: hapax train ovr --cost …",
        ),
        (
            "train a.tsv -o m --buckets=3",
            "--buckets is an option of mach: hapax train mach --buckets …",
        ),
        (
            "train cs a.tsv -o m --buckets 3",
            "--buckets is an option of mach: hapax train mach --buckets …",
        ),
    ] {
        let ran = folder.run(given);
        assert_eq!(ran.status, Some(2));
        assert!(ran.err.contains(&format!("\n  tip: {tip}\n")), "{ran:?}");
    }
    let ran = folder.run("train a.tsv -o m --bogus 3");
    assert!(!ran.err.contains("is an option of"), "{ran:?}");
    let ran = folder.run("train a.tsv -o m --set cost=1");
    ran.refused_for("without a method 'hapax train' has no such setting");
}

#[test]
fn an_empty_file() {
    for contents in ["", "\n\n  \n", "\u{feff}"] {
        refuses(
            contents,
            "",
            "data:1:1: the input is empty; at least one row is needed",
        );
    }
}

#[test]
fn a_label_that_is_not_a_number() {
    refuses(
        "1 2 2\ncat 0:1\n",
        "",
        "data:2:1: label `cat` is not a whole number",
    );
}

#[test]
fn an_index_that_is_not_a_number() {
    refuses(
        "1 2 2\n0 0:1 one:1\n",
        "",
        "data:2:7: feature index `one` is not a whole number",
    );
    refuses(
        "1 2 2\n0 0:1 word\n",
        "",
        "data:2:7: expected a feature as `index:value`, found `word`",
    );
}

#[test]
fn a_value_that_is_not_a_number() {
    refuses(
        "1 2 2\n0 0:1 1:x\n",
        "",
        "data:2:9: feature value `x` is not a number",
    );
}

#[test]
fn nan_and_infinity() {
    for value in ["nan", "NaN", "inf", "-inf", "1e39"] {
        refuses(
            &format!("1 2 2\n0 1:{value}\n"),
            "",
            &format!(
                "data:2:5: feature value {value} is not finite; values must lie within the range \
                 of f32"
            ),
        );
    }
}

#[test]
fn an_index_out_of_range() {
    refuses(
        "1 2 2\n0 0:1 2:1\n",
        "",
        "data:2:7: feature index 2 is not below the number of features in the header, 2",
    );
    refuses(
        "1 2 2\n2 0:1\n",
        "",
        "data:2:1: label 2 is not below the number of labels in the header, 2",
    );
    refuses(
        "1 99999999999 2\n0 0:1\n",
        "",
        "data:1:3: number of features 99999999999 is above the limit, 4294967294",
    );
}

#[test]
fn an_index_that_does_not_rise() {
    refuses(
        "1 9 2\n0 5:1 5:1\n",
        "",
        "data:2:7: feature index 5 follows 5; indices must rise",
    );
    refuses(
        "1 3:1 2:1\n",
        "--format svmlight",
        "data:1:7: feature index 2 follows 3; indices must rise",
    );
}

#[test]
fn a_header_that_disagrees_with_the_rows() {
    refuses(
        "3 2 2\n0 0:1\n",
        "",
        "data:1:1: the header declares 3 rows but 1 follow",
    );
    refuses(
        "1 2 2\n0 0:1\n1 0:1\n",
        "",
        "data:3:1: the header declares 1 rows but more follow",
    );
}

#[test]
fn text_without_a_tab_or_a_marker() {
    refuses(
        "a text\tlabel\nmore text\n",
        "--format tsv",
        "data:2:10: expected a tab between the text and its labels",
    );
    refuses(
        "__label__a text\nmore text\n",
        "--format fasttext",
        "data:2:1: expected at least one `__label__` in the line",
    );
}

#[test]
fn a_format_that_cannot_be_told() {
    refuses(
        "just some words\n",
        "",
        "data:1:1: the first lines are neither xmc (a header `rows features labels`), svmlight (`label index:value`), tsv (a text, a tab, labels) nor fasttext (`__label__name`, a text); name the format (of tables: --format csv or jsonl)",
    );
}

#[test]
fn text_that_is_not_utf8() {
    let folder = Folder::new();
    folder.write("data", b"caf\xe9\tplace\n");
    folder
        .run("train nearest data -o m")
        .refused("data:1:4: byte 0xe9 is not UTF-8; convert the input to UTF-8");
}

#[test]
fn text_that_yields_no_features() {
    refuses(
        "?!\tmark\n...\tmark\n",
        "",
        "data: none of the 0 different tokens of 2 texts passes the limits; lower the least \
         number of documents or raise the largest share",
    );
    refuses(
        "one\tmark\ntwo\tmark\n",
        "--min-documents 2",
        "data: none of the 2 different tokens of 2 texts passes the limits; lower the least \
         number of documents or raise the largest share",
    );
}

#[test]
fn rows_without_features_or_labels() {
    refuses("1 2 2\n0\n", "", "data: no training row has a feature");
    refuses("1 2 2\n 0:1\n", "", "data: no training row has a label");
}

#[test]
fn more_neighbors_than_rows() {
    refuses(
        "2 2 2\n0 0:1\n1 1:1\n",
        "--neighbors 3",
        "--neighbors is 3, but must be at most 2, the number of training rows",
    );
}

#[test]
fn a_model_where_data_are_expected() {
    let folder = super::folder::with_row_model();
    folder
        .run("train nearest m -o n")
        .refused("m: is a model, but data are expected here");
    folder
        .run("evaluate m m")
        .refused("m: is a model, but data are expected here");
}

#[test]
fn compressed_data_that_are_damaged() {
    let folder = Folder::new();
    folder.write("data.xz", b"\xfd7zXZ\0 and then something else");
    folder.write("data.gz", b"\x1f\x8b and then something else");
    folder.write("data.zst", b"\x28\xb5\x2f\xfd and then something else");
    for name in ["data.xz", "data.gz", "data.zst"] {
        let ran = folder.run(&format!("inspect {name} --json"));
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:?}");
        assert!(
            ran.err
                .starts_with(&format!("hapax: {name}: cannot read: ")),
            "{ran:?}"
        );
    }
}

#[test]
fn data_are_not_overwritten_by_the_model_made_of_them() {
    let folder = Folder::new();
    folder.write("train.tsv", super::folder::QUESTIONS);
    folder.write("test.tsv", super::folder::QUESTIONS);
    folder.write("m", "an older file");
    for (output, input) in [("train.tsv", ""), ("./test.tsv", "--test test.tsv")] {
        folder
            .run(&format!("train nearest train.tsv {input} -o {output}"))
            .refused(&format!(
                "{output}: cannot write: the data are read from it; name another file for the output"
            ));
    }
    for name in ["train.tsv", "test.tsv"] {
        assert_eq!(folder.read(name), super::folder::QUESTIONS.as_bytes());
    }
    folder.run("train nearest train.tsv -o m").good();
    folder
        .run("train ovr train.tsv -o m --min-documents 1")
        .good();
    folder.run("train ovr train.tsv -o m --from m").good();
}
