//! All positions of a book in memory, for work that concerns all of them: about 70 bytes each.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rayon::prelude::*;

use super::entry::{BookEntry, BookLeaf, Certainty, GameCounts, known_depth, within};
use super::record::{Key, allowed_by, fingerprint_of, game_key, pack, rule_key, unpack};
use super::reply::AfterMove;
use super::store::{Book, BookError, BookSource, Damage, restricting};
use super::writer::{BookWriter, NewBook};
use crate::rules::{Bitboard, Board, Square};
use crate::score::{Bounds, Score};

/// A place in an index that holds nothing.
const FREE: u32 = u32::MAX;

/// What becomes of a position that nobody has searched, where all of its moves are links.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    /// Its score follows from them.
    Resolved,
    /// It stays as if it were not in the book: only so is a book consistent after each change of one entry.
    Left,
}

/// What a merger of two books leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Merged {
    /// Positions in which the repertoires differ: that of the first book stays.
    pub differ: usize,
    /// Games that both books have counted, where each has counted others too: so the counts are too low.
    pub miscounted: usize,
}

/// The positions of a book.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    keys: Vec<Key>,
    entries: Vec<BookEntry>,
    /// An open hash table of places in the lists; its length is a power of two.
    slots: Vec<u32>,
    /// Fingerprints of the games that were counted.
    games: BTreeSet<u64>,
    /// What a repertoire allows, by the keys under which that stands.
    rules: BTreeMap<Key, BookEntry>,
}

