//! The sources of the tree: their text, their syntax, and which module each file of core is.

use std::{fs, io, path::Path};
use syn::{Attribute, Item, Meta};

/// A source file of the tree.
pub struct Source {
    /// Path below the root, with `/`.
    pub path: String,
    pub text: String,
    /// The syntax of a Rust file.
    pub syntax: Option<syn::File>,
}

/// A Rust file of a crate that lies in `core`.
pub struct Module<'s> {
    pub source: &'s Source,
    pub syntax: &'s syn::File,
    /// The folder of its crate: `core`, or `core/processor`.
    pub krate: &'s str,
    /// The names from the root of its crate, as in `["model", "linear"]`.
    pub names: Vec<String>,
    /// Whether it is compiled for tests alone.
    pub test: bool,
}

/// Folders that hold no sources of ours.
const PASSED_OVER: &[&str] = &["target", "node_modules", "dist", "venv"];
const EXTENSIONS: &[&str] = &["rs", "js", "mjs", "ts", "py", "sh"];

/// Every source file below `root`, ordered by path.
pub fn read_tree(root: &Path) -> io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = match folder.as_str() {
                "" => name.clone(),
                _ => format!("{folder}/{name}"),
            };
            if entry.file_type()?.is_dir() {
                if !name.starts_with('.') && !PASSED_OVER.contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if let Some((_, extension)) = name.rsplit_once('.')
                && EXTENSIONS.contains(&extension)
            {
                let text = fs::read_to_string(root.join(&path))?;
                sources.push(Source::new(path, text)?);
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

impl Source {
    pub fn new(path: String, text: String) -> io::Result<Self> {
        let syntax = match path.ends_with(".rs") {
            true => Some(syn::parse_file(&text).map_err(|e| {
                let line = e.span().start().line;
                io::Error::other(format!("{path}:{line}: {e}"))
            })?),
            false => None,
        };
        Ok(Self { path, text, syntax })
    }
}

/// The modules of the crates in `core`, tests and examples aside.
pub fn core_modules(sources: &[Source]) -> Vec<Module<'_>> {
    let mut modules: Vec<Module> = sources.iter().filter_map(module).collect();
    let mut tests = Vec::new();
    for module in &modules {
        for item in &module.syntax.items {
            if let Item::Mod(child) = item
                && is_test(&child.attrs)
            {
                let mut names = module.names.clone();
                names.push(child.ident.to_string());
                tests.push((module.krate, names));
            }
        }
    }
    for module in &mut modules {
        let under = |(krate, names): &(&str, Vec<String>)| {
            module.krate == *krate && module.names.starts_with(names)
        };
        module.test = tests.iter().any(under);
    }
    modules
}

fn module(source: &Source) -> Option<Module<'_>> {
    let syntax = source.syntax.as_ref()?;
    let (krate, inside) = source.path.split_once("/src/")?;
    let nested = krate
        .strip_prefix("core/")
        .is_some_and(|name| !name.contains('/'));
    if krate != "core" && !nested {
        return None;
    }
    let mut names: Vec<String> = inside
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if names.len() == 1 && names[0] == "lib" || names.last().is_some_and(|name| name == "mod") {
        names.pop();
    }
    Some(Module {
        source,
        syntax,
        krate,
        names,
        test: false,
    })
}

/// Whether an item with these attributes is compiled for tests alone.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        meta => meta.path().is_ident("test"),
    })
}
