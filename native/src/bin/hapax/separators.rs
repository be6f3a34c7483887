//! Labels of tab-separated data that are separated otherwise than they were meant. Any separator leaves labels
//! well-formed, so only looks can tell.

use super::{columns::cells, output::warn};
use hapax::core::data::{Columns, LabelSeparator};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

/// How many lines are looked at.
const LOOKED_AT: usize = 1000;
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

/// Says so if labels look as if they were separated by something else than what stands for `columns`.
pub fn warn_of_separators(path: &Path, bytes: &[u8], columns: Columns) {
    let blanks = columns.separator() == LabelSeparator::BLANKS;
    let fields = cells(bytes, columns, LOOKED_AT).map(|(_, labels)| labels.trim());
    let fields: Vec<&str> = fields.filter(|field| !field.is_empty()).collect();
    let path = path.display();
    let by = if blanks { "spaces" } else { "commas" };
    match meant(&fields, blanks) {
        Some(Meant::By(other)) => warn(format_args!(
            "{path}: labels are read as separated by {by}, but many hold '{other}'; if it separates labels, say \
             --label-separator '{other}'"
        )),
        Some(Meant::Nothing) => warn(format_args!(
            "{path}: labels are read as separated by spaces, but nearly always stand together, as do those of {:?}; if \
             each row has one label of several words, say --label-separator none",
            fields.iter().find(|field| several(field)).unwrap_or(&"")
        )),
        None => {}
    }
}

fn meant(fields: &[&str], blanks: bool) -> Option<Meant> {
    if fields.len() < LEAST {
        return None;
    }
    let candidates = if blanks { ";|," } else { ";|" };
    if let Some(other) = candidates.chars().find(|&other| separates(fields, other)) {
        return Some(Meant::By(other));
    }
    (blanks && stand_together(fields)).then_some(Meant::Nothing)
}

/// Whether `other` stands within most fields, or within some whose parts are often whole fields elsewhere.
fn separates(fields: &[&str], other: char) -> bool {
    let parts = |field: &'_ str| -> Vec<String> {
        let parts = field.split(other).map(str::trim);
        let parts = parts.filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let (apart, whole): (Vec<&str>, Vec<&str>) =
        fields.iter().partition(|field| parts(field).len() > 1);
    if 2 * apart.len() > fields.len() {
        return true;
    }
    let whole: HashSet<&str> = whole.into_iter().collect();
    let known = |field: &&&str| parts(field).iter().any(|part| whole.contains(&**part));
    let known = apart.iter().filter(known).count();
    apart.len() >= LEAST && 20 * apart.len() >= fields.len() && 2 * known >= apart.len()
}

fn several(field: &str) -> bool {
    field.split_whitespace().nth(1).is_some()
}

/// Whether most fields are several words written like a phrase, a capital first and none after it, that
/// mostly occur in no other field.
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
    use super::{Meant, meant};

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
            assert_eq!(meant(fields, true), Some(expected), "{fields:?}");
            let with_commas = matches!(expected, Meant::By(';' | '|')).then_some(expected);
            assert_eq!(meant(fields, false), with_commas, "{fields:?}");
        }
        // One row in ten has several labels, which stand alone in others.
        let mut few = vec!["lost"; 30];
        few.extend(["lost;stolen"; 4]);
        assert_eq!(meant(&few, true), Some(Meant::By(';')));
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
            assert_eq!(meant(fields, true), None, "{fields:?}");
            assert_eq!(meant(fields, false), None, "{fields:?}");
        }
        let mut names = vec!["plain"; 30];
        names.extend(["chemistry;1,2-diol"; 4]);
        assert_eq!(
            meant(&names, true),
            None,
            "parts that are no labels elsewhere"
        );
    }
}
