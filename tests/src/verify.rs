//! `cargo verify`: every test there is, by one command.
//!
//! Each part installs what it needs or says in one line what to install. A part that cannot
//! run has failed: nothing is skipped. The part `mpi` alone runs only if it is named.

use clap::Parser;
use std::{
    path::Path,
    process::{Command, ExitCode, Stdio},
    time::Instant,
};

/// Runs every test of hapax: style, documentation, unit, property and documentation tests, the
/// command as a user runs it, the core on bare metal, and the demonstration.
#[derive(Parser)]
#[command(name = "cargo verify")]
struct Arguments {
    /// Only these parts (see --list)
    parts: Vec<String>,
    /// Name the parts and what each does
    #[arg(long)]
    list: bool,
}

/// A part of the verification: a name, what it shows, programs that must be there, and commands that must
/// all succeed.
struct Part {
    name: &'static str,
    shows: &'static str,
    needs: &'static [Program],
    /// Whether it runs only if it is named: it needs what most machines lack and most users do not want.
    only_named: bool,
    commands: &'static [&'static [&'static str]],
}

/// A program that is not ours, and how to get it.
struct Program {
    name: &'static str,
    install: &'static str,
}

const RUSTUP: Program = Program {
    name: "rustup",
    install: "install Rust by rustup (https://rustup.rs)",
};

/// The xz library is C.
const C_COMPILER: Program = Program {
    name: "cc",
    install: "install a C compiler, for example by apt-get install gcc libc6-dev",
};

const NPM: Program = Program {
    name: "npm",
    install: "install Node.js with npm, for example by apt-get install nodejs npm",
};

const PYTHON: Program = Program {
    name: "python3",
    install: "install Python 3, for example by apt-get install python3",
};

/// What the package is built and tested with.
/// `npm ci` would refuse the lock file where the registry lacks packages of other platforms.
const NPM_INSTALL: &[&str] = &["npm", "--prefix", "wasm", "install", "--no-save"];

/// The command that the package is held against. Of the demonstration's package too, or it would be compiled again for that: what is
/// compiled together decides on the features of what they share.
const COMMAND: &[&str] = &[
    "cargo",
    "build",
    "--release",
    "-p",
    "hapax",
    "-p",
    "hapax-demo",
    "--bin",
    "hapax",
    "--quiet",
];

const PARTS: &[Part] = &[
    Part {
        name: "format",
        shows: "the sources are formatted",
        needs: &[RUSTUP],
        only_named: false,
        commands: &[
            &["rustup", "component", "add", "rustfmt"],
            &["cargo", "fmt", "--all", "--check"],
        ],
    },
    Part {
        name: "lints",
        shows: "the compiler and clippy have no warnings",
        needs: &[RUSTUP, C_COMPILER],
        only_named: false,
        commands: &[
            &["rustup", "component", "add", "clippy"],
            &[
                "cargo",
                "clippy",
                "--workspace",
                "--all-targets",
                "--quiet",
                "--",
                "-D",
                "warnings",
            ],
        ],
    },
    Part {
        name: "documentation",
        shows: "the documentation builds without warnings",
        needs: &[C_COMPILER],
        only_named: false,
        commands: &[&["cargo", "doc", "--workspace", "--no-deps", "--quiet"]],
    },
    Part {
        name: "bare-metal",
        shows: "the core needs no operating system: a Cortex-M4 answers to the bit, from flash",
        needs: &[RUSTUP],
        only_named: false,
        commands: &[
            &[
                "rustup",
                "target",
                "add",
                "thumbv7em-none-eabihf",
                "wasm32v1-none",
            ],
            // For the microcontroller the core is compiled with the firmware.
            &[
                "cargo",
                "build",
                "-p",
                "hapax-core",
                "--target",
                "wasm32v1-none",
                "--quiet",
            ],
            &["sh", "tests/bare-metal/qemu.sh"],
            &[
                "cargo",
                "run",
                "-p",
                "hapax-tests",
                "--bin",
                "bare-metal",
                "--quiet",
            ],
        ],
    },
    Part {
        name: "wasm",
        shows: "the npm package builds, and its files are within their limits",
        needs: &[RUSTUP, C_COMPILER, NPM],
        only_named: false,
        commands: &[
            NPM_INSTALL,
            &["cargo", "build-wasm"],
            &["npm", "--prefix", "wasm", "run", "types"],
        ],
    },
    Part {
        name: "node",
        shows: "the package in Node: scores, bytes and errors as the command's, in little memory",
        needs: &[C_COMPILER, NPM],
        only_named: false,
        commands: &[NPM_INSTALL, COMMAND, &["npm", "--prefix", "wasm", "test"]],
    },
    Part {
        name: "tests",
        shows: "unit, property, command, README and documentation tests",
        needs: &[C_COMPILER, NPM],
        only_named: false,
        commands: &[&["cargo", "test", "--workspace", "--no-fail-fast"]],
    },
    Part {
        name: "peers",
        shows: "what the comparison with other systems computes from their figures",
        needs: &[PYTHON],
        only_named: false,
        commands: &[&[
            "python3",
            "-B",
            "-m",
            "unittest",
            "discover",
            "--quiet",
            "--start-directory",
            "benches/peers",
        ]],
    },
    Part {
        name: "demo",
        shows: "one command trains and judges both models and makes the page",
        needs: &[RUSTUP, C_COMPILER, NPM],
        only_named: false,
        commands: &[&["cargo", "demo", "--no-prompt", "--no-serve"]],
    },
    Part {
        name: "edge",
        shows: "the example worker in workerd, with the model of the demonstration too: answers as the command",
        needs: &[C_COMPILER, NPM],
        only_named: false,
        commands: &[
            NPM_INSTALL,
            COMMAND,
            &["npm", "--prefix", "wasm", "run", "edge"],
        ],
    },
    Part {
        name: "page",
        shows: "the page in a real browser: answers, evidence, teaching, damage, privacy, speed",
        needs: &[RUSTUP, C_COMPILER, NPM],
        only_named: false,
        commands: &[
            &["sh", "www/tests/chromium.sh"],
            &[
                "npm",
                "ci",
                "--prefix",
                "www",
                "--ignore-scripts",
                "--no-fund",
            ],
            COMMAND,
            &["npm", "test", "--prefix", "www"],
        ],
    },
    Part {
        name: "mpi",
        shows: "several processes train one machine (only if named: needs MPI and libclang)",
        needs: &[C_COMPILER],
        only_named: true,
        commands: &[
            &["sh", "native/tests/processes/openmpi.sh"],
            &[
                "cargo",
                "test",
                "--workspace",
                "--features",
                "hapax/mpi",
                "--test",
                "processes",
            ],
        ],
    },
];

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.list {
        for part in PARTS {
            println!("{:<14} {}", part.name, part.shows);
        }
        return ExitCode::SUCCESS;
    }
    if let Some(stranger) = arguments
        .parts
        .iter()
        .find(|name| !PARTS.iter().any(|p| p.name == **name))
    {
        eprintln!("verify: there is no part '{stranger}': see cargo verify --list");
        return ExitCode::from(2);
    }
    let chosen = PARTS.iter().filter(|part| {
        let named = arguments.parts.iter().any(|name| name == part.name);
        named || arguments.parts.is_empty() && !part.only_named
    });
    let (mut passed, mut failed) = (0, Vec::new());
    for part in chosen {
        println!("\n== {}: {}", part.name, part.shows);
        let start = Instant::now();
        let ready = part.needs.iter().all(is_there);
        if ready && part.commands.iter().all(|command| succeeds(command)) {
            passed += 1;
            println!(
                "== {}: passed in {:.0} s",
                part.name,
                start.elapsed().as_secs_f64()
            );
        } else {
            println!("== {}: FAILED", part.name);
            failed.push(part.name);
        }
    }
    if !failed.is_empty() {
        println!("\nfailed: {}", failed.join(", "));
    }
    println!("\nverify: {passed} passed, {} failed", failed.len());
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

/// Runs a command at the root of the workspace, its output going where ours goes.
fn succeeds(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return true;
    };
    println!("$ {}", words.join(" "));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let status = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .env("RUSTDOCFLAGS", "-D warnings")
        .stdin(Stdio::null())
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            println!("cannot run {program}: {error}");
            false
        }
    }
}
