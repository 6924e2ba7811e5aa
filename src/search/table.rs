//! The transposition table: what is known of boards already searched, shared by all threads.
//!
//! An entry is three atomic words: the data, and the two halves of the board
//! mixed with the data (after Hyatt and Mann, ICGA Journal 25(1), 2002). A torn
//! entry does not match its board, so there is no lock and no wrong hit, and the
//! whole board is checked.
//!
//! Entries carry the generation that wrote them. [`TranspositionTable::age`] makes older
//! entries the first to be replaced; [`TranspositionTable::renew`] makes them invisible,
//! as if the table had been cleared.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Selectivity;
use super::moves::NO_MOVE;
use super::options::TableError;
use super::window::Interval;
use crate::reserve::Reserve;
use crate::rules::{Board, Square};
use crate::score::Discs;
use crate::simd::hints;

/// Entries that share two cache lines.
const WAYS: usize = 5;

/// An entry loses this many plies of its value for each generation that it is old.
const AGE_PLIES: i32 = 8;

/// What is known of one board: its score lies within `bounds`, for the
/// side to move, when searched `depth` plies with `selectivity`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) bounds: Interval,
    pub(super) depth: u8,
    pub(super) selectivity: Selectivity,
    /// The best moves, latest first; [`NO_MOVE`] where there is none.
    pub(super) moves: [u8; 2],
}

impl Entry {
    /// Is the entry valid for a search of this depth and selectivity?
    #[inline]
    pub(super) fn covers(self, depth: i32, selectivity: Selectivity) -> bool {
        i32::from(self.depth) >= depth && self.selectivity >= selectivity
    }

    /// The bound that says whether the score is better than `alpha`, if one does and the entry is valid for such
    /// a search.
    #[inline]
    pub(super) fn decides(
        self,
        depth: i32,
        selectivity: Selectivity,
        alpha: Discs,
    ) -> Option<Discs> {
        let covers = self.covers(depth, selectivity);
        covers.then(|| self.bounds.decides(alpha))?
    }

    /// The best move, where there is one.
    pub(super) fn best_move(self) -> Option<Square> {
        Square::new(u32::from(self.moves[0]))
    }

    const fn pack(self, generation: u16) -> u64 {
        self.bounds.pack() as u64
            | (self.depth as u64) << 16
            | (self.selectivity as u64) << 24
            | (self.moves[0] as u64) << 32
            | (self.moves[1] as u64) << 40
            | (generation as u64) << 48
    }

    fn unpack(data: u64) -> Entry {
        let byte = |shift: u32| (data >> shift) as u8;
        Entry {
            bounds: Interval::unpack(data as u16),
            depth: byte(16),
            selectivity: Selectivity::ALL[usize::from(byte(24)).min(Selectivity::ALL.len() - 1)],
            moves: [byte(32), byte(40)],
        }
    }
}

const fn generation_of(data: u64) -> u16 {
    (data >> 48) as u16
}

const fn depth_of(data: u64) -> i32 {
    (data >> 16) as u8 as i32
}

/// Words of one entry: the data, and the board mixed with it.
const SLOT_WORDS: usize = 3;

/// Words of one cluster: two cache lines, one word of them unused.
const CLUSTER_WORDS: usize = 16;

/// Bytes of one cluster.
const CLUSTER_BYTES: usize = CLUSTER_WORDS * size_of::<u64>();

/// One entry in place: the data, and the two halves of the board mixed with it.
type Slot = [AtomicU64; SLOT_WORDS];

/// The data of `slot` if it holds `board`.
#[inline]
fn load([data, player, opponent]: &Slot, board: Board) -> Option<u64> {
    let data = data.load(Ordering::Relaxed);
    let player = player.load(Ordering::Relaxed);
    let opponent = opponent.load(Ordering::Relaxed);
    let same =
        player ^ data == board.player && opponent ^ mix(board.player, data) == board.opponent;
    same.then_some(data)
}

#[inline]
fn save(slot: &Slot, board: Board, data: u64) {
    let opponent = board.opponent ^ mix(board.player, data);
    let words = [data, board.player ^ data, opponent];
    for (to, word) in slot.iter().zip(words) {
        to.store(word, Ordering::Relaxed);
    }
}

