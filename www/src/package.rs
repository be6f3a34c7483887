//! Having the npm package built that runs models in the page.

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
                "cargo, which builds the page's package, does not start: {error}"
            ),
            Self::BuildFailed => f.write_str(
                "the npm package of the page could not be built, for the reason above; \
                 cargo demo --no-page does without",
            ),
        }
    }
}

impl std::error::Error for PackageError {}

/// Builds the package, which takes a moment when nothing has changed, and returns its folder.
///
/// # Errors
/// If cargo does not start or the build fails.
pub fn build() -> Result<PathBuf, PackageError> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let workspace = package.parent().unwrap_or(package);
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["run", "--quiet", "--bin", "build-wasm"])
        .current_dir(workspace)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(PackageError::NoCargo)?;
    if built.status.success() {
        Ok(workspace.join("wasm/dist"))
    } else {
        eprint!("{}", String::from_utf8_lossy(&built.stdout));
        Err(PackageError::BuildFailed)
    }
}
