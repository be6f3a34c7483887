//! The commands of the README run as they stand there.

use super::folder::Folder;
use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

/// The contents of the blocks that are marked as `sh`.
fn blocks(markdown: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in markdown.lines() {
        match (&mut block, line) {
            (None, "```sh") => block = Some(String::new()),
            (Some(_), "```") => blocks.extend(block.take()),
            (Some(text), _) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, _) => {}
        }
    }
    blocks
}

#[test]
#[cfg(unix)]
fn every_block_of_commands_runs() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    for verb in [
        "train", "predict", "evaluate", "inspect", "compact", "verify",
    ] {
        assert!(readme.contains(&format!("\nhapax {verb} ")), "no {verb}");
    }
    run(&blocks(&readme));
}

#[test]
#[cfg(unix)]
fn the_table_of_the_page_on_formats_is_read() {
    run(&blocks(include_str!("../../../docs/formats.md")));
}

#[test]
#[cfg(unix)]
fn the_page_on_scores_runs() {
    run(&blocks(include_str!("../../../docs/scores.md")));
}

/// Runs all blocks in one folder: later ones use the files of earlier ones.
#[cfg(unix)]
fn run(blocks: &[String]) {
    assert!(!blocks.is_empty());
    let folder = Folder::new();
    let built = Path::new(env!("CARGO_BIN_EXE_hapax")).parent().unwrap();
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(
        [built.to_owned()]
            .into_iter()
            .chain(env::split_paths(&others)),
    );
    let path = path.unwrap();
    for block in blocks {
        let ran = Command::new("sh")
            .args(["-e", "-c", block])
            .current_dir(folder.path(""))
            .env("PATH", &path)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let (out, err) = (
            String::from_utf8_lossy(&ran.stdout),
            String::from_utf8_lossy(&ran.stderr),
        );
        assert!(ran.status.success(), "{block}\n{out}\n{err}");
        assert!(!out.is_empty(), "{block}");
        assert!(!err.contains("warning"), "{err}");
    }
}

#[test]
fn blocks_are_found() {
    let text = "a\n```sh\none\ntwo\n```\n```console\n$ no\n```\n```sh\nthree\n```\n";
    assert_eq!(blocks(text), ["one\ntwo\n", "three\n"]);
}
