//! The search thread behind channels: [`Request`]s go in, [`Event`]s come out.
//!
//! Every front end, of whatever protocol, has one [`Engine`] and communicates with it by
//! these two enums. A request never blocks its sender. The thread does one after
//! the other; only a [`SearchHandle`] bypasses the queue, to end a search.

pub mod bench;
#[cfg(feature = "book")]
mod from_book;
#[cfg(not(feature = "book"))]
#[path = "no_book.rs"]
mod from_book;
mod job;
mod person;
mod player;
mod strength;
mod worker;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};

use crate::analysis::{Judged, Verdict};
use crate::eval::Evaluator;
use crate::rules::{Board, Game};
use crate::search::{Control, Effort, Info, Outcome, SearchOptions};

pub use job::{Patience, SearchHandle, SearchJob};
pub use player::{BookHint, BookHints, Player};
pub use strength::{Level, Strength};
pub use worker::SearchWorker;

/// Requests to the search thread.
#[derive(Debug)]
pub enum Request {
    /// Search a board. Answered by [`Event::Info`]s and one [`Event::Done`].
    Search(SearchJob),
    /// Search with this many threads from now on, at least 1. Answered by [`Event::Set`].
    SetThreads(usize),
    /// Renew the transposition table with this many megabytes, at least 1. Answered by [`Event::Set`].
    SetHash(usize),
    /// Evaluate with the weights of this file, or with the built-in ones. Answered by [`Event::Weights`].
    SetWeights(Option<PathBuf>),
    /// Forget all earlier searches. Answered by [`Event::Set`].
    NewGame,
    /// Count lines of play, a pass being a ply. Answered by [`Event::Perft`].
    Perft {
        /// The board from which the lines start.
        board: Board,
        /// Their length in plies.
        depth: u32,
        /// Ends the count early.
        control: Control,
    },
    /// Judge all moves of a game. Answered by [`Event::Judged`]s and one [`Event::Analyzed`].
    Analyze {
        /// The game.
        game: Box<Game>,
        /// How hard to look.
        effort: Effort,
        /// Ends the analysis early.
        control: Control,
    },
    /// Run the [`mod@bench`]. Answered by [`Event::BenchLine`]s and one [`Event::Bench`].
    Bench {
        /// Ends the bench early.
        control: Control,
    },
}

/// Answers of the search thread. Each request is answered by exactly one event
/// for which [`Event::is_final`] is true, after any number of others.
pub enum Event {
    /// A line of a running search.
    Info(Info),
    /// A search is over.
    Done(Outcome),
    /// The searcher is ready, or a setting was changed; the text tells what of it could not be done,
    /// such as to start all threads. The error tells why nothing was changed.
    Set(Result<Vec<String>, String>),
    /// Other weights are used; or the error why not, and the old ones are kept.
    Weights(Result<Arc<Evaluator>, String>),
    /// The end of a count.
    Perft {
        /// Plies counted.
        depth: u32,
        /// Lines of play, or `None` if it was stopped.
        nodes: Option<u64>,
        /// Time taken.
        time: Duration,
    },
    /// A position of a game that is analysed, from the last to the first.
    Judged(Judged),
    /// The end of an analysis: its verdicts, `None` if it was stopped.
    Analyzed(Option<Vec<Verdict>>),
    /// One search of the bench.
    BenchLine(bench::BenchLine),
    /// The end of the bench: its total, `None` if it was stopped, or why it failed.
    Bench(Result<Option<bench::BenchTotal>, String>),
    /// A fault inside the engine ended the request. What was learned by earlier searches is forgotten.
    Fault(String),
}

impl Event {
    /// Does this end the request that it answers?
    pub const fn is_final(&self) -> bool {
        !matches!(
            self,
            Event::Info(_) | Event::Judged(_) | Event::BenchLine(_)
        )
    }
}

/// A handle on the search thread. Dropping it ends the thread after the current request: stop
/// the search first.
pub struct Engine {
    requests: Option<Sender<Request>>,
    events: Receiver<Event>,
    worker: Option<JoinHandle<()>>,
}

