//! A JSON array of objects as lines of an object each, which is what tables are read from.

use std::io::{self, BufRead, Read};

/// Bytes that are made ready at once.
const READY: usize = 1 << 16;

/// Whether text that begins so is an array of objects.
pub(super) fn is_array(first: &[u8]) -> bool {
    let first = first.strip_prefix(super::text::MARK).unwrap_or(first);
    let mut marks = first.iter().filter(|byte| !byte.is_ascii_whitespace());
    let mut next = || marks.next().copied();
    next() == Some(b'[') && next() == Some(b'{') && matches!(next(), Some(b'"' | b'}'))
}

/// Where in the array a byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// Before its bracket.
    Start,
    /// Where an item must begin.
    Before,
    /// In an item, within so many brackets of it.
    Item(u64),
    /// In a string of such an item; whether the byte before was a backslash.
    Text(u64, bool),
    /// Behind an item, its comma or the bracket still to come.
    After,
    /// Behind the array.
    Behind,
}

/// The items of an array, one a line: what begins in a line of the source begins in the line of the
/// same number, unless several do. A line break within an item is a tab, which JSON allows in the
/// same places. What is no array goes on as lines that are no JSON, so that whoever reads them says
/// where it is wrong.
///
/// Memory: 64 kB, whatever the items are.
pub(super) struct ArrayLines<R> {
    source: R,
    ready: Vec<u8>,
    used: usize,
    within: Within,
    /// Lines of the source, and of what was made ready, from 0.
    lines: [u64; 2],
    /// Whether anything stands in the last line that was made ready.
    begun: bool,
    ended: bool,
}

impl<R: BufRead> ArrayLines<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            ready: Vec::with_capacity(READY + 2),
            used: 0,
            within: Within::Start,
            lines: [0; 2],
            begun: false,
            ended: false,
        }
    }

    /// Makes bytes ready, until they are enough or the source ends.
    fn refill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.used = 0;
        while self.ready.is_empty() && !self.ended {
            let buffer = self.source.fill_buf()?;
            if buffer.is_empty() {
                self.ended = true;
                if self.within != Within::Behind {
                    self.ready
                        .extend(if self.begun { &b"\n["[..] } else { b"[" });
                }
                self.ready.push(b'\n');
                break;
            }
            let bytes = buffer.to_vec();
            let mut taken = 0;
            while taken < bytes.len() && self.ready.len() < READY {
                taken += usize::from(self.take(bytes[taken]));
            }
            self.source.consume(taken);
        }
        Ok(())
    }

    /// Takes a byte; whether it is done with.
    fn take(&mut self, byte: u8) -> bool {
        use Within::{After, Before, Behind, Item, Start, Text};
        let blank = byte.is_ascii_whitespace();
        let within = match (self.within, byte) {
            (Start, b'[') => Before,
            (Start, _) => Start,
            (Before | After | Behind, _) if blank => self.within,
            (After, b',') => Before,
            (After, b']') => Behind,
            (Before | After | Behind, _) => return self.begin(byte),
            (Item(0), b',' | b']') => {
                self.within = After;
                return false;
            }
            (Item(depth), b'"') => Text(depth, false),
            (Item(depth), b'{' | b'[') => Item(depth + 1),
            (Item(1), b'}' | b']') => After,
            (Item(depth @ 2..), b'}' | b']') => Item(depth - 1),
            (Item(depth), _) => Item(depth),
            (Text(depth, false), b'"') => Item(depth),
            (Text(depth, escaped), _) => Text(depth, byte == b'\\' && !escaped),
        };
        let newline = byte == b'\n';
        self.lines[0] += u64::from(newline);
        if matches!(self.within, Item(_) | Text(..)) {
            self.ready.push(if newline { b'\t' } else { byte });
        }
        self.within = within;
        true
    }

    /// Begins an item with a byte of it; whether that is done with.
    fn begin(&mut self, byte: u8) -> bool {
        if self.begun || self.lines[1] < self.lines[0] {
            self.ready.push(b'\n');
            self.lines[1] += 1;
            self.begun = false;
            return false;
        }
        self.begun = true;
        let expected = self.within == Within::Before;
        let (lacking, last) = (matches!(byte, b',' | b']'), byte == b']');
        // No JSON begins with a comma: a comma or an item is lacking, or this lies behind the end.
        if lacking || !expected {
            self.ready.push(b',');
        }
        self.within = match (expected && lacking, last) {
            (true, true) => Within::Behind,
            (true, false) => Within::Before,
            (false, _) => Within::Item(0),
        };
        expected && lacking
    }
}

