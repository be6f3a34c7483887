//! `hapax compact`, `--max-bytes` and `--tune`.

use super::folder::{Folder, ROWS, Ran};
use std::fmt::Write;

/// Texts enough for a smaller model to be worth it: each label has words of its own.
fn many_texts() -> Folder {
    let mut lines = String::new();
    for row in 0..600 {
        let label = row % 20;
        let (own, other) = (row % 40, (row * 7) % 31);
        writeln!(
            lines,
            "about topic{label} with own{own} and common{other} words\tlabel{label}"
        )
        .unwrap();
    }
    let folder = Folder::new();
    folder.write("train.tsv", lines);
    folder
}

#[test]
fn a_model_is_fitted_into_its_budget() {
    let folder = many_texts();
    folder.run("train nearest train.tsv -o m").good();
    let budget = folder.read("m").len() * 3 / 4;
    let out = folder
        .run(&format!("compact m -o small --max-bytes {budget}"))
        .good();
    assert!(
        out.contains("chosen") && out.contains("wrote small, "),
        "{out}"
    );
    assert!(folder.read("small").len() <= budget);
    folder.run("verify small").good();
    let line = folder.run("evaluate small train.tsv -k 1 --json").json();
    assert!(line["precision"]["1"].as_f64() > Some(0.9), "{line}");
    let line = folder
        .run(&format!(
            "compact m -o again --max-bytes {budget} --json --threads 3"
        ))
        .json();
    assert_eq!(line["model_bytes"], folder.read("small").len());
    assert_eq!(folder.read("again"), folder.read("small"));
    let line = folder
        .run(&format!(
            "train nearest train.tsv -o direct --max-bytes {budget} --json"
        ))
        .json();
    assert_eq!(line["model_bytes"], folder.read("direct").len());
    assert!(folder.read("direct").len() <= budget);
}

#[test]
fn the_smallest_file_that_a_refusal_names_can_be_made_and_none_below() {
    let folder = many_texts();
    for method in ["nearest", "ovr", "mach", "nearest-mean"] {
        folder
            .run(&format!("train {method} train.tsv -o m --threads 1"))
            .good();
        let compact = |most: usize| folder.run(&format!("compact m -o small --max-bytes {most}"));
        let refused = compact(10).err;
        let (_, told) = refused.trim().rsplit_once(' ').unwrap();
        let smallest: usize = told.parse().unwrap();
        assert!(smallest <= folder.read("m").len(), "{method}: {refused}");
        compact(smallest).good();
        assert_eq!(folder.read("small").len(), smallest, "{method}");
        folder.run("verify small").good();
        assert_eq!(
            compact(smallest - 1)
                .err
                .trim()
                .replace(&(smallest - 1).to_string(), "10"),
            refused.trim()
        );
        let between = smallest.midpoint(folder.read("m").len());
        compact(between).good();
        assert!(folder.read("small").len() <= between, "{method}");
    }
}

#[test]
fn the_smallest_file_that_training_names_can_be_trained_and_none_below() {
    let folder = many_texts();
    folder.write("rows.txt", ROWS);
    for train in [
        "train.tsv --max-features 1000 --threads 1",
        "train.tsv --max-features 1000 --rerank 0 --threads 1",
        "rows.txt --buckets 2 --repetitions 4",
    ] {
        let train = |most: usize| {
            folder.run(&format!(
                "train mach {train} -o small --max-bytes {most} --epochs 2"
            ))
        };
        let named = |refused: Ran| {
            assert_eq!(refused.status, Some(2), "{refused:?}");
            let last = refused.err.lines().next_back().unwrap();
            let (_, told) = last.rsplit_once("the smallest takes ").unwrap();
            told.split(' ').next().unwrap().parse::<usize>().unwrap()
        };
        let smallest = named(train(10));
        assert_eq!(named(train(smallest - 1)), smallest);
        assert!(!folder.files().contains(&"small".into()));
        train(smallest).good();
        assert_eq!(folder.read("small").len(), smallest);
        folder.run("verify small").good();
        for more in [100, 2100] {
            train(smallest + more).good();
            assert!(folder.read("small").len() <= smallest + more, "{more}");
        }
        std::fs::remove_file(folder.path("small")).unwrap();
    }
}

#[test]
fn the_vocabulary_gets_smaller_with_the_budget() {
    let folder = many_texts();
    let text = |id: usize| format!("word{id} term{id}\tlabel{}\n", id % 7);
    folder.write("many.tsv", (0..900).map(text).collect::<String>());
    let train = "train ovr many.tsv -o small --words 1 --characters 0 --min-documents 1";
    let train = |more: &str| folder.run(&format!("{train} --max-bytes 20kB {more}"));
    train("").good();
    assert!(folder.read("small").len() <= 20_000);
    let told = folder.run("inspect small --json").json();
    assert_eq!(told["d"], 500);
    let all = "train nearest many.tsv -o all --words 1 --min-documents 1 --max-features 1800";
    let all = folder.run(&format!("{all} --max-bytes 10kB"));
    assert_eq!(all.status, Some(2), "{all:?}");
    let named = "--max-features below 1800 makes its vocabulary smaller";
    assert!(all.err.contains(named), "{all:?}");
}

#[test]
fn a_budget_that_no_linear_model_meets_is_refused_and_nothing_is_written() {
    let folder = many_texts();
    let Ran { status, out, err } = folder.run("train ovr train.tsv -o small --max-bytes 100");
    assert_eq!((status, out.as_str()), (Some(2), ""), "{err}");
    let last = err.lines().last().unwrap();
    assert!(last.contains("100"), "{err}");
    assert_eq!(folder.files(), ["train.tsv"]);
}

#[test]
fn a_budget_that_is_too_small_is_refused_and_nothing_is_written() {
    let folder = many_texts();
    folder.run("train nearest train.tsv -o m").good();
    for command in [
        "compact m -o small --max-bytes 100",
        "train nearest train.tsv -o small --max-bytes 100",
    ] {
        let Ran { status, out, err } = folder.run(command);
        assert_eq!((status, out.as_str()), (Some(2), ""), "{command}: {err}");
        assert!(err.contains("100") && err.lines().count() == 1, "{err}");
    }
    assert_eq!(folder.files(), ["m", "train.tsv"]);
    let ran = folder.run("compact m -o small --max-bytes lots");
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("'lots' is no"), "{ran:?}");
}

#[test]
fn the_folder_of_the_smaller_model_must_be_there() {
    let folder = many_texts();
    folder.run("train nearest train.tsv -o m").good();
    folder
        .run("compact m -o absent/small --max-bytes 1MB")
        .refused("absent/small: cannot write: there is no such folder");
}

#[test]
fn tuning_says_what_it_chose_and_the_seed_decides_the_rest() {
    let folder = many_texts();
    let line = folder
        .run("train nearest train.tsv -o a --tune --seed 5 --threads 1 --json")
        .json();
    for key in ["neighbors", "alpha", "beta", "exponent"] {
        assert!(line["parameters"][key].is_number(), "{line}");
    }
    assert!(line["held_out"].as_u64() > Some(0), "{line}");
    assert_eq!(line["seed"], 5);
    folder
        .run("train nearest train.tsv -o b --tune --seed 5 --threads 3 --json")
        .json();
    assert_eq!(folder.read("a"), folder.read("b"));
    let ran = folder.run("train nearest train.tsv -o c --tune --alpha 1");
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("cannot be used with"), "{ran:?}");
}
