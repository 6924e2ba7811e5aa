//! For bindings to other languages: an engine that answers the thread that asks, and the parts of the library that
//! such programs need besides.
//!
//! [`BlockingEngine`] does one thing at a time, is stopped from any thread, and notices a fork. What a language does
//! while it waits, and what it tells of, is its [`Caller`]. The rest are the numbers of a host, checked.

use std::io::Cursor;
#[cfg(feature = "program")]
use std::num::NonZeroUsize;
#[cfg(feature = "program")]
use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use thiserror::Error;

use crate::analysis::{Judged, Verdict};
use crate::engine::{Engine, Event, Patience, Player, Request, SearchJob, Strength};
use crate::eval::Evaluator;
use crate::formats::games::{FoundGame, LineGrouping, Names, Source};
use crate::formats::ggf::GgfGame;
use crate::locks::lock;
use crate::rules::{Board, Game, Move};
use crate::score::{Bounds, Question};
use crate::search::{
    Control, Effort, Goal, Info, Limits, Outcome, SearchOptions, Selectivity, TimeLimit,
};

#[cfg(feature = "program")]
use crate::proof::verify::verify_file;
#[cfg(feature = "program")]
use crate::threads::Stack;

pub use crate::embedded;
pub use crate::faults::{caught, silence};
pub use crate::lazy::{hold as hold_for_fork, release as release_after_fork};
pub use crate::pool;
#[cfg(feature = "program")]
pub use crate::proof::verify::{Report as ProofReport, file::Failure};
pub use crate::text::TextError;
pub use crate::threads::cores;
pub use crate::tier;

/// How often a caller hears that nothing is new.
pub const TICK: Duration = Duration::from_millis(20);

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum BindingError {
    /// A value is out of its range.
    #[error("{0}")]
    Value(String),
    /// There is too little memory, or no thread can be started.
    #[error("{0}")]
    Resources(String),
    /// Another thread, or a callback, is at work.
    #[error("the engine is busy: it does one thing at a time; make one for each thread")]
    Busy,
    /// It is closed.
    #[error("the engine is closed")]
    Closed,
    /// It belongs to the process from which this one was forked.
    #[error(
        "this engine was inherited by a fork, and its threads were not: make one in this process"
    )]
    Forked,
    /// The analysis was stopped.
    #[error("the analysis was stopped")]
    Stopped,
    /// A fault inside the engine, which can be used again.
    #[error("a fault inside the engine: {0}")]
    Fault(String),
}

impl BindingError {
    fn value(reason: impl Into<String>) -> BindingError {
        BindingError::Value(reason.into())
    }
}

/// Who waits for an answer.
pub trait Caller {
    /// What it fails with.
    type Error: From<BindingError>;

    /// Does it hear of what is found on the way?
    fn listens(&self) -> bool;

    /// Waits by calling `wait`; a language may let its other threads run meanwhile.
    fn wait<T: Send>(&self, wait: impl FnOnce() -> T + Send) -> T {
        wait()
    }

    /// Takes what is found; called every [`TICK`] at least. Its error ends the work and becomes the answer.
    ///
    /// # Errors
    /// As the caller likes.
    fn hear(&mut self, report: Report) -> Result<(), Self::Error>;
}

/// What is found on the way to an answer.
pub enum Report {
    /// A line of a search.
    Line(FoundLine),
    /// A position of a game that is analysed.
    Judged(Judged),
    /// Nothing new.
    Nothing,
}

impl Report {
    fn of(event: Event, asked: Option<Question>) -> Report {
        match event {
            Event::Info(info) => Report::Line(FoundLine::of_info(&info, asked)),
            Event::Judged(judged) => Report::Judged(judged),
            _ => Report::Nothing,
        }
    }
}

/// What is asked about a board.
pub enum Query {
    /// The best moves; without limits as deep as takes a moment.
    Search(Limits),
    /// The move of the player.
    Choose(Limits),
    /// The best so many moves, to this depth or as deep as takes a moment.
    Hints(usize, Option<u32>),
    /// An answer that does not depend on earlier searches; of the limits, nodes and time count.
    Solve(Question, Limits),
}

impl Query {
    const fn question(&self) -> Option<Question> {
        match self {
            Query::Solve(question, _) => Some(*question),
            _ => None,
        }
    }

