//! `emilia solve`: exact or win/loss/draw results of a stream of positions, and claims about them.
//!
//! Three kinds of threads: one reads lines into a queue, workers solve them, and the
//! main one writes the answers in the order of the input. What is read ahead is bounded,
//! so a stream of any length runs in the same memory.

mod answer;
mod answering;
mod check;
mod dry_run;
pub(super) mod feeder;
mod hopeless;
pub(super) mod input;
mod outlook;
pub(super) mod output;
pub(super) mod part;
mod proof;
mod statistics;

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use clap::Args;

use answer::{Format, Style};
use answering::{Answering, Method};
use feeder::{Before, Earlier, Feeder, Order, Seen, Wanted, read_into};
use hopeless::Hopeless;
use input::{Reader, Sink, Task};
use outlook::Outlook;
use output::{Output, UNORDERED};
use part::{Done, Part, estimate_of};
use proof::Prover;
use statistics::{Counted, ProgressLine};

use crate::batch::answer::{Key, OBF_HEAD};
use crate::batch::cache::Cache;
use crate::batch::estimate::{Estimate, Model};
use crate::batch::memo::{Memo, Sameness};
use crate::batch::queue::{Batch, Help, Queue, QueueOptions, Weigh, Work};
use crate::batch::resume::{FORM, InputHash, Milestones, Progress, Run};
use crate::batch::shard::{Chooser, Shard};
use crate::eval::Evaluator;
use crate::files::{FileKind, UsedFiles};
use crate::logging;
use crate::proof::make::Effort;
use crate::rules::Color;
use crate::score::Question;
use crate::search::{Control, SearchOptions, Searcher, parse_hash_mb};
use crate::text::printable;
use crate::threads::{self, Stack};

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
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
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
    #[arg(long, value_name = "N", default_value = "65536", value_parser = super::at_least_one)]
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
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "reference")]
    max_time: Option<Duration>,
    /// Write the answers to this file, and beside it FILE.run: how far the run is
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
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
    shard: Option<Shard>,
    /// Solve nothing: estimate the nodes and the time that it would take
    #[arg(long, conflicts_with_all = ["output", "stats", "cache", "check", "reference", "json", "obf", "proof"])]
    estimate: bool,
    /// Solve nothing: read everything, and say what was found
    #[arg(long, conflicts_with_all = ["output", "stats", "cache", "check", "reference", "json", "obf", "proof",
        "estimate", "retry", "shard"])]
    dry_run: bool,
    /// The position of a game that is meant: with so many empties, else the last
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60))]
    empties: Option<u32>,
    /// The side to move on boards that do not say it: black (x, *) or white (o)
    #[arg(long, value_name = "SIDE")]
    side: Option<Color>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// One OBF problem a line, with the scores found
    #[arg(long, conflicts_with_all = ["json", "wld", "claim"])]
    obf: bool,
    /// The score of every move, not only of the best one; with --wld its result
    #[arg(long, conflicts_with = "claim")]
    all_moves: bool,
    /// Compare with the scores that OBF lines carry; a mismatch makes the exit status 1
    #[arg(long)]
    check: bool,
    /// Solve with the slow reference solver, as a second opinion (up to about 16 empties)
    #[arg(long)]
    reference: bool,
    /// Also count what the search does at its nodes: a table of the sums on standard error,
    /// with --json one object
    #[arg(long, conflicts_with = "reference")]
    counters: bool,
    /// Files of one position a line or of games (gzip is unpacked); standard input if there is none
    files: Vec<PathBuf>,
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
    match text
        .parse()
        .map_err(|error: crate::score::QuestionError| error.to_string())?
    {
        Question::Exact | Question::Wld => Err("expected a claim such as '>=0'".to_owned()),
        claim => Ok(claim),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let parsed = text
        .parse()
        .ok()
        .filter(|&seconds: &f64| seconds > 0.0 && seconds < 1e9);
    parsed
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "expected seconds, such as 0.5 or 60".to_owned())
}

impl Arguments {
    fn question(&self) -> Question {
        match (self.claim, self.wld) {
            (Some(claim), _) => claim,
            (None, true) => Question::Wld,
            (None, false) => Question::Exact,
        }
    }

