//! What goes to standard output and standard error, whose reader may be gone.

use super::failure::Failure;
use std::{
    fmt::Display,
    io::{Write, stderr, stdout},
};

/// Prints to standard output, followed by a line break.
///
/// Unlike `println!`, a reader that has left is no reason to panic.
pub fn print(text: impl Display) -> Result<(), Failure> {
    let mut out = stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

/// Prints a line to standard error. If nobody reads it, nobody needs it.
pub fn note(text: impl Display) {
    let _ = writeln!(stderr().lock(), "{text}");
}

/// Says on standard error that something may not be as the user thinks.
pub fn warn(text: impl Display) {
    note(format_args!("hapax: warning: {text}"));
}
