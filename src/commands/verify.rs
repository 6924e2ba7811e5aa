//! `emilia verify`: does a file prove what it claims?

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::Exit;
use crate::binding::{Failure, check_proof};
use crate::logging;
use crate::text::printable;

/// The arguments of `emilia verify`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// Memory for positions in MB; more go to temporary files
    #[arg(long, value_name = "MB", default_value = "1024")]
    memory: usize,
    /// Files that `emilia proof` or `emilia solve --proof` wrote
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

const AFTER_HELP: &str = "\
The exit status is 0 if every file proves its claims, 1 if one does not, 2 if one cannot be checked: it
cannot be read, or there is no space or memory for what the check must keep. Then nobody knows.
verify/FORMAT.md says what is checked, and why that suffices.";

/// The exit status of a file that was read and is no proof.
const NOT_PROVEN: Exit = Exit::FAILURE;

/// The exit status where a file could not be checked.
const UNKNOWN: Exit = Exit::UNUSABLE;

/// Checks the files, one after the other.
///
/// # Errors
/// Never: what went wrong is told, and the exit status is 2.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    Ok(check_all(arguments).unwrap_or_else(|error| {
        logging::error(&error);
        UNKNOWN
    }))
}

/// The worst exit status of all files.
fn check_all(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut worst = Exit::SUCCESS;
    for path in &arguments.files {
        let name = path.display().to_string();
        let name = printable(&name);
        let mut out = io::stdout().lock();
        let status = match check_proof(path, arguments.threads, arguments.memory) {
            Ok(report) => {
                writeln!(out, "{name}: {report}")?;
                Exit::SUCCESS
            }
            Err(Failure::Wrong(reason)) => {
                writeln!(out, "{name}: not proven: {reason}")?;
                NOT_PROVEN
            }
            Err(Failure::System(reason)) => {
                logging::tell(&format!("error: cannot check {name}: {reason}"));
                UNKNOWN
            }
        };
        worst = worst.max(status);
        out.flush()?;
    }
    Ok(worst)
}
