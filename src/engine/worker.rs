//! The search thread: it owns the [`Searcher`] and does one request after the other.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender};

use super::{Event, Request, bench};
use crate::eval::Evaluator;
use crate::rules::{Board, PassRule, perft};
use crate::search::{Control, Info, SearchOptions, Searcher, TableError};
use crate::threads::{self, Stack};

/// Plies that perft counts between two checks of its control: some milliseconds.
const UNPOLLED_PERFT: u32 = 7;

/// Starts the thread; it ends when `requests` has no sender left.
pub(super) fn spawn(
    options: SearchOptions,
    requests: Receiver<Request>,
    events: Sender<Event>,
) -> io::Result<JoinHandle<()>> {
    threads::spawn("search", Stack::Search, move || {
        run(options, &requests, &events);
    })
}

fn run(options: SearchOptions, requests: &Receiver<Request>, events: &Sender<Event>) {
    let mut searcher = match build(options) {
        Ok((searcher, notes)) => {
            let _ = events.send(Event::Set(Ok(notes)));
            searcher
        }
        Err(error) => {
            let _ = events.send(Event::Set(Err(error.to_string())));
            return;
        }
    };
    for request in requests {
        let answer = searcher.guarded(|searcher| answer(request, searcher, events));
        if events.send(answer.unwrap_or_else(Event::Fault)).is_err() {
            // The receiver is gone: the process is about to end.
            return;
        }
    }
}

/// A searcher with these options, or with as large a table as there is memory for, and
/// what is missing.
fn build(options: SearchOptions) -> Result<(Searcher, Vec<String>), TableError> {
    let mut notes = Vec::new();
    let mut hash_mb = options.hash_mb;
    let searcher = loop {
        match Searcher::new(Evaluator::embedded(), SearchOptions { hash_mb, ..options }) {
            Ok(searcher) => break searcher,
            Err(error) if hash_mb <= 1 => return Err(error),
            Err(_) => hash_mb /= 2,
        }
    };
    if hash_mb < options.hash_mb {
        let error = TableError {
            megabytes: options.hash_mb,
        };
        let note = format!("{error}; using {hash_mb} MB");
        notes.push(note);
    }
    notes.extend(lacking_threads(&searcher));
    Ok((searcher, notes))
}

fn lacking_threads(searcher: &Searcher) -> Option<String> {
    searcher.fewer_threads().map(ToString::to_string)
}

/// Does the request; returns its final event.
fn answer(request: Request, searcher: &mut Searcher, events: &Sender<Event>) -> Event {
    match request {
        Request::Search(job) => {
            let mut report = |info: &Info| {
                let _ = events.send(Event::Info(info.clone()));
            };
            let control = job.handle.control();
            let outcome = searcher.search(job.board, &job.limits, control, &mut report);
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
            Event::Set(Ok(Vec::new()))
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
            let mut report = |line: &bench::Line| {
                let _ = events.send(Event::BenchLine(line.clone()));
            };
            let total = bench::searcher()
                .map(|mut searcher| bench::run(&mut searcher, &control, &mut report));
            Event::Bench(total.map_err(|error| error.to_string()))
        }
    }
}

fn set_options(searcher: &mut Searcher, options: SearchOptions) -> Result<Vec<String>, String> {
    let set = searcher.set_options(options);
    set.map_err(|error| error.to_string())?;
    Ok(lacking_threads(searcher).into_iter().collect())
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
