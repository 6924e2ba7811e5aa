//! Batches: arrays of boards in, arrays of answers out. The Python file has the documentation.

use std::ops::Range;

use emilia::eval::Evaluator;
use emilia::rules::{Board, Move, Square};
use emilia::score::Bounds;
use emilia::search::{Control, Goal, Limits, Outcome, SearchOptions, Searcher};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::emilia_error;
use crate::parallel::{Sharing, Watch, Work, share};
use crate::question;

/// Stands for a pass among squares.
const PASS: u8 = 64;

/// Stands for no move among squares.
const NO_MOVE: u8 = 255;

/// Rows of boards.
struct Boards<'a> {
    player: &'a [u64],
    opponent: &'a [u64],
}

type Bits<'py> = PyReadonlyArray1<'py, u64>;

impl Boards<'_> {
    fn of<'a>(player: &'a Bits<'_>, opponent: &'a Bits<'_>) -> PyResult<Boards<'a>> {
        let (player, opponent) = (player.as_slice()?, opponent.as_slice()?);
        if player.len() != opponent.len() {
            let (one, other) = (player.len(), opponent.len());
            return Err(emilia_error(format!(
                "player has {one} rows and opponent {other}"
            )));
        }
        Ok(Boards { player, opponent })
    }

    fn len(&self) -> usize {
        self.player.len()
    }

    /// The board of a row; `None` where a square has two discs.
    fn get(&self, row: usize) -> Option<Board> {
        Board::new(self.player[row], self.opponent[row])
    }

    fn rows(&self, rows: Range<usize>) -> impl Iterator<Item = Option<Board>> {
        rows.map(|row| self.get(row))
    }
}

/// The legal moves of a row as bits; none on an illegal board.
fn moves_of(board: Option<Board>) -> u64 {
    board.map_or(0, |board| board.legal_moves().0)
}

#[pyfunction]
fn legal_moves<'py>(
    py: Python<'py>,
    player: Bits<'py>,
    opponent: Bits<'py>,
) -> PyResult<Bound<'py, PyArray1<u64>>> {
    let boards = Boards::of(&player, &opponent)?;
    let moves: Vec<u64> = py.detach(|| boards.rows(0..boards.len()).map(moves_of).collect());
    Ok(moves.into_pyarray(py))
}

/// Two arrays of bits.
type Pair<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

#[pyfunction]
fn play<'py>(
    py: Python<'py>,
    player: Bits<'py>,
    opponent: Bits<'py>,
    square: PyReadonlyArray1<'py, u8>,
) -> PyResult<Pair<'py>> {
    let boards = Boards::of(&player, &opponent)?;
    let squares = square.as_slice()?;
    if squares.len() != boards.len() {
        let (one, other) = (squares.len(), boards.len());
        return Err(emilia_error(format!(
            "square has {one} rows and player {other}"
        )));
    }
    let rows = || boards.rows(0..boards.len()).zip(squares);
    let (player, opponent): (Vec<u64>, Vec<u64>) = py.detach(|| {
        let played = rows().map(|(board, &square)| board.and_then(|board| after(board, square)));
        played
            .map(|board| board.map_or((0, 0), |board| (board.player, board.opponent)))
            .unzip()
    });
    Ok((player.into_pyarray(py), opponent.into_pyarray(py)))
}

/// The board after a move, if it is legal.
fn after(board: Board, square: u8) -> Option<Board> {
    if square == PASS {
        return board.must_pass().then(|| board.pass());
    }
    let square = Square::new(u32::from(square))?;
    let flips = board.flips(square);
    (!flips.is_empty()).then(|| board.play_flips(square.bit(), flips.0))
}

struct Evaluation<'a> {
    boards: Boards<'a>,
    evaluator: &'a Evaluator,
}

