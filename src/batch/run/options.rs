//! What a run is to do: as the arguments of the program, and what follows from them.

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::bail;
use clap::Args;

use super::output::{OBF, Output};
use super::proof::Prover;
use crate::batch::answer::{OBF_HEAD, Style};
use crate::batch::cache::RunCache;
use crate::batch::input::{PositionReader, Wanted, names_of};
use crate::batch::pool::Plan;
use crate::batch::resume::{ALL_MOVES, Done, Run};
use crate::batch::shard::Shard;
use crate::batch::solver::{Method, Solver, Store};
use crate::eval::Evaluator;
use crate::files::UsedFiles;
use crate::proof::make::{LEAF_EMPTIES, ProofLimits};
use crate::rules::Color;
use crate::score::Question;
use crate::search::parse_hash_mb;
use crate::text::printable;
use crate::text::values::{at_least_one, claim, some_seconds};
use crate::threads;

#[derive(Args, Clone, Debug)]
pub(crate) struct RunOptions {
    /// Find the final disc difference (the default)
    #[arg(long)]
    pub(crate) exact: bool,
    /// Find only who wins
    #[arg(long, conflicts_with = "exact")]
    pub(crate) wld: bool,
    /// Find only whether this is true of the score of the side to move: '>=V', '<=V', '>V', '<V', '=V', win, draw or loss
    #[arg(long, value_name = "CLAIM", conflicts_with_all = ["exact", "wld"], value_parser = claim)]
    pub(crate) claim: Option<Question>,
    /// With --wld also the tightest bound on the score that the proof came upon
    #[arg(long, requires = "wld")]
    pub(crate) score_bound: bool,
    /// Threads: one position each while many wait, all on one when few are left [default: all cores]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// All threads on one position at a time: the next answer sooner, the last one later
    #[arg(long, conflicts_with = "reference")]
    pub(crate) together: bool,
    /// Memory of the hash tables in MB, all threads together (of each with --deterministic)
    #[arg(long, value_name = "MB", default_value = "256", value_parser = parse_hash_mb)]
    pub(crate) hash: usize,
    /// Answers as they come, not in the order of the input
    #[arg(long)]
    pub(crate) unordered: bool,
    /// Answers that may wait behind a slow line; then all threads join on that line
    #[arg(long, value_name = "N", default_value = "65536", value_parser = at_least_one)]
    pub(crate) max_behind: NonZeroUsize,
    /// Memory in MB for what was solved, so that positions that come again are not solved again
    #[arg(long, value_name = "MB", default_value = "64")]
    pub(crate) memo: usize,
    /// Keep what is proven in this file, and look there first
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
    /// Nodes after which a position is left unsolved
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "reference")]
    pub(crate) max_nodes: Option<u64>,
    /// Seconds after which a position is left unsolved
    #[arg(long, value_name = "SECONDS", value_parser = some_seconds, conflicts_with = "reference")]
    pub(crate) max_time: Option<Duration>,
    /// Where no proof is affordable by a search of so many plies, an estimate of that depth; proofs are affordable
    /// from about twice as many empties
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=40),
        conflicts_with_all = ["reference", "all_moves", "proof", "obf", "check", "retry"])]
    pub(crate) depth: Option<u32>,
    /// Write the answers to this file, and beside it FILE.run: how far the run is
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Continue the file of --output where a killed run has stopped
    #[arg(long, requires = "output", conflicts_with = "unordered")]
    pub(crate) resume: bool,
    /// Copy the results of these answers to the same input, and solve only what they leave unsolved; with --shard,
    /// answers to the whole input or to the same part of it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["unordered", "obf"])]
    pub(crate) retry: Option<PathBuf>,
    /// The same nodes for each line on every machine: one thread a position, no times printed
    #[arg(long, conflicts_with_all = ["cache", "max_time", "unordered", "together"])]
    pub(crate) deterministic: bool,
    /// Prove each answer: to this file, or for many lines into this folder (named with a slash at its end)
    #[arg(long, value_name = "PATH", conflicts_with_all = ["reference", "all_moves"])]
    pub(crate) proof: Option<PathBuf>,
    /// Write what the run counted to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) stats: Option<PathBuf>,
    /// Solve only part I of N of the lines, the parts alike in estimated work
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// The position of a game that is meant: with so many empties, else the last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60))]
    pub(crate) empties: Option<u32>,
    /// The side to move on boards that do not say it: black (x, *) or white (o)
    #[arg(long, value_name = "SIDE")]
    pub(crate) side: Option<Color>,
    /// One JSON object a line
    #[arg(long)]
    pub(crate) json: bool,
    /// One OBF problem a line, with the scores found
    #[arg(long, conflicts_with_all = ["json", "wld", "claim"])]
    pub(crate) obf: bool,
    /// The score of every move, not only of the best one; with --wld its result
    #[arg(long, conflicts_with = "claim")]
    pub(crate) all_moves: bool,
    /// Compare with the scores that OBF lines carry; a mismatch makes the exit status 1
    #[arg(long)]
    pub(crate) check: bool,
    /// Solve with the slow reference solver, as a second opinion (up to about 16 empties)
    #[arg(long)]
    pub(crate) reference: bool,
    /// Also count what the search does at its nodes: a table of the sums on standard error,
    /// with --json one object
    #[arg(long, conflicts_with = "reference")]
    pub(crate) counters: bool,
    /// Files of one position a line or of games (gzip is unpacked); standard input if there is none
    pub(crate) files: Vec<PathBuf>,
}

