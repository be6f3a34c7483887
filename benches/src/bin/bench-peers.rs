//! `cargo bench-peers DATA [options]`: the regret of hapax against other systems on every set of a
//! folder.
//!
//! Builds the command, installs the other systems into `target/peers-venv` the first time, and
//! starts `benches/peers/regret.py` with these arguments (`--help` lists them). Set `HAPAX` to
//! measure another command, and `PYTHON` to make the environment with another Python (the packages
//! run on 3.11).

use std::{
    env,
    error::Error,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let peers = root.join("benches/peers");
    let python = environment(&root.join("target/peers-venv"), &peers)?;
    let hapax = env::var_os("HAPAX").map_or_else(|| built(&root), |command| Ok(command.into()))?;
    let status = Command::new(python)
        .arg(peers.join("regret.py"))
        .args(env::args_os().skip(1))
        .env("HAPAX", hapax)
        .status()?;
    Ok(ExitCode::from(u8::from(!status.success())))
}

/// The command, built from these sources.
fn built(root: &Path) -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.current_dir(root);
    run(build.args(["build", "--release", "--package", "hapax", "--bin", "hapax"]))?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(target.join("release/hapax"))
}

/// The Python with the other systems. A file marks that all were installed.
fn environment(folder: &Path, peers: &Path) -> Result<PathBuf> {
    let python = folder.join("bin/python");
    let (list, mark) = (peers.join("requirements.txt"), folder.join("installed.txt"));
    let wanted = fs::read(&list)?;
    if fs::read(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    let maker = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    run(Command::new(maker).args([OsStr::new("-m"), "venv".as_ref(), folder.as_ref()]))?;
    let install = ["-m", "pip", "install", "--quiet", "--requirement"];
    run(Command::new(&python).args(install).arg(&list))?;
    fs::write(mark, wanted)?;
    Ok(python)
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{command:?}: {status}").into())
    }
}
