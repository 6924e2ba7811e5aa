//! `emilia verify`: does a file prove what it claims?

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::files::thread_pool;
use super::proof::{claims_text, root_of};
use crate::proof::verify::file::{Failure, Header};
use crate::proof::verify::verify;

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
The exit status is 0 if every file proves its claims, 1 if one does not, 2 if one cannot be opened.
docs/PROOF.md says what is checked, and why that suffices.";

/// Checks the files, one after the other.
///
/// # Errors
/// If standard output cannot be written, or the threads cannot be started.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let pool = thread_pool(arguments.threads)?;
    let memory = arguments.memory.saturating_mul(1 << 20);
    let mut worst = 0;
    for path in &arguments.files {
        let mut out = io::stdout().lock();
        let name = path.display();
        match pool.install(|| check(path, memory)) {
            Ok(Ok((header, nodes))) => writeln!(out, "{name}: {}", text(&header, nodes))?,
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

/// What a file proves, and the boards looked at to solve its leaves; or why it is no proof.
type Verdict = Result<(Header, u64), Failure>;

fn check(path: &Path, memory: usize) -> io::Result<Verdict> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(verify(BufReader::new(file), memory))
}

fn text(header: &Header, nodes: u64) -> String {
    let (mut positions, mut leaves) = (0, 0);
    for layers in &header.layers {
        let mut sizes = layers.iter().rev().map(|size| size[0] + size[1]);
        leaves += sizes.next().unwrap_or(0);
        positions += sizes.sum::<u64>();
    }
    format!(
        "proven: {} at {}; positions {positions}, leaves {leaves} of {} empty squares, nodes {nodes}",
        claims_text(header),
        root_of(header),
        header.leaf_empties
    )
}
