//! The arguments of `emilia solve`, and what they mean for a run.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;

use crate::batch::answer::{Format, Style};
use crate::batch::input::PositionReader;
use crate::batch::pool::Plan;
use crate::batch::resume::{ALL_MOVES, OBF};
use crate::batch::run::RunOptions;
use crate::batch::shard::Shard;
use crate::batch::solver::Method;
use crate::pool::queue::QueueOptions;
use crate::proof::make::LEAF_EMPTIES;
use crate::rules::Color;
use crate::score::Question;
use crate::search::parse_hash_mb;
use crate::text::printable;
use crate::text::values::{at_least_one, claim, some_seconds};
use crate::threads;

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
    /// Find only whether this is true of the score of the side to move: '>=V', '<=V', '>V', '<V', '=V', win, draw or loss
    #[arg(long, value_name = "CLAIM", conflicts_with_all = ["exact", "wld"], value_parser = claim)]
    claim: Option<Question>,
    /// With --wld also the tightest bound on the score that the proof came upon
    #[arg(long, requires = "wld")]
    score_bound: bool,
    /// Threads: one position each while many wait, all on one when few are left [default: all cores]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
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
    #[arg(long, value_name = "N", default_value = "65536", value_parser = at_least_one)]
    max_behind: NonZeroUsize,
    /// Memory in MB for what was solved, so that positions that come again are not solved again
    #[arg(long, value_name = "MB", default_value = "64")]
    memo: usize,
    /// Keep what is proven in this file, and look there first
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Nodes after which a position is left unsolved
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "reference")]
    max_nodes: Option<u64>,
    /// Seconds after which a position is left unsolved
    #[arg(long, value_name = "SECONDS", value_parser = some_seconds, conflicts_with = "reference")]
    max_time: Option<Duration>,
    /// Where no proof is affordable by a search of so many plies, an estimate of that depth; proofs are affordable
    /// from about twice as many empties
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=40),
        conflicts_with_all = ["reference", "all_moves", "proof", "obf", "check", "retry"])]
    depth: Option<u32>,
    /// Write the answers to this file, and beside it FILE.run: how far the run is
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Continue the file of --output where a killed run has stopped
    #[arg(long, requires = "output", conflicts_with = "unordered")]
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
    shard: Option<Shard>,
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
    files: Vec<PathBuf>,
    /// Solve nothing: estimate the nodes and the time that it would take
    #[arg(long, conflicts_with_all = ["output", "stats", "cache", "check", "reference", "json", "obf", "proof"])]
    pub(super) estimate: bool,
    /// Solve nothing: read everything, and say what was found
    #[arg(long, conflicts_with_all = ["output", "stats", "cache", "check", "reference", "json", "obf", "proof",
        "estimate", "retry", "shard"])]
    pub(super) dry_run: bool,
}

const AFTER_HELP: &str = "\
Input: files of one position a line, or files of games. A line is a board: 64 cells a1..h1, a2..h8
(black X x * B b, white O o W w, empty - . _) and the side to move (a letter, black or white; --side
where no line says it), [8 .. *] as GGS writes it, or the FEN of flipello (P is black, which it calls
w); then, after a semicolon, the known scores of OBF, or moves from the board; then a comment after %.
In files named *.scr or *.script everything after the side is a comment. Or a line is a game: a
transcript (f5d6c3; 1. f5 d6 2. c3; P@e3 of flipello counts ranks from below, and is e6), or GGF, of
which the last game of the line counts. A number may stand before a board or moves. After a tab may
follow what is asked of this line (exact, wld, or a claim such as >=0, <=-2, =0), perhaps about the best of
some moves only (exact of d3 f5), after another one a name, which comes back with the answer. Blank lines and lines that begin with % or # have no answer.
Of a file of games (SGF, GGF over several lines, PGN, WTHOR, pages) each game has an answer, and its
line is that at which it begins, of WTHOR its number. --dry-run says what files are read as.
Text output, tab-separated: line result score best key nodes ms pv. The line is FILE:LINE where there
are several files. The result is win, draw or loss, for a claim proven or refuted, or unsolved
where a limit was reached. The score is such as +6, with --wld `-`, with --score-bound, for a claim
and where unsolved the proven bounds, such as >=+6, <=-4, +0 or -2..+6 (in JSON `at_least`,
`at_most`). With --depth the result is estimate where no proof is affordable, and the score is such as
~+1.500@18: discs and depth; proven bounds may stand behind it. Then come with --all-moves the move scores (with --wld results, such as
c4:win d3:loss), with --check `ok`, `unknown` or the
mismatch, and the name. A line that cannot be read is answered by `FILE:LINE error column reason key`.
The key binds the answer to its position, question, result, score, best move and move scores:
`batch merge`, `batch join`, --retry and --resume refuse an answer whose line or key does not fit. OBF
has no keys.
Exit status: 1 if a line or a file could not be read, a --check failed or a proof is missing, else 3 if a line is
unsolved, else 0.";

impl Arguments {
    /// What the run is to do.
    pub(super) fn options(&self) -> anyhow::Result<RunOptions> {
        let question = match (self.claim, self.wld) {
            (Some(claim), _) => claim,
            (None, true) => Question::Wld,
            (None, false) => Question::Exact,
        };
        let input = PositionReader {
            files: self.files.clone(),
            question,
            empties: self.empties,
            side: self.side,
        };
        let style = match (self.json, self.obf) {
            (true, _) => Style::Json,
            (_, true) => Style::Obf,
            _ => Style::Text,
        };
        let names = input.names();
        let is_bad = |name: &&String| printable(name) != **name;
        if let Some(name) = names.iter().find(is_bad)
            && names.len() > 1
            && style == Style::Text
        {
            bail!(
                "the name of {name:?} does not fit into a line of text: rename the file, or use --json"
            );
        }
        Ok(RunOptions {
            method: Method {
                all_moves: self.all_moves,
                reference: self.reference,
                noted_wins: self.proof.is_some().then_some(u32::from(LEAF_EMPTIES)),
                max_nodes: self.max_nodes,
                max_time: self.max_time,
                depth: self.depth,
            },
            plan: Plan {
                threads: self.threads.unwrap_or_else(threads::cores).get(),
                together: self.together,
                hash_mb: self.hash,
                deterministic: self.deterministic,
            },
            queue: QueueOptions {
                ordered: !self.unordered,
                max_behind: self.max_behind.get(),
                sharing: !self.deterministic && !self.reference,
            },
            format: Format {
                style,
                files: names.into_iter().map(Into::into).collect(),
                score_bound: self.score_bound,
                times: !self.deterministic,
            },
            input,
            shard: self.shard,
            memo_mb: self.memo,
            check: self.check,
            counters: self.counters,
            named: self.named(question),
            output: self.output.clone(),
            resume: self.resume,
            retry: self.retry.clone(),
            cache: self.cache.clone(),
            proof: self.proof.clone(),
            stats: self.stats.clone(),
        })
    }

    /// The options that the answers depend on, by their names.
    fn named(&self, question: Question) -> BTreeMap<String, String> {
        fn text(value: Option<impl ToString>) -> Option<String> {
            value.map(|value| value.to_string())
        }
        let flag = |is_on: bool| text(is_on.then_some("yes"));
        let options = [
            ("question", text(Some(question))),
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
        options.collect()
    }
}
