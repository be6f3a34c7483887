//! Any bytes read as lines of text with labels, in every layout, and as whatever they look like.
#![no_main]

use hapax_core::{
    data::{Columns, Format, LineReader, ReadOptions, Source, read},
    executor::Sequential,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes, &ReadOptions::default(), &Sequential);
    for (format, columns) in [
        (Format::Tsv, None),
        (Format::Tsv, Some(Columns::default())),
        (Format::Tsv, Some(Columns::default().swapped())),
        (Format::FastText, None),
    ] {
        for labels_optional in [false, true] {
            let options = ReadOptions {
                format: Some(format),
                columns,
                labels_optional,
                ..ReadOptions::default()
            };
            if let Ok(input) = read(bytes, &options, &Sequential) {
                let Source::Texts(documents) = input.source else {
                    unreachable!("these formats hold texts")
                };
                assert_eq!(documents.texts.len(), documents.labels.iter().len());
                assert_eq!(
                    documents.label_names.len(),
                    documents.labels.labels() as usize
                );
            }
            let mut reader = LineReader::new(format, &options);
            for line in bytes.split_inclusive(|&b| b == b'\n') {
                let _ = reader.read(line);
            }
        }
    }
});
