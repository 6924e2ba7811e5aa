//! Small tables of one thread for the last plies of a solve: no sharing, no
//! ageing, one entry in each place, always replaced.

use super::moves::NO_MOVE;
use super::table::{TablePlace, hash};
use super::window::Interval;
use crate::reserve::Reserve;
use crate::rules::Board;
use crate::simd::hints;

/// What is known of a board, by exact search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Known {
    player: u64,
    opponent: u64,
    pub(super) bounds: Interval,
    /// The best move, or 64.
    pub(super) best: u8,
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
            bounds: Interval::ALL,
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
    fn place(&self, board: Board) -> TablePlace {
        TablePlace((hash::<0>(board) >> (64 - BITS)) as usize)
    }

    /// Asks the memory for the place of a board that will soon be looked up.
    #[inline]
    pub(super) fn prefetch(&self, board: Board) {
        hints::prefetch(&self.places, self.place(board).0);
    }

    /// What is known of `board`, and where more is to be stored.
    #[inline]
    pub(super) fn probe(&self, board: Board) -> (Option<Known>, TablePlace) {
        let place = self.place(board);
        let known = self.places[place.0 & ((1 << BITS) - 1)];
        let same = known.player == board.player ^ self.salt && known.opponent == board.opponent;
        (same.then_some(known), place)
    }

    /// Stores what was found of `board`, which was probed.
    #[inline]
    pub(super) fn store(&mut self, place: TablePlace, board: Board, bounds: Interval, best: u8) {
        let salt = self.salt;
        let known = &mut self.places[place.0 & ((1 << BITS) - 1)];
        let same = known.player == board.player ^ salt && known.opponent == board.opponent;
        if same {
            known.bounds = known.bounds.and(bounds);
            known.best = best;
        } else {
            *known = Known {
                player: board.player ^ salt,
                opponent: board.opponent,
                bounds,
                best,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Discs;

    #[test]
    fn bounds_of_one_board_close_in() {
        let mut cache = EndgameCache::<4>::new().expect("memory");
        let place = cache.place(Board::START);
        let at_most_4 = Interval::new(Discs::MIN, Discs::new(4));
        let at_least_2 = Interval::new(Discs::new(2), Discs::MAX);
        cache.store(place, Board::START, at_most_4, 19);
        cache.store(place, Board::START, at_least_2, 26);
        let known = cache.probe(Board::START).0.expect("stored");
        assert_eq!(known.bounds, at_most_4.and(at_least_2));
        assert_eq!(known.best, 26);
        assert_eq!(cache.probe(Board::START.pass()).0, None);
    }

    #[test]
    fn renewing_hides_everything() {
        let mut cache = EndgameCache::<4>::new().expect("memory");
        let place = cache.place(Board::START);
        cache.store(place, Board::START, Interval::ALL, 19);
        cache.renew();
        assert_eq!(cache.probe(Board::START).0, None);
    }
}
