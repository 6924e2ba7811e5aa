//! Numbered lines of a file, a pipe or a host, in bounded memory, whatever the bytes.

use std::io::{self, BufRead, Read};

use super::{ReadError, TextError};

/// Longest line that is looked at, in bytes without its end; the rest of a longer one is skipped.
pub const MAX_LINE: usize = 1 << 16;

/// Some editors put this before the first line.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The lines of a reader.
pub struct Lines<R> {
    reader: R,
    number: u64,
}

/// One line without its end, `\n` or `\r\n`.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Line {
    /// The first line is 1.
    pub number: u64,
    bytes: Vec<u8>,
    is_cut: bool,
}

impl<R: BufRead> Lines<R> {
    /// The lines of `reader`.
    pub const fn new(reader: R) -> Lines<R> {
        Lines { reader, number: 0 }
    }

    /// The reader of the lines.
    pub const fn reader(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The next line, or `None` at the end.
    ///
    /// # Errors
    /// If the reader fails.
    pub fn next_line(&mut self) -> io::Result<Option<Line>> {
        let mut line = Line::default();
        Ok(self.read_line(&mut line)?.then_some(line))
    }

    /// Makes `line` the next one, in the memory that it has. `false`: there is none.
    ///
    /// # Errors
    /// If the reader fails.
    pub fn read_line(&mut self, line: &mut Line) -> io::Result<bool> {
        let mut bytes = std::mem::take(&mut line.bytes);
        bytes.clear();
        // Two more bytes than a line may have: its end.
        let mut limited = (&mut self.reader).take(MAX_LINE as u64 + 2);
        if limited.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(false);
        }
        let is_cut = bytes.last() != Some(&b'\n') && bytes.len() > MAX_LINE + 1;
        if is_cut {
            self.reader.skip_until(b'\n')?;
        }
        self.number += 1;
        for end in [b'\n', b'\r'] {
            if !is_cut && bytes.last() == Some(&end) {
                bytes.pop();
            }
        }
        if self.number == 1 && bytes.starts_with(BYTE_ORDER_MARK) {
            bytes.drain(..BYTE_ORDER_MARK.len());
        }
        *line = Line::new(self.number, bytes, is_cut);
        Ok(true)
    }
}

impl Line {
    /// A line of those bytes, its end taken off.
    fn new(number: u64, mut bytes: Vec<u8>, is_cut: bool) -> Line {
        let is_cut = is_cut || bytes.len() > MAX_LINE;
        bytes.truncate(MAX_LINE);
        Line {
            number,
            bytes,
            is_cut,
        }
    }

    /// The bytes; of a line that is too long, the first [`MAX_LINE`] ones.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Is there nothing but blanks?
    pub fn is_blank(&self) -> bool {
        self.bytes.trim_ascii().is_empty()
    }

    /// The whole line, whatever its bytes.
    ///
    /// # Errors
    /// If it was longer than [`MAX_LINE`] bytes.
    pub fn whole(&self) -> Result<&[u8], TextError> {
        if self.is_cut {
            let reason = format!("line of more than {MAX_LINE} bytes");
            return Err(TextError::new(MAX_LINE + 1, reason));
        }
        Ok(&self.bytes)
    }

    /// The line as text.
    ///
    /// # Errors
    /// If it was longer than [`MAX_LINE`] bytes, or is not UTF-8.
    pub fn text(&self) -> Result<&str, TextError> {
        std::str::from_utf8(self.whole()?)
            .map_err(|error| TextError::new(error.valid_up_to() + 1, "bytes that are not UTF-8"))
    }
}

/// For tests, and for callers that already have a line.
impl From<&[u8]> for Line {
    fn from(bytes: &[u8]) -> Line {
        let kept = &bytes[..bytes.len().min(MAX_LINE + 1)];
        Line::new(1, kept.to_vec(), false)
    }
}

impl From<&str> for Line {
    fn from(text: &str) -> Line {
        Line::from(text.as_bytes())
    }
}

/// All results of `parse` for the lines of `reader`; lines for which it
/// returns `None` (blank lines, comments) are left out.
///
/// # Errors
/// If the reader fails, or at the first line that cannot be read.
pub fn read_all<T>(
    reader: impl BufRead,
    parse: impl Fn(&str) -> Result<Option<T>, TextError>,
) -> Result<Vec<T>, ReadError> {
    let mut lines = Lines::new(reader);
    let mut found = Vec::new();
    while let Some(line) = lines.next_line()? {
        let parsed = line.text().and_then(&parse);
        found.extend(parsed.map_err(|error| ReadError::Syntax {
            line: line.number,
            error,
        })?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(bytes: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(bytes);
        std::iter::from_fn(|| lines.next_line().expect("memory does not fail")).collect()
    }

    #[test]
    fn line_ends_of_every_kind_are_removed() {
        let lines = collect(b"\xef\xbb\xbfone\r\ntwo\n\nfour");
        let texts: Vec<_> = lines.iter().map(Line::text).collect();
        assert_eq!(texts, ["one", "two", "", "four"].map(Ok));
        assert_eq!(lines[3].number, 4);
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_one_is_whole() {
        let mut bytes = vec![b'-'; 1 << 20];
        bytes.extend_from_slice(b"\nnext\n");
        let lines = collect(&bytes);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].bytes().len(), MAX_LINE);
        assert!(lines[0].bytes.capacity() <= 4 * MAX_LINE);
        let error = lines[0].text().expect_err("too long");
        assert_eq!(error.column, MAX_LINE + 1);
        assert_eq!((lines[1].number, lines[1].text()), (2, Ok("next")));
    }

    #[test]
    fn the_longest_line_is_read_with_either_line_end() {
        for end in ["", "\n", "\r\n"] {
            let mut bytes = vec![b'-'; MAX_LINE];
            bytes.extend_from_slice(end.as_bytes());
            let lines = collect(&bytes);
            assert_eq!(lines.len(), 1, "{end:?}");
            assert!(lines[0].text().is_ok(), "{end:?}");
            bytes.insert(0, b'-');
            assert!(collect(&bytes)[0].text().is_err(), "{end:?}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_are_an_error_with_a_column() {
        let lines = collect(b"ab\xffc\nd");
        let error = lines[0].text().map_err(|error| error.column);
        assert_eq!(error, Err(3));
        assert_eq!(lines[1].text(), Ok("d"));
    }
}
