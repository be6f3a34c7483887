//! `cargo verify mutants`: small errors planted one by one in what the rest stands on, each of
//! which a test must notice. What no test can notice stands in `.cargo/mutants.toml`, with the
//! reason.

use super::{Workspace, tools::cargo_tool};
use std::{
    env,
    path::Path,
    process::{Command, Stdio},
};

const TOOL: &[&str] = cargo_tool!("cargo-mutants@25.3.1");

/// Files, and the unit tests that are to notice errors in them: with all tests of core a mutant
/// takes minutes, with these about ten seconds.
const FILES: [(&str, &str); 16] = [
    ("core/src/top.rs", "top::"),
    ("core/src/data/split.rs", "data::"),
    (
        "core/src/train/one_vs_rest/certificate.rs",
        "one_vs_rest::certificate",
    ),
    (
        "core/src/train/one_vs_rest/choice/fitting.rs",
        "choice::fitting",
    ),
    (
        "core/src/train/one_vs_rest/label_block.rs",
        "one_vs_rest::label_block",
    ),
    ("core/src/train/one_vs_rest/sweep.rs", "one_vs_rest::sweep"),
    ("core/src/train/mach/step.rs", "mach::step_tests"),
    ("core/src/train/mach/descend.rs", "mach::step_tests"),
    (
        "core/src/train/multiclass/certificate.rs",
        "multiclass::certificate_tests",
    ),
    (
        "core/src/train/multiclass/row_step.rs",
        "multiclass::row_step",
    ),
    ("core/src/train/embedding/steps.rs", "embedding::steps"),
    ("core/src/model/linear/levels.rs", "linear::levels"),
    ("core/src/model/mach/estimate.rs", "mach::estimate"),
    ("core/src/model/mach/decode.rs", "model::mach::tests"),
    ("core/src/train/mach/pack.rs", "mach::pack_tests"),
    ("core/src/search/compact/codebook.rs", "compact::codebook"),
];

/// Seconds after which a test that does not end has noticed.
const PATIENCE: &str = "60";

/// Plants all errors; whether each was noticed.
pub fn check(workspace: &Workspace) -> bool {
    let told = |&(file, tests): &(&str, &str)| {
        println!("{file}: tests {tests}");
        are_noticed(&workspace.root, file, tests)
    };
    // All files, though one has errors that nobody noticed.
    workspace.succeeds(TOOL) && FILES.iter().map(told).fold(true, |all, one| all & one)
}

/// Whether these tests of core notice each error in a file; the others are printed.
fn are_noticed(root: &Path, file: &str, tests: &str) -> bool {
    let tools = root.join("target/tools/bin");
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([tools].into_iter().chain(env::split_paths(&path)));
    let status = Command::new("cargo")
        .args(["mutants", "--package", "hapax-core", "--file", file])
        .args(["--test-package", "hapax-core", "--timeout", PATIENCE])
        .args(["--output", "target/mutants", "--no-times"])
        .args(["--", "--lib", "--", tests])
        .current_dir(root)
        .env("PATH", path.unwrap_or_default())
        .env("CARGO_TARGET_DIR", root.join("target/mutants/build"))
        // What is compiled hundreds of times for a test each.
        .env("CARGO_INCREMENTAL", "1")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .stdin(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
