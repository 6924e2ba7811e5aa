//! Batches: arrays of boards in, arrays of answers out. The Python file has the documentation.

use std::ops::Range;

use emilia::eval::Evaluator;
use emilia::rules::{Board, Square};
use emilia::search::{Control, Limits, Searcher};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::errors::emilia_error;
use crate::parallel::{Sharing, Watch, Work, share};
use crate::solve;

/// Stands for a pass among squares.
pub(crate) const PASS: u8 = 64;

/// Rows of boards.
pub(crate) struct Boards<'a> {
    player: &'a [u64],
    opponent: &'a [u64],
}

pub(crate) type Bits<'py> = PyReadonlyArray1<'py, u64>;

impl Boards<'_> {
    pub(crate) fn of<'a>(player: &'a Bits<'_>, opponent: &'a Bits<'_>) -> PyResult<Boards<'a>> {
        let (player, opponent) = (player.as_slice()?, opponent.as_slice()?);
        if player.len() != opponent.len() {
            let (one, other) = (player.len(), opponent.len());
            return Err(emilia_error(format!(
                "player has {one} rows and opponent {other}"
            )));
        }
        Ok(Boards { player, opponent })
    }

    pub(crate) const fn len(&self) -> usize {
        self.player.len()
    }

    /// The board of a row; `None` where a square has two discs.
    pub(crate) fn get(&self, row: usize) -> Option<Board> {
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
    let mut watch = Watch::new((py, scores.len()), progress.as_ref(), cancel.as_ref());
    let take = |first: usize, chunk: Vec<f32>| {
        scores[first..first + chunk.len()].copy_from_slice(&chunk);
    };
    share(sharing, &work, &Control::new(), &mut watch, take)?;
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
    let mut watch = Watch::new((py, rows), progress.as_ref(), cancel.as_ref());
    let take = |first: usize, chunk: Vec<[f32; 64]>| {
        let flat = chunk.as_flattened();
        scores[64 * first..64 * first + flat.len()].copy_from_slice(flat);
    };
    share(sharing, &work, &control, &mut watch, take)?;
    scores.into_pyarray(py).reshape([rows, 64])
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
    module.add_function(wrap_pyfunction!(solve::solve, module)?)?;
    module.add_function(wrap_pyfunction!(to_cells, module)?)?;
    module.add_function(wrap_pyfunction!(from_cells, module)?)
}
