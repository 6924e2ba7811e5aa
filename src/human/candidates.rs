//! What a model looks at in each legal move.

use crate::eval::patterns::{CONFIGURATIONS, INSTANCE_LIST, INSTANCES, mobility_pair};
use crate::eval::{Evaluator, Features};
use crate::rules::{Bitboard, Board, Square};

/// Rows that are added for a move: those of the pattern instances and of the mobility pair.
pub const LOOKUPS: usize = INSTANCES + 1;

/// Facts about a move.
pub const FACTS: usize = MEASURES + KINDS;

/// Facts that are measured; the others say which of the kinds of squares the move is on.
const MEASURES: usize = 10;

/// Kinds of squares: equal up to symmetry.
const KINDS: usize = 10;

/// The kind of each square.
const KIND: [u8; 64] = Square::table([[0, 1, 2, 3], [1, 4, 5, 6], [2, 5, 7, 8], [3, 6, 8, 9]]);

/// A legal move as a model sees it.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The move.
    pub square: Square,
    /// The rows of the board after the move, by configuration; the mobility pairs follow the last configuration.
    pub rows: [u32; LOOKUPS],
    /// Facts, about 0 to 3 each.
    pub facts: [f32; FACTS],
}

/// The legal moves of `board`, in the order of their squares.
pub fn candidates(board: Board, evaluator: &Evaluator) -> Vec<Candidate> {
    let replies = Features::of(board).replies();
    let mut values = Vec::new();
    let mut fewest = f32::INFINITY;
    let mut candidates: Vec<Candidate> = board
        .legal_moves()
        .map(|square| {
            let flips = board.flips(square);
            let after = board.play_flips(square.bit(), flips.0);
            let indices = replies.after(square, flips.0).0;
            let mut rows = [(CONFIGURATIONS + mobility_pair(after)) as u32; LOOKUPS];
            for ((row, instance), index) in rows.iter_mut().zip(&INSTANCE_LIST).zip(indices) {
                *row = instance.offset as u32 + u32::from(index);
            }
            values.push(-evaluator.estimate(after).to_f64() as f32);
            let facts = facts(board, square, flips, after);
            fewest = fewest.min(facts[OTHERS_MOVES]);
            Candidate {
                square,
                rows,
                facts,
            }
        })
        .collect();
    let best = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    for (candidate, value) in candidates.iter_mut().zip(values) {
        candidate.facts[..LOSSES].copy_from_slice(&of_loss(best - value));
        candidate.facts[MORE_MOVES] = 2.0 * (candidate.facts[OTHERS_MOVES] - fewest);
    }
    candidates
}

/// Facts about what a move loses.
pub const LOSSES: usize = 4;

/// The facts about a move that loses so many discs against the best one: it loses, it loses less than about 1 or 3 discs, it is the best.
pub fn of_loss(loss: f32) -> [f32; LOSSES] {
    let is_best = f32::from(u8::from(loss == 0.0));
    [
        (loss / 8.0).min(3.0),
        (-loss).exp(),
        (-loss / 3.0).exp(),
        is_best,
    ]
}

/// Places among the facts.
const OTHERS_MOVES: usize = LOSSES;
const MORE_MOVES: usize = LOSSES + 1;

/// The facts that need no evaluation: how many moves the opponent has (and how many more than after other moves, filled in later) and the
/// player would have, the discs turned, whether the opponent can take a corner, and the player's discs at the frontier.
fn facts(board: Board, square: Square, flips: Bitboard, after: Board) -> [f32; FACTS] {
    let mut facts = [0.0; FACTS];
    let others = after.legal_moves().0;
    let count = |squares: u64, unit: f32| squares.count_ones() as f32 / unit;
    facts[OTHERS_MOVES] = count(others, 10.0);
    facts[LOSSES + 2] = count(after.pass().legal_moves().0, 10.0);
    facts[LOSSES + 3] = count(flips.0, 8.0);
    facts[LOSSES + 4] = f32::from(u8::from(others & Bitboard::CORNERS.0 != 0));
    facts[LOSSES + 5] = count(neighbours(board.empties()) & after.opponent, 16.0);
    facts[MEASURES + usize::from(KIND[square.index()])] = 1.0;
    facts
}

/// The squares of a set and those beside them.
pub(crate) const fn neighbours(squares: u64) -> u64 {
    const NOT_FILE_A: u64 = 0xfefe_fefe_fefe_fefe;
    const NOT_FILE_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let row = squares | (squares << 1 & NOT_FILE_A) | (squares >> 1 & NOT_FILE_H);
    row | row << 8 | row >> 8
}