impl RunOptions {
    /// How the input is read.
    pub(crate) fn reader(&self) -> PositionReader {
        PositionReader {
            question: self.question(),
            empties: self.empties,
            side: self.side,
        }
    }

    pub(crate) fn question(&self) -> Question {
        match (self.claim, self.wld) {
            (Some(claim), _) => claim,
            (None, true) => Question::Wld,
            (None, false) => Question::Exact,
        }
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads.unwrap_or_else(threads::cores).get()
    }

    /// Do the names of the files fit into lines of text?
    pub(super) fn check_names(&self) -> anyhow::Result<()> {
        if self.json || self.obf || self.files.len() < 2 {
            return Ok(());
        }
        let names = names_of(&self.files);
        match names.iter().find(|name| printable(name) != **name) {
            Some(name) => bail!(
                "the name of {name:?} does not fit into a line of text: rename the file, or use --json"
            ),
            None => Ok(()),
        }
    }

    pub(super) const fn style(&self) -> Style {
        match (self.json, self.obf) {
            (true, _) => Style::Json,
            (_, true) => Style::Obf,
            _ => Style::Text,
        }
    }

    pub(super) fn plan(&self) -> Plan {
        Plan {
            threads: self.threads(),
            together: self.together,
            hash_mb: self.hash,
            deterministic: self.deterministic,
        }
    }

    /// What the answers of the run depend on.
    pub(super) fn note(&self, evaluator: &Evaluator) -> Run {
        fn text(value: Option<impl ToString>) -> Option<String> {
            value.map(|value| value.to_string())
        }
        let flag = |is_on: bool| text(is_on.then_some("yes"));
        let options = [
            ("question", text(Some(self.question()))),
            ("score-bound", flag(self.score_bound)),
            ("deterministic", flag(self.deterministic)),
            ("json", flag(self.json)),
            (OBF, flag(self.obf)),
            (ALL_MOVES, flag(self.all_moves)),
            ("check", flag(self.check)),
            ("reference", flag(self.reference)),
            ("retry", flag(self.retry.is_some())),
            ("unordered", flag(self.unordered)),
            ("proof", flag(self.proof.is_some())),
            ("hash", text(self.deterministic.then_some(self.hash))),
            ("max-nodes", text(self.max_nodes)),
            ("depth", text(self.depth)),
            (
                "max-time",
                text(self.max_time.map(|time| time.as_secs_f64())),
            ),
            ("shard", text(self.shard)),
            ("empties", text(self.empties)),
            ("side", text(self.side)),
        ];
        let options = options.into_iter();
        let options = options.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Run::new(evaluator, options.collect())
    }

    /// What a copied answer has to have.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted {
            json: self.json,
            moves: self.all_moves,
            verdict: self.check,
            score_bound: self.score_bound,
        }
    }

    pub(super) fn open_output(
        &self,
        evaluator: &Evaluator,
        used: &mut UsedFiles,
    ) -> anyhow::Result<(Output, Done)> {
        let (mut output, done) = match &self.output {
            None => (Output::Standard(io::stdout().lock()), Done::default()),
            Some(path) => Output::open(path, self.resume, self.note(evaluator), used)?,
        };
        if self.obf && done.answers == 0 {
            output.begin(OBF_HEAD)?;
        }
        Ok((output, done))
    }

    pub(super) fn open_prover(&self, used: &mut UsedFiles) -> anyhow::Result<Option<Prover>> {
        let effort = ProofLimits {
            nodes: self.max_nodes,
            time: self.max_time,
        };
        let path = self.proof.as_ref();
        path.map(|path| Prover::open(path, used, effort, self.resume))
            .transpose()
    }

    pub(super) fn solver(&self, cache: Option<Arc<RunCache>>) -> Solver {
        let method = Method {
            all_moves: self.all_moves,
            reference: self.reference,
            noted_wins: self.proof.is_some().then_some(u32::from(LEAF_EMPTIES)),
            max_nodes: self.max_nodes,
            max_time: self.max_time,
            depth: self.depth,
        };
        let mut solver = Solver::new(method, self.memo, self.deterministic);
        solver.store = cache.map(|cache| cache as Arc<dyn Store>);
        solver.counts = self.counters.then(Mutex::default);
        solver
    }
}
