//! Any bytes read as XMC, whole and by lines; what was read is written and read again.
#![no_main]

use hapax_core::{
    data::{Format, LineReader, ReadOptions, Source, read, write_xmc},
    executor::Sequential,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let options = ReadOptions {
        format: Some(Format::Xmc),
        ..ReadOptions::default()
    };
    if let Ok(input) = read(bytes, &options, &Sequential)
        && let Source::Rows(data) = &input.source
    {
        let mut text = String::new();
        write_xmc(data, &mut text).expect("a string takes any text");
        let again = read(text.as_bytes(), &options, &Sequential);
        assert_eq!(again.as_ref(), Ok(&input));
    }
    let mut reader = LineReader::new(Format::Xmc, &options);
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        let _ = reader.read(line);
    }
});
