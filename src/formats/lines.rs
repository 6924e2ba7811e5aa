//! Lines of a file or stream, numbered, with bounded memory, whatever the bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use thiserror::Error;

use super::SyntaxError;

/// Longest line that is looked at, in bytes; the rest of a longer one is skipped.
pub const MAX_LINE_BYTES: usize = 1 << 16;

/// Numbered lines of a reader.
pub struct Lines<R> {
    reader: R,
    number: u64,
    buffer: Vec<u8>,
}

/// One line.
#[derive(Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// The first line is 1.
    pub number: u64,
    /// The text without its line end, or why it is no text.
    pub text: Result<&'a str, SyntaxError>,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `reader`.
    pub const fn new(reader: R) -> Lines<R> {
        Lines {
            reader,
            number: 0,
            buffer: Vec::new(),
        }
    }

    /// The next line, or `None` at the end.
    ///
    /// # Errors
    /// If the reader fails.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        // Two more bytes than a line may have: its end.
        let mut limited = (&mut self.reader).take(MAX_LINE_BYTES as u64 + 2);
        if limited.read_until(b'\n', &mut self.buffer)? == 0 {
            return Ok(None);
        }
        self.number += 1;
        let number = self.number;
        if self.buffer.last() != Some(&b'\n') {
            self.reader.skip_until(b'\n')?;
        }
        Ok(Some(Line {
            number,
            text: text_of(&self.buffer, number == 1),
        }))
    }
}

/// The text of a line as it was read.
fn text_of(bytes: &[u8], is_first: bool) -> Result<&str, SyntaxError> {
    const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    let bytes = match bytes.strip_prefix(BYTE_ORDER_MARK) {
        Some(marked) if is_first => marked,
        _ => bytes,
    };
    if bytes.len() > MAX_LINE_BYTES {
        let reason = format!("the line is longer than {MAX_LINE_BYTES} bytes");
        return Err(SyntaxError::new(MAX_LINE_BYTES + 1, reason));
    }
    std::str::from_utf8(bytes)
        .map_err(|error| SyntaxError::new(error.valid_up_to() + 1, "the bytes are not UTF-8"))
}

/// A file to read, unpacked on the way if its name ends in `.gz`.
///
/// # Errors
/// If the file cannot be opened.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let file = File::open(path)?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        Ok(Box::new(BufReader::new(MultiGzDecoder::new(file))))
    } else {
        Ok(Box::new(BufReader::new(file)))
    }
}

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The reader failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line makes no sense.
    #[error("line {line}, {source}")]
    Syntax {
        /// The first line is 1.
        line: u64,
        /// What is wrong with it.
        source: SyntaxError,
    },
}

/// Everything that `parse` finds in the lines of `reader`; lines for which it
/// answers `None` (blank lines, comments) are left out.
///
/// # Errors
/// If the reader fails, or at the first line that makes no sense.
pub fn read_all<T>(
    reader: impl BufRead,
    parse: impl Fn(&str) -> Result<Option<T>, SyntaxError>,
) -> Result<Vec<T>, ReadError> {
    let mut lines = Lines::new(reader);
    let mut found = Vec::new();
    while let Some(Line { number, text }) = lines.next_line()? {
        let parsed = text.and_then(&parse).map_err(|source| ReadError::Syntax {
            line: number,
            source,
        })?;
        found.extend(parsed);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(bytes: &[u8]) -> Vec<(u64, Result<String, SyntaxError>)> {
        let mut lines = Lines::new(bytes);
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().expect("memory does not fail") {
            all.push((line.number, line.text.map(str::to_owned)));
        }
        all
    }

    #[test]
    fn line_ends_of_every_kind_are_taken_off() {
        let lines = collect(b"\xef\xbb\xbfone\r\ntwo\n\nfour");
        let texts: Vec<_> = lines.into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, ["one", "two", "", "four"].map(|s| Ok(s.to_owned())));
    }

    #[test]
    fn an_overlong_line_is_an_error_and_the_next_is_read() {
        let mut bytes = vec![b'-'; 1 << 20];
        bytes.extend_from_slice(b"\nnext\n");
        let lines = collect(&bytes);
        assert_eq!(lines.len(), 2);
        let error = lines[0].1.as_ref().expect_err("too long");
        assert_eq!(error.column, MAX_LINE_BYTES + 1);
        assert_eq!(lines[1], (2, Ok("next".to_owned())));
    }

    #[test]
    fn the_longest_line_is_still_read_with_either_line_end() {
        for end in ["", "\n", "\r\n"] {
            let mut bytes = vec![b'-'; MAX_LINE_BYTES];
            bytes.extend_from_slice(end.as_bytes());
            let lines = collect(&bytes);
            assert_eq!(lines.len(), 1, "{end:?}");
            assert!(lines[0].1.is_ok(), "{end:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_say_where() {
        let lines = collect(b"ab\xffc\nd");
        assert_eq!(lines[0].1.as_ref().map_err(|error| error.column), Err(3));
        assert_eq!(lines[1], (2, Ok("d".to_owned())));
    }
}
