//! The baseline player: mobility and corners, searched to a fixed depth.
//!
//! It never changes, so that results against it can be compared across versions, and the same
//! seed gives the same games in every version.

use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Game, Move, Position};

/// Value of a corner in moves.
const CORNER: i32 = 10;

/// Value of a disc at the end of the game, in moves: any win beats any estimate.
const FINAL_DISC: i32 = 100;

/// The best move of `board` by an alpha-beta search of `depth` plies, at least 1; ties go to
/// the move found first. `None` where the game is over.
pub fn best_move(board: Board, depth: u32) -> Option<Move> {
    if board.is_over() {
        return None;
    }
    let mut best = (Move::Pass, -INFINITE);
    for (square, child) in fastest_first(board) {
        let score = -search(child, depth.saturating_sub(1), -INFINITE, -best.1);
        if score > best.1 {
            best = (square, score);
        }
    }
    Some(best.0)
}

/// Beyond every score.
const INFINITE: i32 = 1_000_000;

fn search(board: Board, depth: u32, alpha: i32, beta: i32) -> i32 {
    if board.is_over() {
        return FINAL_DISC * board.final_score();
    }
    if depth == 0 {
        return evaluate(board);
    }
    let mut best = -INFINITE;
    for (_, child) in fastest_first(board) {
        let score = -search(child, depth - 1, -beta, -alpha.max(best));
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    best
}

/// The moves with the boards after them, those with the fewest replies first; the pass
/// where it is forced.
fn fastest_first(board: Board) -> Vec<(Move, Board)> {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return vec![(Move::Pass, board.pass())];
    }
    let children = moves.map(|square| (Move::Place(square), board.play(square)));
    let mut sorted: Vec<(Move, Board)> = children.collect();
    sorted.sort_by_cached_key(|(_, child)| child.legal_moves().count());
    sorted
}

/// Mobility and corners of the side to move against those of its opponent, in moves.
fn evaluate(board: Board) -> i32 {
    let mobility = |board: Board| board.legal_moves().count() as i32;
    let corners = |discs: u64| Bitboard(discs & Bitboard::CORNERS.0).count() as i32;
    mobility(board) - mobility(board.pass())
        + CORNER * (corners(board.player) - corners(board.opponent))
}

/// A game of the baseline player at `depth` against itself after `random_plies` random ones.
pub fn self_play(random: &mut SplitMix64, random_plies: usize, depth: u32) -> Game {
    let mut game = Game::new(Position::START);
    while let Some(mv) = next_move(&game, random, random_plies, depth) {
        if game.play(mv).is_err() {
            break;
        }
    }
    game
}

fn next_move(
    game: &Game,
    random: &mut SplitMix64,
    random_plies: usize,
    depth: u32,
) -> Option<Move> {
    let board = game.position().board;
    let moves = board.legal_moves();
    if game.moves().len() >= random_plies || moves.is_empty() {
        return best_move(board, depth);
    }
    random.choose(moves).map(Move::Place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Square;

    #[test]
    fn it_plays_whole_games_and_repeats_them() {
        let game = self_play(&mut SplitMix64::new(1), 8, 2);
        assert!(game.position().board.is_over());
        assert_eq!(self_play(&mut SplitMix64::new(1), 8, 2), game);
        assert_ne!(self_play(&mut SplitMix64::new(2), 8, 2), game);
    }

    #[test]
    fn it_takes_a_corner() {
        let text = "-OX------------------------OX------XO--------------------------- X";
        let position: Position = text.parse().expect("well formed");
        for depth in 1..=3 {
            let best = best_move(position.board, depth);
            assert_eq!(best, Some(Move::Place(Square::wrapping(0))), "{depth}");
        }
    }

    #[test]
    fn it_passes_where_it_must() {
        let text = format!("{}OX- X", "O".repeat(61));
        let position: Position = text.parse().expect("well formed");
        assert_eq!(best_move(position.board, 3), Some(Move::Pass));
    }
}
