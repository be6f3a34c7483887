//! Definitions typed at a terminal, words and their evidence in return.

use hapax::kernels;
use hapax_core::model::{Model, PredictError, Scratch};
use std::{
    io::{self, BufRead, Write},
    time::Instant,
};

/// How many words, definitions as evidence, and shared words of each are shown.
const SHOWN: (usize, usize, usize) = (5, 3, 4);

/// Answers every line of `input` from `model` until it ends or a line is empty; `definitions`
/// are the texts of its rows.
///
/// # Errors
/// If `input` cannot be read or `out` not written.
pub fn converse(
    model: &Model,
    definitions: &[String],
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> io::Result<()> {
    let mut scratch = Scratch::new(kernels::best());
    let mut line = String::new();
    writeln!(
        out,
        "Describe a word, for example: a small animal that eats cheese"
    )?;
    writeln!(out, "An empty line ends this.")?;
    loop {
        write!(out, "\n> ")?;
        out.flush()?;
        line.clear();
        if input.read_line(&mut line)? == 0 || line.trim().is_empty() {
            return Ok(());
        }
        match answer(model, definitions, line.trim(), &mut scratch) {
            Ok(shown) => out.write_all(shown.as_bytes())?,
            Err(problem) => writeln!(out, "  {problem}")?,
        }
    }
}

fn answer(
    model: &Model,
    definitions: &[String],
    text: &str,
    scratch: &mut Scratch,
) -> Result<String, PredictError> {
    let (words, neighbors, features) = SHOWN;
    let start = Instant::now();
    let best = model.predict_text(text, words, scratch)?;
    let microseconds = start.elapsed().as_micros();
    let name = |id: u32| model.label_name(id).unwrap_or_else(|| id.to_string());
    let mut shown = String::new();
    for answer in &best {
        let word = answer.name.clone().unwrap_or_else(|| name(answer.id));
        shown += &format!("  {:>7.4}  {word}\n", answer.score);
    }
    shown += &format!("  in {microseconds} us, because of\n");
    let row = model.row(text, scratch)?;
    for evidence in model.explain(row.view(), neighbors, features, scratch)? {
        let words: Vec<String> = evidence.labels.iter().map(|&id| name(id)).collect();
        let shared = evidence.features.iter();
        let shared: Vec<String> = shared
            .filter_map(|shared| model.vectorizer()?.feature_name(shared.feature))
            .collect();
        let definition = definitions
            .get(evidence.row as usize)
            .map_or("?", String::as_str);
        shown += &format!(
            "  {:>7.4}  {}: {definition}  [{}]\n",
            evidence.similarity,
            words.join(", "),
            shared.join(" ")
        );
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::converse;
    use crate::{
        training::{REVERSE_DICTIONARY, train},
        wordnet::{DocumentText, ReverseDictionary, fixture::Fixture},
    };
    use hapax::threads::Threads;

    #[test]
    fn words_come_with_the_definitions_behind_them() {
        let wordnet = Fixture::animals().read().unwrap();
        let task = ReverseDictionary::new(&wordnet, DocumentText::Definition).unwrap();
        let trained = train(
            &task.documents,
            REVERSE_DICTIONARY,
            u64::MAX,
            &Threads::new(1).unwrap(),
        )
        .unwrap();
        let mut out = Vec::new();
        let mut input = "a mouse of woods\nxylophone\n\nnever read\n".as_bytes();
        converse(&trained.model, &task.documents.texts, &mut input, &mut out).unwrap();
        let shown = String::from_utf8(out).unwrap();
        assert!(shown.contains("wood mouse\n"), "{shown}");
        assert!(
            shown.contains("wood mouse: a mouse of the woods  ["),
            "{shown}"
        );
        assert!(
            shown.contains("none of the 1 tokens of the text is known"),
            "{shown}"
        );
        assert_eq!(input, b"never read\n");
    }
}
