//! `emilia verify`: does a file prove what it claims?

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::files::thread_pool;
use super::proof::{claims_text, root_of};
use crate::proof::verify::layer::Room;
use crate::proof::verify::walk::Failure;
use crate::proof::verify::{Verified, verify};

/// The arguments of `emilia verify`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// Threads [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Memory for positions in MB; more go to temporary files
    #[arg(long, value_name = "MB", default_value = "1024")]
    memory: usize,
    /// Files that `emilia proof make` or `emilia solve --wld --proof` wrote
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

const AFTER_HELP: &str = "\
The exit status is 0 if every file proves its claims, 1 if one does not, 2 if one cannot be opened.
docs/PROOF.md says what is checked, and why that suffices.";

/// Checks the files, one after the other.
///
/// # Errors
/// If standard output cannot be written, or the threads cannot be started.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let pool = thread_pool(arguments.threads)?;
    let room = Room::megabytes(arguments.memory);
    let mut worst = 0;
    for path in &arguments.files {
        let mut out = io::stdout().lock();
        let name = path.display();
        match pool.install(|| check(path, &room)) {
            Ok(Ok(verified)) => writeln!(out, "{name}: {}", text(&verified))?,
            Ok(Err(failure)) => {
                writeln!(out, "{name}: not proven: {failure}")?;
                worst = worst.max(1);
            }
            Err(error) => {
                // Standard error may be closed; the exit status tells as well.
                let _ = writeln!(io::stderr(), "error: cannot open {name}: {error}");
                worst = 2;
            }
        }
        out.flush()?;
    }
    Ok(ExitCode::from(worst))
}

fn check(path: &Path, room: &Room) -> io::Result<Result<Verified, Failure>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(verify(BufReader::new(file), room))
}

fn text(verified: &Verified) -> String {
    let header = &verified.header;
    let counts = format!(
        "positions {}, leaves {} of {} empty squares, nodes {}",
        verified.positions, verified.leaves, header.leaf_empties, verified.nodes
    );
    format!(
        "proven: {} at {}; {counts}",
        claims_text(header),
        root_of(header)
    )
}
