//! Any bytes as a file of NumPy: rows, labels or an error.
#![no_main]

use hapax::npy;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(rows) = npy::rows(bytes) {
        for row in rows.iter() {
            assert!(row.values().iter().all(|value| value.is_finite()));
        }
    }
    if let Ok((lists, names)) = npy::labels(bytes, None) {
        let known = npy::labels(bytes, Some(&names)).expect("its own names");
        assert_eq!(known, (lists, names));
    }
});
