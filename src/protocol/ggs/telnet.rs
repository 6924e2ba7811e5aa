//! Plain text out of what a telnet server sends.

use std::io::{self, Read};

/// The byte that begins a telnet command.
const COMMAND: u8 = 255;

/// Bytes of a line that are looked at.
const MAX_LENGTH: usize = 4096;

/// How the prompts begin behind which the server waits; they end with a point.
const PROMPT: &[u8] = b": Enter ";

/// A reader that ends prompts as lines.
pub(super) struct Prompted<R> {
    source: R,
    /// The start of the line that is not ended.
    line: Vec<u8>,
}

impl<R> Prompted<R> {
    pub(super) const fn new(source: R) -> Prompted<R> {
        let line = Vec::new();
        Prompted { source, line }
    }
}

impl<R: Read> Read for Prompted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.line.starts_with(PROMPT) && self.line.ends_with(b".") && !buffer.is_empty() {
            self.line.clear();
            buffer[0] = b'\n';
            return Ok(1);
        }
        let read = self.source.read(buffer)?;
        for &byte in &buffer[..read] {
            match byte {
                b'\n' => self.line.clear(),
                b' '..=b'~' if self.line.len() < 2 * PROMPT.len() + 64 => self.line.push(byte),
                _ => {}
            }
        }
        Ok(read)
    }
}

/// The text of a line without telnet commands, colours, bells and blanks behind it.
pub(super) fn plain(line: &[u8]) -> String {
    let mut bytes = line.iter().copied().take(MAX_LENGTH);
    let mut text = Vec::new();
    while let Some(byte) = bytes.next() {
        match byte {
            COMMAND => {
                if let Some(251..=254) = bytes.next() {
                    bytes.next();
                }
            }
            // A colour ends with its letter.
            27 => _ = bytes.find(u8::is_ascii_alphabetic),
            b'\t' | b' '.. => text.push(byte),
            _ => {}
        }
    }
    String::from_utf8_lossy(&text).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor};

    use super::*;
    use crate::text::Lines;

    /// A source that gives so many bytes at a time.
    struct Split(Cursor<Vec<u8>>, usize);

    impl Read for Split {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(self.1);
            self.0.read(&mut buffer[..most])
        }
    }

    #[test]
    fn only_text_is_left_however_it_is_cut() {
        let sent = b"\xff\xfb\x01\x07: Enter login (yours).\r\n\x07RE\x1b[1;31mADY\x1b[0m \r\n\xff\xf1|* to move\n: Enter your password.";
        for size in 1..sent.len() {
            let split = Split(Cursor::new(sent.to_vec()), size);
            let mut lines = Lines::new(BufReader::new(Prompted::new(split)));
            let mut text = Vec::new();
            while let Some(line) = lines.next_line().expect("memory") {
                text.push(plain(line.bytes()));
            }
            text.retain(|line| !line.is_empty());
            let expected = [
                ": Enter login (yours).",
                "READY",
                "|* to move",
                ": Enter your password.",
            ];
            assert_eq!(text, expected, "{size}");
        }
        assert!(plain(&[b'x'; 100_000]).len() == MAX_LENGTH);
    }

    #[cfg(unix)]
    #[test]
    fn a_prompt_needs_no_end_of_line() {
        let (to_us, from_server) = std::os::unix::net::UnixStream::pair().expect("a pair");
        io::Write::write_all(&mut &from_server, b"\r\n: Enter your password.").expect("memory");
        let mut lines = Lines::new(BufReader::new(Prompted::new(to_us)));
        let mut line = || {
            lines
                .next_line()
                .expect("memory")
                .map(|line| plain(line.bytes()))
        };
        assert_eq!(
            [line(), line()],
            [
                Some(String::new()),
                Some(": Enter your password.".to_owned())
            ]
        );
    }
}
