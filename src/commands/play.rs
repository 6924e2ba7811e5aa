//! `emilia` and `emilia uci`: serves a host on standard input and output.

use std::io;
use std::process::ExitCode;

use crate::protocol::{self, Host};

/// Speaks with `host` until it quits or its input ends.
///
/// # Errors
/// If standard input cannot be read or standard output cannot be written.
pub fn run(host: Host) -> anyhow::Result<ExitCode> {
    protocol::serve(host, io::stdin(), io::stdout())?;
    Ok(ExitCode::SUCCESS)
}