    fn threads(&self) -> usize {
        self.threads
            .or_else(|| thread::available_parallelism().ok())
            .map_or(1, NonZeroUsize::get)
    }

    /// Do the names of the files fit into lines of text?
    fn check_names(&self) -> anyhow::Result<()> {
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

    /// Can the output of such a run be continued?
    fn check_resume(&self) -> anyhow::Result<()> {
        if !self.resume || !self.unordered {
            return Ok(());
        }
        // Which lines have an answer is known by their numbers alone.
        if self.obf {
            bail!(
                "answers that are not in order cannot be continued in OBF, which has no numbers of lines"
            );
        }
        let is_twice = |(number, file)| self.files[..number].contains(file);
        if self.files.iter().enumerate().any(is_twice) {
            bail!("answers that are not in order cannot be continued where a file is named twice");
        }
        Ok(())
    }

    fn style(&self) -> Style {
        match (self.json, self.obf) {
            (true, _) => Style::Json,
            (_, true) => Style::Obf,
            _ => Style::Text,
        }
    }

    /// What a copied answer has to have.
    const fn wanted(&self) -> Wanted {
        Wanted {
            json: self.json,
            moves: self.all_moves,
            verdict: self.check,
            score_bound: self.score_bound,
        }
    }

    /// How the answers stand in the output.
    fn order(&self) -> Order {
        match (self.obf, self.unordered) {
            (true, _) => Order::Obf,
            (_, true) => Order::Any,
            _ => Order::Input,
        }
    }

    /// What ends the making of a proof.
    fn effort(&self) -> Effort {
        Effort {
            nodes: self.max_nodes,
            time: self.max_time,
        }
    }

    /// What the answers of the run depend on.
    fn run(&self, evaluator: &Evaluator) -> Run {
        let mut options = BTreeMap::new();
        let mut add = |name: &str, value: String| options.insert(name.to_owned(), value);
        add("question", self.question().to_string());
        for (name, is_on) in [
            ("score-bound", self.score_bound),
            ("deterministic", self.deterministic),
            ("json", self.json),
            ("obf", self.obf),
            ("all-moves", self.all_moves),
            ("check", self.check),
            ("reference", self.reference),
            ("retry", self.retry.is_some()),
            (UNORDERED, self.unordered),
            ("proof", self.proof.is_some()),
        ] {
            if is_on {
                add(name, "yes".to_owned());
            }
        }
        if self.deterministic {
            add("hash", self.hash.to_string());
        }
        if let Some(nodes) = self.max_nodes {
            add("max-nodes", nodes.to_string());
        }
        if let Some(time) = self.max_time {
            add("max-time", time.as_secs_f64().to_string());
        }
        if let Some(shard) = self.shard {
            add("shard", shard.to_string());
        }
        if let Some(empties) = self.empties {
            add("empties", empties.to_string());
        }
        if let Some(side) = self.side {
            add("side", side.to_string());
        }
        Run {
            program: format!("emilia {}", env!("CARGO_PKG_VERSION")),
            weights: format!("{:016x}", evaluator.fingerprint()),
            form: FORM,
            options,
            progress: Progress::default(),
        }
    }
}

/// A task that others may help with.
#[derive(Clone)]
struct Joinable(Control);

impl Default for Joinable {
    fn default() -> Joinable {
        Joinable(Control::joinable())
    }
}

/// The answers to a batch.
#[derive(Default)]
struct Answers {
    text: Vec<u8>,
    counted: Counted,
}

/// A line to answer.
#[derive(Debug)]
struct Job {
    task: Task,
    /// The answer that an earlier run has given, if it need not be solved again.
    copied: Option<String>,
    /// Of a line that cannot be read.
    error_key: Option<Key>,
}

impl Weigh for Job {
    fn weight(&self) -> u64 {
        self.task.weight()
    }
}

type SolveQueue = Queue<Job, Answers, Joinable>;

const STATISTICS: FileKind = FileKind {
    name: "the counts of a run",
    is: |head| head.starts_with(b"{"),
};

/// Answers every position of the input.
///
/// # Errors
/// If the answers cannot be written, a file cannot be used, or the hash tables cannot be allocated.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let reader = Reader {
        question: arguments.question(),
        empties: arguments.empties,
        side: arguments.side,
    };
    if arguments.dry_run {
        let names = names_of(&arguments.files);
        return Ok(dry_run::run(&reader, &arguments.files, names)?);
    }
    let evaluator = Evaluator::embedded();
    if arguments.estimate {
        return estimate(arguments, &reader, &evaluator);
    }
    arguments.check_names()?;
    let start = Instant::now();
    // Before threads take some of the memory: the error names the size that was asked for.
    SearchOptions {
        threads: 1,
        hash_mb: arguments.hash,
    }
    .check()?;
    // The fingerprint reads all weights: it is taken only where it is written.
    let run = LazyCell::new(|| arguments.run(&evaluator));
    let mut used = UsedFiles::reading(arguments.files.iter().chain(&arguments.retry));
    // It is written as well, and what else is written may not be it.
    arguments
        .cache
        .iter()
        .try_for_each(|path| used.claim(path))?;
    let (mut output, done) = match &arguments.output {
        None => (Output::Standard(io::stdout().lock()), Done::default()),
        Some(path) => {
            arguments.check_resume()?;
            let (resume, run) = (arguments.resume, run.clone());
            Output::open(path, resume, run, &mut used, &arguments.files)?
        }
    };
    if arguments.style() == Style::Obf && done.answers == 0 {
        output.begin(OBF_HEAD)?;
    }
    let done = Arc::new(done);
    let stats = arguments.stats.as_ref();
    let stats = stats
        .map(|path| used.output(path, STATISTICS))
        .transpose()?;
    let prover = arguments.proof.as_ref();
    let prover = prover
        .map(|path| Prover::open(path, &mut used, arguments.effort(), arguments.resume))
        .transpose()?;
    let answering = Arc::new(Answering {
        prover,
        method: Method {
            all_moves: arguments.all_moves,
            check: arguments.check,
            reference: arguments.reference,
            max_nodes: arguments.max_nodes,
            max_time: arguments.max_time,
        },
        memo: Memo::new(
            arguments.memo << 20,
            if arguments.deterministic {
                Sameness::Equal
            } else {
                Sameness::Symmetric
            },
        ),
        cache: arguments.cache.as_deref().map(Cache::open).transpose()?,
        counts: arguments.counters.then(Mutex::default),
        cache_error: OnceLock::new(),
    });
    let threads = arguments.threads();
    let workers = if arguments.together { 1 } else { threads };
    let queue = Arc::new(SolveQueue::new(
        workers,
        QueueOptions {
            ordered: !arguments.unordered,
            max_behind: arguments.max_behind.get(),
            sharing: !arguments.deterministic && !arguments.reference,
        },
    ));
    let milestones = Arc::new(Milestones::default());
    let files = Arc::new(names_of(&arguments.files));
    let seen = Arc::new(Seen::default());
    let part = || Part::new(arguments.shard.map(Shard::chooser), &evaluator, &done);
    let feeder = Feeder {
        queue: Arc::clone(&queue),
        jobs: Vec::new(),
        part: part(),
        hash: arguments.output.is_some().then(InputHash::default),
        milestones: Arc::clone(&milestones),
        earlier: match &arguments.retry {
            Some(path) => Some(Earlier::open(path, arguments.wanted())?),
            None => None,
        },
        hopeless: Hopeless::new(
            Arc::clone(&files),
            arguments.max_nodes.is_none() && arguments.max_time.is_none(),
        ),
        before: match &arguments.output {
            Some(path) if done.answers > 0 => {
                Some(Before::open(path, done.answers, arguments.order(), &seen)?)
            }
            _ => None,
        },
        files: Arc::clone(&files),
        error: None,
    };
    // Of a retry nobody knows how much is copied; of a pipe, how much will come.
    let are_files = || arguments.files.iter().all(|path| path.is_file());
    let is_known = !arguments.files.is_empty() && arguments.retry.is_none() && are_files();
    let outlook = is_known.then(|| Outlook::new(&reader, &arguments.files, part()));
    let reading = {
        let files = arguments.files.clone();
        let queue = Arc::clone(&queue);
        let read = move || queue.guarded(|| read_into(&reader, &files, feeder));
        threads::spawn("input", Stack::Small, read).context("cannot start a thread")?
    };
    let format = Arc::new(Format {
        style: arguments.style(),
        files,
        score_bound: arguments.score_bound,
        times: !arguments.deterministic,
    });
    // After the reader: they take all threads that there are.
    let plan = Plan {
        workers,
        threads,
        hash_mb: arguments.hash,
        deterministic: arguments.deterministic,
    };
    start_workers(&queue, &answering, &format, &plan)?;
    let mut counted = write_answers(&queue, &mut output, &milestones, outlook)?;
    output.finish()?;
    let mut errors = match queue.fault() {
        // The reader may wait for ever, and nobody waits for it.
        Some(fault) => vec![anyhow!(
            "a thread of the program has failed: {fault}; what was answered before is written"
        )],
        None => reading.join().ok().and_then(Result::ok).unwrap_or_default(),
    };
    errors.extend(answering.finish().err());
    for error in &errors {
        logging::error(error);
    }
    if arguments.check {
        let _ = writeln!(io::stderr(), "{}", counted.tally);
    }
    if let Some(counts) = &answering.counts {
        let counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = match format.style {
            Style::Json => writeln!(io::stderr(), "{}", serde_json::to_string(&*counts)?),
            Style::Text | Style::Obf => writeln!(io::stderr(), "{counts}"),
        };
    }
    if let Some(file) = stats {
        let report = statistics::report(&mut counted, &run, threads, start.elapsed())?;
        file.write(|out| writeln!(out, "{report}"))?;
    }
    let unsolved = counted.tally.unsolved() + seen.unsolved();
    Ok(match (errors.is_empty(), unsolved) {
        (true, _) if counted.tally.has_faults() || seen.faults() > 0 => ExitCode::FAILURE,
        (true, 0) => ExitCode::SUCCESS,
        (true, _) => ExitCode::from(UNSOLVED),
        (false, _) => ExitCode::FAILURE,
    })
}

