//! `hapax verify`: is this file a sound model?

use super::{failure::Failure, input::load_model, output::print, table::bytes};
use clap::Args;
use serde_json::json;
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
    /// Print one JSON object instead of a sentence
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub fn run(self) -> Result<(), Failure> {
        load_model(&self.model)?;
        let size = std::fs::metadata(&self.model).map_or(0, |metadata| metadata.len());
        if self.json {
            return print(json!({"sound": true, "model_bytes": size}));
        }
        let path = self.model.display();
        print(format_args!("{path}: sound, {}", bytes(size)))
    }
}
