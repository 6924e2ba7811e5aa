//! Engines: search, solve, play, hints, analysis.

use std::ffi::{c_char, c_void};
use std::process;
use std::ptr;
use std::sync::{Mutex, PoisonError, TryLockError};
use std::time::Duration;

use emilia::analysis::{Gift, Verdict};
use emilia::engine::{Engine, Event, Level, Patience, Player, Request, SearchJob, Strength};
use emilia::eval::Evaluator;
use emilia::human::Rating;
use emilia::locks::lock;
use emilia::rules::Board;
use emilia::score::Question;
use emilia::search::{Control, Effort, Goal, Info, Limits, SearchOptions, Selectivity, TimeLimit};

use crate::error::{
    EMILIA_ERROR_BUSY, EMILIA_ERROR_FAULT, EMILIA_ERROR_FORKED, EMILIA_ERROR_RESOURCES,
    EMILIA_ERROR_STOPPED, EmiliaError, Failure, guard, required, text, write,
};
use crate::position::{EmiliaPosition, number_of, position_at, read_game};
use crate::question;
use crate::result::EmiliaResult;

/// What an engine is made with.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaOptions {
    /// What the choices of a level or rating are drawn from.
    pub seed: u64,
    /// Threads that search one position, 1 to 256. With one, the same calls on new engines give the same results.
    pub threads: u32,
    /// Megabytes of the table of searched positions.
    pub hash_mb: u32,
    /// The strength of `emilia_choose`, 1 (a beginner) to 22; 0: as strong as the limits allow, or by `rating`.
    pub level: u32,
    /// The same by rating, 1 to 3000: people of that strength play so; 0: by `level`. Only one of the two may be chosen.
    pub rating: u32,
}

/// Called with each line of each depth while a search runs; what is not 0 ends the search. The result lives until it returns.
pub type EmiliaReport =
    Option<unsafe extern "C" fn(result: *const EmiliaResult, user: *mut c_void) -> i32>;

/// What ends or bounds a search; the first limit that is reached ends it. 0 and NULL stand for none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaLimits {
    /// Positions after which it stops.
    pub nodes: u64,
    /// Time for this move, in seconds.
    pub seconds: f64,
    /// A game clock: own time left, in seconds. It excludes `seconds`. The clock has run out where this is 0 and one of the other two is not.
    pub clock_own: f64,
    /// The opponent's time left, in seconds.
    pub clock_opponent: f64,
    /// What each move adds to the own time, in seconds.
    pub clock_increment: f64,
    /// Plies.
    pub depth: u32,
    /// How much is pruned: 73 (most, as 0), 87, 95, 98, 99 or 100 (nothing).
    pub selectivity: u32,
    /// Hears of each line.
    pub report: EmiliaReport,
    /// Given to `report`.
    pub user: *mut c_void,
}

/// How hard an analysis looks.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaEffort {
    /// Time for the whole game, in seconds; 0: no limit.
    pub seconds: f64,
    /// Plies of the searches before scores are exact.
    pub depth: u32,
    /// Most empty squares of a position that is solved.
    pub exact: u32,
    /// Most empty squares of a position of which is found out who wins.
    pub wld: u32,
}

/// Nothing is given away for certain.
pub const EMILIA_GIFT_NONE: u8 = 0;
/// A won game is drawn.
pub const EMILIA_GIFT_WIN_FOR_DRAW: u8 = 1;
/// A drawn game is lost.
pub const EMILIA_GIFT_DRAW: u8 = 2;
/// A won game is lost.
pub const EMILIA_GIFT_WIN: u8 = 3;

/// What there is to say about one move of a game. Scores are discs for the side that moved.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaVerdict {
    /// Before the move.
    pub position: EmiliaPosition,
    /// The score with best play.
    pub before: f64,
    /// The score after the move that was played.
    pub after: f64,
    /// What the move lost, at least 0.
    pub loss: f64,
    /// The number of the move, passes not counted; the first is 1.
    pub number: u32,
    /// The move that was played.
    pub played: u8,
    /// A best move: the played one, unless another is better.
    pub best: u8,
    /// Are both scores proven?
    pub exact: bool,
    /// What the move gave away for certain: one of `EMILIA_GIFT_..`.
    pub gift: u8,
}

/// A searcher with threads and memory of its own. It does one thing at a time: make one for each thread.
pub struct EmiliaEngine {
    /// The process that made it: its threads are only there.
    process: u32,
    state: Mutex<Session>,
    running: Mutex<Option<Control>>,
}

struct Session {
    engine: Engine,
    player: Player,
}

