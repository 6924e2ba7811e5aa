//! The arguments of `solve`, and what they ask of a run.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::bail;
use clap::Args;

use crate::batch::input::{Reader, names_of};
use crate::batch::pool::Plan;
use crate::batch::run::{RunOptions, Style};
use crate::batch::shard::Shard;
use crate::batch::solver::Method;
use crate::rules::Color;
use crate::score::Question;
use crate::search::parse_hash_mb;
use crate::text::printable;

/// The arguments of `emilia solve`.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// Find the final disc difference (the default)
    #[arg(long)]
    exact: bool,
    /// Find only who wins
    #[arg(long, conflicts_with = "exact")]
    wld: bool,
    /// Find only whether this is true of the score of the side to move, such as '>=0', '<=-2' or '=0'
    #[arg(long, value_name = "CLAIM", conflicts_with_all = ["exact", "wld"], value_parser = claim)]
    claim: Option<Question>,
    /// With --wld also the tightest bound on the score that the proof came upon
    #[arg(long, requires = "wld")]
    score_bound: bool,
    /// Threads: one position each while many wait, all on one when few are left [default: all cores]
    #[arg(long, value_name = "N", value_parser = crate::commands::at_least_one)]
    threads: Option<NonZeroUsize>,
    /// All threads on one position at a time: the next answer sooner, the last one later
    #[arg(long, conflicts_with = "reference")]
    together: bool,
    /// Memory of the hash tables in MB, all threads together (of each with --deterministic)
    #[arg(long, value_name = "MB", default_value = "256", value_parser = parse_hash_mb)]
    hash: usize,
    /// Answers as they come, not in the order of the input
    #[arg(long)]
    unordered: bool,
    /// Answers that may wait behind a slow line; then all threads join on that line
    #[arg(long, value_name = "N", default_value = "65536", value_parser = crate::commands::at_least_one)]
    max_behind: NonZeroUsize,
    /// Memory in MB for what was solved, so that positions that come again are not solved again
    #[arg(long, value_name = "MB", default_value = "64")]
    memo: usize,
    /// Keep what is proven in this file, and look there first
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Nodes after which a position is left unsolved
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "reference")]
    pub(super) max_nodes: Option<u64>,
    /// Seconds after which a position is left unsolved
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "reference")]
    pub(super) max_time: Option<Duration>,
    /// Write the answers to this file, and beside it FILE.run: how far the run is
    #[arg(long, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
    /// Continue the file of --output where a killed run has stopped
    #[arg(long, requires = "output")]
    resume: bool,
    /// Copy the results of these answers to the same input, and solve only what they leave unsolved; with --shard,
    /// answers to the whole input or to the same part of it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["unordered", "obf"])]
    retry: Option<PathBuf>,
    /// The same nodes for each line on every machine: one thread a position, no times printed
    #[arg(long, conflicts_with_all = ["cache", "max_time", "unordered", "together"])]
    deterministic: bool,
    /// Prove each answer: to this file, or for many lines into this folder (named with a slash at its end)
    #[arg(long, value_name = "PATH", conflicts_with_all = ["reference", "all_moves"])]
    proof: Option<PathBuf>,
    /// Write what the run counted to this file, as JSON
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Solve only part I of N of the lines, the parts alike in estimated work
    #[arg(long, value_name = "I/N")]
    pub(super) shard: Option<Shard>,
    /// Solve nothing: estimate the nodes and the time that it would take
    #[arg(long, conflicts_with_all = ["output", "stats", "cache", "check", "reference", "json", "obf", "proof"])]
    pub(super) estimate: bool,
    /// Solve nothing: read everything, and say what was found
    #[arg(long, conflicts_with_all = ["output", "stats", "cache", "check", "reference", "json", "obf", "proof",
        "estimate", "retry", "shard"])]
    pub(super) dry_run: bool,
    /// The position of a game that is meant: with so many empties, else the last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60))]
    empties: Option<u32>,
    /// The side to move on boards that do not say it: black (x, *) or white (o)
    #[arg(long, value_name = "SIDE")]
    side: Option<Color>,
    /// One JSON object a line
    #[arg(long)]
    pub(super) json: bool,
    /// One OBF problem a line, with the scores found
    #[arg(long, conflicts_with_all = ["json", "wld", "claim"])]
    obf: bool,
    /// The score of every move, not only of the best one; with --wld its result
    #[arg(long, conflicts_with = "claim")]
    all_moves: bool,
    /// Compare with the scores that OBF lines carry; a mismatch makes the exit status 1
    #[arg(long)]
    pub(super) check: bool,
    /// Solve with the slow reference solver, as a second opinion (up to about 16 empties)
    #[arg(long)]
    reference: bool,
    /// Also count what the search does at its nodes: a table of the sums on standard error,
    /// with --json one object
    #[arg(long, conflicts_with = "reference")]
    counters: bool,
    /// Files of one position a line or of games (gzip is unpacked); standard input if there is none
    pub(super) files: Vec<PathBuf>,
}

