//! Files that subcommands read and write.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::training::corpus::{self, SourceGame};
use crate::training::{Sample, sample};

/// Opens a text file for reading; one whose name ends in `.gz` is unpacked.
///
/// # Errors
/// If it cannot be opened.
pub(super) fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
    if path.extension().is_some_and(|extension| extension == "gz") {
        Ok(Box::new(BufReader::new(MultiGzDecoder::new(file))))
    } else {
        Ok(Box::new(BufReader::new(file)))
    }
}

/// Reads the games of files: self-play, WTHOR databases (`.wtb`) and transcripts.
///
/// # Errors
/// If one cannot be read, or holds something else.
pub(super) fn read_games(paths: &[PathBuf]) -> anyhow::Result<Vec<SourceGame>> {
    let mut games = Vec::new();
    for path in paths {
        let is_wthor = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("wtb"));
        let read = corpus::read(open(path)?, is_wthor);
        games.append(&mut read.with_context(|| format!("in {}", path.display()))?);
    }
    Ok(games)
}

/// A pool of so many threads; of as many as there are cores if nothing is said.
///
/// # Errors
/// If the threads cannot be started.
pub(super) fn thread_pool(threads: Option<NonZeroUsize>) -> anyhow::Result<ThreadPool> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
    Ok(pool)
}

/// Reads a file of samples.
///
/// # Errors
/// If it cannot be read or is not such a file.
pub(super) fn read_samples(path: &Path) -> anyhow::Result<Vec<Sample>> {
    sample::read(path).with_context(|| format!("in {}", path.display()))
}

/// Makes the file at `path` by `write`: under another name first, so that a
/// failure leaves what was there before.
///
/// # Errors
/// If it cannot be written.
pub(super) fn create(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let failed = || format!("cannot write {}", path.display());
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let mut writer = BufWriter::new(File::create(&part).with_context(failed)?);
    write(&mut writer)
        .and_then(|()| writer.flush())
        .and_then(|()| std::fs::rename(&part, path))
        .with_context(failed)
}

/// A bar on standard error for `length` steps of what `unit` names; hidden where
/// that is no terminal.
pub(super) fn progress_bar(length: u64, unit: &str) -> ProgressBar {
    let template = format!("{{bar:30}} {{pos}} of {{len}} {unit}, {{per_sec}}, {{eta}} left");
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
