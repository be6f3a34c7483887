//! Lengths: of functions, files and lines of comments; and how often core uses a file name.

use super::{Finding, Place, source::Source};
use std::collections::BTreeMap;
use syn::{
    ImplItemFn, ItemFn, TraitItemFn,
    spanned::Spanned,
    visit::{self, Visit},
};

const FUNCTION: usize = 80;
const FILE: usize = 400;
const COMMENT: usize = 100;
const SAME_NAME: usize = 3;

/// Functions of more than 80 lines, from signature to brace.
pub fn functions(source: &Source) -> Vec<Finding> {
    let Some(syntax) = &source.syntax else {
        return Vec::new();
    };
    let mut functions = Functions::default();
    functions.visit_file(syntax);
    let long = functions
        .found
        .into_iter()
        .filter(|(_, _, lines)| *lines > FUNCTION);
    long.map(|(name, line, lines)| Finding {
        rule: "functions",
        key: format!("{} {name}", source.path),
        value: lines,
        limit: FUNCTION,
        places: vec![Place::at(&source.path, line)],
    })
    .collect()
}

/// The name, first line and number of lines of each function.
#[derive(Default)]
struct Functions {
    found: Vec<(String, usize, usize)>,
}

impl Functions {
    fn take(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let first = signature.span().start().line;
        let last = body.span().end().line;
        self.found
            .push((signature.ident.to_string(), first, last + 1 - first));
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, function: &'ast ItemFn) {
        self.take(&function.sig, &function.block);
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast ImplItemFn) {
        self.take(&function.sig, &function.block);
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast TraitItemFn) {
        if let Some(body) = &function.default {
            self.take(&function.sig, body);
        }
        visit::visit_trait_item_fn(self, function);
    }
}

/// A file of more than 400 lines.
pub fn file(source: &Source) -> Option<Finding> {
    let lines = source.text.lines().count();
    (lines > FILE).then(|| Finding {
        rule: "files",
        key: source.path.clone(),
        value: lines,
        limit: FILE,
        places: vec![Place::at(&source.path, FILE + 1)],
    })
}

/// Lines of comments beyond 100 columns, one finding for each folder.
pub fn comments(sources: &[Source]) -> Vec<Finding> {
    let mut folders: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for source in sources {
        let hash = source.path.ends_with(".py") || source.path.ends_with(".sh");
        let mark = if hash { "#" } else { "//" };
        for (index, line) in source.text.lines().enumerate() {
            let columns = line.chars().count();
            if columns > COMMENT && line.trim_start().starts_with(mark) {
                let mut place = Place::at(&source.path, index + 1);
                place.note = Some(format!("{columns} columns"));
                folders.entry(area(&source.path)).or_default().push(place);
            }
        }
    }
    let finding = |(key, places): (String, Vec<Place>)| Finding {
        rule: "comments",
        key,
        value: places.len(),
        limit: 0,
        places,
    };
    folders.into_iter().map(finding).collect()
}

/// The first folder of a path; of core's sources, the folder in `src`.
fn area(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').collect();
    match parts.as_slice() {
        ["core", "src", folder, _, ..] => format!("core/src/{folder}"),
        ["core", "src", _] => "core/src".to_owned(),
        [top, ..] => (*top).to_owned(),
        [] => String::new(),
    }
}

/// File names that core uses more than three times, `mod.rs` and `tests.rs` aside.
pub fn names(sources: &[Source]) -> Vec<Finding> {
    let mut names: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
    for source in sources {
        let name = source.path.rsplit('/').next().unwrap_or(&source.path);
        let counted = source.path.starts_with("core/") && name.ends_with(".rs");
        if counted && !["mod.rs", "tests.rs", "lib.rs", "main.rs"].contains(&name) {
            names
                .entry(name)
                .or_default()
                .push(Place::at(&source.path, 1));
        }
    }
    let often = names
        .into_iter()
        .filter(|(_, places)| places.len() > SAME_NAME);
    often
        .map(|(name, places)| Finding {
            rule: "names",
            key: name.to_owned(),
            value: places.len(),
            limit: SAME_NAME,
            places,
        })
        .collect()
}