/// One thread, 64 megabytes, no level.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_options_default() -> EmiliaOptions {
    EmiliaOptions {
        seed: 0,
        threads: 1,
        hash_mb: 64,
        level: 0,
        rating: 0,
    }
}

/// No limits: a search is as deep as takes a moment, a solve ends with its answer.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_limits_none() -> EmiliaLimits {
    EmiliaLimits {
        nodes: 0,
        seconds: 0.0,
        clock_own: 0.0,
        clock_opponent: 0.0,
        clock_increment: 0.0,
        depth: 0,
        selectivity: 0,
        report: None,
        user: ptr::null_mut(),
    }
}

/// 14 plies; exact from 24 empty squares on, who wins from 26.
#[unsafe(no_mangle)]
pub extern "C" fn emilia_effort_default() -> EmiliaEffort {
    let Effort {
        depth, exact, wld, ..
    } = Effort::default();
    EmiliaEffort {
        seconds: 0.0,
        depth,
        exact,
        wld,
    }
}

/// Makes an engine, which `emilia_engine_free` frees. `options` may be NULL.
///
/// # Safety
/// `options` is NULL or options; `engine` and `error` may be written; `error` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_engine_new(
    options: *const EmiliaOptions,
    engine: *mut *mut EmiliaEngine,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let options = options
                .as_ref()
                .copied()
                .unwrap_or_else(|| emilia_options_default());
            if engine.is_null() {
                return Err(Failure::argument("engine is NULL"));
            }
            engine.write(ptr::null_mut());
            let made = EmiliaEngine::new(&options)?;
            engine.write(Box::into_raw(Box::new(made)));
            Ok(())
        })
    }
}

/// Frees an engine, which must do nothing else: stop it, and wait for the call that it stops. NULL is nothing.
///
/// # Safety
/// `engine` is NULL or from `emilia_engine_new`, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_engine_free(engine: *mut EmiliaEngine) {
    if !engine.is_null() {
        // SAFETY: the caller keeps what is said above.
        let engine = unsafe { Box::from_raw(engine) };
        let free = std::panic::AssertUnwindSafe(|| {
            if engine.process == process::id() {
                drop(engine);
            } else {
                // The thread that would be joined is in another process.
                let state = engine
                    .state
                    .into_inner()
                    .unwrap_or_else(PoisonError::into_inner);
                state.engine.abandon();
            }
        });
        let _ = std::panic::catch_unwind(free);
    }
}

/// Ends what the engine does, soon: a search still has its best result. Any thread may call it, and a callback. Does nothing where it is idle.
///
/// # Safety
/// `engine` is NULL or an engine.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_engine_stop(engine: *const EmiliaEngine) {
    // SAFETY: the caller keeps what is said above.
    if let Some(engine) = unsafe { engine.as_ref() }
        && let Some(control) = &*lock(&engine.running)
    {
        control.stop();
    }
}

/// Forgets earlier searches: the next one is as if it were the first.
///
/// # Safety
/// `engine` is an engine; `error` is NULL or may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_engine_forget(
    engine: *const EmiliaEngine,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let engine = required(engine, "engine")?;
            engine.ask(|_, _| Request::NewGame, &mut |_| true).map(drop)
        })
    }
}

/// The estimated score of a position without a search, in discs for the side to move; that of a finished game is exact. 0 for what is no position.
///
/// # Safety
/// `position` is NULL or a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_evaluate(position: *const EmiliaPosition) -> f64 {
    // SAFETY: the caller keeps what is said above.
    let position = unsafe { position_at(position) };
    position.map_or(0.0, |position| {
        Evaluator::embedded().estimate(position.board).to_f64()
    })
}

/// The best moves of a position and their scores: as many as `capacity` says, at least 1, or fewer where there are fewer. `count` becomes their number;
/// it may be NULL. Where the game is over, there is one result without a move. `limits` may be NULL.
///
/// # Safety
/// `engine` is an engine, `position` a position, `limits` NULL or limits; `capacity` results at `results`, `count` and `error` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_search(
    engine: *const EmiliaEngine,
    position: *const EmiliaPosition,
    limits: *const EmiliaLimits,
    results: *mut EmiliaResult,
    capacity: usize,
    count: *mut usize,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let engine = required(engine, "engine")?;
            let (board, given) = (position_at(position)?.board, limits_at(limits));
            let own = Limits {
                multipv: lines(capacity)?,
                ..limits_of(&given)?
            };
            let make = |player: &mut Player| {
                if own.depth.is_some() || own.nodes.is_some() || own.time != TimeLimit::Unlimited {
                    return SearchJob::new(board, own, Patience::Bounded);
                }
                let depth = player.hints(board, 1).limits.depth;
                SearchJob::new(board, Limits { depth, ..own }, Patience::Bounded)
            };
            let found = engine.search(board, None, make, &given)?;
            write_all(&found, results, capacity, count)
        })
    }
}

