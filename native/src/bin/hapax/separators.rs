//! Labels of tab-separated data that are separated otherwise than they were meant. Any separator
//! leaves labels well-formed, so only looks can tell.

use super::output::warn;
use hapax::core::data::{LabelSeparator, Names};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

/// How many lines are looked at.
pub const LOOKED_AT: usize = 1000;
/// With fewer labels than this nothing is suspected.
const LEAST: usize = 3;

/// What labels are rather separated by.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meant {
    /// By this character.
    By(char),
    /// By nothing: all of a field is one label.
    Nothing,
}

/// Says so if the fields of labels, or the `names` of all that were read of them, look as if they
/// were separated by something else than `separator`.
pub fn warn_of_separators<'a>(
    path: &Path,
    fields: impl Iterator<Item = &'a str>,
    separator: &LabelSeparator,
    names: &Names,
) {
    let fields = fields.map(str::trim).filter(|field| !field.is_empty());
    let fields: Vec<&str> = fields.collect();
    let path = path.display();
    let read = if *separator == LabelSeparator::BLANKS {
        "labels are read as separated by spaces"
    } else if *separator == LabelSeparator::WHOLE {
        "each field is read as one label"
    } else {
        "labels are read as separated by commas"
    };
    match meant(&fields, separator) {
        Some(Meant::By(' ')) => warn(format_args!(
            "{path}: {read}, but many hold spaces; if they separate labels, say --label-separator space"
        )),
        Some(Meant::By(other)) => warn(format_args!(
            "{path}: {read}, but many hold '{other}'; if it separates labels, say --label-separator '{other}'"
        )),
        Some(Meant::Nothing) => warn(format_args!(
            "{path}: {read}, but nearly always stand together, as do those of {:?}; if \
             each row has one label of several words, say --label-separator none",
            fields.iter().find(|field| several(field)).unwrap_or(&"")
        )),
        None => {
            let names: Vec<String> = names.iter().collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            if let Some((other, joined)) = joined(&names, separator) {
                let by = if other == ' ' {
                    "space".into()
                } else {
                    format!("'{other}'")
                };
                warn(format_args!(
                    "{path}: {read}, but {joined} labels are others joined by '{other}'; if it separates labels, say \
                     --label-separator {by}"
                ));
            }
        }
    }
}

/// By what nearly all labels that hold it are joined of other labels, and how many these are.
fn joined(names: &[&str], separator: &LabelSeparator) -> Option<(char, usize)> {
    let candidates = match separator {
        _ if *separator == LabelSeparator::WHOLE => ";|, ",
        _ if *separator == LabelSeparator::BLANKS => ";|,",
        _ => ";|",
    };
    candidates.chars().find_map(|other| {
        let parts = Parts::of(names, other);
        let known = |apart: &&Vec<&str>| apart.iter().all(|part| parts.whole.contains(part));
        let joined = parts.apart.iter().filter(known).count();
        (joined >= LEAST && 10 * joined >= 9 * parts.apart.len()).then_some((other, joined))
    })
}

fn meant(fields: &[&str], separator: &LabelSeparator) -> Option<Meant> {
    if fields.len() < LEAST {
        return None;
    }
    let blanks = *separator == LabelSeparator::BLANKS;
    let candidates = if blanks { ";|," } else { ";|" };
    if let Some(other) = candidates.chars().find(|&other| separates(fields, other)) {
        return Some(Meant::By(other));
    }
    if *separator == LabelSeparator::WHOLE {
        let other = [',', ' '].into_iter().find(|&other| {
            let by = Parts::of(fields, other);
            by.are_known() || other == ',' && by.recombine()
        });
        return other.map(Meant::By);
    }
    (blanks && stand_together(fields)).then_some(Meant::Nothing)
}

/// Fields cut at a character.
struct Parts<'a> {
    /// The parts of each field that has several.
    apart: Vec<Vec<&'a str>>,
    /// The fields that have one.
    whole: HashSet<&'a str>,
    fields: usize,
}

