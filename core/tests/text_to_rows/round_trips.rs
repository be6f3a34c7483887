//! Writing and reading again gives the same rows to the bit.

use hapax_core::{
    data::{Dataset, Format, IndexBase, LabelLists, Names, ReadOptions, Source, read},
    executor::Sequential,
    sparse::{SparseRows, SparseVec},
};
use proptest::prelude::*;

use super::writing;

fn finite() -> impl Strategy<Value = f32> {
    prop_oneof![
        any::<u32>()
            .prop_map(f32::from_bits)
            .prop_filter("finite", |v| v.is_finite()),
        -4.0f32..4.0,
    ]
}

prop_compose! {
    fn dataset()(
        rows in prop::collection::vec(
            (
                prop::collection::btree_map(0u32..50, finite(), 0..6),
                prop::collection::vec(0u32..12, 0..4),
            ),
            1..20,
        ),
    ) -> Dataset {
        let mut features = SparseRows::new(50);
        let mut labels = LabelLists::new(12);
        for (pairs, ids) in rows {
            features.push(SparseVec::from_pairs(pairs).unwrap().view()).unwrap();
            labels.push(ids);
        }
        Dataset::new(features, labels, None).unwrap()
    }
}

fn read_rows(text: &str, options: &ReadOptions) -> Dataset {
    match read(text.as_bytes(), options, &Sequential).unwrap().source {
        Source::Rows(data) => data,
        Source::Texts(_) => panic!("rows were read as texts"),
    }
}

/// Equality of values by their bits: `-0.0` and `0.0` are no values.
fn assert_same_rows(left: &Dataset, right: &Dataset) {
    assert_eq!(left.len(), right.len());
    for (left, right) in left.rows().iter().zip(right.rows().iter()) {
        assert_eq!(left.indices(), right.indices());
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(left.values()), bits(right.values()));
    }
}

proptest! {
    #[test]
    fn xmc(data in dataset()) {
        let text = writing::xmc(&data);
        let again = read_rows(&text, &ReadOptions::default());
        assert_same_rows(&data, &again);
        prop_assert_eq!(&data, &again);
    }

    #[test]
    fn svmlight(data in dataset()) {
        let names = Names::new((0..12).map(|id| (3 * id - 7).to_string())).unwrap();
        let data = Dataset::new(data.rows().clone(), data.labels().clone(), Some(names.clone()));
        let data = data.unwrap();
        let text = writing::svmlight(&data);
        let options = ReadOptions {
            format: Some(Format::Svmlight),
            index_base: Some(IndexBase::One),
            label_names: Some(names),
            ..ReadOptions::default()
        };
        let again = read_rows(&text, &options);
        assert_same_rows(&data, &again);
        prop_assert_eq!(data.labels(), again.labels());
    }
}
