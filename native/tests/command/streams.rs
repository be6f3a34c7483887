//! Readers that leave early, and interruptions.

use super::folder::{finish, with_row_model, with_text_model};
use std::process::Stdio;

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let folder = with_text_model();
    folder.write("many.tsv", "where is my card\tx\n".repeat(20_000));
    for verb in [
        "predict m many.tsv",
        "evaluate m train.tsv",
        "inspect m",
        "inspect train.tsv",
        "verify m",
        "completions bash",
    ] {
        let mut child = folder.command(verb).spawn().unwrap();
        // Nobody will read what it prints.
        drop(child.stdout.take());
        let ran = finish(child);
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{verb}");
    }
}

#[test]
fn nobody_has_to_read_the_messages() {
    let folder = with_text_model();
    for (verb, status) in [("predict m", 0), ("inspect absent", 2)] {
        let mut child = folder.command(verb).stdin(Stdio::piped()).spawn().unwrap();
        drop(child.stderr.take());
        drop(child.stdin.take());
        assert_eq!(finish(child).status, Some(status), "{verb}");
    }
}

#[test]
#[cfg(unix)]
fn an_interrupted_reading_leaves_nothing_behind() {
    // Where this test is run in the background, interrupts are ignored, and so they would be by
    // what it starts: what is heard here (and ends this program as ever) is not ignored there.
    let heard = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    signal_hook::flag::register_conditional_default(signal_hook::consts::SIGINT, heard).unwrap();
    let folder = with_row_model();
    let before = (folder.files(), folder.read("m"));
    let mut child = folder
        .command("train nearest - -o m")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // It reads, and more never comes.
    let stdin = child.stdin.take();
    std::thread::sleep(std::time::Duration::from_millis(300));
    let id = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(sent.unwrap().success());
    assert!(!child.wait().unwrap().success());
    drop(stdin);
    assert_eq!((folder.files(), folder.read("m")), before);
}
