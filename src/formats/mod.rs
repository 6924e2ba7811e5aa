//! Text and files that others made, and that others read: problem lines (OBF),
//! transcripts, opening lists, WTHOR databases and GGF games.
//!
//! Every text grammar is a nom parser. Whatever the bytes, reading ends with a
//! value or with an error that names the column, and, for files, the line.

mod syntax;

mod lines;

pub mod obf;

pub mod transcript;

pub mod openings;

pub mod ggf;

pub mod wthor;

pub use lines::{Line, Lines, MAX_LINE_BYTES, ReadError, open, read_all};
pub use syntax::SyntaxError;
