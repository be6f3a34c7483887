//! Which folder of core imports which: uses, paths in code, and paths in the tokens of macros.

use super::{
    Finding, Place,
    order::Order,
    source::{Module, is_test},
};
use proc_macro2::{Span, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Attribute, ImplItem, Item, ItemMod, ItemUse, Macro, Path, UseTree,
    visit::{self, Visit},
};

/// Where each pair of folders, importer and imported, has an import.
pub type Imports = BTreeMap<(String, String), Vec<Place>>;

/// The imports between folders that the order forbids: of a folder below, of one that is in no
/// line, and of one that imports back.
pub fn check(modules: &[Module], order: &Order) -> Vec<Finding> {
    let imports = imports(modules);
    let mut findings = Vec::new();
    for ((from, to), places) in &imports {
        let back = imports.contains_key(&(to.clone(), from.clone()));
        let allowed = match (order.line(from), order.line(to)) {
            (Some(from), Some(to)) => to < from || from == to && !back,
            _ => false,
        };
        if !allowed {
            findings.push(Finding {
                rule: "imports",
                key: format!("{from} -> {to}"),
                value: places.len(),
                limit: 0,
                places: places.clone(),
            });
        }
    }
    findings
}

/// All imports between folders, tests aside. What a file at the root of core imports is its own
/// folder's; `lib.rs` is no folder. A folder in `train` is one of its own.
pub fn imports(modules: &[Module]) -> Imports {
    let mut imports = Imports::new();
    let folders = Folders::of(modules);
    for module in modules.iter().filter(|module| !module.test) {
        let Some(from) = folders.find(module.krate, &module.names) else {
            continue;
        };
        let mut visitor = Visitor {
            names: module.names.clone(),
            found: BTreeSet::new(),
        };
        visitor.visit_file(module.syntax);
        for (line, path) in visitor.found {
            let to = match path.split_first() {
                Some((first, rest)) if first == "crate" => folders.find(module.krate, rest),
                Some((first, _)) => first
                    .strip_prefix("hapax_")
                    .map(str::to_owned)
                    .filter(|name| folders.0.contains(name)),
                None => None,
            };
            // The folder around one is a part of it, as one in `train` is of `train`.
            if let Some(to) = to
                && to != from
                && !from.starts_with(&format!("{to}/"))
                && !to.starts_with(&format!("{from}/"))
            {
                let place = Place::at(&module.source.path, line);
                let places = imports.entry((from.clone(), to)).or_default();
                if places.last() != Some(&place) {
                    places.push(place);
                }
            }
        }
    }
    imports
}

/// The folders of core: crates, modules of the first level, and folders in `train`.
struct Folders(BTreeSet<String>);

impl Folders {
    fn of(modules: &[Module]) -> Self {
        let mut folders = BTreeSet::new();
        for module in modules {
            match (module.krate.strip_prefix("core/"), module.names.as_slice()) {
                (Some(name), _) => folders.insert(name.to_owned()),
                (None, [first, second, _, ..]) if first == "train" => {
                    folders.insert(format!("{first}/{second}"))
                }
                (None, [first, ..]) => folders.insert(first.clone()),
                (None, []) => false,
            };
        }
        Self(folders)
    }

    /// The folder that a path in a crate leads to, if it is not the root.
    fn find(&self, krate: &str, names: &[String]) -> Option<String> {
        if let Some(name) = krate.strip_prefix("core/") {
            return Some(name.to_owned());
        }
        let inner = names.get(..2).map(|names| names.join("/"));
        let outer = names.first().cloned();
        inner
            .into_iter()
            .chain(outer)
            .find(|name| self.0.contains(name))
    }
}

/// Collects paths that name a place in the crate, or another crate of ours.
struct Visitor {
    /// The module in which we are.
    names: Vec<String>,
    found: BTreeSet<(usize, Vec<String>)>,
}

impl Visitor {
    /// Takes down a path, if it leads out of the module, as one from the root.
    fn take(&mut self, span: Span, path: &[String]) {
        let up = path.iter().take_while(|name| *name == "super").count();
        let full = match path.first().map(String::as_str) {
            Some("super") => {
                let kept = &self.names[..self.names.len().saturating_sub(up)];
                let root = ["crate".to_owned()];
                [&root, kept, &path[up..]].concat()
            }
            Some(first) if first == "crate" || first.starts_with("hapax_") => path.to_vec(),
            _ => return,
        };
        self.found.insert((span.start().line, full));
    }

    fn take_tree(&mut self, tree: &UseTree, before: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.take_tree(&path.tree, before);
                before.pop();
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.take_tree(tree, before);
                }
            }
            UseTree::Name(name) => {
                self.take_leaf(name.ident.span(), &name.ident.to_string(), before);
            }
            UseTree::Rename(name) => {
                self.take_leaf(name.ident.span(), &name.ident.to_string(), before);
            }
            UseTree::Glob(glob) => self.take_leaf(glob.star_token.spans[0], "*", before),
        }
    }

    fn take_leaf(&mut self, span: Span, name: &str, before: &[String]) {
        let mut path = before.to_vec();
        if name != "self" {
            path.push(name.to_owned());
        }
        self.take(span, &path);
    }

    /// Paths in tokens: names with `::` between them.
    fn take_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut colons, mut start) = (0, Span::call_site());
        for token in tokens {
            match token {
                TokenTree::Ident(name) if colons == 2 && !path.is_empty() => {
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    self.take(start, &std::mem::take(&mut path));
                    colons = 0;
                    match other {
                        TokenTree::Ident(name) => {
                            (start, path) = (name.span(), vec![name.to_string()]);
                        }
                        TokenTree::Group(group) => self.take_tokens(group.stream()),
                        _ => (),
                    }
                }
            }
        }
        self.take(start, &path);
    }
}

impl<'ast> Visit<'ast> for Visitor {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(attributes(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.names.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.names.pop();
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !matches!(item, ImplItem::Fn(function) if is_test(&function.attrs)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.take_tree(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let names: Vec<String> = path.segments.iter().map(|s| s.ident.to_string()).collect();
        if let Some(first) = path.segments.first() {
            self.take(first.ident.span(), &names);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.take_tokens(called.tokens.clone());
        visit::visit_macro(self, called);
    }
}

/// The attributes of an item that may be for tests.
fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
