//! What goes to standard output and standard error, whose reader may be gone.

use super::failure::Failure;
use clap::builder::{PathBufValueParser, TypedValueParser};
use serde_json::Value;
use std::{
    borrow::Cow,
    fmt::Display,
    io::{Write, stderr, stdout},
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether another process does the talking.
static SILENT: AtomicBool = AtomicBool::new(false);

/// The path of a model to write, which cannot go to standard output.
pub fn output_file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.as_os_str() == "-" {
        true => Err("a model is a file; give it a name (./- if it shall be called -)"),
        false => Ok(path),
    })
}

/// From now on [`note`] says nothing, as another process says the same.
pub fn silence() {
    SILENT.store(true, Ordering::Relaxed);
}

/// Prints to standard output, followed by a line break.
///
/// Unlike `println!`, a reader that has left is no reason to panic.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints a line to standard error, unless another process does. If nobody reads it, nobody needs
/// it.
pub fn note(text: impl Display) {
    if !SILENT.load(Ordering::Relaxed) {
        insist(text);
    }
}

/// Prints a line to standard error whichever process this is.
pub fn insist(text: impl Display) {
    let _ = writeln!(stderr().lock(), "{text}");
}

/// Says on standard error that something may not be as the user thinks.
pub fn warn(text: impl Display) {
    note(format_args!("hapax: warning: {text}"));
}

/// Whether a terminal would act on the character instead of showing it: control characters, and
/// those that turn the direction of what follows.
fn acts(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A name from data or a model as a terminal may get it: what would act on it is written out.
pub fn shown(name: &str) -> Cow<'_, str> {
    if !name.contains(acts) {
        return Cow::Borrowed(name);
    }
    let mut text = String::new();
    for character in name.chars() {
        match acts(character) {
            true => text.extend(character.escape_unicode()),
            false => text.push(character),
        }
    }
    Cow::Owned(text)
}

/// JSON in which what a terminal would act on is escaped, which changes no string.
pub fn shown_json(json: &Value) -> String {
    let text = json.to_string();
    if !text.contains(acts) {
        return text;
    }
    let mut escaped = String::new();
    for character in text.chars() {
        match acts(character) {
            true => escaped += &format!("\\u{:04x}", u32::from(character)),
            false => escaped.push(character),
        }
    }
    escaped
}

/// Text as HTML may get it, XML too: what is HTML's own is escaped, and what a terminal or a page
/// would act on is written out.
pub fn shown_html(text: &str) -> String {
    let text = shown(text);
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // No characters of XML, and never shown.
            '\u{fffe}' | '\u{ffff}' => safe.extend(character.escape_unicode()),
            other => safe.push(other),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::{shown, shown_json};
    use serde_json::{Value, json};

    #[test]
    fn no_name_acts_on_a_terminal() {
        assert_eq!(shown("Müller 猫 🐟"), "Müller 猫 🐟");
        assert_eq!(
            shown("\u{1b}[31mred\u{7}\u{9b}\u{202e}x\t"),
            "\\u{1b}[31mred\\u{7}\\u{9b}\\u{202e}x\\u{9}"
        );
        let value = json!({"name": "a\u{1b}\u{9b}\u{202e}\"猫"});
        let line = shown_json(&value);
        assert!(line.contains("\\u001b\\u009b\\u202e"), "{line}");
        assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), value);
    }
}
