//! Growing a book: first the positions that a game is most likely to reach ([`Expansion`]).
//!
//! A position that enters the book is searched for its best move. So is the position before it, of which another move is
//! the best outside the book now. The cheapest are chosen a round at a time, each searched by one thread
//! that starts with an empty table: what a search finds does not depend on the number of threads, but more threads
//! make rounds longer, and so choose other positions.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::entry::{BookEntry, BookLeaf};
use super::expansion::{Expansion, Wish};
use super::grade;
use super::leaf_search::{LeafSearch, LeafSearcher};
use super::played::PlayedGames;
use super::store::BookError;
use super::study::PositionStudy;
use super::tree::Tree;
use super::writer::BookWriter;
use crate::pool::{self, Answers, Next, PoolError, Team};
use crate::rules::{Bitboard, Board};
use crate::score::Score;
use crate::search::Control;

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

/// Which leaves are searched again that were searched less deeply.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Again {
    /// Those that lines reach along which both sides together lose at most so many discs.
    pub error: f64,
    /// Those after so many plies or more.
    pub min_ply: u32,
    /// Those where the two best moves are at most so many discs apart, in the book or by a short search.
    pub close: f64,
}

impl Again {
    /// All of them.
    pub const ALL: Again = Again {
        error: f64::INFINITY,
        min_ply: 0,
        close: f64::INFINITY,
    };
}

