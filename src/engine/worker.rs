//! The search thread: it owns the [`Searcher`] and does one request after the other.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use super::{Event, Request, SearchJob, bench};
use crate::eval::Evaluator;
use crate::rules::{Board, Move, PassRule, perft};
use crate::search::{Control, Outcome, SearchOptions, Searcher, TableError};

/// Bytes of stack: a search is at most 64 discs and as many passes deep.
const STACK: usize = 16 << 20;

/// Plies that a count takes between two looks at its control: some milliseconds.
const UNPOLLED_PERFT: u32 = 7;

/// Starts the thread; it ends when `requests` has no sender left.
pub(super) fn spawn(
    options: SearchOptions,
    requests: Receiver<Request>,
    events: Sender<Event>,
) -> io::Result<JoinHandle<()>> {
    thread::Builder::new()
        .name("search".to_owned())
        .stack_size(STACK)
        .spawn(move || run(options, &requests, &events))
}

/// Nobody listens any more: the process is about to end.
struct Unheard;

fn run(options: SearchOptions, requests: &Receiver<Request>, events: &Sender<Event>) {
    let tell = |event| events.send(event).map_err(|_| Unheard);
    let mut searcher = match build(Evaluator::embedded(), options) {
        Ok(searcher) => searcher,
        Err(error) => {
            log::error!("{error}");
            let _ = tell(Event::Set(Err(error.to_string())));
            return;
        }
    };
    if tell(Event::Set(Ok(()))).is_err() {
        return;
    }
    let mut evaluator = Evaluator::embedded();
    for request in requests {
        let work = AssertUnwindSafe(|| answer(request, &mut searcher, events));
        let answer = catch_unwind(work).unwrap_or_else(|panic| Event::Fault(describe(&*panic)));
        if let Event::Weights(Ok(weights)) = &answer {
            evaluator = Arc::clone(weights);
        }
        if matches!(answer, Event::Fault(_)) {
            // The old searcher may be half-way through anything: none of it is kept.
            match build(Arc::clone(&evaluator), searcher.options()) {
                Ok(fresh) => searcher = fresh,
                Err(error) => log::error!("{error}"),
            }
        }
        if tell(answer).is_err() {
            return;
        }
    }
}

/// A searcher with these options, or with as large a table as there is memory for.
fn build(evaluator: Arc<Evaluator>, options: SearchOptions) -> Result<Searcher, TableError> {
    let mut options = options;
    loop {
        match Searcher::new(Arc::clone(&evaluator), options) {
            Err(error) if options.hash_mb > 1 => {
                log::warn!("{error}");
                options.hash_mb /= 2;
            }
            result => return result,
        }
    }
}

/// Does what is asked; returns the event that ends it.
fn answer(request: Request, searcher: &mut Searcher, events: &Sender<Event>) -> Event {
    match request {
        Request::Search(job) => {
            let outcome = search(searcher, &job, events);
            job.wait_until_due();
            Event::Done(outcome)
        }
        Request::SetThreads(threads) => {
            let options = SearchOptions {
                threads,
                ..searcher.options()
            };
            Event::Set(set_options(searcher, options))
        }
        Request::SetHash(hash_mb) => {
            let options = SearchOptions {
                hash_mb,
                ..searcher.options()
            };
            Event::Set(set_options(searcher, options))
        }
        Request::SetWeights(file) => {
            let loaded = file.map_or_else(|| Ok(Evaluator::embedded()), |path| load(&path));
            if let Ok(evaluator) = &loaded {
                searcher.set_evaluator(Arc::clone(evaluator));
            }
            Event::Weights(loaded)
        }
        Request::NewGame => {
            searcher.forget();
            Event::Set(Ok(()))
        }
        Request::Perft {
            board,
            depth,
            control,
        } => {
            let start = Instant::now();
            let nodes = polled_perft(board, depth, &control);
            Event::Perft {
                depth,
                nodes,
                time: start.elapsed(),
            }
        }
        Request::Bench { control } => {
            let total = bench::run(&control, &mut |line| {
                let _ = events.send(Event::BenchLine(line.clone()));
            });
            Event::Bench(total.map_err(|error| error.to_string()))
        }
    }
}

fn set_options(searcher: &mut Searcher, options: SearchOptions) -> Result<(), String> {
    searcher
        .set_options(options)
        .map_err(|error| error.to_string())
}

/// Searches, and makes sure of a legal move: a search that was stopped at once may have none.
fn search(searcher: &mut Searcher, job: &SearchJob, events: &Sender<Event>) -> Outcome {
    if job.board.is_over() {
        return Outcome {
            best: None,
            ponder: None,
            lines: Vec::new(),
            nodes: 0,
            time: Duration::ZERO,
            complete: true,
        };
    }
    let mut report = |info: &_| {
        let _ = events.send(Event::Info(Clone::clone(info)));
    };
    let control = job.handle.control();
    let mut outcome = searcher.search(job.board, &job.limits, control, &mut report);
    outcome.best = outcome.best.or_else(|| first_move(job));
    outcome
}

fn first_move(job: &SearchJob) -> Option<Move> {
    let legal = job.board.legal_moves();
    if legal.is_empty() {
        return Some(Move::Pass);
    }
    let mut wanted = legal;
    if let Some(moves) = job.limits.moves {
        wanted.0 &= moves.0;
    }
    wanted.first().or(legal.first()).map(Move::Place)
}

/// [`perft`] with passes as plies, ended early by `control`.
fn polled_perft(board: Board, depth: u32, control: &Control) -> Option<u64> {
    if control.is_stopped() {
        return None;
    }
    if depth <= UNPOLLED_PERFT || board.is_over() {
        return Some(perft(board, depth, PassRule::IsAPly));
    }
    let moves = board.legal_moves();
    if moves.is_empty() {
        return polled_perft(board.pass(), depth - 1, control);
    }
    moves
        .map(|square| polled_perft(board.play(square), depth - 1, control))
        .sum()
}

/// The weights in the file at `path`.
fn load(path: &Path) -> Result<Arc<Evaluator>, String> {
    let weights = Evaluator::load(path).map_err(|error| error.to_string())?;
    Ok(Arc::new(weights))
}

fn describe(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("unknown fault").to_owned()
}
