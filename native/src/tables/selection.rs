//! Which columns of a table are read, as options say it and a model remembers it.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// How often the text of a column may count.
const MOST_TIMES: u32 = 100;

/// A column whose text is read, and how often it counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct TextColumn {
    /// Its name, or its number from 1.
    pub name: String,
    /// How often its words count.
    pub times: u32,
}

/// `name` or `name:times`.
impl FromStr for TextColumn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, times) = match text.rsplit_once(':') {
            Some((name, times)) if !times.is_empty() && is_number(times) => {
                let counted = times.parse().ok();
                let counted = counted.filter(|times| (1..=MOST_TIMES).contains(times));
                let rule = || {
                    format!(
                        "`{name}` cannot count {times} times; give a number from 1 to {MOST_TIMES}"
                    )
                };
                (name, counted.ok_or_else(rule)?)
            }
            _ => (text, 1),
        };
        match name.trim() {
            "" => Err("a column has a name or a number, such as title or 2".into()),
            name => Ok(Self {
                name: name.into(),
                times,
            }),
        }
    }
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

impl TryFrom<String> for TextColumn {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl fmt::Display for TextColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.times {
            1 if !self.name.contains(':') => f.write_str(&self.name),
            times => write!(f, "{}:{times}", self.name),
        }
    }
}

impl From<TextColumn> for String {
    fn from(column: TextColumn) -> Self {
        column.to_string()
    }
}

/// Which columns of a table are read. What is left open is recognized.
///
/// A model remembers the selection of its training data as JSON ([`Selection::to_json`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// The columns of the text, joined in this order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<TextColumn>,
    /// The column of the labels, or several with commas between their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<String>,
    /// Whether the columns of labels are labels themselves, with 1 in the rows that carry them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub marks: bool,
    /// What separates labels, as [`LabelSeparator`](crate::core::data::LabelSeparator) reads it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separator: Option<String>,
    /// The column of the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether the first line names the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// What separates the fields of CSV.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The columns of tab-separated data without a header, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<String>,
}

impl Selection {
    /// The selection as a model keeps it; `None` if it leaves all open.
    #[must_use]
    pub fn to_json(&self) -> Option<String> {
        let json = serde_json::to_string(self).ok();
        json.filter(|_| *self != Self::default())
    }

    /// Reads what [`Selection::to_json`] wrote.
    ///
    /// # Errors
    /// If it did not write this.
    pub fn from_json(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    /// Whether any column is named, by whatever means.
    #[must_use]
    pub fn names_columns(&self) -> bool {
        !self.text.is_empty() || self.labels.is_some() || self.id.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::{Selection, TextColumn};

    #[test]
    fn columns_may_count_several_times() {
        for (text, name, times) in [
            ("title", "title", 1),
            ("title:3", "title", 3),
            ("dc:title", "dc:title", 1),
            ("dc:title:2", "dc:title", 2),
            ("2:100", "2", 100),
            ("a:", "a:", 1),
        ] {
            let column: TextColumn = text.parse().unwrap();
            assert_eq!((&*column.name, column.times), (name, times));
            assert_eq!(column.to_string().parse(), Ok(column), "{text}");
        }
        for (text, rule) in [
            (
                "title:0",
                "`title` cannot count 0 times; give a number from 1 to 100",
            ),
            (
                "title:101",
                "`title` cannot count 101 times; give a number from 1 to 100",
            ),
            (" ", "a column has a name or a number, such as title or 2"),
            (":3", "a column has a name or a number, such as title or 2"),
        ] {
            assert_eq!(text.parse::<TextColumn>(), Err(rule.into()));
        }
    }

    #[test]
    fn selections_are_remembered() {
        assert_eq!(Selection::default().to_json(), None);
        let selection = Selection {
            text: vec!["title:3".parse().unwrap(), "abstract".parse().unwrap()],
            labels: Some("subjects".into()),
            separator: Some(";".into()),
            ..Selection::default()
        };
        let json = selection.to_json().unwrap();
        assert_eq!(
            json,
            r#"{"text":["title:3","abstract"],"labels":"subjects","separator":";"}"#
        );
        assert_eq!(Selection::from_json(&json).unwrap(), selection);
        assert!(Selection::from_json("5").is_err());
        let later = Selection::from_json(r#"{"labels":"a","of a later release":1}"#);
        assert_eq!(later.unwrap().labels.as_deref(), Some("a"));
    }
}
