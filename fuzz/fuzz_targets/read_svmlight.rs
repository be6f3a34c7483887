//! Any bytes read as svmlight, whole and by lines; what was read is written and read again.
#![no_main]

use hapax_core::{
    data::{Format, IndexBase, LineReader, ReadOptions, Source, read},
    executor::Sequential,
};
use libfuzzer_sys::fuzz_target;

#[path = "../../core/tests/text_to_rows/writing.rs"]
#[allow(dead_code, reason = "the other format's target uses the rest")]
mod writing;

fuzz_target!(|bytes: &[u8]| {
    for index_base in [None, Some(IndexBase::Zero), Some(IndexBase::One)] {
        let options = ReadOptions {
            format: Some(Format::Svmlight),
            index_base,
            ..ReadOptions::default()
        };
        if let Ok(input) = read(bytes, &options, &Sequential)
            && let Source::Rows(data) = &input.source
            && data.rows().features() < u32::MAX - 1
        {
            let text = writing::svmlight(data);
            let written = ReadOptions {
                index_base: Some(IndexBase::One),
                label_names: data.label_names().cloned(),
                ..options.clone()
            };
            let again = read(text.as_bytes(), &written, &Sequential).expect("what was written");
            let Source::Rows(again) = again.source else {
                unreachable!("svmlight holds rows")
            };
            assert_eq!(again.labels(), data.labels());
            assert!(again.rows().iter().eq(data.rows().iter()));
        }
        let mut reader = LineReader::new(Format::Svmlight, &options);
        for line in bytes.split_inclusive(|&b| b == b'\n') {
            let _ = reader.read(line);
        }
    }
});