    fn job(self, board: Board, player: &mut Player) -> SearchJob {
        let job = |limits| SearchJob::new(board, limits, Patience::Bounded);
        match self {
            Query::Search(limits) if is_bounded(&limits) => job(limits),
            Query::Search(limits) => job(Limits {
                depth: player.hints(board, 1).limits.depth,
                ..limits
            }),
            Query::Choose(limits) => player.choose_within(board, limits, Patience::Bounded),
            Query::Hints(count, depth) => {
                let mut hints = player.hints(board, count);
                hints.limits.depth = depth.or(hints.limits.depth);
                hints
            }
            Query::Solve(question, Limits { nodes, time, .. }) => job(Limits {
                goal: Goal::Solve(question),
                nodes,
                time,
                ..Limits::default()
            }),
        }
    }
}

fn is_bounded(limits: &Limits) -> bool {
    limits.depth.is_some() || limits.nodes.is_some() || limits.time != TimeLimit::Unlimited
}

/// What a search found. Scores are discs for the side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct FoundLine {
    /// The best move; `None` where the game is over.
    pub best: Option<Move>,
    /// The score: exact, a proven bound, or an estimate.
    pub score: f64,
    /// What is proven.
    pub bounds: Bounds,
    /// What that says.
    pub proven: Proven,
    /// The expected line of play, passes included.
    pub pv: Vec<Move>,
    /// Positions visited.
    pub nodes: u64,
    /// Plies searched; 0 where there was no search.
    pub depth: u32,
}

impl FoundLine {
    fn of_info(info: &Info, asked: Option<Question>) -> FoundLine {
        let bounds = info.proof.bounds();
        FoundLine {
            best: info.pv.first().copied(),
            score: info.score.to_f64(),
            bounds,
            proven: Proven::of(asked, bounds),
            pv: info.pv.clone(),
            nodes: info.nodes,
            depth: info.depth,
        }
    }

    /// The lines of an outcome, the best first: at least one.
    fn of_outcome(board: Board, outcome: &Outcome, asked: Option<Question>) -> Vec<FoundLine> {
        let lines = outcome.lines.iter();
        let mut lines: Vec<_> = lines.map(|info| FoundLine::of_info(info, asked)).collect();
        let (best, bounds, nodes) = (outcome.best, outcome.proven, outcome.nodes);
        let proven = Proven::of(asked, bounds);
        if let Some(first) = lines.first_mut() {
            (first.best, first.bounds, first.proven, first.nodes) = (best, bounds, proven, nodes);
            return lines;
        }
        // The game is over, or the search was stopped before its first iteration.
        let estimate = || Evaluator::embedded().estimate(board).to_f64();
        vec![FoundLine {
            best,
            score: bounds.score().map_or_else(estimate, f64::from),
            bounds,
            proven,
            pv: best.into_iter().collect(),
            nodes,
            depth: 0,
        }]
    }
}

/// What proven bounds say, after a question was asked or none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proven {
    /// Nothing.
    Nothing,
    /// That the claim that was asked is true.
    Claim,
    /// That the claim that was asked is false.
    Refuted,
    /// Who wins.
    Wld,
    /// The score, to the disc.
    Exact,
}

impl Proven {
    /// After a claim its verdict counts, also where more is known.
    pub fn of(asked: Option<Question>, bounds: Bounds) -> Proven {
        match asked.and_then(|question| question.verdict(bounds)) {
            Some(true) => Proven::Claim,
            Some(false) => Proven::Refuted,
            None if bounds.score().is_some() => Proven::Exact,
            None if bounds.value().is_some() => Proven::Wld,
            None => Proven::Nothing,
        }
    }
}

/// A search thread and its player. It does one thing at a time.
pub struct BlockingEngine {
    /// The process that made it: its threads are only there.
    process: u32,
    session: Mutex<Option<(Engine, Player)>>,
    /// Ends what is running.
    running: Mutex<Option<Control>>,
    is_closed: AtomicBool,
}

impl BlockingEngine {
    /// Starts it with all threads and all memory that are asked for.
    ///
    /// # Errors
    /// If a value is out of its range, or the threads or the memory are not there.
    pub fn start(
        options: SearchOptions,
        strength: Strength,
        seed: u64,
    ) -> Result<BlockingEngine, BindingError> {
        within("threads", options.threads, SearchOptions::MAX_THREADS)?;
        within("hash_mb", options.hash_mb, SearchOptions::MAX_HASH_MB)?;
        let missing = |reason: String| BindingError::Resources(reason);
        options
            .check()
            .map_err(|error| missing(error.to_string()))?;
        let engine = Engine::start(options).map_err(|error| missing(error.to_string()))?;
        match engine.events().recv() {
            Ok(Event::Set(Ok(notes))) if notes.is_empty() => {}
            Ok(Event::Set(Ok(notes))) => return Err(missing(notes.join("; "))),
            Ok(Event::Set(Err(error))) => return Err(missing(error)),
            _ => return Err(missing("the search thread does not start".to_owned())),
        }
        Ok(BlockingEngine {
            process: process::id(),
            session: Mutex::new(Some((engine, Player::new(strength, seed)))),
            running: Mutex::new(None),
            is_closed: AtomicBool::new(false),
        })
    }

