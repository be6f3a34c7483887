//! `cargo verify`: every test there is, by one command.
//!
//! Each part installs what it needs or says in one line what to install. A part that cannot run has
//! failed. What `--without-data` leaves out is counted and listed at the end.

mod data;
mod fuzz;
mod memory;
mod mutants;
mod notices;
mod parts;
mod quick;
mod release;
mod structure;
mod tools;
mod workspace;

use parts::PARTS;
use std::{process::ExitCode, time::Instant};
use workspace::Workspace;

const USAGE: &str = "\
Runs every test of hapax: style, structure, documentation, unit, property and documentation tests,
the command as a user runs it, the core on bare metal, the npm package, and pages in a browser.

Usage: cargo verify [--without-data] [--minutes N] [PART]...
       cargo verify --list

  PART            Only these parts
  --list          Name the parts and what each does
  --without-data  Leave out tests whose data sets are absent, and list them
  --minutes N     How long part fuzz runs [default: 10]";

/// What is asked for.
#[derive(Default)]
struct Arguments {
    parts: Vec<String>,
    list: bool,
    without_data: bool,
    minutes: Option<u64>,
}

impl Arguments {
    /// Reads the arguments; the error is what to print.
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--list" => arguments.list = true,
                "--without-data" => arguments.without_data = true,
                "--minutes" => {
                    let minutes = words.next().and_then(|word| word.parse().ok());
                    let minutes = minutes.filter(|&minutes| minutes > 0);
                    let wrong = || "verify: --minutes takes a number from 1 on".to_owned();
                    arguments.minutes = Some(minutes.ok_or_else(wrong)?);
                }
                "--help" | "-h" => return Err(USAGE.to_owned()),
                name if PARTS.iter().any(|part| part.name == name) => arguments.parts.push(word),
                _ => {
                    return Err(format!(
                        "verify: there is no part '{word}': see cargo verify --list"
                    ));
                }
            }
        }
        Ok(arguments)
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::read(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if arguments.list {
        for part in PARTS {
            println!("{:<14} {}", part.name, part.shows);
        }
        return ExitCode::SUCCESS;
    }
    let start = Instant::now();
    let workspace = Workspace::new(&arguments);
    let (ran, failed) = if arguments.parts.is_empty() {
        workspace.run_all()
    } else {
        let names: Vec<&str> = arguments.parts.iter().map(String::as_str).collect();
        (names.len(), workspace.run(&names))
    };
    if let Some(left_out) = &workspace.left_out {
        left_out.tell();
    }
    if !failed.is_empty() {
        println!("\nfailed: {}", failed.join(", "));
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "\nverify: {} passed, {} failed in {seconds:.0} s",
        ran - failed.len(),
        failed.len()
    );
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
