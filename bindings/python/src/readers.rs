//! What others have written: files of games, books, the model of people, proofs. The Python file has the documentation.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Mutex;

use emilia::binding::{Failure, check_proof, read_games};
use emilia::engine::{BookHint, Player};
use emilia::human::{Rating, players_model};
use emilia::locks::lock;
use emilia::rules::Move;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::errors::emilia_error;
use crate::position::PyPosition;

/// The fields of `Game`: black, white, event, date, place, start, moves, score.
type GameFields = (
    String,
    String,
    String,
    String,
    String,
    PyPosition,
    String,
    Option<i32>,
);

/// Kind, games, errors, warnings.
type GameFileFields = (Option<String>, Vec<GameFields>, Vec<String>, Vec<String>);

#[pyfunction]
fn find_games(py: Python<'_>, bytes: Vec<u8>) -> GameFileFields {
    let read = py.detach(|| read_games(bytes, usize::MAX));
    let fields = |(ggf, place): (emilia::formats::ggf::GgfGame, String)| {
        let game = &ggf.game;
        (
            ggf.black.name,
            ggf.white.name,
            ggf.place,
            ggf.date,
            place,
            PyPosition(game.start()),
            game.transcript(),
            game.position().result_for_black(),
        )
    };
    let games = read.games.into_iter().map(fields).collect();
    (read.kind, games, read.errors, read.warnings)
}

/// A book. The Python class around it has the documentation.
#[pyclass(frozen, module = "emilia_othello._native")]
struct BookCore(Mutex<Player>);

/// The fields of `BookMove`: move, score, depth, games, line.
type BookFields = (&'static str, f64, u32, u64, Vec<&'static str>);

#[pymethods]
impl BookCore {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<BookCore> {
        let mut player = Player::default();
        let opened = py.detach(|| player.set_book(Some(&path)));
        opened.map_err(emilia_error)?;
        Ok(BookCore(Mutex::new(player)))
    }

    fn moves(&self, position: PyPosition) -> Vec<BookFields> {
        let said = lock(&self.0).book_hints(position.0.board);
        let fields = |hint: BookHint| {
            let line: Vec<_> = hint.line.iter().map(|mv| mv.name()).collect();
            let mv = line.first().copied().unwrap_or(Move::Pass.name());
            (mv, hint.score.to_f64(), hint.depth, hint.games, line)
        };
        let hints = said.map_or(Vec::new(), |said| said.hints);
        hints.into_iter().map(fields).collect()
    }
}

#[pyfunction]
fn human_moves(position: PyPosition, rating: u16) -> PyResult<Vec<(&'static str, f32)>> {
    let model = players_model().map_err(|error| emilia_error(error.to_string()))?;
    let rating = Rating::new(rating.into()).min(Rating::TOP_OF_PEOPLE);
    let shares = model.probabilities(position.0.board, rating, None);
    let share = shares.into_iter();
    Ok(share
        .map(|share| (share.square.name(), share.probability))
        .collect())
}

/// The fields of `Proof`: statement, place, positions, leaves, nodes.
#[pyfunction]
fn read_proof(
    py: Python<'_>,
    path: PathBuf,
    threads: Option<NonZeroUsize>,
    memory_mb: usize,
) -> PyResult<(String, String, u64, u64, u64)> {
    let name = path.display();
    let report = py.detach(|| check_proof(&path, threads, memory_mb));
    let report = report.map_err(|failure| match failure {
        Failure::Wrong(reason) => emilia_error(format!("{name}: not proven: {reason}")),
        Failure::System(reason) => PyOSError::new_err(format!("{name}: {reason}")),
    })?;
    let header = &report.header;
    Ok((
        header.statement(),
        header.place_of_root(),
        report.positions(),
        report.leaves(),
        report.nodes,
    ))
}

/// Adds the functions and the class to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<BookCore>()?;
    module.add_function(wrap_pyfunction!(find_games, module)?)?;
    module.add_function(wrap_pyfunction!(human_moves, module)?)?;
    module.add_function(wrap_pyfunction!(read_proof, module)?)
}
