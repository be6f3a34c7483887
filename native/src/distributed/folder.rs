//! The names of parts in a folder, and reading and writing them.

use super::Plan;
use crate::sealed::{Kind, Seal, SealedError};
use hapax_core::bytes::Bytes;
use std::path::{Path, PathBuf};

/// The file of a part.
#[must_use]
pub fn part_path(folder: &Path, stage: u32, part: usize) -> PathBuf {
    folder.join(format!("stage-{stage:02}-part-{part:04}"))
}

fn seal(plan: &Plan, stage: u32, part: usize) -> Seal {
    Seal {
        kind: Kind::Part,
        identity: plan.identity,
        place: [stage, part as u32, plan.parts],
    }
}

/// Puts a part into the folder.
///
/// # Errors
/// If it cannot be written.
pub fn write_part(
    folder: &Path,
    plan: &Plan,
    stage: u32,
    part: usize,
    bytes: &[u8],
) -> Result<(), SealedError> {
    let path = part_path(folder, stage, part);
    seal(plan, stage, part).write(&path, |sink| {
        sink(bytes);
        Ok(())
    })?;
    Ok(())
}

/// A part of the folder; none if it is not there.
///
/// # Errors
/// If it is damaged or belongs to something else.
pub fn read_part(
    folder: &Path,
    plan: &Plan,
    stage: u32,
    part: usize,
) -> Result<Option<Bytes>, SealedError> {
    match seal(plan, stage, part).read(&part_path(folder, stage, part)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.is_absent() => Ok(None),
        Err(error) => Err(error),
    }
}
