//! A small WordNet of our own for the tests.

use super::{ReadError, WordNet};
use tempfile::TempDir;

/// The contents of the four data files.
pub(crate) struct Fixture {
    pub(crate) noun: String,
    pub(crate) verb: String,
    pub(crate) adjective: String,
    pub(crate) adverb: String,
}

/// One line of a data file; `hypernyms` are offsets in the same file.
fn line(offset: u32, letter: char, words: &str, hypernyms: &[u32], gloss: &str) -> String {
    let count = words.split(' ').count();
    let words: String = words.split(' ').map(|word| format!("{word} 0 ")).collect();
    let pointers: String = hypernyms
        .iter()
        .map(|hypernym| format!("@ {hypernym:08} {letter} 0000 "))
        .collect();
    let frames = if letter == 'v' { "01 + 02 00 " } else { "" };
    let number = hypernyms.len();
    format!(
        "{offset:08} 03 {letter} {count:02x} {words}{number:03} {pointers}{frames}| {gloss}  \n"
    )
}

impl Fixture {
    /// Animals and devices, among them two mice, and enough kinds of rodents and devices that
    /// both stay in training.
    pub(crate) fn animals() -> Self {
        let mut noun = String::from("  1 license  \n");
        noun += &line(100, 'n', "entity", &[], "that which is");
        noun += &line(200, 'n', "rodent", &[100], "a gnawing mammal");
        noun += &line(300, 'n', "device", &[100], "a thing made for a purpose");
        noun += &line(400, 'n', "mouse", &[200], "a small rodent; \"mice squeak\"");
        noun += &line(
            500,
            'n',
            "mouse computer_mouse",
            &[300],
            "a pointing device: \"a click\"",
        );
        noun += &line(600, 'n', "wood_mouse", &[400], "a mouse of the woods");
        noun += &line(700, 'n', "House_mouse", &[400], "a mouse of houses");
        noun += &line(800, 'n', "harvest_mouse", &[400], "a mouse of fields");
        noun += &line(900, 'n', "wheel_mouse", &[500], "a mouse with a wheel");
        noun += &line(1000, 'n', "laser_mouse", &[500], "a mouse with a laser");
        noun += &line(
            1100,
            'n',
            "cordless_mouse",
            &[500],
            "a mouse without a cord",
        );
        for (offset, word) in (1200..)
            .step_by(100)
            .zip(["rat", "vole", "gerbil", "hamster"])
        {
            noun += &line(
                offset,
                'n',
                word,
                &[200],
                &format!("a rodent called {word}"),
            );
        }
        noun += &line(1600, 'n', "lever", &[300], "a bar on a pivot");
        noun += &line(1700, 'n', "Mickey", &[400, 100], "a mouse and a celebrity");
        let verb = String::from("  1 license  \n")
            + &line(100, 'v', "act", &[], "do something")
            + &line(200, 'v', "gnaw mouse", &[100], "bite steadily");
        Self {
            noun,
            verb,
            adjective: line(100, 's', "mousy mouse-like(p)", &[], "like a mouse"),
            adverb: line(100, 'r', "Mousily", &[], "in a mousy way"),
        }
    }

    /// The files, in a folder that vanishes with the value.
    pub(crate) fn write(&self) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("data.noun", &self.noun),
            ("data.verb", &self.verb),
            ("data.adj", &self.adjective),
            ("data.adv", &self.adverb),
        ] {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        folder
    }

    pub(crate) fn read(&self) -> Result<WordNet, ReadError> {
        WordNet::read(self.write().path())
    }
}