/// The move of a player of the engine's level; without a level, that of `emilia_search`. A level varies its moves: the same seed gives the same game.
///
/// # Safety
/// As for `emilia_search`; `result` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_choose(
    engine: *const EmiliaEngine,
    position: *const EmiliaPosition,
    limits: *const EmiliaLimits,
    result: *mut EmiliaResult,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let engine = required(engine, "engine")?;
            let (board, given) = (position_at(position)?.board, limits_at(limits));
            let own = limits_of(&given)?;
            let make = |player: &mut Player| player.choose_within(board, own, Patience::Bounded);
            let found = engine.search(board, None, make, &given)?;
            write_all(&found, result, 1, ptr::null_mut())
        })
    }
}

/// As `emilia_search`, as deep as takes a moment and with the end of the game solved, or of `depth` plies where that is not 0.
///
/// # Safety
/// As for `emilia_search`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_hints(
    engine: *const EmiliaEngine,
    position: *const EmiliaPosition,
    depth: u32,
    results: *mut EmiliaResult,
    capacity: usize,
    count: *mut usize,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let engine = required(engine, "engine")?;
            let board = position_at(position)?.board;
            let wanted = lines(capacity)?;
            let make = |player: &mut Player| {
                let mut job = player.hints(board, wanted);
                job.limits.depth = (depth > 0).then_some(depth).or(job.limits.depth);
                job
            };
            let found = engine.search(board, None, make, &emilia_limits_none())?;
            write_all(&found, results, capacity, count)
        })
    }
}

/// The final score with best play, or what is asked about it: `exact`, `wld` (who wins), or a claim such as `>=2`, `<=-4` or `=0`. Of the limits, `nodes`, `seconds`
/// and `report` count; `proven` says whether the question was answered. A solve does not depend on earlier calls.
///
/// # Safety
/// As for `emilia_search`; `question` is a text ended by 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_solve(
    engine: *const EmiliaEngine,
    position: *const EmiliaPosition,
    question: *const c_char,
    limits: *const EmiliaLimits,
    result: *mut EmiliaResult,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let engine = required(engine, "engine")?;
            let (board, given) = (position_at(position)?.board, limits_at(limits));
            let asked = question::parse(text(question)?)?;
            let own = limits_of(&given)?;
            let own = Limits {
                goal: Goal::Solve(asked),
                nodes: own.nodes,
                time: own.time,
                ..Limits::default()
            };
            let make = |_: &mut Player| SearchJob::new(board, own, Patience::Bounded);
            let found = engine.search(board, Some(asked), make, &given)?;
            write_all(&found, result, 1, ptr::null_mut())
        })
    }
}

/// What each move of a game was worth, in playing order, as far as `capacity` goes; passes are left out. `count` becomes the number of moves; it may be
/// NULL. `effort` may be NULL.
///
/// # Safety
/// `engine` is an engine, `transcript` a text ended by 0, `effort` NULL or an effort; `capacity` verdicts at `verdicts`, `count` and `error` may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn emilia_analyze(
    engine: *const EmiliaEngine,
    transcript: *const c_char,
    effort: *const EmiliaEffort,
    verdicts: *mut EmiliaVerdict,
    capacity: usize,
    count: *mut usize,
    error: *mut EmiliaError,
) -> i32 {
    // SAFETY: the caller keeps what is said above.
    unsafe {
        guard(error, || {
            let engine = required(engine, "engine")?;
            let game = Box::new(read_game(text(transcript)?)?);
            let given = effort
                .as_ref()
                .copied()
                .unwrap_or_else(|| emilia_effort_default());
            let effort = given.checked()?;
            let make = |_: &mut Player, control| Request::Analyze {
                game,
                effort,
                control,
            };
            let Event::Analyzed(analyzed) = engine.ask(make, &mut |_| true)? else {
                return Err(Failure::new(
                    EMILIA_ERROR_FAULT,
                    "a fault inside the engine",
                ));
            };
            let stopped = || Failure::new(EMILIA_ERROR_STOPPED, "the analysis was stopped");
            let found: Vec<_> = analyzed
                .ok_or_else(stopped)?
                .iter()
                .map(EmiliaVerdict::of)
                .collect();
            write_all(&found, verdicts, capacity, count)
        })
    }
}

