//! `cargo verify release`: the crates as they would be published, an archive of the command built
//! from them, and the targets that are checked without a linker.

use super::Workspace;
use std::{fs, path::Path, path::PathBuf, process::Command};

/// The published crates, each before those that need it.
const CRATES: [&str; 3] = ["hapax-processor", "hapax-core", "hapax"];

/// What an archive is made for.
const TARGET: &str = "x86_64-unknown-linux-musl";

/// What is compiled, but not linked or run.
const CHECKED: [&str; 3] = [
    "aarch64-unknown-linux-musl",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-gnu",
];

/// What a manifest must say, beside what cargo demands.
const FIELDS: [&str; 8] = [
    "description",
    "documentation",
    "readme",
    "license",
    "keywords",
    "categories",
    "rust-version",
    "[package.metadata.docs.rs]",
];

/// The shells whose completions go into an archive, and the names under which they look for them.
const SHELLS: [(&str, &str); 3] = [
    ("bash", "hapax.bash"),
    ("zsh", "_hapax"),
    ("fish", "hapax.fish"),
];

/// Packages and archives lie in `target/release-archives`.
pub fn check(workspace: &Workspace) -> bool {
    match make(workspace) {
        Ok(()) => true,
        Err(problem) => {
            println!("{problem}");
            false
        }
    }
}

fn make(workspace: &Workspace) -> Result<(), String> {
    let root = workspace.root.canonicalize().map_err(failed("the root"))?;
    let version = env!("CARGO_PKG_VERSION");
    let work = root.join("target/release-archives");
    let sources = work.join("sources");
    let _ = fs::remove_dir_all(&sources);
    fs::create_dir_all(&sources).map_err(failed("target/release-archives"))?;
    // The npm package, whole. What `hapax web` carries is of it, and the command's package has it.
    run(workspace, &["cargo", "build-wasm", "--threads"])?;
    let mut package = vec![
        "cargo",
        "package",
        "--no-verify",
        "--allow-dirty",
        "--quiet",
    ];
    package.extend(CRATES.iter().flat_map(|name| ["--package", name]));
    run(workspace, &package)?;
    for name in CRATES {
        let file = root.join(format!("target/package/{name}-{version}.crate"));
        unpack(&file, &sources)?;
        check_package(&sources.join(format!("{name}-{version}")), name)?;
    }
    let tools = zig(workspace, &root)?;
    let build = |verb: &str, target: &str| {
        println!("$ cargo {verb} --target {target} (hapax, from its package)");
        let mut cargo = Command::new(tools.join("cargo-zigbuild"));
        let folder = sources.join(format!("hapax-{version}"));
        cargo.args([
            verb,
            "--release",
            "--quiet",
            "--bin",
            "hapax",
            "--target",
            target,
        ]);
        for name in &CRATES[..2] {
            let path = sources.join(format!("{name}-{version}"));
            let patch = format!("patch.crates-io.{name}.path={path:?}");
            cargo.args(["--config", &patch]);
        }
        // The profile of the workspace, which packages do not have.
        cargo
            .current_dir(folder)
            .env("PATH", path_with(&tools))
            .env("CARGO_TARGET_DIR", root.join("target"))
            .env("CARGO_PROFILE_RELEASE_PANIC", "abort")
            .env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
        succeed(&mut cargo)
    };
    build("zigbuild", TARGET)?;
    let command = root.join(format!("target/{TARGET}/release/hapax"));
    try_out(&command, &work)?;
    archive(&root, &work, &command, version)?;
    for target in CHECKED {
        run(workspace, &["rustup", "target", "add", target])?;
        build("check", target)?;
    }
    Ok(())
}

/// The folder of a C compiler for all targets, from PyPI: the xz library is C.
fn zig(workspace: &Workspace, root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/tools/zig");
    run(workspace, &["rustup", "target", "add", TARGET])?;
    if !folder.join("bin/cargo-zigbuild").exists() {
        let folder = folder.to_string_lossy();
        run(workspace, &["python3", "-m", "venv", &folder])?;
        let pip = format!("{folder}/bin/pip");
        run(
            workspace,
            &[&pip, "install", "--quiet", "ziglang", "cargo-zigbuild"],
        )?;
    }
    Ok(folder.join("bin"))
}

fn path_with(tools: &Path) -> String {
    format!(
        "{}:{}",
        tools.display(),
        std::env::var("PATH").unwrap_or_default()
    )
}

