//! What a puzzle is about, by rules that anyone can check on its line.

use std::fmt;

use super::after;
use crate::human::candidates::neighbours;
use crate::rules::{Bitboard, Board, Move, Square};

/// Themes, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Themes(pub u16);

/// The names of the themes, in the order of their bits.
const NAMES: [&str; 7] = [
    "corner",
    "gives-corner",
    "pass",
    "quiet",
    "region",
    "wipe-out",
    "draw",
];

/// The squares around each corner.
const NEAR_CORNERS: [(u64, u64); 4] = [
    (1, 0x0302),
    (1 << 7, 0xC040),
    (1 << 56, 0x0203_0000_0000_0000),
    (1 << 63, 0x40C0_0000_0000_0000),
];

impl Themes {
    /// The themes of a line of play from `board`; its first move is the solver's.
    pub fn of(board: Board, line: &[Move], score: i32) -> Themes {
        let mut themes = 0;
        let mut now = board;
        for (at, &mv) in line.iter().enumerate() {
            let is_solver = at % 2 == 0;
            if let (true, Some(square)) = (is_solver, mv.square()) {
                themes |= of_move(now, square);
            }
            now = after(now, mv);
        }
        let wipe_out = u16::from(score.abs() == 64) << 5;
        let draw = u16::from(score == 0) << 6;
        Themes(themes | wipe_out | draw)
    }

    /// Their names.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let bits = NAMES.into_iter().enumerate();
        bits.filter(move |(bit, _)| self.0 >> bit & 1 != 0)
            .map(|(_, name)| name)
    }
}

/// What one move is about.
fn of_move(board: Board, square: Square) -> u16 {
    let next = board.play(square);
    let replies = next.legal_moves();
    let is_corner = Bitboard::CORNERS.contains(square);
    let gives_corner = replies.0 & Bitboard::CORNERS.0 != 0 && is_near_empty_corner(board, square);
    // Turned discs that touch an empty square open the board.
    let is_quiet = board.flips(square).0 & around(next.empties()) == 0;
    let last_of_region = around(square.bit()) & board.empties() == 0;
    u16::from(is_corner)
        | u16::from(gives_corner) << 1
        | u16::from(next.must_pass()) << 2
        | u16::from(is_quiet) << 3
        | u16::from(last_of_region) << 4
}

fn is_near_empty_corner(board: Board, square: Square) -> bool {
    let mut corners = NEAR_CORNERS.iter();
    corners.any(|&(corner, near)| board.empties() & corner != 0 && near & square.bit() != 0)
}

/// The squares beside those of a set, in all eight directions.
const fn around(squares: u64) -> u64 {
    neighbours(squares) & !squares
}

impl fmt::Display for Themes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        f.write_str(&names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_near_corners_are_three_each() {
        for (corner, near) in NEAR_CORNERS {
            assert_eq!(near, around(corner), "{corner:x}");
        }
    }
}
