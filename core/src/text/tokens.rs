//! Text to tokens.

use super::{
    NGrams, TokenOptions,
    symbols::{Kind, for_each_part},
    unicode::{NormalizeScratch, for_each_lower_case, for_each_normalized, for_each_word},
};
use alloc::{string::String, vec::Vec};

/// Memory for taking a text apart, reused from text to text.
#[derive(Clone, Debug, Default)]
pub struct TokenScratch {
    normalize: NormalizeScratch,
    /// The text, normalized.
    text: String,
    /// Where each word begins and ends in `text`, and whether its characters count.
    words: Vec<(usize, usize, bool)>,
    /// The token that is being made.
    token: String,
    /// A word with its ends marked.
    marked: String,
    /// Where each character of the marked word begins, and its end.
    starts: Vec<usize>,
}

/// Calls `take` with every token of `text`, repetitions included: first the word n-grams, by
/// place and then by length, then the character n-grams of each word in the same order.
///
/// Time: linear in the text, times the number of lengths asked for. Allocates only where `scratch`
/// is still too small.
pub fn for_each_token(
    text: &str,
    options: &TokenOptions,
    scratch: &mut TokenScratch,
    mut take: impl FnMut(&str),
) {
    normalize(text, options, &mut scratch.normalize, &mut scratch.text);
    find_words(&scratch.text, options, &mut scratch.words);
    if let Some(lengths) = options.words {
        word_ngrams(scratch, lengths, &mut take);
    }
    if let Some(lengths) = options.characters {
        character_ngrams(scratch, lengths, &mut take);
    }
}

/// Leaves the starts and ends of the words of `text` in `words`, and of what counts as one. Not
/// generic: what tokens are made of is found by the same code wherever they go.
fn find_words(text: &str, options: &TokenOptions, words: &mut Vec<(usize, usize, bool)>) {
    words.clear();
    let least = usize::from(options.min_word_length);
    let long = |start, end| least <= 1 || text[start..end].chars().count() >= least;
    let mut take = |start, end, kind: Kind| {
        let wanted = match kind {
            Kind::Word => long(start, end),
            Kind::Symbol => options.symbols,
            Kind::Punctuation => options.punctuation,
        };
        if wanted {
            words.push((start, end, kind != Kind::Punctuation));
        }
    };
    match options.symbols || options.punctuation {
        true => for_each_part(text, take),
        false => for_each_word(text, |start, end| take(start, end, Kind::Word)),
    }
}

fn normalize(text: &str, options: &TokenOptions, scratch: &mut NormalizeScratch, out: &mut String) {
    out.clear();
    if text.is_ascii() {
        out.push_str(text);
        if options.lower_case {
            out.make_ascii_lowercase();
        }
        return;
    }
    let take = |character| {
        if options.lower_case {
            for_each_lower_case(character, |c| out.push(c));
        } else {
            out.push(character);
        }
    };
    if options.normalize {
        for_each_normalized(text, scratch, take);
    } else {
        text.chars().for_each(take);
    }
}

fn word_ngrams(scratch: &mut TokenScratch, lengths: NGrams, take: &mut impl FnMut(&str)) {
    let TokenScratch {
        text, words, token, ..
    } = scratch;
    for first in 0..words.len() {
        token.clear();
        let following = words.iter().skip(first).zip(1..=lengths.max);
        for (&(start, end, _), length) in following {
            if length > 1 {
                token.push(' ');
            }
            token.push_str(&text[start..end]);
            if length >= lengths.min {
                take(token);
            }
        }
    }
}

