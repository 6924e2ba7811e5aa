//! The pattern indices of one board, kept up to date move by move.
//!
//! An instance with the squares s0, s1, .. has the index Σ 3^p(k) · d(sk), where
//! p(k) is the place of the square's digit (`PatternClass::places`), and d is 0 on
//! an empty square, 1 on a disc of the side to move and 2 on one of its opponent.
//! The two kinds of discs are summed apart, so that a move, which swaps the roles,
//! is an addition and a swap.

use std::ops::{AddAssign, SubAssign};

use super::patterns::{CLASSES, INSTANCE_LIST, INSTANCES, LANES};
use crate::rules::{Bitboard, Board, Square};

/// One number for each pattern instance; lanes beyond the last instance stay 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub struct Lanes(pub [u16; LANES]);

impl Lanes {
    const ZERO: Lanes = Lanes([0; LANES]);
}

// Plain loops over arrays of this size become one or two vector instructions.
impl AddAssign<&Lanes> for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: &Lanes) {
        for (lane, &x) in self.0.iter_mut().zip(&other.0) {
            *lane = lane.wrapping_add(x);
        }
    }
}

impl SubAssign<&Lanes> for Lanes {
    #[inline(always)]
    fn sub_assign(&mut self, other: &Lanes) {
        for (lane, &x) in self.0.iter_mut().zip(&other.0) {
            *lane = lane.wrapping_sub(x);
        }
    }
}

/// What a disc adds to each instance: 3^p where the digit of its square has place p, else 0.
static CONTRIBUTIONS: [Lanes; 64] = contributions();

const fn contributions() -> [Lanes; 64] {
    let mut table = [Lanes::ZERO; 64];
    let mut lane = 0;
    while lane < INSTANCES {
        let instance = INSTANCE_LIST[lane];
        let squares = CLASSES[instance.class].squares();
        let places = CLASSES[instance.class].places();
        let mut digit = 0;
        while digit < squares.len() {
            let square = instance.symmetry.apply_square(squares[digit]);
            table[square.index()].0[lane] = 3u16.pow(places[digit] as u32);
            digit += 1;
        }
        lane += 1;
    }
    table
}

/// The sum of the contributions of a set of squares.
#[inline(always)]
fn sum(squares: u64) -> Lanes {
    let mut sum = Lanes::ZERO;
    for square in Bitboard(squares) {
        sum += &CONTRIBUTIONS[square.index()];
    }
    sum
}

/// The pattern indices of a board, in two parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// Sums over the discs of the side to move.
    pub player: Lanes,
    /// Sums over the discs of its opponent.
    pub opponent: Lanes,
}

impl Features {
    /// The features of `board`, computed from its squares.
    pub fn of(board: Board) -> Features {
        Features {
            player: sum(board.player),
            opponent: sum(board.opponent),
        }
    }

    /// The features after the side to move plays `square` and turns `flips`,
    /// seen by the other side, as [`Board::play_flips`] does it.
    #[inline]
    pub fn play(&self, square: Square, flips: u64) -> Features {
        let turned = sum(flips);
        let mut next = self.pass();
        next.player -= &turned;
        next.opponent += &turned;
        next.opponent += &CONTRIBUTIONS[square.index()];
        next
    }

    /// The features after a pass.
    #[inline]
    pub const fn pass(&self) -> Features {
        Features {
            player: self.opponent,
            opponent: self.player,
        }
    }

    /// The index of each instance.
    #[inline(always)]
    pub fn indices(&self) -> Lanes {
        let mut indices = self.player;
        indices += &self.opponent;
        indices += &self.opponent;
        indices
    }

    /// What the indices after any move have in common.
    #[inline(always)]
    pub fn replies(&self) -> Replies {
        Replies(self.pass().indices())
    }
}

/// The indices of a board for the opponent of the side to move, from which those after a move follow:
/// less work than [`Features::play`], for boards that are evaluated and not searched.
#[derive(Clone, Copy, Debug)]
pub struct Replies(Lanes);

impl Replies {
    /// The index of each instance after the side to move has played `square` and turned `flips`,
    /// seen by the other side.
    #[inline(always)]
    pub fn after(&self, square: Square, flips: u64) -> Lanes {
        let mut indices = self.0;
        indices += &sum(flips);
        indices += &CONTRIBUTIONS[square.index()];
        indices += &CONTRIBUTIONS[square.index()];
        indices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Plays up to `choices.len()` moves from the start, each choice picking one
    /// of the legal moves, and gives `check` every board with its move.
    fn walk(choices: &[u8], mut check: impl FnMut(Board, Option<Square>)) {
        let mut board = Board::START;
        for &choice in choices {
            let moves = board.legal_moves();
            if board.is_over() {
                return;
            }
            let Some(square) = moves
                .clone()
                .nth(choice as usize % moves.count().max(1) as usize)
            else {
                check(board, None);
                board = board.pass();
                continue;
            };
            check(board, Some(square));
            board = board.play(square);
        }
    }

    proptest! {
        #[test]
        fn features_kept_by_moves_equal_those_from_nothing(choices in prop::collection::vec(any::<u8>(), 0..70)) {
            let mut features = Features::of(Board::START);
            walk(&choices, |board, square| {
                assert_eq!(features, Features::of(board));
                let replies = features.replies();
                for square in board.legal_moves() {
                    let expected = Features::of(board.play(square)).indices();
                    assert_eq!(replies.after(square, board.flips(square).0), expected);
                }
                features = match square {
                    Some(square) => features.play(square, board.flips(square).0),
                    None => features.pass(),
                };
            });
        }
    }

    #[test]
    fn an_index_reads_the_squares_as_digits() {
        let board = Board::new(0b001, 0b100).expect("disjoint"); // X on a1, O on c1
        let indices = Features::of(board).indices();
        let class = CLASSES.iter().position(|class| class.name == "corner 3x3");
        let lane = INSTANCE_LIST.iter().position(|i| Some(i.class) == class);
        // From the lowest digit: c3 c2 b3 b2 c1 a3 b1 a2 a1.
        assert_eq!(
            indices.0[lane.expect("a corner pattern")],
            3u16.pow(8) + 2 * 3u16.pow(4)
        );
    }
}