impl Engine {
    /// Starts the thread. Its first event is an [`Event::Set`], when the searcher
    /// is ready. Where there is too little memory for the table, or there are too few threads, it
    /// works with less, and the event says so.
    ///
    /// # Errors
    /// If the system cannot start a thread.
    pub fn start(options: SearchOptions) -> io::Result<Engine> {
        let (requests, inbox) = unbounded();
        let (outbox, events) = unbounded();
        let worker = worker::spawn(options, inbox, outbox)?;
        Ok(Engine {
            requests: Some(requests),
            events,
            worker: Some(worker),
        })
    }

    /// Appends a request to the queue. It never blocks.
    pub fn send(&self, request: Request) {
        if let Some(requests) = &self.requests
            && requests.send(request).is_err()
        {
            log::error!("the search thread is gone");
        }
    }

    /// Where the events arrive, in the order of the requests.
    pub const fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Detaches the thread without waiting for it: for a process that ends now.
    pub fn abandon(mut self) {
        self.worker = None;
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(worker) = self.worker.take()
            && worker.join().is_err()
        {
            log::error!("the search thread panicked");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Position;
    use crate::search::{Goal, Limits};

    fn engine() -> Engine {
        let options = SearchOptions {
            threads: 1,
            hash_mb: 1,
        };
        let engine = Engine::start(options).expect("a thread");
        assert!(matches!(next_final(&engine), Event::Set(Ok(notes)) if notes.is_empty()));
        engine
    }

    fn next_final(engine: &Engine) -> Event {
        engine
            .events()
            .iter()
            .find(Event::is_final)
            .expect("an event")
    }

    fn outcome(engine: &Engine) -> Outcome {
        match next_final(engine) {
            Event::Done(outcome) => outcome,
            _ => panic!("expected an outcome"),
        }
    }

    #[test]
    fn a_bounded_search_ends_by_itself() {
        let engine = engine();
        let limits = Limits {
            depth: Some(2),
            ..Limits::default()
        };
        let job = SearchJob::new(Board::START, limits, Patience::Bounded);
        engine.send(Request::Search(job));
        let best = outcome(&engine).best.and_then(|mv| mv.square());
        assert!(best.is_some_and(|square| Board::START.legal_moves().contains(square)));
    }

    #[test]
    fn an_infinite_search_of_a_finished_game_waits_for_its_stop() {
        let over: Position = format!("X{} X", "-".repeat(63))
            .parse()
            .expect("a position");
        let engine = engine();
        let job = SearchJob::new(over.board, Limits::default(), Patience::Infinite);
        let handle = job.handle().clone();
        engine.send(Request::Search(job));
        let early = engine.events().recv_timeout(Duration::from_millis(50));
        assert!(early.is_err(), "answered before its stop");
        handle.stop();
        assert_eq!(outcome(&engine).best, None);
    }

    #[test]
    fn a_ponder_search_waits_for_its_hit() {
        let engine = engine();
        let limits = Limits {
            depth: Some(1),
            ..Limits::default()
        };
        let job = SearchJob::new(Board::START, limits, Patience::Ponder);
        let handle = job.handle().clone();
        engine.send(Request::Search(job));
        let waited = || {
            while let Ok(event) = engine.events().recv_timeout(Duration::from_millis(50)) {
                assert!(!event.is_final(), "answered before its hit");
            }
        };
        waited();
        handle.ponderhit();
        assert!(outcome(&engine).best.is_some());
    }

    #[test]
    fn a_search_stopped_before_it_began_still_has_a_move() {
        let engine = engine();
        for goal in [Goal::Play, Goal::EXACT, Goal::WLD] {
            let limits = Limits {
                goal,
                ..Limits::default()
            };
            let job = SearchJob::new(Board::START, limits, Patience::Bounded);
            let handle = job.handle().clone();
            handle.stop();
            engine.send(Request::Search(job));
            assert!(outcome(&engine).best.is_some(), "{goal:?}");
        }
    }

    #[test]
    fn perft_counts_and_can_be_stopped() {
        let engine = engine();
        let perft = |depth, control| Request::Perft {
            board: Board::START,
            depth,
            control,
        };
        engine.send(perft(7, Control::new()));
        let counted = next_final(&engine);
        assert!(matches!(
            counted,
            Event::Perft {
                nodes: Some(55092),
                ..
            }
        ));
        let stopped = Control::new();
        stopped.stop();
        engine.send(perft(30, stopped));
        let ended = next_final(&engine);
        assert!(matches!(ended, Event::Perft { nodes: None, .. }));
    }
}
