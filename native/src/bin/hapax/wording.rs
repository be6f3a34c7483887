//! What libraries say of mistakes, in the words of people.

use std::borrow::Cow;

/// What Rust and the libraries say, and what it means.
const MEANINGS: [(&str, &str); 6] = [
    ("invalid digit found in string", "it is not a whole number"),
    ("invalid float literal", "it is not a number"),
    (
        "cannot parse integer from empty string",
        "there is no number",
    ),
    (
        "number too large to fit in target type",
        "the number is too large",
    ),
    (
        "incomplete deflate stream",
        "the compressed file is cut off",
    ),
    ("premature eof", "the compressed file is cut off"),
];

/// A message without the words of libraries: numbers are "from 1 to 9", not in `1..=9`, and
/// temporary files are not named.
pub fn plain(message: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(message);
    for (said, meant) in MEANINGS {
        if text.contains(said) {
            text = text.replace(said, meant).into();
        }
    }
    if let Some(range) = range(&text) {
        text = range.into();
    }
    if let Some(start) = text.find(" at path \"")
        && let Some(length) = text[start + 10..].find('"')
    {
        let end = start + 10 + length + 1;
        text = format!("{}{}", &text[..start], &text[end..]).into();
    }
    text
}

/// The message with `A is not in B..=C` said otherwise, if that stands there.
fn range(text: &str) -> Option<String> {
    const IS_NOT_IN: &str = " is not in ";
    let start = text.find(IS_NOT_IN)?;
    let (before, rest) = (&text[..start], &text[start + IS_NOT_IN.len()..]);
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '=' || c == '-'))
        .unwrap_or(rest.len());
    let (least, most) = rest[..end].split_once("..")?;
    let most = most.strip_prefix('=').unwrap_or(most);
    let after = &rest[end..];
    // Limits of the type mean that there is none.
    Some(match most.parse::<u64>() {
        Ok(limit) if limit < u64::from(u32::MAX) => {
            format!("{before} must be from {least} to {most}{after}")
        }
        _ => format!("{before} must be at least {least}{after}"),
    })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn libraries_are_translated() {
        for (said, meant) in [
            ("a plain message", "a plain message"),
            (
                "'ten' for '-k': invalid digit found in string",
                "'ten' for '-k': it is not a whole number",
            ),
            ("0 is not in 1..=10000\n", "0 must be from 1 to 10000\n"),
            ("0 is not in 1..=4294967295", "0 must be at least 1"),
            (
                "0 is not in 1..18446744073709551615",
                "0 must be at least 1",
            ),
            (
                "m: cannot write: Read-only file system (os error 30) at path \".hapax-x.tmp\"",
                "m: cannot write: Read-only file system (os error 30)",
            ),
            ("9 is not in the list", "9 is not in the list"),
        ] {
            assert_eq!(plain(said), meant);
        }
    }
}
