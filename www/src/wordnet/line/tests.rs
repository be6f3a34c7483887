use super::{LineError, parse_line};
use crate::wordnet::PartOfSpeech::{Adjective, Adverb, Noun, Verb};
use proptest::prelude::*;

const MOUSE: &str = "00000500 05 n 02 field_mouse 0 mouse a 002 @ 00000400 n 0000 ~ 00000600 n \
                     0000 | a small rodent; \"mice squeak\"  ";

#[test]
fn a_noun_is_read() {
    let mouse = parse_line(MOUSE, Noun).unwrap();
    assert_eq!(mouse.id.to_string(), "n00000500");
    assert_eq!(mouse.words, ["field mouse", "mouse"]);
    assert_eq!(mouse.gloss.definition, "a small rodent");
    assert_eq!(mouse.gloss.examples, ["\"mice squeak\""]);
}

#[test]
fn verbs_have_frames() {
    let line = "00000010 29 v 01 run 0 001 @i 00000002 v 0000 02 + 02 00 + 08 01 | move";
    assert_eq!(parse_line(line, Verb).unwrap().words, ["run"]);
}

#[test]
fn markers_of_adjectives_go_and_satellites_are_adjectives() {
    let line = "00000010 00 s 03 galore(ip) 0 at_hand(p) 0 mere(a) 0 000 | so";
    let words = parse_line(line, Adjective).unwrap().words;
    assert_eq!(words, ["galore", "at hand", "mere"]);
}

/// What is said of `MOUSE` when `part` of it reads `replacement`.
fn said_of(part: &str, replacement: &str) -> String {
    assert!(MOUSE.contains(part));
    let line = MOUSE.replacen(part, replacement, 1);
    parse_line(&line, Noun).unwrap_err().to_string()
}

/// A part of `MOUSE`, what it is replaced by, and what is said of that.
const REFUSALS: [(&str, &str, &str); 18] = [
    (
        "00000500",
        "500",
        "the synset offset must be eight decimal digits, not `500`",
    ),
    (
        "00000500",
        "+0000500",
        "the synset offset must be eight decimal digits, not `+0000500`",
    ),
    (
        "05 n",
        "5 n",
        "the lexicographer file number must be two decimal digits, not `5`",
    ),
    (
        "05 n",
        "05 v",
        "the synset type must be the letter of this file, not `v`",
    ),
    (
        "02 field",
        "2 field",
        "the number of words must be two hexadecimal digits above 00, not `2`",
    ),
    (
        "02 field",
        "00 field",
        "the number of words must be two hexadecimal digits above 00, not `00`",
    ),
    (
        "mouse a",
        "mouse aa",
        "the lexical id must be one hexadecimal digit, not `aa`",
    ),
    (
        "field_mouse",
        "mouse(a)",
        "the word must be free of `(`, but for (a), (p), (ip) behind an adjective, not `mouse(a)`",
    ),
    (
        "field_",
        "field__",
        "the word must be letters, with single underscores between words, not `field__mouse`",
    ),
    (
        "002",
        "2",
        "the number of pointers must be three decimal digits, not `2`",
    ),
    (
        "002",
        "003",
        "the line breaks off before the pointer symbol",
    ),
    (
        "002",
        "001",
        "the gloss must follow the pointers and verb frames, not `~`",
    ),
    (
        "@",
        "@@",
        "the pointer symbol must be one of wninput(5WN), such as @ or ~i, not `@@`",
    ),
    (
        "00000400",
        "x",
        "the pointer's offset must be eight decimal digits, not `x`",
    ),
    (
        "400 n",
        "400 x",
        "the pointer's part of speech must be n, v, a, s or r, not `x`",
    ),
    (
        "n 0000",
        "n 000",
        "the pointer's source and target must be four hexadecimal digits, not `000`",
    ),
    ("|", "", "no ` | ` stands between the fields and the gloss"),
    ("a small rodent", "", "the gloss has no definition"),
];

#[test]
fn every_rule_has_its_refusal() {
    for (part, replacement, message) in REFUSALS {
        assert_eq!(said_of(part, replacement), message);
    }
    for (frames, message) in [
        ("", "the line breaks off before the number of verb frames"),
        (
            "01 - 02 00",
            "the verb frame must be preceded by +, not `-`",
        ),
        (
            "01 + 2 00",
            "the verb frame must be two decimal digits, not `2`",
        ),
        (
            "01 + 02 0",
            "the word of a verb frame must be two hexadecimal digits, not `0`",
        ),
    ] {
        let line = format!("00000010 29 v 01 run 0 000 {frames} | move");
        assert_eq!(parse_line(&line, Verb).unwrap_err().to_string(), message);
    }
}

proptest! {
    #[test]
    fn any_line_is_read_or_refused(line in ".*", cut in 0usize..120) {
        for part in [Noun, Verb, Adjective, Adverb] {
            let _ = parse_line(&line, part);
        }
        let cut_off = &MOUSE[..cut.min(MOUSE.len())];
        let bar = MOUSE.find('|').unwrap_or_default();
        match parse_line(cut_off, Noun) {
            Ok(_) => prop_assert!(cut_off.len() > bar + 2),
            Err(LineError::NoGloss) => prop_assert!(cut_off.len() <= bar),
            Err(error) => prop_assert_eq!(error, LineError::NoDefinition),
        }
    }
}