impl<'a> Parts<'a> {
    fn of(fields: &[&'a str], at: char) -> Self {
        let (mut apart, mut whole) = (Vec::new(), HashSet::new());
        for field in fields {
            let parts = field.split(at).map(str::trim);
            let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
            match parts.len() {
                ..=1 => {
                    whole.insert(*field);
                }
                _ => apart.push(parts),
            }
        }
        Self {
            apart,
            whole,
            fields: fields.len(),
        }
    }

    /// Whether enough fields have several parts, and of most of these a part is a whole field
    /// elsewhere.
    fn are_known(&self) -> bool {
        let known = |parts: &&Vec<&str>| parts.iter().any(|part| self.whole.contains(part));
        let known = self.apart.iter().filter(known).count();
        self.apart.len() >= LEAST
            && 20 * self.apart.len() >= self.fields
            && 2 * known >= self.apart.len()
    }

    /// Whether most fields have several parts, nearly all of which stand in other fields, too.
    fn recombine(&self) -> bool {
        let different: HashSet<&Vec<&str>> = self.apart.iter().collect();
        let mut fields: HashMap<&str, usize> = HashMap::new();
        for part in different.iter().flat_map(|parts| parts.iter()) {
            *fields.entry(part).or_default() += 1;
        }
        let often = |parts: &&Vec<&str>| parts.iter().all(|part| fields[part] > 1);
        let often = self.apart.iter().filter(often).count();
        self.apart.len() >= LEAST
            && 2 * self.apart.len() > self.fields
            && 10 * often >= 8 * self.apart.len()
    }
}

/// Whether `other` stands within most fields, or within some whose parts are often whole fields
/// elsewhere.
fn separates(fields: &[&str], other: char) -> bool {
    let parts = Parts::of(fields, other);
    2 * parts.apart.len() > fields.len() || parts.are_known()
}

fn several(field: &str) -> bool {
    field.split_whitespace().nth(1).is_some()
}

/// Whether most fields are several words written like a phrase, a capital first and none after it,
/// that mostly occur in no other field.
fn stand_together(fields: &[&str]) -> bool {
    let several: Vec<&str> = fields
        .iter()
        .copied()
        .filter(|field| several(field))
        .collect();
    let phrases = several.iter().filter(|field| is_phrase(field)).count();
    if 2 * several.len() <= fields.len() || 10 * phrases < 9 * several.len() {
        return false;
    }
    // For each word how many rows have it, and whether all are alike.
    let mut words: HashMap<&str, (usize, &str, bool)> = HashMap::new();
    for field in several {
        for word in field.split_whitespace() {
            let (rows, first, alike) = words.entry(word).or_insert((0, field, true));
            *rows += 1;
            *alike &= *first == field;
        }
    }
    let repeated = words.values().filter(|(rows, _, _)| *rows > 1);
    let (repeated, alike) = repeated.fold((0, 0), |(all, alike), (_, _, same)| {
        (all + 1, alike + usize::from(*same))
    });
    repeated > 0 && 2 * alike >= repeated
}

fn is_phrase(field: &str) -> bool {
    let mut words = field.split_whitespace().map(|word| word.chars().next());
    let first = words.next().flatten();
    first.is_some_and(char::is_uppercase)
        && words.all(|letter| {
            letter.is_some_and(|letter| letter.is_alphabetic() && !letter.is_uppercase())
        })
}

#[cfg(test)]
mod tests {
    use super::{Meant, joined, meant};
    use hapax::core::data::LabelSeparator;

    const BLANKS: &LabelSeparator = &LabelSeparator::BLANKS;
    const COMMAS: &LabelSeparator = &LabelSeparator::COMMAS;
    const WHOLE: &LabelSeparator = &LabelSeparator::WHOLE;

    #[test]
    fn whole_fields_that_look_like_several_labels_are_seen() {
        for (fields, expected) in [
            (&["a;b", "c;d", "e"][..], Some(Meant::By(';'))),
            (&["a,b", "b,c", "a,c", "b, a"], Some(Meant::By(','))),
            (
                &["lost", "lost stolen", "stolen", "new lost", "stolen new"],
                Some(Meant::By(' ')),
            ),
            (
                &[
                    "World War, 1914-1918",
                    "World War, 1939-1945",
                    "Art, modern",
                ],
                None,
            ),
            (
                &["Lost card", "Card arrival", "New card", "Lost card"],
                None,
            ),
            (&["a", "b", "c"], None),
        ] {
            assert_eq!(meant(fields, WHOLE), expected, "{fields:?}");
        }
    }

    #[test]
    fn other_separators_are_seen() {
        for (fields, expected) in [
            (
                &["arrival;new", "lost; stolen", "exchange"][..],
                Meant::By(';'),
            ),
            (&["lost|stolen", "lost", "stolen|arrival"], Meant::By('|')),
            (&["arrival,new", "lost, stolen", "lost"], Meant::By(',')),
            (
                &["Card arrival", "Lost card", "Card arrival"],
                Meant::Nothing,
            ),
        ] {
            assert_eq!(meant(fields, BLANKS), Some(expected), "{fields:?}");
            let with_commas = matches!(expected, Meant::By(';' | '|')).then_some(expected);
            assert_eq!(meant(fields, COMMAS), with_commas, "{fields:?}");
        }
        // One row in ten has several labels, which stand alone in others.
        let mut few = vec!["lost"; 30];
        few.extend(["lost;stolen"; 4]);
        assert_eq!(meant(&few, BLANKS), Some(Meant::By(';')));
    }

    #[test]
    fn labels_that_are_others_joined_are_seen_however_few() {
        let mut names: Vec<String> = (0..400).map(|name| name.to_string()).collect();
        let of = |names: &[String], separator: &LabelSeparator| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            joined(&names, separator)
        };
        assert_eq!(of(&names, BLANKS), None);
        names.extend(["8,148", "8,7", "12,3,4"].map(String::from));
        assert_eq!(of(&names, BLANKS), Some((',', 3)));
        assert_eq!(of(&names, WHOLE), Some((',', 3)));
        assert_eq!(of(&names, COMMAS), None);
        // Parts that are no labels.
        names.push("1,000".into());
        assert_eq!(of(&names, BLANKS), None);
    }

    #[test]
    fn ordinary_labels_are_not_suspected() {
        for fields in [
            &[][..],
            &["a;b", "c;d"],
            &["lost", "lost stolen", "stolen", "arrival new"],
            &["1 2", "1 2", "3 4"],
            &["Lost Stolen", "Lost Stolen", "Arrival New"],
            &["<http://a.b/c;d>", "e", "f", "g"],
            &["C;", "|", ",", ";"],
            &["lost", "lost", "Card arrival"],
        ] {
            assert_eq!(meant(fields, BLANKS), None, "{fields:?}");
            assert_eq!(meant(fields, COMMAS), None, "{fields:?}");
        }
        let mut names = vec!["plain"; 30];
        names.extend(["chemistry;1,2-diol"; 4]);
        assert_eq!(
            meant(&names, BLANKS),
            None,
            "parts that are no labels elsewhere"
        );
    }
}
