//! Errors in texts: what is wrong, and where.

use std::io;

use thiserror::Error;

/// Why a line cannot be read, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("column {column}: {reason}")]
pub struct TextError {
    /// 1-based byte of the error.
    pub column: usize,
    /// What was expected there, or what is wrong with it.
    pub reason: String,
}

impl TextError {
    /// An error at the 1-based byte `column`.
    pub fn new(column: usize, reason: impl Into<String>) -> TextError {
        TextError {
            column,
            reason: reason.into(),
        }
    }

    /// Is a move wrong that could be read?
    pub fn is_illegal_move(&self) -> bool {
        self.reason.starts_with("illegal move")
    }

    /// The same error, in a text with so many bytes more before it.
    pub fn behind(self, bytes: usize) -> TextError {
        TextError::new(bytes + self.column, self.reason)
    }
}

/// What is wrong with a line of JSON. It says its place in words, too, which are left out.
impl From<serde_json::Error> for TextError {
    fn from(error: serde_json::Error) -> TextError {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = error.to_string().replace(&place, "");
        TextError::new(error.column().max(1), reason)
    }
}

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The reader failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A line cannot be read.
    #[error("line {line}, {error}")]
    Syntax {
        /// The first line is 1.
        line: u64,
        /// What is wrong with it.
        error: TextError,
    },
}