impl Work for Evaluation<'_> {
    type Own = ();
    type Row = f32;

    fn own(&self) -> Result<(), String> {
        Ok(())
    }

    fn rows(&self, (): &mut (), rows: Range<usize>) -> Vec<f32> {
        let score = |board: Option<Board>| match board {
            Some(board) => self.evaluator.estimate(board).to_f64() as f32,
            None => f32::NAN,
        };
        self.boards.rows(rows).map(score).collect()
    }
}

#[pyfunction]
fn evaluate<'py>(
    py: Python<'py>,
    player: Bits<'py>,
    opponent: Bits<'py>,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
    cancel: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray1<f32>>> {
    let boards = Boards::of(&player, &opponent)?;
    let evaluator = Evaluator::embedded();
    py.detach(|| evaluator.unpack());
    let mut scores = vec![f32::NAN; boards.len()];
    let work = Evaluation {
        boards,
        evaluator: &evaluator,
    };
    let sharing = Sharing {
        threads,
        chunk: 1 << 13,
        is_quick: true,
    };
    let watch = Watch::new(progress.as_ref(), cancel.as_ref());
    share(
        py,
        (scores.len(), sharing),
        &work,
        &Control::new(),
        &watch,
        |first, chunk| {
            scores[first..first + chunk.len()].copy_from_slice(&chunk);
        },
    )?;
    Ok(scores.into_pyarray(py))
}

/// The sum of the evaluations by a plain loop: what `evaluate` is measured against.
#[pyfunction]
fn evaluate_plainly<'py>(py: Python<'py>, player: Bits<'py>, opponent: Bits<'py>) -> PyResult<f64> {
    let boards = Boards::of(&player, &opponent)?;
    let evaluator = Evaluator::embedded();
    let rows = 0..boards.len();
    let evaluate = |board| evaluator.evaluate(board).to_f64();
    Ok(py.detach(|| boards.rows(rows).flatten().map(evaluate).sum()))
}

/// The score of each move.
struct MoveScores<'a> {
    boards: Boards<'a>,
    evaluator: std::sync::Arc<Evaluator>,
    /// Plies, the move included.
    depth: u32,
    control: Control,
}

impl Work for MoveScores<'_> {
    type Own = Option<Searcher>;
    type Row = [f32; 64];

    fn own(&self) -> Result<Option<Searcher>, String> {
        if self.depth == 1 {
            return Ok(None);
        }
        let searcher = Searcher::small(self.evaluator.clone());
        searcher.map(Some).map_err(|error| error.to_string())
    }

    fn rows(&self, searcher: &mut Option<Searcher>, rows: Range<usize>) -> Vec<[f32; 64]> {
        let scores = |board: Option<Board>| {
            let mut scores = [f32::NAN; 64];
            let Some(board) = board else { return scores };
            for square in board.legal_moves() {
                let next = board.play(square);
                scores[square.index()] = -match searcher {
                    Some(searcher) => searched(searcher, next, self.depth - 1, &self.control),
                    None => self.evaluator.estimate(next).to_f64(),
                } as f32;
            }
            scores
        };
        self.boards.rows(rows).map(scores).collect()
    }
}

/// The score of a board by a search that earlier rows do not change.
fn searched(searcher: &mut Searcher, board: Board, depth: u32, control: &Control) -> f64 {
    if board.is_over() {
        return f64::from(board.final_score());
    }
    searcher.forget();
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let outcome = searcher.search(board, &limits, control, &mut |_| {});
    outcome
        .lines
        .first()
        .map_or(f64::NAN, |line| line.score.to_f64())
}

