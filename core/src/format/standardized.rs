//! Means and deviations of features, from their section.

use super::{Container, FormatError, SectionId, model::Description};
use crate::model::standardization::Standardization;
use serde::{Serialize, de::DeserializeOwned};

pub(super) fn read_standardization<D: Serialize + DeserializeOwned>(
    container: &mut Container<Description<D>>,
) -> Result<Option<Standardization>, FormatError> {
    let section = SectionId::STANDARDIZATION;
    let Some(numbers) = container.optional::<f32>(section)? else {
        return Ok(None);
    };
    let items = 2 * u64::from(container.description().features);
    if numbers.len() as u64 != items || container.description().vectorizer.is_some() {
        return Err(FormatError::SectionLength {
            section,
            length: size_of_val(&*numbers) as u64,
            expected_items: Some(items),
        });
    }
    let invalid = |place| FormatError::ValueInvalid {
        section,
        position: place as u64,
        rule: "means must be finite, and inverse deviations not below 0",
    };
    Standardization::from_numbers(numbers)
        .map(Some)
        .map_err(invalid)
}
