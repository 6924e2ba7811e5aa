//! Bytes on their way from a file or a pipe to a reader: unpacked, and text as UTF-8 with `\n` at the ends
//! of its lines. Everything streams.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::{BYTE_ORDER_MARK, TextError};

/// Bytes that tell how a file is packed and encoded.
const MAGIC: usize = 16;

/// Bytes that are decoded at once.
const CHUNK: usize = 1 << 15;

/// Two or more bytes with which a packed file begins.
const GZIP: &[u8] = b"\x1f\x8b";

/// Other packed files: their first bytes, their name, and what unpacks them.
const PACKED: [(&[u8], &str, &str); 6] = [
    (b"BZh", "bzip2", "bunzip2"),
    (b"\xfd7zXZ\0", "xz", "unxz"),
    (b"PK\x03\x04", "zip", "unzip"),
    (b"\x28\xb5\x2f\xfd", "zstd", "unzstd"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip", "7z x"),
    (b"\x1f\x9d", "compress", "uncompress"),
];

/// With what files that Emilia writes for itself begin.
const OWN: &[u8] = b"EMILIA";

/// How much of the start of a stream is looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head {
    /// This many bytes, or all where there are fewer.
    Bytes(usize),
    /// At most so many bytes, and no more than are there once a line has ended: what a person or a
    /// program writes line by line is not waited for.
    Line(usize),
}

/// A stream whose first bytes have been looked at.
pub(super) type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;

/// Opens a file. One that is packed with gzip is unpacked while it is read, whatever its name, and text has
/// the form of [`decoded`].
///
/// # Errors
/// If the file cannot be opened, or is packed in another way.
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    decoded(File::open(path)?)
}

/// The bytes of `reader`, unpacked. UTF-16 becomes UTF-8, the byte-order mark of UTF-8 is gone, and lines that end with `\r\n`, or all of them with
/// `\r`, end with `\n`; bytes that are no text stay as they are.
///
/// # Errors
/// If the reader fails, or its bytes are packed otherwise than with gzip.
pub fn decoded(reader: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let (head, reader) = peek(Ending::new(reader), Head::Line(MAGIC))?;
    if head.starts_with(GZIP) {
        return as_text(MultiGzDecoder::new(reader));
    }
    if let Some((_, name, tool)) = PACKED.iter().find(|(magic, ..)| head.starts_with(magic)) {
        let reason = format!("it is packed with {name}: unpack it first, as with {tool}");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    as_text(reader)
}

/// A reader whose end stays its end: a terminal has more to read behind each Ctrl+D.
struct Ending<R> {
    reader: R,
    has_ended: bool,
}

impl<R> Ending<R> {
    const fn new(reader: R) -> Ending<R> {
        let has_ended = false;
        Ending { reader, has_ended }
    }
}

impl<R: Read> Read for Ending<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.has_ended {
            return Ok(0);
        }
        let length = self.reader.read(buffer)?;
        self.has_ended = length == 0 && !buffer.is_empty();
        Ok(length)
    }
}

fn as_text(reader: impl Read + Send + 'static) -> io::Result<Box<dyn BufRead + Send>> {
    let (head, mut reader) = peek(reader, Head::Line(MAGIC))?;
    if head.starts_with(BYTE_ORDER_MARK) {
        reader.read_exact(&mut [0; BYTE_ORDER_MARK.len()])?;
    }
    Ok(if let Some(order) = byte_order(&head) {
        Box::new(LineEnds::new(BufReader::new(Utf16::new(reader, order))))
    } else if head.contains(&0) || head.starts_with(OWN) {
        Box::new(BufReader::with_capacity(CHUNK, reader))
    } else {
        Box::new(LineEnds::new(BufReader::with_capacity(CHUNK, reader)))
    })
}

/// Looks at the start of `reader`: its bytes, and a reader that has them all the same.
///
/// # Errors
/// If the reader fails.
pub fn peek<R: Read>(mut reader: R, head: Head) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let by_line = matches!(head, Head::Line(_));
    let (Head::Bytes(limit) | Head::Line(limit)) = head;
    // What is there with the line is read at once, and looked at by whoever looks at more.
    let mut bytes = vec![0; limit.max(CHUNK)];
    let mut length = 0;
    // A database may have a 10 among its first bytes.
    let is_control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let has_line = |bytes: &[u8]| bytes.contains(&b'\n') && !bytes.iter().any(is_control);
    while length < limit && !(by_line && has_line(&bytes[..length])) {
        match reader.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(length);
    let head = bytes[..length.min(limit)].to_vec();
    Ok((head, Cursor::new(bytes).chain(reader)))
}

