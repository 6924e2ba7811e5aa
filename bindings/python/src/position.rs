//! Positions: immutable values.

use emilia::binding::TextError;
use emilia::formats::obf::Problem;
use emilia::formats::transcript::Transcript;
use emilia::rules::{Board, Color, Game, Move, Position, Symmetry};
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::errors::{emilia_error, parse_error};

/// A board and whose turn it is. Immutable; equal positions have equal hashes.
///
/// `Position()` is the start of every game; `Position(text)` reads 64 cells from a1 to h8 (`X` or `*` is black, `O` is
/// white, `-` or `.` is empty) and the side to move. Text that cannot be read raises `ParseError`.
#[pyclass(
    frozen,
    eq,
    hash,
    name = "Position",
    module = "emilia_othello",
    from_py_object
)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyPosition(pub(crate) Position);

#[pymethods]
impl PyPosition {
    #[new]
    #[pyo3(signature = (text=None, /))]
    fn new(py: Python<'_>, text: Option<&str>) -> PyResult<PyPosition> {
        let Some(text) = text else {
            return Ok(PyPosition(Position::START));
        };
        let position = text
            .parse()
            .map_err(|error: emilia::rules::ParsePositionError| {
                parse_error(py, text, &TextError::new(error.column(), error.to_string()))
            })?;
        Ok(PyPosition(position))
    }

    /// The position after the moves of a transcript, `f5d6c3` or `f5 D6 pass c3`. Passes may be left out. No moves give the
    /// start position. Raises `ParseError`.
    #[staticmethod]
    #[pyo3(signature = (text, /))]
    fn from_transcript(py: Python<'_>, text: &str) -> PyResult<PyPosition> {
        Ok(PyPosition(read_game(py, text)?.position()))
    }

    /// The position of a line of an OBF file, whose scores are left out. Raises `ParseError`.
    #[staticmethod]
    #[pyo3(signature = (line, /))]
    fn from_obf(py: Python<'_>, line: &str) -> PyResult<PyPosition> {
        let problem: Problem = line
            .parse()
            .map_err(|error| parse_error(py, line, &error))?;
        Ok(PyPosition(problem.position))
    }

    /// The position of two sets of squares: those of the side to move, and those of its opponent. Bit 0 is a1, bit 7
    /// is h1, bit 63 is h8. `side` is `'X'` (black) or `'O'` (white). Raises `EmiliaError` where a square has two discs.
    #[staticmethod]
    #[pyo3(signature = (player, opponent, side="X"))]
    fn from_bits(
        player: &Bound<'_, PyAny>,
        opponent: &Bound<'_, PyAny>,
        side: &str,
    ) -> PyResult<PyPosition> {
        let board = Board::new(bits(player)?, bits(opponent)?)
            .ok_or_else(|| emilia_error("a square has discs of both sides"))?;
        let side: Color = side.parse().map_err(|_| {
            emilia_error(format!("expected 'X' or 'O' as the side, found {side:?}"))
        })?;
        Ok(PyPosition(Position { board, side }))
    }

    /// Squares of the side to move, as an int: bit 0 is a1, bit 63 is h8.
    #[getter]
    const fn player(&self) -> u64 {
        self.0.board.player
    }

    /// Squares of the other side, as an int.
    #[getter]
    const fn opponent(&self) -> u64 {
        self.0.board.opponent
    }

    /// The side to move: `'X'` (black) or `'O'` (white).
    #[getter]
    fn side(&self) -> char {
        self.0.side.letter()
    }

    /// Number of empty squares, 0 to 64.
    #[getter]
    const fn empties(&self) -> u32 {
        self.0.board.empty_count()
    }

    /// Can neither side move?
    #[getter]
    fn is_over(&self) -> bool {
        self.0.board.is_over()
    }