/// The exit status where a line is unsolved.
const UNSOLVED: u8 = 3;

/// As the user named them.
pub(super) fn names_of(files: &[PathBuf]) -> Vec<String> {
    let names = files.iter().map(|path| path.display().to_string());
    names.collect()
}

/// How the threads and the memory are used.
struct Plan {
    workers: usize,
    threads: usize,
    /// Megabytes of all tables together.
    hash_mb: usize,
    /// Has each thread a table of all these megabytes?
    deterministic: bool,
}

/// Starts the workers, as many as there are threads and memory for. A single one has all
/// threads and all memory. Of more, each has a thread; half of the hash memory is shared
/// out among them, and half is for the searcher that has all threads on one position.
fn start_workers(
    queue: &Arc<SolveQueue>,
    answering: &Arc<Answering>,
    format: &Arc<Format>,
    plan: &Plan,
) -> anyhow::Result<()> {
    let &Plan {
        workers,
        threads,
        hash_mb,
        deterministic,
    } = plan;
    let options = |threads: usize, hash_mb: usize| {
        let hash_mb = hash_mb.max(1);
        SearchOptions { threads, hash_mb }
    };
    let (own, team) = match workers {
        _ if deterministic => (options(1, hash_mb), None),
        1 => (options(threads, hash_mb), None),
        _ => {
            // Its threads are started when it has something to do: that may never be.
            let searcher = answering.searcher(options(1, hash_mb / 2))?;
            (options(1, hash_mb / 2 / workers), Some(searcher))
        }
    };
    let team = Arc::new(Team {
        searcher: team.map(Mutex::new),
        options: options(threads, hash_mb / 2),
    });
    for number in 0..workers {
        let start = || -> anyhow::Result<()> {
            // Helpers come after the workers: they take all threads that there are.
            let searcher = answering.searcher(options(1, own.hash_mb))?;
            let (queue, answering) = (Arc::clone(queue), Arc::clone(answering));
            let (team, format) = (Arc::clone(&team), Arc::clone(format));
            let work =
                move || queue.guarded(|| work(&queue, &answering, (searcher, own), &team, &format));
            let started = threads::spawn("solve", Stack::Search, work);
            started.context("cannot start a thread")?;
            Ok(())
        };
        match start() {
            Ok(()) => {}
            Err(error) if number == 0 => return Err(error),
            Err(error) => {
                log::error!("only {number} of {workers} threads could be started: {error:#}");
                queue.set_workers(number);
                break;
            }
        }
    }
    Ok(())
}