/// Holds a package against what is published: its files, its manifest, no dependency by path alone.
fn check_package(folder: &Path, name: &str) -> Result<(), String> {
    let page = ["build.rs", "dist/hapax.wasm.br", "dist/THIRD-PARTY.txt"];
    let all = ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs"];
    let own = page.iter().filter(|_| name == "hapax");
    for file in all.iter().chain(own) {
        if !folder.join(file).is_file() {
            return Err(format!("the package of {name} has no {file}"));
        }
    }
    let entries = fs::read_dir(folder).map_err(failed(name))?;
    for entry in entries.flatten() {
        let entry = entry.file_name().to_string_lossy().into_owned();
        let known = [
            "src",
            "examples",
            "build.rs",
            "dist",
            "README.md",
            "Cargo.toml",
            "Cargo.toml.orig",
            "Cargo.lock",
            "THIRD-PARTY.txt",
        ];
        if !known.contains(&&*entry) && !entry.starts_with("LICENSE-") && !entry.starts_with('.') {
            return Err(format!(
                "the package of {name} has {entry}, which nobody needs"
            ));
        }
    }
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).map_err(failed(name))?;
    for field in FIELDS {
        if !manifest.lines().any(|line| line.starts_with(field)) {
            return Err(format!("the manifest of {name} lacks {field}"));
        }
    }
    let dependencies = manifest.split("\n[").filter(|table| {
        let head = table.lines().next().unwrap_or_default();
        head.contains("dependencies.")
    });
    for table in dependencies {
        if !table.contains("version = ") || table.contains("\npath = ") {
            return Err(format!(
                "{name} depends on what is in no registry: [{table}"
            ));
        }
    }
    println!("{name}: the package is whole");
    Ok(())
}

/// Runs the command that was built: it must need no library of the system, and do its work.
fn try_out(command: &Path, work: &Path) -> Result<(), String> {
    let texts = "my card was lost\tlost\nwhere is my card\tarrival\nmy card is lost\tlost\n";
    fs::write(work.join("train.tsv"), texts).map_err(failed("train.tsv"))?;
    let hapax = |arguments: &[&str]| {
        let mut hapax = Command::new(command);
        succeed(hapax.args(arguments).current_dir(work))
    };
    hapax(&["train", "nearest", "train.tsv", "-o", "model.hapax"])?;
    hapax(&["evaluate", "model.hapax", "train.tsv", "-k", "1"])?;
    hapax(&["verify", "model.hapax"])?;
    let _ = fs::remove_dir_all(work.join("site"));
    hapax(&["web", "model.hapax", "-o", "site"])?;
    let bytes = fs::read(command).map_err(failed("the command"))?;
    let needs = |library: &[u8]| bytes.windows(library.len()).any(|window| window == library);
    match needs(b"/lib64/ld-linux-x86-64.so.2\0") {
        true => Err("the command is not linked statically".into()),
        false => Ok(()),
    }
}

/// Packs the command with its manual pages, completions, licenses and notices. The same files give
/// the same bytes.
fn archive(root: &Path, work: &Path, command: &Path, version: &str) -> Result<(), String> {
    let name = format!("hapax-{version}-{TARGET}");
    let folder = work.join(&name);
    let _ = fs::remove_dir_all(&folder);
    let completions = folder.join("completions");
    fs::create_dir_all(&completions).map_err(failed("the archive"))?;
    let copy = |from: &Path, to: &str| {
        let copied = fs::copy(from, folder.join(to));
        copied.map(drop).map_err(failed(to))
    };
    copy(command, "hapax")?;
    for file in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        copy(&root.join(file), file)?;
    }
    copy(&root.join("native/THIRD-PARTY.txt"), "THIRD-PARTY.txt")?;
    // Of what `hapax web` writes.
    copy(
        &root.join("native/dist/THIRD-PARTY.txt"),
        "THIRD-PARTY-WEB.txt",
    )?;
    for (shell, file) in SHELLS {
        let output = Command::new(command).args(["completions", shell]).output();
        let script = output.map_err(failed(shell))?.stdout;
        fs::write(completions.join(file), script).map_err(failed(file))?;
    }
    succeed(
        Command::new(command)
            .arg("manual")
            .arg(folder.join("man/man1")),
    )?;
    let file = format!("{name}.tar.gz");
    let tar = format!(
        "tar --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -cf - {name} | gzip -9n > {file}
         sha256sum {file} > {file}.sha256 && cat {file}.sha256 && wc -c {file}"
    );
    succeed(Command::new("sh").args(["-ec", &tar]).current_dir(work))
}

fn unpack(file: &Path, into: &Path) -> Result<(), String> {
    succeed(
        Command::new("tar")
            .arg("-xzf")
            .arg(file)
            .arg("-C")
            .arg(into),
    )
}

fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    match workspace.succeeds(words) {
        true => Ok(()),
        false => Err(format!("{} failed", words.join(" "))),
    }
}

fn succeed(command: &mut Command) -> Result<(), String> {
    let what = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(error) => Err(format!("{what}: {error}")),
    }
}

fn failed(what: &str) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{what}: {error}")
}