/// Writes as many values as there is room for.
///
/// # Safety
/// `capacity` values at `place` may be written, and `count`, if it is not null.
unsafe fn write_all<T: Copy>(
    values: &[T],
    place: *mut T,
    capacity: usize,
    count: *mut usize,
) -> Result<(), Failure> {
    for (index, &value) in values.iter().take(capacity).enumerate() {
        // SAFETY: the caller says so: the index is less than the capacity.
        unsafe { write(place.wrapping_add(index), value, "the place for results") }?;
    }
    if !count.is_null() {
        // SAFETY: the caller says so.
        unsafe { count.write(values.len()) };
    }
    Ok(())
}

/// The limits at a pointer, or none.
///
/// # Safety
/// `limits` is null or points to limits.
unsafe fn limits_at(limits: *const EmiliaLimits) -> EmiliaLimits {
    // SAFETY: the caller says so.
    unsafe { limits.as_ref() }
        .copied()
        .unwrap_or_else(|| emilia_limits_none())
}

fn lines(capacity: usize) -> Result<usize, Failure> {
    if capacity == 0 {
        return Err(Failure::argument("capacity must be at least 1"));
    }
    Ok(capacity.min(64))
}

fn time(name: &str, seconds: f64) -> Result<Duration, Failure> {
    let time = Duration::try_from_secs_f64(seconds);
    time.map_err(|_| {
        Failure::argument(format!("{name} must be a time of 0 or more, not {seconds}"))
    })
}

fn limits_of(given: &EmiliaLimits) -> Result<Limits, Failure> {
    let seconds = time("seconds", given.seconds)?;
    let own = time("clock_own", given.clock_own)?;
    let opponent = time("clock_opponent", given.clock_opponent)?;
    let increment = time("clock_increment", given.clock_increment)?;
    let has_clock = [own, opponent, increment]
        .iter()
        .any(|time| !time.is_zero());
    let time = match (seconds.is_zero(), has_clock) {
        (true, false) => TimeLimit::Unlimited,
        (false, false) => TimeLimit::Move(seconds),
        (true, true) => TimeLimit::Clock {
            remaining: own,
            increment,
            moves_to_go: None,
        },
        (false, true) => {
            return Err(Failure::argument(
                "seconds and the clock exclude each other",
            ));
        }
    };
    let percent = if given.selectivity == 0 {
        73
    } else {
        given.selectivity
    };
    let selectivity = Selectivity::from_percent(percent).ok_or_else(|| {
        Failure::argument(format!(
            "selectivity must be 73, 87, 95, 98, 99 or 100, not {percent}"
        ))
    })?;
    Ok(Limits {
        depth: (given.depth > 0).then_some(given.depth),
        nodes: (given.nodes > 0).then_some(given.nodes),
        time,
        selectivity,
        ..Limits::default()
    })
}

impl EmiliaEffort {
    fn checked(&self) -> Result<Effort, Failure> {
        let seconds = time("seconds", self.seconds)?;
        if self.depth == 0 {
            return Err(Failure::argument("depth must be at least 1"));
        }
        Ok(Effort {
            depth: self.depth,
            exact: self.exact,
            wld: self.wld.max(self.exact),
            time: (!seconds.is_zero()).then_some(seconds),
        })
    }
}

impl EmiliaVerdict {
    fn of(verdict: &Verdict) -> EmiliaVerdict {
        EmiliaVerdict {
            position: EmiliaPosition::of(verdict.position),
            before: verdict.before.score.to_f64(),
            after: verdict.after.score.to_f64(),
            loss: verdict.loss(),
            number: u32::try_from(verdict.number).unwrap_or(u32::MAX),
            played: number_of(Some(verdict.played)),
            best: number_of(Some(verdict.best)),
            exact: verdict.is_exact(),
            gift: match verdict.gift() {
                None => EMILIA_GIFT_NONE,
                Some(Gift::WinForDraw) => EMILIA_GIFT_WIN_FOR_DRAW,
                Some(Gift::Draw) => EMILIA_GIFT_DRAW,
                Some(Gift::Win) => EMILIA_GIFT_WIN,
            },
        }
    }
}

