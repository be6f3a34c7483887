//! The demonstration of hapax: two tasks made of WordNet, a database of English in which 117
//! thousand definitions stand beside the words they define and the kinds they belong to.
//!
//! [`wordnet`] gets the database and makes the tasks, [`tsv`] writes them as files that the
//! `hapax` command reads, and [`table`] prints what is in them.

pub mod table;
pub mod tsv;
pub mod wordnet;
