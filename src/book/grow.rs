//! Growing a book: first the positions that a game is most likely to reach ([`Expansion`]).
//!
//! A position that enters the book is searched for its best move. So is the position before it, of which another move is
//! the best outside the book now. The cheapest are chosen a round at a time, each searched by one thread
//! that starts with an empty table: what is found does not depend on the number of threads.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use thiserror::Error;

use super::entry::{Entry, Leaf};
use super::expansion::{Expansion, Wish};
use super::leaf_search::{LeafSearch, LeafSearcher};
use super::played::Played;
use super::store::BookError;
use super::tree::Tree;
use super::writer::BookWriter;
use crate::faults;
use crate::rules::Board;
use crate::score::Score;
use crate::search::Control;
use crate::threads::{self, Stack};

/// How a book grows.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How hard leaves are searched.
    pub search: LeafSearch,
    /// Which positions come first.
    pub expansion: Expansion,
    /// Threads.
    pub threads: NonZeroUsize,
    /// Memory of the hash table of each, in megabytes.
    pub hash_mb: usize,
    /// Ends when the book has so many positions.
    pub positions: Option<usize>,
    /// Ends after this time.
    pub time: Option<Duration>,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            search: LeafSearch::Depth(16),
            expansion: Expansion::default(),
            threads: NonZeroUsize::MIN,
            hash_mb: 32,
            positions: None,
            time: None,
        }
    }
}

/// Are leaves searched again that were searched less deeply?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Again {
    /// They are.
    Yes,
    /// Only what was never searched is.
    No,
}

/// Why a book cannot grow.
#[derive(Debug, Error)]
pub enum GrowError {
    /// The file.
    #[error(transparent)]
    Book(#[from] BookError),
    /// No memory, no thread, or a fault of the search.
    #[error("the search cannot go on: {0}")]
    Search(String),
}

/// How far it has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Grown {
    /// Positions in the book.
    pub positions: usize,
    /// Searches since it began.
    pub searches: usize,
    /// Searches that are wanted in all; of a book that grows it is not known.
    pub wanted: Option<usize>,
    /// What the cheapest line of the round costs, in plies.
    pub cost: f64,
    /// The score of the start position after the last round, for black; `None`: it is not known.
    pub score: Option<Score>,
}

/// What is told how far it has come, often.
pub type Report<'a> = &'a mut dyn FnMut(&Grown);

/// Least time between two commits: what a kill loses.
const COMMIT_EVERY: Duration = Duration::from_secs(1);

/// The time between two commits is so many times what one takes, at least.
const COMMIT_SHARE: u32 = 20;

/// How often it is looked whether the work is over.
const POLL_EVERY: Duration = Duration::from_millis(100);

/// Grows the book until its rules end it, nothing is left, or `control` is stopped. Positions that games played are
/// preferred.
///
/// # Errors
/// If the book cannot be read or written, or a search fails.
pub fn grow(
    writer: &mut BookWriter,
    rules: &Rules,
    played: &Played,
    control: &Control,
    report: Report<'_>,
) -> Result<Grown, GrowError> {
    let mut growth = Growth::new(writer, rules, control, report)?;
    if growth.tree.find(Board::START).is_none() {
        growth.tree.insert(Board::START, Entry::UNSEARCHED);
    }
    loop {
        growth.renew()?;
        let round = growth.round(played);
        let Some(last) = round.last().filter(|_| !growth.is_over()) else {
            growth.writer.commit()?;
            return Ok(growth.grown);
        };
        // Of searches that come first it is below 0.
        growth.grown.cost = last.cost.max(growth.grown.cost);
        let boards: Vec<Board> = round.iter().map(|wish| wish.board).collect();
        growth.search(&boards)?;
    }
}

