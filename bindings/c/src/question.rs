//! What is asked about a score.

use emilia::score::{Question, QuestionError};

use crate::error::Failure;

/// Reads a question: `exact`, `wld`, `>=2`, `<=-4`, `=0`.
pub(crate) fn parse(text: &str) -> Result<Question, Failure> {
    text.parse()
        .map_err(|error: QuestionError| Failure::parse(error.column, error.reason))
}
