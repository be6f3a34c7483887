//! Changed and damaged calibrations.

use super::{
    super::{ContainerWriter, FormatError, SectionId, container::Container, model::Description},
    rows, survive_in,
};
use crate::model::{Model, calibration::tests::calibration};
use alloc::vec::Vec;
use bytes::Bytes;

#[test]
fn changed_sections_of_a_calibrated_model() {
    let mut model = rows(false);
    model.calibration = Some(calibration().into());
    let file = model.to_bytes().unwrap();
    let read = Model::from_bytes(file.clone()).unwrap();
    assert_eq!(read.calibration(), model.calibration());
    assert_eq!(read.to_bytes().unwrap(), file);
    survive_in(&model, |id| id == SectionId::CALIBRATION, 300);
}

/// Too few and too many numbers, and each that breaks a rule, with its place.
#[test]
fn damaged_calibrations_are_refused() {
    let mut model = rows(false);
    model.calibration = Some(calibration().into());
    let file = Bytes::from(model.to_bytes().unwrap());
    let numbers = calibration().numbers();
    let with = |numbers: &[f32]| {
        let mut container = Container::<Description>::open(&file).unwrap();
        let ids: Vec<_> = container.sizes().map(|(id, _)| id).collect();
        let array = |id| (id, container.array::<u8>(id).unwrap());
        let sections: Vec<_> = ids.into_iter().map(array).collect();
        let mut writer = ContainerWriter::new(1);
        for (id, bytes) in &sections {
            match *id == SectionId::CALIBRATION {
                true => writer.section(*id, numbers),
                false => writer.section(*id, &bytes[..]),
            }
        }
        let mut changed = Vec::new();
        let mut take = |parts: &[&[u8]]| changed = parts.concat();
        writer.finish(container.description(), &mut take).unwrap();
        Model::from_bytes(changed)
    };
    assert!(with(&numbers).is_ok());
    let longer = |last: &[f32]| [&numbers[..], last].concat();
    assert!(with(&longer(&[1.0])).is_ok());
    for wrong in [&numbers[..38], &[], &longer(&[1.0, 1.0])] {
        let refused = with(wrong).unwrap_err();
        let expected_items = Some(39);
        assert_eq!(
            refused,
            FormatError::SectionLength {
                section: SectionId::CALIBRATION,
                length: 4 * wrong.len() as u64,
                expected_items,
            }
        );
    }
    for place in 0..=numbers.len() {
        let mut numbers = longer(&[1.0]);
        numbers[place] = f32::NAN;
        match with(&numbers).unwrap_err() {
            FormatError::ValueInvalid {
                section, position, ..
            } => assert_eq!((section, position), (SectionId::CALIBRATION, place as u64)),
            other => panic!("{other}"),
        }
    }
}
