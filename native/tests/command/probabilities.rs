//! `hapax predict --above`, `--abstain` and `--at-most`.

use super::folder::{Folder, with_text_model};
use serde_json::Value;
use std::fmt::Write;

/// A sure text, one between two labels, and one without a known word.
pub const TEXTS: [&str; 3] = [
    "wake me up at 0 in the morning",
    "is the song of the paper new",
    "zebra",
];

/// A folder with the model `m`, whose scores became probabilities on rows held out of 400, and
/// what its training told.
pub fn with_calibrated_model() -> Folder {
    let mut texts = String::new();
    for at in 0..400 {
        let hour = at % 12;
        let line = match at % 4 {
            0 => format!("alarm\twake me up at {hour} in the morning number {at}"),
            1 => format!("weather\twill it rain or snow on day {hour} number {at}"),
            2 => format!("music\tplay the song number {at} louder {hour}"),
            _ => format!("news\twhat is new in the paper of day {hour} number {at}"),
        };
        // Every ninth label is another, so that probabilities are between 0 and 1.
        let line = match at % 9 {
            0 => line.replacen(line.split('\t').next().unwrap(), "other", 1),
            _ => line,
        };
        writeln!(texts, "{line}").unwrap();
    }
    let folder = Folder::new();
    folder.write("intents.tsv", texts);
    let told = folder.run("train nearest intents.tsv --columns labels,text -o m --json");
    folder.write("told.json", told.good());
    folder
}

/// A threshold that the model stores.
pub fn stored(folder: &Folder, name: &str) -> f64 {
    let told: Value = serde_json::from_slice(&folder.read("told.json")).unwrap();
    told["calibration"][name].as_f64().unwrap()
}

/// The JSON of the answers to [`TEXTS`].
fn answers(folder: &Folder, options: &str) -> Vec<Value> {
    let command = format!("predict m --output jsonl {options}");
    let out = folder.run_on(&command, &TEXTS.join("\n")).good();
    let lines = out.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// The probabilities of the labels of an answer.
fn probabilities(answer: &Value) -> Vec<f64> {
    let labels = answer["labels"].as_array().unwrap().iter();
    labels
        .map(|label| label["probability"].as_f64().unwrap())
        .collect()
}

#[test]
fn answers_below_a_probability_are_left_out() {
    let folder = with_calibrated_model();
    let all = answers(&folder, "-k 5");
    let found = probabilities(&all[0]);
    assert!(found.is_sorted_by(|a, b| a >= b), "{found:?}");
    assert!(
        found.len() > 1 && found[0] > 0.5 && found[1] < 0.5,
        "{found:?}"
    );
    for answer in &all {
        let none = answer["none"].as_f64();
        assert_eq!(none.is_some(), answer["problem"].is_null(), "{answer}");
        assert!(
            none.is_none_or(|none| (0.0..=1.0).contains(&none)),
            "{answer}"
        );
    }
    let micro = stored(&folder, "above_for_micro_f1");
    let macro_ = stored(&folder, "above_for_macro_f1");
    for (above, least) in [
        ("0.5", 0.5),
        ("micro", micro),
        ("macro", macro_),
        ("0", 0.0),
        ("1", 1.0),
    ] {
        let sure = answers(&folder, &format!("--above {above}"));
        assert_eq!(sure.len(), TEXTS.len());
        for (answer, all) in sure.iter().zip(&all) {
            let (given, all) = (probabilities(answer), probabilities(all));
            // What is printed is rounded.
            assert!(
                given.iter().all(|&p| p > least - 1e-4),
                "{above}: {given:?}"
            );
            assert_eq!(given[..], all[..given.len()]);
            assert!(all[given.len()..].iter().all(|&p| p < least + 1e-4));
            assert!(answer["abstained"].is_null());
        }
        assert_eq!(probabilities(&sure[0]).is_empty(), above == "1");
    }
    let most = answers(&folder, "--above 0 --at-most 1");
    assert_eq!(probabilities(&most[0])[..], found[..1]);
}

#[test]
fn rows_that_are_not_sure_get_no_answer_and_say_so() {
    let folder = with_calibrated_model();
    let all = answers(&folder, "-k 1");
    let confidence = stored(&folder, "abstain");
    for (option, least) in [
        ("--abstain=0", 0.0),
        ("--abstain", confidence),
        ("--abstain=1", 1.0),
    ] {
        for (answer, all) in answers(&folder, &format!("-k 1 {option}")).iter().zip(&all) {
            if all["problem"].is_string() {
                continue;
            }
            let unsure = probabilities(all)[0] < least;
            assert_eq!(answer["abstained"] == true, unsure, "{answer}");
            assert_eq!(answer["labels"].as_array().unwrap().is_empty(), unsure);
            assert_eq!(answer["none"], all["none"]);
        }
    }
    let of = |output: &str| {
        let command = format!("predict m --abstain=1 --output {output}");
        folder.run_on(&command, TEXTS[0]).good()
    };
    assert!(of("text").contains("(not sure enough)"), "{}", of("text"));
    let csv = of("csv");
    let (header, row) = csv.split_once('\n').unwrap();
    assert!(
        header.starts_with("line,label_1,score_1,probability_1,"),
        "{header}"
    );
    assert!(row.trim_end().ends_with("not sure enough"), "{row}");
    assert_eq!(of("xmc"), "\n");
    let shown = folder
        .run_on("predict m --above 0.5 --output text", TEXTS[0])
        .good();
    assert!(shown.contains("%  alarm"), "{shown}");
}

#[test]
fn what_is_no_probability_or_has_none_is_refused() {
    let folder = with_calibrated_model();
    for option in [
        "--above 1.1",
        "--above=-0.1",
        "--above nan",
        "--above often",
        "--abstain=x",
    ] {
        let ran = folder.run_on(&format!("predict m {option}"), TEXTS[0]);
        assert_eq!(ran.status, Some(2), "{option}: {ran:?}");
        assert!(
            ran.err
                .contains("give a probability from 0 to 1, micro or macro"),
            "{}",
            ran.err
        );
        assert_eq!(ran.out, "");
    }
    let small = with_text_model();
    let trained = small.run("train nearest train.tsv -o n").good();
    let why = "no probabilities: 8 rows are too few to hold some out (200 are enough)";
    assert!(trained.contains(why), "{trained}");
    for option in ["--above 0.5", "--above micro", "--abstain", "--abstain=0.5"] {
        small
            .run_on(&format!("predict m {option}"), "my card")
            .refused_for("has scores, but no probabilities, which --above and --abstain need");
    }
}
