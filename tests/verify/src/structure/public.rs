//! What of core a user can reach: items that are `pub` all the way, or re-exported.
//!
//! Counted are modules, types, traits with their items, functions, constants, macros, and the
//! `pub` items of inherent impls; not fields and variants, nor what macros make.

use super::{
    Finding, Place,
    source::{Module, is_test},
};
use std::collections::{BTreeMap, BTreeSet};
use syn::{ImplItem, Item, Type, UseTree, Visibility, spanned::Spanned};

const PUBLIC: usize = 400;

/// The reachable items of all crates in `core`.
pub fn check(modules: &[Module]) -> Option<Finding> {
    let crates: BTreeSet<&str> = modules.iter().map(|module| module.krate).collect();
    let mut places = Vec::new();
    for krate in crates {
        let own = modules
            .iter()
            .filter(|module| module.krate == krate && !module.test);
        places.extend(Crate::new(own).reachable());
    }
    (places.len() > PUBLIC).then(|| Finding {
        rule: "public",
        key: "core".to_owned(),
        value: places.len(),
        limit: PUBLIC,
        places,
    })
}

/// A module's path, and a name in it.
type Name = (Vec<String>, String);

/// A crate by its modules' paths.
struct Crate<'s> {
    scopes: BTreeMap<Vec<String>, Scope<'s>>,
}

/// What a module declares.
#[derive(Default)]
struct Scope<'s> {
    path: &'s str,
    items: BTreeMap<String, &'s Item>,
    /// Name here, path there, whether it is re-exported. A glob's name is `*`.
    uses: Vec<(String, Vec<String>, bool)>,
    impls: Vec<&'s syn::ItemImpl>,
}

impl<'s> Crate<'s> {
    fn new<'m>(modules: impl Iterator<Item = &'m Module<'s>>) -> Self
    where
        's: 'm,
    {
        let mut scopes = BTreeMap::new();
        for module in modules {
            declare(
                &mut scopes,
                &module.names,
                &module.source.path,
                &module.syntax.items,
            );
        }
        Self { scopes }
    }

    /// The places of all reachable items.
    fn reachable(&self) -> Vec<Place> {
        let mut modules = vec![Vec::new()];
        let mut seen: BTreeSet<Vec<String>> = BTreeSet::new();
        let mut reached: BTreeSet<Name> = BTreeSet::new();
        while let Some(path) = modules.pop() {
            let Some(scope) = self.scopes.get(&path).filter(|_| seen.insert(path.clone())) else {
                continue;
            };
            let own = scope.items.iter().filter(|(_, item)| is_public(item));
            let mut exported: Vec<Name> =
                own.map(|(name, _)| (path.clone(), name.clone())).collect();
            for (name, target, _) in scope.uses.iter().filter(|(.., exported)| *exported) {
                if name != "*" {
                    exported.extend(self.resolve(&path, target, 0));
                } else if let Some(module) = self.module(&path, target, 0)
                    && let Some(there) = self.scopes.get(&module)
                {
                    let all = there.items.iter().filter(|(_, item)| is_public(item));
                    exported.extend(all.map(|(name, _)| (module.clone(), name.clone())));
                }
            }
            for (module, name) in exported {
                if matches!(self.item(&module, &name), Some(Item::Mod(_))) {
                    modules.push([module.as_slice(), std::slice::from_ref(&name)].concat());
                }
                reached.insert((module, name));
            }
        }
        let mut places: Vec<Place> = reached.iter().flat_map(|name| self.places(name)).collect();
        places.extend(self.of_impls(&reached));
        places
    }

    /// An item, and those of a trait.
    fn places(&self, (module, name): &Name) -> Vec<Place> {
        let (Some(scope), Some(item)) = (self.scopes.get(module), self.item(module, name)) else {
            return Vec::new();
        };
        let mut places = vec![Place::at(scope.path, item.span().start().line)];
        if let Item::Trait(item) = item {
            let lines = item.items.iter().map(|item| item.span().start().line);
            places.extend(lines.map(|line| Place::at(scope.path, line)));
        }
        places
    }

    /// The `pub` items of inherent impls of reached types.
    fn of_impls(&self, reached: &BTreeSet<Name>) -> Vec<Place> {
        let mut places = Vec::new();
        for (path, scope) in &self.scopes {
            for block in &scope.impls {
                let Type::Path(own) = &*block.self_ty else {
                    continue;
                };
                let names: Vec<String> = own
                    .path
                    .segments
                    .iter()
                    .map(|s| s.ident.to_string())
                    .collect();
                let Some(name) = self.resolve(path, &names, 0) else {
                    continue;
                };
                if !reached.contains(&name) {
                    continue;
                }
                for item in &block.items {
                    let public = match item {
                        ImplItem::Fn(item) => matches!(item.vis, Visibility::Public(_)),
                        ImplItem::Const(item) => matches!(item.vis, Visibility::Public(_)),
                        _ => false,
                    };
                    if public {
                        places.push(Place::at(scope.path, item.span().start().line));
                    }
                }
            }
        }
        places
    }

