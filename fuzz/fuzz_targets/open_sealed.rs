//! Any bytes as a file of a training under way, as they are and behind a sound header: a plan, a
//! manifest or an error.
#![no_main]

use hapax::{
    checkpoint::shared::Manifest,
    core::train::Identity,
    distributed::Plan,
    sealed::{Kind, Seal, open},
};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;

fuzz_target!(|bytes: &[u8]| {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| tempfile::tempdir().expect("a folder"));
    let path = folder.path().join("plan");
    std::fs::write(&path, bytes).expect("a file");
    if let Ok((seal, payload)) = open(&path) {
        assert_eq!(seal.read(&path).ok(), Some(payload));
    }
    let _ = Plan::read(folder.path());
    let identity = Identity {
        data: 3,
        configuration: 4,
    };
    let seal = Seal {
        kind: Kind::Plan,
        identity,
        place: [0, 0, 2],
    };
    seal.write(&path, |sink| {
        sink(bytes);
        Ok(())
    })
    .expect("a file");
    assert!(seal.read(&path).is_ok_and(|read| read == bytes));
    let _ = Plan::read(folder.path());
    for shares in [0, 1, 4] {
        if let Ok(manifest) = Manifest::parse(bytes, shares) {
            assert_eq!(manifest.shares.len(), shares);
        }
    }
});
