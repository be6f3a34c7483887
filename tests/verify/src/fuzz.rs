//! `cargo verify fuzz`: every target of `fuzz` for its share of the time, and how often each ran.

use super::{
    Workspace,
    tools::{NIGHTLY, cargo_tool},
};
use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
};

const TOOLS: &[&[&str]] = &[NIGHTLY, cargo_tool!("cargo-fuzz@0.13.2")];

/// What libFuzzer says at the end of a run.
const EXECUTED: &str = "stat::number_of_executed_units:";

/// Runs all targets, one after the other, each until its time is over or an input fails.
pub fn check(workspace: &Workspace) -> bool {
    if !TOOLS.iter().all(|tool| workspace.succeeds(tool)) {
        return false;
    }
    let targets = targets(&workspace.root);
    let seconds = (60 * workspace.minutes) / (targets.len() as u64).max(1);
    let mut all = 0;
    for target in &targets {
        println!("$ cargo +nightly fuzz run {target} -- -max_total_time={seconds}");
        let Some(executed) = run(&workspace.root, target, seconds) else {
            println!("{target}: failed; the input is in fuzz/artifacts/{target}");
            return false;
        };
        println!("{target}: {executed} inputs");
        all += executed;
    }
    println!("{} targets, {all} inputs", targets.len());
    !targets.is_empty()
}

/// The names of the targets.
fn targets(root: &Path) -> Vec<String> {
    let folder = fs::read_dir(root.join("fuzz/fuzz_targets"));
    let files = folder.into_iter().flatten().flatten();
    let names = files.filter_map(|file| {
        let name = file.file_name().into_string().ok()?;
        Some(name.strip_suffix(".rs")?.to_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// What a target begins with: its own folder, where libFuzzer keeps what reaches new code, and
/// files that are right, from which it gets further than from nothing. Models are the golden ones.
fn seeds(target: &str) -> Vec<String> {
    let kept = format!("fuzz/corpus/{target}");
    match target {
        "load_model" => vec![kept, "tests/data".to_owned()],
        _ => vec![kept, format!("fuzz/seeds/{target}")],
    }
}

/// How many inputs a target ran; `None` if one failed or the target does not build.
fn run(root: &Path, target: &str, seconds: u64) -> Option<u64> {
    let tools = root.join("target/tools/bin");
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([tools].into_iter().chain(env::split_paths(&path))).ok()?;
    let mut seeds = seeds(target);
    fs::create_dir_all(root.join(&seeds[0])).ok()?;
    seeds.retain(|folder| root.join(folder).is_dir());
    let mut child = Command::new("cargo")
        .args(["+nightly", "fuzz", "run", target])
        .args(seeds)
        .arg("--")
        .arg(format!("-max_total_time={seconds}"))
        .args(["-print_final_stats=1", "-rss_limit_mb=4096", "-verbosity=0"])
        .current_dir(root)
        .env("PATH", path)
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut executed = None;
    for line in BufReader::new(child.stderr.take()?)
        .lines()
        .map_while(Result::ok)
    {
        match line.strip_prefix(EXECUTED) {
            Some(count) => executed = count.trim().parse().ok(),
            None if line.starts_with("stat::") || line.starts_with("\tNEW_FUNC") => {}
            None => println!("{line}"),
        }
    }
    child.wait().ok()?.success().then_some(executed)?
}
