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
//!
//! Only a part of the table is in use, which grows with what is stored: its [`Extent`].

use std::sync::atomic::{AtomicU64, Ordering};

use super::Selectivity;
use super::extent::{Extent, Handover};
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

/// The value of keeping nothing.
const NOTHING: i32 = i32::MIN;

/// What is known of one board: its score lies within `bounds`, for the
/// side to move, when searched `depth` plies with `selectivity`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TableEntry {
    pub(super) bounds: Interval,
    pub(super) depth: u8,
    pub(super) selectivity: Selectivity,
    /// The best moves, latest first; [`NO_MOVE`] where there is none.
    pub(super) moves: [u8; 2],
}

impl TableEntry {
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

    fn unpack(data: u64) -> TableEntry {
        let byte = |shift: u32| (data >> shift) as u8;
        TableEntry {
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

/// Bytes of a large page, on most systems.
const LARGE_PAGE: usize = 2 << 20;

/// Bytes that are touched before a search, at most: some 5 ms where the system gives memory slowly.
const MOST_TOUCHED: usize = 64 << 20;

/// One entry in place: the data, and the two halves of the board mixed with it.
type Slot = [AtomicU64; SLOT_WORDS];

/// The board and the data in `slot`, unless another thread is writing there.
fn contents(slot: &Slot) -> (Board, u64) {
    let [data, player, opponent] = slot.each_ref().map(|word| word.load(Ordering::Relaxed));
    let player = player ^ data;
    let opponent = opponent ^ mix(player, data);
    (Board { player, opponent }, data)
}

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
pub(super) struct TablePlace(pub(super) usize);

/// How a search finds the table.
pub(super) enum Generation {
    /// What is known is kept and counts as older, unless the part in use could not grow to the whole table.
    Next,
    /// Nothing is known, and of a larger table just this part is used: what is small stays in the processor's caches.
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
    extent: Extent,
    /// Clusters that earlier searches have used, the first ones.
    touched: usize,
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
        hints::prefer_huge_pages(&words);
        Ok(TranspositionTable {
            words,
            offset,
            clusters,
            extent: Extent::growing(clusters),
            touched: 0,
            generation: 1,
            oldest_visible: 1,
        })
    }

    /// Later entries count as newer than all earlier ones.
    fn age(&mut self) {
        if self.generation == u16::MAX {
            let used = self.touched.max(self.extent.clusters());
            let used = self.offset + used * CLUSTER_WORDS;
            self.words[..used].fill_with(AtomicU64::default);
            self.generation = 0;
            self.oldest_visible = 1;
            if self.extent.is_like(&Extent::growing(self.clusters)) {
                // It is empty again.
                self.extent = Extent::growing(self.clusters);
            }
        }
        self.generation += 1;
    }

    /// Hides all entries, at no cost. The part in use may grow to the whole table from now on.
    pub(super) fn renew(&mut self) {
        self.renew_as(Extent::growing(self.clusters));
    }

    fn renew_as(&mut self, extent: Extent) {
        self.age();
        self.note_growth();
        self.oldest_visible = self.generation;
        self.extent = extent;
    }

    /// Begins a new generation, as a search does.
    pub(super) fn begin(&mut self, generation: Generation) {
        let all = Extent::growing(self.clusters);
        match generation {
            Generation::Next if self.extent.is_like(&all) => self.age(),
            Generation::Next => self.renew_as(all),
            Generation::First { megabytes } => {
                let wanted = megabytes.max(1).saturating_mul((1 << 20) / CLUSTER_BYTES);
                let is_part = wanted < self.clusters;
                self.renew_as(if is_part { Extent::fixed(wanted) } else { all });
            }
        }
        self.touch();
    }

    /// Writes to the first part, where that was never touched: Linux before 6.13 has small pages instead of a large
    /// one that is read before. At most [`MOST_TOUCHED`], as nothing can stop it.
    fn touch(&mut self) {
        let first = self.extent.first().min(MOST_TOUCHED / CLUSTER_BYTES);
        for at in (self.touched..first).step_by(LARGE_PAGE / CLUSTER_BYTES) {
            self.words[self.cluster(at).0].store(0, Ordering::Relaxed);
        }
        self.touched = self.touched.max(self.extent.first());
    }

    /// Notes what the part in use has touched since.
    fn note_growth(&mut self) {
        if self.extent.clusters() > self.extent.first() {
            self.touched = self.touched.max(self.extent.clusters());
        }
    }

    /// Where the boards of this hash would be.
    #[inline]
    fn place(&self, board: Board) -> TablePlace {
        self.cluster(self.extent.cluster(hash::<29>(board)))
    }

    /// Where a cluster is.
    #[inline]
    fn cluster(&self, cluster: usize) -> TablePlace {
        TablePlace(self.offset + cluster * CLUSTER_WORDS)
    }

    #[inline]
    fn slots(&self, place: TablePlace) -> &[Slot] {
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

    /// What is known of `board`.
    #[inline]
    pub(super) fn probe(&self, board: Board) -> Option<TableEntry> {
        let mut slots = self.slots(self.place(board)).iter();
        let data = slots.find_map(|slot| self.load(slot, board));
        data.map(TableEntry::unpack)
    }

    /// Adds what was found, with one best move, to what is known of `board`.
    pub(super) fn store(&self, board: Board, found: TableEntry) {
        let cluster = self.extent.cluster(hash::<29>(board));
        let mut victim = None;
        let mut least = i32::MAX;
        for slot in self.slots(self.cluster(cluster)) {
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
        if least == NOTHING && self.extent.note(cluster) {
            self.extent
                .grow(|step| self.copy(step), |step| self.erase(step));
        }
    }

    /// Copies the boards that move, each into the same slot of the twin.
    fn copy(&self, step: &Handover) {
        self.for_moving(step, |_, twin, (board, data)| save(twin, board, data));
    }

    /// Erases the boards that were copied.
    fn erase(&self, step: &Handover) {
        self.for_moving(step, |slot, _, _| slot[0].store(0, Ordering::Relaxed));
    }

    /// Does something with each board that moves: its slot, that of the twin, and the board with its data.
    fn for_moving(&self, step: &Handover, with: impl Fn(&Slot, &Slot, (Board, u64))) {
        for at in 0..step.count {
            let [from, to] = [step.from, step.to].map(|first| self.slots(self.cluster(first + at)));
            for (slot, twin) in from.iter().zip(to) {
                let (board, data) = contents(slot);
                if self.is_visible(data) && step.moves(hash::<29>(board)) {
                    with(slot, twin, (board, data));
                }
            }
        }
    }

    /// The entry to keep for a board that has one, or `None` to leave that as it is.
    fn merge(&self, data: u64, mut entry: TableEntry) -> Option<TableEntry> {
        let old = TableEntry::unpack(data);
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
            return NOTHING;
        }
        let age = i32::from(self.generation - generation_of(data));
        depth_of(data) - AGE_PLIES * age
    }

    /// How much of what may be used is filled, in thousandths, from a sample; entries of the current generation only.
    pub(super) fn permille_full(&self) -> u32 {
        let sample = self.extent.first().min(200);
        let slots = (0..sample).flat_map(|at| self.slots(self.cluster(at)));
        let current =
            |slot: &&Slot| generation_of(slot[0].load(Ordering::Relaxed)) == self.generation;
        let permille = slots.filter(current).count() * 1000 / (sample * WAYS);
        self.extent.share_of_whole(permille as u64) as u32
    }
}

/// `count` words of zeros, if there is memory for them.
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

    fn finding(depth: u8, lower: i32, upper: i32) -> TableEntry {
        TableEntry {
            bounds: Interval::new(Discs::new(lower), Discs::new(upper)),
            depth,
            selectivity: Selectivity::Full,
            moves: [19, NO_MOVE],
        }
    }

    fn known(table: &TranspositionTable, board: Board) -> Option<TableEntry> {
        table.probe(board)
    }

    fn store(table: &TranspositionTable, board: Board, finding: TableEntry) {
        table.store(board, finding);
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

    /// Threads may write an entry at once, and others read it meanwhile, in whatever order the words become visible.
    #[test]
    fn no_mixture_of_entries_is_an_entry() {
        let other = Board::START.play(Square::wrapping(19));
        let writes = [
            (Board::START, finding(10, -2, 4).pack(1)),
            (Board::START, finding(12, 0, 0).pack(2)),
            (other, finding(10, -2, 4).pack(1)),
            (other.pass(), finding(11, 6, 8).pack(1)),
        ];
        let slots = writes.map(|(board, data)| {
            let slot = Slot::default();
            save(&slot, board, data);
            slot.map(AtomicU64::into_inner)
        });
        for mixture in 0..writes.len().pow(3) {
            let from = |word: u32| mixture / writes.len().pow(word) % writes.len();
            let slot: Slot = [0, 1, 2].map(|word| AtomicU64::new(slots[from(word)][word as usize]));
            for (board, _) in writes {
                if let Some(data) = load(&slot, board) {
                    assert!(writes.contains(&(board, data)), "{mixture}");
                }
            }
        }
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
            extent: Extent::fixed(1),
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
        table.begin(Generation::First { megabytes: 1 });
        store(&table, Board::START, finding(10, 2, 2));
        assert!(known(&table, Board::START).is_some());
        // That part is too small to go on with.
        table.begin(Generation::Next);
        assert_eq!(known(&table, Board::START), None);
        store(&table, Board::START, finding(10, 2, 2));
        table.begin(Generation::Next);
        assert!(known(&table, Board::START).is_some());
        table.begin(Generation::First { megabytes: 1000 });
        assert_eq!(known(&table, Board::START), None);
    }

    /// Boards of no game, all different.
    fn boards() -> impl Iterator<Item = Board> {
        (1..).map(|number: u64| {
            let player = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let opponent = number.wrapping_mul(0xd6e8_feb8_6659_fd93) & !player;
            Board { player, opponent }
        })
    }

    #[test]
    fn a_part_that_grows_loses_hardly_anything() {
        let mut table = TranspositionTable::new(40).expect("40 MB");
        table.begin(Generation::Next);
        let start = table.extent.clusters();
        for many in [50_000, 100_000, 200_000, 400_000] {
            boards()
                .take(many)
                .for_each(|board| store(&table, board, finding(10, 2, 2)));
            let found = boards().take(many);
            let found = found.filter(|&board| known(&table, board).is_some());
            assert!(found.count() > many * 94 / 100, "of {many}");
            let full = many * 1000 / (table.clusters * WAYS);
            assert!(table.permille_full().abs_diff(full as u32) < 40, "{full}");
        }
        let grown = table.extent.clusters();
        assert!(grown > 2 * start && grown < table.clusters);
        // The next search goes on with it, unless all is forgotten.
        table.begin(Generation::Next);
        assert!(known(&table, Board::START.pass()).is_none());
        assert_eq!(table.extent.clusters(), grown);
        table.renew();
        assert_eq!(table.extent.clusters(), start);
        assert!(
            boards()
                .take(1000)
                .all(|board| known(&table, board).is_none())
        );
    }

    #[test]
    fn a_table_that_is_full_stays_whole() {
        let mut table = TranspositionTable::new(9).expect("9 MB");
        table.begin(Generation::Next);
        let many = 2 * table.clusters * WAYS;
        boards()
            .take(many)
            .for_each(|board| store(&table, board, finding(10, 2, 2)));
        assert!(table.clusters - table.extent.clusters() < 8);
        assert!(table.permille_full() > 950);
    }

    #[test]
    fn a_table_that_threads_have_grown_is_as_good() {
        let mut table = TranspositionTable::new(100).expect("100 MB");
        table.begin(Generation::Next);
        let start = table.extent.clusters();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let own = boards().skip(thread * 50_000).take(50_000);
                let table = &table;
                scope.spawn(move || own.for_each(|board| store(table, board, finding(10, 2, 2))));
            }
        });
        // What was stored while the part grew may be lost.
        let all = || boards().take(200_000);
        all().for_each(|board| store(&table, board, finding(10, 2, 2)));
        let found = all().filter(|&board| known(&table, board).is_some());
        assert!(found.count() > 180_000);
        assert!(table.extent.clusters() > 2 * start);
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
