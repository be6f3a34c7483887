//! Unicode's normalization form NFKC (UAX 15).
//!
//! A text is taken apart into its compatibility decomposition, the marks behind each letter are put
//! into canonical order, and letters are joined with their marks again. All three only look within
//! a stretch that begins at a *stable* character (which is not changed by itself and never joins
//! what is before it), so text of stable characters costs one look into a table each.

use super::packed::{Numbers, Properties, Table};
use alloc::vec::Vec;
use core::ops::RangeInclusive;

/// For each character [`STABLE`], its canonical combining class, or [`UNSTABLE`].
static COMBINING: Properties = Properties::new(include_bytes!("tables/combining.bin"));
const STABLE: u8 = 0;
/// Class 0, but changed by itself or joined to what is before.
const UNSTABLE: u8 = 255;

/// Each character with a decomposition, Hangul syllables and [`FULL_WIDTH`] apart. A block has for
/// each of them `gap*32+length`, then for each the first character that it becomes, as the distance
/// from the one before, then all other characters, as the distance from the one before in the same
/// decomposition.
static DECOMPOSITIONS: Table = Table::new(include_bytes!("tables/decompositions.bin"), 128);

/// For each character that can join one before it: `gap bytes`, then in so many bytes the pairs of
/// what is before and what they become, each as the distance from the pair before.
static COMPOSITIONS: &[u8] = include_bytes!("tables/compositions.bin");

/// Memory for normalizing, reused from text to text.
#[derive(Clone, Debug, Default)]
pub(crate) struct NormalizeScratch {
    /// Combining classes and characters of a stretch, taken apart.
    parts: Vec<(u8, char)>,
    /// A run of marks in canonical order.
    ordered: Vec<(u8, char)>,
}

/// Calls `take` with each character of the NFKC form of `text`.
pub(crate) fn for_each_normalized(
    text: &str,
    scratch: &mut NormalizeScratch,
    mut take: impl FnMut(char),
) {
    let mut start = 0;
    let mut changes = false;
    for (at, character) in text.char_indices() {
        if character.is_ascii() || COMBINING.get(character) == STABLE {
            stretch(&text[start..at], changes, scratch, &mut take);
            (start, changes) = (at, false);
        } else {
            changes = true;
        }
    }
    stretch(&text[start..], changes, scratch, &mut take);
}

fn stretch(text: &str, changes: bool, scratch: &mut NormalizeScratch, take: &mut impl FnMut(char)) {
    if !changes {
        text.chars().for_each(take);
        return;
    }
    scratch.parts.clear();
    for character in text.chars() {
        decompose(character, &mut scratch.parts);
    }
    reorder(scratch);
    compose_all(&mut scratch.parts);
    scratch.parts.iter().for_each(|&(_, c)| take(c));
}

fn class(character: char) -> u8 {
    match COMBINING.get(character) {
        UNSTABLE => 0,
        class => class,
    }
}

const HANGUL: u32 = 0xac00;
const LEADING: u32 = 0x1100;
const VOWEL: u32 = 0x1161;
/// One before the first: 0 stands for none.
const TRAILING: u32 = 0x11a7;
const VOWELS: u32 = 21;
const TRAILINGS: u32 = 28;
const LEADINGS: u32 = 19;
const SYLLABLES: u32 = LEADINGS * VOWELS * TRAILINGS;

/// The forms of `!` to `~`, which are many in Chinese and Japanese texts.
const FULL_WIDTH: RangeInclusive<u32> = 0xff01..=0xff5e;

