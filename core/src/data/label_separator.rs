//! What separates labels that stand in one column.

use super::ColumnsError;
use alloc::{
    borrow::{Cow, ToOwned},
    string::String,
};
use core::{fmt, str::FromStr};

/// What separates the labels in their column.
///
/// ```
/// use hapax_core::data::LabelSeparator;
/// assert_eq!("space".parse(), Ok(LabelSeparator::BLANKS));
/// assert_eq!("none".parse(), Ok(LabelSeparator::WHOLE));
/// assert_eq!(",".parse(), Ok(LabelSeparator::COMMAS));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelSeparator(Cut);

/// How a field is cut into labels.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cut {
    Blanks,
    At(Cow<'static, str>),
    Nowhere,
}

impl LabelSeparator {
    /// White space, however much; a label may be written as `<uri>`.
    pub const BLANKS: Self = Self(Cut::Blanks);
    /// A comma.
    pub const COMMAS: Self = Self(Cut::At(Cow::Borrowed(",")));
    /// None: the whole field is one label.
    pub const WHOLE: Self = Self(Cut::Nowhere);

    /// Calls `take` with each label of `field` and its place: without the blanks around it, and
    /// perhaps empty. A field of nothing but blanks holds no label.
    pub fn for_each<'f, E>(
        &self,
        field: &'f str,
        mut take: impl FnMut(&'f str, usize) -> Result<(), E>,
    ) -> Result<(), E> {
        if field.trim().is_empty() {
            return Ok(());
        }
        match &self.0 {
            Cut::Blanks => tokens(field).try_for_each(|(label, at)| {
                let inner = label.strip_prefix('<').and_then(|l| l.strip_suffix('>'));
                take(inner.unwrap_or(label), at)
            }),
            Cut::At(separator) => {
                let mut at = 0;
                for label in field.split(&**separator) {
                    let trimmed = label.trim_start();
                    take(trimmed.trim_end(), at + label.len() - trimmed.len())?;
                    at += label.len() + separator.len();
                }
                Ok(())
            }
            Cut::Nowhere => take(field.trim(), field.len() - field.trim_start().len()),
        }
    }
}

/// The tokens between white space, with their places.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let start = text.as_ptr() as usize;
    text.split_whitespace()
        .map(move |token| (token, token.as_ptr() as usize - start))
}

impl fmt::Display for LabelSeparator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            Cut::Blanks => "space",
            Cut::At(separator) => separator,
            Cut::Nowhere => "none",
        })
    }
}

/// The separator itself, `space` or `none`.
impl FromStr for LabelSeparator {
    type Err = ColumnsError;

    fn from_str(separator: &str) -> Result<Self, ColumnsError> {
        let reject = |rule: fn(String) -> ColumnsError| Err(rule(separator.to_owned()));
        match separator {
            "space" => Ok(Self::BLANKS),
            "none" => Ok(Self::WHOLE),
            "" => Err(ColumnsError::EmptySeparator),
            _ if separator.contains(['\t', '\n', '\r']) => Err(ColumnsError::EndsField),
            _ if separator.trim().is_empty() => Ok(Self::BLANKS),
            _ if separator.chars().all(char::is_alphanumeric) => {
                reject(|found| ColumnsError::Word { found })
            }
            _ => Ok(Self(Cut::At(Cow::Owned(separator.to_owned())))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LabelSeparator;
    use alloc::{
        string::{String, ToString},
        vec::Vec,
    };

    #[test]
    fn fields_are_cut_as_the_separator_says() {
        let labels = |separator: &str, field: &'static str| -> Vec<(&'static str, usize)> {
            let separator: LabelSeparator = separator.parse().unwrap();
            let mut found = Vec::new();
            let done: Result<(), ()> = separator.for_each(field, |label, at| {
                found.push((label, at));
                Ok(())
            });
            done.unwrap();
            found
        };
        assert_eq!(labels("space", " <a:b>  c;d "), [("a:b", 1), ("c;d", 8)]);
        assert_eq!(labels(" ", "a b"), [("a", 0), ("b", 2)]);
        assert_eq!(
            labels(";", "a b; c ;<d>"),
            [("a b", 0), ("c", 5), ("<d>", 8)]
        );
        assert_eq!(labels(" / ", "a/b / c"), [("a/b", 0), ("c", 6)]);
        assert_eq!(labels("|", "a||b|"), [("a", 0), ("", 2), ("b", 3), ("", 5)]);
        assert_eq!(
            labels("none", " World War, 1914 "),
            [("World War, 1914", 1)]
        );
        for separator in ["space", ";", "none"] {
            assert_eq!(labels(separator, " \u{a0} "), []);
        }
    }

    #[test]
    fn what_can_separate_nothing_is_refused() {
        let message = |separator: &str| -> String {
            let refused = separator.parse::<LabelSeparator>().unwrap_err();
            refused.to_string()
        };
        assert!(message("").starts_with("a separator has at least one character; `none`"));
        assert!(message("\t").starts_with("a tab ends the column"));
        assert_eq!(
            message("comma"),
            "`comma` is a word; give the character itself, such as `;`, or `space` or `none`"
        );
    }
}
