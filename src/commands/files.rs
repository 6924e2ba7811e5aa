//! Files that several subcommands read.

use std::io::BufRead;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::faults;
use crate::formats::games::{Lines, Names, Source};
use crate::rules::Game;
use crate::text;
use crate::threads::Stack;
use crate::training::corpus::{self, SourceGame};
use crate::training::{Sample, sample};

/// Opens a text file for reading; one that is packed with gzip is unpacked.
///
/// # Errors
/// If it cannot be opened.
pub(super) fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    text::open(path).with_context(|| format!("cannot open {}", path.display()))
}

/// Reads the games of files, of self-play and of all kinds that [`Source`] knows.
///
/// # Errors
/// If one cannot be read, or holds something else.
pub(super) fn read_games(paths: &[PathBuf]) -> anyhow::Result<Vec<SourceGame>> {
    let mut games = Vec::new();
    for path in paths {
        let source = Source::open(path);
        let source = source.with_context(|| format!("cannot read {}", path.display()))?;
        let read = corpus::read(source);
        games.append(&mut read.with_context(|| format!("in {}", path.display()))?);
    }
    Ok(games)
}

/// Reads openings: games of a file of any kind, or positions. None is left out.
///
/// # Errors
/// If the file or one of its games cannot be read.
pub(super) fn read_openings(path: &Path) -> anyhow::Result<Vec<Game>> {
    let cannot_read = || format!("cannot read {}", path.display());
    let source = Source::open(path).with_context(cannot_read)?;
    let games = source.games(Lines::OneGame, Names::default());
    let games = games.map(|found| found.game.map(|game| game.game));
    games.collect::<Result<_, _>>().with_context(cannot_read)
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
