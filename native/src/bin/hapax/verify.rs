//! `hapax verify`: is this file a sound model?

use super::{failure::Failure, input::load_model, table::bytes};
use clap::Args;
use std::path::PathBuf;

/// Check every rule of a model file.
///
/// Loading a model checks its header, all checksums, and that every number is in its range; this
/// does just that and says so.
#[derive(Args, Debug)]
#[command(after_help = "Example: hapax verify model.hapax")]
pub struct Verify {
    /// The model
    model: PathBuf,
}

impl Verify {
    pub fn run(self) -> Result<(), Failure> {
        load_model(&self.model)?;
        let size = std::fs::metadata(&self.model).map_or(0, |metadata| metadata.len());
        println!("{}: sound, {}", self.model.display(), bytes(size));
        Ok(())
    }
}
