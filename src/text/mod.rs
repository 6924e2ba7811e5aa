//! The common parts of all readers of text: files that are unpacked and decoded, lines of bounded
//! length, the words of all grammars, and one error that names the column.
//!
//! It knows squares, moves and positions, and nothing about any file format or host.

mod error;

mod input;

mod lines;

mod printable;

pub mod values;

pub mod words;

pub use error::{ReadError, TextError};
pub use input::{Head, decoded, latin1, latin1_error, open, peek};
pub use lines::{BYTE_ORDER_MARK, Line, Lines, MAX_LINE, read_all};
pub use printable::{is_active, printable};

/// `1 position`, `2 positions`, `3 searches`.
pub fn counted(count: usize, noun: &str) -> String {
    let plural = match count {
        1 => "",
        _ if noun.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{count} {noun}{plural}")
}
