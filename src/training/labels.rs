//! What each position of a played game was worth.
//!
//! A game's result says little about its early positions when somebody errs
//! late. So wherever the true value of a position is known (a stored one, or our
//! own solver's near the end), all positions before it take that value.

use super::Sample;
use crate::rules::{Board, Color, Game, Position};

/// A score that a game's source states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Free squares of the position it is about.
    pub empties: u32,
    /// For black, in discs.
    pub black: i32,
}

/// The positions of `game` with a legal move, last to first, each with the best
/// score known for it.
///
/// `solver` gives the exact score of a board for the side to move, or `None`
/// where it would take too long. A position that `solver` or `known` answers has
/// that score; any other takes the next known score after it, or, between two
/// known ones, their mean. A game that breaks off ends with `result` for black.
pub fn samples(
    game: &Game,
    result: Option<i32>,
    known: Option<Known>,
    mut solver: impl FnMut(Board) -> Option<i32>,
) -> Vec<Sample> {
    let positions = positions(game);
    let exact: Vec<Option<i32>> = positions
        .iter()
        .map(|&position| {
            let stated = known.filter(|known| known.empties == position.board.empty_count());
            let solved = || Some(for_black(position, solver(position.board)?));
            position
                .result_for_black()
                .or(stated.map(|known| known.black))
                .or_else(solved)
        })
        .collect();

    let mut found = Vec::with_capacity(positions.len());
    let mut later = result;
    for ((&position, own), earlier) in positions.iter().zip(&exact).zip(before(&exact)).rev() {
        later = own.or(later);
        let Some(later) = later else { continue };
        let black = match earlier {
            Some(earlier) if own.is_none() => f64::from(earlier + later) / 2.0,
            _ => f64::from(later),
        };
        if !position.board.legal_moves().is_empty() {
            found.push(Sample {
                board: position.board,
                score: for_black(position, black) as f32,
                weight: 1.0,
            });
        }
    }
    found
}

/// Turns a score for the side to move into one for black, or back.
fn for_black<T: std::ops::Neg<Output = T>>(position: Position, score: T) -> T {
    if position.side == Color::Black {
        score
    } else {
        -score
    }
}

/// For each position the last exact score strictly before it.
fn before(exact: &[Option<i32>]) -> Vec<Option<i32>> {
    let mut last = None;
    exact
        .iter()
        .map(|own| {
            let before = last;
            last = own.or(last);
            before
        })
        .collect()
}

/// All positions of `game`, from its start to its end.
fn positions(game: &Game) -> Vec<Position> {
    let mut position = game.start();
    let mut positions = vec![position];
    for &mv in game.moves() {
        let Some(next) = position.play(mv) else { break };
        position = next;
        positions.push(position);
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::transcript;
    use crate::training::quick;

    /// A whole game: 60 plies, two discs to black by its last position.
    const GAME: &str = "f5d6c3d3c4f4f6f3e6e7d7c5c6b5e3b6";

    fn game() -> Game {
        let line = transcript::parse_line(GAME).expect("legal moves");
        line.expect("a game").game
    }

    #[test]
    fn a_game_without_known_scores_takes_its_result() {
        let samples = samples(&game(), Some(10), None, |_| None);
        assert_eq!(samples.len(), 17);
        assert_eq!(samples[16].board, Board::START);
        assert_eq!((samples[16].score, samples[15].score), (10.0, -10.0));
    }

    #[test]
    fn known_scores_reach_back_and_meet_in_the_middle() {
        let known = Known {
            empties: 50,
            black: -6,
        };
        let samples = samples(&game(), Some(10), Some(known), |_| None);
        let black = |s: &Sample| {
            s.score
                * if s.board.empty_count() % 2 == 0 {
                    1.0
                } else {
                    -1.0
                }
        };
        for sample in &samples {
            let expected = if sample.board.empty_count() >= 50 {
                -6.0
            } else {
                2.0
            };
            assert_eq!(
                black(sample),
                expected,
                "{} empties",
                sample.board.empty_count()
            );
        }
    }

    #[test]
    fn solved_positions_have_their_own_scores() {
        let mut game = Game::new(Position::START);
        while !game.position().board.is_over() {
            let mv = game.position().board.legal_moves().next();
            game.play(mv.map_or(crate::rules::Move::Pass, Into::into))
                .expect("legal");
        }
        let solver = |board: Board| (board.empty_count() <= 6).then(|| quick::solve(board));
        for sample in samples(&game, None, None, solver) {
            if sample.board.empty_count() <= 6 {
                assert_eq!(sample.score, quick::solve(sample.board) as f32);
            }
        }
    }
}
