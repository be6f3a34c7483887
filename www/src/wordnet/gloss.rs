//! Telling a definition from the examples behind it.

/// A gloss taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gloss {
    /// The definition: every part that is no example, joined by `"; "`.
    pub definition: String,
    /// The examples, quotation marks and attributions included.
    pub examples: Vec<String>,
}

impl Gloss {
    /// Takes a gloss apart, in one pass.
    ///
    /// Its parts are separated by semicolons outside quotation marks; a mark that is never closed
    /// quotes the rest. A part that begins with a quotation mark is an example, and so is
    /// what follows a colon at the end of a part if it begins with one. Any other quotation, as in
    /// `promise of reward as in "carrot and stick"`, belongs to the definition. Runs of
    /// white space become one space, empty parts vanish.
    ///
    /// ```
    /// use hapax_demo::wordnet::Gloss;
    /// let gloss = Gloss::parse(r#"a wooden pin; a peg: "hang it on the peg"; "square; round""#);
    /// assert_eq!(gloss.definition, "a wooden pin; a peg");
    /// assert_eq!(gloss.examples, [r#""hang it on the peg""#, r#""square; round""#]);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut definition: Vec<&str> = Vec::new();
        let mut examples: Vec<&str> = Vec::new();
        for part in parts(text) {
            let example_at = example_start(part).unwrap_or(part.len());
            let (said, example) = part.split_at(example_at);
            let said = if example.is_empty() {
                said.trim()
            } else {
                said.trim().trim_end_matches(':').trim_end()
            };
            definition.extend(Some(said).filter(|said| !said.is_empty()));
            examples.extend(Some(example.trim()).filter(|example| !example.is_empty()));
        }
        Self {
            definition: one_space(&definition.join("; ")),
            examples: examples.into_iter().map(one_space).collect(),
        }
    }
}

/// The parts between semicolons outside quotation marks.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |character| {
        quoted ^= character == '"';
        character == ';' && !quoted
    })
}

/// Where the example in `part` begins: at its first quotation mark, if nothing or a colon stands
/// before it.
fn example_start(part: &str) -> Option<usize> {
    let mark = part.find('"')?;
    let before = part[..mark].trim_end();
    (before.is_empty() || before.ends_with(':')).then_some(mark)
}

fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::Gloss;
    use proptest::prelude::*;

    fn taken_apart(text: &str) -> (String, Vec<String>) {
        let Gloss {
            definition,
            examples,
        } = Gloss::parse(text);
        (definition, examples)
    }

    #[test]
    fn quotations_inside_a_definition_stay_there() {
        let (definition, examples) =
            taken_apart(r#"reward as in "carrot and stick"; "used the carrot of housing""#);
        assert_eq!(definition, r#"reward as in "carrot and stick""#);
        assert_eq!(examples, [r#""used the carrot of housing""#]);
    }

    #[test]
    fn parts_behind_the_examples_are_definition_again() {
        let (definition, examples) =
            taken_apart("at  any place;\"find it anywhere\"; (`anyplace' is informal);  ");
        assert_eq!(definition, "at any place; (`anyplace' is informal)");
        assert_eq!(examples, ["\"find it anywhere\""]);
    }

    #[test]
    fn attributions_and_open_quotations_belong_to_the_example() {
        assert_eq!(
            taken_apart("nimble; \"ran; fell\"- Poe; \"open; end"),
            (
                "nimble".into(),
                vec!["\"ran; fell\"- Poe".into(), "\"open; end".into()]
            )
        );
    }

    proptest! {
        #[test]
        fn no_letter_is_lost_or_made(text in "[ab\";: é]{0,30}") {
            let count = |text: &str, letter| text.matches(letter).count();
            let (definition, examples) = taken_apart(&text);
            for letter in ['a', 'b', 'é', '"'] {
                let kept = count(&definition, letter)
                    + examples.iter().map(|example| count(example, letter)).sum::<usize>();
                prop_assert_eq!(kept, count(&text, letter));
            }
        }
    }
}
