//! Files that subcommands read and write.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use flate2::read::MultiGzDecoder;
use indicatif::{ProgressBar, ProgressStyle};

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

/// Reads the games of a file: self-play, a WTHOR database (`.wtb`) or transcripts.
///
/// # Errors
/// If it cannot be read, or holds something else.
pub(super) fn read_games(path: &Path) -> anyhow::Result<Vec<SourceGame>> {
    let is_wthor = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("wtb"));
    corpus::read(open(path)?, is_wthor).with_context(|| format!("in {}", path.display()))
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