    fn item(&self, module: &[String], name: &str) -> Option<&'s Item> {
        self.scopes.get(module)?.items.get(name).copied()
    }

    /// Where what a path names is declared, as seen in a module.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<Name> {
        let (name, before) = path.split_last()?;
        let module = match before.is_empty() {
            true => from.to_vec(),
            false => self.module(from, before, depth)?,
        };
        let scope = self.scopes.get(&module)?;
        if scope.items.contains_key(name) {
            return Some((module, name.clone()));
        }
        if depth > 8 {
            return None;
        }
        let named = scope.uses.iter().filter(|(own, ..)| own == name);
        let globs = scope.uses.iter().filter(|(own, ..)| own == "*");
        let paths = named.map(|(_, target, _)| target.clone());
        let through =
            globs.map(|(_, target, _)| [target.as_slice(), std::slice::from_ref(name)].concat());
        let found: Vec<Vec<String>> = paths
            .chain(through)
            .filter(|target| target != path)
            .collect();
        found
            .iter()
            .find_map(|target| self.resolve(&module, target, depth + 1))
    }

    /// The module that a path names, as seen in a module.
    fn module(&self, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        let mut at = from.to_vec();
        for (index, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => at.clear(),
                "self" => (),
                "super" => drop(at.pop()),
                _ if self
                    .scopes
                    .contains_key(&[at.as_slice(), std::slice::from_ref(name)].concat()) =>
                {
                    at.push(name.clone());
                }
                _ if depth > 8 => return None,
                _ => {
                    let (module, name) = self.resolve(&at, &path[index..=index], depth + 1)?;
                    at = [module.as_slice(), &[name]].concat();
                }
            }
        }
        Some(at)
    }
}

/// Takes down what a module and those inside it declare, tests aside.
fn declare<'s>(
    scopes: &mut BTreeMap<Vec<String>, Scope<'s>>,
    names: &[String],
    path: &'s str,
    items: &'s [Item],
) {
    let mut scope = Scope {
        path,
        ..Scope::default()
    };
    for item in items {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Macro(syn::ItemMacro {
                ident: Some(ident), ..
            }) => ident,
            Item::Mod(item) if !is_test(&item.attrs) => {
                if let Some((_, inside)) = &item.content {
                    let inner = [names, &[item.ident.to_string()]].concat();
                    declare(scopes, &inner, path, inside);
                }
                &item.ident
            }
            Item::Impl(block) => {
                if block.trait_.is_none() && !is_test(&block.attrs) {
                    scope.impls.push(block);
                }
                continue;
            }
            Item::Use(item) => {
                let exported = matches!(item.vis, Visibility::Public(_));
                flatten(&item.tree, &mut Vec::new(), exported, &mut scope.uses);
                continue;
            }
            _ => continue,
        };
        scope.items.insert(name.to_string(), item);
    }
    scopes.insert(names.to_vec(), scope);
}

fn flatten(
    tree: &UseTree,
    before: &mut Vec<String>,
    exported: bool,
    uses: &mut Vec<(String, Vec<String>, bool)>,
) {
    let (name, last) = match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, exported, uses);
            before.pop();
            return;
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, before, exported, uses);
            }
            return;
        }
        UseTree::Name(name) if name.ident == "self" => (before.last().cloned(), None),
        UseTree::Name(name) => (Some(name.ident.to_string()), Some(name.ident.to_string())),
        UseTree::Rename(name) if name.ident == "self" => (Some(name.rename.to_string()), None),
        UseTree::Rename(name) => (Some(name.rename.to_string()), Some(name.ident.to_string())),
        UseTree::Glob(_) => (Some("*".to_owned()), None),
    };
    let target = before.iter().cloned().chain(last).collect();
    uses.push((name.unwrap_or_default(), target, exported));
}

/// Whether an item is `pub`, or a macro that is exported.
fn is_public(item: &Item) -> bool {
    let visibility = match item {
        Item::Const(item) => &item.vis,
        Item::Enum(item) => &item.vis,
        Item::Fn(item) => &item.vis,
        Item::Mod(item) => &item.vis,
        Item::Static(item) => &item.vis,
        Item::Struct(item) => &item.vis,
        Item::Trait(item) => &item.vis,
        Item::Type(item) => &item.vis,
        Item::Union(item) => &item.vis,
        Item::Macro(item) => return item.attrs.iter().any(|a| a.path().is_ident("macro_export")),
        _ => return false,
    };
    matches!(visibility, Visibility::Public(_))
}
