//! The parts of `cargo verify`, and the order in which they run.

use super::{
    Workspace, fuzz, memory, mutants, notices, quick, release, structure,
    tools::{
        BOOK, C_COMPILER, CHROMIUM, CLIPPY, COMMAND, CORTEX_M, DENY, MINGW, NPM, NPM_INSTALL,
        NPM_WORDNET, OLDEST, PROGRAMS, PYTHON, REPRODUCIBLE, RUSTFMT, RUSTUP, SEMVER, TESTED,
        cargo_tool,
    },
};

/// A part of the verification: a name, what it shows, and the programs that must be there.
pub struct Part {
    pub name: &'static str,
    pub shows: &'static str,
    pub needs: &'static [Program],
    pub work: Work,
}

/// What a part does.
pub enum Work {
    /// Commands that must all succeed, run at the root of the workspace.
    Commands(&'static [&'static [&'static str]]),
    /// A function, which prints what is wrong.
    Check(fn(&Workspace) -> bool),
}

use Work::{Check, Commands};

/// A program that is not ours, and how to get it.
pub struct Program {
    pub name: &'static str,
    pub install: &'static str,
}

/// Those that run where none is named: groups one after the other, in each of them two rows of
/// parts side by side, for one part seldom keeps two cores busy. What cargo compiles for one row of
/// a group keeps the other waiting, so rows of a group share little that is compiled. What
/// `hapax web` carries is part of what the second group tests. Second rows are of commands alone,
/// whose output can be kept until the first has ended.
pub const GROUPS: &[[&[&str]; 2]] = &[
    [
        &[
            "format",
            "structure",
            "peers",
            "notices",
            "lints",
            "documentation",
        ],
        &["bare-metal", "wasm"],
    ],
    [&["tests"], &["node", "page", "edge"]],
];

/// All parts.
pub const PARTS: &[Part] = &[
    Part {
        name: "format",
        shows: "the sources are formatted",
        needs: &[RUSTUP],
        work: Commands(&[RUSTFMT, &["cargo", "fmt", "--all", "--check"]]),
    },
    Part {
        name: "structure",
        shows: "the sources keep the rules of docs/architecture.md",
        needs: &[],
        work: Check(|workspace| structure::check(&workspace.root)),
    },
    Part {
        name: "quick",
        shows: "format, structure, clippy and unit tests of what differs from main (only if named)",
        needs: &[RUSTUP, C_COMPILER],
        work: Check(quick::check),
    },
    Part {
        name: "lints",
        shows: "the compiler and clippy have no warnings",
        needs: &[RUSTUP, C_COMPILER],
        work: Commands(&[
            CLIPPY,
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
        ]),
    },
    Part {
        name: "documentation",
        shows: "the documentation builds without warnings",
        needs: &[C_COMPILER],
        work: Commands(&[&["cargo", "doc", "--workspace", "--no-deps", "--quiet"]]),
    },
    Part {
        name: "bare-metal",
        shows: "the core needs no operating system: a Cortex-M4 answers to the bit, from flash",
        needs: &[RUSTUP],
        work: Commands(&[
            CORTEX_M,
            &["sh", "tests/bare-metal/qemu.sh"],
            PROGRAMS,
            &["target/bare-metal"],
        ]),
    },
    Part {
        name: "wasm",
        shows: "the npm package builds, and its files are within their limits",
        needs: &[RUSTUP, C_COMPILER, NPM],
        work: Commands(&[
            NPM_INSTALL,
            PROGRAMS,
            &["target/build-wasm"],
            &["npm", "--prefix", "wasm", "run", "types"],
        ]),
    },
    Part {
        name: "node",
        shows: "the package in Node: scores, bytes and errors as the command's, in little memory",
        needs: &[C_COMPILER, NPM],
        work: Commands(&[NPM_INSTALL, TESTED, &["npm", "--prefix", "wasm", "test"]]),
    },
    Part {
        name: "tests",
        shows: "unit, property, command, README and documentation tests",
        needs: &[C_COMPILER, NPM],
        work: Commands(&[
            NPM_WORDNET,
            &["cargo", "test", "--workspace", "--no-fail-fast"],
        ]),
    },
    Part {
        name: "peers",
        shows: "what the comparison with other systems computes from their figures",
        needs: &[PYTHON],
        work: Commands(&[&[
            "python3",
            "-B",
            "-m",
            "unittest",
            "discover",
            "--quiet",
            "--start-directory",
            "benches/peers",
        ]]),
    },
    Part {
        name: "page",
        shows: "pages of hapax web in a real browser, with and without a network",
        needs: &[RUSTUP, C_COMPILER, NPM],
        work: Commands(&[
            CHROMIUM,
            NPM_WORDNET,
            NPM_INSTALL,
            PROGRAMS,
            &["target/build-wasm"],
            TESTED,
            &["npm", "test", "--prefix", "www"],
        ]),
    },
    Part {
        name: "edge",
        shows: "the example worker in workerd: answers as the command",
        needs: &[C_COMPILER, NPM],
        work: Commands(&[
            NPM_INSTALL,
            TESTED,
            &["npm", "--prefix", "wasm", "run", "edge"],
        ]),
    },
    Part {
        name: "notices",
        shows: "THIRD-PARTY.txt of command, npm package and wheel names what they contain",
        needs: &[],
        work: Check(notices::check),
    },
    Part {
        name: "book",
        shows: "docs builds as an mdBook without warnings (only if named)",
        needs: &[],
        work: Commands(&[
            cargo_tool!("--no-default-features", "mdbook@0.5.4"),
            &["sh", "-ec", BOOK],
        ]),
    },
    Part {
        name: "supply",
        shows: "licenses, duplicates and sources by deny.toml; the oldest Rust (only if named)",
        needs: &[RUSTUP, C_COMPILER],
        work: Commands(&[
            cargo_tool!("cargo-deny@0.20.2"),
            &["sh", "-ec", DENY],
            &["sh", "-ec", OLDEST],
        ]),
    },
    Part {
        name: "semver",
        shows: "the library's interface against the last release that was tagged (only if named)",
        needs: &[RUSTUP, C_COMPILER],
        work: Commands(&[
            cargo_tool!("cargo-semver-checks@0.51.0"),
            &["sh", "-ec", SEMVER],
        ]),
    },
    Part {
        name: "release",
        shows: "crates as published, an archive built from them, other targets (only if named)",
        needs: &[RUSTUP, PYTHON],
        work: Check(release::check),
    },
    Part {
        name: "reproducible",
        shows: "two clones build the same bytes of command, wasm and tarball (only if named)",
        needs: &[RUSTUP, C_COMPILER, NPM],
        work: Commands(&[&["sh", "-ec", REPRODUCIBLE]]),
    },
    Part {
        name: "demo",
        shows: "pages of cargo demo in a real browser, its dictionary in workerd (only if named)",
        needs: &[RUSTUP, C_COMPILER, NPM, PYTHON],
        work: Commands(&[
            CHROMIUM,
            NPM_WORDNET,
            NPM_INSTALL,
            PROGRAMS,
            &["target/build-wasm"],
            COMMAND,
            &["npm", "run", "demo", "--prefix", "www"],
            &["npm", "--prefix", "wasm", "run", "edge-demo"],
        ]),
    },
    Part {
        name: "python",
        shows: "the wheel on the oldest and newest CPython found: bytes as the command's (only if named)",
        needs: &[RUSTUP, C_COMPILER, PYTHON, NPM],
        work: Commands(&[
            NPM_INSTALL,
            &["cargo", "build-wasm"],
            COMMAND,
            &["sh", "python/verify.sh"],
        ]),
    },
    Part {
        name: "fuzz",
        shows: "readers, states and sequences against arbitrary bytes, for --minutes (only if named)",
        needs: &[RUSTUP, C_COMPILER],
        work: Check(fuzz::check),
    },
    Part {
        name: "memory",
        shows: "no use of memory that is not defined: Miri, AddressSanitizer (only if named)",
        needs: &[RUSTUP, C_COMPILER],
        work: Check(memory::check),
    },
    Part {
        name: "mutants",
        shows: "tests notice each small error planted in what the rest stands on (only if named)",
        needs: &[RUSTUP, C_COMPILER],
        work: Check(mutants::check),
    },
    Part {
        name: "sets",
        shows: "the bytes of Python, JavaScript and the command on every data set (only if named)",
        needs: &[RUSTUP, C_COMPILER, PYTHON, NPM],
        work: Commands(&[
            NPM_INSTALL,
            &["cargo", "build-wasm"],
            COMMAND,
            &["sh", "python/verify.sh", "sets"],
        ]),
    },
    Part {
        name: "wheels",
        shows: "the source distribution and wheels as published, Windows and macOS too (only if named)",
        needs: &[RUSTUP, PYTHON, MINGW],
        work: Commands(&[&["sh", "python/wheels.sh"]]),
    },
    Part {
        name: "web",
        shows: "the npm tarball in bundlers, browsers and runtimes, by docs/web.md (only if named)",
        needs: &[RUSTUP, C_COMPILER, NPM],
        work: Commands(&[
            CHROMIUM,
            &["sh", "www/tests/browser.sh", "firefox"],
            NPM_INSTALL,
            &["cargo", "build-wasm", "--threads"],
            &[
                "npm",
                "--prefix",
                "wasm/hosts",
                "install",
                "--no-save",
                "--no-fund",
            ],
            TESTED,
            &["npm", "--prefix", "wasm/hosts", "test"],
        ]),
    },
    Part {
        name: "mpi",
        shows: "several processes train one machine (only if named: needs MPI and libclang)",
        needs: &[C_COMPILER],
        work: Commands(&[
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
        ]),
    },
];
