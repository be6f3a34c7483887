//! `cargo verify notices`: the licenses of what the command, the npm package and the wheel contain.
//!
//! `THIRD-PARTY.txt` of each is made of the lock file and of the license files in the packages. If
//! it differs from what is there, it is written anew and the part fails.

use super::Workspace;
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

/// Where the command and the wheel run.
const PLATFORMS: &str = "x86_64-unknown-linux-musl,aarch64-apple-darwin,x86_64-pc-windows-gnu";

/// What is passed on: its name, manifest and package, features beside the default ones, the
/// platforms, and where its notices lie.
const PRODUCTS: [[&str; 6]; 3] = [
    [
        "the hapax command",
        "Cargo.toml",
        "hapax",
        "",
        PLATFORMS,
        "native",
    ],
    [
        "the npm package hapax",
        "Cargo.toml",
        "hapax-wasm",
        "threads",
        "wasm32-unknown-unknown",
        "wasm",
    ],
    [
        "the Python package hapax",
        "python/Cargo.toml",
        "hapax-python",
        "",
        PLATFORMS,
        "python",
    ],
];

/// What is linked everywhere, and natively, and is no crate.
const STANDARD_LIBRARY: &str = "\
Beside these crates there is the Rust standard library (MIT OR Apache-2.0, the Rust Project
contributors).
";
const NATIVE: &str = "\
Static Linux builds contain musl (MIT, Copyright 2005-2020 Rich Felker, et al.). liblzma-sys contains
xz's liblzma (0BSD).
";

pub fn check(workspace: &Workspace) -> bool {
    let passes = PRODUCTS.iter().map(|product| {
        let [title, .., folder] = product;
        let file = workspace.root.join(folder).join("THIRD-PARTY.txt");
        let made = match notices(&workspace.root, product) {
            Ok(made) => made,
            Err(problem) => {
                println!("{folder}/THIRD-PARTY.txt: {problem}");
                return false;
            }
        };
        if fs::read_to_string(&file).is_ok_and(|there| there == made) {
            println!("{folder}/THIRD-PARTY.txt: has what {title} contains");
            return true;
        }
        match fs::write(&file, made) {
            Ok(()) => {
                println!(
                    "{folder}/THIRD-PARTY.txt was out of date. It is written anew: commit it."
                );
            }
            Err(error) => println!("{folder}/THIRD-PARTY.txt: {error}"),
        }
        false
    });
    // All are looked at, and written, before the first failure counts.
    passes.filter(|&passes| !passes).count() == 0
}

/// A crate in a product.
struct Crate {
    license: String,
    manifest: String,
    authors: String,
}

/// The crates in a product, by name and version.
fn crates(root: &Path, product: &[&str; 6]) -> Result<BTreeMap<String, Crate>, String> {
    let [_, manifest, package, features, targets, _] = product;
    let mut tree: Vec<&str> = "tree --locked --edges normal,no-proc-macro --prefix none"
        .split(' ')
        .collect();
    tree.extend([
        "--format",
        "{p}",
        "--manifest-path",
        manifest,
        "--package",
        package,
        "--features",
        features,
    ]);
    tree.extend(targets.split(',').flat_map(|target| ["--target", target]));
    let metadata = "metadata --locked --format-version 1 --manifest-path".split(' ');
    let metadata: Vec<&str> = metadata.chain([*manifest]).collect();
    let metadata: Value =
        serde_json::from_str(&cargo(root, &metadata)?).map_err(|error| error.to_string())?;
    let tree = cargo(root, &tree)?;
    // Crates of this repository have their path behind the version.
    let used: BTreeSet<(&str, &str)> = tree
        .lines()
        .filter(|line| !line.contains(" (/"))
        .filter_map(|line| {
            let mut words = line.split(' ');
            Some((words.next()?, words.next()?.strip_prefix('v')?))
        })
        .collect();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut crates = BTreeMap::new();
    for package in metadata["packages"].as_array().ok_or("no packages")? {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        if used.contains(&(&name, &version)) {
            let authors = package["authors"]
                .as_array()
                .map_or(&[][..], |authors| authors);
            let found = Crate {
                license: text(&package["license"]),
                manifest: text(&package["manifest_path"]),
                authors: authors.iter().map(text).collect::<Vec<_>>().join(", "),
            };
            crates.insert(format!("{name} {version}"), found);
        }
    }
    match crates.len() == used.len() {
        true => Ok(crates),
        false => Err("cargo tree and cargo metadata disagree".into()),
    }
}

fn notices(root: &Path, product: &[&str; 6]) -> Result<String, String> {
    let crates = crates(root, product)?;
    let [title, _, _, _, targets, _] = product;
    let native = if *targets == PLATFORMS { NATIVE } else { "" };
    let mut made =
        format!("Third-party software in {title}\n\n{STANDARD_LIBRARY}{native}\nCrates\n\n");
    // Texts in the order of the first crate that has each.
    let mut texts: Vec<(String, String, Vec<&str>)> = Vec::new();
    for (name, of) in &crates {
        let found = license_texts(Path::new(&of.manifest), &of.license)?;
        let by = match found.is_empty() {
            true => format!(", by {}; its package holds no text", of.authors),
            false => String::new(),
        };
        made += &format!("  {name} ({}{by})\n", of.license);
        for text in found {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            match texts.iter_mut().find(|(known, ..)| *known == words) {
                Some((.., names)) => names.push(name),
                None => texts.push((words, text, vec![name])),
            }
        }
    }
    for (_, text, names) in texts {
        let line = "-".repeat(80);
        made += &format!(
            "\n{line}\n{}\n{line}\n\n{}\n",
            names.join(", "),
            text.trim_matches('\n')
        );
    }
    Ok(made)
}

/// The license files of a package. Of a choice that holds MIT the file of MIT is taken: hapax may
/// be had under it, too.
fn license_texts(manifest: &Path, license: &str) -> Result<Vec<String>, String> {
    let folder = manifest.parent().unwrap_or(manifest);
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let begins = ["LICENSE", "LICENCE", "COPYING", "UNLICENSE", "NOTICE"];
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            begins
                .iter()
                .any(|begin| name.to_uppercase().starts_with(begin))
        })
        .collect();
    names.sort();
    let is_mit = |name: &String| name.to_uppercase().contains("MIT");
    if !license.contains(" AND ") && names.iter().any(is_mit) {
        names.retain(is_mit);
    }
    let read = |name: &String| {
        let text = fs::read_to_string(folder.join(name));
        text.map(|text| text.replace("\r\n", "\n").replace('\u{c}', ""))
            .map_err(|error| format!("{}/{name}: {error}", folder.display()))
    };
    names.iter().map(read).collect()
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new("cargo")
        .args(arguments)
        .current_dir(root)
        .output();
    let output = output.map_err(|error| format!("cargo: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
