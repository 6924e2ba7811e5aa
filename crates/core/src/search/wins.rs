//! The moves by which boards reached a score, noted for the proof that follows a solve.
//!
//! The tables that a solve works with forget most boards of few empties, so a proof would have to search
//! them again. Here it finds, for each board that was better than some `alpha`, the move that showed it.
//! Only searches to the end of the game that leave nothing out are noted, so a note is true for ever.

use std::sync::atomic::{AtomicU64, Ordering};

use super::options::TableError;
use super::table::{hash, zeroed_words};
use crate::rules::{Board, Square};
use crate::score::Discs;

/// Notes in a table of fixed size: 8 bytes each, the later one stays. Shared by threads.
pub(super) struct Wins {
    /// Zero, or 57 bits of the key, a one, and the square.
    words: Box<[AtomicU64]>,
    /// Boards of so many empties are not noted.
    most_empties_left_out: u32,
}

impl Wins {
    /// An empty table of `megabytes` (2^20 bytes each), for boards of more than so many empties.
    pub(super) fn new(megabytes: usize, empties: u32) -> Result<Wins, TableError> {
        let count = megabytes.max(1).checked_mul((1 << 20) / size_of::<u64>());
        let words = count.and_then(zeroed_words);
        let words = words.ok_or(TableError { megabytes })?;
        Ok(Wins {
            words,
            most_empties_left_out: empties,
        })
    }

    /// Notes that `board` is better than `alpha` by this move.
    #[cold]
    pub(super) fn note(&self, board: Board, alpha: Discs, square: u8) {
        if board.empty_count() > self.most_empties_left_out {
            let (word, key) = self.find(board, alpha);
            word.store(key << 7 | 64 | u64::from(square & 63), Ordering::Relaxed);
        }
    }

    /// The move by which `board` is better than `alpha`, if it was noted.
    pub(super) fn get(&self, board: Board, alpha: Discs) -> Option<Square> {
        let (word, key) = self.find(board, alpha);
        let noted = word.load(Ordering::Relaxed);
        (noted >> 6 == key << 1 | 1).then(|| Square::wrapping(noted as u32 & 63))
    }

    /// The word for a board, and the 57 bits that tell it from others there.
    fn find(&self, board: Board, alpha: Discs) -> (&AtomicU64, u64) {
        /// An odd number without a pattern.
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let key = hash::<0>(board).wrapping_add((alpha.get() as u64).wrapping_mul(MIX));
        let index = (u128::from(key) * self.words.len() as u128) >> 64;
        (&self.words[index as usize], key << 7 >> 7)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_noted_is_found_for_the_same_question_alone() {
        let wins = Wins::new(1, 8).expect("1 MB");
        let (one, two) = (Discs::ONE, Discs::new(3));
        for square in [0, 19, 63] {
            wins.note(Board::START, one, square);
            let found = wins.get(Board::START, one);
            assert_eq!(found.map(Square::index), Some(usize::from(square)));
            assert_eq!(wins.get(Board::START, two), None);
            assert_eq!(wins.get(Board::START.pass(), one), None);
        }
        let few = Wins::new(1, 60).expect("1 MB");
        few.note(Board::START, one, 19);
        assert_eq!(few.get(Board::START, one), None);
    }
}
