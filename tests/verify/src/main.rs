//! `cargo verify`: every test there is, by one command.
//!
//! Each part installs what it needs or says in one line what to install. A part that cannot run has
//! failed. What `--without-data` leaves out is counted and listed at the end.

mod data;
mod fuzz;
mod mutants;
mod notices;
mod parts;
mod quick;
mod release;
mod structure;
mod tools;

use parts::{PARTS, Part, Program, Work};
use std::{
    num::NonZero,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    thread::available_parallelism,
    time::Instant,
};

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
    let workspace = Workspace::new(&arguments);
    let chosen = PARTS.iter().filter(|part| {
        let named = arguments.parts.iter().any(|name| name == part.name);
        named || arguments.parts.is_empty() && !part.only_named
    });
    let (start, mut passed, mut failed) = (Instant::now(), 0, Vec::new());
    for part in chosen {
        println!("\n== {}: {}", part.name, part.shows);
        let start = Instant::now();
        if part.needs.iter().all(is_there) && workspace.passes(part) {
            passed += 1;
            println!(
                "== {}: passed in {:.0} s",
                part.name,
                start.elapsed().as_secs_f64()
            );
        } else {
            println!(
                "== {}: FAILED in {:.0} s",
                part.name,
                start.elapsed().as_secs_f64()
            );
            failed.push(part.name);
        }
    }
    if let Some(left_out) = &workspace.left_out {
        left_out.tell();
    }
    if !failed.is_empty() {
        println!("\nfailed: {}", failed.join(", "));
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "\nverify: {passed} passed, {} failed in {seconds:.0} s",
        failed.len()
    );
    if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Whether a program can be run; if not, says in one line how to get it.
fn is_there(program: &Program) -> bool {
    let ran = Command::new(program.name)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let there = ran.is_ok_and(|status| status.success());
    if !there {
        println!("{} is missing: {}", program.name, program.install);
    }
    there
}

/// How many tests of a program run at once.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// A program of the workspace, which lies beside this one.
fn compiled(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Where commands run, and how.
pub struct Workspace {
    root: PathBuf,
    left_out: Option<data::LeftOut>,
    /// Whether everything is tested. Then nothing is compiled for a next edit or for a debugger,
    /// which takes a third longer; what single parts and developers compile stays beside it.
    whole: bool,
    /// How long what has no end goes on.
    minutes: u64,
}

impl Workspace {
    fn new(arguments: &Arguments) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let left_out = arguments.without_data.then(|| data::LeftOut::begin(&root));
        Self {
            root,
            left_out,
            whole: arguments.parts.is_empty(),
            minutes: arguments.minutes.unwrap_or(10),
        }
    }

    fn passes(&self, part: &Part) -> bool {
        match part.work {
            Work::Check(check) => check(self),
            Work::Commands(commands) => commands.iter().all(|command| self.succeeds(command)),
        }
    }

    /// Runs a command at the root of the workspace, its output going where ours goes.
    fn succeeds<S: AsRef<str>>(&self, words: &[S]) -> bool {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let Some((program, arguments)) = words.split_first() else {
            return true;
        };
        println!("$ {}", words.join(" "));
        let mut command = match program.strip_prefix("target/") {
            Some(name) => Command::new(compiled(name)),
            None => Command::new(program),
        };
        command
            .args(arguments)
            .current_dir(&self.root)
            .env("RUSTDOCFLAGS", "-D warnings")
            .stdin(Stdio::null());
        if std::env::var_os(TEST_THREADS).is_none() {
            // One waits for a server or a clock, as a rule.
            let cores = available_parallelism().map_or(1, NonZero::get);
            command.env(TEST_THREADS, (cores + 1).to_string());
        }
        if self.whole {
            command
                .env("CARGO_INCREMENTAL", "0")
                .env("CARGO_PROFILE_DEV_DEBUG", "0");
        }
        if let Some(left_out) = &self.left_out {
            command.env(data::VARIABLE, left_out.list());
        }
        match command.status() {
            Ok(status) => status.success(),
            Err(error) => {
                println!("cannot run {program}: {error}");
                false
            }
        }
    }
}
