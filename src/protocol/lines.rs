//! The reader: bytes of the host to lines, on a thread that nothing else blocks.

use std::io::{self, ErrorKind, Read};
use std::thread;

use crossbeam_channel::{Receiver, Sender, unbounded};

/// Bytes that a line may have, its end not counted.
pub const MAX_LINE: usize = 65_536;

/// Bytes read at once.
const CHUNK: usize = 65_536;

/// A line of the host, without `\n` or `\r\n`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// Any bytes but `\n`.
    Bytes(Vec<u8>),
    /// More than [`MAX_LINE`] bytes; only the first ones are kept.
    TooLong(Vec<u8>),
}

/// Starts the thread. The lines' channel is disconnected at the end of the input.
pub(super) fn start(mut input: impl Read + Send + 'static) -> io::Result<Receiver<Line>> {
    let (sender, lines) = unbounded();
    thread::Builder::new()
        .name("reader".to_owned())
        .spawn(move || {
            if let Err(error) = read_all(&mut input, &sender) {
                log::error!("cannot read the input: {error}");
            }
        })?;
    Ok(lines)
}

fn read_all(input: &mut impl Read, lines: &Sender<Line>) -> io::Result<()> {
    let mut splitter = Splitter::default();
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        for line in splitter.push(&chunk[..count]) {
            if lines.send(line).is_err() {
                return Ok(());
            }
        }
    }
    if let Some(line) = splitter.finish() {
        // Nobody there to take it: then nobody needs it.
        let _ = lines.send(line);
    }
    Ok(())
}

/// Cuts a stream of bytes into lines, and keeps no more of a line than it may have.
#[derive(Default)]
struct Splitter {
    line: Vec<u8>,
    too_long: bool,
}

impl Splitter {
    /// The lines that end in `bytes`.
    fn push(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            if let Some(end) = piece.strip_suffix(b"\n") {
                self.extend(end);
                lines.push(self.take());
            } else {
                self.extend(piece);
            }
        }
        lines
    }

    /// The last line, where the input does not end with a line end.
    fn finish(&mut self) -> Option<Line> {
        (!self.line.is_empty()).then(|| self.take())
    }

    fn extend(&mut self, bytes: &[u8]) {
        // One byte more than a line may have: it could be the `\r` of the line's end.
        let room = MAX_LINE + 1 - self.line.len();
        self.line.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.too_long |= bytes.len() > room;
    }

    fn take(&mut self) -> Line {
        let mut line = std::mem::take(&mut self.line);
        let too_long = std::mem::take(&mut self.too_long);
        if !too_long && line.last() == Some(&b'\r') {
            line.pop();
        }
        if too_long || line.len() > MAX_LINE {
            line.truncate(MAX_LINE);
            return Line::TooLong(line);
        }
        Line::Bytes(line)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(pieces: &[&[u8]]) -> Vec<Line> {
        let mut splitter = Splitter::default();
        let mut lines: Vec<Line> = pieces.iter().flat_map(|p| splitter.push(p)).collect();
        lines.extend(splitter.finish());
        lines
    }

    fn bytes(line: &[u8]) -> Line {
        Line::Bytes(line.to_vec())
    }

    #[test]
    fn lines_end_with_either_line_end_or_the_input() {
        let lines = split(&[b"uci\r\nsto", b"p\n\nquit"]);
        assert_eq!(
            lines,
            [bytes(b"uci"), bytes(b"stop"), bytes(b""), bytes(b"quit")]
        );
    }

    #[test]
    fn a_long_line_is_cut_and_the_next_one_whole() {
        let longest = vec![b'x'; MAX_LINE];
        let with_end = [&longest[..], b"\r\n"].concat();
        assert_eq!(split(&[&with_end]), [bytes(&longest)]);
        let longer = [&longest[..], b"xx\nstop\n"].concat();
        let cut = Line::TooLong(longest.clone());
        assert_eq!(split(&[&longer]), [cut.clone(), bytes(b"stop")]);
        assert_eq!(split(&[&longest, b"y"]), [cut]);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(text: Vec<u8>, at: prop::sample::Index) {
            let middle = at.index(text.len() + 1);
            let (left, right) = text.split_at(middle);
            prop_assert_eq!(split(&[left, right]), split(&[&text]));
        }
    }
}