/// The searcher that has all threads on one position.
struct Team {
    /// None where each position has one thread, or there is a single worker.
    searcher: Option<Mutex<Searcher>>,
    options: SearchOptions,
}

/// A worker: does what the queue says, until there is no more.
fn work(
    queue: &SolveQueue,
    answering: &Answering,
    (mut own, own_options): (Searcher, SearchOptions),
    team: &Team,
    format: &Format,
) {
    while let Some(work) = queue.next_work() {
        match work {
            Work::Help(Help { crew, recalled }) => {
                answering.help(&mut own, &crew.0, &recalled);
                queue.end_help();
            }
            Work::Solve(mut batch) => {
                let tasks = std::mem::take(&mut batch.tasks);
                let searcher = team.searcher.as_ref().filter(|_| batch.team);
                let answers = match searcher {
                    None => {
                        start_helpers(&mut own, own_options);
                        answer(answering, &mut own, tasks, &batch, format)
                    }
                    Some(searcher) => {
                        let mut all = searcher.lock().unwrap_or_else(PoisonError::into_inner);
                        start_helpers(&mut all, team.options);
                        answer(answering, &mut all, tasks, &batch, format)
                    }
                };
                queue.finish(&batch, answers);
            }
        }
    }
}

/// Gives a searcher its threads, now that there is something to search.
fn start_helpers(searcher: &mut Searcher, options: SearchOptions) {
    if searcher.options() != options {
        // Its table keeps its size: nothing can fail.
        let set = searcher.set_options(options);
        debug_assert!(set.is_ok(), "{set:?}");
    }
}

