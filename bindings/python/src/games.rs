//! The files of self-play, such as those of `data/games`, as arrays.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use emilia::formats::records::{PlayedGame, RecordReader};
use emilia::rules::Color;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;

use crate::errors::emilia_error;

/// Moves of a game, at most: each takes an empty square.
const MOVES: usize = 60;

/// Fills the squares behind the last move.
const NO_MOVE: u8 = 255;

/// Moves, lengths, scores for black, random plies, empties of perfect play.
type Arrays<'py> = (
    Bound<'py, PyArray2<u8>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<i8>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<u8>>,
);

#[derive(Default)]
struct Columns {
    moves: Vec<u8>,
    lengths: Vec<u8>,
    scores: Vec<i8>,
    random: Vec<u8>,
    exact: Vec<u8>,
}

impl Columns {
    /// Adds a game; `None` if it is not one from the start to the end.
    fn push(&mut self, played: &PlayedGame) -> Option<()> {
        let last = played.game.position();
        let score = last.result_for_black()?;
        debug_assert!(played.game.start().side == Color::Black);
        let squares = played.game.moves().iter().filter_map(|mv| mv.square());
        let before = self.moves.len();
        self.moves
            .extend(squares.map(|square| square.index() as u8));
        self.lengths
            .push(u8::try_from(self.moves.len() - before).ok()?);
        self.moves.resize(before + MOVES, NO_MOVE);
        self.scores.push(i8::try_from(score).ok()?);
        self.random.push(u8::try_from(played.random).ok()?);
        self.exact.push(u8::try_from(played.exact).ok()?);
        Some(())
    }
}

/// Reads a file of games: see `games` of the package.
#[pyfunction]
pub(crate) fn read_games(py: Python<'_>, path: PathBuf) -> PyResult<Arrays<'_>> {
    let file = BufReader::new(File::open(&path)?);
    let broken = |reason: String| emilia_error(format!("{}: {reason}", path.display()));
    let mut reader = RecordReader::new(file).map_err(|error| broken(error.to_string()))?;
    let mut columns = Columns::default();
    loop {
        let block = py.detach(|| reader.block());
        let Some(block) = block.map_err(|error| broken(error.to_string()))? else {
            break;
        };
        py.check_signals()?;
        for played in &block.games {
            let pushed = columns.push(played);
            pushed
                .ok_or_else(|| broken("a game does not go from the start to the end".to_owned()))?;
        }
    }
    let moves = columns.moves.into_pyarray(py);
    Ok((
        moves.reshape([columns.lengths.len(), MOVES])?,
        columns.lengths.into_pyarray(py),
        columns.scores.into_pyarray(py),
        columns.random.into_pyarray(py),
        columns.exact.into_pyarray(py),
    ))
}
