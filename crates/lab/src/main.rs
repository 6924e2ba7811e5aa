//! The `emilia-lab` binary: see [`emilia_lab::cli`].

use std::process::ExitCode;

use emilia::logging;

fn main() -> ExitCode {
    logging::start();
    let exit = emilia_lab::cli::run();
    logging::finish();
    exit.into()
}