#[pyfunction]
fn move_scores<'py>(
    py: Python<'py>,
    player: Bits<'py>,
    opponent: Bits<'py>,
    depth: u32,
    threads: Option<usize>,
    progress: Option<Bound<'py, PyAny>>,
    cancel: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    if depth == 0 {
        return Err(emilia_error("depth must be at least 1"));
    }
    let boards = Boards::of(&player, &opponent)?;
    let rows = boards.len();
    let evaluator = Evaluator::embedded();
    py.detach(|| evaluator.unpack());
    let control = Control::new();
    let work = MoveScores {
        boards,
        evaluator,
        depth,
        control: control.clone(),
    };
    let mut scores = vec![f32::NAN; rows * 64];
    let sharing = Sharing {
        threads,
        chunk: if depth == 1 { 256 } else { 1 },
        is_quick: depth == 1,
    };
    let watch = Watch::new(progress.as_ref(), cancel.as_ref());
    share(
        py,
        (rows, sharing),
        &work,
        &control,
        &watch,
        |first, chunk| {
            let flat = chunk.as_flattened();
            scores[64 * first..64 * first + flat.len()].copy_from_slice(flat);
        },
    )?;
    scores.into_pyarray(py).reshape([rows, 64])
}

/// What a solve says of a row.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Status {
    /// The question is answered.
    Solved = 0,
    /// The nodes were used up before.
    Limit = 1,
    /// It was cancelled before.
    Cancelled = 2,
    /// A square has two discs.
    Illegal = 3,
}

/// A row of a solve: lower and upper bound, best move, nodes.
struct Solved {
    bounds: Bounds,
    best: u8,
    nodes: u64,
    status: Status,
}

impl Solved {
    /// Nothing is known.
    const fn unknown(status: Status) -> Solved {
        Solved {
            bounds: Bounds::UNKNOWN,
            best: NO_MOVE,
            nodes: 0,
            status,
        }
    }

    fn of(outcome: &Outcome, control: &Control) -> Solved {
        let best = match outcome.best {
            Some(Move::Place(square)) => square.index() as u8,
            Some(Move::Pass) => PASS,
            None => NO_MOVE,
        };
        let status = match outcome.complete {
            true => Status::Solved,
            false if control.is_stopped() => Status::Cancelled,
            false => Status::Limit,
        };
        Solved {
            bounds: outcome.proven,
            best,
            nodes: outcome.nodes,
            status,
        }
    }
}

struct Solve<'a> {
    boards: Boards<'a>,
    limits: Limits,
    /// Of each thread.
    hash_mb: usize,
    control: Control,
}

impl Work for Solve<'_> {
    type Own = Searcher;
    type Row = Solved;

    fn own(&self) -> Result<Searcher, String> {
        let options = SearchOptions {
            threads: 1,
            hash_mb: self.hash_mb,
        };
        Searcher::new(Evaluator::embedded(), options).map_err(|error| error.to_string())
    }

    fn rows(&self, searcher: &mut Searcher, rows: Range<usize>) -> Vec<Solved> {
        let solved = |board: Option<Board>| {
            let Some(board) = board else {
                return Solved::unknown(Status::Illegal);
            };
            let outcome = searcher.search(board, &self.limits, &self.control, &mut |_| {});
            Solved::of(&outcome, &self.control)
        };
        self.boards.rows(rows).map(solved).collect()
    }
}

/// Lower bounds, upper bounds, best moves, nodes, statuses.
type SolvedArrays<'py> = (
    Bound<'py, PyArray1<i8>>,
    Bound<'py, PyArray1<i8>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<u64>>,
    Bound<'py, PyArray1<u8>>,
);

