//! The number of threads never shows.

use super::folder::{Folder, QUESTIONS};

#[test]
fn models_and_answers_are_equal_for_1_2_and_8_threads() {
    same_for_threads("nearest", "--explain");
}

#[test]
fn linear_models_and_answers_are_equal_for_1_2_and_8_threads() {
    same_for_threads("ovr --negatives mined --pool 50 --mine 3", "--explain");
}

fn same_for_threads(algorithm: &str, explain: &str) {
    let folder = Folder::new();
    let texts: String = (0..400)
        .map(|row| {
            let (first, second) = (row % 23, row % 7);
            format!("word{first} word{second} and text{row}\tlabel{second} other{first}\n")
        })
        .collect();
    folder.write("train.tsv", QUESTIONS.to_owned() + &texts);
    let mut made = Vec::new();
    for threads in [1, 2, 8] {
        folder
            .run(&format!(
                "train {algorithm} train.tsv -o m --threads {threads}"
            ))
            .good();
        let answers = folder
            .run(&format!(
                "predict m train.tsv {explain} --threads {threads}"
            ))
            .good();
        made.push((folder.read("m"), answers));
    }
    assert_eq!(made[0], made[1]);
    assert_eq!(made[0], made[2]);
    assert_eq!(made[0].1.lines().count(), 408);
}
