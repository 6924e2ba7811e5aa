//! Which move first: values for sorting, larger is earlier.

use super::killers::Candidates;
use super::moves::MoveEntry;
use crate::rules::{Bitboard, Board, Square};
use crate::score::Units;
use crate::simd;

/// The four corners.
const CORNERS: u64 = Bitboard::CORNERS.0;

/// A rough value of each square class, which breaks ties.
const SQUARE_VALUES: [u8; 64] = Square::table([
    [18, 4, 16, 12],
    [4, 2, 6, 8],
    [16, 6, 14, 10],
    [12, 8, 10, 0],
]);

/// A rough value of `square`, 0..=18.
#[inline]
fn square_value(square: usize) -> i32 {
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
fn weighted(moves: u64) -> i32 {
    (moves.count_ones() + (moves & CORNERS).count_ones()) as i32
}

/// Squares where the side to move of `board` may play, corners counted twice.
#[inline]
pub(super) fn weighted_mobility(board: Board) -> i32 {
    weighted(simd::legal_moves(board.player, board.opponent))
}

/// The order of moves near the end of the game, by where the empty squares of a board lie and by what the
/// opponent can reply. A side that moves last in a region gains by it.
#[derive(Clone, Copy)]
pub(super) struct EndgameOrder {
    empties: u64,
    /// The squares of quadrants with an odd number of empties.
    odd: u64,
    /// The empties that touch no other.
    isolated: u64,
}

impl EndgameOrder {
    /// The order for a board with these empties.
    #[inline]
    pub(super) fn of(empties: u64) -> EndgameOrder {
        EndgameOrder {
            empties,
            odd: odd_quadrants(empties),
            isolated: empties & !simd::beside(empties),
        }
    }

    /// Does `square` touch no other empty one?
    #[inline]
    pub(super) fn is_isolated(self, square: usize) -> bool {
        self.isolated >> square & 1 != 0
    }

    /// The three empties: one that touches none of the others first.
    #[inline]
    pub(super) fn three(self) -> [usize; 3] {
        let EndgameOrder {
            empties, isolated, ..
        } = self;
        let lowest = |set: u64| set.trailing_zeros() as usize & 63;
        let first = lowest(if isolated == 0 { empties } else { isolated });
        let others = empties & !(1 << first);
        let second = lowest(others);
        [first, second, lowest(others & !(1 << second))]
    }

    /// The squares of `moves` with 4 to 6 empties left, the most promising first: those that touch no other
    /// empty square, then corners, and X squares last.
    #[inline]
    pub(super) fn squares(self, moves: u64) -> impl Iterator<Item = usize> {
        let isolated = self.isolated;
        let mut rest = moves;
        std::iter::from_fn(move || {
            let groups = [rest & isolated, rest & CORNERS, rest & !X_SQUARES, rest];
            let first = groups.into_iter().find(|&group| group != 0)?;
            let square = first.trailing_zeros() as usize & 63;
            rest &= !(1 << square);
            Some(square)
        })
    }

    /// With more empties: gives the replies to `child` and its value to it. Above all, leave the opponent few
    /// moves.
    #[inline]
    pub(super) fn rate(self, child: &mut MoveEntry) {
        let (board, square) = (child.board, usize::from(child.square));
        child.replies = simd::legal_moves(board.player, board.opponent);
        let stable = simd::corner_stability(board.opponent) as i32;
        let last = ((self.odd >> square & 1) + (self.isolated >> square & 1)) as i32;
        let mobility = weighted(child.replies);
        child.value =
            (stable << 11) + (square_value(square) << 5) + (last << 11) - (mobility << 14);
    }

    /// Does `child`, which was rated, leave at most one reply? It would come first in most orders.
    #[inline]
    pub(super) fn leaves_one_reply(child: &MoveEntry) -> bool {
        weighted(child.replies) <= 1
    }

    /// The moves of `board` for a proof: fewer replies first, for they make the smallest proofs.
    pub(super) fn smallest_proof_first(board: Board) -> Vec<Square> {
        let mut moves: Vec<Square> = board.legal_moves().collect();
        moves.sort_by_cached_key(|&square| board.play(square).legal_moves().count());
        moves
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

/// The squares that touch a corner diagonally.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;

/// Most plies before the horizon at which the moves of a node are ordered by their static scores.
pub(super) const BY_ESTIMATE: i32 = 11;

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
    } else if depth <= BY_ESTIMATE {
        Some(0)
    } else {
        Some(if depth <= 20 { 1 } else { 2 })
    }
}

/// Units of the evaluation (1/128 disc) that one weighted move of the opponent is worth beside an evaluation
/// so many plies deep: more where that says nothing of the replies, in a search to the end of the game.
const fn mobility_units<const END: bool>(look_ahead: i32) -> i32 {
    if END && look_ahead == 0 { 400 } else { 250 }
}

/// Units that a potential move of the opponent is worth.
const POTENTIAL_UNITS: i32 = 64;

/// Units that an own stable disc at a corner is worth.
const STABLE_UNITS: i32 = 128;

/// Units that a move to a square is worth that touches no other empty one: likely the last move of its region.
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

/// The positional terms of the value of having reached `child` by a disc on a square, to be added to its
/// evaluation `look_ahead` plies deep.
#[inline]
pub(super) fn positional_value<const END: bool>(
    child: Board,
    is_isolated: bool,
    look_ahead: i32,
) -> Units {
    let potential = simd::potential_moves(child.player, child.opponent).count_ones() as i32;
    Units::new(
        STABLE_UNITS * simd::corner_stability(child.opponent) as i32
            + ISOLATED_UNITS * i32::from(is_isolated)
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

    #[test]
    fn of_three_a_square_that_touches_no_other_comes_first() {
        let corner: [usize; 7] = [0, 1, 2, 8, 9, 10, 63];
        let sets = (0_u32..1 << corner.len()).filter(|chosen| chosen.count_ones() == 3);
        for chosen in sets {
            let is_in = |n: usize| chosen >> n & 1 != 0;
            let squares = (0..corner.len()).filter(|&n| is_in(n)).map(|n| corner[n]);
            let empties = squares.fold(0, |set, square| set | 1_u64 << square);
            let order = EndgameOrder::of(empties).three();
            assert_eq!(order.iter().fold(0, |set, &sq| set | 1_u64 << sq), empties);
            let touches_none = |sq: &usize| simd::neighbours(*sq) & empties == 0;
            assert!(
                touches_none(&order[0]) || !order.iter().any(touches_none),
                "{order:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn isolated_squares_touch_no_other_empty_one(a: u64, b: u64, c: u64) {
            // A few empties, some of them alone.
            let empties = a & b & c;
            let alone = Bitboard(empties).filter(|sq| simd::neighbours(sq.index()) & empties == 0);
            prop_assert_eq!(EndgameOrder::of(empties).isolated, alone.fold(0, |set, square| set | square.bit()));
        }

        #[test]
        fn near_the_end_each_move_comes_once_and_better_groups_first(a: u64, b: u64, c: u64) {
            let empties = a & b;
            let (moves, order) = (empties & c, EndgameOrder::of(empties));
            let group = |&square: &usize| {
                let is_in = |set: u64| set >> square & 1 != 0;
                let groups = [is_in(order.isolated), is_in(CORNERS), !is_in(X_SQUARES), true];
                (groups.into_iter().position(|in_group| in_group), square)
            };
            let order: Vec<usize> = order.squares(moves).collect();
            let mut expected: Vec<usize> = Bitboard(moves).map(Square::index).collect();
            expected.sort_by_key(group);
            prop_assert_eq!(order, expected);
        }
    }
}
