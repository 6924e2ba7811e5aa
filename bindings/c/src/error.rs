//! Codes and texts of errors.

use std::ffi::{CStr, c_char};
use std::sync::OnceLock;
use std::thread::{self, Thread};

use emilia::binding::{BindingError, caught, silence};

use crate::forks;

/// All is well.
pub const EMILIA_OK: i32 = 0;
/// A pointer is NULL that may not be, or a value is out of its range.
pub const EMILIA_ERROR_ARGUMENT: i32 = 1;
/// A text cannot be read: `column` says where.
pub const EMILIA_ERROR_PARSE: i32 = 2;
/// A move is not legal, or a board is none.
pub const EMILIA_ERROR_ILLEGAL: i32 = 3;
/// There is too little memory, or no thread can be started.
pub const EMILIA_ERROR_RESOURCES: i32 = 4;
/// The engine does something else, for another thread or in a callback.
pub const EMILIA_ERROR_BUSY: i32 = 5;
/// The work was stopped before it had an answer.
pub const EMILIA_ERROR_STOPPED: i32 = 6;
/// A fault inside the library. The engine can be used again.
pub const EMILIA_ERROR_FAULT: i32 = 7;
/// The engine belongs to another process, from which this one was forked.
pub const EMILIA_ERROR_FORKED: i32 = 8;

/// Bytes of the text of an error, the final 0 included.
pub const EMILIA_ERROR_TEXT: usize = 248;

/// What went wrong.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct EmiliaError {
    /// `EMILIA_OK`, or one of `EMILIA_ERROR_..`.
    pub code: i32,
    /// The byte of a text at which it cannot be read, the first is 1; else 0.
    pub column: u32,
    /// In words, ended by 0.
    pub text: [c_char; EMILIA_ERROR_TEXT],
}

impl From<BindingError> for Failure {
    fn from(error: BindingError) -> Failure {
        let code = match error {
            BindingError::Value(_) => EMILIA_ERROR_ARGUMENT,
            BindingError::Resources(_) => EMILIA_ERROR_RESOURCES,
            BindingError::Busy | BindingError::Closed => EMILIA_ERROR_BUSY,
            BindingError::Stopped => EMILIA_ERROR_STOPPED,
            BindingError::Fault(_) => EMILIA_ERROR_FAULT,
            BindingError::Forked => EMILIA_ERROR_FORKED,
        };
        Failure::new(code, error.to_string())
    }
}

/// An error on this side of the border.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: i32,
    pub(crate) column: usize,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn new(code: i32, text: impl Into<String>) -> Failure {
        Failure {
            code,
            column: 0,
            text: text.into(),
        }
    }

    pub(crate) fn argument(text: impl Into<String>) -> Failure {
        Failure::new(EMILIA_ERROR_ARGUMENT, text)
    }

    pub(crate) fn parse(column: usize, text: impl Into<String>) -> Failure {
        Failure {
            code: EMILIA_ERROR_PARSE,
            column,
            text: text.into(),
        }
    }

    /// For the caller.
    fn to_c(&self) -> EmiliaError {
        let mut text = [0; EMILIA_ERROR_TEXT];
        // A text that is too long ends at a whole character.
        let mut end = self.text.len().min(EMILIA_ERROR_TEXT - 1);
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        for (to, from) in text.iter_mut().zip(self.text[..end].bytes()) {
            *to = from as c_char;
        }
        let column = u32::try_from(self.column).unwrap_or(u32::MAX);
        EmiliaError {
            code: self.code,
            column,
            text,
        }
    }
}

/// What the standard library knows of the first thread that calls. Of the main thread it is never freed; here a checker of
/// leaks sees that it is in use.
static FIRST_CALLER: OnceLock<Thread> = OnceLock::new();

/// Does `work` and returns its code. A panic becomes a code as well.
///
/// # Safety
/// `error` is null or may be written.
pub(crate) unsafe fn guard(
    error: *mut EmiliaError,
    work: impl FnOnce() -> Result<(), Failure>,
) -> i32 {
    silence();
    forks::watch();
    FIRST_CALLER.get_or_init(thread::current);
    let fault = |reason| format!("a fault inside the library: {reason}");
    let done =
        caught(work).unwrap_or_else(|reason| Err(Failure::new(EMILIA_ERROR_FAULT, fault(reason))));
    let failure = done.err();
    let code = failure.as_ref().map_or(EMILIA_OK, |failure| failure.code);
    if !error.is_null() {
        let well = || Failure::new(EMILIA_OK, "");
        let told = failure.unwrap_or_else(well).to_c();
        // SAFETY: the caller says so.
        unsafe { error.write(told) };
    }
    code
}

/// The text at a pointer.
///
/// # Safety
/// `text` is null or points to bytes that are ended by 0 and do not change during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::argument("a text is NULL"));
    }
    // SAFETY: the caller says so.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str()
        .map_err(|error| Failure::parse(error.valid_up_to() + 1, "the text is not UTF-8"))
}

/// What a pointer points to.
///
/// # Safety
/// `pointer` is null or points to a value that does not change during `'a`.
pub(crate) unsafe fn required<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Failure> {
    // SAFETY: the caller says so.
    unsafe { pointer.as_ref() }.ok_or_else(|| Failure::argument(format!("{name} is NULL")))
}

/// Writes a result where the caller wants it.
///
/// # Safety
/// `place` is null or may be written.
pub(crate) unsafe fn write<T>(place: *mut T, value: T, name: &str) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::argument(format!("{name} is NULL")));
    }
    // SAFETY: the caller says so.
    unsafe { place.write(value) };
    Ok(())
}
