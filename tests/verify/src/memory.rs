//! `cargo verify memory`: what no test can see of itself. An interpreter, Miri, runs every solver
//! on six rows, as on a machine of 32 bits, and the loops of AVX2; AddressSanitizer runs the tests
//! of all loops with the widest instructions there are. Either ends at the first use of memory that
//! is not there, and Miri at any that Rust does not define.

use super::{Workspace, tools::NIGHTLY};
use std::process::Command;

/// A program run on nightly Rust.
struct Run {
    /// Flags of the compiler.
    flags: &'static str,
    arguments: &'static [&'static str],
}

const RUNS: [Run; 3] = [
    // Where addresses have 32 bits, and where libm computes roots without assembly.
    Run {
        flags: "",
        arguments: &[
            "miri",
            "test",
            "--package=hapax-core",
            "--test=all",
            "--target=armv7-unknown-linux-gnueabihf",
            "--",
            "toy_size::",
        ],
    },
    // Miri has the instructions that it is told of, and lacks some of AVX-512.
    Run {
        flags: "-Ctarget-feature=+avx2,+bmi1,+bmi2,+popcnt",
        arguments: &[
            "miri",
            "test",
            "--package=hapax",
            "--package=hapax-processor",
            "--lib",
            "--",
            "every_kernel_adds_the_same_heads",
            "every_set_of_instructions_runs_loops",
        ],
    },
    // With a target named, build scripts and macros are compiled without the sanitizer.
    Run {
        flags: "-Zsanitizer=address",
        arguments: &[
            "test",
            "--quiet",
            "--package=hapax-core",
            "--package=hapax",
            "--lib",
            "--test=all",
            "--target=x86_64-unknown-linux-gnu",
            "--",
            "kernels::",
            "mach::",
            "exact::bits",
            "embedding::",
            "one_vs_rest::",
        ],
    },
];

/// Runs all; whether none found anything.
pub fn check(workspace: &Workspace) -> bool {
    workspace.succeeds(NIGHTLY) && RUNS.iter().all(|run| succeeds(workspace, run))
}

fn succeeds(workspace: &Workspace, run: &Run) -> bool {
    println!(
        "$ RUSTFLAGS={} cargo +nightly {}",
        run.flags,
        run.arguments.join(" ")
    );
    let status = Command::new("cargo")
        .arg("+nightly")
        .args(run.arguments)
        .current_dir(&workspace.root)
        .env("RUSTFLAGS", run.flags)
        // The clock and the seed of the system, which tests of random cases ask for.
        .env("MIRIFLAGS", "-Zmiri-disable-isolation")
        .env("CARGO_TARGET_DIR", workspace.root.join("target/memory"))
        .status();
    status.is_ok_and(|status| status.success())
}
