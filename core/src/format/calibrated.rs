//! What turns scores into probabilities, from its section.

use super::{Container, FormatError, SectionId, model::Description};
use crate::model::{Calibration, calibration::NUMBERS};
use alloc::boxed::Box;
use serde::{Serialize, de::DeserializeOwned};

pub(super) fn read_calibration<D: Serialize + DeserializeOwned>(
    container: &mut Container<Description<D>>,
) -> Result<Option<Box<Calibration>>, FormatError> {
    let section = SectionId::CALIBRATION;
    let Some(numbers) = container.optional::<f32>(section)? else {
        return Ok(None);
    };
    if !(NUMBERS..=NUMBERS + 1).contains(&numbers.len()) {
        return Err(FormatError::SectionLength {
            section,
            length: (numbers.len() * size_of::<f32>()) as u64,
            expected_items: Some(NUMBERS as u64),
        });
    }
    let invalid = |place| FormatError::ValueInvalid {
        section,
        position: place as u64,
        rule: "thresholds must be from 0 to 1, ranges finite and rising, weights within 10,000, a 40th number 1",
    };
    let calibration = Calibration::from_numbers(&numbers).map_err(invalid)?;
    Ok(Some(Box::new(calibration)))
}
