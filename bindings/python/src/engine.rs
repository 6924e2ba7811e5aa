//! The core of `Engine`: a search thread, which the calling thread waits for without holding up other threads of
//! Python, and which a signal, a callback that raises, or another thread ends at once.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use emilia::analysis::{Gift, Verdict, Worth};
use emilia::engine::{Engine, Event, Level, Patience, Player, Request, SearchJob, Strength};
use emilia::eval::Evaluator;
use emilia::human::Rating;
use emilia::locks::lock;
use emilia::rules::{Board, Game, Move};
use emilia::score::{Bounds, Question};
use emilia::search::{
    Control, Effort, Goal, Info, Limits, Outcome, SearchOptions, Selectivity, TimeLimit,
};
use pyo3::prelude::*;

use crate::errors::emilia_error;
use crate::position::{PyPosition, read_game};
use crate::question::{self, proven};

/// How often the calling thread looks for signals.
pub(crate) const TICK: Duration = Duration::from_millis(20);

/// The fields of `Result`: move, score, lower, upper, proven, pv, nodes, depth.
type Line = (
    Option<&'static str>,
    f64,
    i32,
    i32,
    &'static str,
    Vec<&'static str>,
    u64,
    u32,
);

/// A search and its player.
struct Session {
    engine: Engine,
    player: Player,
}

/// An engine. The Python class around it has the documentation.
#[pyclass(frozen, module = "emilia_othello._native")]
pub(crate) struct Core {
    /// The process that made it: its threads are only there.
    process: u32,
    state: Mutex<Option<Session>>,
    /// Ends what is running.
    running: Mutex<Option<Control>>,
    is_closed: AtomicBool,
}

/// What ends or bounds a search, as Python gives it: a tuple, since names of fields would be values that PyO3 makes when
/// they are first needed, which a fork may interrupt.
#[derive(FromPyObject)]
struct Given {
    #[pyo3(item(0))]
    depth: Option<u32>,
    #[pyo3(item(1))]
    nodes: Option<u64>,
    #[pyo3(item(2))]
    seconds: Option<f64>,
    /// Own time, opponent's time, increment, in seconds.
    #[pyo3(item(3))]
    clock: Option<(f64, f64, f64)>,
}

#[pymethods]
impl Core {
    #[new]
    fn new(
        py: Python<'_>,
        threads: usize,
        hash_mb: usize,
        chosen: (Option<u8>, Option<u16>),
        seed: u64,
    ) -> PyResult<Core> {
        let options = checked_options(threads, hash_mb)?;
        let strength = strength(chosen)?;
        let engine = py.detach(|| start(options)).map_err(emilia_error)?;
        let player = Player::new(strength, seed);
        Ok(Core {
            process: process::id(),
            state: Mutex::new(Some(Session { engine, player })),
            running: Mutex::new(None),
            is_closed: AtomicBool::new(false),
        })
    }

