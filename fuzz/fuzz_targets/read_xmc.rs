//! Any bytes read as XMC, whole and by lines; what was read is written and read again.
#![no_main]

use hapax_core::{
    data::{Format, LineReader, ReadOptions, Source, read},
    executor::Sequential,
};
use libfuzzer_sys::fuzz_target;

#[path = "../../core/tests/text_to_rows/writing.rs"]
#[allow(dead_code, reason = "the other format's target uses the rest")]
mod writing;

fuzz_target!(|bytes: &[u8]| {
    let options = ReadOptions {
        format: Some(Format::Xmc),
        ..ReadOptions::default()
    };
    if let Ok(input) = read(bytes, &options, &Sequential)
        && let Source::Rows(data) = &input.source
    {
        let text = writing::xmc(data);
        let again = read(text.as_bytes(), &options, &Sequential);
        assert_eq!(again.as_ref(), Ok(&input));
    }
    let mut reader = LineReader::new(Format::Xmc, &options);
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let _ = reader.read(line);
    }
});
