//! The `emilia` binary: see [`emilia::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    emilia::launcher::run().into()
}