    fn search(
        &self,
        py: Python<'_>,
        position: PyPosition,
        bounds: Given,
        multipv: usize,
        selectivity: u32,
        on_info: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Line>> {
        let limits = Limits {
            multipv: at_least_one("multipv", multipv)?,
            selectivity: level_of(selectivity)?,
            ..bounds.limits()?
        };
        let board = position.0.board;
        let make = |player: &mut Player| {
            let is_bounded = limits.depth.is_some() || limits.nodes.is_some();
            if is_bounded || limits.time != TimeLimit::Unlimited {
                return SearchJob::new(board, limits, Patience::Bounded);
            }
            let usual = player.hints(board, 1).limits;
            SearchJob::new(
                board,
                Limits {
                    depth: usual.depth,
                    ..limits
                },
                Patience::Bounded,
            )
        };
        self.lines(py, board, None, make, on_info)
    }

    fn solve(
        &self,
        py: Python<'_>,
        position: PyPosition,
        question: &str,
        bounds: Given,
        on_info: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Line>> {
        let question = question::parse(py, question)?;
        let limits = Limits {
            goal: Goal::Solve(question),
            ..bounds.limits()?
        };
        let board = position.0.board;
        let make = |_: &mut Player| SearchJob::new(board, limits, Patience::Bounded);
        self.lines(py, board, Some(question), make, on_info)
    }

    fn hint(
        &self,
        py: Python<'_>,
        position: PyPosition,
        count: usize,
        depth: Option<u32>,
    ) -> PyResult<Vec<Line>> {
        let count = at_least_one("n", count)?;
        let depth = depth
            .map(|depth| at_least_one("depth", depth))
            .transpose()?;
        let board = position.0.board;
        let make = |player: &mut Player| {
            let mut job = player.hints(board, count);
            job.limits.depth = depth.or(job.limits.depth);
            job
        };
        self.lines(py, board, None, make, None)
    }

    fn play(&self, py: Python<'_>, position: PyPosition, bounds: Given) -> PyResult<Vec<Line>> {
        let limits = bounds.limits()?;
        let board = position.0.board;
        let make = |player: &mut Player| player.choose_within(board, limits, Patience::Bounded);
        self.lines(py, board, None, make, None)
    }

    fn analyze<'py>(
        &self,
        py: Python<'py>,
        game: Bound<'py, PyAny>,
        effort: (u32, u32, u32, Option<f64>),
        on_verdict: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Judgement>> {
        let game = Box::new(game_of(&game)?);
        let (depth, exact, wld, seconds) = effort;
        let effort = Effort {
            depth: at_least_one("depth", depth)?,
            exact,
            wld: wld.max(exact),
            time: seconds.map(|time| duration("seconds", time)).transpose()?,
        };
        let mut report = |event| match (event, &on_verdict) {
            (Event::Judged(judged), Some(callback)) => callback
                .call1((judged.moves, judged.worth.score.to_f64()))
                .map(drop),
            _ => Ok(()),
        };
        let make = |_: &mut Player, control: Control| Request::Analyze {
            game,
            effort,
            control,
        };
        let is_reported = on_verdict.is_some();
        match self.ask(py, make, is_reported, &mut report)? {
            Event::Analyzed(Some(verdicts)) => Ok(verdicts.iter().map(judgement).collect()),
            Event::Analyzed(None) => Err(emilia_error("the analysis was stopped")),
            other => Err(fault(other)),
        }
    }

    fn forget(&self, py: Python<'_>) -> PyResult<()> {
        self.ask(py, |_, _| Request::NewGame, false, &mut |_| Ok(()))?;
        Ok(())
    }

    fn stop(&self) -> PyResult<()> {
        self.check_process()?;
        if let Some(control) = &*lock(&self.running) {
            control.stop();
        }
        Ok(())
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.check_process()?;
        self.is_closed.store(true, Ordering::SeqCst);
        self.stop()?;
        // Where a search runs, the thread that waits for it does this.
        py.detach(|| self.end_if_closed());
        Ok(())
    }
}

/// Levels there are.
pub(crate) const LEVELS: u8 = Level::COUNT;

/// The highest rating.
pub(crate) const MOST_RATING: u16 = Rating::MAX_ELO;

impl Drop for Core {
    fn drop(&mut self) {
        let state = self
            .state
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(state) = state {
            if self.check_process().is_ok() {
                drop(state);
            } else {
                // The thread that would be joined is in another process.
                state.engine.abandon();
            }
        }
    }
}

impl Core {
    fn check_process(&self) -> PyResult<()> {
        if self.process == process::id() {
            return Ok(());
        }
        let reason = "this engine was inherited by a fork, and its threads were not: make one in this process";
        Err(emilia_error(reason))
    }

    fn enter(&self) -> PyResult<MutexGuard<'_, Option<Session>>> {
        self.check_process()?;
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(emilia_error("the engine is closed"));
        }
        match self.state.try_lock() {
            Ok(state) => Ok(state),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let reason =
                    "the engine is busy: it does one thing at a time; make one for each thread";
                Err(emilia_error(reason))
            }
        }
    }

    fn end_if_closed(&self) {
        if self.is_closed.load(Ordering::SeqCst)
            && let Ok(mut state) = self.state.try_lock()
        {
            drop(state.take());
        }
    }

    /// Sends a request and waits for its last event. `report` gets the others, where they are wanted.
    fn ask(
        &self,
        py: Python<'_>,
        make: impl FnOnce(&mut Player, Control) -> Request,
        is_reported: bool,
        report: &mut dyn FnMut(Event) -> PyResult<()>,
    ) -> PyResult<Event> {
        let mut guard = self.enter()?;
        let Some(state) = &mut *guard else {
            return Err(emilia_error("the engine is closed"));
        };
        let control = Control::new();
        *lock(&self.running) = Some(control.clone());
        if self.is_closed.load(Ordering::SeqCst) {
            control.stop();
        }
        state.engine.send(make(&mut state.player, control.clone()));
        let answer = wait(py, state.engine.events(), &control, is_reported, report);
        *lock(&self.running) = None;
        drop(guard);
        self.end_if_closed();
        answer
    }

    /// The lines that a search ends with, the best first.
    fn lines(
        &self,
        py: Python<'_>,
        board: Board,
        asked: Option<Question>,
        make: impl FnOnce(&mut Player) -> SearchJob,
        on_info: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Line>> {
        let mut report = |event| match (event, &on_info) {
            (Event::Info(info), Some(callback)) => callback.call1(of_info(&info, asked)).map(drop),
            _ => Ok(()),
        };
        let request = |player: &mut Player, control: Control| {
            Request::Search(make(player).controlled_by(control))
        };
        match self.ask(py, request, on_info.is_some(), &mut report)? {
            Event::Done(outcome) => Ok(of_outcome(board, &outcome, asked)),
            other => Err(fault(other)),
        }
    }
}

