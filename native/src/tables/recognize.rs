//! What a table does not say of itself: its delimiter, whether it has a header, and which columns
//! are meant. Only looks can tell, so all of it can be said instead.

use super::{TableFormat, cells::Cells};
use std::collections::HashSet;

/// How headers name the text.
const TEXTS: [&str; 10] = [
    "text",
    "texts",
    "sentence",
    "title",
    "query",
    "question",
    "utterance",
    "document",
    "content",
    "description",
];
/// How headers name the labels.
const LABELS: [&str; 14] = [
    "label",
    "labels",
    "class",
    "classes",
    "category",
    "categories",
    "target",
    "intent",
    "tag",
    "tags",
    "subject",
    "subjects",
    "keywords",
    "section",
];
/// How headers name the id.
const IDS: [&str; 2] = ["id", "_id"];

/// What a column may be for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Text,
    Labels,
    Id,
}

/// The one column whose name tells that it is for `role`.
pub(super) fn named_for(names: &[String], role: Role) -> Option<usize> {
    let known: &[&str] = match role {
        Role::Text => &TEXTS,
        Role::Labels => &LABELS,
        Role::Id => &IDS,
    };
    let is = |name: &String| known.contains(&name.trim().to_lowercase().as_str());
    let mut found = (0..names.len()).filter(|&at| is(&names[at]));
    let first = found.next()?;
    match found.next() {
        None => Some(first),
        // The plainest name counts most, but only where it is plain.
        Some(_) => {
            let plain = |name: &String| known[..2].contains(&name.trim().to_lowercase().as_str());
            let mut plain = (0..names.len()).filter(|&at| plain(&names[at]));
            plain.next().filter(|_| plain.next().is_none())
        }
    }
}

/// How many of the first rows are looked at.
const LOOKED_AT: usize = 200;

/// The rows that begin a table, as far as they are whole.
pub(super) fn first_rows(sample: &[u8], format: TableFormat, delimiter: u8) -> Vec<Vec<String>> {
    let mut cells = Cells::new(format, delimiter);
    let mut rows = Vec::new();
    let sample = sample.strip_prefix(b"\xef\xbb\xbf").unwrap_or(sample);
    for line in sample.split_inclusive(|&byte| byte == b'\n') {
        // The last line may be cut off, but where it is the only one.
        let whole = line.ends_with(b"\n") || rows.is_empty();
        let blank = line.trim_ascii().is_empty() && !cells.is_open();
        if !whole || rows.len() >= LOOKED_AT {
            break;
        }
        if !blank && cells.take(line) {
            let text = |field: &[u8]| String::from_utf8_lossy(field).trim().to_string();
            rows.push(cells.fields().map(text).collect());
        }
    }
    rows
}

/// What may separate the fields of CSV.
const DELIMITERS: [u8; 4] = *b",;\t|";
/// With so many rows a delimiter is judged.
const JUDGED: usize = 20;

/// The delimiter that cuts the first rows into most fields, equally many in each; where none does,
/// the one that cuts the first row into most.
pub(super) fn delimiter(sample: &[u8]) -> u8 {
    let judge = |delimiter: &u8| {
        let rows = first_rows(sample, TableFormat::Csv, *delimiter);
        let fields = rows.first().map_or(0, Vec::len);
        let even = rows.iter().take(JUDGED).all(|row| row.len() == fields);
        (even && fields > 1, fields)
    };
    // The last of equal ones is taken.
    let best = DELIMITERS.into_iter().rev().max_by_key(judge);
    best.unwrap_or(b',')
}

/// Whether the first row names columns for text and for labels, and is no row as others are.
pub(super) fn is_header(rows: &[Vec<String>], text_alone: bool) -> bool {
    let Some((first, others)) = rows.split_first() else {
        return false;
    };
    let text = named_for(first, Role::Text).is_some();
    match named_for(first, Role::Labels) {
        Some(labels) => {
            let recurs = |row: &Vec<String>| row.get(labels) == first.get(labels);
            text && !others.iter().any(recurs)
        }
        None => text && text_alone,
    }
}

