//! `emilia solve`: exact or win/loss/draw results of a stream of positions.
//!
//! Three kinds of threads: one reads lines into a queue, workers solve them, and the
//! main one writes the answers in the order of the input. What is read ahead is bounded,
//! so a stream of any length runs in the same memory.

mod answer;
mod check;
mod input;
mod queue;
mod solver;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::Context;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use answer::{Answer, Style};
use check::Tally;
use input::Task;
use queue::{Assignment, Queue};
use solver::Solver;

use crate::eval::Evaluator;
use crate::search::{SearchOptions, parse_hash_mb};
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
    /// With --wld also the tightest bound on the score that the proof came upon
    #[arg(long, requires = "wld")]
    score_bound: bool,
    /// Threads: one position each while many wait, all on one when few are left [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// All threads on one position at a time: the next answer sooner, the last one later
    #[arg(long, conflicts_with = "reference")]
    together: bool,
    /// Memory of the hash tables in MB, all threads together
    #[arg(long, value_name = "MB", default_value = "256", value_parser = parse_hash_mb)]
    hash: usize,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// One OBF problem a line, with the scores found
    #[arg(long, conflicts_with_all = ["json", "wld"])]
    obf: bool,
    /// The score of every move, not only of the best one
    #[arg(long, conflicts_with = "wld")]
    all_moves: bool,
    /// Compare with the scores that OBF lines carry; a mismatch makes the exit status 1
    #[arg(long)]
    check: bool,
    /// Solve with the slow reference solver, as a second opinion (up to about 16 empties)
    #[arg(long)]
    reference: bool,
    /// Files of one position a line (`.gz` is unpacked); standard input if there is none
    files: Vec<PathBuf>,
}

const AFTER_HELP: &str = "\
Input: 64 cells a1..h1, a2..h8 (black X x * B b, white O o W w, empty - . _), the side to
move, and, after a semicolon, the known scores of OBF. Blank lines and lines that begin with
% or # give no answer, but count as lines.
Text output, tab-separated: line result score best nodes ms pv. The score is such as +6, with
--wld `-`, with --score-bound such as >=+6, <=-4 or +0 (in JSON `at_least`, `at_most`). Then come
with --all-moves the move scores, with --check `ok`, `unknown` or the mismatch. A line that cannot
be read answers `line error column reason` and makes the exit status 1.";

/// What to find out about each position, and how to say it.
#[derive(Clone, Copy, Debug)]
struct Job {
    mode: Mode,
    all_moves: bool,
    score_bound: bool,
    check: bool,
    reference: bool,
}

/// What a solve has to prove.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    Exact,
    Wld,
}

/// Answers every position of the input.
///
/// # Errors
/// If standard output cannot be written, or the hash tables cannot be allocated.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let job = Job {
        mode: if arguments.wld {
            Mode::Wld
        } else {
            Mode::Exact
        },
        all_moves: arguments.all_moves,
        score_bound: arguments.score_bound,
        check: arguments.check,
        reference: arguments.reference,
    };
    let threads = arguments
        .threads
        .or_else(|| thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let style = match (arguments.json, arguments.obf) {
        (true, _) => Style::Json,
        (_, true) => Style::Obf,
        _ => Style::Text,
    };
    let workers = if arguments.together { 1 } else { threads };
    let queue = Arc::new(Queue::new(workers));
    let files = arguments.files.clone();
    let reader = {
        let queue = Arc::clone(&queue);
        let read = move || input::read_into(&queue, &files);
        threads::spawn("input", Stack::Small, read).context("cannot start a thread")?
    };
    // After the reader: they take all threads that there are.
    start_workers(&queue, job, workers, threads, arguments.hash)?;
    let tally = write_answers(&queue, style)?;
    let read_all = reader.join().unwrap_or(false);
    if job.check {
        // Standard error may be closed; the exit status tells as well.
        let _ = writeln!(io::stderr(), "{tally}");
    }
    let well = read_all && !tally.has_faults();
    Ok(if well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Starts the workers, as many as there are threads and memory for. A single one has all
/// threads and all memory. Of more, each has a thread; half of the hash memory is shared
/// out among them, and half is for the searcher that has all threads on one position.
fn start_workers(
    queue: &Arc<Queue<Task, Answer>>,
    job: Job,
    workers: usize,
    threads: usize,
    hash_mb: usize,
) -> anyhow::Result<()> {
    let evaluator = Evaluator::embedded();
    let solver = |threads: usize, hash_mb: usize| {
        let hash_mb = hash_mb.max(1);
        Solver::new(job, &evaluator, SearchOptions { threads, hash_mb })
    };
    let (own_threads, share, team) = if workers > 1 {
        let team = solver(threads, hash_mb / 2)?;
        (1, hash_mb / 2 / workers, Some(team))
    } else {
        (threads, hash_mb, None)
    };
    let team = Arc::new(Mutex::new(team));
    for number in 0..workers {
        let start = || -> anyhow::Result<()> {
            let own = solver(own_threads, share)?;
            let (queue, team) = (Arc::clone(queue), Arc::clone(&team));
            let work = move || work(&queue, own, &team);
            let started = threads::spawn("solve", Stack::Search, work);
            started.context("cannot start a thread")?;
            Ok(())
        };
        match start() {
            Ok(()) => {}
            Err(error) if number == 0 => return Err(error),
            Err(error) => {
                log::error!("only {number} of {workers} threads could be started: {error:#}");
                queue.set_threads(number);
                break;
            }
        }
    }
    Ok(())
}

/// A worker: solves what the queue assigns, until there is no more.
fn work(queue: &Queue<Task, Answer>, mut own: Solver, team: &Mutex<Option<Solver>>) {
    while let Some((ticket, task, assignment)) = queue.next_task() {
        let answer = match assignment {
            Assignment::Alone => own.answer(&task),
            Assignment::Team => {
                let mut team = team.lock().unwrap_or_else(PoisonError::into_inner);
                team.as_mut().unwrap_or(&mut own).answer(&task)
            }
        };
        queue.finish(ticket, assignment, answer);
    }
}

/// Writes the answers in order, as they become ready.
fn write_answers(queue: &Queue<Task, Answer>, style: Style) -> io::Result<Tally> {
    let stdout = io::stdout();
    let progress = progress_bar(stdout.is_terminal());
    let mut out = BufWriter::new(stdout.lock());
    let mut tally = Tally::default();
    while let Some(answers) = queue.next_answers() {
        for answer in &answers {
            tally.count(answer);
            answer.write(style, &mut out)?;
        }
        out.flush()?;
        progress.inc(answers.len() as u64);
    }
    progress.finish_and_clear();
    Ok(tally)
}

/// Progress on standard error, if that is a terminal and the answers do not go there too.
fn progress_bar(answers_are_seen: bool) -> ProgressBar {
    if answers_are_seen {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{pos} solved, {per_sec}, {elapsed}");
    let bar = ProgressBar::new_spinner();
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