/// Searches moves that were never searched, and with `Again::Yes` the leaves that were searched less deeply than the
/// rules say.
///
/// # Errors
/// As of [`grow`].
pub fn deepen(
    writer: &mut BookWriter,
    rules: &Rules,
    again: Again,
    control: &Control,
    report: Report<'_>,
) -> Result<Grown, GrowError> {
    let mut growth = Growth::new(writer, rules, control, report)?;
    let mut again = again;
    loop {
        growth.renew()?;
        let boards = growth.to_search(again);
        if boards.is_empty() || growth.is_over() {
            growth.writer.commit()?;
            return Ok(growth.grown);
        }
        growth.grown.wanted = Some(growth.grown.searches + boards.len());
        growth.search(&boards)?;
        // Where the best move was one that leads to a position which is known now, the others are left.
        again = Again::No;
    }
}

/// A book that is being searched.
struct Growth<'a> {
    tree: Tree,
    writer: &'a mut BookWriter,
    rules: &'a Rules,
    control: &'a Control,
    report: Report<'a>,
    start: Instant,
    committed: Instant,
    /// When the next commit is due after it.
    commit_every: Duration,
    /// Positions whose scores were written in the middle of a round.
    told: Vec<Board>,
    grown: Grown,
}

impl<'a> Growth<'a> {
    fn new(
        writer: &'a mut BookWriter,
        rules: &'a Rules,
        control: &'a Control,
        report: Report<'a>,
    ) -> Result<Growth<'a>, BookError> {
        Ok(Growth {
            tree: Tree::load(writer.book())?,
            writer,
            rules,
            control,
            report,
            start: Instant::now(),
            committed: Instant::now(),
            commit_every: COMMIT_EVERY,
            told: Vec::new(),
            grown: Grown {
                positions: 0,
                searches: 0,
                wanted: None,
                cost: 0.0,
                score: None,
            },
        })
    }

    fn is_over(&self) -> bool {
        let time = self.rules.time;
        self.control.is_stopped() || time.is_some_and(|time| self.start.elapsed() >= time)
    }

    /// Takes scores to the root, in memory and in the file.
    fn renew(&mut self) -> Result<(), BookError> {
        let changed = self.tree.negamax();
        self.tree.tell(&changed, self.writer);
        for board in self.told.drain(..) {
            self.writer.set(board, self.tree.get(board));
        }
        if self.is_commit_due() {
            self.commit()?;
        }
        let start = self.tree.get(Board::START).filter(Entry::is_known);
        self.grown.positions = self.tree.len();
        self.grown.score = start.map(|start| start.score);
        (self.report)(&self.grown);
        Ok(())
    }

    fn is_commit_due(&self) -> bool {
        self.committed.elapsed() >= self.commit_every
    }

    fn commit(&mut self) -> Result<(), BookError> {
        self.writer.commit()?;
        self.committed = Instant::now();
        Ok(())
    }

    /// Commits what a round has found so far, with the scores that follow from it: whatever is in the file is
    /// consistent.
    fn commit_part(
        &mut self,
        tree: &Tree,
        found: &[(usize, Board, Entry)],
    ) -> Result<(), BookError> {
        let start = Instant::now();
        let mut tree = tree.clone();
        for &(_, board, entry) in found {
            tree.insert(board, entry);
            self.writer.set(board, Some(entry));
        }
        let changed = tree.negamax();
        tree.tell(&changed, self.writer);
        self.told
            .extend(changed.iter().map(|&number| tree.at(number).0));
        self.commit()?;
        self.commit_every = COMMIT_EVERY.max(COMMIT_SHARE * start.elapsed());
        Ok(())
    }

    /// The positions of which some moves were never searched, or not deeply.
    fn to_search(&self, again: Again) -> Vec<Board> {
        let rules = self.rules;
        let is_wanted = |entry: &Entry| {
            let leaf = entry.leaf;
            leaf.is_none_or(|leaf| again == Again::Yes && rules.search.exceeds(&leaf))
        };
        let wanted = self.tree.iter().filter(|(_, entry)| is_wanted(entry));
        let boards = wanted.map(|(board, _)| board);
        let has_others = |board: &Board| !self.tree.outside(*board).is_empty();
        boards.filter(has_others).collect()
    }

    /// What is searched next.
    fn round(&self, played: &Played) -> Vec<Wish> {
        let most = (2 * self.rules.threads.get()).max(self.tree.len() / 32);
        let limit = self.rules.positions.unwrap_or(usize::MAX);
        let room = limit.saturating_sub(self.tree.len());
        let expansion = &self.rules.expansion;
        expansion.wishes(&self.tree, played, most, room)
    }

    /// Searches positions on all threads, and commits what is found about once a second. Where it is over, the rest
    /// is left.
    fn search(&mut self, boards: &[Board]) -> Result<(), GrowError> {
        let control = Control::new();
        let (sender, results) = unbounded();
        let next = AtomicUsize::new(0);
        let (rules, mut found) = (self.rules, Vec::new());
        let tree = std::mem::take(&mut self.tree);
        let ended = thread::scope(|scope| {
            let _stopping = Stopping(&control);
            let worker = Worker {
                tree: &tree,
                boards,
                next: &next,
                control: &control,
                rules,
            };
            for _ in 0..rules.threads.get() {
                let sender = sender.clone();
                let work = move || worker.run(&sender);
                let started = threads::spawn_scoped(scope, "grow", Stack::Search, work);
                started.map_err(|error| GrowError::Search(error.to_string()))?;
            }
            drop(sender);
            loop {
                match results.recv_timeout(POLL_EVERY) {
                    Ok(result) => {
                        let result: Found = result.map_err(GrowError::Search)?;
                        self.take(&tree, result, &mut found);
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
                if self.is_commit_due() {
                    self.commit_part(&tree, &found)?;
                }
                if self.is_over() {
                    control.stop();
                }
            }
        });
        self.tree = tree;
        // In an order that does not depend on the threads.
        found.sort_by_key(|found| found.0);
        for (_, board, entry) in found {
            self.tree.insert(board, entry);
            self.writer.set(board, Some(entry));
        }
        if ended.is_err() {
            // What was found before stays.
            self.renew()?;
            self.commit()?;
        }
        ended
    }

    /// Notes what was found, and says so.
    fn take(&mut self, tree: &Tree, found: Found, all: &mut Vec<(usize, Board, Entry)>) {
        let before = tree.get(found.board);
        self.grown.positions += usize::from(before.is_none());
        self.grown.searches += 1;
        let entry = before.unwrap_or(Entry::UNSEARCHED).with_leaf(found.leaf);
        all.push((found.number, found.board, entry));
        (self.report)(&self.grown);
    }
}

/// Stops the threads, also where the one that waits for them fails.
struct Stopping<'a>(&'a Control);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// The best move of a position that leaves the book.
#[derive(Clone, Copy, Debug)]
struct Found {
    number: usize,
    board: Board,
    leaf: Option<Leaf>,
}

/// What the threads share.
#[derive(Clone, Copy)]
struct Worker<'a> {
    tree: &'a Tree,
    boards: &'a [Board],
    next: &'a AtomicUsize,
    control: &'a Control,
    rules: &'a Rules,
}

impl Worker<'_> {
    /// Searches positions until none is left or it is stopped. The last result is an error where that fails.
    fn run(self, results: &Sender<Result<Found, String>>) {
        let done = faults::caught(|| self.search(results));
        if let Err(reason) = done.and_then(|done| done) {
            drop(results.send(Err(reason)));
        }
    }

    fn search(self, results: &Sender<Result<Found, String>>) -> Result<(), String> {
        let mut searcher = LeafSearcher::new(self.rules.search, self.rules.hash_mb)?;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(&board) = self.boards.get(number) else {
                return Ok(());
            };
            let leaf = searcher.best_of(board, self.tree.outside(board), self.control);
            let found = Found {
                number,
                board,
                leaf,
            };
            if self.control.is_stopped() || results.send(Ok(found)).is_err() {
                return Ok(());
            }
        }
    }
}