    /// The lines that a search ends with, the best first: at least one.
    ///
    /// # Errors
    /// If the engine cannot be asked now, or the caller fails.
    pub fn search<C: Caller>(
        &self,
        board: Board,
        query: Query,
        caller: &mut C,
    ) -> Result<Vec<FoundLine>, C::Error> {
        let asked = query.question();
        let make = |player: &mut Player, control| {
            Request::Search(query.job(board, player).controlled_by(control))
        };
        match self.ask(caller, asked, make)? {
            Event::Done(outcome) => Ok(FoundLine::of_outcome(board, &outcome, asked)),
            _ => Err(unexpected().into()),
        }
    }

    /// What each move of a game was worth.
    ///
    /// # Errors
    /// If the engine cannot be asked now, the caller fails, or the analysis was stopped.
    pub fn analyze<C: Caller>(
        &self,
        game: Game,
        effort: Effort,
        caller: &mut C,
    ) -> Result<Vec<Verdict>, C::Error> {
        let game = Box::new(game);
        let make = |_: &mut Player, control| Request::Analyze {
            game,
            effort,
            control,
        };
        match self.ask(caller, None, make)? {
            Event::Analyzed(verdicts) => Ok(verdicts.ok_or(BindingError::Stopped)?),
            _ => Err(unexpected().into()),
        }
    }

    /// Forgets earlier searches.
    ///
    /// # Errors
    /// If the engine cannot be asked now, or the caller fails.
    pub fn forget<C: Caller>(&self, caller: &mut C) -> Result<(), C::Error> {
        self.ask(caller, None, |_, _| Request::NewGame).map(drop)
    }

    /// Ends what it does, soon: a search still has its best result. Any thread may call it, and a caller that hears.
    ///
    /// # Errors
    /// In a process that was forked.
    pub fn stop(&self) -> Result<(), BindingError> {
        self.check_process()?;
        if let Some(control) = &*lock(&self.running) {
            control.stop();
        }
        Ok(())
    }

    /// Ends what it does and frees its memory and threads, here or in the thread that waits for it.
    ///
    /// # Errors
    /// In a process that was forked.
    pub fn close(&self) -> Result<(), BindingError> {
        self.check_process()?;
        self.is_closed.store(true, Ordering::SeqCst);
        self.stop()?;
        self.end_if_closed();
        Ok(())
    }

    /// Sends a request and waits for its last event.
    fn ask<C: Caller>(
        &self,
        caller: &mut C,
        asked: Option<Question>,
        make: impl FnOnce(&mut Player, Control) -> Request,
    ) -> Result<Event, C::Error> {
        let mut session = self.enter()?;
        let (engine, player) = session.as_mut().ok_or(BindingError::Closed)?;
        let control = Control::new();
        *lock(&self.running) = Some(control.clone());
        if self.is_closed.load(Ordering::SeqCst) {
            control.stop();
        }
        engine.send(make(player, control.clone()));
        let answer = wait(engine.events(), &control, asked, caller);
        *lock(&self.running) = None;
        drop(session);
        caller.wait(|| self.end_if_closed());
        match answer? {
            Event::Fault(reason) => Err(BindingError::Fault(reason).into()),
            event => Ok(event),
        }
    }

    fn enter(&self) -> Result<MutexGuard<'_, Option<(Engine, Player)>>, BindingError> {
        self.check_process()?;
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(BindingError::Closed);
        }
        match self.session.try_lock() {
            Ok(session) => Ok(session),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(BindingError::Busy),
        }
    }

    fn check_process(&self) -> Result<(), BindingError> {
        let is_here = self.process == process::id();
        is_here.then_some(()).ok_or(BindingError::Forked)
    }

    fn end_if_closed(&self) {
        if self.is_closed.load(Ordering::SeqCst)
            && let Ok(mut session) = self.session.try_lock()
        {
            drop(session.take());
        }
    }
}

impl Drop for BlockingEngine {
    fn drop(&mut self) {
        let session = self.session.get_mut();
        let session = session.unwrap_or_else(PoisonError::into_inner).take();
        if let Some((engine, _)) = session
            && self.check_process().is_err()
        {
            // The thread that would be joined is in another process.
            engine.abandon();
        }
    }
}

