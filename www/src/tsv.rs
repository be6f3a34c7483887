//! Documents as a text file that the `hapax` command reads.

use hapax_core::data::Documents;
use std::{
    io::{self, BufWriter, Write},
    path::Path,
};
use tempfile::NamedTempFile;

/// Writes one line a row: the text, a tab, and the names of its labels, separated by spaces;
/// a space within a name is written as `_`, as WordNet itself does. The text's own white space is
/// single spaces already. The file appears whole or not at all.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, documents: &Documents) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = beside(folder)?;
    let mut out = BufWriter::new(&mut file);
    let names: Vec<String> = documents
        .label_names
        .iter()
        .map(|name| name.replace(' ', "_"))
        .collect();
    for (text, labels) in documents.texts.iter().zip(documents.labels.iter()) {
        let labels: Vec<&str> = labels
            .iter()
            .filter_map(|&id| names.get(id as usize).map(String::as_str))
            .collect();
        writeln!(out, "{text}\t{}", labels.join(" "))?;
    }
    out.flush()?;
    drop(out);
    file.persist(path)?;
    Ok(())
}

/// A file without a place yet, which others may read as far as the user's mask lets them.
fn beside(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use hapax_core::data::{Documents, LabelLists, Names};

    #[test]
    fn rows_are_lines() {
        let mut labels = LabelLists::new(2);
        labels.push([1, 0]);
        labels.push([1]);
        let documents = Documents {
            texts: vec!["a small rodent".into(), "é".into()],
            labels,
            label_names: Names::new(["mouse (rodent)", "rat"]).unwrap(),
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.tsv");
        super::write(&path, &documents).unwrap();
        let written = std::fs::read_to_string(&path).unwrap();
        assert_eq!(written, "a small rodent\tmouse_(rodent) rat\né\trat\n");
        assert_eq!(folder.path().read_dir().unwrap().count(), 1);
        assert!(super::write(&folder.path().join("no/such.tsv"), &documents).is_err());
    }
}