/// Waits for the final event, and meanwhile for signals: what they raise, or `report` does, ends the request.
fn wait(
    py: Python<'_>,
    events: &Receiver<Event>,
    control: &Control,
    is_reported: bool,
    report: &mut dyn FnMut(Event) -> PyResult<()>,
) -> PyResult<Event> {
    let mut raised = None;
    loop {
        let received = py.detach(|| next_event(events, is_reported));
        let checked = match received {
            Ok(event) if event.is_final() => return raised.map_or(Ok(event), Err),
            Ok(_) | Err(RecvTimeoutError::Timeout) if raised.is_some() => continue,
            Ok(event) => report(event),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(emilia_error("the search thread is gone"));
            }
        };
        if let Err(error) = checked.and_then(|()| py.check_signals()) {
            control.stop();
            raised = Some(error);
        }
    }
}

/// The next event that matters, if there is one before it is time to look for signals.
fn next_event(events: &Receiver<Event>, is_reported: bool) -> Result<Event, RecvTimeoutError> {
    let deadline = Instant::now() + TICK;
    loop {
        let event = events.recv_deadline(deadline)?;
        if is_reported || event.is_final() {
            return Ok(event);
        }
    }
}

/// Starts a search thread with all threads and all memory that are asked for.
fn start(options: SearchOptions) -> Result<Engine, String> {
    options.check().map_err(|error| error.to_string())?;
    let engine = Engine::start(options).map_err(|error| error.to_string())?;
    let missing = match engine.events().recv() {
        Ok(Event::Set(Ok(notes))) => notes.join("; "),
        Ok(Event::Set(Err(error))) => error,
        _ => "the search thread does not start".to_owned(),
    };
    if missing.is_empty() {
        Ok(engine)
    } else {
        Err(missing)
    }
}

fn checked_options(threads: usize, hash_mb: usize) -> PyResult<SearchOptions> {
    let within = |name: &str, value: usize, most: usize| {
        let is_within = (1..=most).contains(&value);
        let error = || emilia_error(format!("{name} must be from 1 to {most}, not {value}"));
        is_within.then_some(value).ok_or_else(error)
    };
    Ok(SearchOptions {
        threads: within("threads", threads, SearchOptions::MAX_THREADS)?,
        hash_mb: within("hash_mb", hash_mb, SearchOptions::MAX_HASH_MB)?,
    })
}

/// By level or by rating; the Python half has checked their ranges.
fn strength((level, rating): (Option<u8>, Option<u16>)) -> PyResult<Strength> {
    match (level.and_then(Level::new), rating) {
        (None, None) => Ok(Strength::Unchosen),
        (Some(level), None) => Ok(Strength::Level(level)),
        (None, Some(elo)) => Ok(Strength::Rating(Rating::new(elo.into()))),
        (Some(_), Some(_)) => Err(emilia_error("level and rating exclude each other")),
    }
}

fn at_least_one<N: PartialOrd + From<u8>>(name: &str, number: N) -> PyResult<N> {
    if number < N::from(1) {
        return Err(emilia_error(format!("{name} must be at least 1")));
    }
    Ok(number)
}

fn level_of(percent: u32) -> PyResult<Selectivity> {
    let level = Selectivity::from_percent(percent);
    level.ok_or_else(|| {
        emilia_error(format!(
            "selectivity must be 73, 87, 95, 98, 99 or 100, not {percent}"
        ))
    })
}