impl<R: BufRead> Read for ArrayLines<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for ArrayLines<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.ready.len() {
            self.refill()?;
        }
        Ok(&self.ready[self.used..])
    }

    fn consume(&mut self, used: usize) {
        self.used = self.ready.len().min(self.used + used);
    }
}

#[cfg(test)]
mod tests {
    use super::{ArrayLines, is_array};
    use std::io::{BufReader, Read};

    /// The lines of an array, read in pieces of any size.
    fn lines(array: &str) -> String {
        let mut all: Vec<String> = Vec::new();
        for capacity in [1, 3, 1000] {
            let source = BufReader::with_capacity(capacity, array.as_bytes());
            let mut read = String::new();
            ArrayLines::new(source).read_to_string(&mut read).unwrap();
            all.push(read);
        }
        assert!(all.windows(2).all(|pair| pair[0] == pair[1]), "{array}");
        all.remove(0)
    }

    #[test]
    fn arrays_of_objects_are_told_from_other_text() {
        for array in ["[{\"a\"", " [\n {\n \"", "\u{feff}[{}", "[{ }]"] {
            assert!(is_array(array.as_bytes()), "{array}");
        }
        for text in [
            "",
            "[",
            "[{",
            "{\"a\": 1}",
            "[[{\"",
            "[1]",
            "[a] b",
            "[{x} y",
        ] {
            assert!(!is_array(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn each_item_has_a_line() {
        for (array, expected) in [
            ("[{}]", "{}\n"),
            (
                r#"[{"a":"],[\"{"},{"a":[{"b":[]}]} ] "#,
                "{\"a\":\"],[\\\"{\"}\n{\"a\":[{\"b\":[]}]}\n",
            ),
            (r#"[{"a":"\\"},{}]"#, "{\"a\":\"\\\\\"}\n{}\n"),
            ("\u{feff}[{},5,\"x\"]", "{}\n5\n\"x\"\n"),
            // Items begin in the lines that they begin in, where each has one.
            (
                "[\n {\n  \"a\": 1\n },\n {}\n]\n",
                "\n{\t  \"a\": 1\t }\n\n\n{}\n",
            ),
            ("[{}, {},\n\n{}]", "{}\n{}\n{}\n"),
        ] {
            assert_eq!(lines(array), expected, "{array}");
        }
    }

    #[test]
    fn what_is_no_array_has_a_line_that_is_no_json() {
        for (array, wrong) in [
            ("[{}", "["),
            ("[{},", "["),
            ("[{} {}]", ",{}"),
            ("[{},,{}]", ","),
            ("[{},]", ","),
            ("[{}] {}", ",{}"),
            ("[{}]]", ","),
            ("[{\"a", "{\"a"),
            ("[{\"a\": \"b\nc\"}]", "{\"a\": \"b\tc\"}"),
        ] {
            let read = lines(array);
            assert!(read.lines().any(|line| line == wrong), "{array}: {read}");
            assert!(serde_json::from_str::<serde_json::Value>(wrong).is_err());
        }
    }

    #[test]
    fn many_empty_lines_take_no_memory() {
        let array = format!("[{{}},{}{{}}]", "\n".repeat(1 << 20));
        let mut source = ArrayLines::new(array.as_bytes());
        let mut read = String::new();
        source.read_to_string(&mut read).unwrap();
        assert!(
            read.ends_with("\n{}\n") && read.len() == (1 << 20) + 5,
            "{}",
            read.len()
        );
        assert!(source.ready.capacity() < 3 << 16);
    }
}
