//! Which move first: values for sorting, larger is earlier.

use super::killers::Candidates;
use crate::rules::{Bitboard, Board, Square};
use crate::score::Units;
use crate::simd;

/// The four corners.
const CORNERS: u64 = Bitboard::CORNERS.0;

/// A rough value of each square class, which breaks ties.
const SQUARE_VALUES: [u8; 64] = {
    const QUARTER: [[u8; 4]; 4] = [
        [18, 4, 16, 12],
        [4, 2, 6, 8],
        [16, 6, 14, 10],
        [12, 8, 10, 0],
    ];
    let mut values = [0; 64];
    let mut square = 0;
    while square < 64 {
        let (file, rank) = (square & 7, square >> 3);
        let file = if file < 4 { file } else { 7 - file };
        let rank = if rank < 4 { rank } else { 7 - rank };
        values[square] = QUARTER[rank][file];
        square += 1;
    }
    values
};

/// A rough value of `square`, 0..=18.
#[inline]
pub(super) fn square_value(square: usize) -> i32 {
    i32::from(SQUARE_VALUES[square & 63])
}

/// Squares in three classes, the most promising first: corners, squares not next to a corner, squares
/// next to one.
const SQUARE_CLASSES: [u64; 3] = [CORNERS, !(CORNERS | BESIDE_CORNERS), BESIDE_CORNERS];

/// The squares next to a corner.
const BESIDE_CORNERS: u64 = 0x42c3_0000_0000_c342;

/// The squares of `moves`, class by class.
#[inline]
pub(super) fn by_class(moves: u64) -> impl Iterator<Item = usize> {
    let classes = SQUARE_CLASSES.into_iter();
    classes.flat_map(move |class| Bitboard(moves & class).map(Square::index))
}