#[inline]
const fn mix(player: u64, data: u64) -> u64 {
    (player ^ data.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Where a board is noted in a table.
#[derive(Clone, Copy)]
pub(super) struct Place(pub(super) usize);

/// How a search finds the table.
pub(super) enum Generation {
    /// What is known is kept and counts as older, unless only a part of the table was in use.
    Next,
    /// Nothing is known, and no more memory than this is used.
    First {
        /// 2^20 bytes each.
        megabytes: usize,
    },
}

/// The table. Node counts of a search depend on its size and on what is visible
/// in it, never on what an earlier [`TranspositionTable::renew`] hid.
pub(super) struct TranspositionTable {
    words: Box<[AtomicU64]>,
    /// Words before the first cluster, which begins a cache line.
    offset: usize,
    /// Clusters in all.
    clusters: usize,
    /// Clusters in use, the first ones.
    span: usize,
    /// Clusters for which large pages were asked, the first ones.
    in_large_pages: usize,
    generation: u16,
    oldest_visible: u16,
}

impl TranspositionTable {
    /// An empty table of `megabytes` (2^20 bytes each, at least 1).
    pub(super) fn new(megabytes: usize) -> Result<TranspositionTable, TableError> {
        let error = TableError { megabytes };
        let bytes = megabytes.max(1).checked_mul(1 << 20).ok_or(error.clone())?;
        let clusters = bytes / CLUSTER_BYTES;
        // Zeroed pages of a plain allocation are handed out lazily: a large table costs
        // nothing until it is used. One cluster more leaves room to align the first.
        let count = (clusters + 1) * CLUSTER_WORDS;
        let words = zeroed_words(count).ok_or(error)?;
        let offset = words.as_ptr().align_offset(CLUSTER_BYTES);
        let offset = offset.min(CLUSTER_WORDS);
        Ok(TranspositionTable {
            words,
            offset,
            clusters,
            span: clusters,
            in_large_pages: 0,
            generation: 1,
            oldest_visible: 1,
        })
    }

    /// Later entries count as newer than all earlier ones.
    fn age(&mut self) {
        if self.generation == u16::MAX {
            self.words.fill_with(AtomicU64::default);
            self.generation = 0;
            self.oldest_visible = 1;
        }
        self.generation += 1;
    }

    /// Hides all entries, at no cost. The whole table is in use from now on.
    pub(super) fn renew(&mut self) {
        self.age();
        self.oldest_visible = self.generation;
        self.span = self.clusters;
    }

    /// Hides all entries, and uses no more than `megabytes` (2^20 bytes each, at least 1)
    /// until the next renewal: what is small stays in the processor's caches.
    ///
    /// This part is asked for in large pages, which fill fast what is going to be filled. The first
    /// move of a game, which touches a little everywhere, would wait for them.
    fn renew_within(&mut self, megabytes: usize) {
        self.renew();
        let wanted = megabytes.max(1).saturating_mul((1 << 20) / CLUSTER_BYTES);
        self.span = self.clusters.min(wanted);
        if self.span > self.in_large_pages {
            let words = self.offset + self.span * CLUSTER_WORDS;
            hints::prefer_huge_pages(&self.words[..words]);
            self.in_large_pages = self.span;
        }
    }

    /// Begins a new generation, as a search does.
    pub(super) fn begin(&mut self, generation: Generation) {
        match generation {
            Generation::Next if self.is_whole() => self.age(),
            Generation::Next => self.renew(),
            Generation::First { megabytes } => self.renew_within(megabytes),
        }
    }

    /// Is all of the table in use?
    fn is_whole(&self) -> bool {
        self.span == self.clusters
    }

    /// Where `board` would be.
    #[inline]
    fn place(&self, board: Board) -> Place {
        let index = ((u128::from(hash::<29>(board)) * self.span as u128) >> 64) as usize;
        Place(self.offset + index * CLUSTER_WORDS)
    }

    #[inline]
    fn slots(&self, place: Place) -> &[Slot] {
        let words = &self.words[place.0..place.0 + WAYS * SLOT_WORDS];
        words.as_chunks().0
    }

    #[inline]
    fn is_visible(&self, data: u64) -> bool {
        generation_of(data) >= self.oldest_visible
    }

    /// Prefetches the cluster of `board` into the processor's cache.
    #[inline]
    pub(super) fn prefetch(&self, board: Board) {
        let place = self.place(board).0;
        hints::prefetch(&self.words, place);
        hints::prefetch(&self.words, place + CLUSTER_WORDS / 2);
    }

    /// The data of `slot` if it holds `board` and is visible. Hidden slots count as empty
    /// everywhere, so that what they hold cannot change which one is replaced.
    #[inline]
    fn load(&self, slot: &Slot, board: Board) -> Option<u64> {
        load(slot, board).filter(|&data| self.is_visible(data))
    }

    /// What is known of `board`, and where more is to be stored.
    #[inline]
    pub(super) fn probe(&self, board: Board) -> (Option<Entry>, Place) {
        let place = self.place(board);
        let mut slots = self.slots(place).iter();
        let data = slots.find_map(|slot| self.load(slot, board));
        (data.map(Entry::unpack), place)
    }

    /// Adds what was found, with one best move, to what is known of `board`, which was probed.
    pub(super) fn store(&self, place: Place, board: Board, found: Entry) {
        let mut victim = None;
        let mut least = i32::MAX;
        for slot in self.slots(place) {
            if let Some(data) = self.load(slot, board) {
                let merged = self.merge(data, found);
                if let Some(entry) = merged {
                    save(slot, board, entry.pack(self.generation));
                }
                return;
            }
            let worth = self.worth(slot[0].load(Ordering::Relaxed));
            if victim.is_none() || worth < least {
                least = worth;
                victim = Some(slot);
            }
        }
        if let Some(victim) = victim {
            save(victim, board, found.pack(self.generation));
        }
    }

    /// The entry to keep for a board that has one, or `None` to leave that as it is.
    fn merge(&self, data: u64, mut entry: Entry) -> Option<Entry> {
        let old = Entry::unpack(data);
        let new_level = (entry.depth, entry.selectivity);
        let old_level = (old.depth, old.selectivity);
        let [best, _] = entry.moves;
        entry.moves = match old.moves {
            moves if best == NO_MOVE => moves,
            [latest, before] if latest == best => [best, before],
            [latest, _] => [best, latest],
        };
        if new_level == old_level {
            let both = entry.bounds.and(old.bounds);
            // Selective searches may contradict each other; the later one stands.
            if both.lower() <= both.upper() {
                entry.bounds = both;
            }
        } else if old_level > new_level && generation_of(data) == self.generation {
            return None;
        }
        Some(entry)
    }

    /// The value of keeping an entry; the one with the least value is replaced.
    fn worth(&self, data: u64) -> i32 {
        if !self.is_visible(data) {
            return i32::MIN;
        }
        let age = i32::from(self.generation - generation_of(data));
        depth_of(data) - AGE_PLIES * age
    }

    /// Filled part, in thousandths, from a sample; entries of the current generation only.
    pub(super) fn permille_full(&self) -> u32 {
        let sample = self.span.min(200);
        let places = (0..sample).map(|at| Place(self.offset + at * CLUSTER_WORDS));
        let slots = places.flat_map(|place| self.slots(place));
        let current =
            |slot: &&Slot| generation_of(slot[0].load(Ordering::Relaxed)) == self.generation;
        (slots.filter(current).count() * 1000 / (sample * WAYS)) as u32
    }
}

/// So many words of zeros, if there is memory for them.
pub(super) fn zeroed_words(count: usize) -> Option<Box<[AtomicU64]>> {
    let _reserve = Reserve::hold()?;
    bytemuck::allocation::try_zeroed_slice_box(count).ok()
}

/// Spreads boards over 64 bits; the high bits are the good ones. Tables that differ in `TURN`
/// (the shared one has 29, the threads' caches 0) differ in what falls on one place.
#[inline]
pub(super) const fn hash<const TURN: u32>(board: Board) -> u64 {
    let player = board.player.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let opponent = board
        .opponent
        .rotate_left(TURN)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = player ^ opponent.swap_bytes();
    (mixed ^ (mixed >> 32)).wrapping_mul(0x94d0_49bb_1331_11eb)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(depth: u8, lower: i32, upper: i32) -> Entry {
        Entry {
            bounds: Interval::new(Discs::new(lower), Discs::new(upper)),
            depth,
            selectivity: Selectivity::Full,
            moves: [19, NO_MOVE],
        }
    }

    fn known(table: &TranspositionTable, board: Board) -> Option<Entry> {
        table.probe(board).0
    }

    fn store(table: &TranspositionTable, board: Board, finding: Entry) {
        table.store(table.place(board), board, finding);
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = TranspositionTable::new(1).expect("1 MB");
        store(&table, Board::START, finding(10, -2, 4));
        let entry = known(&table, Board::START).expect("stored");
        assert_eq!((entry.bounds, entry.depth), (finding(10, -2, 4).bounds, 10));
        assert_eq!(entry.best_move(), Square::new(19));
        assert_eq!(known(&table, Board::START.pass()), None);
    }

    #[test]
    fn bounds_of_one_level_close_in() {
        let table = TranspositionTable::new(1).expect("1 MB");
        store(&table, Board::START, finding(10, -2, 64));
        store(&table, Board::START, finding(10, -64, 4));
        let entry = known(&table, Board::START).expect("stored");
        assert_eq!(entry.bounds, finding(10, -2, 4).bounds);
    }

    #[test]
    fn a_shallower_result_does_not_replace_a_deeper_one() {
        let mut table = TranspositionTable::new(1).expect("1 MB");
        store(&table, Board::START, finding(10, 2, 2));
        store(&table, Board::START, finding(4, 0, 0));
        assert_eq!(
            known(&table, Board::START).map(|entry| entry.depth),
            Some(10)
        );
        table.age();
        store(&table, Board::START, finding(4, 0, 0));
        assert_eq!(
            known(&table, Board::START).map(|entry| entry.depth),
            Some(4)
        );
    }

    #[test]
    fn renewing_hides_everything() {
        let mut table = TranspositionTable::new(1).expect("1 MB");
        store(&table, Board::START, finding(10, 2, 2));
        table.age();
        assert!(known(&table, Board::START).is_some());
        table.renew();
        assert_eq!(known(&table, Board::START), None);
    }

    #[test]
    fn hidden_entries_do_not_change_which_one_is_replaced() {
        let table_of_one_cluster = || TranspositionTable {
            clusters: 1,
            span: 1,
            ..TranspositionTable::new(1).expect("1 MB")
        };
        let mut boards: Vec<Board> = (0..=WAYS as u32)
            .map(|shift| Board {
                player: 1 << shift,
                opponent: 1 << 63,
            })
            .collect();
        let mut used = table_of_one_cluster();
        for &board in &boards {
            store(&used, board, finding(10, 2, 2));
        }
        used.renew();
        boards.rotate_left(2);
        let fresh = table_of_one_cluster();
        for &board in &boards {
            store(&fresh, board, finding(10, 2, 2));
            store(&used, board, finding(10, 2, 2));
        }
        let held = |table: &TranspositionTable| -> Vec<bool> {
            let held = |&board| known(table, board).is_some();
            boards.iter().map(held).collect()
        };
        assert_eq!(held(&used), held(&fresh));
    }

    #[test]
    fn a_smaller_part_of_the_table_serves_as_well() {
        let mut table = TranspositionTable::new(4).expect("4 MB");
        table.renew_within(1);
        assert!(!table.is_whole());
        store(&table, Board::START, finding(10, 2, 2));
        assert!(known(&table, Board::START).is_some());
        table.renew_within(1000);
        assert!(table.is_whole());
        assert_eq!(known(&table, Board::START), None);
    }

    #[test]
    fn generations_wrap_without_showing_old_entries() {
        let mut table = TranspositionTable::new(1).expect("1 MB");
        for _ in 0..70_000 {
            store(&table, Board::START, finding(10, 2, 2));
            table.renew();
            assert_eq!(known(&table, Board::START), None);
        }
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        assert!(TranspositionTable::new(usize::MAX >> 8).is_err());
        assert!(TranspositionTable::new(usize::MAX).is_err());
    }
}
