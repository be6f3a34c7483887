//! A line of JSON Lines to text and labels.

use super::{
    TableError, TableProblem, TableRow,
    places::{Place, Places},
};
use crate::core::data::LabelSeparator;
use serde_json::{Map, Value};

/// The object that a line holds.
pub(super) fn object(line: &[u8], number: u64) -> Result<Map<String, Value>, TableError> {
    let wrong = |column, problem| TableError {
        line: number,
        column,
        problem,
    };
    match serde_json::from_slice(line) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(wrong(1, TableProblem::NotAnObject)),
        Err(error) => {
            let column = error.column().max(1) as u64;
            let place = format!(" at line {} column {}", error.line(), error.column());
            let rule = error.to_string().replace(&place, "");
            Err(wrong(column, TableProblem::NotJson { rule }))
        }
    }
}

/// The names of an object's values, behind an object those of its values, with a dot between, as
/// `meta.subjects`; and how each value reads as a cell.
pub(super) fn names(object: &Map<String, Value>) -> (Vec<String>, Vec<String>) {
    let (mut all, mut cells) = (Vec::new(), Vec::new());
    for (name, value) in object {
        all.push(name.clone());
        cells.push(scalar(value).unwrap_or_default());
        if let Some(nested) = value.as_object() {
            let (inner, inner_cells) = names(nested);
            all.extend(inner.iter().map(|inner| format!("{name}.{inner}")));
            cells.extend(inner_cells);
        }
    }
    (all, cells)
}

/// The value of this name, which may be one of [`names`].
pub(super) fn value<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).or_else(|| {
        let mut dots = name.match_indices('.');
        dots.find_map(|(dot, _)| value(object.get(&name[..dot])?.as_object()?, &name[dot + 1..]))
    })
}

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Object(_) => "an object",
        Value::Array(_) => "an array of other than strings and numbers",
        _ => "no text",
    }
}

/// The text of a value that is neither array nor object.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// The texts of a value: those of its items if it is an array.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(items) => items.iter().map(scalar).collect(),
        value => Some(vec![scalar(value)?]),
    }
}

/// The row of an object.
pub(super) fn row(
    object: &Map<String, Value>,
    places: &Places,
    separator: &LabelSeparator,
    labels_optional: bool,
) -> Result<TableRow, TableProblem> {
    let missing = |place: &Place| TableProblem::NoColumn {
        name: place.name.clone(),
        columns: names(object).0,
    };
    let wrong = |place: &Place, value: &Value| TableProblem::WrongValue {
        name: place.name.clone(),
        found: kind(value),
    };
    let get = |place: &Place| value(object, &place.name);
    let mut row = TableRow::default();
    if let Some((first, _)) = places.text.first()
        && !places.text.iter().any(|(place, _)| get(place).is_some())
    {
        return Err(missing(first));
    }
    for (place, times) in &places.text {
        let value = get(place).unwrap_or(&Value::Null);
        let text = texts(value).ok_or_else(|| wrong(place, value))?.join(" ");
        row.add_text(&text, *times);
    }
    if let Some(first) = places.labels.first()
        && !labels_optional
        && !places.labels.iter().any(|place| get(place).is_some())
    {
        return Err(missing(first));
    }
    for place in &places.labels {
        match get(place) {
            None | Some(Value::Null) => {}
            Some(value) if places.marks => {
                let cell = scalar(value).ok_or_else(|| wrong(place, value))?;
                row.add_marked(&place.name, &cell)?;
            }
            Some(Value::String(field)) => row
                .add_labels(field, separator)
                .map_err(|_| TableProblem::EmptyLabel)?,
            Some(value) => {
                let labels = texts(value).ok_or_else(|| wrong(place, value))?;
                let mut labels = labels.iter().map(|label| label.trim());
                labels.try_for_each(|label| match label {
                    "" => Err(TableProblem::EmptyLabel),
                    label => {
                        row.labels.push(label.into());
                        Ok(())
                    }
                })?;
            }
        }
    }
    let passed = |place: &Place| get(place).cloned().unwrap_or(Value::Null);
    row.id = places.id.as_ref().map(passed);
    row.kept = places.keep.iter().map(passed).collect();
    Ok(row)
}
