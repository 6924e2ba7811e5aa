//! What is asked about a score.

use emilia::binding::TextError;
use emilia::score::{Question, QuestionError};
use pyo3::prelude::*;

use crate::errors::parse_error;

/// Reads a question: `exact`, `wld`, `>=2`, `<=-4`, `=0`.
pub(crate) fn parse(py: Python<'_>, text: &str) -> PyResult<Question> {
    text.parse().map_err(|error: QuestionError| {
        parse_error(py, text, &TextError::new(error.column, error.reason))
    })
}
