//! Having the npm package built that runs models in a page, and the command that makes pages.

use std::{
    env, fmt, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Why there is no package.
#[derive(Debug)]
#[non_exhaustive]
pub enum PackageError {
    /// cargo does not start.
    NoCargo(io::Error),
    /// The build failed; it has said why.
    BuildFailed,
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCargo(error) => write!(
                f,
                "cargo, which builds what pages need, does not start: {error}"
            ),
            Self::BuildFailed => f.write_str(
                "what pages need could not be built, for the reason above; cargo demo --no-page does \
                 without",
            ),
        }
    }
}

impl std::error::Error for PackageError {}

/// The npm package's folder, and the command that makes pages of it.
pub struct Built {
    /// The package.
    pub package: PathBuf,
    /// The command `hapax`, which holds what pages need of the package.
    pub hapax: PathBuf,
}

/// Builds the package and then the command, which takes a moment when nothing has changed.
///
/// # Errors
/// If cargo does not start or a build fails.
pub fn build() -> Result<Built, PackageError> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.parent().unwrap_or(package);
    cargo(workspace, &["run", "--quiet", "--bin", "build-wasm"])?;
    cargo(
        workspace,
        &[
            "build",
            "--quiet",
            "--release",
            "--package",
            "hapax",
            "--bin",
            "hapax",
        ],
    )?;
    // The command lies beside this program, which cargo has built with the same profile.
    let own = env::current_exe().unwrap_or_default();
    Ok(Built {
        package: workspace.join("wasm/dist"),
        hapax: own.with_file_name(format!("hapax{}", env::consts::EXE_SUFFIX)),
    })
}

fn cargo(workspace: &Path, words: &[&str]) -> Result<(), PackageError> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(words)
        .current_dir(workspace)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(PackageError::NoCargo)?;
    if built.status.success() {
        return Ok(());
    }
    eprint!("{}", String::from_utf8_lossy(&built.stdout));
    Err(PackageError::BuildFailed)
}
