//! What does the requests: it owns the [`Searcher`], on the search thread or on the caller's.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam_channel::{Receiver, Sender};

use super::{Event, Request, bench};
use crate::analysis::analyze;
use crate::eval::Evaluator;
use crate::host::Instant;
use crate::rules::{Board, PassRule, perft};
use crate::search::{Control, Info, SearchOptions, Searcher, TableError};
use crate::threads::{self, Stack};

/// Plies that perft counts between two checks of its control: some milliseconds.
const UNPOLLED_PERFT: u32 = 7;

/// Starts the search thread; it ends when `requests` has no sender left.
pub(super) fn spawn(
    options: SearchOptions,
    requests: Receiver<Request>,
    events: Sender<Event>,
) -> io::Result<JoinHandle<()>> {
    threads::spawn("search", Stack::Search, move || {
        let (worker, started) = SearchWorker::start(options);
        if worker.is_some() {
            Evaluator::embedded().unpack();
        }
        let _ = events.send(started);
        let Some(mut worker) = worker else {
            return;
        };
        for request in requests {
            let answer = worker.answer(&request, &mut |event| {
                let _ = events.send(event);
            });
            if let Request::Search(job) = &request {
                job.wait_until_due();
            }
            if events.send(answer).is_err() {
                // The receiver is gone: the process is about to end.
                return;
            }
        }
    })
}

/// Does requests, one after the other, on the thread that calls.
pub struct SearchWorker {
    searcher: Searcher,
}

impl SearchWorker {
    /// A worker with these options, or with as large a table and as many threads as there is
    /// memory for; and the [`Event::Set`] that says what it lacks. `None`: there is no memory at all.
    pub fn start(options: SearchOptions) -> (Option<SearchWorker>, Event) {
        let mut hash_mb = options.hash_mb;
        let searcher = loop {
            match Searcher::new(Evaluator::embedded(), SearchOptions { hash_mb, ..options }) {
                Ok(searcher) => break searcher,
                Err(error) if hash_mb <= 1 => return (None, Event::Set(Err(error.to_string()))),
                Err(_) => hash_mb /= 2,
            }
        };
        let mut notes = Vec::new();
        if hash_mb < options.hash_mb {
            let megabytes = options.hash_mb;
            let error = TableError { megabytes };
            notes.push(format!("{error}; using {hash_mb} MB"));
        }
        notes.extend(lacking_threads(&searcher));
        (Some(SearchWorker { searcher }), Event::Set(Ok(notes)))
    }

    /// Does what is asked, and reports on the way. The answer is the event that ends the request;
    /// that of a search comes when the search is over, also where the job should wait for its stop.
    pub fn answer(&mut self, request: &Request, report: &mut dyn FnMut(Event)) -> Event {
        let searcher = &mut self.searcher;
        let done = searcher.guarded(|searcher| answer(request, searcher, report));
        done.unwrap_or_else(Event::Fault)
    }
}

fn lacking_threads(searcher: &Searcher) -> Option<String> {
    searcher.fewer_threads().map(ToString::to_string)
}

/// Does the request; returns its final event.
fn answer(request: &Request, searcher: &mut Searcher, report: &mut dyn FnMut(Event)) -> Event {
    match request {
        Request::Search(job) => {
            let mut report = |info: &Info| report(Event::Info(info.clone()));
            Event::Done(job.run(searcher, &mut report))
        }
        &Request::SetThreads(threads) => set_options(searcher, |options| options.threads = threads),
        &Request::SetHash(hash_mb) => set_options(searcher, |options| options.hash_mb = hash_mb),
        Request::SetWeights(file) => Event::Weights(set_weights(searcher, file.as_deref())),
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
            let nodes = polled_perft(*board, *depth, control);
            let (depth, time) = (*depth, start.elapsed());
            Event::Perft { depth, nodes, time }
        }
        Request::Analyze {
            game,
            effort,
            control,
        } => {
            let mut report = |judged| report(Event::Judged(judged));
            Event::Analyzed(analyze(searcher, game, effort, control, &mut report))
        }
        Request::Bench { control } => {
            let mut report = |line: &bench::BenchLine| report(Event::BenchLine(line.clone()));
            let total = bench::searcher(false)
                .map(|mut searcher| bench::run(&mut searcher, control, &mut report));
            Event::Bench(total.map_err(|error| error.to_string()))
        }
    }
}

fn set_options(searcher: &mut Searcher, change: impl FnOnce(&mut SearchOptions)) -> Event {
    let mut options = searcher.options();
    change(&mut options);
    let set = searcher.set_options(options);
    let set = set.map(|()| lacking_threads(searcher).into_iter().collect());
    Event::Set(set.map_err(|error| error.to_string()))
}

/// Evaluates with the weights in this file, or with the built-in ones.
fn set_weights(searcher: &mut Searcher, file: Option<&Path>) -> Result<Arc<Evaluator>, String> {
    let evaluator = match file {
        None => Evaluator::embedded(),
        Some(path) => Arc::new(Evaluator::load(path).map_err(|error| error.to_string())?),
    };
    searcher.set_evaluator(Arc::clone(&evaluator));
    Ok(evaluator)
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
