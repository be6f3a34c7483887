//! Names for kinds: as short as they can be told apart.

use super::{Synset, SynsetId, WordNet, fold};
use std::collections::{BTreeMap, BTreeSet};

/// How many ways of naming there are.
const LEVELS: usize = 4;

/// A name for each of `classes`, no two alike even when case is ignored. A class takes the first
/// of these that no other class still unnamed would take and no named class has:
///
/// 1. its first word: `rodent`,
/// 2. with its kind, the first word of its own first hypernym, or its part of speech where there
///    is none: `mouse (rodent)`, `act (verb)`,
/// 3. all its words, with its kind: `mouse, computer mouse (electronic device)`,
/// 4. its first word and its number: `mouse (n03799022)`.
///
/// Cost: O(L log L) for L classes.
pub(super) fn kind_names(
    wordnet: &WordNet,
    classes: &BTreeSet<SynsetId>,
) -> BTreeMap<SynsetId, String> {
    let mut names = BTreeMap::new();
    let mut taken = BTreeSet::new();
    let mut unnamed: Vec<&Synset> = classes.iter().filter_map(|&id| wordnet.get(id)).collect();
    for level in 1..=LEVELS {
        let mut takers: BTreeMap<String, Vec<&Synset>> = BTreeMap::new();
        for synset in unnamed.drain(..) {
            let folded = fold(&name(wordnet, synset, level));
            takers.entry(folded).or_default().push(synset);
        }
        for (folded, synsets) in takers {
            match synsets[..] {
                [synset] if taken.insert(folded) => {
                    names.insert(synset.id, name(wordnet, synset, level));
                }
                _ => unnamed.extend(synsets),
            }
        }
    }
    names
}

/// The name of a class at a level.
fn name(wordnet: &WordNet, synset: &Synset, level: usize) -> String {
    let first = first_word(synset);
    match level {
        1 => first.to_owned(),
        2 => format!("{first} ({})", kind(wordnet, synset)),
        3 => format!("{} ({})", synset.words.join(", "), kind(wordnet, synset)),
        _ => format!("{first} ({})", synset.id),
    }
}

fn kind<'a>(wordnet: &'a WordNet, synset: &Synset) -> &'a str {
    let hypernym = synset.hypernyms.first().and_then(|&id| wordnet.get(id));
    hypernym.map_or(synset.id.part.name(), first_word)
}

fn first_word(synset: &Synset) -> &str {
    synset.words.first().map_or("", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::kind_names;
    use crate::wordnet::fixture::Fixture;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_as_short_as_they_can_be_told_apart() {
        let mut fixture = Fixture::animals();
        fixture.verb = fixture.verb.replace("gnaw", "rodent");
        fixture.verb = fixture.verb.replace("act", "Entity");
        fixture.noun = fixture.noun.replace("wood_mouse", "vole");
        fixture.noun = fixture.noun.replace("House_mouse", "vole");
        fixture.noun = fixture.noun.replace("wheel_mouse 0", "lever 0");
        fixture.noun = fixture
            .noun
            .replace("01 laser_mouse 0", "02 lever 0 jack 0");
        let wordnet = fixture.read().unwrap();
        let all: BTreeSet<_> = wordnet.synsets().iter().map(|synset| synset.id).collect();
        let names = kind_names(&wordnet, &all);
        let shown = |id: &str| {
            let mut found = names.iter().filter(|(number, _)| number.to_string() == id);
            found.next().unwrap().1.as_str()
        };
        assert_eq!(names.len(), all.len());
        assert_eq!(shown("n00000300"), "device");
        assert_eq!(shown("n00000100"), "entity (noun)");
        assert_eq!(shown("v00000100"), "Entity (verb)");
        // Alike but for case at the second level, told apart by all their words at the third.
        assert_eq!(shown("n00000200"), "rodent (entity)");
        assert_eq!(shown("v00000200"), "rodent, mouse (Entity)");
        assert_eq!(shown("n00000400"), "mouse (rodent)");
        assert_eq!(shown("n00000500"), "mouse (device)");
        assert_eq!(shown("n00000600"), "vole (n00000600)");
        assert_eq!(shown("n00000700"), "vole (n00000700)");
        assert_eq!(shown("n00001300"), "vole (rodent)");
        assert_eq!(shown("n00000900"), "lever (mouse)");
        assert_eq!(shown("n00001000"), "lever, jack (mouse)");
        let folded: BTreeSet<String> = names.values().map(|name| name.to_lowercase()).collect();
        assert_eq!(folded.len(), names.len());
    }
}
