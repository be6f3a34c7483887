//! The demonstration of hapax: a page that codes diagnoses; two tasks made of WordNet, a database
//! of English in which 117 thousand definitions stand beside the words they define and the kinds
//! they belong to; and a page that trains on a table of the visitor's.
//!
//! [`diagnosis`] makes the first page by the command. [`wordnet`] gets the database and makes the
//! tasks, [`training`] and [`task`] make a model of each and judge it, [`kept`] says which need not
//! be made again, [`prompt`] answers at a terminal. [`package`] has the npm package and the command
//! built, and [`site`] puts them into a folder with the other pages. [`table`] and [`results`]
//! print what came of it, [`tsv`] writes the tasks as files that the `hapax` command reads, and
//! [`glosses`] the definitions that are shown as evidence.

pub mod diagnosis;
pub mod glosses;
pub mod kept;
pub mod package;
pub mod prompt;
pub mod results;
pub mod site;
pub mod table;
pub mod task;
pub mod training;
pub mod tsv;
pub mod wordnet;