/// Answers the tasks of a batch.
fn answer(
    answering: &Answering,
    searcher: &mut Searcher,
    jobs: Vec<Job>,
    batch: &Batch<Job, Joinable>,
    format: &Format,
) -> Answers {
    let control = batch.crew.clone().map_or_else(Control::new, |crew| crew.0);
    let mut answers = Answers::default();
    answers.text.reserve(jobs.len() * LINE_LENGTH);
    for job in jobs {
        let answer = answering.answer(searcher, job, &control);
        answers.counted.count(&answer);
        answer.write(format, &mut answers.text);
    }
    control.close();
    answers
}

/// Bytes of most answers in text.
const LINE_LENGTH: usize = 64;

/// Time after which progress is shown even if no answer has come.
const PATIENCE: Duration = Duration::from_secs(1);

/// Writes the answers as they become ready.
fn write_answers(
    queue: &SolveQueue,
    output: &mut Output,
    milestones: &Milestones,
    outlook: Option<Outlook>,
) -> anyhow::Result<Counted> {
    let seen = matches!(output, Output::Standard(_)) && io::stdout().is_terminal();
    let mut progress = ProgressLine::new(seen, outlook);
    let mut counted = Counted::default();
    let (mut ready, mut text) = (Vec::new(), Vec::new());
    while queue.next_answers(&mut ready, PATIENCE) {
        text.clear();
        let before = counted.tally.answers();
        for answers in ready.drain(..) {
            text.extend_from_slice(&answers.text);
            counted.add(&answers.counted);
        }
        if !text.is_empty() {
            output.write(&text, counted.tally.answers() - before, milestones)?;
        }
        progress.update(&counted);
    }
    progress.end();
    Ok(counted)
}

