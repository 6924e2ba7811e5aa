//! Engines: search, solve, play, hints, analysis.

use std::ffi::{c_char, c_void};
use std::ptr;

use emilia::analysis::{Gift, Verdict};
use emilia::binding::{self, BlockingEngine, Caller, GivenLimits, Query, Report};
use emilia::engine::Strength;
use emilia::eval::Evaluator;
use emilia::rules::Board;
use emilia::search::{Effort, Limits, SearchOptions};

use crate::error::{EmiliaError, Failure, guard, required, text, write};
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
pub struct EmiliaEngine(BlockingEngine);

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
        let free = std::panic::AssertUnwindSafe(|| drop(engine));
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
    if let Some(engine) = unsafe { engine.as_ref() } {
        // An engine of another process does nothing.
        let _ = engine.0.stop();
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
            engine.0.forget(&mut Waiting {
                engine,
                limits: emilia_limits_none(),
            })
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
            let found = engine.search(board, Query::Search(own), given)?;
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
            let query = Query::Choose(limits_of(&given)?);
            let found = engine.search(board, query, given)?;
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
            let query = Query::Hints(lines(capacity)?, (depth > 0).then_some(depth));
            let found = engine.search(board, query, emilia_limits_none())?;
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
            let query = Query::Solve(asked, limits_of(&given)?);
            let found = engine.search(board, query, given)?;
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
            let game = read_game(text(transcript)?)?;
            let given = effort
                .as_ref()
                .copied()
                .unwrap_or_else(|| emilia_effort_default());
            let effort = given.checked()?;
            let mut waiting = Waiting {
                engine,
                limits: emilia_limits_none(),
            };
            let verdicts_found = engine.0.analyze(game, effort, &mut waiting)?;
            let found: Vec<_> = verdicts_found.iter().map(EmiliaVerdict::of).collect();
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

/// 0 is no limit.
fn given<N: PartialEq + Default>(number: N) -> Option<N> {
    (number != N::default()).then_some(number)
}

fn limits_of(limits: &EmiliaLimits) -> Result<Limits, Failure> {
    let times = [
        limits.clock_own,
        limits.clock_opponent,
        limits.clock_increment,
    ];
    let has_clock = times.iter().any(|&time| time != 0.0);
    let bounds = GivenLimits {
        depth: given(limits.depth),
        nodes: given(limits.nodes),
        seconds: given(limits.seconds),
        clock: has_clock.then_some((times[0], times[1], times[2])),
    };
    Ok(Limits {
        selectivity: binding::selectivity(given(limits.selectivity).unwrap_or(73))?,
        ..bounds.limits()?
    })
}

impl EmiliaEffort {
    fn checked(&self) -> Result<Effort, Failure> {
        let effort = binding::effort(self.depth, self.exact, self.wld, given(self.seconds))?;
        Ok(effort)
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

impl EmiliaEngine {
    fn new(options: &EmiliaOptions) -> Result<EmiliaEngine, Failure> {
        let search = SearchOptions {
            threads: options.threads as usize,
            hash_mb: options.hash_mb as usize,
        };
        let strength = Strength::chosen(options.level, options.rating);
        let strength = strength.map_err(Failure::argument)?;
        let engine = BlockingEngine::start(search, strength, options.seed)?;
        Ok(EmiliaEngine(engine))
    }

    fn search(
        &self,
        board: Board,
        query: Query,
        limits: EmiliaLimits,
    ) -> Result<Vec<EmiliaResult>, Failure> {
        let mut waiting = Waiting {
            engine: self,
            limits,
        };
        let lines = self.0.search(board, query, &mut waiting)?;
        Ok(lines.iter().map(EmiliaResult::of).collect())
    }
}

/// A thread of C that waits, and what it calls with each line.
struct Waiting<'a> {
    engine: &'a EmiliaEngine,
    limits: EmiliaLimits,
}

impl Caller for Waiting<'_> {
    type Error = Failure;

    fn listens(&self) -> bool {
        self.limits.report.is_some()
    }

    fn hear(&mut self, report: Report) -> Result<(), Failure> {
        let (Report::Line(line), Some(tell)) = (report, self.limits.report) else {
            return Ok(());
        };
        let result = EmiliaResult::of(&line);
        // SAFETY: the caller gave the function to be called with a result and this pointer of its own.
        if unsafe { tell(&raw const result, self.limits.user) } != 0 {
            self.engine.0.stop()?;
        }
        Ok(())
    }
}
