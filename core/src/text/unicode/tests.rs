//! Our tables against the crates they were made from.

use super::{NormalizeScratch, for_each_lower_case, for_each_normalized, for_each_word};
use alloc::{string::String, vec::Vec};
use proptest::prelude::*;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

fn normalized(text: &str) -> String {
    let mut out = String::new();
    for_each_normalized(text, &mut NormalizeScratch::default(), |c| out.push(c));
    out
}

fn words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for_each_word(text, |start, end| out.push(&text[start..end]));
    out
}

/// Every character of the planes that have some; of the others, without any or all alike, a few.
fn every_char() -> impl Iterator<Item = char> {
    let alike = |code: &u32| matches!(code, 0x3_4000..=0xd_ffff | 0xe_1000..=0x10_ffff);
    (0..=0x10_ffff)
        .filter(move |code| !alike(code) || code % 0xfff < 2)
        .filter_map(char::from_u32)
}

#[test]
fn every_character_has_its_lower_case() {
    for character in every_char().filter(|&c| c != 'ς') {
        let mut lower = String::new();
        for_each_lower_case(character, |c| lower.push(c));
        assert!(lower.chars().eq(character.to_lowercase()), "{character:?}");
    }
}

#[test]
fn every_character_is_normalized_alone_and_between_others() {
    let mut text = String::new();
    for character in every_char() {
        // A letter that joins marks, and a mark that joins letters.
        for around in [["", ""], ["e", "\u{301}"], ["\u{1112}\u{1161}", "\u{323}"]] {
            text.clear();
            text.push_str(around[0]);
            text.push(character);
            text.push_str(around[1]);
            assert!(normalized(&text).chars().eq(text.nfkc()), "{text:?}");
        }
    }
}

#[test]
fn every_character_makes_the_same_words() {
    let mut text = String::new();
    for character in every_char() {
        for around in [
            ["a", "a"],
            ["1", "1"],
            ["א", "א"],
            ["\u{200d}", "ア_"],
            ["🇦", "\u{200d}ℹ"],
        ] {
            text.clear();
            text.push_str(around[0]);
            text.push(character);
            text.push_str(around[1]);
            assert!(text.unicode_words().eq(words(&text)), "{text:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn random_texts_make_the_same_words(
        text in "([a1א' :._,\"ア😀ℹ🇦é\n\r_\u{301}\u{200d}\u{ad}界]|\u{200d}|\u{301}|\\PC){0,14}",
    ) {
        prop_assert_eq!(words(&text), text.unicode_words().collect::<Vec<_>>());
    }

    #[test]
    fn random_texts_have_the_same_normal_form(
        text in "([ae\u{300}-\u{36f}]|[\u{1100}-\u{1112}\u{1161}-\u{1175}\u{11a7}-\u{11c2}]|\
                 [\u{ac00}-\u{d7a3}]|[\u{fb01}\u{fdfa}\u{2460}\u{5b0}-\u{5bd}\u{f900}-\u{faff}]|\
                 [\u{900}-\u{dff}\u{f70}-\u{f84}]|\\PC){0,12}",
    ) {
        prop_assert_eq!(normalized(&text), text.nfkc().collect::<String>());
    }
}

#[test]
fn long_runs_of_marks_take_linear_time() {
    let text: String = ["\u{301}", "\u{323}"]
        .iter()
        .cycle()
        .take(200_000)
        .copied()
        .collect();
    assert!(normalized(&text).chars().eq(text.nfkc()));
}
