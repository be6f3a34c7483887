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
        columns: object.keys().cloned().collect(),
    };
    let wrong = |place: &Place, value: &Value| TableProblem::WrongValue {
        name: place.name.clone(),
        found: kind(value),
    };
    let mut row = TableRow::default();
    if let Some((first, _)) = places.text.first()
        && !places
            .text
            .iter()
            .any(|(place, _)| object.contains_key(&place.name))
    {
        return Err(missing(first));
    }
    for (place, times) in &places.text {
        let value = object.get(&place.name).unwrap_or(&Value::Null);
        let text = texts(value).ok_or_else(|| wrong(place, value))?.join(" ");
        row.add_text(&text, *times);
    }
    if let Some(place) = &places.labels {
        match object.get(&place.name) {
            None if labels_optional => {}
            None => return Err(missing(place)),
            Some(Value::String(field)) => row
                .add_labels(field, separator)
                .map_err(|_| TableProblem::EmptyLabel)?,
            Some(Value::Null) => {}
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
    let value = |place: &Place| object.get(&place.name).cloned().unwrap_or(Value::Null);
    row.id = places.id.as_ref().map(value);
    row.kept = places.keep.iter().map(value).collect();
    Ok(row)
}
