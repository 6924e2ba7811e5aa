//! Perft: the number of lines of play of a given length from a board.

use std::collections::HashMap;

use super::Board;

/// Does a pass count as a ply?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PassRule {
    /// A pass is a ply; the convention of the published table.
    IsAPly,
    /// A pass is free.
    IsFree,
}

/// Last plies of the lines, which are counted without merging boards.
const PLAIN_PLIES: u32 = 3;

/// From so many distinct boards on, boards are no longer merged: the next ply may have ten times
/// as many, of about 100 bytes each.
const MERGED_BOARDS: usize = 1 << 18;

/// Lines of `depth` plies from `board`. A game that ends earlier is one leaf.
///
/// Goes down ply by ply with the distinct boards of each and the number of
/// lines that lead there; boards that a symmetry makes equal count as one.
/// Eleven plies from the start are 212,258,800 lines, but 67,245 boards after eight.
pub fn perft(board: Board, depth: u32, rule: PassRule) -> u64 {
    let mut ended = 0;
    let mut left = depth;
    let mut boards = HashMap::from([(board.canonical(), 1)]);
    while left > PLAIN_PLIES && boards.len() < MERGED_BOARDS {
        let mut next = HashMap::with_capacity(boards.len());
        for (board, lines) in boards {
            let children = children(board, rule);
            if children.is_empty() {
                ended += lines;
            }
            for child in children {
                *next.entry(child.canonical()).or_insert(0) += lines;
            }
        }
        boards = next;
        left -= 1;
    }
    let unmerged = |(board, lines): (Board, u64)| lines * perft_plain(board, left, rule);
    ended + boards.into_iter().map(unmerged).sum::<u64>()
}

/// The boards one ply on; none if the game is over.
fn children(board: Board, rule: PassRule) -> Vec<Board> {
    let passed = board.pass();
    let mover = match rule {
        _ if !board.legal_moves().is_empty() => board,
        PassRule::IsAPly if board.must_pass() => return vec![passed],
        _ => passed,
    };
    let squares = mover.legal_moves();
    squares.map(|square| mover.play(square)).collect()
}

/// The same number as [`perft`], with every line walked except for its last ply: a
/// check of it, and a measure of the speed of moves.
pub fn perft_plain(board: Board, depth: u32, rule: PassRule) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = board.legal_moves();
    if moves.is_empty() {
        let passed = board.pass();
        if passed.legal_moves().is_empty() {
            return 1;
        }
        let left = match rule {
            PassRule::IsAPly => depth - 1,
            PassRule::IsFree => depth,
        };
        return perft_plain(passed, left, rule);
    }
    if depth == 1 {
        return u64::from(moves.count());
    }
    let lines = |square| perft_plain(board.play(square), depth - 1, rule);
    moves.map(lines).sum()
}
