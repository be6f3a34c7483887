//! zstd with all that a file of it may hold: frames one after the other, as several threads or
//! `cat` leave them, frames to skip, and checksums.

use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::{
    error::Error,
    io::{self, Chain, Cursor, Read},
};

/// How a frame begins.
pub const MARK: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// How a frame to skip begins, but for the lowest four bits of its first byte.
const SKIPPED: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

/// A frame, its mark read ahead.
type Frame<R> = StreamingDecoder<Chain<Cursor<[u8; 4]>, R>, FrameDecoder>;

/// Decompresses all frames, each checked against its checksum where it has one.
pub struct ZstdReader<R: Read>(State<R>);

enum State<R: Read> {
    Between(R),
    Inside(Box<Frame<R>>),
    /// The end, or an error that was told.
    Over,
}

impl<R: Read> ZstdReader<R> {
    pub fn new(source: R) -> Self {
        Self(State::Between(source))
    }
}

impl<R: Read> Read for ZstdReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            self.0 = match std::mem::replace(&mut self.0, State::Over) {
                State::Over => return Ok(0),
                State::Between(source) => begin(source)?,
                State::Inside(mut frame) => match frame.read(out)? {
                    0 => State::Between(end(*frame)?),
                    read => {
                        self.0 = State::Inside(frame);
                        return Ok(read);
                    }
                },
            };
        }
    }
}

/// What comes behind a frame, or at the beginning.
fn begin<R: Read>(mut source: R) -> io::Result<State<R>> {
    let mut mark = [0; 4];
    let mut read = 0;
    while read < mark.len() {
        match source.read(&mut mark[read..])? {
            0 if read == 0 => return Ok(State::Over),
            0 => return Err(wrong("it ends within the mark of a frame")),
            more => read += more,
        }
    }
    if mark == MARK {
        let frame = StreamingDecoder::new(Cursor::new(mark).chain(source));
        let frame = frame
            .map_err(|error| wrong(&format!("a frame cannot be read: {}", innermost(&error))))?;
        return Ok(State::Inside(Box::new(frame)));
    }
    if [mark[0] & 0xf0, mark[1], mark[2], mark[3]] != SKIPPED {
        return Err(wrong("what stands behind a frame is no other frame"));
    }
    let mut length = [0; 4];
    source.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    if io::copy(&mut source.by_ref().take(length), &mut io::sink())? < length {
        return Err(wrong("it ends within a frame to skip"));
    }
    Ok(State::Between(source))
}

/// What stands behind a frame that was read to its end.
fn end<R: Read>(frame: Frame<R>) -> io::Result<R> {
    let (source, decoder) = frame.into_parts();
    let told = decoder.get_checksum_from_data();
    if told.is_some() && told != decoder.get_calculated_checksum() {
        return Err(wrong("a frame is damaged: its checksum differs"));
    }
    Ok(source.into_inner().1)
}

/// The cause of an error behind all others: those in front of it show it as code does.
fn innermost<'e>(mut error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    while let Some(source) = error.source() {
        error = source;
    }
    error
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use super::{MARK, ZstdReader};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use std::io::Read;

    fn frame(text: &[u8]) -> Vec<u8> {
        compress_to_vec(text, CompressionLevel::Fastest)
    }

    fn read(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        let read = ZstdReader::new(bytes).read_to_end(&mut out);
        read.map(|_| out).map_err(|error| error.to_string())
    }

    /// A frame of one raw block with a checksum, which is `xxh64(text) & 0xffff_ffff`.
    fn checked(text: &[u8], checksum: u32) -> Vec<u8> {
        let size = text.len() as u8;
        let block = (u32::from(size) << 3 | 1).to_le_bytes();
        // One segment, its size in one byte, a checksum at the end.
        [
            &MARK[..],
            &[0x24, size],
            &block[..3],
            text,
            &checksum.to_le_bytes(),
        ]
        .concat()
    }

    #[test]
    fn all_frames_are_read_and_those_to_skip_are_skipped() {
        let skipped = [&[0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let long = b"0123456789".repeat(50_000);
        let whole = [
            skipped.clone(),
            frame(b"one, "),
            frame(b""),
            skipped.clone(),
            frame(&long),
            skipped,
        ]
        .concat();
        let expected = [&b"one, "[..], &long[..]].concat();
        assert!(read(&whole).as_deref() == Ok(&expected[..]));
        assert_eq!(read(b""), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_frame_or_ends_early_is_refused() {
        let whole = frame(b"some text");
        for (more, rule) in [
            (&b"junk"[..], "is no other frame"),
            (&MARK[..3], "ends within the mark"),
            (
                &[0x50, 0x2a, 0x4d, 0x18, 9, 0, 0, 0, 1],
                "ends within a frame to skip",
            ),
        ] {
            let refused = read(&[&whole[..], more].concat()).unwrap_err();
            assert!(refused.contains(rule), "{refused}");
        }
        for end in 1..whole.len() {
            assert!(read(&whole[..end]).is_err(), "{end}");
        }
    }

    #[test]
    fn checksums_are_compared() {
        // The lower half of xxh64("") is 0x51d8e999 (with seed 0).
        assert_eq!(read(&checked(b"", 0x51d8_e999)), Ok(Vec::new()));
        let refused = read(&checked(b"", 0x51d8_e998)).unwrap_err();
        assert!(refused.contains("its checksum differs"), "{refused}");
        assert!(read(&checked(b"text", 0)).is_err());
    }
}
