//! Damaged, cut and foreign model files.

use super::folder::{Folder, with_row_model, with_text_model};

/// Every verb that loads a model refuses `m` with this message.
#[track_caller]
fn refuse(folder: &Folder, message: &str) {
    for verb in [
        "verify m",
        "verify m --json",
        "predict m",
        "evaluate m rows.txt --json",
    ] {
        folder.run(verb).refused(message);
    }
}

#[test]
fn a_newer_version() {
    let folder = with_row_model();
    let mut bytes = folder.read("m");
    let version = u32::from_le_bytes(bytes[8..12].try_into().unwrap());
    bytes[8..12].copy_from_slice(&(version + 1).to_le_bytes());
    folder.write("m", bytes);
    let (found, known) = (version + 1, version);
    refuse(
        &folder,
        &format!(
            "m: the model has format version {found} and this release reads up to {known}: \
             install a newer hapax"
        ),
    );
}

#[test]
fn a_truncated_model() {
    let folder = with_row_model();
    let bytes = folder.read("m");
    folder.write("m", &bytes[..bytes.len() - 1]);
    refuse(
        &folder,
        &format!(
            "m: the file has {} bytes but its header says {}: it is cut off",
            bytes.len() - 1,
            bytes.len()
        ),
    );
    folder.write("m", &bytes[..40]);
    refuse(
        &folder,
        "m: 40 bytes are too few for a model file, which begins with 64",
    );
    folder.write("m", b"");
    refuse(
        &folder,
        "m: 0 bytes are too few for a model file, which begins with 64",
    );
}

#[test]
fn something_behind_the_model() {
    let folder = with_row_model();
    let mut bytes = folder.read("m");
    bytes.push(b'\n');
    folder.write("m", &bytes);
    refuse(
        &folder,
        &format!(
            "m: the file has {} bytes but its header says {}: it is followed by something else",
            bytes.len(),
            bytes.len() - 1
        ),
    );
}

#[test]
fn something_that_is_no_model() {
    let folder = with_row_model();
    folder.write("m", folder.read("rows.txt").repeat(3));
    refuse(
        &folder,
        "m: not a hapax model: the file does not begin with HAPAX",
    );
    folder.write("d", "");
    std::fs::create_dir(folder.path("directory")).unwrap();
    folder
        .run("verify directory")
        .refused("directory: cannot read: it is a directory");
}

#[test]
fn a_damaged_model_names_the_place() {
    let folder = with_text_model();
    let sound = folder.read("m");
    let mut bytes = sound.clone();
    bytes[70] ^= 1;
    folder.write("m", &bytes);
    folder
        .run("verify m")
        .refused("m: the header is damaged (bytes 0 to 63, or metadata)");
    // The first section begins at the next multiple of 64 behind header and metadata.
    let mut bytes = sound;
    let metadata = u32::from_le_bytes(bytes[24..28].try_into().unwrap()) as usize;
    bytes[(64 + metadata).next_multiple_of(64)] ^= 1;
    folder.write("m", &bytes);
    let ran = folder.run("verify m");
    assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:?}");
    assert!(
        ran.err.starts_with("hapax: m: section ") && ran.err.ends_with(", is damaged\n"),
        "{ran:?}"
    );
}
