//! The `emilia` binary: see [`emilia::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    env_logger::init();
    emilia::cli::run()
}
