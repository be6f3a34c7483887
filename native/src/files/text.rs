//! Text in, whatever it is compressed by.

use super::{
    FileError, failed,
    json_array::{ArrayLines, is_array},
    zstd::{self, ZstdReader},
};
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

/// Opens a file of text, or standard input for `-`, decompressing xz, gzip and zstd, which are
/// recognized by their first bytes. A JSON array of objects is given as JSON Lines, an object a
/// line.
///
/// # Errors
/// If the file cannot be opened, its first bytes cannot be read, or they are those of what is no
/// text.
pub fn open_text(path: &Path) -> Result<Box<dyn BufRead + Send>, FileError> {
    let raw: Box<dyn Read + Send> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        Box::new(File::open(path).map_err(failed(path, "open"))?)
    };
    let unread = failed(path, "read");
    let mut reader = BufReader::with_capacity(1 << 16, raw);
    let first = reader.fill_buf().map_err(&unread)?;
    let mut text: Box<dyn BufRead + Send> = if first.starts_with(b"\xfd7zXZ\0") {
        Box::new(BufReader::new(
            liblzma::bufread::XzDecoder::new_multi_decoder(reader),
        ))
    } else if first.starts_with(&[0x1f, 0x8b]) {
        Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(reader)))
    } else if first.starts_with(&zstd::MARK) {
        Box::new(BufReader::new(ZstdReader::new(reader)))
    } else if let Some(why) = unreadable(first) {
        return Err(unread(io::Error::other(why)));
    } else {
        Box::new(reader)
    };
    Ok(match is_array(text.fill_buf().map_err(unread)?) {
        true => Box::new(ArrayLines::new(text)),
        false => text,
    })
}

/// The byte order mark that some editors put in front of UTF-8.
pub(super) const MARK: &[u8] = b"\xef\xbb\xbf";

/// What is wrong with a file that begins so and is known to be no text: perhaps one that another
/// program wrote.
fn unreadable(first: &[u8]) -> Option<&'static str> {
    let is = |mark: &[u8]| first.starts_with(mark);
    if is(b"BZh") && first.get(4..10) == Some(b"1AY&SY") {
        Some("it is compressed by bzip2: decompress it, or compress it by xz, gzip or zstd")
    } else if is(b"PK\x03\x04") {
        Some(
            "it is a zip archive, as spreadsheets (.xlsx) and .npz files are: save the sheet as CSV, unpack the \
             archive, or compress the file by xz, gzip or zstd",
        )
    } else if is(b"7z\xbc\xaf\x27\x1c") {
        Some("it is a 7z archive: unpack it, or compress the file by xz, gzip or zstd")
    } else if is(b"PAR1") {
        Some("it is a Parquet file: save its table as CSV or JSON Lines")
    } else if is(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        Some(
            "it is a file of an old office program, as spreadsheets (.xls) are: save the sheet as CSV",
        )
    } else if is(b"\xff\xfe") || is(b"\xfe\xff") {
        Some("it is text in UTF-16: convert it to UTF-8")
    } else {
        None
    }
}

/// Reads a whole file of text, decompressed; see [`open_text`]. A byte order mark is no part of it.
///
/// # Errors
/// If the file cannot be read or is compressed and damaged.
pub fn read_text(path: &Path) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    open_text(path)?
        .read_to_end(&mut bytes)
        .map_err(failed(path, "read"))?;
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::read_text;

    #[test]
    fn compressed_text_is_read_as_it_is() {
        use std::io::Write;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text.unusual-name");
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(b"some text").unwrap();
        std::fs::write(&path, gzip.finish().unwrap()).unwrap();
        assert_eq!(read_text(&path).unwrap(), b"some text");
        let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
        xz.write_all(b"other text").unwrap();
        std::fs::write(&path, xz.finish().unwrap()).unwrap();
        assert_eq!(read_text(&path).unwrap(), b"other text");
    }

    #[test]
    fn what_is_no_text_is_refused_by_what_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        for (bytes, reason) in [
            (&b"BZh91AY&SY\x00"[..], "compressed by bzip2"),
            (b"PK\x03\x04rest", "a zip archive"),
            (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
            (b"PAR1\x15\x04", "a Parquet file: save its table as CSV"),
            (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old office program"),
            (b"\xff\xfea\0", "UTF-16: convert it to UTF-8"),
            (b"\xfe\xff\0a", "UTF-16: convert it to UTF-8"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let message = read_text(&path).unwrap_err().to_string();
            assert!(message.contains("text: cannot read: it is"), "{message}");
            assert!(message.contains(reason), "{message}");
        }
        std::fs::write(&path, b"\xef\xbb\xbftext").unwrap();
        assert_eq!(read_text(&path).unwrap(), b"text");
        std::fs::write(&path, b"BZh is how bzip2 begins").unwrap();
        assert!(read_text(&path).is_ok());
    }

    #[test]
    fn an_array_of_objects_is_read_as_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("array.json");
        std::fs::write(&path, b"[{\"a\": 1}, {\"a\": 2}]\n").unwrap();
        assert_eq!(read_text(&path).unwrap(), b"{\"a\": 1}\n{\"a\": 2}\n");
    }
}
