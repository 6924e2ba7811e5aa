//! What is asked about a score, and the name of what is proven.

use emilia::score::{Bounds, Question, QuestionError};
use emilia::text::TextError;
use pyo3::prelude::*;

use crate::errors::parse_error;

/// Reads a question: `exact`, `wld`, `>=2`, `<=-4`, `=0`.
pub(crate) fn parse(py: Python<'_>, text: &str) -> PyResult<Question> {
    text.parse().map_err(|error: QuestionError| {
        parse_error(py, text, &TextError::new(error.column, error.reason))
    })
}

/// What proven bounds say, after this question was asked, if any: `exact`, `wld`, `claim` or `none`.
pub(crate) fn proven(asked: Option<Question>, bounds: Bounds) -> &'static str {
    let claim = asked.filter(|question| question.is_claim());
    if bounds.score().is_some() {
        "exact"
    } else if claim.is_some_and(|question| question.is_answered_by(bounds)) {
        "claim"
    } else if bounds.value().is_some() {
        "wld"
    } else {
        "none"
    }
}
