//! What is to be trained, and in how many parts.

use crate::sealed::{Kind, Seal, SealedError, open};
use hapax_core::train::{Identity, StateError};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A plan, as the folder keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// What it belongs to.
    pub identity: Identity,
    /// The algorithm and its options, as on a command line.
    pub arguments: Vec<String>,
    /// More options, which name what was chosen by the data before there were parameters: the
    /// features of texts.
    pub chosen: Vec<String>,
    /// The parameters, those included that were chosen by the data: postcard.
    pub parameters: Vec<u8>,
    /// Into how many parts each stage falls.
    pub parts: u32,
    /// What each part of the first stage is estimated to cost, in units of the method.
    pub costs: Vec<u64>,
}

const NAME: &str = "plan";

impl Plan {
    fn seal(&self) -> Seal {
        Seal {
            kind: Kind::Plan,
            identity: self.identity,
            place: [0, 0, self.parts],
        }
    }

    /// Writes the plan into a folder.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SealedError> {
        self.seal().write(&folder.join(NAME), |sink| {
            let bytes = postcard::to_allocvec(self).map_err(|_| StateError::Unwritable)?;
            sink(&bytes);
            Ok(())
        })?;
        Ok(())
    }

    /// Reads the plan of a folder.
    ///
    /// # Errors
    /// If there is none, or it is damaged.
    pub fn read(folder: &Path) -> Result<Self, SealedError> {
        let path = folder.join(NAME);
        let (seal, bytes) = open(&path)?;
        let plan: Option<Self> = postcard::from_bytes(&bytes).ok();
        plan.filter(|plan| plan.seal() == seal && plan.parts > 0)
            .ok_or(SealedError::Damaged(path))
    }
}
