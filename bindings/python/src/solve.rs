//! `batch.solve`: `solve_all` of the library, from arrays and to arrays. The Python file has the documentation.

use std::num::NonZeroUsize;
use std::task::Poll;
use std::time::Instant;

use emilia::batch::{Problem, Solution, Solutions, SolveOptions, solve_all};
use emilia::binding::TICK;
use emilia::rules::{Color, Move, Position};
use emilia::score::Question;
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::batch::{Bits, Boards, PASS};
use crate::errors::emilia_error;
use crate::parallel::Watch;
use crate::question;

/// Stands for no move among squares.
const NO_MOVE: u8 = 255;

/// What becomes of a row of a solve, as in the Python file.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Status {
    Solved = 0,
    /// The nodes were used up before.
    Limit = 1,
    Cancelled = 2,
    /// A square has two discs.
    Illegal = 3,
}

/// The answers of a solve, a row each.
struct Answers {
    lower: Vec<i8>,
    upper: Vec<i8>,
    best: Vec<u8>,
    nodes: Vec<u64>,
    status: Vec<u8>,
}

/// Lower bounds, upper bounds, best moves, nodes, statuses.
pub(crate) type AnswerArrays<'py> = (
    Bound<'py, PyArray1<i8>>,
    Bound<'py, PyArray1<i8>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u8>>,
);

impl Answers {
    /// Nothing is known of any row.
    fn unknown(rows: usize) -> Answers {
        Answers {
            lower: vec![-64; rows],
            upper: vec![64; rows],
            best: vec![NO_MOVE; rows],
            nodes: vec![0; rows],
            status: vec![Status::Cancelled as u8; rows],
        }
    }

    /// Takes the solution of a row.
    ///
    /// # Errors
    /// The reason, where a fault in the solver is in its place.
    fn set(&mut self, row: usize, solution: &Solution) -> Result<(), String> {
        let status = match &solution.status {
            emilia::batch::Status::Solved => Status::Solved,
            emilia::batch::Status::Cancelled => Status::Cancelled,
            emilia::batch::Status::Failed(reason) => return Err(format!("row {row}: {reason}")),
            _ => Status::Limit,
        };
        // Bounds are discs, -64 to 64.
        self.lower[row] = solution.bounds.lower() as i8;
        self.upper[row] = solution.bounds.upper() as i8;
        self.best[row] = match solution.best() {
            Some(Move::Place(square)) => square.index() as u8,
            Some(Move::Pass) => PASS,
            None => NO_MOVE,
        };
        (self.nodes[row], self.status[row]) = (solution.nodes, status as u8);
        Ok(())
    }

    fn into_arrays(self, py: Python<'_>) -> AnswerArrays<'_> {
        (
            self.lower.into_pyarray(py),
            self.upper.into_pyarray(py),
            self.best.into_pyarray(py),
            self.nodes.into_pyarray(py),
            self.status.into_pyarray(py),
        )
    }
}

/// Solves boards: see `batch.solve` of the package.
#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "the arguments of the Python function"
)]
pub(crate) fn solve<'py>(
    py: Python<'py>,
    player: Bits<'py>,
    opponent: Bits<'py>,
    question: &str,
    max_nodes: Option<u64>,
    threads: Option<NonZeroUsize>,
    hash_mb: usize,
    progress: Option<Bound<'py, PyAny>>,
    cancel: Option<Bound<'py, PyAny>>,
) -> PyResult<AnswerArrays<'py>> {
    let question = question::parse(py, question)?;
    let options = SolveOptions {
        threads,
        hash_mb,
        nodes: max_nodes,
        deterministic: true,
        ordered: false,
        ..SolveOptions::default()
    };
    let boards = Boards::of(&player, &opponent)?;
    let rows = boards.len();
    let mut answers = Answers::unknown(rows);
    let mut watch = Watch::new((py, rows), progress.as_ref(), cancel.as_ref());
    solve_rows(&boards, question, &options, &mut watch, &mut answers)?;
    Ok(answers.into_arrays(py))
}

/// Solves the rows that are boards, and says which are not.
fn solve_rows(
    boards: &Boards<'_>,
    question: Question,
    options: &SolveOptions,
    watch: &mut Watch<'_, '_>,
    answers: &mut Answers,
) -> PyResult<()> {
    let rows = 0..boards.len();
    let (legal, illegal): (Vec<usize>, Vec<usize>) =
        rows.partition(|&row| boards.get(row).is_some());
    for &row in &illegal {
        answers.status[row] = Status::Illegal as u8;
    }
    let side = Color::Black;
    let asked = legal.iter().filter_map(|&row| {
        let board = boards.get(row)?;
        Some(Problem::new(Position { board, side }, question).numbered(row as u64))
    });
    let py = watch.py;
    let solutions = py.detach(|| solve_all(asked, options));
    let mut solutions = solutions.map_err(|error| emilia_error(error.to_string()))?;
    let take =
        |problem: &Problem, solution: &Solution| answers.set(problem.place.line as usize, solution);
    let solved = take_all(&mut solutions, illegal.len(), watch, take);
    // Its threads end here.
    py.detach(|| drop(solutions));
    solved
}

/// Takes all solutions, those that are cancelled as well, while it watches. `done` rows have an answer before.
fn take_all<I: Iterator<Item = Problem> + Send>(
    solutions: &mut Solutions<I>,
    mut done: usize,
    watch: &mut Watch<'_, '_>,
    mut take: impl FnMut(&Problem, &Solution) -> Result<(), String> + Send,
) -> PyResult<()> {
    let cancel = solutions.canceller();
    loop {
        if watch.is_ended(done)? {
            cancel.cancel();
        }
        let py = watch.py;
        let taken = py.detach(|| take_for_a_tick(solutions, &mut done, &mut take));
        if !taken.map_err(emilia_error)? {
            return watch.tell(done);
        }
    }
}

/// Takes the solutions that come within a [`TICK`], and counts those that were not cancelled. `false`: there are no more.
fn take_for_a_tick<I: Iterator<Item = Problem>>(
    solutions: &mut Solutions<I>,
    done: &mut usize,
    take: &mut impl FnMut(&Problem, &Solution) -> Result<(), String>,
) -> Result<bool, String> {
    let end = Instant::now() + TICK;
    loop {
        let patience = end.saturating_duration_since(Instant::now());
        match solutions.poll_next(patience) {
            Poll::Ready(Some((problem, solution))) => {
                take(&problem, &solution)?;
                *done += usize::from(solution.status != emilia::batch::Status::Cancelled);
            }
            Poll::Ready(None) => return Ok(false),
            Poll::Pending => return Ok(true),
        }
        if patience.is_zero() {
            return Ok(true);
        }
    }
}