/// By level or by rating.
fn strength(options: &EmiliaOptions) -> Result<Strength, Failure> {
    let refused = |most: u32, name: &str| {
        let text = format!("{name} must be from 0 to {most}");
        Failure::argument(text)
    };
    match (options.level, options.rating) {
        (0, 0) => Ok(Strength::Unchosen),
        (0, rating) => {
            let most = Rating::MAX_ELO;
            let rating = u16::try_from(rating).ok().filter(|&rating| rating <= most);
            let strength = rating.map(|elo| Strength::Rating(Rating::new(elo.into())));
            strength.ok_or_else(|| refused(most.into(), "rating"))
        }
        (level, 0) => {
            let level = u8::try_from(level).ok().and_then(Level::new);
            let strength = level.map(Strength::Level);
            strength.ok_or_else(|| refused(Level::COUNT.into(), "level"))
        }
        _ => Err(Failure::argument("level and rating exclude each other")),
    }
}

impl EmiliaEngine {
    fn new(options: &EmiliaOptions) -> Result<EmiliaEngine, Failure> {
        let search = SearchOptions {
            threads: options.threads as usize,
            hash_mb: options.hash_mb as usize,
        };
        if !(1..=SearchOptions::MAX_THREADS).contains(&search.threads) {
            return Err(Failure::argument("threads must be from 1 to 256"));
        }
        if !(1..=SearchOptions::MAX_HASH_MB).contains(&search.hash_mb) {
            return Err(Failure::argument("hash_mb must be at least 1"));
        }
        let strength = strength(options)?;
        let missing = |text: String| Failure::new(EMILIA_ERROR_RESOURCES, text);
        search.check().map_err(|error| missing(error.to_string()))?;
        let engine = Engine::start(search).map_err(|error| missing(error.to_string()))?;
        match engine.events().recv() {
            Ok(Event::Set(Ok(notes))) if notes.is_empty() => {}
            Ok(Event::Set(Ok(notes))) => return Err(missing(notes.join("; "))),
            Ok(Event::Set(Err(error))) => return Err(missing(error)),
            _ => return Err(missing("the search thread does not start".to_owned())),
        }
        let player = Player::new(strength, options.seed);
        Ok(EmiliaEngine {
            process: process::id(),
            state: Mutex::new(Session { engine, player }),
            running: Mutex::new(None),
        })
    }

    /// Sends a request and waits for its last event. `goes_on` hears of the others, and says whether the work goes on.
    fn ask(
        &self,
        make: impl FnOnce(&mut Player, Control) -> Request,
        goes_on: &mut dyn FnMut(&Event) -> bool,
    ) -> Result<Event, Failure> {
        if self.process != process::id() {
            let reason = "the engine was inherited by a fork, and its threads were not";
            return Err(Failure::new(EMILIA_ERROR_FORKED, reason));
        }
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(Failure::new(
                    EMILIA_ERROR_BUSY,
                    "the engine does something else",
                ));
            }
        };
        let state = &mut *state;
        let control = Control::new();
        *lock(&self.running) = Some(control.clone());
        state.engine.send(make(&mut state.player, control.clone()));
        let answer = loop {
            match state.engine.events().recv() {
                Ok(event) if event.is_final() => break Some(event),
                Ok(event) if !control.is_stopped() && !goes_on(&event) => control.stop(),
                Ok(_) => {}
                Err(_) => break None,
            }
        };
        *lock(&self.running) = None;
        let fault = |text: String| Failure::new(EMILIA_ERROR_FAULT, text);
        match answer {
            Some(Event::Fault(reason)) => Err(fault(reason)),
            Some(event) => Ok(event),
            None => Err(fault("the search thread is gone".to_owned())),
        }
    }

    fn search(
        &self,
        board: Board,
        asked: Option<Question>,
        make: impl FnOnce(&mut Player) -> SearchJob,
        given: &EmiliaLimits,
    ) -> Result<Vec<EmiliaResult>, Failure> {
        let mut goes_on = |event: &Event| match event {
            Event::Info(info) => tell(given, info, asked),
            _ => true,
        };
        let request =
            |player: &mut Player, control| Request::Search(make(player).controlled_by(control));
        match self.ask(request, &mut goes_on)? {
            Event::Done(outcome) => Ok(EmiliaResult::of_outcome(board, &outcome, asked)),
            _ => Err(Failure::new(
                EMILIA_ERROR_FAULT,
                "a fault inside the engine",
            )),
        }
    }
}

/// Tells the caller of a line. Does the search go on?
fn tell(given: &EmiliaLimits, info: &Info, asked: Option<Question>) -> bool {
    let Some(report) = given.report else {
        return true;
    };
    let result = EmiliaResult::of_info(info, asked);
    // SAFETY: the caller gave the function to be called with a result and this pointer of its own.
    unsafe { report(&raw const result, given.user) == 0 }
}
