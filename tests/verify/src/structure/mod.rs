//! `cargo verify structure`: the rules of docs/architecture.md, checked on the sources.
//!
//! Where the tree broke a rule when the rule was made, tests/structure.toml holds by how much.

mod imports;
mod lengths;
mod order;
mod programs;
mod public;
mod ratchet;
mod source;
#[cfg(test)]
mod tests;

use std::{fs, path::Path};

/// A rule that the tree breaks, for one key: a pair of folders, a function, a file, a folder.
#[derive(Debug, PartialEq)]
struct Finding {
    rule: &'static str,
    key: String,
    value: usize,
    limit: usize,
    places: Vec<Place>,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    path: String,
    line: usize,
    note: Option<String>,
}

impl Place {
    fn at(path: &str, line: usize) -> Self {
        Self {
            path: path.to_owned(),
            line,
            note: None,
        }
    }
}

/// Checks the tree at `root` and prints what breaks a rule. Whether nothing does.
pub fn check(root: &Path) -> bool {
    let told = told(root).unwrap_or_else(|error| vec![error]);
    for line in &told {
        println!("{line}");
    }
    told.is_empty()
}

fn told(root: &Path) -> Result<Vec<String>, String> {
    let read = |path: &str| fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"));
    let order = order::Order::read(&read("docs/architecture.md")?)?;
    let ratchet = ratchet::Ratchet::read(&read(ratchet::FILE)?)?;
    let sources = source::read_tree(root).map_err(|error| error.to_string())?;
    Ok(ratchet.compare(&findings(&sources, &order)))
}

fn findings(sources: &[source::Source], order: &order::Order) -> Vec<Finding> {
    let modules = source::core_modules(sources);
    let mut findings = imports::check(&modules, order);
    findings.extend(sources.iter().flat_map(lengths::functions));
    findings.extend(sources.iter().filter_map(lengths::file));
    findings.extend(lengths::comments(sources));
    findings.extend(public::check(&modules));
    findings.extend(lengths::names(sources));
    findings.extend(programs::check(sources));
    findings
}