fn unexpected() -> BindingError {
    BindingError::Fault("it answers something else".to_owned())
}

/// Waits for the final event. What the caller fails with ends the request; after a stop it hears of nothing new.
fn wait<C: Caller>(
    events: &Receiver<Event>,
    control: &Control,
    asked: Option<Question>,
    caller: &mut C,
) -> Result<Event, C::Error> {
    let listens = caller.listens();
    let mut failed = None;
    loop {
        let report = match caller.wait(|| next_event(events, listens)) {
            Ok(event) if event.is_final() => return failed.map_or(Ok(event), Err),
            Ok(event) if !control.is_stopped() => Report::of(event, asked),
            Ok(_) | Err(RecvTimeoutError::Timeout) => Report::Nothing,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(BindingError::Fault("the search thread is gone".to_owned()).into());
            }
        };
        if failed.is_none()
            && let Err(error) = caller.hear(report)
        {
            control.stop();
            failed = Some(error);
        }
    }
}

/// The next event that matters, if there is one within a [`TICK`].
fn next_event(events: &Receiver<Event>, listens: bool) -> Result<Event, RecvTimeoutError> {
    let deadline = Instant::now() + TICK;
    loop {
        let event = events.recv_deadline(deadline)?;
        if listens || event.is_final() {
            return Ok(event);
        }
    }
}

/// What was found in the bytes of a text or file.
#[derive(Default)]
pub struct ReadGames {
    /// What kind of text it is; `None` if that cannot be told.
    pub kind: Option<String>,
    /// The games, each with its place; one with an illegal move up to that.
    pub games: Vec<(GgfGame, String)>,
    /// Games beyond the most that are wanted.
    pub more: usize,
    /// What cannot be read.
    pub errors: Vec<String>,
    /// What is doubtful, though it was read.
    pub warnings: Vec<String>,
}

/// Reads the games of any text or file that the program reads, at most so many.
pub fn read_games(bytes: Vec<u8>, most: usize) -> ReadGames {
    let mut read = ReadGames::default();
    let source = match Source::whole(Cursor::new(bytes)) {
        Ok(source) => source,
        Err(error) => {
            read.errors.push(error.to_string());
            return read;
        }
    };
    read.kind = Some(source.kind().to_string());
    let mut found = source.games(LineGrouping::MayContinue, Names::default());
    for FoundGame {
        place,
        game,
        before,
        ..
    } in found.by_ref()
    {
        let game = match game {
            Ok(game) => Some(game),
            Err(error) => {
                read.errors.push(error.to_string());
                before
            }
        };
        match game {
            Some(_) if read.games.len() == most => read.more += 1,
            Some(game) => read.games.push((game, place.to_string())),
            None => {}
        }
    }
    read.warnings = found.take_warnings();
    read
}

/// Checks whether a file proves what it claims, on so many threads and with so many megabytes for positions.
///
/// # Errors
/// If it does not, or that cannot be found out.
#[cfg(feature = "program")]
pub fn check_proof(
    path: &Path,
    threads: Option<NonZeroUsize>,
    memory_mb: usize,
) -> Result<ProofReport, Failure> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.map_or(0, NonZeroUsize::get))
        .stack_size(Stack::Search.bytes());
    let pool = pool.build();
    let pool = pool.map_err(|error| Failure::System(error.to_string()))?;
    let memory = memory_mb.saturating_mul(1 << 20);
    let checked = caught(|| pool.install(|| verify_file(path, memory, &mut |_| {})));
    checked.unwrap_or_else(|fault| Err(Failure::System(fault)))
}

/// What ends or bounds a search, as a host gives it.
#[derive(Clone, Copy, Debug, Default)]
pub struct GivenLimits {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Seconds for this move.
    pub seconds: Option<f64>,
    /// Own time, the opponent's and the increment, in seconds.
    pub clock: Option<(f64, f64, f64)>,
}

impl GivenLimits {
    /// The limits of a search.
    ///
    /// # Errors
    /// If a value is out of its range, or both times are given.
    pub fn limits(&self) -> Result<Limits, BindingError> {
        let time = match (self.seconds, self.clock) {
            (None, None) => TimeLimit::Unlimited,
            (Some(seconds), None) => TimeLimit::Move(duration("seconds", seconds)?),
            (None, Some((own, opponent, increment))) => {
                duration("clock", opponent)?;
                TimeLimit::Clock {
                    remaining: duration("clock", own)?,
                    increment: duration("clock", increment)?,
                    moves_to_go: None,
                }
            }
            (Some(_), Some(_)) => {
                return Err(BindingError::value(
                    "seconds and the clock exclude each other",
                ));
            }
        };
        let depth = self.depth.map(|depth| at_least_one("depth", depth));
        let nodes = self.nodes.map(|nodes| at_least_one("nodes", nodes));
        Ok(Limits {
            depth: depth.transpose()?,
            nodes: nodes.transpose()?,
            time,
            ..Limits::default()
        })
    }
}

