//! Small tables of one thread for the last plies of a solve: no sharing, no
//! ageing, one entry in each place, always replaced.

use super::moves::NO_MOVE;
use super::table::{Place, hash};
use super::window::decides;
use crate::reserve::Reserve;
use crate::rules::Board;
use crate::score::Discs;
use crate::simd::hints;

/// What is known of a board, by exact search: its final score lies in `lower..=upper` discs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    player: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    /// The best move, or 64.
    pub(super) best: u8,
}

impl Known {
    /// The score is at least this.
    #[inline]
    pub(super) fn lower(&self) -> Discs {
        Discs::new(i32::from(self.lower))
    }

    /// The score is at most this.
    #[inline]
    pub(super) fn upper(&self) -> Discs {
        Discs::new(i32::from(self.upper))
    }

    /// The bound that says whether the score is better than `alpha`, if one does.
    #[inline]
    pub(super) fn decides(&self, alpha: Discs) -> Option<Discs> {
        decides((self.lower(), self.upper()), alpha)
    }
}

/// A cache of 2^`BITS` places. A key is salted by the solve it belongs to, so that a solve never
/// sees what an earlier one left.
pub(super) struct EndgameCache<const BITS: u32> {
    places: Box<[Known]>,
    salt: u64,
}

impl<const BITS: u32> EndgameCache<BITS> {
    /// An empty cache; `None` where there is no memory for it.
    pub(super) fn new() -> Option<EndgameCache<BITS>> {
        let nothing = Known {
            player: 0,
            opponent: 0,
            lower: -64,
            upper: 64,
            best: NO_MOVE,
        };
        let _reserve = Reserve::hold()?;
        let mut places = Vec::new();
        places.try_reserve_exact(1 << BITS).ok()?;
        places.resize(1 << BITS, nothing);
        Some(EndgameCache {
            places: places.into_boxed_slice(),
            salt: 0,
        })
    }

    /// Hides all entries, without touching them.
    pub(super) fn renew(&mut self) {
        self.salt = self.salt.wrapping_add(0x9e37_79b9_7f4a_7c15);
    }

    /// Where `board` would be.
    #[inline]
    fn place(&self, board: Board) -> Place {
        Place((hash::<0>(board) >> (64 - BITS)) as usize)
    }

    /// Asks the memory for the place of a board that will soon be looked up.
    #[inline]
    pub(super) fn prefetch(&self, board: Board) {
        hints::prefetch(&self.places, self.place(board).0);
    }

    /// What is known of `board`, and where more is to be stored.
    #[inline]
    pub(super) fn probe(&self, board: Board) -> (Option<Known>, Place) {
        let place = self.place(board);
        let known = self.places[place.0 & ((1 << BITS) - 1)];
        let same = known.player == board.player ^ self.salt && known.opponent == board.opponent;
        (same.then_some(known), place)
    }

    /// Stores that the score of `board`, which was probed, lies in `lower..=upper`.
    #[inline]
    pub(super) fn store(
        &mut self,
        place: Place,
        board: Board,
        (lower, upper): (Discs, Discs),
        best: u8,
    ) {
        let salt = self.salt;
        let known = &mut self.places[place.0 & ((1 << BITS) - 1)];
        let same = known.player == board.player ^ salt && known.opponent == board.opponent;
        let (lower, upper) = (lower.get() as i8, upper.get() as i8);
        if same {
            known.lower = known.lower.max(lower);
            known.upper = known.upper.min(upper);
            known.best = best;
        } else {
            *known = Known {
                player: board.player ^ salt,
                opponent: board.opponent,
                lower,
                upper,
                best,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_one_board_close_in() {
        let mut cache = EndgameCache::<4>::new().expect("memory");
        let place = cache.place(Board::START);
        cache.store(place, Board::START, (Discs::MIN, Discs::new(4)), 19);
        cache.store(place, Board::START, (Discs::new(2), Discs::MAX), 26);
        let known = cache.probe(Board::START).0.expect("stored");
        assert_eq!((known.lower, known.upper, known.best), (2, 4, 26));
        assert_eq!(cache.probe(Board::START.pass()).0, None);
    }

    #[test]
    fn renewing_hides_everything() {
        let mut cache = EndgameCache::<4>::new().expect("memory");
        let place = cache.place(Board::START);
        cache.store(place, Board::START, (Discs::new(2), Discs::new(2)), 19);
        cache.renew();
        assert_eq!(cache.probe(Board::START).0, None);
    }
}