const AFTER_HELP: &str = "\
Input: files of one position a line, or files of games. A line is a board: 64 cells a1..h1, a2..h8
(black X x * B b, white O o W w, empty - . _) and the side to move (a letter, black or white; --side
where no line says it), [8 .. *] as GGS writes it, or the FEN of flipello (P is black, which it calls
w); then, after a semicolon, the known scores of OBF, or moves from the board; then a comment after %.
In files named *.scr or *.script everything after the side is a comment. Or a line is a game: a
transcript (f5d6c3; 1. f5 d6 2. c3; P@e3 of flipello counts ranks from below, and is e6), or GGF, of
which the last game of the line counts. A number may stand before a board or moves. After a tab may
follow what is asked of this line (exact, wld, or a claim such as >=0, <=-2, =0), after another one a name,
which comes back with the answer. Blank lines and lines that begin with % or # have no answer.
Of a file of games (SGF, GGF over several lines, PGN, WTHOR, pages) each game has an answer, and its
line is that at which it begins, of WTHOR its number. --dry-run says what files are read as.
Text output, tab-separated: line result score best key nodes ms pv. The line is FILE:LINE where there
are several files. The result is win, draw or loss, for a claim proven or refuted, or unsolved
where a limit was reached. The score is such as +6, with --wld `-`, with --score-bound, for a claim
and where unsolved the proven bounds, such as >=+6, <=-4, +0 or -2..+6 (in JSON `at_least`,
`at_most`). Then come with --all-moves the move scores (with --wld results, such as
c4:win d3:loss), with --check `ok`, `unknown` or the
mismatch, and the name. A line that cannot be read is answered by `FILE:LINE error column reason key`.
The key binds the answer to its position, question, result, score and best move: `batch merge`,
`batch join`, --retry and --resume refuse an answer whose line or key does not fit. OBF has no keys.
Exit status: 1 if a line or a file could not be read or a --check failed, else 3 if a line is
unsolved, else 0.";

/// Reads a claim.
fn claim(text: &str) -> Result<Question, String> {
    match text.parse() {
        Ok(Question::Exact | Question::Wld) => Err("expected a claim such as '>=0'".to_owned()),
        Ok(claim) => Ok(claim),
        Err(error) => Err(error.to_string()),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let parsed = text.parse().ok();
    let parsed = parsed.filter(|&seconds: &f64| seconds > 0.0 && seconds < 1e9);
    let time = parsed.map(Duration::from_secs_f64);
    time.ok_or_else(|| "expected seconds, such as 0.5 or 60".to_owned())
}

impl Arguments {
    /// How the input is read.
    pub(super) fn reader(&self) -> Reader {
        Reader {
            question: self.question(),
            empties: self.empties,
            side: self.side,
        }
    }

    pub(super) fn question(&self) -> Question {
        match (self.claim, self.wld) {
            (Some(claim), _) => claim,
            (None, true) => Question::Wld,
            (None, false) => Question::Exact,
        }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get)
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

    fn style(&self) -> Style {
        match (self.json, self.obf) {
            (true, _) => Style::Json,
            (_, true) => Style::Obf,
            _ => Style::Text,
        }
    }

    /// What the run is to do.
    pub(super) fn options(&self) -> RunOptions {
        RunOptions {
            files: self.files.clone(),
            reader: self.reader(),
            shard: self.shard,
            plan: Plan {
                threads: self.threads(),
                together: self.together,
                hash_mb: self.hash,
                deterministic: self.deterministic,
            },
            memo_mb: self.memo,
            method: Method {
                all_moves: self.all_moves,
                reference: self.reference,
                noted_wins: None,
                max_nodes: self.max_nodes,
                max_time: self.max_time,
            },
            check: self.check,
            score_bound: self.score_bound,
            counters: self.counters,
            unordered: self.unordered,
            max_behind: self.max_behind.get(),
            style: self.style(),
            output: self.output.clone(),
            resume: self.resume,
            retry: self.retry.clone(),
            cache: self.cache.clone(),
            proof: self.proof.clone(),
            stats: self.stats.clone(),
        }
    }
}