/// Says how much work the input is.
fn estimate(
    arguments: &Arguments,
    reader: &Reader,
    evaluator: &Evaluator,
) -> anyhow::Result<ExitCode> {
    struct Sum<'e> {
        evaluator: &'e Evaluator,
        chooser: Option<Chooser>,
        lines: u64,
        faults: u64,
        /// Lines with more empties than the solves of the fit had.
        extrapolated: u64,
        nodes: f64,
        /// The variance of the sum.
        variance: f64,
        by_empties: BTreeMap<u32, (u64, f64)>,
    }
    impl Sink for Sum<'_> {
        fn take(&mut self, _: &[u8], task: Task) -> bool {
            let Estimate { nodes, variance } = estimate_of(self.evaluator, &task);
            if let Some(chooser) = &mut self.chooser
                && !chooser.takes(nodes as u64)
            {
                return true;
            }
            self.lines += 1;
            self.nodes += nodes;
            self.variance += variance * nodes * nodes;
            match &task.content {
                Ok(ask) => {
                    let empties = ask.problem.position.board.empty_count();
                    let row = self.by_empties.entry(empties).or_default();
                    *row = (row.0 + 1, row.1 + nodes);
                    let curve = Model::embedded().curve(ask.question);
                    self.extrapolated += u64::from(empties > curve.most_empties);
                }
                Err(_) => self.faults += 1,
            }
            true
        }

        fn flush(&mut self) {}
    }
    let mut sum = Sum {
        evaluator,
        chooser: arguments.shard.map(Shard::chooser),
        lines: 0,
        faults: 0,
        extrapolated: 0,
        nodes: 0.0,
        variance: 0.0,
        by_empties: BTreeMap::new(),
    };
    let errors = reader.read(&arguments.files, &mut sum);
    for error in &errors {
        logging::error(error);
    }
    let curve = Model::embedded().curve(arguments.question());
    let mut out = io::stdout().lock();
    writeln!(out, "empties\tlines\tnodes")?;
    for (empties, (lines, nodes)) in &sum.by_empties {
        writeln!(out, "{empties}\t{lines}\t{nodes:.3e}")?;
    }
    writeln!(out, "all\t{}\t{:.3e}", sum.lines, sum.nodes)?;
    let rate = measured_rate()?;
    let threads = arguments.threads() as f64;
    let seconds = sum.nodes / rate;
    writeln!(
        out,
        "{rate:.3e} nodes/s a thread here: {} of one core, {} with {threads} threads",
        time_text(seconds),
        time_text(seconds / threads)
    )?;
    writeln!(
        out,
        "in nine of ten cases the sum is off by less than a factor of {:.1}, and a single line usually by less than {:.1} \
         (fitted to {} solves of up to {} empties)",
        sum_error(sum.nodes, sum.variance, curve.held_out),
        curve.error(),
        curve.solves,
        curve.most_empties
    )?;
    if sum.extrapolated > 0 {
        let lines = sum.extrapolated;
        writeln!(
            out,
            "{lines} lines have more empties than such solves: they may take ten times less or more; solve some of them"
        )?;
    }
    let well = errors.is_empty() && sum.faults == 0;
    Ok(if well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// By what factor an estimated sum is off in one of ten cases: its solves scatter, and the model has missed the sum of
/// solves that it did not know.
fn sum_error(nodes: f64, variance: f64, held_out: f64) -> f64 {
    /// Nine of ten values of a normal distribution are within so many standard deviations.
    const NINE_OF_TEN: f64 = 1.645;
    let scatter = (variance / (nodes * nodes).max(1.0)).ln_1p();
    (NINE_OF_TEN * (scatter + held_out.ln().powi(2)).sqrt()).exp()
}

/// Seconds in words: hours where there are several.
fn time_text(seconds: f64) -> String {
    if seconds < 7200.0 {
        format!("{seconds:.1} seconds")
    } else {
        format!("{:.1} hours", seconds / 3600.0)
    }
}

/// Nodes a second of one thread on this machine.
fn measured_rate() -> anyhow::Result<f64> {
    let outcome = sample_solve()?;
    Ok(outcome.nodes as f64 / outcome.time.as_secs_f64().max(1e-6))
}

/// A solve of some tenths of a second: in a shorter one the start of the tables would weigh.
fn sample_solve() -> anyhow::Result<crate::search::Outcome> {
    /// Black to move, 22 empties.
    const POSITION: &str = "----------------OO-----XXXXXX-OXXXXXXOOXOOXOOXOXOOOOOOXXXXXXXXXX X";
    let position: crate::rules::Position = POSITION.parse().context("a position of the program")?;
    let options = SearchOptions {
        threads: 1,
        hash_mb: 16,
    };
    let mut searcher = crate::search::Searcher::new(Evaluator::embedded(), options)?;
    let limits = crate::search::Limits {
        goal: crate::search::Goal::EXACT,
        ..crate::search::Limits::default()
    };
    Ok(searcher.search(position.board, &limits, &Control::new(), &mut |_| {}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_measured_on_enough_nodes() {
        let outcome = sample_solve().expect("a small table");
        assert!(outcome.nodes > 1_000_000, "{} nodes", outcome.nodes);
    }
}
