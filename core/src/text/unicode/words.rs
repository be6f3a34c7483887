//! Words by Unicode's text segmentation (UAX 29).
//!
//! A word is a segment between two boundaries that holds a letter or a digit. The rules are
//! numbered as in the standard's section 4.1. Where it matters only to segments around emoji
//! joiners, they are those of the crate `unicode-segmentation`: a joined emoji ends what came
//! before (so that no letter follows it), and may take the place of the letter or digit that WB6
//! and WB12 look for.

use super::packed::Properties;

/// For each character one of the classes below, and [`ALPHANUMERIC`] where it is a letter or digit.
static CLASSES: Properties = Properties::new(include_bytes!("tables/word_classes.bin"));

const CLASS: u8 = 31;
const ALPHANUMERIC: u8 = 32;

/// A set of classes, of which single classes are the sets with one member.
type Set = u32;

const OTHER: Set = 1;
const NEWLINE: Set = 1 << 1;
/// Extend and Format, which belong to what is before them.
const EXTEND: Set = 1 << 2;
const JOINER: Set = 1 << 3;
const REGIONAL: Set = 1 << 4;
const KATAKANA: Set = 1 << 5;
const HEBREW: Set = 1 << 6;
const LETTER: Set = 1 << 7;
const SINGLE_QUOTE: Set = 1 << 8;
const DOUBLE_QUOTE: Set = 1 << 9;
const MID_NUM_LET: Set = 1 << 10;
const MID_LETTER: Set = 1 << 11;
const MID_NUM: Set = 1 << 12;
const NUMERIC: Set = 1 << 13;
const EXTEND_NUM_LET: Set = 1 << 14;
const SPACE: Set = 1 << 15;
const EMOJI: Set = 1 << 16;
const EMOJI_LETTER: Set = 1 << 17;

const IGNORED: Set = EXTEND | JOINER;
const LETTERS: Set = LETTER | HEBREW | EMOJI_LETTER;
const EMOJIS: Set = EMOJI | EMOJI_LETTER;
const IN_WORDS: Set = MID_LETTER | MID_NUM_LET | SINGLE_QUOTE;
const IN_NUMBERS: Set = MID_NUM | MID_NUM_LET | SINGLE_QUOTE;

fn class(character: char) -> (Set, bool) {
    let value = CLASSES.get(character);
    (1 << (value & CLASS), value & ALPHANUMERIC != 0)
}

fn class_of(character: char) -> (Set, bool) {
    match character {
        'a'..='z' | 'A'..='Z' => (LETTER, true),
        '0'..='9' => (NUMERIC, true),
        ' ' => (SPACE, false),
        _ => class(character),
    }
}

/// What is known of the segment that a character may join.
struct Segment {
    /// The class of the last character.
    last: Set,
    /// The class of the last character that is not ignored (WB4).
    base: Set,
    /// The class of the one before that.
    before: Set,
    /// Whether `base` is the second half of a flag.
    flag: bool,
}

impl Segment {
    fn new(class: Set) -> Self {
        Self {
            last: class,
            base: if class & IGNORED == 0 { class } else { OTHER },
            before: OTHER,
            flag: false,
        }
    }

    /// Whether a joined emoji follows, whatever is before the joiner (WB3c).
    fn joins_emoji(&self, next: Set) -> bool {
        self.last == JOINER && next & EMOJIS != 0
    }

    /// Whether there is no boundary before a character of class `next`, behind which is `rest`.
    fn continues(&self, next: Set, rest: &str) -> bool {
        let (before, base) = (self.before, self.base);
        // Whether the last two and the next are of these classes.
        let pair = |a: Set, b: Set| base & a != 0 && next & b != 0;
        let triple = |a: Set, b: Set, c: Set| before & a != 0 && pair(b, c);
        if self.last == NEWLINE || next == NEWLINE {
            return false; // WB3a, WB3b
        }
        self.joins_emoji(next)
            || self.last == SPACE && next == SPACE // WB3d
            || next & IGNORED != 0 // WB4
            || pair(LETTERS | NUMERIC, LETTERS | NUMERIC) // WB5, WB8, WB9, WB10
            || pair(LETTERS, IN_WORDS) && follows(LETTERS, rest) // WB6
            || triple(LETTERS, IN_WORDS, LETTERS) // WB7
            || pair(HEBREW, SINGLE_QUOTE) // WB7a
            || pair(HEBREW, DOUBLE_QUOTE) && follows(HEBREW, rest) // WB7b
            || triple(HEBREW, DOUBLE_QUOTE, HEBREW) // WB7c
            || triple(NUMERIC, IN_NUMBERS, NUMERIC) // WB11
            || pair(NUMERIC, IN_NUMBERS) && follows(NUMERIC, rest) // WB12
            || pair(KATAKANA, KATAKANA) // WB13
            || pair(LETTERS | NUMERIC | KATAKANA | EXTEND_NUM_LET, EXTEND_NUM_LET) // WB13a
            || pair(EXTEND_NUM_LET, LETTERS | NUMERIC | KATAKANA) // WB13b
            || pair(REGIONAL, REGIONAL) && !self.flag // WB15, WB16
    }

    fn push(&mut self, next: Set) {
        if self.joins_emoji(next) {
            *self = Self::new(OTHER);
        } else if next & IGNORED == 0 {
            self.before = self.base;
            self.flag = self.base == REGIONAL && next == REGIONAL;
            self.base = next;
        }
        self.last = next;
    }
}

/// Whether `rest` begins with a character of one of these classes, those ignored left out.
fn follows(wanted: Set, rest: &str) -> bool {
    let mut last = OTHER;
    for character in rest.chars() {
        let (next, _) = class_of(character);
        if next & IGNORED == 0 {
            return next & wanted != 0 || last == JOINER && next & EMOJIS != 0;
        }
        last = next;
    }
    false
}

/// Calls `take` with the start and the end of each word of `text`. Time: linear in the text.
pub(crate) fn for_each_word(text: &str, mut take: impl FnMut(usize, usize)) {
    for_each_segment(text, |start, end, is_word| {
        if is_word {
            take(start, end);
        }
    });
}

/// Calls `take` with the start and the end of each segment of `text`, which follow each other
/// without a gap, and whether it holds a letter or a digit.
pub(crate) fn for_each_segment(text: &str, mut take: impl FnMut(usize, usize, bool)) {
    let mut characters = text.char_indices();
    let Some((mut start, first)) = characters.next() else {
        return;
    };
    let (class, mut is_word) = class_of(first);
    let mut segment = Segment::new(class);
    while let Some((at, character)) = characters.next() {
        let (next, alphanumeric) = class_of(character);
        if segment.continues(next, characters.as_str()) {
            segment.push(next);
            is_word |= alphanumeric;
            continue;
        }
        take(start, at, is_word);
        (start, is_word) = (at, alphanumeric);
        segment = Segment::new(next);
    }
    take(start, text.len(), is_word);
}
