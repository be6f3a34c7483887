//! What labels mean: definitions and links beside their names.

use crate::{
    failure::Failure,
    output::{note, warn},
    table::count,
};
use hapax::{core::model::Model, files::read_text};
use std::{collections::BTreeMap, path::Path};

/// Reads lines of a label, its definition and perhaps a link, separated by tabs: JSON of what is
/// known of each label of the model, `{"label": ["definition", "link"]}`.
pub fn read(path: &Path, model: &Model) -> Result<Vec<u8>, Failure> {
    let bytes = read_text(path)?;
    let text = str::from_utf8(&bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        Failure::at(path, line, 1, "the line is not UTF-8: convert the file")
    })?;
    let mut known: BTreeMap<&str, [&str; 2]> = BTreeMap::new();
    let mut others = 0_u64;
    for (number, line) in text.lines().enumerate() {
        let wrong = |column: usize, message: String| {
            Failure::at(path, number as u64 + 1, column as u64 + 1, message)
        };
        if line.trim().is_empty() {
            continue;
        }
        let mut fields = line.split('\t').map(str::trim);
        let label = fields.next().unwrap_or_default();
        let info = [
            fields.next().unwrap_or_default(),
            fields.next().unwrap_or_default(),
        ];
        if fields.next().is_some() || info == ["", ""] {
            return Err(wrong(
                0,
                "the line is no label, tab, definition, perhaps tab and link".into(),
            ));
        }
        let is_link = |link: &str| link.starts_with("https://") || link.starts_with("http://");
        if !info[1].is_empty() && !is_link(info[1]) {
            let column = line.rfind('\t').map_or(0, |tab| tab + 1);
            return Err(wrong(
                column,
                format!("{:?} is no link: begin it with https://", info[1]),
            ));
        }
        if model.label_id(label).is_none() {
            others += 1;
        } else if known.insert(label, info).is_some() {
            return Err(wrong(0, format!("the label {label:?} was there before")));
        }
    }
    if known.is_empty() {
        return Err(Failure::in_file(
            path,
            "names no label of the model; each line begins with a label as the training data write it",
        ));
    }
    if others > 0 {
        warn(format_args!(
            "{}: lines left out because they begin with no label of the model: {}",
            path.display(),
            count(others)
        ));
    }
    let (told, all) = (known.len() as u64, u64::from(model.labels()));
    if told < all {
        note(format_args!(
            "{} of {} labels have a definition or a link",
            count(told),
            count(all)
        ));
    }
    serde_json::to_vec(&known).map_err(|error| Failure::Other(error.to_string()))
}
