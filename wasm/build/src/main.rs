//! `cargo build-wasm`: the npm package `hapax` in `wasm/dist`, from its sources.
//!
//! The crate is built for plain WebAssembly and with 128-bit vectors, each whole, with nearest
//! neighbors only, and with training; wasm-bindgen, as a library pinned by Cargo.lock,
//! writes the bindings; binaryen, from npm, makes the files smaller; and every file is weighed
//! against `limits.txt`. What a page needs of it goes to `native/dist`, for `hapax web`.
//!
//! `cargo build-wasm --threads` adds `hapax/threads`, whose standard library is one of its own.

mod artifact;
mod bindings;
mod unchanged;
mod weigh;

use artifact::{Instructions, Part, build};
use brotli::enc::BrotliEncoderParams;
use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    thread,
};
use unchanged::Note;

/// The folders that the build reads and writes.
struct Folders {
    /// The root of the workspace.
    root: PathBuf,
    /// The crate `hapax-wasm`.
    wasm: PathBuf,
    /// The finished package.
    dist: PathBuf,
}

/// What a page needs of the package to answer. The command carries these files, those of wasm
/// compressed.
const FOR_PAGES: [&str; 20] = [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "THIRD-PARTY.txt",
    "bindings.js",
    "browser.js",
    "classes.js",
    "errors.js",
    "given.js",
    "hapax.wasm",
    "hapax_simd.wasm",
    "host.js",
    "lifetime.js",
    "load.js",
    "model.js",
    "prepare.js",
    "problem.js",
    "simd.js",
    "values.js",
    "worker.js",
    "worker_thread.js",
];

/// What an option adds to the package.
const THREADS: &str = "--threads";

/// Loaders of runtimes that have no pages, and so no part of the threads.
const FOR_SERVERS: [&str; 2] = ["node.js", "workerd.js"];

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let threads = match &words[..] {
        [] => false,
        [word] if word == THREADS => true,
        _ => {
            eprintln!("build-wasm: {words:?} is no option: there is {THREADS}");
            return ExitCode::from(2);
        }
    };
    match run(threads) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("build-wasm: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether every file is within its limit.
fn run(threads: bool) -> Result<bool, Box<dyn Error>> {
    let wasm = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
    let folders = Folders {
        root: wasm.join(".."),
        dist: wasm.join("dist"),
        wasm,
    };
    let note = Note::new(&folders.root, threads);
    if !note.is_true() {
        make(&folders, threads)?;
        note.write()?;
    }
    let mut limits = fs::read_to_string(folders.wasm.join("build/limits.txt"))?;
    if !threads {
        limits = without_threads(&limits);
    }
    Ok(weigh::weigh(&folders.dist, &limits)?)
}

/// Makes the package, and what `hapax web` takes of it.
fn make(folders: &Folders, threads: bool) -> Result<(), Box<dyn Error>> {
    for words in [
        ["target", "add", "wasm32-unknown-unknown"],
        ["component", "add", "rust-src"],
    ] {
        command("rustup", &words, &folders.root)?;
    }
    if !folders.wasm.join("node_modules/binaryen").is_dir() {
        command(
            "npm",
            &["install", "--no-save", "--no-fund", "--no-audit"],
            &folders.wasm,
        )?;
    }
    match fs::remove_dir_all(&folders.dist) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
        _ => fs::create_dir_all(&folders.dist)?,
    }
    let parts = [Part::Whole, Part::Nearest, Part::Train];
    for part in parts {
        lay_out(folders, part)?;
    }
    // Linking and binaryen have one thread each: the two kinds of instructions side by side.
    let all = |instructions| -> Result<(), String> {
        let mut parts = parts.into_iter();
        parts.try_for_each(|part| {
            build(folders, instructions, part).map_err(|error| error.to_string())
        })
    };
    thread::scope(|scope| {
        let simd = scope.spawn(|| all(Instructions::Simd));
        all(Instructions::Baseline)?;
        simd.join().map_err(|_| "a thread of the build panicked")?
    })?;
    if threads {
        lay_out(folders, Part::Threads)?;
        build(folders, Instructions::Threads, Part::Threads)?;
    } else {
        leave_out_threads(&folders.dist.join("package.json"))?;
    }
    for (from, name) in [
        ("wasm/README.md", "README.md"),
        ("docs/web.md", "web.md"),
        ("CHANGELOG.md", "CHANGELOG.md"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
        ("LICENSE-MIT", "LICENSE-MIT"),
        ("wasm/THIRD-PARTY.txt", "THIRD-PARTY.txt"),
    ] {
        // They lie in one folder there.
        let text = fs::read_to_string(folders.root.join(from))?.replace("../docs/web.md", "web.md");
        fs::write(folders.dist.join(name), text)?;
    }
    Ok(hand_over(&folders.dist, &folders.root.join("native/dist"))?)
}

/// Copies what a part of the package holds beside what is compiled.
fn lay_out(folders: &Folders, part: Part) -> Result<(), Box<dyn Error>> {
    let folder = part.folder(&folders.dist);
    fs::create_dir_all(&folder)?;
    for from in part.sources() {
        copy_files(&folders.wasm.join("package").join(from), &folder)?;
    }
    // What stands once, and what differs.
    if part.name().is_some() {
        fs::remove_file(folder.join("package.json"))?;
    }
    if let Part::Threads = part {
        for name in FOR_SERVERS {
            fs::remove_file(folder.join(name))?;
        }
    }
    Ok(())
}

/// The lines of a list that are not about the part of the threads.
fn without_threads(list: &str) -> String {
    let lines = list.lines().filter(|line| !line.contains("threads/"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Takes from the package's description the names of files that are not built.
fn leave_out_threads(path: &Path) -> io::Result<()> {
    fs::write(path, without_threads(&fs::read_to_string(path)?))
}

/// Copies the files of a folder, not those of folders within it.
fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// Makes a folder hold the files of [`FOR_PAGES`] and, but for hidden ones, no others. Equal files
/// stay as they are, so that cargo does not compile the command again.
fn hand_over(dist: &Path, folder: &Path) -> io::Result<()> {
    let mut files = BTreeMap::new();
    for name in FOR_PAGES {
        let bytes = fs::read(dist.join(name))?;
        let file = match name.ends_with(".wasm") {
            true => (format!("{name}.br"), brotlied(&bytes)?),
            false => (name.to_owned(), bytes),
        };
        files.extend([file]);
    }
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with('.') && !files.contains_key(&*name) {
            fs::remove_file(folder.join(&*name))?;
        }
    }
    for (name, bytes) in files {
        let target = folder.join(name);
        if !fs::read(&target).is_ok_and(|there| there == bytes) {
            fs::write(target, bytes)?;
        }
    }
    Ok(())
}

fn brotlied(mut bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    brotli::BrotliCompress(&mut bytes, &mut out, &BrotliEncoderParams::default())?;
    Ok(out)
}

/// Runs a program and fails if it does.
fn command(program: &str, arguments: &[&str], folder: &Path) -> Result<(), Box<dyn Error>> {
    let status = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .status()
        .map_err(|error| format!("cannot run {program} ({error}): install it and try again"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{program} {} failed", arguments.join(" ")).into())
    }
}
