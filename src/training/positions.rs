//! Positions that searches reach but games rarely do: all openings, and random endgames.

use std::collections::BTreeSet;

use crate::random::SplitMix64;
use crate::rules::Board;

/// Empties of random endgames.
const ENDGAMES: std::ops::RangeInclusive<u32> = 8..=16;

/// All positions with a legal move from the start to ply `plies`, one for each
/// class of symmetric ones.
pub fn openings(plies: u32) -> Vec<Board> {
    let mut all = Vec::new();
    let mut layer = BTreeSet::from([Board::START.canonical()]);
    for ply in 0..=plies {
        let playable = |board: &&Board| !board.legal_moves().is_empty();
        all.extend(layer.iter().filter(playable));
        if ply < plies {
            layer = layer.iter().flat_map(|&board| children(board)).collect();
        }
    }
    all
}

/// The boards after each move of `board`, or after its pass.
fn children(board: Board) -> Vec<Board> {
    if board.must_pass() {
        return vec![board.pass().canonical()];
    }
    let moves = board.legal_moves();
    moves.map(|square| board.play(square).canonical()).collect()
}

/// `count` positions of 8 to 16 empties with a legal move, each from a game of
/// moves of equal probability.
pub fn endgames(count: usize, seed: u64) -> Vec<Board> {
    let mut random = SplitMix64::new(seed);
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let span = u64::from(ENDGAMES.end() - ENDGAMES.start() + 1);
        let empties = ENDGAMES.start() + random.below(span) as u32;
        found.extend(endgame(empties, &mut random));
    }
    found
}

/// The position of a random game at `empties`; `None` if it ends before.
fn endgame(empties: u32, random: &mut SplitMix64) -> Option<Board> {
    let mut board = Board::START;
    loop {
        let mut moves = board.legal_moves();
        if board.is_over() {
            return None;
        }
        if moves.is_empty() {
            board = board.pass();
            continue;
        }
        if board.empty_count() == empties {
            return Some(board);
        }
        let chosen = random.below(u64::from(moves.count())) as usize;
        board = board.play(moves.nth(chosen)?);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_counted_up_to_symmetry() {
        // 1 start, 1 first move, 3 answers (diagonal, perpendicular, parallel), ..
        let counts: Vec<usize> = (0..5).map(|plies| openings(plies).len()).collect();
        assert_eq!(counts, [1, 2, 5, 19, 79]);
    }

    #[test]
    fn endgames_have_a_move_and_the_stated_empties() {
        let boards = endgames(50, 3);
        assert_eq!(boards.len(), 50);
        for board in &boards {
            assert!(ENDGAMES.contains(&board.empty_count()));
            assert!(!board.legal_moves().is_empty());
        }
        assert_eq!(boards, endgames(50, 3));
        assert_ne!(boards, endgames(50, 4));
    }
}
