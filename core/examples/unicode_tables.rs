//! Writes `core/src/text/unicode/tables/*.bin` from the crates that hold the tables of Unicode.
//!
//! The formats are described where the tables are read, in `core/src/text/unicode`. A
//! character's class in word segmentation is not public there, so it is found out: characters
//! that make the same boundaries in every context below are of one class.

use std::{collections::BTreeMap, fs, path::Path};
use unicode_normalization::{
    UnicodeNormalization,
    char::{canonical_combining_class, compose},
};
use unicode_segmentation::UnicodeSegmentation;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/text/unicode/tables");
    for (name, bytes) in [
        ("word_classes", properties(&word_classes())),
        ("combining", properties(&combining())),
        ("decompositions", decompositions()),
        ("compositions", compositions()),
        ("lower_case", lower_case()),
    ] {
        println!("{name}: {} bytes", bytes.len());
        fs::write(folder.join(name).with_extension("bin"), bytes)?;
    }
    Ok(())
}

fn every_char() -> impl Iterator<Item = char> {
    (0..=0x10_ffff).filter_map(char::from_u32)
}

/// A table being written. Numbers of different meaning are in sections of their own, which follow
/// each other in every block.
struct Table<const SECTIONS: usize> {
    /// Entries of a block: more make the table smaller and looking into it slower.
    size: usize,
    blocks: Vec<u8>,
    stream: Vec<u8>,
    sections: [Vec<u8>; SECTIONS],
    entries: usize,
}

impl<const SECTIONS: usize> Table<SECTIONS> {
    fn new(size: usize) -> Self {
        Self {
            size,
            blocks: vec![],
            stream: vec![],
            sections: [const { vec![] }; SECTIONS],
            entries: 0,
        }
    }

    fn end_block(&mut self) {
        self.sections
            .iter_mut()
            .for_each(|section| self.stream.append(section));
    }

    /// Begins an entry at character `first`; whether it is the first of a block.
    fn entry(&mut self, first: u32) -> bool {
        let begins = self.entries.is_multiple_of(self.size);
        if begins {
            self.end_block();
            let offset = u16::try_from(self.stream.len()).expect("a table below 64 kB");
            self.blocks.extend(&first.to_le_bytes()[..3]);
            self.blocks.extend(offset.to_le_bytes());
        }
        self.entries += 1;
        begins
    }

    fn number(&mut self, section: usize, number: u32) {
        push(&mut self.sections[section], number);
    }

    fn finish(mut self) -> Vec<u8> {
        self.end_block();
        let entries = u16::try_from(self.entries).expect("a table of few entries");
        [&entries.to_le_bytes(), &self.blocks[..], &self.stream].concat()
    }
}

fn push(stream: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        stream.push(number as u8 | 0x80);
        number >>= 7;
    }
    stream.push(number as u8);
}

/// The way from one character to another, the sign in the lowest bit.
fn distance(from: u32, to: u32) -> u32 {
    let difference = i64::from(to) - i64::from(from);
    ((difference << 1) ^ (difference >> 63)) as u32
}

fn properties(values: &[u8]) -> Vec<u8> {
    let mut table = Table::<2>::new(32);
    let mut first = 0;
    for run in values.chunk_by(|a, b| a == b) {
        table.entry(first);
        table.number(0, run.len() as u32);
        table.sections[1].push(run[0]);
        first += run.len() as u32;
    }
    table.finish()
}

/// One value for each code point; surrogates, which no text holds, get that of the one before.
fn by_code_point(value: impl Fn(char) -> u8) -> Vec<u8> {
    let mut values = vec![];
    for code in 0..=0x10_ffff {
        let last = values.last().copied().unwrap_or(0);
        values.push(char::from_u32(code).map_or(last, &value));
    }
    values
}

/// A character of each class, in the order of the classes in `words.rs`.
const REPRESENTATIVES: [char; 18] = [
    '!', '\n', '\u{301}', '\u{200d}', '🇦', 'ア', 'א', 'a', '\'', '"', '.', ':', ',', '1', '_', ' ',
    '😀', 'ℹ',
];

/// Whether there are boundaries before and behind `character` where `left` and `right` are around.
fn boundaries(left: &str, character: char, right: &str) -> (bool, bool) {
    let text = format!("{left}{character}{right}");
    let end = text.len() - right.len();
    let found: Vec<usize> = text.split_word_bound_indices().map(|(at, _)| at).collect();
    (found.contains(&left.len()), found.contains(&end))
}

fn signature(character: char) -> Vec<(bool, bool)> {
    const AROUND: [(&str, &str); 20] = [
        ("a", ""),
        ("a", "a"),
        ("1", ""),
        ("1", "1"),
        ("א", ""),
        ("א", "א"),
        ("ア", ""),
        ("_", ""),
        (" ", ""),
        ("🇦", ""),
        ("!", ""),
        ("\u{200d}", ""),
        ("", "\u{301}"),
        ("", "😀"),
        ("", "a"),
        ("", "ア"),
        ("", " "),
        ("a:", ""),
        ("1,", ""),
        ("", "'"),
    ];
    AROUND
        .iter()
        .map(|(left, right)| boundaries(left, character, right))
        .collect()
}

