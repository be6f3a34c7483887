//! `cargo verify quick`: what an edit can break, in the time that one waits for.

use super::{Workspace, structure};
use std::{collections::BTreeMap, path::Path, process::Command};

/// Folders and the packages whose sources they hold. The first that fits a path counts.
const PACKAGES: &[(&str, &str)] = &[
    ("core/processor/", "hapax-processor"),
    ("core/", "hapax-core"),
    ("native/", "hapax"),
    ("tests/verify/", "hapax-verify"),
    ("tests/sets/", "hapax-sets"),
    ("tests/", "hapax-tests"),
    ("wasm/build/", "hapax-wasm-build"),
    ("wasm/kernels/", "hapax-wasm-kernels"),
    ("wasm/module/", "hapax-wasm-module"),
    ("wasm/", "hapax-wasm"),
    ("www/", "hapax-demo"),
    ("benches/", "hapax-benches"),
];

/// What of a package is tested.
#[derive(Debug, Default, PartialEq)]
struct Scope {
    /// Prefixes of the names of unit tests; all tests if there are none.
    modules: Vec<String>,
    /// Whether a file changed that belongs to no module.
    whole: bool,
    /// Files of integration tests that changed, modules of the package's one program of them.
    integration: Vec<String>,
}

/// Format and structure of the tree, clippy and unit tests of what differs from main.
pub fn check(workspace: &Workspace) -> bool {
    let Some(changed) = changed(&workspace.root) else {
        println!("quick: no git repository to compare with");
        return false;
    };
    let scopes = scopes(&changed);
    if scopes.is_empty() {
        println!("quick: no package differs from main");
    }
    workspace.succeeds(&["cargo", "fmt", "--all", "--check"])
        && structure::check(&workspace.root)
        && scopes.iter().all(|(package, scope)| {
            commands(package, scope)
                .iter()
                .all(|command| workspace.succeeds(command))
        })
}

/// Paths that differ from where this branch left main, uncommitted and new ones included.
fn changed(root: &Path) -> Option<Vec<String>> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(root)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output
            .status
            .success()
            .then(|| text.lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let base = ["main", "origin/main"]
        .iter()
        .find_map(|main| git(&["merge-base", "HEAD", main]));
    let base = base.and_then(|lines| lines.into_iter().next());
    let mut paths = git(&["diff", "--name-only", base.as_deref().unwrap_or("HEAD")])?;
    paths.extend(git(&["ls-files", "--others", "--exclude-standard"])?);
    Some(paths)
}

/// The packages that Rust files or manifests changed in.
fn scopes(paths: &[String]) -> BTreeMap<&'static str, Scope> {
    let mut scopes: BTreeMap<&str, Scope> = BTreeMap::new();
    for path in paths
        .iter()
        .filter(|path| path.ends_with(".rs") || path.ends_with("Cargo.toml"))
    {
        let Some((folder, package)) = PACKAGES.iter().find(|(folder, _)| path.starts_with(folder))
        else {
            continue;
        };
        let scope = scopes.entry(package).or_default();
        let names: Vec<&str> = path[folder.len()..]
            .trim_end_matches(".rs")
            .split('/')
            .collect();
        match names.as_slice() {
            ["src", "train" | "model", method, ..] if *package == "hapax-core" => {
                scope.modules.push(format!("{}::{method}::", names[1]));
            }
            ["src", module, _, ..] if *package == "hapax-core" => {
                scope.modules.push(format!("{module}::"));
            }
            // A program of its own, and only with MPI.
            ["tests", "processes", ..] => (),
            ["tests", "main"] => scope.integration.push(String::new()),
            ["tests", module] | ["tests", module, ..] => {
                scope.integration.push(format!("{module}::"));
            }
            _ => scope.whole = true,
        }
    }
    for scope in scopes.values_mut() {
        for list in [&mut scope.modules, &mut scope.integration] {
            list.sort();
            list.dedup();
        }
    }
    scopes
}

/// Clippy, then the tests.
fn commands(package: &str, scope: &Scope) -> Vec<Vec<String>> {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut commands = vec![words(&format!(
        "cargo clippy -p {package} --quiet -- -D warnings"
    ))];
    if scope.whole || !scope.modules.is_empty() {
        let mut test = words(&format!("cargo test -p {package} --lib --bins --quiet --"));
        if !scope.whole {
            test.extend(scope.modules.iter().cloned());
        }
        commands.push(test);
    }
    if !scope.integration.is_empty() {
        let mut test = words(&format!("cargo test -p {package} --quiet --test all --"));
        if scope.integration.iter().all(|module| !module.is_empty()) {
            test.extend(scope.integration.iter().cloned());
        }
        commands.push(test);
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_tested_by_its_folder() {
        let paths = [
            "core/src/train/mach/step.rs",
            "core/src/data/read.rs",
            "README.md",
            "native/tests/mach.rs",
        ];
        let scopes = scopes(&paths.map(str::to_owned));
        let told: Vec<String> = scopes
            .iter()
            .flat_map(|(package, scope)| commands(package, scope))
            .map(|command| command.join(" "))
            .collect();
        assert_eq!(
            told,
            [
                "cargo clippy -p hapax --quiet -- -D warnings",
                "cargo test -p hapax --quiet --test all -- mach::",
                "cargo clippy -p hapax-core --quiet -- -D warnings",
                "cargo test -p hapax-core --lib --bins --quiet -- data:: train::mach::",
            ]
        );
    }

    #[test]
    fn a_file_at_the_root_of_a_package_tests_all_of_it() {
        let scopes = scopes(&[
            "core/src/lib.rs".to_owned(),
            "core/src/data/read.rs".to_owned(),
        ]);
        let told = commands("hapax-core", &scopes["hapax-core"]);
        assert_eq!(
            told[1].join(" "),
            "cargo test -p hapax-core --lib --bins --quiet --"
        );
    }
}
