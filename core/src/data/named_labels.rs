//! Labels that are given by name, outside of a file of text.

use super::{LabelLists, ReadError, ReadProblem, read_error::Fault};
use crate::data::line_runs::{LabelPart, NamedLabels};
use crate::names::Names;

/// The labels of rows by their names. Those in `known`, the labels of training, keep their ids and
/// others get ids beyond; without it ids follow the order of the names: by value if all are whole
/// numbers, by bytes otherwise.
///
/// ```
/// use hapax_core::data::named_labels;
/// let (lists, names) = named_labels([vec!["10", "9"], vec![], vec!["9"]], None)?;
/// assert_eq!(names.iter().collect::<Vec<_>>(), ["9", "10"]);
/// assert_eq!((lists.row(0), lists.row(1)), (&[0, 1][..], &[][..]));
/// let (lists, _) = named_labels([["7"], ["10"]], Some(&names))?;
/// assert_eq!((lists.row(0), lists.row(1)), (&[2][..], &[1][..]));
/// # Ok::<(), hapax_core::data::ReadError>(())
/// ```
///
/// # Errors
/// If a name is empty or there are too many labels; the line is the number of the row, from 1.
pub fn named_labels<L>(
    rows: impl IntoIterator<Item = L>,
    known: Option<&Names>,
) -> Result<(LabelLists, Names), ReadError>
where
    L: IntoIterator<Item: AsRef<str>>,
{
    let mut part = LabelPart::default();
    for names in rows {
        for name in names {
            let row = part.ends.len() + 1;
            let added = part.add(name.as_ref(), 0);
            added.map_err(|fault| fault.at(row, &[]))?;
        }
        part.end_row();
    }
    let whole = |problem: ReadProblem| Fault::new(0, problem).at(1, &[]);
    let mut named = NamedLabels::new(known);
    named.append(part).map_err(whole)?;
    named.finish().map_err(whole)
}
