//! The end of the game, played out: a plain alpha-beta search of a few empty squares.
//!
//! It answers one question, "can the side to move reach this score?", by trying its moves one
//! after the other; the other side is asked the opposite question. No table, no evaluation,
//! nothing is left out. Only the order of moves is clever, and no order can make the answer
//! wrong: first the squares in a quadrant with an odd number of free squares (who plays there
//! first tends to play there last), and of those first the ones that leave few replies.

use super::board::{Board, squares};

/// Fewest free squares at which replies are counted to order moves.
const COUNT_REPLIES: u32 = 6;

/// The four quadrants of the board.
const QUADRANTS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

/// Can the side to move end with a score of at least `goal`, even and in discs, against any
/// play? Adds the boards looked at to `nodes`.
pub fn reaches(board: Board, goal: i32, nodes: &mut u64) -> bool {
    let empties = board.empties();
    if empties.is_power_of_two() {
        // The last square: nothing to search.
        let flips = board.flips(empties);
        if flips != 0 {
            *nodes += 1;
            return -board.after(empties, flips).final_score() >= goal;
        }
    }
    reaches_by(board, board.legal_moves(), goal, nodes)
}

/// The same, where the legal moves are known to be `moves`.
fn reaches_by(board: Board, moves: u64, goal: i32, nodes: &mut u64) -> bool {
    *nodes += 1;
    if moves == 0 {
        let passed = board.passed();
        let moves = passed.legal_moves();
        return if moves == 0 {
            board.final_score() >= goal
        } else {
            !reaches_by(passed, moves, fails(goal), nodes)
        };
    }
    let odd = odd_quadrants(board.empties());
    if board.empties().count_ones() < COUNT_REPLIES {
        return [moves & odd, moves & !odd].into_iter().any(|part| {
            squares(part).any(|square| {
                let child = board.after(square, board.flips(square));
                !reaches(child, fails(goal), nodes)
            })
        });
    }
    let mut children = [(0, board, 0); 64];
    let mut count = 0;
    for square in squares(moves) {
        let child = board.after(square, board.flips(square));
        let replies = child.legal_moves();
        let order = 2 * replies.count_ones() + u32::from(square & odd == 0);
        children[count] = (order, child, replies);
        count += 1;
    }
    let children = &mut children[..count];
    children.sort_unstable();
    let mut children = children.iter();
    children.any(|&(_, child, replies)| !reaches_by(child, replies, fails(goal), nodes))
}

/// What the other side must reach for this side to fall short of `goal`: scores are even, and
/// one side's is the other's with the sign changed.
const fn fails(goal: i32) -> i32 {
    2 - goal
}

/// The free squares in quadrants that have an odd number of them.
fn odd_quadrants(empties: u64) -> u64 {
    QUADRANTS
        .into_iter()
        .map(|quadrant| empties & quadrant)
        .filter(|part| part.count_ones() % 2 == 1)
        .fold(0, |odd, part| odd | part)
}
