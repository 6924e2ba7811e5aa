//! The end of the game, played out: a plain alpha-beta search of a few empty squares.
//!
//! It answers one question, "can the side to move reach this score?", by trying its moves one
//! after the other; the other side is asked the opposite question. No table, no evaluation,
//! nothing is left out. Only the order of moves is clever, and no order can make the answer
//! wrong: first the squares in a quadrant with an odd number of free squares (who plays there
//! first tends to play there last), and of those first the ones that leave few replies.

use super::board::Board;

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
    *nodes += 1;
    let moves = board.legal_moves();
    if moves == 0 {
        let passed = board.passed();
        return if passed.legal_moves() == 0 {
            board.final_score() >= goal
        } else {
            *nodes += 1;
            !reaches_by(passed, passed.legal_moves(), 2 - goal, nodes)
        };
    }
    reaches_by(board, moves, goal, nodes)
}

/// The same, where the side to move has these `moves`. It falls short of `goal`, an even
/// number, exactly if the other side reaches 2 - `goal`, since scores are even.
fn reaches_by(board: Board, moves: u64, goal: i32, nodes: &mut u64) -> bool {
    let odd = odd_quadrants(board.empties());
    if board.empties().count_ones() >= COUNT_REPLIES {
        return reaches_by_few_replies(board, moves, odd, goal, nodes);
    }
    for part in [moves & odd, moves & !odd] {
        let mut left = part;
        while left != 0 {
            let square = left & left.wrapping_neg();
            left ^= square;
            let child = board.after(square, board.flips(square));
            if !reaches(child, 2 - goal, nodes) {
                return true;
            }
        }
    }
    false
}

/// The same, the moves in the order of the replies that they leave.
fn reaches_by_few_replies(board: Board, moves: u64, odd: u64, goal: i32, nodes: &mut u64) -> bool {
    let mut children = [(u32::MAX, board); 64];
    let mut count = 0;
    let mut left = moves;
    while left != 0 {
        let square = left & left.wrapping_neg();
        left ^= square;
        let child = board.after(square, board.flips(square));
        let replies = 2 * child.legal_moves().count_ones() + u32::from(square & odd == 0);
        children[count] = (replies, child);
        count += 1;
    }
    let children = &mut children[..count];
    children.sort_unstable();
    children
        .iter()
        .any(|&(_, child)| !reaches(child, 2 - goal, nodes))
}

/// The free squares in quadrants that have an odd number of them.
fn odd_quadrants(empties: u64) -> u64 {
    QUADRANTS
        .into_iter()
        .map(|quadrant| empties & quadrant)
        .filter(|part| part.count_ones() % 2 == 1)
        .fold(0, |odd, part| odd | part)
}