fn word_classes() -> Vec<u8> {
    let classes: BTreeMap<_, u8> = REPRESENTATIVES
        .iter()
        .map(|&c| signature(c))
        .zip(0..)
        .collect();
    assert_eq!(
        classes.len(),
        REPRESENTATIVES.len(),
        "the contexts tell all classes apart"
    );
    by_code_point(|c| {
        let alphanumeric = c.to_string().unicode_words().count() > 0;
        classes[&signature(c)] | u8::from(alphanumeric) << 5
    })
}

fn compatible(character: char) -> Vec<char> {
    std::iter::once(character).nfkd().collect()
}

fn is_hangul_syllable(character: char) -> bool {
    ('가'..='힣').contains(&character)
}

/// Whether it is a form of `!` to `~`, which needs no table.
fn is_full_width(character: char) -> bool {
    ('！'..='～').contains(&character)
}

/// Whether `character` can join one before it.
fn joins(character: char, pairs: &BTreeMap<(u32, u32), u32>) -> bool {
    let hangul = matches!(character, '\u{1161}'..='\u{1175}' | '\u{11a8}'..='\u{11c2}');
    hangul
        || pairs
            .range((u32::from(character), 0)..=(u32::from(character), u32::MAX))
            .next()
            .is_some()
}

fn combining() -> Vec<u8> {
    let pairs = pairs();
    by_code_point(|c| {
        let class = canonical_combining_class(c);
        let first = compatible(c)[0];
        let stable = std::iter::once(c).nfkc().eq([c])
            && canonical_combining_class(first) == 0
            && !joins(first, &pairs);
        match class {
            0 if !stable => 255,
            0 => 0,
            class => {
                assert!(class < 255 && class > 0);
                class
            }
        }
    })
}

fn decompositions() -> Vec<u8> {
    let mut table = Table::<3>::new(128);
    let (mut last, mut last_first) = (0, 0);
    for c in every_char().filter(|&c| !is_hangul_syllable(c) && !is_full_width(c)) {
        let parts: Vec<u32> = compatible(c).into_iter().map(u32::from).collect();
        let code = u32::from(c);
        if parts == [code] {
            continue;
        }
        if table.entry(code) {
            (last, last_first) = (code, code);
        }
        assert!(parts.len() < 32);
        table.number(0, (code - last) << 5 | parts.len() as u32);
        table.number(1, distance(last_first, parts[0]));
        for pair in parts.windows(2) {
            table.number(2, distance(pair[0], pair[1]));
        }
        (last, last_first) = (code, parts[0]);
    }
    table.finish()
}

/// What a character (second of the key) becomes with the one behind it (first of the key), Hangul
/// apart.
fn pairs() -> BTreeMap<(u32, u32), u32> {
    let mut pairs = BTreeMap::new();
    for c in every_char().filter(|&c| !is_hangul_syllable(c)) {
        let parts: Vec<char> = std::iter::once(c).nfd().collect();
        let Some((&second, before @ [_, ..])) = parts.split_last() else {
            continue;
        };
        let first: Vec<char> = before.iter().copied().nfc().collect();
        if let [first] = first[..]
            && compose(first, second) == Some(c)
        {
            pairs.insert((u32::from(second), u32::from(first)), u32::from(c));
        }
    }
    pairs
}

fn compositions() -> Vec<u8> {
    let mut groups: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    for ((second, first), joined) in pairs() {
        groups.entry(second).or_default().push((first, joined));
    }
    let (mut stream, mut last) = (vec![], 0);
    for (second, pairs) in groups {
        let mut group = vec![];
        let (mut before, mut result) = (0, second);
        for (first, joined) in pairs {
            push(&mut group, first - before);
            push(&mut group, distance(result, joined));
            (before, result) = (first, joined);
        }
        push(&mut stream, second - last);
        push(&mut stream, group.len() as u32);
        stream.extend(group);
        last = second;
    }
    stream
}

fn lower_case() -> Vec<u8> {
    let moved: Vec<(u32, u32)> = every_char()
        .filter(|&c| !c.is_ascii() && c != 'İ')
        .map(|c| (c, c.to_lowercase()))
        .filter(|(c, lower)| !lower.clone().eq([*c]))
        .map(|(c, mut lower)| {
            assert_eq!(lower.len(), 1, "only one letter becomes two");
            (u32::from(c), lower.next().map_or(0, u32::from))
        })
        .collect();
    let mut table = Table::<1>::new(16);
    let (mut at, mut end) = (0, 0);
    while let Some(&(first, to)) = moved.get(at) {
        let run = |step: u32| {
            let next = moved[at..].iter().zip(0..);
            next.take_while(|&(&pair, n)| pair == (first + n * step, to + n * step))
                .count()
        };
        let (dense, sparse) = (run(1), run(2));
        let alternating = sparse > dense;
        let count = dense.max(sparse);
        let length = if alternating {
            2 * count as u32 - 1
        } else {
            count as u32
        };
        if table.entry(first) {
            end = first;
        }
        table.number(0, first - end);
        table.number(0, length << 1 | u32::from(alternating));
        table.number(0, distance(first, to));
        end = first + length;
        at += count;
    }
    table.finish()
}
