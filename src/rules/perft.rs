//! Perft: how many lines of a given length start at a board.

use super::Board;

/// Whether a pass takes a ply of the depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassRule {
    /// A pass is a ply; the convention of the published table.
    IsAPly,
    /// A pass is free.
    IsFree,
}

/// Lines of `depth` plies from `board`. A game that ends earlier is one leaf.
pub fn perft(board: Board, depth: u32, rule: PassRule) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    if moves.is_empty() {
        let passed = board.pass();
        if passed.legal_moves().is_empty() {
            return 1;
        }
        let left = if rule == PassRule::IsAPly {
            depth - 1
        } else {
            depth
        };
        return perft(passed, left, rule);
    }
    if depth == 1 {
        return u64::from(moves.count());
    }
    moves
        .map(|square| perft(board.play(square), depth - 1, rule))
        .sum()
}
