//! Lines of bounded length, whatever the input.

use std::io::{self, BufRead, Cursor, Read};

/// How long a line or a row is at most where nothing else is said: 16 MB.
pub const MOST_BYTES: usize = 16_000_000;

/// A line of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// Its bytes, with its end if it has one.
    Whole(Vec<u8>),
    /// It is longer than allowed, and was not kept.
    TooLong,
}

/// The next line of `input`, of at most `most` bytes without its end; `None` after the last one.
///
/// # Errors
/// If reading fails.
pub fn next_line(input: &mut dyn BufRead, most: usize) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let (mut begun, mut too_long) = (false, false);
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            return Ok(match (begun, too_long) {
                (false, _) => None,
                (true, true) => Some(Line::TooLong),
                (true, false) => Some(Line::Whole(line)),
            });
        }
        begun = true;
        let end = memchr::memchr(b'\n', buffer);
        let part = &buffer[..end.map_or(buffer.len(), |end| end + 1)];
        if too_long || line.len() + part.len() - usize::from(end.is_some()) > most {
            too_long = true;
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        let used = part.len();
        input.consume(used);
        if end.is_some() {
            return Ok(Some(match too_long {
                true => Line::TooLong,
                false => Line::Whole(line),
            }));
        }
    }
}

/// A reader, boxed, that another thread may use.
type Input = Box<dyn BufRead + Send>;

/// The first bytes of `input`, with a whole line that is not blank if one of at most `most` bytes
/// is there, and the input with them. Does not wait for more than that line.
///
/// # Errors
/// If reading fails.
pub fn peek(mut input: Input, most: usize) -> io::Result<(Vec<u8>, Input)> {
    let first = input.fill_buf()?;
    if first.is_empty() || first.trim_ascii_start().contains(&b'\n') {
        return Ok((first.to_vec(), input));
    }
    let mut lines = Vec::new();
    loop {
        let (begin, room) = (lines.len(), most.saturating_sub(lines.len()));
        (&mut input)
            .take(room as u64)
            .read_until(b'\n', &mut lines)?;
        let line = &lines[begin..];
        if line.is_empty() || !line.trim_ascii().is_empty() {
            return Ok((lines.clone(), Box::new(Cursor::new(lines).chain(input))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, next_line, peek};
    use std::io::{BufReader, Read};

    #[test]
    fn lines_are_whole_or_left_out() {
        for capacity in [1, 3, 100] {
            let bytes = &b"abcd\nabcde\n\nab"[..];
            let mut input = BufReader::with_capacity(capacity, bytes);
            let mut next = || next_line(&mut input, 4).unwrap();
            assert_eq!(next(), Some(Line::Whole(b"abcd\n".to_vec())));
            assert_eq!(next(), Some(Line::TooLong));
            assert_eq!(next(), Some(Line::Whole(b"\n".to_vec())));
            assert_eq!(next(), Some(Line::Whole(b"ab".to_vec())));
            assert_eq!(next(), None);
        }
        let mut endless = BufReader::new(std::io::repeat(b'x').take(1_000_000));
        assert_eq!(next_line(&mut endless, 10).unwrap(), Some(Line::TooLong));
        assert_eq!(next_line(&mut endless, 10).unwrap(), None);
    }

    #[test]
    fn what_is_looked_at_is_read_again() {
        let bytes = &b"first line\nsecond\n"[..];
        for capacity in [1, 4, 100] {
            let input = Box::new(BufReader::with_capacity(capacity, bytes));
            let (first, mut input) = peek(input, 50).unwrap();
            assert!(first.starts_with(b"first line\n"));
            let mut all = Vec::new();
            input.read_to_end(&mut all).unwrap();
            assert_eq!(all, bytes);
            let blank = Box::new(BufReader::with_capacity(capacity, &b"\n \nline\nnext"[..]));
            let (first, mut input) = peek(blank, 50).unwrap();
            assert!(first.starts_with(b"\n \nline\n"));
            all.clear();
            input.read_to_end(&mut all).unwrap();
            assert_eq!(all, b"\n \nline\nnext");
        }
    }
}