#[pyfunction]
#[expect(
    clippy::too_many_arguments,
    reason = "the arguments of the Python function"
)]
fn solve<'py>(
    py: Python<'py>,
    player: Bits<'py>,
    opponent: Bits<'py>,
    question: &str,
    max_nodes: Option<u64>,
    threads: Option<usize>,
    hash_mb: usize,
    progress: Option<Bound<'py, PyAny>>,
    cancel: Option<Bound<'py, PyAny>>,
) -> PyResult<SolvedArrays<'py>> {
    let goal = Goal::Solve(question::parse(py, question)?);
    if hash_mb == 0 || hash_mb > SearchOptions::MAX_HASH_MB {
        return Err(emilia_error("hash_mb must be at least 1"));
    }
    let boards = Boards::of(&player, &opponent)?;
    let rows = boards.len();
    py.detach(|| Evaluator::embedded().unpack());
    let control = Control::new();
    let limits = Limits {
        goal,
        nodes: max_nodes,
        ..Limits::default()
    };
    let work = Solve {
        boards,
        limits,
        hash_mb,
        control: control.clone(),
    };
    let (mut lower, mut upper) = (vec![-64_i8; rows], vec![64_i8; rows]);
    let (mut best, mut nodes) = (vec![NO_MOVE; rows], vec![0_u64; rows]);
    let mut status = vec![Status::Cancelled as u8; rows];
    let sharing = Sharing {
        threads,
        chunk: 8,
        is_quick: false,
    };
    let watch = Watch::new(progress.as_ref(), cancel.as_ref());
    share(
        py,
        (rows, sharing),
        &work,
        &control,
        &watch,
        |first, chunk| {
            for (row, solved) in (first..).zip(chunk) {
                // Bounds are discs, -64 to 64.
                (lower[row], upper[row]) =
                    (solved.bounds.lower() as i8, solved.bounds.upper() as i8);
                (best[row], nodes[row]) = (solved.best, solved.nodes);
                status[row] = solved.status as u8;
            }
        },
    )?;
    Ok((
        lower.into_pyarray(py),
        upper.into_pyarray(py),
        best.into_pyarray(py),
        nodes.into_pyarray(py),
        status.into_pyarray(py),
    ))
}

/// The cells of a row: 1 for the player, -1 for the opponent, 0 for an empty square.
#[pyfunction]
fn to_cells<'py>(
    py: Python<'py>,
    player: Bits<'py>,
    opponent: Bits<'py>,
) -> PyResult<Bound<'py, PyArray2<i8>>> {
    let boards = Boards::of(&player, &opponent)?;
    let rows = boards.len();
    let cells: Vec<i8> = py.detach(|| {
        let rows = boards.player.iter().zip(boards.opponent);
        let row = |(player, opponent): (&u64, &u64)| {
            std::array::from_fn::<i8, 64, _>(|square| {
                let has = |discs: u64| (discs >> square & 1) as i8;
                has(*player) - has(*opponent)
            })
        };
        rows.flat_map(row).collect()
    });
    cells.into_pyarray(py).reshape([rows, 64])
}

/// The bits of rows of 64 cells.
#[pyfunction]
fn from_cells<'py>(py: Python<'py>, cells: PyReadonlyArray1<'py, i8>) -> PyResult<Pair<'py>> {
    let cells = cells.as_slice()?;
    let (rows, _) = cells.as_chunks::<64>();
    if let Some(at) = cells.iter().position(|cell| !(-1..=1).contains(cell)) {
        let (row, square) = (at / 64, at % 64);
        let reason = format!(
            "row {row}, square {square}: {} is not 1, -1 or 0",
            cells[at]
        );
        return Err(emilia_error(reason));
    }
    let bits = |row: &[i8; 64], disc: i8| {
        let square = |(square, &cell): (usize, &i8)| u64::from(cell == disc) << square;
        row.iter().enumerate().map(square).sum::<u64>()
    };
    let pairs = rows.iter().map(|row| (bits(row, 1), bits(row, -1)));
    let (player, opponent): (Vec<u64>, Vec<u64>) = pairs.unzip();
    Ok((player.into_pyarray(py), opponent.into_pyarray(py)))
}

/// Adds the functions to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(legal_moves, module)?)?;
    module.add_function(wrap_pyfunction!(play, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate_plainly, module)?)?;
    module.add_function(wrap_pyfunction!(move_scores, module)?)?;
    module.add_function(wrap_pyfunction!(solve, module)?)?;
    module.add_function(wrap_pyfunction!(to_cells, module)?)?;
    module.add_function(wrap_pyfunction!(from_cells, module)?)
}
