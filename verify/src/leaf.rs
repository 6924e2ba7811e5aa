//! The end of the game, played out: a plain alpha-beta search of a few empty squares.
//!
//! It answers one question, "can the side to move reach this score?", by trying its moves one
//! after the other; the other side is asked the opposite question. No table, no evaluation,
//! nothing is left out. Only the order of moves is clever, and no order can make the answer
//! wrong: first the moves that leave few replies, and of these, or where replies are not counted,
//! those in a quadrant with an odd number of free squares (who plays there first tends to play
//! there last).

use super::board::{Board, squares};

/// Most free squares that it accepts: more would take too long.
pub const MOST_EMPTIES: u8 = 16;

/// Most free squares at which replies are not counted to order moves.
const FEW: u32 = 5;

/// The four quadrants of the board.
const QUADRANTS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

/// Can the side to move of a board with at most [`MOST_EMPTIES`] free squares end with a score of at least
/// `goal`, even and in discs, against any play? Adds the boards looked at to `nodes`.
pub fn reaches(board: Board, goal: i32, nodes: &mut u64) -> bool {
    *nodes += 1;
    let free = board.empties();
    if free.count_ones() < 2 {
        return last_score(board, free) >= goal;
    }
    // What the other side must reach for this side to fall short: scores are even, and one
    // side's is the other's with the sign changed.
    let fails = 2 - goal;
    let (odd, mut has_move) = (odd_quadrants(free), false);
    if free.count_ones() <= FEW {
        for part in [free & odd, free & !odd] {
            for square in squares(part) {
                let flips = board.flips(square);
                has_move |= flips != 0;
                if flips != 0 && !reaches(board.after(square, flips), fails, nodes) {
                    return true;
                }
            }
        }
    } else {
        let mut children = [(0, board); MOST_EMPTIES as usize];
        let mut count = 0;
        for square in squares(board.legal_moves()) {
            let child = board.after(square, board.flips(square));
            let replies = child.legal_moves().count_ones();
            children[count] = (2 * replies + u32::from(square & odd == 0), child);
            count += 1;
        }
        has_move = count > 0;
        let mut left = &mut children[..count];
        while let Some(best) = (0..left.len()).min_by_key(|&index| left[index].0) {
            left.swap(0, best);
            if !reaches(left[0].1, fails, nodes) {
                return true;
            }
            left = &mut left[1..];
        }
    }
    if has_move {
        return false;
    }
    let passed = board.passed();
    if passed.legal_moves() == 0 {
        board.final_score() >= goal
    } else {
        !reaches(passed, fails, nodes)
    }
}

/// The final score of a board with no free square, or with one: `free`.
fn last_score(board: Board, free: u64) -> i32 {
    if free != 0 {
        for (board, sign) in [(board, -1), (board.passed(), 1)] {
            let flips = board.flips(free);
            if flips != 0 {
                return sign * board.after(free, flips).final_score();
            }
        }
    }
    board.final_score()
}

/// The free squares in quadrants that have an odd number of them.
fn odd_quadrants(free: u64) -> u64 {
    let mut odd = 0;
    for quadrant in QUADRANTS {
        if (free & quadrant).count_ones() % 2 == 1 {
            odd |= free & quadrant;
        }
    }
    odd
}
