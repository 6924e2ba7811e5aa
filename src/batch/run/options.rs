//! What a run is to do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::batch::answer::Format;
use crate::batch::input::PositionReader;
use crate::batch::pool::Plan;
use crate::batch::shard::Shard;
use crate::batch::solver::Method;
use crate::pool::queue::QueueOptions;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct RunOptions {
    /// The lines, and the part of them that is to be answered; none: all.
    pub(crate) input: PositionReader,
    pub(crate) shard: Option<Shard>,
    pub(crate) method: Method,
    pub(crate) plan: Plan,
    pub(crate) queue: QueueOptions,
    /// Megabytes to remember in what was solved.
    pub(crate) memo_mb: usize,
    pub(crate) format: Format,
    /// Compare answers with what their lines know?
    pub(crate) check: bool,
    /// Count what the search does?
    pub(crate) counters: bool,
    /// The options that the answers depend on, as a person names them.
    pub(crate) named: BTreeMap<String, String>,
    /// Where the answers go; none: standard output.
    pub(crate) output: Option<PathBuf>,
    /// May the output have answers already?
    pub(crate) resume: bool,
    /// Answers to be copied.
    pub(crate) retry: Option<PathBuf>,
    /// What is proven.
    pub(crate) cache: Option<PathBuf>,
    /// A proof of each answer.
    pub(crate) proof: Option<PathBuf>,
    /// What was counted.
    pub(crate) stats: Option<PathBuf>,
}
