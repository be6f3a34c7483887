//! `--vectors`: words have vectors from elsewhere, and words that no text has are understood.

use super::folder::{Folder, ROWS};

/// Labels, words that mean each of them, and texts of each.
const LABELS: usize = 12;
const WORDS: usize = 30;
const TEXTS: usize = 9;

fn word(label: usize, at: usize) -> String {
    let letter = |n: usize| char::from(b'a' + n as u8);
    format!("{}{}{}o", letter(label), letter(at / 20), letter(at % 20))
}

/// Texts of two words of their label, of the first ten, and of what all texts say.
fn texts() -> String {
    let text = |row: usize| {
        let (label, at) = (row % LABELS, row / LABELS);
        let [one, other] = [at, at * at + 3].map(|at| word(label, at % 10));
        format!("please {one} the {other} now\tlabel{label}\n")
    };
    (0..LABELS * TEXTS).map(text).collect()
}

/// A vector for each word: words of one label are near each other, or all are the same.
fn vectors(tell: bool) -> String {
    let line = |id: usize| {
        let (label, name) = (id / WORDS, word(id / WORDS, id % WORDS));
        let (label, id) = if tell { (label, id) } else { (0, 0) };
        let numbers = (0..LABELS).map(|axis| {
            let own = if axis == label { 1.0 } else { 0.0 };
            format!(" {:.3}", own + 0.01 * ((id * 7 + axis * 3) % 11) as f64)
        });
        format!("{name}{}\n", numbers.collect::<String>())
    };
    (0..LABELS * WORDS).map(line).collect()
}

fn folder(vectors: impl AsRef<[u8]>) -> Folder {
    let folder = Folder::new();
    folder.write("train.tsv", texts());
    folder.write("v.txt", vectors);
    folder
}

const TRAIN: &str = "train train.tsv -o m --characters 0 --vectors v.txt";

/// The share of texts of words that no training text has that are answered rightly.
fn right(folder: &Folder) -> f64 {
    let all = || (0..LABELS).flat_map(|label| (10..WORDS).map(move |at| (label, at)));
    let asked: String = all()
        .map(|(l, at)| format!("please {}\n", word(l, at)))
        .collect();
    let told = folder.run_on("predict m -k 1 --output csv", &asked).good();
    let rows = told.lines().skip(1).zip(all());
    let hits = rows.filter(|(row, (label, _))| row.contains(&format!("label{label},")));
    hits.count() as f64 / (LABELS * (WORDS - 10)) as f64
}

#[test]
fn words_that_no_text_has_are_understood_by_their_vectors() {
    let folder = folder(vectors(true));
    let ran = folder.run(&format!("{TRAIN} --threads 1"));
    let said =
        "v.txt: vectors of 12 numbers for 120 of 123 words of the training texts and 240 others\n";
    assert!(ran.err.contains(said), "{ran:?}");
    let told = ran.good();
    assert!(told.contains("vectors of words count "), "{told}");
    assert!(right(&folder) > 0.9, "{}", right(&folder));
    let model = folder.read("m");
    folder.run(&format!("{TRAIN} --threads 2")).good();
    assert_eq!(folder.read("m"), model);
    let told = folder.run("inspect m").good();
    assert!(told.contains("weight of given vectors 0."), "{told}");
    assert!(!told.contains("9999"), "{told}");
    folder.run("learn m train.tsv -o n").refused_for(
        "m: is a model of ovr with vectors of words beside it, so it cannot learn more rows: train it again on all rows",
    );
    folder.run("train train.tsv -o m --characters 0").good();
    assert!(right(&folder) < 0.2, "{}", right(&folder));
}

#[test]
fn a_matrix_makes_the_model_that_a_text_makes() {
    let folder = folder(vectors(true));
    folder.run(TRAIN).good();
    let model = folder.read("m");
    let (mut tokens, mut numbers) = (String::new(), Vec::new());
    for line in vectors(true).lines() {
        let mut parts = line.split(' ');
        tokens.extend([parts.next().unwrap(), "\n"]);
        parts.for_each(|part| numbers.extend(part.parse::<f32>().unwrap().to_le_bytes()));
    }
    let header = format!(
        r#"{{"embeddings":{{"dtype":"F32","shape":[{},{LABELS}],"data_offsets":[0,{}]}}}}"#,
        LABELS * WORDS,
        numbers.len()
    );
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.into_bytes());
    file.extend(numbers);
    folder.write("v.safetensors", file);
    folder.write("vocab.txt", tokens);
    folder.run(&TRAIN.replace("v.txt", "v.safetensors")).good();
    assert_eq!(folder.read("m"), model);
}

#[test]
fn vectors_that_gain_nothing_leave_the_model_as_it_is() {
    let folder = folder(vectors(false));
    let ran = folder.run(TRAIN);
    let said = "vectors of words gain too little on held-out texts and are left out";
    let told = ran.good();
    assert!(told.contains(said), "{told}");
    let model = folder.read("m");
    folder.run("train train.tsv -o m --characters 0").good();
    assert_eq!(folder.read("m"), model);
    // Nor do those of other words.
    folder.write("v.txt", "zebra 1 2\nplease, 1 2\n");
    let ran = folder.run(TRAIN);
    let said =
        "v.txt: none of the 123 words of the training texts has a vector there; trained without\n";
    assert!(ran.err.contains(said), "{ran:?}");
    ran.good();
    assert_eq!(folder.read("m"), model);
    // Nor can they gain where there is nothing to gain on.
    folder.write("v.txt", vectors(true));
    folder.write(
        "train.tsv",
        texts().lines().take(4).collect::<Vec<_>>().join("\n"),
    );
    let told = folder.run(TRAIN).good();
    let said = "vectors of words are left out: texts are too few to hold some out";
    assert!(told.contains(said), "{told}");
}

#[test]
fn a_budget_leaves_vectors_out_before_an_embedding() {
    let folder = folder(vectors(true));
    folder.run(TRAIN).good();
    let whole = folder.read("m").len();
    folder
        .run(&format!("compact m -o n --max-bytes {}", whole / 3))
        .good();
    let told = folder.run("inspect n").good();
    assert!(!told.contains("given vectors"), "{told}");
    assert!(folder.read("n").len() <= whole / 3);
}

#[test]
fn what_is_wrong_with_vectors_is_told_before_any_work() {
    let folder = folder("a 1 2\nb 1\n");
    folder
        .run(TRAIN)
        .refused_for("v.txt:2:1: has 1 numbers, but the first vector has 2");
    folder.write("v.txt", "aaao 1 x\n");
    folder
        .run(TRAIN)
        .refused_for("v.txt:1:8: \"x\" is no finite number");
    folder.write("v.txt", "");
    folder.run(TRAIN).refused_for("v.txt: holds no vectors");
    folder.run(&format!("{TRAIN} --hash-bits 8")).refused_for(
        "--vectors belong to words, which --hash-bits does not keep: leave one of them out",
    );
    let missing = TRAIN.replace("v.txt", "none.txt");
    folder
        .run(&missing)
        .refused_for("none.txt: cannot open: there is no such file");
    folder.write("v.txt", "a 1\n");
    let over = TRAIN.replace("-o m", "-o v.txt");
    folder.run(&over).refused_for("v.txt");
    folder.write("train.tsv", ROWS);
    folder
        .run("train train.tsv -o m --vectors v.txt")
        .refused_for("train.tsv: holds rows of features, but --vectors needs texts: leave it out");
}