/// Text that is UTF-8 or else Latin-1, as old programs write names.
pub fn latin1(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// The error in the text that [`latin1`] made of `bytes`, with its column in them: each letter of Latin-1 was one.
pub fn latin1_error(bytes: &[u8], text: &str, error: TextError) -> TextError {
    if text.len() == bytes.len() {
        return error;
    }
    let before = &text[..text.floor_char_boundary(error.column - 1)];
    TextError::new(before.chars().count() + 1, error.reason)
}

/// A unit of UTF-16, of its two bytes.
type Unit = fn([u8; 2]) -> u16;

/// Is this the start of UTF-16? It has a mark, or each other byte is zero, as in ASCII.
fn byte_order(head: &[u8]) -> Option<Unit> {
    const FEWEST: usize = 4;
    let is_letter = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    let (pairs, _) = head.as_chunks::<2>();
    let is_letters = |at: usize| {
        let is_one = |pair: &[u8; 2]| is_letter(pair[at]) && pair[1 - at] == 0;
        pairs.len() >= FEWEST && pairs.iter().all(is_one)
    };
    if head.starts_with(b"\xff\xfe") || is_letters(0) {
        Some(u16::from_le_bytes)
    } else if head.starts_with(b"\xfe\xff") || is_letters(1) {
        Some(u16::from_be_bytes)
    } else {
        None
    }
}

/// UTF-16 that is read as UTF-8. What is no text becomes U+FFFD.
struct Utf16<R> {
    reader: R,
    unit: Unit,
    /// A half of a unit, or of a pair of units, that waits for the other.
    units: Vec<u16>,
    odd: Option<u8>,
    /// UTF-8 that waits to be read.
    text: Cursor<Vec<u8>>,
    is_first: bool,
}

impl<R: Read> Utf16<R> {
    const fn new(reader: R, unit: Unit) -> Utf16<R> {
        Utf16 {
            reader,
            unit,
            units: Vec::new(),
            odd: None,
            text: Cursor::new(Vec::new()),
            is_first: true,
        }
    }

    fn fill(&mut self) -> io::Result<bool> {
        let mut bytes = [0; CHUNK];
        let length = self.reader.read(&mut bytes)?;
        let is_end = length == 0;
        for &byte in &bytes[..length] {
            match self.odd.take() {
                None => self.odd = Some(byte),
                Some(first) => self.units.push((self.unit)([first, byte])),
            }
        }
        let is_half = |unit: &mut u16| !is_end && (0xd800..0xdc00).contains(unit);
        let waiting = self.units.pop_if(is_half);
        let mut text = String::new();
        for letter in char::decode_utf16(self.units.drain(..)) {
            let letter = letter.unwrap_or(char::REPLACEMENT_CHARACTER);
            if !(std::mem::take(&mut self.is_first) && letter == '\u{feff}') {
                text.push(letter);
            }
        }
        if is_end && self.odd.take().is_some() {
            text.push(char::REPLACEMENT_CHARACTER);
        }
        self.units.extend(waiting);
        let is_more = !is_end || !text.is_empty();
        self.text = Cursor::new(text.into_bytes());
        Ok(is_more)
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let length = self.text.read(buffer)?;
            if length > 0 || buffer.is_empty() || !self.fill()? {
                return Ok(length);
            }
        }
    }
}

/// Bytes of `reader` with `\n` for each `\r\n`, and for each `\r` where the first line ends with one: elsewhere
/// it ends no line, so that lines have the numbers that other programs give them.
struct LineEnds<R> {
    reader: R,
    /// Bytes of its buffer that are known to have no `\r`.
    clean: usize,
    /// Was the last byte a `\r`, of which it is not yet known what it is?
    after_return: bool,
    /// What is to come before more is read: `\n` or `\r`.
    pending: &'static [u8],
    /// Does a `\r` alone end a line? Known from the first line end on.
    return_ends: Option<bool>,
}

impl<R: BufRead> LineEnds<R> {
    const fn new(reader: R) -> LineEnds<R> {
        LineEnds {
            reader,
            clean: 0,
            after_return: false,
            pending: b"",
            return_ends: None,
        }
    }
}

