//! Names of openings, as books and programs use them.
//!
//! A name belongs to a position, whatever the order of moves that leads to it, and to its images. The names are facts
//! that at least one catalogue gives; most are given by two.

use std::collections::HashMap;

use super::transcript::Transcript;
use crate::lazy::Lazy;
use crate::rules::{Board, Game};

/// Moves, the English name and its alternatives, the Japanese name, and where they come from.
const TABLE: &str = include_str!("opening_names.tsv");

static NAMES: Lazy<HashMap<Board, &'static str>> = Lazy::new(|| rows().collect());

/// The named positions, canonical, and their names.
fn rows() -> impl Iterator<Item = (Board, &'static str)> {
    TABLE.lines().skip(1).filter_map(|line| {
        let mut fields = line.split('\t');
        let game = fields.next()?.parse::<Transcript>().ok()?.game;
        Some((game.position().board.canonical(), fields.next()?))
    })
}

/// The name of this position. `None`: it has none of its own.
pub fn of_board(board: Board) -> Option<&'static str> {
    NAMES.get(&board.canonical()).copied()
}

/// The name of a game: that of the last named position that it reached.
///
/// ```
/// use emilia::formats::{opening_names, transcript::Transcript};
///
/// let game = "f5d6c3d3c4".parse::<Transcript>()?.game;
/// assert_eq!(opening_names::of_game(&game), Some("Tiger"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn of_game(game: &Game) -> Option<&'static str> {
    let positions: Vec<_> = game.positions().collect();
    positions
        .iter()
        .rev()
        .find_map(|position| of_board(position.board))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(moves: &str) -> Option<&'static str> {
        of_game(&moves.parse::<Transcript>().expect("a game").game)
    }

    #[test]
    fn every_row_is_a_game_with_a_position_of_its_own() {
        assert_eq!(NAMES.len(), TABLE.lines().count() - 1);
        assert!(rows().all(|(_, name)| !name.is_empty()));
    }

    #[test]
    fn the_name_is_that_of_the_last_named_position_whatever_its_image() {
        assert_eq!(name("f5d6"), Some("Perpendicular"));
        assert_eq!(name("f5d6c3d3c4"), Some("Tiger"));
        // The same, seen through a symmetry.
        assert_eq!(name("e6f4"), name("f5d6"));
        assert_eq!(name("f5"), None);
        let longer = name("f5d6c3d3c4b3");
        assert!(longer.is_some_and(|name| name.contains("Aubrey")));
    }
}