/// Why a book cannot grow.
#[derive(Debug, Error)]
pub enum GrowError {
    /// The file.
    #[error(transparent)]
    Book(#[from] BookError),
    /// A fault of the search.
    #[error("the search cannot go on: {0}")]
    Search(String),
    /// No memory, no thread, or a fault in a thread.
    #[error("the search cannot go on")]
    Pool(#[from] PoolError),
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
    /// The score of the root after the last round, for its side to move; `None`: it is not known.
    pub score: Option<Score>,
    /// At the end, positions of which some moves are still not searched: it was stopped.
    pub unsearched: usize,
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
/// preferred. What lost its leaf is searched before it ends, if it is not stopped.
///
/// # Errors
/// If the book cannot be read or written, or a search fails.
pub fn grow(
    writer: &mut BookWriter,
    rules: &Rules,
    played: &PlayedGames,
    control: &Control,
    report: Report<'_>,
) -> Result<Grown, GrowError> {
    let mut growth = Growth::new(writer, rules, control, report)?;
    let root = rules.expansion.root;
    if growth.tree.find(root).is_none() {
        growth.tree.insert(root, BookEntry::UNSEARCHED);
        growth.writer.set(root, Some(BookEntry::UNSEARCHED));
    }
    loop {
        growth.renew()?;
        let round = growth.next_round(played);
        if round.is_empty() {
            return growth.finish();
        }
        let tasks: Vec<_> = round.iter().map(|wish| growth.task(wish.board)).collect();
        growth.search(&tasks)?;
    }
}

/// Searches moves that were never searched, and of the leaves that were searched less deeply than the rules say those that
/// `again` names.
///
/// # Errors
/// As of [`grow`].
pub fn deepen(
    writer: &mut BookWriter,
    rules: &Rules,
    again: Option<Again>,
    control: &Control,
    report: Report<'_>,
) -> Result<Grown, GrowError> {
    let mut growth = Growth::new(writer, rules, control, report)?;
    let mut again = again;
    loop {
        growth.renew()?;
        let tasks = growth.to_search(again);
        if tasks.is_empty() {
            return growth.finish();
        }
        growth.grown.wanted = Some(growth.grown.searches + tasks.len());
        growth.search(&tasks)?;
        // Where the best move was one that leads to a position which is known now, the others are left.
        again = None;
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
    grown: Grown,
    /// Positions of which some moves were not searched before.
    left_before: HashSet<Board>,
    /// It ends when what it has begun is searched, not at a time.
    may_take_time: bool,
}

impl<'a> Growth<'a> {
    fn new(
        writer: &'a mut BookWriter,
        rules: &'a Rules,
        control: &'a Control,
        report: Report<'a>,
    ) -> Result<Growth<'a>, BookError> {
        let mut growth = Growth {
            tree: Tree::load(writer.book())?,
            writer,
            rules,
            control,
            report,
            start: Instant::now(),
            committed: Instant::now(),
            commit_every: COMMIT_EVERY,
            grown: Grown {
                positions: 0,
                searches: 0,
                wanted: None,
                score: None,
                unsearched: 0,
            },
            left_before: HashSet::new(),
            may_take_time: false,
        };
        let left_before = growth.to_search(None);
        growth.left_before = left_before.iter().map(|task| task.board).collect();
        Ok(growth)
    }

    fn is_over(&self) -> bool {
        let time = self.rules.time.filter(|_| !self.may_take_time);
        self.control.is_stopped() || time.is_some_and(|time| self.start.elapsed() >= time)
    }

    /// Searches the positions that lost their leaf since it began, unless it is stopped.
    fn finish(mut self) -> Result<Grown, GrowError> {
        self.may_take_time = true;
        loop {
            let mut tasks = self.to_search(None);
            tasks.retain(|task| !self.left_before.contains(&task.board));
            if tasks.is_empty() {
                break;
            }
            self.search(&tasks)?;
            self.renew()?;
        }
        self.writer.commit()?;
        self.grown.unsearched = self.tree.unsearched();
        Ok(self.grown)
    }

    /// Takes scores to the root, in memory and in the file: what is committed is consistent.
    fn renew(&mut self) -> Result<(), BookError> {
        let start = Instant::now();
        let changed = self.tree.negamax();
        self.tree.tell(&changed, self.writer);
        if self.is_commit_due() {
            self.writer.commit()?;
            self.committed = Instant::now();
            self.commit_every = COMMIT_EVERY.max(COMMIT_SHARE * start.elapsed());
        }
        let root = self.tree.get(self.rules.expansion.root);
        let root = root.filter(BookEntry::is_known);
        self.grown.positions = self.tree.len();
        self.grown.score = root.map(|root| root.score);
        (self.report)(&self.grown);
        Ok(())
    }

    fn is_commit_due(&self) -> bool {
        self.committed.elapsed() >= self.commit_every
    }

    /// The positions of which some moves were never searched, and behind them those that were not searched deeply, first
    /// where the best moves are near each other; none where it is over.
    fn to_search(&self, again: Option<Again>) -> Vec<GrowTask> {
        if self.is_over() {
            return Vec::new();
        }
        let error = again
            .map(|again| again.error)
            .filter(|error| error.is_finite());
        let reached = error.map(|error| grade::within(&self.tree, &self.tree.beginnings(), error));
        let is_deepened = |number: usize, board: Board, leaf| {
            let empties = board.empty_count();
            again.is_some_and(|again| empties + again.min_ply <= 60)
                && reached.as_ref().is_none_or(|reached| reached[number])
                && self.rules.search.exceeds(&leaf, empties)
        };
        let is_wanted = |&(number, (board, entry)): &(usize, (Board, &BookEntry))| {
            let leaf = entry.leaf;
            leaf.is_none_or(|leaf| is_deepened(number, board, leaf))
        };
        let wanted = self.tree.iter().enumerate().filter(is_wanted);
        let tasks = wanted.map(|(_, (board, _))| self.task(board));
        let tasks = tasks.filter(|task| !task.moves.is_empty());
        let mut tasks: Vec<(f64, GrowTask)> = tasks.map(|task| self.ranked(task, again)).collect();
        tasks.sort_by(|(gap, _), (other, _)| gap.total_cmp(other));
        tasks.into_iter().map(|(_, task)| task).collect()
    }

    /// A search behind the discs between the two best moves that the book knows: what was never searched comes first.
    fn ranked(&self, task: GrowTask, again: Option<Again>) -> (f64, GrowTask) {
        if task.before.is_none_or(|entry| entry.leaf.is_none()) {
            return (f64::NEG_INFINITY, task);
        }
        let study = PositionStudy::of_tree(&self.tree, task.board);
        let gap = study.and_then(|study| study.gap());
        let gap = gap.unwrap_or(f64::INFINITY);
        let close = again.map(|again| again.close).filter(|&close| gap > close);
        (gap, GrowTask { close, ..task })
    }

    /// What is searched next; nothing where it is over.
    fn next_round(&self, played: &PlayedGames) -> Vec<Wish> {
        if self.is_over() {
            return Vec::new();
        }
        let most = (2 * self.rules.threads.get()).max(self.tree.len() / 32);
        let limit = self.rules.positions.unwrap_or(usize::MAX);
        let room = limit.saturating_sub(self.tree.len());
        let expansion = &self.rules.expansion;
        expansion.wishes(&self.tree, played, most, room)
    }

    /// Searches positions on all threads, and commits what is found about once a second. Where it is over, the rest
    /// is left.
    fn search(&mut self, tasks: &[GrowTask]) -> Result<(), GrowError> {
        let control = Control::new();
        let rules = self.rules;
        let team = Team {
            name: "grow",
            threads: rules.threads.get(),
            ordered: false,
        };
        let make = || LeafSearcher::new(rules.search, rules.hash_mb).map_err(PoolError::Worker);
        let work = |searcher: &mut LeafSearcher, task| best_of(searcher, task, &control);
        let ended = pool::run(team, tasks.iter(), make, work, |found| {
            let taken = self.take_all(found, &control);
            control.stop();
            taken
        });
        if ended.is_err() {
            // What was found before stays.
            self.renew()?;
            self.writer.commit()?;
        }
        ended
    }

    /// Takes what is found, until all is or it is over.
    fn take_all<'t>(
        &mut self,
        found: &mut Answers<'_, &'t GrowTask, Searched<'t>, impl Iterator<Item = &'t GrowTask>>,
        control: &Control,
    ) -> Result<(), GrowError> {
        loop {
            match found.next_within(POLL_EVERY)? {
                Next::Answer(searched) => {
                    let (task, leaf) = searched.map_err(GrowError::Search)?;
                    self.take(task, leaf);
                }
                Next::Nothing => {}
                Next::End => return Ok(()),
            }
            if self.is_commit_due() {
                self.renew()?;
            }
            if self.is_over() {
                control.stop();
            }
        }
    }

    fn task(&self, board: Board) -> GrowTask {
        GrowTask {
            board,
            before: self.tree.get(board),
            moves: self.tree.outside(board),
            close: None,
        }
    }

    /// Takes what was found about a position. The scores above follow when it is committed.
    fn take(&mut self, task: &GrowTask, leaf: Option<BookLeaf>) {
        let found = leaf.is_some();
        let before = task.before.and_then(|entry| entry.leaf);
        let before = before.filter(|before| task.moves.contains(before.square));
        // In the same time a search may come less far.
        let is_better = |leaf: &BookLeaf| before.is_none_or(|before| leaf.rank() >= before.rank());
        let leaf = leaf.filter(is_better).or(before);
        let entry = task.before.unwrap_or(BookEntry::UNSEARCHED).with_leaf(leaf);
        if task.before != Some(entry) {
            self.tree.insert(task.board, entry);
            self.writer.set(task.board, Some(entry));
        }
        self.grown.positions = self.tree.len();
        match found {
            true => self.grown.searches += 1,
            // It was only looked at.
            false => self.grown.wanted = self.grown.wanted.map(|wanted| wanted - 1),
        }
        (self.report)(&self.grown);
    }
}

/// A position whose best move outside the book is wanted.
struct GrowTask {
    board: Board,
    before: Option<BookEntry>,
    moves: Bitboard,
    /// It is left as it is where its two best moves are further apart, in discs.
    close: Option<f64>,
}

/// A task and the best move, or why there is none.
type Searched<'a> = Result<(&'a GrowTask, Option<BookLeaf>), String>;

/// Searches a position; `None` where it is stopped.
fn best_of<'a>(
    searcher: &mut LeafSearcher,
    task: &'a GrowTask,
    control: &Control,
) -> Option<Searched<'a>> {
    if let Some(close) = task.close
        && searcher
            .gap(task.board, control)
            .is_none_or(|gap| gap > close)
    {
        return (!control.is_stopped()).then_some(Ok((task, None)));
    }
    let leaf = searcher.best_of(task.board, task.moves, control);
    if control.is_stopped() {
        return None;
    }
    Some(match leaf {
        // It would be wanted again for ever.
        None if !task.moves.is_empty() => Err(format!("no move was found in {:?}", task.board)),
        leaf => Ok((task, leaf)),
    })
}