impl<R: BufRead> BufRead for LineEnds<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.clean == 0 && self.pending.is_empty() {
            let buffer = self.reader.fill_buf()?;
            let first = buffer.first().copied();
            if std::mem::take(&mut self.after_return) {
                let is_both = first == Some(b'\n');
                let ends = *self.return_ends.get_or_insert(!is_both);
                self.pending = if is_both || ends { b"\n" } else { b"\r" };
                self.reader.consume(usize::from(is_both));
            } else if first == Some(b'\r') {
                self.after_return = true;
                self.reader.consume(1);
            } else if first.is_none() {
                return Ok(&[]);
            } else {
                let found = buffer.iter().position(|&byte| byte == b'\r');
                self.clean = found.unwrap_or(buffer.len());
                if self.return_ends.is_none() && buffer[..self.clean].contains(&b'\n') {
                    self.return_ends = Some(false);
                }
            }
        }
        if !self.pending.is_empty() {
            return Ok(self.pending);
        }
        Ok(&self.reader.fill_buf()?[..self.clean])
    }

    fn consume(&mut self, length: usize) {
        if !self.pending.is_empty() {
            self.pending = &self.pending[length..];
            return;
        }
        self.clean -= length;
        self.reader.consume(length);
    }
}

impl<R: BufRead> Read for LineEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(buffer)?;
        self.consume(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    /// A reader that gives at most so many bytes at once.
    struct Pieces(Cursor<Vec<u8>>, usize);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(self.1);
            self.0.read(&mut buffer[..length])
        }
    }

    fn read(bytes: &[u8]) -> Vec<u8> {
        let whole = |size| {
            let mut found = Vec::new();
            let mut reader = decoded(Pieces(Cursor::new(bytes.to_vec()), size)).expect("readable");
            reader.read_to_end(&mut found).expect("readable");
            found
        };
        assert_eq!(whole(1), whole(1 << 20), "in pieces");
        whole(1 << 20)
    }

    #[test]
    fn line_ends_of_all_systems_become_one() {
        assert_eq!(
            read(b"one\rtwo\r\n\r\nthree\n\rfour\r"),
            b"one\ntwo\n\nthree\n\nfour\n"
        );
        assert_eq!(read(b"one\r\ntw\ro\n\r\rx\r\n"), b"one\ntw\ro\n\r\rx\n");
        assert_eq!(read(b"one\ntw\ro\r"), b"one\ntw\ro\r");
        assert_eq!(read(b""), b"");
        assert_eq!(read(b"\r"), b"\n");
        // A database is no text.
        let bytes = b"\x14\x1a\r\n\x01\0\0\0\0\0\xea\x07\x08\0\r\0\r\n";
        assert_eq!(read(bytes), bytes);
    }

    #[test]
    fn the_mark_of_utf8_is_no_text() {
        assert_eq!(read(b"\xef\xbb\xbff5\r\n"), b"f5\n");
    }

    #[test]
    fn utf16_is_text() {
        let text = "f5 ü 😀\r\nd6";
        let low: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let high: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = [b"\xff\xfe", &low[..]].concat();
        for bytes in [[b"\xfe\xff", &high[..]].concat(), marked.clone()] {
            assert_eq!(read(&bytes), "f5 ü 😀\nd6".as_bytes());
        }
        let plain: Vec<u8> = "f5d6c3\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(read(&plain), b"f5d6c3\n", "without a mark");
        let cut = [&marked[..marked.len() - 1], b"\0"].concat();
        assert!(!read(&cut).is_empty());
        let odd = &marked[..marked.len() - 1];
        assert!(read(odd).ends_with("\u{fffd}".as_bytes()));
    }

    #[test]
    fn packed_bytes_are_unpacked_or_named() {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(b"f5d6\rc3").expect("memory");
        assert_eq!(read(&packer.finish().expect("memory")), b"f5d6\nc3");
        for (magic, name, tool) in PACKED {
            let bytes = Cursor::new([magic, b"whatever comes"].concat());
            let error = decoded(bytes).err().expect("packed").to_string();
            assert!(error.contains(name) && error.contains(tool), "{error}");
        }
    }

    #[test]
    fn names_in_latin1_stay_readable() {
        assert_eq!(latin1(b"B\xf6\xe9"), "Böé");
        assert_eq!(latin1("Böé".as_bytes()), "Böé");
    }
}