/// How hard to look at a game.
///
/// # Errors
/// If a value is out of its range.
pub fn effort(
    depth: u32,
    exact: u32,
    wld: u32,
    seconds: Option<f64>,
) -> Result<Effort, BindingError> {
    let time = seconds.map(|seconds| duration("seconds", seconds));
    Ok(Effort {
        depth: at_least_one("depth", depth)?,
        exact,
        wld: wld.max(exact),
        time: time.transpose()?,
    })
}

/// How much is pruned, by its percentage.
///
/// # Errors
/// If there is no such level.
pub fn selectivity(percent: u32) -> Result<Selectivity, BindingError> {
    let names = "selectivity must be 73, 87, 95, 98, 99 or 100";
    let selectivity = Selectivity::from_percent(percent);
    selectivity.ok_or_else(|| BindingError::value(format!("{names}, not {percent}")))
}

/// A number that must not be 0.
///
/// # Errors
/// If it is.
pub fn at_least_one<N: PartialOrd + From<u8>>(name: &str, number: N) -> Result<N, BindingError> {
    let is_one = number >= N::from(1);
    let error = || BindingError::value(format!("{name} must be at least 1"));
    is_one.then_some(number).ok_or_else(error)
}

fn within(name: &str, value: usize, most: usize) -> Result<(), BindingError> {
    let error = || BindingError::value(format!("{name} must be from 1 to {most}, not {value}"));
    let is_within = (1..=most).contains(&value);
    is_within.then_some(()).ok_or_else(error)
}

fn duration(name: &str, seconds: f64) -> Result<Duration, BindingError> {
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        BindingError::value(format!("{name} must be a time of 0 or more, not {seconds}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stops the engine from inside, or fails, when it first hears of a line.
    struct Listener<'a> {
        engine: &'a BlockingEngine,
        fails: bool,
        heard: u32,
    }

    impl Caller for Listener<'_> {
        type Error = BindingError;

        fn listens(&self) -> bool {
            true
        }

        fn hear(&mut self, report: Report) -> Result<(), BindingError> {
            if let Report::Line(line) = report {
                assert!(!line.pv.is_empty());
                self.heard += 1;
                assert!(matches!(self.engine.enter(), Err(BindingError::Busy)));
                if self.fails {
                    return Err(BindingError::value("mine"));
                }
                self.engine.stop()?;
            }
            Ok(())
        }
    }

    #[test]
    fn it_is_busy_while_it_works_and_its_caller_ends_it() {
        let options = SearchOptions {
            threads: 1,
            hash_mb: 1,
        };
        let engine = BlockingEngine::start(options, Strength::default(), 0).expect("an engine");
        let ask = |fails| {
            let mut caller = Listener {
                engine: &engine,
                fails,
                heard: 0,
            };
            let limits = Limits {
                depth: Some(60),
                ..Limits::default()
            };
            let found = engine.search(Board::START, Query::Search(limits), &mut caller);
            (found.map(|lines| lines[0].best.is_some()), caller.heard)
        };
        assert!(matches!(ask(false), (Ok(true), 1)));
        assert!(matches!(ask(true), (Err(BindingError::Value(_)), 1)));
        engine.close().expect("closed");
        assert!(matches!(ask(false), (Err(BindingError::Closed), 0)));
    }

    #[test]
    fn a_claim_is_proven_or_refuted() {
        let asked: [(&str, i32, i32, Proven); 8] = [
            (">=2", 2, 64, Proven::Claim),
            (">=2", -64, 0, Proven::Refuted),
            (">=2", 0, 0, Proven::Refuted),
            ("=0", 0, 0, Proven::Claim),
            ("<=-4", -6, 2, Proven::Nothing),
            ("wld", 2, 64, Proven::Wld),
            ("exact", 4, 4, Proven::Exact),
            ("exact", -64, 64, Proven::Nothing),
        ];
        for (question, lower, upper, expected) in asked {
            let question = question.parse().expect("a question");
            let bounds = Bounds::new(lower, upper).expect("bounds");
            assert_eq!(Proven::of(Some(question), bounds), expected, "{question}");
        }
    }
}