impl Tree {
    /// The positions of a book. Those of damaged blocks are missing, which the log tells.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn load(book: &Book) -> Result<Tree, BookError> {
        let (tree, damaged) = Tree::read(book)?;
        // The log has told what was damaged when it was opened.
        for damage in &damaged[book.damaged().len()..] {
            log::warn!("{} is damaged: {damage}", book.path().display());
        }
        Ok(tree)
    }

    /// The positions of a book that is whole: for a new book that may take its place.
    ///
    /// # Errors
    /// If it is damaged anywhere, or cannot be read.
    pub fn load_whole(path: &Path) -> Result<Tree, BookError> {
        let book = Book::of(path, BookSource::open(path)?)?;
        let (tree, damaged) = Tree::read(&book)?;
        book.refuse(&damaged)?;
        Ok(tree)
    }

    fn read(book: &Book) -> Result<(Tree, Vec<Damage>), BookError> {
        let mut tree = Tree::default();
        let damaged = book.for_each_key(|key, entry| {
            tree.insert_key(key, entry);
            Ok(())
        })?;
        Ok((tree, damaged))
    }

    /// Positions.
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Is there none?
    pub const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The position of this number and what is known of it.
    pub fn at(&self, number: usize) -> (Board, &BookEntry) {
        let board = unpack(self.keys[number]).expect("a key of a board");
        (board, &self.entries[number])
    }

    /// All positions, canonical.
    pub fn iter(&self) -> impl Iterator<Item = (Board, &BookEntry)> {
        (0..self.len()).map(|number| self.at(number))
    }

    /// The number of a position or of an image of it.
    pub fn find(&self, board: Board) -> Option<usize> {
        self.find_key(pack(board.canonical()))
    }

    /// What is known of a position, for this board and not for its canonical image.
    pub fn get(&self, board: Board) -> Option<BookEntry> {
        let (canonical, symmetry) = board.canonical_with_symmetry();
        let number = self.find_key(pack(canonical))?;
        Some(self.entries[number].transform(symmetry.inverse()))
    }

    fn find_key(&self, key: Key) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        match self.slots[self.slot(key)] {
            FREE => None,
            number => Some(number as usize),
        }
    }

    /// The slot of a key, or the free one where it belongs.
    fn slot(&self, key: Key) -> usize {
        let mask = self.slots.len() - 1;
        let mixed = (key ^ key >> 52) as u64;
        let mut slot = (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) as usize & mask;
        while self.slots[slot] != FREE && self.keys[self.slots[slot] as usize] != key {
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Adds a position or changes it; returns its number.
    pub fn insert(&mut self, board: Board, entry: BookEntry) -> usize {
        let (canonical, symmetry) = board.canonical_with_symmetry();
        let entry = entry.transform(symmetry);
        let key = pack(canonical);
        if let Some(number) = self.find_key(key) {
            self.entries[number] = entry;
            return number;
        }
        // At most three quarters of the slots are taken.
        if 3 * self.slots.len() < 4 * (self.len() + 1) {
            self.keys.push(key);
            self.entries.push(entry);
            self.rebuild_slots();
        } else {
            let slot = self.slot(key);
            self.slots[slot] = self.len() as u32;
            self.keys.push(key);
            self.entries.push(entry);
        }
        self.len() - 1
    }

    /// Adds what stands under a key: a position, or a game that was counted.
    pub(super) fn insert_key(&mut self, key: Key, entry: BookEntry) {
        if let Some(board) = unpack(key) {
            self.insert(board, entry);
        }
        self.games.extend(fingerprint_of(key));
        if allowed_by(key, &entry).is_some() {
            self.rules.insert(key, entry);
        }
    }

    fn rebuild_slots(&mut self) {
        let length = (3 * self.len() / 2 + 2).next_power_of_two();
        self.slots.clear();
        self.slots.resize(length, FREE);
        for number in 0..self.len() {
            let slot = self.slot(self.keys[number]);
            self.slots[slot] = number as u32;
        }
    }

    /// Changes what is known of a position, which is canonical there.
    pub fn entry_mut(&mut self, number: usize) -> &mut BookEntry {
        &mut self.entries[number]
    }

    /// Keeps the positions for which `keep` is true.
    pub fn retain(&mut self, keep: impl Fn(usize) -> bool) {
        let kept: Vec<usize> = (0..self.len()).filter(|&number| keep(number)).collect();
        self.keys = kept.iter().map(|&number| self.keys[number]).collect();
        self.entries = kept.iter().map(|&number| self.entries[number]).collect();
        self.rebuild_slots();
    }

    /// Sorts the positions as a file has them.
    pub fn sort(&mut self) {
        let order = self.sorted();
        self.keys = order.iter().map(|&at| self.keys[at as usize]).collect();
        self.entries = order.iter().map(|&at| self.entries[at as usize]).collect();
        self.rebuild_slots();
    }

    /// The numbers of the positions in the order of a file.
    fn sorted(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.par_sort_unstable_by_key(|&number| self.keys[number as usize]);
        order
    }

    /// Writes all into a new book.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(mut self, mut new: NewBook) -> Result<(), BookError> {
        // The positions stay where they are, and are not looked for any more: of a large book all that is memory.
        self.slots = Vec::new();
        for number in self.sorted() {
            let (board, &entry) = self.at(number as usize);
            new.push(board, entry)?;
        }
        for (&key, &entry) in &self.rules {
            new.push_key(key, entry)?;
        }
        for &fingerprint in &self.games {
            new.push_key(game_key(fingerprint), BookEntry::default())?;
        }
        new.finish().map(drop)
    }

    /// The moves of a board that lead to positions of the book whose score is known, and their numbers.
    pub fn links(&self, board: Board) -> impl Iterator<Item = (Square, AfterMove, usize)> {
        let links = self.all_links(board);
        links.filter(|&(_, _, link)| self.entries[link].is_known())
    }

    /// The moves that lead to any positions of the book, and their numbers.
    pub fn all_links(&self, board: Board) -> impl Iterator<Item = (Square, AfterMove, usize)> {
        board.legal_moves().filter_map(move |square| {
            let reply = AfterMove::to(board, square);
            let number = self.find(reply.board()?)?;
            Some((square, reply, number))
        })
    }

    /// The moves that the repertoire of the book allows in a position; `None`: it says nothing.
    pub fn allowed(&self, board: Board) -> Option<Bitboard> {
        let (canonical, symmetry) = board.canonical_with_symmetry();
        let key = rule_key(pack(canonical));
        let allowed = allowed_by(key, self.rules.get(&key)?)?;
        restricting(board, allowed, symmetry.inverse())
    }

    /// Does a repertoire say anything?
    pub fn has_repertoire(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The positions where lines of the book begin: the start, or where that is missing those that no move leads to.
    pub fn roots(&self) -> Vec<usize> {
        match self.find(Board::START) {
            Some(start) => vec![start],
            None => self.beginnings(),
        }
    }

    /// The positions that no move leads to, the start among them if it is there.
    pub fn beginnings(&self) -> Vec<usize> {
        let mut is_root = vec![true; self.len()];
        for (board, _) in self.iter() {
            for (_, _, link) in self.all_links(board) {
                is_root[link] = false;
            }
        }
        (0..self.len()).filter(|&number| is_root[number]).collect()
    }

    /// The moves of a board that do not.
    pub fn outside(&self, board: Board) -> Bitboard {
        let links = self.links(board);
        let linked = links.fold(0, |linked, (square, ..)| linked | square.bit());
        Bitboard(board.legal_moves().0 & !linked)
    }

    /// The numbers of the positions, those with fewer empties first: all links of a position come before it.
    pub fn by_empties(&self) -> Vec<Vec<usize>> {
        let wide = |level: Vec<u32>| level.into_iter().map(|number| number as usize).collect();
        self.levels().into_iter().map(wide).collect()
    }

    /// What [`Tree::by_empties`] gives, in half of the memory.
    fn levels(&self) -> Vec<Vec<u32>> {
        let mut levels = vec![Vec::new(); 65];
        for number in 0..self.len() {
            let (board, _) = self.at(number);
            levels[board.empty_count() as usize].push(number as u32);
        }
        levels
    }

    /// Makes the score of each position the best of its links and its leaf, from the ends of the book to the
    /// start. Returns the numbers of those that changed.
    pub fn negamax(&mut self) -> Vec<usize> {
        let mut changed = Vec::new();
        self.negamax_each(|number, _, _| changed.push(number));
        changed
    }

    /// Negamaxes as [`Tree::negamax`]; calls `changed` with the number, the entry before and the one after.
    pub(super) fn negamax_each(&mut self, mut changed: impl FnMut(usize, &BookEntry, &BookEntry)) {
        /// Positions that are judged at once.
        const AT_ONCE: usize = 1 << 16;
        for level in self.levels() {
            for numbers in level.chunks(AT_ONCE) {
                let judge = |&number: &u32| self.judged(number as usize, Unknown::Resolved);
                let judged: Vec<Option<BookEntry>> = numbers.par_iter().map(judge).collect();
                for (&number, entry) in numbers.iter().zip(judged) {
                    let number = number as usize;
                    if let Some(entry) = entry {
                        changed(number, &self.entries[number], &entry);
                        self.entries[number] = entry;
                    }
                }
            }
        }
    }

    /// Positions whose score does not follow from their moves.
    pub fn wrong_scores(&self) -> usize {
        let numbers = (0..self.len()).into_par_iter();
        let wrong = numbers.filter(|&number| self.judged(number, Unknown::Left).is_some());
        wrong.count()
    }

    /// Positions of which some moves are not searched.
    pub fn unsearched(&self) -> usize {
        let numbers = (0..self.len()).into_par_iter();
        numbers.filter(|&number| self.is_unsearched(number)).count()
    }

    /// Are some of its moves not searched?
    pub fn is_unsearched(&self, number: usize) -> bool {
        let (board, entry) = self.at(number);
        let outside = self.outside(board);
        let has_leaf = entry.leaf.is_some_and(|leaf| outside.contains(leaf.square));
        !has_leaf && (!outside.is_empty() || !entry.is_known())
    }

    /// The entry with the score that follows from its links and its leaf, if it has another one.
    fn judged(&self, number: usize, unknown: Unknown) -> Option<BookEntry> {
        let (board, &before) = self.at(number);
        let mut worth: Option<(Score, i32, i32)> = None;
        let mut open = board.legal_moves().0;
        let add = |worth: &mut Option<(Score, i32, i32)>, score: Score, bounds: Bounds| {
            let best = worth.get_or_insert((score, bounds.lower(), bounds.upper()));
            *best = (
                best.0.max(score),
                best.1.max(bounds.lower()),
                best.2.max(bounds.upper()),
            );
        };
        for (square, reply, link) in self.links(board) {
            open &= !square.bit();
            let link = &self.entries[link];
            let bounds = link.certainty.bounds(link.score);
            let bounds = if reply.changes_sides() {
                bounds.opposite()
            } else {
                bounds
            };
            add(&mut worth, reply.own(link.score), bounds);
        }
        let leaf = before.leaf.filter(|leaf| open & leaf.square.bit() != 0);
        if let Some(leaf) = leaf {
            add(&mut worth, leaf.score, leaf.certainty.bounds(leaf.score));
        } else if open != 0 && worth.is_some() {
            // Moves of which nothing is known.
            add(&mut worth, Score::MIN, Bounds::UNKNOWN);
        }
        let follows = open == 0 && unknown == Unknown::Resolved;
        if !before.is_known() && !follows {
            return None;
        }
        let mut entry = BookEntry { leaf, ..before };
        if !entry.is_known() {
            // All that is known follows from the links.
            entry.depth = 0;
        }
        if let Some((score, lower, upper)) = worth {
            let bounds = Bounds::new(lower, upper).unwrap_or(Bounds::UNKNOWN);
            entry.score = within(score, bounds);
            entry.certainty = Certainty::of_bounds(bounds);
        }
        (entry != before).then_some(entry)
    }

    /// The same book where the marks of other programs count as proofs.
    pub(super) fn believed(&self) -> Cow<'_, Tree> {
        let unconfirmed = |certainty| certainty == Certainty::Unconfirmed;
        let is_marked = |entry: &BookEntry| {
            let leaf = entry.leaf.map(|leaf| leaf.certainty);
            unconfirmed(entry.certainty) || leaf.is_some_and(unconfirmed)
        };
        if !self.entries.iter().any(is_marked) {
            return Cow::Borrowed(self);
        }
        let mut tree = self.clone();
        for entry in &mut tree.entries {
            let leaf = entry.leaf.as_mut().map(|leaf| &mut leaf.certainty);
            for certainty in leaf.into_iter().chain([&mut entry.certainty]) {
                if unconfirmed(*certainty) {
                    *certainty = Certainty::Exact;
                }
            }
        }
        tree.negamax();
        Cow::Owned(tree)
    }

    /// What is known here and what `other` knows. Games that both have counted are counted once where one of them has all
    /// games of the other; where only some are in both, the larger counts are kept.
    pub fn merge_all(&mut self, mut other: Tree) -> Merged {
        let common = self.games.intersection(&other.games).count();
        let least = self.games.len().min(other.games.len());
        let counts = match common {
            0 if least > 0 => GameCounts::sum,
            _ => GameCounts::max,
        };
        self.games.append(&mut other.games);
        let mut left_out = Vec::new();
        for (board, entry) in other.iter() {
            left_out.extend(self.merge_with(board, *entry, counts));
        }
        // The move of the deeper leaf may be a link by the other book: then the other leaf is the best of the rest.
        for (number, other) in left_out {
            let (board, entry) = self.at(number);
            let outside = self.outside(board);
            let is_outside = |leaf: BookLeaf| outside.contains(leaf.square);
            if !entry.leaf.is_some_and(is_outside) && is_outside(other) {
                self.entries[number].leaf = Some(other);
            }
        }
        let mut differ = 0;
        for (key, rule) in other.rules {
            differ += usize::from(*self.rules.entry(key).or_insert(rule) != rule);
        }
        Merged {
            differ,
            miscounted: if common < least { common } else { 0 },
        }
    }

    /// The same of a position: the deeper leaf, the larger counts.
    pub fn merge(&mut self, board: Board, other: BookEntry) {
        self.merge_with(board, other, GameCounts::max);
    }

    /// Returns the number of the position and the leaf that was not kept, if there is one.
    fn merge_with(
        &mut self,
        board: Board,
        other: BookEntry,
        counts: fn(GameCounts, GameCounts) -> GameCounts,
    ) -> Option<(usize, BookLeaf)> {
        let Some(number) = self.find(board) else {
            self.insert(board, other);
            return None;
        };
        let mine = self.entries[number];
        let rank = |entry: &BookEntry| {
            (
                entry.leaf.as_ref().map(BookLeaf::rank),
                known_depth(entry.depth),
            )
        };
        let (better, worse) = if rank(&other) > rank(&mine) {
            (other, mine)
        } else {
            (mine, other)
        };
        let counts = counts(mine.counts, other.counts);
        self.entries[number] = BookEntry { counts, ..better };
        worse.leaf.map(|leaf| (number, leaf))
    }

    /// Tells a writer what is known of these positions.
    pub fn tell(&self, numbers: &[usize], writer: &mut BookWriter) {
        for &number in numbers {
            let (board, entry) = self.at(number);
            writer.set(board, Some(*entry));
        }
    }
}
