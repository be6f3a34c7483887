//! Reading many lines at once: the input is cut at line ends into chunks, chunks are parsed as
//! jobs of an [`Executor`], and the parts are joined in order.
//!
//! Where the cuts fall does not depend on the executor, and no line's meaning depends on
//! another's, so the result and the first error are the same for any number of threads.

use super::{ReadError, read_error::Fault};
use crate::executor::Executor;
use alloc::vec::Vec;
use core::ops::Range;

/// Bytes of a chunk, up to the end of its last line.
const CHUNK: usize = 1 << 20;

/// How many chunks for each thread are parsed before they are joined: few, because parsed
/// chunks take memory beside the joined rows.
const CHUNKS_A_THREAD: usize = 4;

/// Where the first line of `bytes` ends and the next one begins.
pub(super) fn first_line(bytes: &[u8]) -> (&[u8], usize) {
    let (end, next) = match memchr::memchr(b'\n', bytes) {
        Some(end) => (end, end + 1),
        None => (bytes.len(), bytes.len()),
    };
    let line = &bytes[..end];
    (line.strip_suffix(b"\r").unwrap_or(line), next)
}

/// The lines of `bytes`, without their ends (`\n` or `\r\n`).
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (line, next) = first_line(rest);
        rest = &rest[next..];
        Some(line)
    })
}

fn cut(bytes: &[u8], size: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start < bytes.len() {
        let last = (start + size.max(1) - 1).min(bytes.len() - 1);
        let end = last + first_line(&bytes[last..]).1;
        chunks.push(start..end);
        start = end;
    }
    chunks
}

/// Parses every line of `bytes` with `parse` into parts of type `P`, and gives the parts to `join`
/// in order. `first` is the number of the first line.
pub(super) fn parse_lines<P, F, J>(
    bytes: &[u8],
    first: usize,
    executor: &Executor,
    parse: F,
    join: J,
) -> Result<(), ReadError>
where
    P: Default + Send,
    F: Fn(&[u8], &mut P) -> Result<(), Fault> + Sync,
    J: FnMut(P) -> Result<(), ReadError>,
{
    parse_chunks(bytes, CHUNK, first, executor, parse, join)
}

fn parse_chunks<P, F, J>(
    bytes: &[u8],
    size: usize,
    first: usize,
    executor: &Executor,
    parse: F,
    mut join: J,
) -> Result<(), ReadError>
where
    P: Default + Send,
    F: Fn(&[u8], &mut P) -> Result<(), Fault> + Sync,
    J: FnMut(P) -> Result<(), ReadError>,
{
    let chunks = cut(bytes, size);
    let mut number = first;
    for wave in chunks.chunks(executor.threads().max(1) * CHUNKS_A_THREAD) {
        let parts = executor.map(
            wave.len(),
            || (),
            |(), job| parse_chunk(&bytes[wave[job].clone()], &parse),
        );
        for part in parts {
            let (lines, part) = part.map_err(|error| ReadError {
                line: error.line + number,
                ..error
            })?;
            number += lines;
            join(part)?;
        }
    }
    Ok(())
}

/// The number of lines and what they hold; lines of an error count from 0.
fn parse_chunk<P: Default>(
    chunk: &[u8],
    parse: &impl Fn(&[u8], &mut P) -> Result<(), Fault>,
) -> Result<(usize, P), ReadError> {
    let mut part = P::default();
    let mut count = 0;
    for line in lines(chunk) {
        parse(line, &mut part).map_err(|fault| fault.at(count, line))?;
        count += 1;
    }
    Ok((count, part))
}

#[cfg(test)]
mod tests {
    use super::{Fault, cut, lines, parse_chunks};
    use crate::{data::ReadProblem, executor::Sequential};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn chunks_hold_every_line_once(
            text in prop::collection::vec(prop::sample::select(&b"ab\r\n!"[..]), 0..60),
            size in 1usize..20,
        ) {
            let chunks = cut(&text, size);
            let joined: Vec<&[u8]> =
                chunks.iter().flat_map(|range| lines(&text[range.clone()])).collect();
            let whole: Vec<&[u8]> = lines(&text).collect();
            prop_assert_eq!(&joined, &whole);

            // A line with an exclamation mark is a mistake: the first one is reported.
            let mut seen: Vec<Vec<u8>> = Vec::new();
            let result = parse_chunks(
                &text, size, 5, &Sequential,
                |line, part: &mut Vec<Vec<u8>>| match line.iter().position(|&b| b == b'!') {
                    Some(offset) => Err(Fault::new(offset, ReadProblem::MissingTab)),
                    None => { part.push(line.to_vec()); Ok(()) }
                },
                |part| { seen.extend(part); Ok(()) },
            );
            match whole.iter().position(|line| line.contains(&b'!')) {
                Some(at) => {
                    let error = result.unwrap_err();
                    prop_assert_eq!(error.line, 5 + at);
                    prop_assert_eq!(whole[at][error.column - 1], b'!');
                }
                None => prop_assert_eq!(seen, whole),
            }
        }
    }
}
