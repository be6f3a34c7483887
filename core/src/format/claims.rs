//! The memory that a small file may ask for.
//!
//! Most arrays of a model are windows into its file. A few follow from numbers in it: bucket codes
//! from labels, repetitions and a seed, counts from the number of labels. A file of some kilobytes
//! could claim gigabytes by them.

use super::FormatError;

/// Bytes of memory that each byte of a file may ask for, itself apart.
const TIMES: u64 = 3;

/// Bytes that any file may ask for besides.
const BESIDES: u64 = 16 << 20;

/// Refuses memory that is not in proportion to the sections of a file.
///
/// # Errors
/// [`FormatError::ClaimsMemory`].
pub(super) fn check(
    what: &'static str,
    bytes: u64,
    sections: impl IntoIterator<Item = u64>,
) -> Result<(), FormatError> {
    // Sections are parts of the file: their lengths add up to at most its own.
    let file: u64 = sections.into_iter().sum();
    let limit = file.saturating_mul(TIMES).saturating_add(BESIDES);
    if bytes > limit {
        return Err(FormatError::ClaimsMemory { what, bytes, limit });
    }
    Ok(())
}

/// Bytes for the counts of labels and, of an index that does not hold its features one by one, for
/// those of features.
pub(super) fn of_nearest(labels: u32, features: u32) -> u64 {
    4 * u64::from(labels) + 8 * u64::from(features)
}

/// Bytes for the codes of so many labels, drawn and in the order of scans, and for their numbers.
pub(super) fn of_mach(seen: usize, repetitions: usize, buckets: u32, labels: u32) -> u64 {
    let code = if buckets > 256 { 2 } else { 3 };
    let codes = (seen as u64).saturating_mul(repetitions as u64);
    codes
        .saturating_mul(code)
        .saturating_add(8 * u64::from(labels))
}

#[cfg(test)]
mod tests {
    use crate::{
        data::{Dataset, LabelLists},
        executor::Sequential,
        format::{
            ContainerWriter, FormatError, SectionId,
            container::{Container, kind},
            damage::{rows, sparse, texts},
            model::Description,
        },
        kernels::Portable,
        model::{Model, ModelError},
        parameters::{NearestParameters, mach::MachParameters},
        sparse::{SparseRows, SparseVec},
    };
    use alloc::vec::Vec;
    use bytes::Bytes;
    use core::ops::ControlFlow;

    /// The file again, with other numbers of labels and other counts of them, where it has such.
    fn with_labels(file: &Bytes, labels: u32) -> Vec<u8> {
        let kind = kind(file).unwrap();
        let mut container = Container::<Description>::open(file).unwrap();
        let ids: Vec<_> = container.sizes().map(|(id, _)| id).collect();
        let mut sections = Vec::new();
        for &id in &ids {
            let bytes = container.array::<u8>(id).unwrap().to_vec();
            let counts = id == SectionId::LABEL_FREQUENCIES;
            let more = [1, 0, 0, 0].repeat(labels as usize * usize::from(counts));
            sections.push((id, if counts { more } else { bytes }));
        }
        let mut writer = ContainerWriter::new(kind);
        for (id, bytes) in &sections {
            writer.section(*id, bytes);
        }
        let mut description = container.finish().unwrap();
        description.labels = labels;
        let mut file = Vec::new();
        let mut take = |parts: &[&[u8]]| file = parts.concat();
        writer.finish(&description, &mut take).unwrap();
        file
    }

    #[test]
    fn small_files_cannot_claim_much_memory() {
        let data = sparse(false);
        let parameters = MachParameters {
            buckets: 2,
            repetitions: 64,
            epochs: 1,
            ..MachParameters::default()
        };
        let go_on = |_| ControlFlow::Continue(());
        let codes =
            Model::train_mach(&parameters, &data, None, &Sequential, &Portable, go_on).unwrap();
        for (model, few, many) in [(rows(false), 40, 5_000_000), (codes, 40, 400_000)] {
            let file = Bytes::from(model.to_bytes().unwrap());
            let sound = Model::from_bytes(with_labels(&file, few)).unwrap();
            assert_eq!(sound.label_frequencies().unwrap().len(), few as usize);
            let hostile = with_labels(&file, many);
            let refused = Model::from_bytes(hostile).unwrap_err();
            assert!(
                matches!(refused, FormatError::ClaimsMemory { .. }),
                "{refused}"
            );
        }
    }

    /// What cannot be read is not written.
    #[test]
    fn a_model_that_claims_much_memory_is_not_written() {
        let (mut sparse, mut labels) = (SparseRows::new(3), LabelLists::new(50_000_000));
        for row in 0..4u32 {
            sparse
                .push(SparseVec::from_pairs([(row % 3, 1.0)]).unwrap().view())
                .unwrap();
            labels.push([row]);
        }
        let data = Dataset::new(sparse, labels, None).unwrap();
        let parameters = NearestParameters {
            neighbors: 2,
            ..NearestParameters::default()
        };
        let model = Model::train_nearest(parameters, &data, None).unwrap();
        let refused = model.to_bytes().unwrap_err();
        assert!(
            matches!(refused, FormatError::ClaimsMemory { .. }),
            "{refused}"
        );
    }

    /// A row may have some features beyond those of the index, but not so many that arrays over all
    /// of them would fill the memory.
    #[test]
    fn rows_with_far_features_are_not_learned() {
        for mut model in [rows(false), texts()] {
            let features = model.features();
            let before = model.to_bytes().unwrap();
            for far in [features + (1 << 16), 4_000_000_000, u32::MAX] {
                let row = SparseVec::from_pairs([(0, 1.0), (far, 1.0)]).unwrap();
                let refused = model.learn(row.view(), &[0]).unwrap_err();
                let value = u64::from(far) + 1;
                assert!(
                    matches!(refused, ModelError::TooLarge { value: v, .. } if v == value),
                    "{refused}"
                );
            }
            assert_eq!(model.to_bytes().unwrap(), before);
            let row = SparseVec::from_pairs([(0, 1.0), (features + 9, 1.0)]).unwrap();
            model.learn(row.view(), &[0]).unwrap();
            let again = Model::from_bytes(model.to_bytes().unwrap()).unwrap();
            assert!(again.to_bytes().unwrap() == model.to_bytes().unwrap());
        }
    }
}