fn decompose(character: char, parts: &mut Vec<(u8, char)>) {
    let code = u32::from(character);
    let mut push = |code: u32| parts.extend(char::from_u32(code).map(|c| (class(c), c)));
    if FULL_WIDTH.contains(&code) {
        push(code - FULL_WIDTH.start() + u32::from('!'));
        return;
    }
    let syllable = code.wrapping_sub(HANGUL);
    if syllable < SYLLABLES {
        push(LEADING + syllable / (VOWELS * TRAILINGS));
        push(VOWEL + syllable / TRAILINGS % VOWELS);
        if !syllable.is_multiple_of(TRAILINGS) {
            push(TRAILING + syllable % TRAILINGS);
        }
        return;
    }
    match find_decomposition(code) {
        None => push(code),
        Some((length, first, mut numbers)) => {
            let mut part = first;
            push(part);
            for _ in 1..length {
                part = numbers.next_from(part);
                push(part);
            }
        }
    }
}

/// How many characters `code` decomposes into, the first one, and the numbers of the others.
fn find_decomposition(code: u32) -> Option<(u32, u32, Numbers)> {
    let (mut at, entries, mut numbers) = DECOMPOSITIONS.block(code);
    let (mut first, mut before, mut others) = (at, 0, 0);
    let length = loop {
        let head = numbers.next();
        at += head >> 5;
        if at >= code || before + 1 == entries {
            break head & 31;
        }
        (before, others) = (before + 1, others + (head & 31) as usize - 1);
    };
    if at != code {
        return None;
    }
    numbers.pass(entries - before - 1);
    for _ in 0..=before {
        first = numbers.next_from(first);
    }
    numbers.pass(entries - before - 1 + others);
    Some((length, first, numbers))
}

/// Sorts each run of marks by class, keeping the order among equals. Linear in the run, however
/// long.
fn reorder(scratch: &mut NormalizeScratch) {
    let NormalizeScratch { parts, ordered } = scratch;
    for marks in parts.chunk_by_mut(|a, b| (a.0 == 0) == (b.0 == 0)) {
        if marks.windows(2).all(|pair| pair[0].0 <= pair[1].0) {
            continue;
        }
        ordered.clear();
        for class in 1..UNSTABLE {
            ordered.extend(marks.iter().filter(|mark| mark.0 == class));
        }
        marks.copy_from_slice(ordered);
    }
}

/// Joins what can be joined, in place.
fn compose_all(parts: &mut Vec<(u8, char)>) {
    let mut kept = 0;
    let mut starter: Option<usize> = None;
    for at in 0..parts.len() {
        let (class, character) = parts[at];
        if let Some(base) = starter {
            // Joined only to what no other part stands before, of its class or above.
            let free = base + 1 == kept || parts[kept - 1].0 < class;
            if free && let Some(joined) = compose(parts[base].1, character) {
                parts[base].1 = joined;
                continue;
            }
        }
        if class == 0 {
            starter = Some(kept);
        }
        parts[kept] = (class, character);
        kept += 1;
    }
    parts.truncate(kept);
}

fn compose(first: char, second: char) -> Option<char> {
    let (first, second) = (u32::from(first), u32::from(second));
    let (leading, vowel) = (first.wrapping_sub(LEADING), second.wrapping_sub(VOWEL));
    if leading < LEADINGS && vowel < VOWELS {
        return char::from_u32(HANGUL + (leading * VOWELS + vowel) * TRAILINGS);
    }
    let (syllable, trailing) = (first.wrapping_sub(HANGUL), second.wrapping_sub(TRAILING));
    if syllable < SYLLABLES
        && syllable.is_multiple_of(TRAILINGS)
        && (1..TRAILINGS).contains(&trailing)
    {
        return char::from_u32(first + trailing);
    }
    find_composition(first, second).and_then(char::from_u32)
}

fn find_composition(first: u32, second: u32) -> Option<u32> {
    let mut groups = Numbers::new(COMPOSITIONS);
    let mut at = 0;
    while !groups.is_empty() {
        at += groups.next();
        let bytes = groups.next();
        if at >= second {
            let mut pairs = groups.first(bytes);
            let (mut before, mut joined) = (0, at);
            while at == second && before <= first && !pairs.is_empty() {
                before += pairs.next();
                joined = pairs.next_from(joined);
                if before == first {
                    return Some(joined);
                }
            }
            return None;
        }
        groups.skip(bytes);
    }
    None
}
