//! Files that several subcommands read.

use std::io::BufRead;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::faults;
use crate::formats::wthor;
use crate::text;
use crate::threads::Stack;
use crate::training::corpus::{self, SourceGame};
use crate::training::{Sample, sample};

/// Opens a text file for reading; one whose name ends in `.gz` is unpacked.
///
/// # Errors
/// If it cannot be opened.
pub(super) fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    text::open(path).with_context(|| format!("cannot open {}", path.display()))
}

/// Reads the games of files: self-play, WTHOR databases (`.wtb`) and transcripts.
///
/// # Errors
/// If one cannot be read, or holds something else.
pub(super) fn read_games(paths: &[PathBuf]) -> anyhow::Result<Vec<SourceGame>> {
    let mut games = Vec::new();
    for path in paths {
        let read = corpus::read(open(path)?, wthor::is_database(path));
        games.append(&mut read.with_context(|| format!("in {}", path.display()))?);
    }
    Ok(games)
}

/// A pool of this many threads; by default one for each core.
///
/// # Errors
/// If the threads cannot be started.
pub(super) fn thread_pool(threads: Option<NonZeroUsize>) -> anyhow::Result<ThreadPool> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    Ok(pool.stack_size(Stack::Search.bytes()).build()?)
}

/// The same for work that cannot go on without each of them: a panic ends the process.
///
/// # Errors
/// If the threads cannot be started.
pub(super) fn working_pool(threads: Option<NonZeroUsize>) -> anyhow::Result<ThreadPool> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("work {number}"))
        .start_handler(|_| faults::make_panics_fatal());
    Ok(pool.stack_size(Stack::Search.bytes()).build()?)
}

/// Reads a file of samples.
///
/// # Errors
/// If it cannot be read or is not such a file.
pub(super) fn read_samples(path: &Path) -> anyhow::Result<Vec<Sample>> {
    sample::read(path).with_context(|| format!("in {}", path.display()))
}