fn duration(name: &str, seconds: f64) -> PyResult<Duration> {
    let time = Duration::try_from_secs_f64(seconds);
    time.map_err(|_| emilia_error(format!("{name} must be a time of 0 or more, not {seconds}")))
}

impl Given {
    fn limits(&self) -> PyResult<Limits> {
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
            (Some(_), Some(_)) => return Err(emilia_error("seconds and clock exclude each other")),
        };
        let nodes = self.nodes.map(|nodes| at_least_one("nodes", nodes));
        let depth = self.depth.map(|depth| at_least_one("depth", depth));
        Ok(Limits {
            depth: depth.transpose()?,
            nodes: nodes.transpose()?,
            time,
            ..Limits::default()
        })
    }
}

/// The game of a transcript, or of positions each of which follows from the one before it.
fn game_of(given: &Bound<'_, PyAny>) -> PyResult<Game> {
    if let Ok(text) = given.extract::<String>() {
        return read_game(given.py(), &text);
    }
    let mut game: Option<Game> = None;
    for (index, item) in given.try_iter()?.enumerate() {
        let position: PyPosition = item?.extract()?;
        let Some(game) = &mut game else {
            game = Some(Game::new(position.0));
            continue;
        };
        let before = game.position();
        let squares = before.board.legal_moves().map(Move::Place);
        let mv = squares
            .chain([Move::Pass])
            .find(|&mv| before.play(mv) == Some(position.0));
        let follows = mv.and_then(|mv| game.play(mv).ok());
        follows.ok_or_else(|| {
            emilia_error(format!(
                "position {index} does not follow from the one before it by a move"
            ))
        })?;
    }
    game.ok_or_else(|| emilia_error("there is no position"))
}

/// The error of an event that is not the answer.
fn fault(event: Event) -> PyErr {
    match event {
        Event::Fault(reason) => emilia_error(format!("a fault inside the engine: {reason}")),
        _ => emilia_error("a fault inside the engine"),
    }
}

fn names(moves: &[Move]) -> Vec<&'static str> {
    moves.iter().map(|mv| mv.name()).collect()
}

fn of_info(info: &Info, asked: Option<Question>) -> Line {
    of_line(info, info.proof.bounds(), asked)
}

fn of_line(info: &Info, bounds: Bounds, asked: Option<Question>) -> Line {
    let pv = names(&info.pv);
    (
        pv.first().copied(),
        info.score.to_f64(),
        bounds.lower(),
        bounds.upper(),
        proven(asked, bounds),
        pv,
        info.nodes,
        info.depth,
    )
}

fn of_outcome(board: Board, outcome: &Outcome, asked: Option<Question>) -> Vec<Line> {
    let info = |info| of_info(info, asked);
    let mut lines: Vec<Line> = outcome.lines.iter().map(info).collect();
    let (best, bounds) = (outcome.best.map(Move::name), outcome.proven);
    if let (Some(line), Some(info)) = (lines.first_mut(), outcome.lines.first()) {
        *line = of_line(info, bounds, asked);
        (line.0, line.6) = (best, outcome.nodes);
        return lines;
    }
    // The game is over, or the search was stopped before its first iteration.
    let score = bounds
        .score()
        .map_or_else(|| Evaluator::embedded().estimate(board).to_f64(), f64::from);
    vec![(
        best,
        score,
        bounds.lower(),
        bounds.upper(),
        proven(asked, bounds),
        best.into_iter().collect(),
        outcome.nodes,
        0,
    )]
}

/// The fields of `Verdict`: number, position, move, before, after, loss, exact, gift, best, pv.
type Judgement = (
    usize,
    PyPosition,
    &'static str,
    f64,
    f64,
    f64,
    bool,
    Option<&'static str>,
    &'static str,
    Vec<&'static str>,
);

fn judgement(verdict: &Verdict) -> Judgement {
    let discs = |worth: Worth| worth.score.to_f64();
    (
        verdict.number,
        PyPosition(verdict.position),
        verdict.played.name(),
        discs(verdict.before),
        discs(verdict.after),
        verdict.loss(),
        verdict.is_exact(),
        verdict.gift().map(Gift::text),
        verdict.best.name(),
        names(&verdict.line),
    )
}
