//! What goes to standard output and standard error, whose reader may be gone.

use super::failure::Failure;
use std::{
    fmt::Display,
    io::{Write, stderr, stdout},
    sync::atomic::{AtomicBool, Ordering},
};

/// Whether another process does the talking.
static SILENT: AtomicBool = AtomicBool::new(false);

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

/// Prints a line to standard error, unless another process does. If nobody reads it, nobody needs it.
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
