//! The demonstration of hapax: two tasks made of WordNet, a database of English in which 117
//! thousand definitions stand beside the words they define and the kinds they belong to.
//!
//! [`wordnet`] gets the database and makes the tasks, [`training`] makes a model of each and judges
//! it, [`prompt`] answers at a terminal. [`package`] has the npm package built, and [`site`] puts
//! it into a folder with the page and the dictionary. [`table`] and [`results`] print what came of
//! it, [`tsv`] writes the tasks as files that the `hapax` command reads, and [`glosses`] the
//! definitions that are shown as evidence.

pub mod glosses;
pub mod package;
pub mod prompt;
pub mod results;
pub mod site;
pub mod table;
pub mod training;
pub mod tsv;
pub mod wordnet;
