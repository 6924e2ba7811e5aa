//! The common parts of all readers of text: lines of bounded length, the words of
//! all grammars, and one error that names the column.
//!
//! It knows squares, moves and positions, and nothing about any file format or host.

mod error;

mod lines;

mod printable;

pub mod words;

pub use error::{ReadError, TextError};
pub use lines::{Line, Lines, MAX_LINE, open, read_all};
pub use printable::{is_active, printable};
