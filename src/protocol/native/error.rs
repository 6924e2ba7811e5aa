//! What is wrong with a line, and where.

use thiserror::Error;

/// Bytes of the line that an error quotes at most.
const MAX_QUOTE: usize = 80;

/// Bytes of a long line that are quoted before the error.
const LEAD: usize = 30;

/// A line that was not understood or could not be obeyed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("column {column}: {reason} in \"{quote}\"")]
pub struct CommandError {
    /// 1-based byte of the line.
    pub column: usize,
    /// What is wrong there.
    pub reason: String,
    quote: String,
}

impl CommandError {
    /// `reason` at the 1-based byte `column` of `line`.
    pub fn new(line: &[u8], column: usize, reason: impl Into<String>) -> CommandError {
        CommandError {
            column,
            reason: reason.into(),
            quote: quote(line, column),
        }
    }
}

/// At most [`MAX_QUOTE`] bytes that show `line` around `column`, all printable.
fn quote(line: &[u8], column: usize) -> String {
    let whole = escape(line);
    if !whole.full {
        return whole.text;
    }
    let mut start = column.saturating_sub(1 + LEAD).min(line.len());
    // Not in the middle of a character.
    while start > 0 && line.get(start).is_some_and(|byte| byte & 0xc0 == 0x80) {
        start -= 1;
    }
    escape(&line[start..]).text
}

/// `bytes` as printable text, as far as [`MAX_QUOTE`] allows: what is none becomes `\x00`.
fn escape(bytes: &[u8]) -> Escaped {
    let mut text = Escaped::default();
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            match letter {
                '"' | '\\' => text.push(&format!("\\{letter}")),
                letter if letter.is_control() => {
                    let mut utf8 = [0; 4];
                    for byte in letter.encode_utf8(&mut utf8).bytes() {
                        text.push(&format!("\\x{byte:02x}"));
                    }
                }
                letter => text.push(letter.encode_utf8(&mut [0; 4])),
            }
        }
        for byte in chunk.invalid() {
            text.push(&format!("\\x{byte:02x}"));
        }
        if text.full {
            break;
        }
    }
    text
}

/// Text that stops growing at [`MAX_QUOTE`] bytes.
#[derive(Default)]
struct Escaped {
    text: String,
    full: bool,
}

impl Escaped {
    fn push(&mut self, piece: &str) {
        self.full |= self.text.len() + piece.len() > MAX_QUOTE;
        if !self.full {
            self.text.push_str(piece);
        }
    }
}
