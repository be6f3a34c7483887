//! Where parts run, and how: one after the other, or two rows of them side by side.

use super::{
    Arguments, data,
    parts::{GROUPS, PARTS, Part, Program, Work},
    tools::INSTALLATIONS,
};
use std::{
    fs::{self, File},
    io::Write,
    num::NonZero,
    path::{Path, PathBuf},
    process::{Command, ExitStatus, Stdio},
    thread::{self, available_parallelism},
    time::Instant,
};

/// How many tests of a program run at once.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

/// The workspace, and what holds for all that runs in it.
pub struct Workspace {
    pub root: PathBuf,
    pub left_out: Option<data::LeftOut>,
    /// Whether everything is tested. Then nothing is compiled for a next edit or for a debugger,
    /// which takes a third longer; what single parts and developers compile stays beside it.
    whole: bool,
    /// How long what has no end goes on.
    pub minutes: u64,
}

/// What goes on in one row of parts: where it says so, and what needs not run again.
struct Row<'a> {
    workspace: &'a Workspace,
    /// The file that takes what is printed, in place of the terminal.
    log: Option<&'a File>,
    installed: &'a [&'static [&'static str]],
}

impl Workspace {
    pub fn new(arguments: &Arguments) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let left_out = arguments.without_data.then(|| data::LeftOut::begin(&root));
        Self {
            root,
            left_out,
            whole: arguments.parts.is_empty(),
            minutes: arguments.minutes.unwrap_or(10),
        }
    }

    /// Runs the named parts, and names those that failed.
    pub fn run(&self, names: &[&str]) -> Vec<&'static str> {
        self.row(None, &[]).run(names)
    }

    /// Runs all that need not be named: how many they are, and the names of those that failed.
    pub fn run_all(&self) -> (usize, Vec<&'static str>) {
        let mut installed = INSTALLATIONS.to_vec();
        installed.retain(|command| self.succeeds(command));
        let (mut ran, mut failed) = (0, Vec::new());
        for [first, second] in GROUPS {
            ran += first.len() + second.len();
            failed.extend(self.run_beside(first, second, &installed));
        }
        (ran, failed)
    }

    /// Runs two rows of parts side by side. What the second prints follows what the first does.
    fn run_beside(
        &self,
        first: &[&str],
        second: &[&str],
        installed: &[&'static [&'static str]],
    ) -> Vec<&'static str> {
        let path = self.root.join("target/verify.log");
        let log = match File::create(&path) {
            Ok(log) => log,
            Err(error) => {
                println!("cannot write {}: {error}", path.display());
                return self.row(None, installed).run(&[first, second].concat());
            }
        };
        let names = second.join(", ");
        println!("\n== beside what follows: {names} (told afterwards; now in target/verify.log)");
        thread::scope(|scope| {
            let beside = scope.spawn(|| self.row(Some(&log), installed).run(second));
            let mut failed = self.row(None, installed).run(first);
            failed.extend(beside.join().unwrap_or_else(|_| vec!["a thread"]));
            print!(
                "{}",
                String::from_utf8_lossy(&fs::read(&path).unwrap_or_default())
            );
            failed
        })
    }

    fn row<'a>(
        &'a self,
        log: Option<&'a File>,
        installed: &'a [&'static [&'static str]],
    ) -> Row<'a> {
        Row {
            workspace: self,
            log,
            installed,
        }
    }

    /// Runs a command at the root of the workspace, its output going where ours goes.
    pub fn succeeds<S: AsRef<str>>(&self, words: &[S]) -> bool {
        self.row(None, &[]).succeeds(words)
    }

    /// A command at the root of the workspace.
    fn command(&self, program: &str, arguments: &[&str]) -> Command {
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
        command
    }
}

impl Row<'_> {
    /// Runs the named parts one after the other, and names those that failed.
    fn run(&self, names: &[&str]) -> Vec<&'static str> {
        let named = names
            .iter()
            .filter_map(|&name| PARTS.iter().find(|part| part.name == name));
        named
            .filter(|part| !self.passes(part))
            .map(|part| part.name)
            .collect()
    }

    fn passes(&self, part: &Part) -> bool {
        self.tell(&format!("\n== {}: {}", part.name, part.shows));
        let start = Instant::now();
        let passes = part.needs.iter().all(|program| self.is_there(program))
            && match part.work {
                Work::Check(check) => check(self.workspace),
                Work::Commands(commands) => commands
                    .iter()
                    .all(|command| self.installed.contains(command) || self.succeeds(command)),
            };
        let outcome = if passes { "passed" } else { "FAILED" };
        let seconds = start.elapsed().as_secs_f64();
        self.tell(&format!("== {}: {outcome} in {seconds:.0} s", part.name));
        passes
    }

    /// Whether a program can be run; if not, says in one line how to get it.
    fn is_there(&self, program: &Program) -> bool {
        let ran = Command::new(program.name)
            .arg("--version")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let there = ran.is_ok_and(|status| status.success());
        if !there {
            self.tell(&format!("{} is missing: {}", program.name, program.install));
        }
        there
    }

    /// Runs a command at the root of the workspace.
    fn succeeds<S: AsRef<str>>(&self, words: &[S]) -> bool {
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        let Some((program, arguments)) = words.split_first() else {
            return true;
        };
        self.tell(&format!("$ {}", words.join(" ")));
        let status = self.status(self.workspace.command(program, arguments));
        if let Err(error) = &status {
            self.tell(&format!("cannot run {program}: {error}"));
        }
        status.is_ok_and(|status| status.success())
    }

    /// The status of a command whose output goes where this row's goes.
    fn status(&self, mut command: Command) -> std::io::Result<ExitStatus> {
        if let Some(log) = self.log {
            command.stdout(log.try_clone()?).stderr(log.try_clone()?);
        }
        command.status()
    }

    fn tell(&self, line: &str) {
        match self.log {
            // What cannot be written is not worth failing for: the outcome is told at the end.
            Some(mut log) => drop(writeln!(log, "{line}")),
            None => println!("{line}"),
        }
    }
}

/// A program of the workspace, which lies beside this one.
fn compiled(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_name_parts_and_each_once() {
        let names: Vec<&str> = GROUPS.concat().concat();
        for (position, name) in names.iter().enumerate() {
            assert!(PARTS.iter().any(|part| part.name == *name), "{name}");
            assert!(!names[..position].contains(name), "{name}");
        }
    }

    #[test]
    fn second_rows_print_nothing_but_by_commands() {
        for name in GROUPS.iter().flat_map(|[_, second]| second.iter()) {
            let part = PARTS.iter().find(|part| part.name == *name).unwrap();
            assert!(matches!(part.work, Work::Commands(_)), "{name}");
        }
    }
}
