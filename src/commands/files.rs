//! Files and threads of several subcommands.

use std::fs::File;
use std::io::{self, BufRead, BufWriter, IsTerminal, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::eval::{Evaluator, WeightError, Weights};
use crate::faults;
use crate::files::{FileError, FileKind, OutputFile, UsedFiles};
use crate::formats::corpus::{self, SourceGame};
use crate::formats::games::{LineGrouping, Names, Source};
use crate::formats::wthor::WthorError;
use crate::logging;
use crate::rules::Game;
use crate::text;
use crate::threads::Stack;

/// Opens a text file for reading; one that is packed with gzip is unpacked.
pub fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead + Send>> {
    text::open(path).with_context(|| format!("cannot open {}", path.display()))
}

/// Tells a person at a terminal what has to be typed there.
pub fn say_what_is_awaited(what: &str) {
    if io::stdin().is_terminal() {
        let end = if cfg!(windows) {
            "Ctrl+Z and Enter"
        } else {
            "Ctrl+D"
        };
        logging::tell(&format!("type or paste {what}; {end} ends them"));
    }
}

/// Reads the games of files, of self-play and of all kinds that [`Source`] knows.
pub fn read_games(paths: &[PathBuf]) -> anyhow::Result<Vec<SourceGame>> {
    read_each(paths)?.into_iter().collect()
}

/// The same, without those that cannot be read, which are told and counted. It is an error if they are all.
pub fn read_good_games(paths: &[PathBuf]) -> anyhow::Result<(Vec<SourceGame>, usize)> {
    let (mut games, mut bad) = (Vec::new(), Vec::new());
    for game in read_each(paths)? {
        match game {
            Ok(game) => games.push(game),
            Err(error) => bad.push(error),
        }
    }
    if games.is_empty() && !bad.is_empty() {
        return Err(bad.swap_remove(0));
    }
    for error in &bad {
        logging::warning(&format!("left out: {error:#}"));
    }
    Ok((games, bad.len()))
}

fn read_each(paths: &[PathBuf]) -> anyhow::Result<Vec<anyhow::Result<SourceGame>>> {
    let mut games = Vec::new();
    for path in paths {
        let place = || format!("in {}", path.display());
        let source = Source::open(path);
        let source = source.with_context(|| format!("cannot read {}", path.display()))?;
        let read = corpus::read(source).with_context(place)?;
        games.extend(read.into_iter().map(|game| game.with_context(place)));
    }
    Ok(games)
}

/// Reads openings: games of a file of any kind, or positions. None is left out.
pub fn read_openings(path: &Path) -> anyhow::Result<Vec<Game>> {
    let cannot_read = || format!("cannot read {}", path.display());
    let source = Source::open(path).with_context(cannot_read)?;
    let games = source.games(LineGrouping::OneGame, Names::default());
    let games = games.map(|found| found.game.map(|game| game.game));
    games.collect::<Result<_, _>>().with_context(cannot_read)
}

/// The names of a list of WTHOR; none if it is not given.
pub fn names(
    path: Option<&Path>,
    parse: fn(&[u8]) -> Result<Vec<String>, WthorError>,
) -> anyhow::Result<Vec<String>> {
    let Some(path) = path else {
        return Ok(Vec::new());
    };
    let mut bytes = Vec::new();
    let read = open(path)?.read_to_end(&mut bytes);
    read.with_context(|| format!("cannot read {}", path.display()))?;
    parse(&bytes).with_context(|| format!("in {}", path.display()))
}

/// The weights of a file, or the embedded ones.
pub fn weights(path: Option<&Path>) -> Result<Weights, WeightError> {
    path.map_or_else(|| Ok(Weights::embedded()), Weights::load)
}

/// An evaluator with them.
pub fn evaluator(path: Option<&Path>) -> Result<Arc<Evaluator>, WeightError> {
    path.map_or_else(
        || Ok(Evaluator::embedded()),
        |path| Evaluator::load(path).map(Arc::new),
    )
}

/// An output that may not be asked for: nothing is written without a path.
pub struct MaybeOutput(Option<OutputFile>);

impl MaybeOutput {
    /// Checks it before the work.
    pub fn open(
        used: &mut UsedFiles,
        path: Option<&PathBuf>,
        kind: FileKind,
    ) -> Result<MaybeOutput, FileError> {
        let file = path.map(|path| used.output(path, kind)).transpose()?;
        Ok(MaybeOutput(file))
    }

    /// Writes it by `write`.
    pub fn write(
        self,
        write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), FileError> {
        self.0.map_or(Ok(()), |file| file.write(write))
    }
}

/// A pool of this many threads; by default one for each core.
pub fn thread_pool(threads: Option<NonZeroUsize>) -> anyhow::Result<ThreadPool> {
    Ok(pool_builder(threads).build()?)
}

/// A pool for work that cannot go on without each of its threads: a panic ends the process.
pub fn working_pool(threads: Option<NonZeroUsize>) -> anyhow::Result<ThreadPool> {
    let pool = pool_builder(threads).thread_name(|number| format!("work {number}"));
    Ok(pool
        .start_handler(|_| faults::make_panics_fatal())
        .build()?)
}

fn pool_builder(threads: Option<NonZeroUsize>) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new()
        .num_threads(threads.map_or(0, NonZeroUsize::get))
        .stack_size(Stack::Search.bytes())
}
