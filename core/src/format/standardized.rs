//! Means and deviations of features, or their weights, from their section.

use super::{Container, FormatError, SectionId, model::Description};
use crate::model::standardization::Standardization;
use serde::{Serialize, de::DeserializeOwned};

pub(super) fn read_standardization<D: Serialize + DeserializeOwned>(
    container: &mut Container<Description<D>>,
) -> Result<Option<Standardization>, FormatError> {
    let section = SectionId::STANDARDIZATION;
    let features = container.description().features;
    let Some(numbers) = container.optional::<f32>(section)? else {
        return Ok(None);
    };
    let items = features as usize;
    if ![items, 2 * items].contains(&numbers.len()) {
        return Err(FormatError::SectionLength {
            section,
            length: size_of_val(&numbers[..]) as u64,
            expected_items: Some(items as u64),
        });
    }
    let invalid = |place| FormatError::ValueInvalid {
        section,
        position: place as u64,
        rule: "means, inverse deviations and weights must be finite",
    };
    Standardization::from_numbers(numbers, features)
        .map(Some)
        .map_err(invalid)
}
