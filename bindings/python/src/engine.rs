//! The core of `Engine`: the library's engine, which the calling thread waits for without holding up other threads of
//! Python, and which a signal, a callback that raises, or another thread ends at once.

use emilia::analysis::{Gift, Verdict, Worth};
use emilia::binding::{
    self, BindingError, BlockingEngine, Caller, FoundLine, GivenLimits, Proven, Query, Report,
};
use emilia::engine::{Level, Strength};
use emilia::human::Rating;
use emilia::rules::{Game, Move};
use emilia::search::{Limits, SearchOptions};
use pyo3::prelude::*;

use crate::errors::{Failure, emilia_error};
use crate::position::{PyPosition, read_game};
use crate::question;

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

/// An engine. The Python class around it has the documentation.
#[pyclass(frozen, module = "emilia_othello._native")]
pub(crate) struct Core(BlockingEngine);

/// What ends or bounds a search: depth, nodes, seconds, and a clock of own seconds, the opponent's and an increment. A
/// tuple, since names of fields would be values that PyO3 makes when they are first needed, which a fork may interrupt.
#[derive(FromPyObject)]
struct Given(
    Option<u32>,
    Option<u64>,
    Option<f64>,
    Option<(f64, f64, f64)>,
);

impl Given {
    fn limits(self) -> Result<Limits, BindingError> {
        let Given(depth, nodes, seconds, clock) = self;
        let given = GivenLimits {
            depth,
            nodes,
            seconds,
            clock,
        };
        given.limits()
    }
}

type Fallible<T> = Result<T, Failure>;

/// A thread of Python that waits, and what it calls with what is found.
struct Waiting<'a, 'py> {
    py: Python<'py>,
    callback: Option<&'a Bound<'py, PyAny>>,
}

impl Caller for Waiting<'_, '_> {
    type Error = Failure;

    fn listens(&self) -> bool {
        self.callback.is_some()
    }

    fn wait<T: Send>(&self, wait: impl FnOnce() -> T + Send) -> T {
        self.py.detach(wait)
    }

    fn hear(&mut self, report: Report) -> Fallible<()> {
        match (report, self.callback) {
            (Report::Line(line), Some(callback)) => {
                callback.call1(of_line(line))?;
            }
            (Report::Judged(judged), Some(callback)) => {
                callback.call1((judged.moves, judged.worth.score.to_f64()))?;
            }
            _ => {}
        }
        Ok(self.py.check_signals()?)
    }
}

#[pymethods]
impl Core {
    #[new]
    fn new(
        py: Python<'_>,
        threads: usize,
        hash_mb: usize,
        chosen: (Option<u32>, Option<u32>),
        seed: u64,
    ) -> Fallible<Core> {
        let options = SearchOptions { threads, hash_mb };
        let (level, rating) = chosen;
        let strength = Strength::chosen(level.unwrap_or(0), rating.unwrap_or(0));
        let strength = strength.map_err(BindingError::Value)?;
        let engine = py.detach(|| BlockingEngine::start(options, strength, seed));
        Ok(Core(engine?))
    }

    fn search(
        &self,
        py: Python<'_>,
        position: PyPosition,
        bounds: Given,
        multipv: usize,
        selectivity: u32,
        on_info: Option<Bound<'_, PyAny>>,
    ) -> Fallible<Vec<Line>> {
        let limits = Limits {
            multipv: binding::at_least_one("multipv", multipv)?,
            selectivity: binding::selectivity(selectivity)?,
            ..bounds.limits()?
        };
        self.lines(py, position, Query::Search(limits), on_info)
    }

    fn solve(
        &self,
        py: Python<'_>,
        position: PyPosition,
        question: &str,
        bounds: Given,
        on_info: Option<Bound<'_, PyAny>>,
    ) -> Fallible<Vec<Line>> {
        let question = question::parse(py, question)?;
        let query = Query::Solve(question, bounds.limits()?);
        self.lines(py, position, query, on_info)
    }

    fn hint(
        &self,
        py: Python<'_>,
        position: PyPosition,
        count: usize,
        depth: Option<u32>,
    ) -> Fallible<Vec<Line>> {
        self.lines(py, position, Query::Hints(count, depth), None)
    }

    fn play(&self, py: Python<'_>, position: PyPosition, bounds: Given) -> Fallible<Vec<Line>> {
        self.lines(py, position, Query::Choose(bounds.limits()?), None)
    }

    fn analyze<'py>(
        &self,
        py: Python<'py>,
        game: Bound<'py, PyAny>,
        effort: (u32, u32, u32, Option<f64>),
        on_verdict: Option<Bound<'_, PyAny>>,
    ) -> Fallible<Vec<Judgement>> {
        let game = game_of(&game)?;
        let (depth, exact, wld, seconds) = effort;
        let effort = binding::effort(depth, exact, wld, seconds)?;
        let callback = on_verdict.as_ref();
        let verdicts = self
            .0
            .analyze(game, effort, &mut Waiting { py, callback })?;
        Ok(verdicts.iter().map(judgement).collect())
    }

    fn forget(&self, py: Python<'_>) -> Fallible<()> {
        self.0.forget(&mut Waiting { py, callback: None })
    }

    fn stop(&self) -> Fallible<()> {
        Ok(self.0.stop()?)
    }

    fn close(&self, py: Python<'_>) -> Fallible<()> {
        Ok(py.detach(|| self.0.close())?)
    }
}

/// Levels there are.
pub(crate) const LEVELS: u8 = Level::COUNT;

/// The highest rating.
pub(crate) const MOST_RATING: u16 = Rating::MAX_ELO;

impl Core {
    /// The lines that a search ends with, the best first.
    fn lines(
        &self,
        py: Python<'_>,
        position: PyPosition,
        query: Query,
        on_info: Option<Bound<'_, PyAny>>,
    ) -> Fallible<Vec<Line>> {
        let callback = on_info.as_ref();
        let mut waiting = Waiting { py, callback };
        let lines = self.0.search(position.0.board, query, &mut waiting)?;
        Ok(lines.into_iter().map(of_line).collect())
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

fn names(moves: &[Move]) -> Vec<&'static str> {
    moves.iter().map(|mv| mv.name()).collect()
}

fn of_line(line: FoundLine) -> Line {
    let proven = match line.proven {
        Proven::Nothing => "none",
        Proven::Claim => "proven",
        Proven::Refuted => "refuted",
        Proven::Wld => "wld",
        Proven::Exact => "exact",
    };
    (
        line.best.map(Move::name),
        line.score,
        line.bounds.lower(),
        line.bounds.upper(),
        proven,
        names(&line.pv),
        line.nodes,
        line.depth,
    )
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
