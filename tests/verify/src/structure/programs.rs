//! Files of integration tests that no program of tests names: they would not be compiled, and
//! nobody would miss them.

use super::{Finding, Place, source::Source};
use syn::Item;

/// Packages whose tests are one program, `tests/main.rs`.
const FOLDERS: &[&str] = &["core/tests/", "native/tests/", "tests/tests/"];

/// The files that the module around them does not declare.
pub fn check(sources: &[Source]) -> Vec<Finding> {
    let unnamed = sources.iter().filter(|source| !is_named(source, sources));
    unnamed
        .map(|source| Finding {
            rule: "tests",
            key: source.path.clone(),
            value: 1,
            limit: 0,
            places: vec![Place::at(&source.path, 1)],
        })
        .collect()
}

fn is_named(source: &Source, sources: &[Source]) -> bool {
    let Some(folder) = FOLDERS.iter().find(|&f| source.path.starts_with(f)) else {
        return true;
    };
    let Some(inside) = source.path[folder.len()..].strip_suffix(".rs") else {
        return true;
    };
    let inside = inside.strip_suffix("/mod").unwrap_or(inside);
    let (around, name) = inside.rsplit_once('/').unwrap_or(("", inside));
    if name == "main" {
        return true;
    }
    let declared = |path: String| {
        let file = sources.iter().find(|source| source.path == path);
        let items = file.and_then(|file| file.syntax.as_ref());
        items.is_some_and(|file| {
            file.items
                .iter()
                .any(|item| matches!(item, Item::Mod(module) if module.ident == name))
        })
    };
    match around {
        "" => declared(format!("{folder}main.rs")),
        _ => ["/mod.rs", "/main.rs", ".rs"]
            .iter()
            .any(|end| declared(format!("{folder}{around}{end}"))),
    }
}
