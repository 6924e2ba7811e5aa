//! The exceptions.

use emilia::binding::{BindingError, TextError};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(
    emilia_othello,
    EmiliaError,
    PyException,
    "Something that Emilia cannot do: a bad value, an illegal move, too little memory, a closed engine."
);

create_exception!(
    emilia_othello,
    ParseError,
    EmiliaError,
    "Text that cannot be read. `column` is the character of the error; the first is 1."
);

/// An error of a value or a state.
pub(crate) fn emilia_error(reason: impl Into<String>) -> PyErr {
    EmiliaError::new_err(reason.into())
}

/// An error of the library or one of Python.
pub(crate) struct Failure(PyErr);

impl From<BindingError> for Failure {
    fn from(error: BindingError) -> Failure {
        Failure(emilia_error(error.to_string()))
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure(error)
    }
}

impl From<Failure> for PyErr {
    fn from(Failure(error): Failure) -> PyErr {
        error
    }
}

/// An error in `text`.
pub(crate) fn parse_error(py: Python<'_>, text: &str, error: &TextError) -> PyErr {
    // Python counts characters, the grammars count bytes.
    let before = text.bytes().take(error.column.saturating_sub(1));
    let column = 1 + before.filter(|byte| byte & 0xc0 != 0x80).count();
    let raised = ParseError::new_err(format!("column {column}: {}", error.reason));
    // A new exception takes any attribute.
    let _ = raised.value(py).setattr("column", column);
    raised
}
