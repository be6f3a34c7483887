//! Just enough of the XMC format to read the shared data sets.

use hapax::core::{
    data::LabelLists,
    sparse::{SparseRows, SparseVec},
};
use std::{error::Error, path::Path, process::Command};

/// The rows and labels of an `.xz` file.
pub(crate) fn read(path: &Path) -> Result<(SparseRows, LabelLists), Box<dyn Error>> {
    let text = Command::new("xz").arg("-dc").arg(path).output()?;
    if !text.status.success() {
        return Err(format!("{}: xz failed", path.display()).into());
    }
    let text = String::from_utf8(text.stdout)?;
    let mut lines = text.lines();
    let header: Vec<u32> = numbers(lines.next().unwrap_or_default(), ' ')?;
    let &[_, features, labels] = header.as_slice() else {
        return Err("the first line must hold three numbers".into());
    };
    let (mut rows, mut lists) = (SparseRows::new(features), LabelLists::new(labels));
    for line in lines {
        let (ids, pairs) = line.split_once(' ').unwrap_or((line, ""));
        lists.push(numbers(ids, ',')?);
        let mut row = Vec::new();
        for pair in pairs.split_whitespace() {
            let (feature, value) = pair.split_once(':').ok_or("a feature without a value")?;
            row.push((feature.parse()?, value.parse()?));
        }
        rows.push(SparseVec::from_pairs(row)?.view())?;
    }
    Ok((rows, lists))
}

fn numbers(text: &str, separator: char) -> Result<Vec<u32>, std::num::ParseIntError> {
    let parts = text.split(separator).filter(|part| !part.is_empty());
    parts.map(str::parse).collect()
}