/// Whether the first row names a column for text or for labels, and looks like a header.
pub(super) fn is_half_a_header(rows: &[Vec<String>]) -> bool {
    let names = |role| rows.first().and_then(|first| named_for(first, role));
    (names(Role::Text).is_some() || names(Role::Labels).is_some()) && looks_like_header(rows)
}

/// Whether the first row looks like a header, whatever its names: short words, none of which stands
/// in its column again.
pub(super) fn looks_like_header(rows: &[Vec<String>]) -> bool {
    let Some((first, others)) = rows.split_first() else {
        return false;
    };
    let is_name = |cell: &String| {
        let words = cell.split_whitespace().count();
        (1..=3).contains(&words)
            && cell.len() <= 40
            && cell.starts_with(|first: char| first.is_alphabetic() || first == '_')
    };
    let different: HashSet<&String> = first.iter().collect();
    let recurs = |at: usize| others.iter().any(|row| row.get(at) == first.get(at));
    first.len() > 1
        && !others.is_empty()
        && first.iter().all(is_name)
        && different.len() == first.len()
        && !(0..first.len()).any(recurs)
}

/// The column of most words, other than `labels`.
pub(super) fn wordiest(rows: &[Vec<String>], labels: &[usize]) -> usize {
    let columns = rows.first().map_or(0, Vec::len);
    let words = |at: &usize| -> usize {
        let cells = rows.iter().filter_map(|row| row.get(*at));
        cells.map(|cell| cell.split_whitespace().count()).sum()
    };
    let others = (0..columns).filter(|at| !labels.contains(at));
    others.rev().max_by_key(words).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{
        Role, TableFormat, delimiter, first_rows, is_half_a_header, is_header, looks_like_header,
        named_for,
    };

    fn rows(text: &str) -> Vec<Vec<String>> {
        first_rows(text.as_bytes(), TableFormat::Csv, b',')
    }

    #[test]
    fn delimiters_are_told_from_the_first_rows() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("text\tlabel\nx, y, z\ta\n", b'\t'),
            ("a|b|c\n1|2|3\n", b'|'),
            ("text,labels\na;b,x;y\nc,z\n", b','),
            ("\"a;b\",c\n", b','),
            ("one\ntwo\n", b','),
            ("", b','),
        ] {
            assert_eq!(delimiter(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn headers_are_seen() {
        for text in [
            "text,label\na b,x\n",
            "id,Title,Subjects\n1,a,b\n",
            "\u{feff}text,labels\n",
        ] {
            assert!(is_header(&rows(text), false), "{text}");
        }
        for text in ["", "a,b\nc,d\n", "text,label\nx,label\n", "text,id\na,b\n"] {
            assert!(!is_header(&rows(text), false), "{text}");
        }
        for (text, half) in [
            ("Text,Kategorie\nein Baum,x\n", true),
            ("commentaire,label\nun arbre,x\n", true),
            ("name,kind\nan oak,tree\n", false),
            ("text,kind\nan oak,kind\n", false),
        ] {
            assert_eq!(is_half_a_header(&rows(text)), half, "{text}");
        }
        assert!(is_header(&rows("id,text\n1,a\n"), true));
        assert!(looks_like_header(&rows(
            "name,kind\nan oak in a park,tree\n"
        )));
        for text in [
            "name,kind\n",
            "oak,tree\nfir,tree\n",
            "my card was lost,a\nb,c\n",
            "1,a\n2,b\n",
        ] {
            assert!(!looks_like_header(&rows(text)), "{text}");
        }
    }

    #[test]
    fn one_name_for_a_role_is_needed_or_a_plain_one() {
        let names = |text: &str| -> Vec<String> { text.split(',').map(String::from).collect() };
        for (header, role, expected) in [
            ("id,TEXT,x", Role::Text, Some(1)),
            ("title,text", Role::Text, Some(1)),
            ("title,content", Role::Text, None),
            ("text,texts", Role::Text, None),
            ("category,tags", Role::Labels, None),
            ("x,label,tags", Role::Labels, Some(1)),
            ("id,text", Role::Id, Some(0)),
        ] {
            assert_eq!(named_for(&names(header), role), expected, "{header}");
        }
    }
}
