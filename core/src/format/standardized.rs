//! Means and deviations of features, from their section.

use super::{Container, FormatError, SectionId, model::Description};
use crate::model::standardization::Standardization;
use serde::{Serialize, de::DeserializeOwned};

pub(super) fn read_standardization<D: Serialize + DeserializeOwned>(
    container: &mut Container<Description<D>>,
) -> Result<Option<Standardization>, FormatError> {
    let section = SectionId::STANDARDIZATION;
    let items = 2 * container.description().features as usize;
    let numbers = match container.array_of(section, items) {
        Err(FormatError::SectionMissing { .. }) => return Ok(None),
        numbers => numbers?,
    };
    let invalid = |place| FormatError::ValueInvalid {
        section,
        position: place as u64,
        rule: "means and inverse deviations must be finite",
    };
    Standardization::from_numbers(numbers)
        .map(Some)
        .map_err(invalid)
}