fn character_ngrams(scratch: &mut TokenScratch, lengths: NGrams, take: &mut impl FnMut(&str)) {
    let TokenScratch {
        text,
        words,
        token,
        marked,
        starts,
        ..
    } = scratch;
    for &(start, end, _) in words.iter().filter(|(_, _, count)| *count) {
        marked.clear();
        marked.push('<');
        marked.push_str(&text[start..end]);
        marked.push('>');
        starts.clear();
        starts.extend(marked.char_indices().map(|(at, _)| at));
        starts.push(marked.len());
        let count = starts.len() - 1;
        for first in 0..count {
            for length in usize::from(lengths.min)..=usize::from(lengths.max).min(count - first) {
                // A mark alone says nothing.
                if length == 1 && (first == 0 || first + 1 == count) {
                    continue;
                }
                token.clear();
                token.push('#');
                token.push_str(&marked[starts[first]..starts[first + length]]);
                take(token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NGrams, TokenOptions, TokenScratch, for_each_token};
    use crate::text::symbols::is_symbol;
    use alloc::{borrow::ToOwned, format, string::String, vec, vec::Vec};
    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;
    use unicode_segmentation::UnicodeSegmentation;

    fn tokens(text: &str, options: &TokenOptions) -> Vec<String> {
        let mut list = Vec::new();
        let mut scratch = TokenScratch::default();
        for_each_token(text, options, &mut scratch, |token| {
            list.push(token.to_owned());
        });
        list
    }

    /// The same tokens, made the obvious way.
    fn plain(text: &str, options: &TokenOptions) -> Vec<String> {
        let mut text: String = if options.normalize {
            text.nfkc().collect()
        } else {
            text.to_owned()
        };
        if options.lower_case {
            text = text.chars().flat_map(char::to_lowercase).collect();
            text = text.replace('ς', "σ");
        }
        let long = |word: &&str| word.chars().count() >= usize::from(options.min_word_length);
        let words: Vec<String> = match options.symbols || options.punctuation {
            true => with_symbols(&text, options),
            false => text
                .unicode_words()
                .filter(long)
                .map(str::to_owned)
                .collect(),
        };
        let mut list = vec![];
        let lengths = |ngrams: NGrams| usize::from(ngrams.min)..=usize::from(ngrams.max);
        for first in 0..words.len() {
            for length in options.words.map(lengths).into_iter().flatten() {
                if let Some(run) = words.get(first..first + length) {
                    list.push(run.join(" "));
                }
            }
        }
        let letter = |c: char| c.is_alphanumeric() || is_symbol(c);
        for word in words.iter().filter(|word| word.chars().any(letter)) {
            let marked: Vec<char> = format!("<{word}>").chars().collect();
            for first in 0..marked.len() {
                for length in options.characters.map(lengths).into_iter().flatten() {
                    let Some(run) = marked.get(first..first + length) else {
                        continue;
                    };
                    let ends = first == 0 || first + 1 == marked.len();
                    if length > 1 || !ends {
                        list.push(format!("#{}", run.iter().collect::<String>()));
                    }
                }
            }
        }
        list
    }

    /// Words and symbols, found among all segments.
    fn with_symbols(text: &str, options: &TokenOptions) -> Vec<String> {
        let segments: Vec<&str> = text.split_word_bounds().collect();
        let is_word = |at: usize| {
            let segment = segments.get(at).copied().unwrap_or_default();
            segment.chars().any(char::is_alphanumeric)
        };
        let is = |at: usize, texts: &[&str]| segments.get(at).is_some_and(|s| texts.contains(s));
        let (mut words, mut taken) = (Vec::new(), Vec::new());
        for (at, &segment) in segments.iter().enumerate() {
            if !is_word(at) {
                let first = segment.chars().next().unwrap();
                if is_symbol(first) {
                    if options.symbols {
                        words.push(segment.trim_end_matches('\u{fe0f}').to_owned());
                    }
                } else if options.punctuation && !first.is_whitespace() && !taken.contains(&at) {
                    words.push(segment.to_owned());
                }
                continue;
            }
            let mut word = segment.to_owned();
            let alone = at < 2 || !is_word(at - 2) && !is(at - 2, &["."]);
            let starts = segment.chars().take(2).all(char::is_alphabetic);
            if at > 0 && is(at - 1, &["."]) && alone && starts && segment.chars().nth(1).is_some() {
                word = format!(".{word}");
            }
            let run = (at + 1..).take_while(|&next| is(next, &["+", "#"])).count();
            if (1..=2).contains(&run) && !is_word(at + 1 + run) {
                word.extend(segments[at + 1..=at + run].iter().copied());
                taken.extend(at + 1..=at + run);
            }
            if word.chars().count() >= usize::from(options.min_word_length) {
                words.push(word);
            }
        }
        words
    }

    prop_compose! {
        fn lengths()(min in 1u8..4, more in 0u8..3) -> NGrams {
            NGrams { min, max: min + more }
        }
    }

    proptest! {
        #[test]
        fn equal_the_tokens_made_the_obvious_way(
            text in "([a-cA-Z0-9 .,'_#+$<-]|⚠\u{fe0f}|→|ΣΑΣ|[éßςİﬁ①漢字]|e\u{301}|🙂|\\PC){0,30}",
            normalize: bool,
            (symbols, punctuation) in any::<(bool, bool)>(),
            lower_case: bool,
            min_word_length in 0u8..4,
            words in prop::option::of(lengths()),
            characters in prop::option::of(lengths()),
        ) {
            let options = TokenOptions {
                normalize,
                symbols,
                punctuation,
                lower_case,
                min_word_length,
                words,
                characters,
            };
            prop_assert_eq!(tokens(&text, &options), plain(&text, &options));
        }
    }

    #[test]
    fn case_and_compatible_forms_are_one() {
        let options = TokenOptions {
            words: Some(NGrams { min: 1, max: 1 }),
            ..TokenOptions::default()
        };
        for (left, right) in [
            ("ΟΔΟΣ", "οδος"),
            ("ﬁn", "FIN"),
            ("caf\u{e9}", "CAFE\u{301}"),
            ("①", "1"),
        ] {
            assert_eq!(tokens(left, &options), tokens(right, &options));
        }
        assert_eq!(
            tokens("it's 3.5 m, don't!", &options),
            ["it's", "3.5", "m", "don't"]
        );
        assert!(tokens(" -- ?! ", &options).is_empty());
    }
}
