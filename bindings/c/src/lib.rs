//! Emilia for C: see `emilia.h`, which is made from these files, and README.md.
//!
//! Each function is a thin skin: it checks its arguments, calls the library behind [`guard`], so that no panic
//! crosses the border, and tells errors by a code and a text that the caller owns.

mod batch;
mod engine;
mod error;
mod forks;
mod position;
mod question;
mod result;

pub use batch::*;
pub use engine::*;
pub use error::*;
pub use position::*;
pub use result::*;

use std::ffi::c_char;

/// The version of the library, such as "0.1.0". Never freed.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The set of instructions that the library was built for, such as "x86-64-v3". Never freed.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_build() -> *const c_char {
    match emilia::binding::tier::NAME {
        "x86-64" => c"x86-64",
        "x86-64-v3" => c"x86-64-v3",
        "x86-64-v4" => c"x86-64-v4",
        "aarch64" => c"aarch64",
        _ => c"other",
    }
    .as_ptr()
}