/// How many squares `moves` has, corners counted twice.
#[inline]
pub(super) fn weighted(moves: u64) -> i32 {
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

/// Squares where the side to move of `board` may play, corners counted twice.
#[inline]
pub(super) fn weighted_mobility(board: Board) -> i32 {
    weighted(simd::legal_moves(board.player, board.opponent))
}

/// The value of having reached `child` by a disc on `square`, few empties before
/// the end: above all, leave the opponent few moves. `replies` are the legal ones on `child`,
/// `regions` those of the board before.
#[inline]
pub(super) fn endgame_value(child: Board, replies: u64, square: usize, regions: Regions) -> i32 {
    let mobility = weighted(replies);
    let stable = simd::corner_stability(child.opponent) as i32;
    let last = regions.last_moves(square);
    (stable << 11) + (square_value(square) << 5) + (last << 11) - (mobility << 14)
}

/// Where the empty squares of a board lie. A side that moves last in a region gains by it.
#[derive(Clone, Copy)]
pub(super) struct Regions {
    /// The squares of quadrants with an odd number of empties.
    odd: u64,
    /// The empties that touch no other.
    isolated: u64,
}

impl Regions {
    #[inline]
    pub(super) fn of(board: Board) -> Regions {
        let empties = board.empties();
        Regions {
            odd: odd_quadrants(empties),
            isolated: isolated(empties),
        }
    }

    /// The more, the likelier a move to `square` is the last one of its region: 0..=2.
    #[inline]
    fn last_moves(self, square: usize) -> i32 {
        ((self.odd >> square & 1) + (self.isolated >> square & 1)) as i32
    }
}

/// The squares of the quadrants that hold an odd number of empties.
#[inline]
const fn odd_quadrants(empties: u64) -> u64 {
    let mut parity = empties ^ (empties >> 1);
    parity ^= parity >> 2;
    parity ^= parity >> 8;
    parity ^= parity >> 16;
    (parity & 0x0000_0011_0000_0011) * 0x0f0f_0f0f
}

/// The squares of `empties` that touch no other.
#[inline]
pub(super) const fn isolated(empties: u64) -> u64 {
    empties & !simd::beside(empties)
}

/// The squares that touch a corner diagonally.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;

/// The squares of `moves` with 4 to 6 empties left, the most promising first: those that touch no other empty
/// square, then corners, and X squares last.
#[inline]
pub(super) fn by_isolation(moves: u64, empties: u64) -> impl Iterator<Item = usize> {
    let isolated = isolated(empties);
    let mut rest = moves;
    std::iter::from_fn(move || {
        let groups = [rest & isolated, rest & CORNERS, rest & !X_SQUARES, rest];
        let first = groups.into_iter().find(|&group| group != 0)?;
        let square = first.trailing_zeros() as usize & 63;
        rest &= !(1 << square);
        Some(square)
    })
}

/// Plies of evaluated look-ahead that order the moves of a node of `depth` plies;
/// `None`: mobility alone.
#[inline]
pub(super) const fn look_ahead<const END: bool>(depth: i32) -> Option<i32> {
    if END {
        match depth {
            ..=12 => None,
            13..=17 => Some(0),
            18..=23 => Some(1),
            _ => Some(2),
        }
    } else {
        match depth {
            ..=11 => Some(0),
            12..=20 => Some(1),
            _ => Some(2),
        }
    }
}

/// Units of the evaluation (1/128 disc) that one weighted move of the opponent is worth beside an evaluation
/// so many plies deep: more where that says nothing of the replies, in a search to the end of the game.
const fn mobility_units<const END: bool>(look_ahead: i32) -> i32 {
    if END && look_ahead == 0 { 400 } else { 250 }
}

/// The same for a potential move.
const POTENTIAL_UNITS: i32 = 64;

/// The same for an own stable disc at a corner.
const STABLE_UNITS: i32 = 128;

/// The same for a move to a square that touches no other empty one: likely the last move of its region.
const ISOLATED_UNITS: i32 = 128;

/// What an own disc costs, in the same units. The opponent finds fewer moves where there are few to turn: of two moves that
/// refute, the one that leaves fewer takes a smaller search to show it.
const DISC_UNITS: i32 = 64;

/// What each step of [`Candidates::promise`] is worth.
pub(super) const KILLER_UNITS: i32 = 100;

/// The value of having reached `child` by a disc on `square` two plies before the horizon, where no
/// board is evaluated for ordering: leave the opponent few moves.
#[inline]
pub(super) fn leaf_value(child: Board, square: u8, killers: Candidates) -> i32 {
    square_value(usize::from(square)) + 12 * killers.promise(square) - 8 * weighted_mobility(child)
}

/// The positional terms of the value of having reached `child` by a disc on `square`, to be added to its
/// evaluation `look_ahead` plies deep; `regions` are those of the board before.
#[inline]
pub(super) fn positional_value<const END: bool>(
    child: Board,
    square: usize,
    regions: Regions,
    look_ahead: i32,
) -> Units {
    let potential = simd::potential_moves(child.player, child.opponent).count_ones() as i32;
    Units::new(
        STABLE_UNITS * simd::corner_stability(child.opponent) as i32
            + ISOLATED_UNITS * (regions.isolated >> square & 1) as i32
            - DISC_UNITS * child.opponent.count_ones() as i32
            - mobility_units::<END>(look_ahead) * weighted_mobility(child)
            - POTENTIAL_UNITS * potential,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn odd_quadrants_are_those_with_an_odd_count() {
        let mut random = 0x1234_5678_9abc_def0_u64;
        for _ in 0..1000 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let slow = [0, 4, 32, 36]
                .into_iter()
                .map(|corner| 0x0f0f_0f0f << corner)
                .filter(|quadrant: &u64| (random & quadrant).count_ones() % 2 == 1)
                .fold(0, |all, quadrant| all | quadrant);
            assert_eq!(odd_quadrants(random), slow, "{random:#x}");
        }
    }

    proptest! {
        #[test]
        fn isolated_squares_touch_no_other_empty_one(a: u64, b: u64, c: u64) {
            // A few empties, some of them alone.
            let empties = a & b & c;
            let alone = Bitboard(empties).filter(|sq| simd::neighbours(sq.index()) & empties == 0);
            prop_assert_eq!(isolated(empties), alone.fold(0, |set, square| set | square.bit()));
        }

        #[test]
        fn near_the_end_each_move_comes_once_and_better_groups_first(a: u64, b: u64, c: u64) {
            let empties = a & b;
            let moves = empties & c;
            let group = |&square: &usize| {
                let is_in = |set: u64| set >> square & 1 != 0;
                let groups = [is_in(isolated(empties)), is_in(CORNERS), !is_in(X_SQUARES), true];
                (groups.into_iter().position(|in_group| in_group), square)
            };
            let order: Vec<usize> = by_isolation(moves, empties).collect();
            let mut expected: Vec<usize> = Bitboard(moves).map(Square::index).collect();
            expected.sort_by_key(group);
            prop_assert_eq!(order, expected);
        }
    }
}