    /// The legal moves, `['d3', 'c4', 'f5', 'e6']`, in the order of the squares; `['pass']` where the side must pass, and
    /// `[]` where the game is over.
    fn legal_moves(&self) -> Vec<&'static str> {
        if self.0.board.must_pass() {
            return vec![Move::Pass.name()];
        }
        self.0
            .board
            .legal_moves()
            .map(|square| square.name())
            .collect()
    }

    /// The position after a move, `'f5'` or `'pass'`. A pass is legal only where there is no other move and the game is not
    /// over. Raises `EmiliaError` if the move is not legal, and `ParseError` if it is none.
    #[pyo3(signature = (move_, /))]
    fn play(&self, py: Python<'_>, move_: &str) -> PyResult<PyPosition> {
        let parsed: Move = move_
            .parse()
            .map_err(|error: emilia::rules::ParseMoveError| {
                parse_error(py, move_, &TextError::new(1, error.to_string()))
            })?;
        let next = self.0.play(parsed);
        next.map(PyPosition)
            .ok_or_else(|| emilia_error(format!("illegal move {parsed} in {}", self.0)))
    }

    /// The final score in discs for the side to move, -64 to 64: the empty squares are the winner's. Raises `EmiliaError`
    /// where the game is not over.
    fn score(&self) -> PyResult<i32> {
        if !self.0.board.is_over() {
            return Err(emilia_error(format!("the game is not over: {}", self.0)));
        }
        Ok(self.0.board.final_score())
    }

    /// The eight positions that rotations and reflections give, itself first; some may be equal.
    fn symmetries(&self) -> Vec<PyPosition> {
        let image = |symmetry| Position {
            board: self.0.board.transform(symmetry),
            side: self.0.side,
        };
        Symmetry::all().map(image).map(PyPosition).collect()
    }

    /// The one of the symmetries that all of them have in common: for tables of positions.
    fn canonical(&self) -> PyPosition {
        PyPosition(Position {
            board: self.0.board.canonical(),
            side: self.0.side,
        })
    }

    /// The board in eight rows, with the legal moves as dots.
    fn diagram(&self) -> String {
        self.0.diagram()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.0)
    }

    /// For pickle.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, [PyString::new(py, &self.0.to_string())])
    }

    /// For notebooks.
    fn _repr_svg_(&self) -> String {
        svg(self.0)
    }
}

/// A set of squares.
fn bits(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    let py = value.py();
    value.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(py) {
            emilia_error(format!(
                "a set of squares is from 0 to 2**64 - 1, not {value}"
            ))
        } else {
            error
        }
    })
}

/// The game of a transcript; no moves are a game as well.
pub(crate) fn read_game(py: Python<'_>, text: &str) -> PyResult<Game> {
    if text.trim().is_empty() {
        return Ok(Game::new(Position::START));
    }
    let read = text.parse::<Transcript>();
    Ok(read.map_err(|error| parse_error(py, text, &error))?.game)
}

/// The positions of a transcript from the start to the end, and the moves between them, passes included.
#[pyfunction]
#[pyo3(signature = (transcript, /))]
pub(crate) fn parse_game(
    py: Python<'_>,
    transcript: &str,
) -> PyResult<(Vec<PyPosition>, Vec<&'static str>)> {
    let game = read_game(py, transcript)?;
    let moves = game.moves().iter().map(|mv| mv.name()).collect();
    Ok((game.positions().map(PyPosition).collect(), moves))
}

/// Pixels of a cell, and of the margin with the letters and numbers.
const CELL: u32 = 40;
const MARGIN: u32 = 20;

/// The board as a picture.
fn svg(position: Position) -> String {
    let size = 8 * CELL + MARGIN;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{size}\" height=\"{size}\" viewBox=\"0 0 {size} {size}\" \
         font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\
         <rect x=\"{MARGIN}\" y=\"{MARGIN}\" width=\"{board}\" height=\"{board}\" fill=\"#2e7d4f\"/>",
        board = 8 * CELL,
    );
    for line in 0..=8 {
        let (at, end) = (MARGIN + line * CELL, MARGIN + 8 * CELL);
        text +=
            &format!("<path d=\"M{at} {MARGIN}V{end}M{MARGIN} {at}H{end}\" stroke=\"#14432a\"/>");
    }
    for index in 0..8 {
        let at = MARGIN + index * CELL + CELL / 2;
        let (file, rank) = (char::from(b'a' + index as u8), index + 1);
        text += &format!("<text x=\"{at}\" y=\"14\">{file}</text>");
        text += &format!("<text x=\"10\" y=\"{}\">{rank}</text>", at + 4);
    }
    let legal = position.board.legal_moves();
    for square in emilia::rules::Square::all() {
        let (radius, fill) = if position.discs(Color::Black) & square.bit() != 0 {
            (16, "#111")
        } else if position.discs(Color::White) & square.bit() != 0 {
            (16, "#f4f4f4")
        } else if legal.contains(square) {
            (4, "#14432a")
        } else {
            continue;
        };
        let place = |index: u32| MARGIN + index * CELL + CELL / 2;
        let (x, y) = (place(square.file()), place(square.rank()));
        text += &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\"/>");
    }
    text + "</svg>"
}
