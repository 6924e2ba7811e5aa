//! `emilia verify`: does a file prove what it claims?

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use super::Exit;
use super::files::thread_pool;
use crate::faults;
use crate::logging;
use crate::proof::verify::file::Failure;
use crate::proof::verify::verify_file;
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
const NOT_PROVEN: u8 = 1;

/// The exit status where a file could not be checked.
const UNKNOWN: u8 = 2;

/// Checks the files, one after the other.
///
/// # Errors
/// Never: what went wrong is told, and the exit status is 2.
pub fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let status = check_all(arguments).unwrap_or_else(|error| {
        logging::error(&error);
        UNKNOWN
    });
    Ok(Exit::from(status))
}

/// The worst exit status of all files.
fn check_all(arguments: &Arguments) -> anyhow::Result<u8> {
    let pool = thread_pool(arguments.threads)?;
    let memory = arguments.memory.saturating_mul(1 << 20);
    let mut worst = 0;
    for path in &arguments.files {
        let name = path.display().to_string();
        let name = printable(&name);
        let mut out = io::stdout().lock();
        let checked = faults::caught(|| pool.install(|| verify_file(path, memory, &mut |_| {})));
        let checked = checked.unwrap_or_else(|fault| Err(Failure::System(fault)));
        let status = match checked {
            Ok(report) => {
                writeln!(out, "{name}: {report}")?;
                0
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
