//! The subcommands of `emilia-lab`, one file or folder each, as those of `emilia`
//! ([`emilia::commands`]).

pub mod selfplay;

pub mod games;

pub mod dataset;

pub mod train;

pub mod tune;

pub mod evaltest;

pub mod human;

use std::path::Path;

use anyhow::Context;

use crate::training::{Sample, sample};

/// Reads files of samples.
fn read_samples(paths: &[impl AsRef<Path>]) -> anyhow::Result<Vec<Sample>> {
    let read = |path: &Path| sample::read(path).with_context(|| format!("in {}", path.display()));
    let read: Result<Vec<_>, _> = paths.iter().map(|path| read(path.as_ref())).collect();
    Ok(read?.concat())
}
