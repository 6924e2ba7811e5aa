//! Plain text out of what a telnet server sends: without its commands, colours and bells. A prompt, behind which
//! the server waits without an end of the line, gets one.

use std::io::{self, Read};

/// The byte that begins a telnet command.
const COMMAND: u8 = 255;
const SUBNEGOTIATION: u8 = 250;
const SUBNEGOTIATION_END: u8 = 240;
const ESCAPE: u8 = 27;

/// How the server's prompts begin; they end with a point.
const PROMPT: &[u8] = b": Enter ";

/// A reader of plain text.
pub(super) struct PlainText<R> {
    source: R,
    state: State,
    /// The start of the line.
    line: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Text,
    Command,
    /// The command has an option.
    Option,
    Subnegotiation,
    SubnegotiationCommand,
    Escape,
    /// `ESC [`, and parameters until a letter.
    Control,
}

impl<R> PlainText<R> {
    pub(super) const fn new(source: R) -> PlainText<R> {
        let state = State::Text;
        let line = Vec::new();
        PlainText {
            source,
            state,
            line,
        }
    }

    /// Takes a byte; is it text?
    fn is_text(&mut self, byte: u8) -> bool {
        let (state, is_text) = match (self.state, byte) {
            (State::Text, COMMAND) => (State::Command, false),
            (State::Text, ESCAPE) => (State::Escape, false),
            (State::Text, b'\n' | b'\t' | b' '..) => (State::Text, true),
            // Bells, and the return before the end of a line.
            (State::Text, _) => (State::Text, false),
            (State::Command, 251..=254) => (State::Option, false),
            (State::Command, SUBNEGOTIATION) => (State::Subnegotiation, false),
            (State::Subnegotiation, COMMAND) => (State::SubnegotiationCommand, false),
            (State::SubnegotiationCommand, SUBNEGOTIATION_END) => (State::Text, false),
            (State::Subnegotiation | State::SubnegotiationCommand, _) => {
                (State::Subnegotiation, false)
            }
            (State::Escape, b'[') => (State::Control, false),
            (State::Control, b' '..=b'?') => (State::Control, false),
            // An end of a line ends whatever was not ended.
            (State::Escape | State::Control, b'\n') => (State::Text, true),
            (State::Command | State::Option | State::Escape | State::Control, _) => {
                (State::Text, false)
            }
        };
        self.state = state;
        if is_text && byte == b'\n' {
            self.line.clear();
        } else if is_text && self.line.len() < 128 {
            self.line.push(byte);
        }
        is_text
    }
}

impl<R: Read> Read for PlainText<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte is kept for the end of a prompt.
        let room = buffer.len().saturating_sub(1);
        loop {
            let read = self.source.read(&mut buffer[..room])?;
            let mut kept = 0;
            for at in 0..read {
                if self.is_text(buffer[at]) {
                    buffer[kept] = buffer[at];
                    kept += 1;
                }
            }
            if kept > 0 && self.line.starts_with(PROMPT) && self.line.ends_with(b".") {
                self.line.clear();
                buffer[kept] = b'\n';
                kept += 1;
            }
            if kept > 0 || read == 0 {
                return Ok(kept);
            }
        }
    }
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
        let sent = b"\xff\xfb\x01\xff\xfa\x18\xff\xff\x01\xff\xf0\x07: Enter login (yours).\r\nRE\x1b[1;31mADY\x1b[0m\r\n\xff\xf1|* to move\n\x1b";
        for size in 1..sent.len() {
            let split = Split(Cursor::new(sent.to_vec()), size);
            let mut lines = Lines::new(BufReader::new(PlainText::new(split)));
            let mut text = Vec::new();
            while let Some(line) = lines.next_line().expect("memory") {
                text.extend(line.text().ok().map(str::to_owned));
            }
            text.retain(|line| !line.is_empty());
            assert_eq!(
                text,
                [": Enter login (yours).", "READY", "|* to move"],
                "{size}"
            );
        }
    }

    #[test]
    fn a_prompt_needs_no_end_of_line() {
        let mut plain = PlainText::new(&b"\r\n: Enter your password."[..]);
        let mut buffer = [0; 64];
        let read = plain.read(&mut buffer).expect("memory");
        assert_eq!(&buffer[..read], b"\n: Enter your password.\n");
    }
}
