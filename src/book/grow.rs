//! Growing a book: first the positions that would most change what a player should play.
//!
//! Drop-out expansion (T. R. Lincke, Strategies for the Automatic Construction of Opening Books, CG 2000, LNCS
//! 2063), with one formula for both sides: a line costs 1 for each of its moves, and [`Rules::weight`] for each disc
//! that a move gives up against the best one. The leaf with the cheapest line is expanded: its position enters the
//! book with a leaf of its own, and the position that it belonged to gets another leaf, its next best move.
//! Moves that games played are cheaper. What is proven is not expanded.
//!
//! The cheapest leaves are chosen a round at a time, each searched by one thread that starts with an empty table: what
//! is found does not depend on the number of threads.

use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{RecvTimeoutError, Sender, unbounded};
use thiserror::Error;

use super::entry::{Certainty, Entry, Leaf, within};
use super::reply::Reply;
use super::store::BookError;
use super::tree::Tree;
use super::writer::BookWriter;
use crate::analysis::{Effort, Stage};
use crate::eval::Evaluator;
use crate::faults;
use crate::rules::{Bitboard, Board};
use crate::score::{Bounds, Score};
use crate::search::{Control, Goal, Limits, SearchOptions, Searcher};
use crate::threads::{self, Stack};

/// How hard leaves are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafSearch {
    /// To this depth; the end is solved from about twice as far.
    Depth(u32),
    /// For so many nodes.
    Nodes(u64),
}

impl LeafSearch {
    /// Ten times as long: in plies, this many more.
    const TEN_TIMES: u32 = 4;

    /// A search that takes about ten times as long.
    #[must_use]
    pub const fn ten_times(self) -> LeafSearch {
        match self {
            LeafSearch::Depth(depth) => LeafSearch::Depth(depth + LeafSearch::TEN_TIMES),
            LeafSearch::Nodes(nodes) => LeafSearch::Nodes(nodes.saturating_mul(10)),
        }
    }

    /// The depth that an entry has of it; of nodes it is not known before.
    const fn depth(self) -> Option<u32> {
        match self {
            LeafSearch::Depth(depth) => Some(depth),
            LeafSearch::Nodes(_) => None,
        }
    }

    /// Is a leaf searched less than this?
    pub fn exceeds(self, leaf: &Leaf) -> bool {
        let depth = self.depth().map_or(0, u64::from);
        leaf.certainty != Certainty::Exact
            && super::tree::known_depth(leaf.depth).is_none_or(|known| u64::from(known) < depth)
    }
}

/// How a book grows.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How hard leaves are searched.
    pub search: LeafSearch,
    /// What a disc that is given up costs, in plies.
    pub weight: f64,
    /// Moves that give up more discs than this are not looked into.
    pub max_error: f64,
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
            weight: 1.5,
            max_error: 4.0,
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
    /// What the cheapest line of the last round costs, in plies.
    pub cost: f64,
}

/// Time between two commits: what a kill loses.
const COMMIT_EVERY: Duration = Duration::from_secs(1);

/// Grows the book until its rules end it, nothing is left, or `control` is stopped; calls `report` after each round.
///
/// # Errors
/// If the book cannot be read or written, or a search fails.
pub fn grow(
    writer: &mut BookWriter,
    rules: &Rules,
    control: &Control,
    report: &mut dyn FnMut(Grown),
) -> Result<Grown, GrowError> {
    let mut tree = Tree::load(writer.book())?;
    let start = Instant::now();
    let is_over = || control.is_stopped() || rules.time.is_some_and(|time| start.elapsed() >= time);
    if tree.find(Board::START).is_none() {
        tree.insert(Board::START, Entry::UNSEARCHED);
    }
    let mut grown = Grown {
        positions: tree.len(),
        searches: 0,
        cost: 0.0,
    };
    loop {
        renew(&mut tree, writer)?;
        grown.positions = tree.len();
        report(grown);
        let wishes = wishes(&tree, rules);
        let room = rules
            .positions
            .map_or(usize::MAX, |most| most.saturating_sub(tree.len()));
        let most = (2 * rules.threads.get()).max(tree.len() / 64);
        let tasks = round(&tree, wishes, most, room);
        let Some(last) = tasks.last().filter(|_| !is_over()) else {
            break;
        };
        grown.cost = last.cost;
        let found = search_all(&tree, &tasks, rules, &is_over, writer)?;
        grown.searches += found.len();
        for found in found {
            apply(&mut tree, &found);
        }
    }
    Ok(grown)
}

/// Searches moves that were never searched, and with `Again::Yes` the leaves that were searched less deeply than the
/// rules say; returns how many.
///
/// # Errors
/// As of [`grow`].
pub fn deepen(
    tree: &mut Tree,
    writer: &mut BookWriter,
    rules: &Rules,
    again: Again,
    control: &Control,
) -> Result<usize, GrowError> {
    let start = Instant::now();
    let is_over = || control.is_stopped() || rules.time.is_some_and(|time| start.elapsed() >= time);
    renew(tree, writer)?;
    let mut tasks = Vec::new();
    for (number, (board, entry)) in tree.iter().enumerate() {
        let moves = tree.outside(board);
        let is_wanted = entry
            .leaf
            .is_none_or(|leaf| again == Again::Yes && rules.search.exceeds(&leaf));
        if is_wanted && !moves.is_empty() {
            tasks.push(Task {
                number,
                board,
                moves,
                child: None,
                cost: 0.0,
            });
        }
    }
    let found = search_all(tree, &tasks, rules, &is_over, writer)?;
    for found in &found {
        apply(tree, found);
    }
    renew(tree, writer)?;
    Ok(found.len())
}

/// Takes scores to the root, in memory and in the file.
pub(super) fn renew(tree: &mut Tree, writer: &mut BookWriter) -> Result<(), BookError> {
    let changed = tree.negamax();
    tree.tell(&changed, writer);
    writer.commit()
}

/// A search that is wanted.
#[derive(Clone, Debug)]
struct Task {
    /// The number of its position.
    number: usize,
    board: Board,
    /// The moves of which the best is to be found.
    moves: Bitboard,
    /// The position after its leaf, which enters the book.
    child: Option<Board>,
    /// What the line there costs.
    cost: f64,
}

/// Positions of which something is not known come before all others, by so many plies.
const FIRST: f64 = 1000.0;

/// Leaves that are worth looking into, the cheapest lines first.
fn wishes(tree: &Tree, rules: &Rules) -> Vec<(f64, usize)> {
    let costs = costs(tree, rules);
    let mut wishes = Vec::new();
    for (number, &cost) in costs.iter().enumerate() {
        let (board, entry) = tree.at(number);
        if cost.is_infinite() {
            continue;
        }
        let Some(leaf) = entry.leaf else {
            // Nothing is known of some of its moves: that comes first.
            if !tree.outside(board).is_empty() {
                wishes.push((cost - FIRST, number));
            }
            continue;
        };
        let is_settled = entry.certainty == Certainty::Exact || leaf.certainty == Certainty::Exact;
        if let Some(step) = step(rules, entry.score, leaf.score, 0).filter(|_| !is_settled) {
            wishes.push((cost + step, number));
        }
    }
    wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    wishes
}

/// What the cheapest line to each position costs, from the start position.
fn costs(tree: &Tree, rules: &Rules) -> Vec<f64> {
    let mut costs = vec![f64::INFINITY; tree.len()];
    if let Some(start) = tree.find(Board::START) {
        costs[start] = 0.0;
    }
    for number in tree.by_empties().into_iter().rev().flatten() {
        let (board, entry) = tree.at(number);
        if costs[number].is_infinite() || entry.certainty == Certainty::Exact {
            continue;
        }
        for (_, reply, link) in tree.all_links(board) {
            let next = tree.at(link).1;
            let games = next.counts.games();
            let score = if next.is_known() {
                reply.own(next.score)
            } else {
                entry.score
            };
            if let Some(step) = step(rules, entry.score, score, games) {
                costs[link] = costs[link].min(costs[number] + step);
            }
        }
    }
    costs
}

/// What a move costs; `None`: it gives up too much, unless games played it.
fn step(rules: &Rules, best: Score, score: Score, games: u64) -> Option<f64> {
    let loss = (best.to_f64() - score.to_f64()).max(0.0);
    // Each doubling of the games makes it a tenth cheaper.
    let discount = 1.0 / (1.0 + 0.1 * (1.0 + games as f64).log2());
    (loss <= rules.max_error || games > 0).then_some((1.0 + rules.weight * loss) * discount)
}

/// The first of the wishes, as tasks that do not concern the same position.
fn round(tree: &Tree, wishes: Vec<(f64, usize)>, most: usize, room: usize) -> Vec<Task> {
    let mut tasks = Vec::new();
    let mut children = HashSet::new();
    for (cost, number) in wishes {
        if tasks.len() >= most {
            break;
        }
        let (board, entry) = tree.at(number);
        let mut moves = tree.outside(board);
        let child = entry.leaf.and_then(|leaf| {
            moves = Bitboard(moves.0 & !leaf.square.bit());
            Reply::to(board, leaf.square).board()
        });
        if let Some(child) = child
            && (children.len() >= room || !children.insert(child.canonical()))
        {
            continue;
        }
        if entry.leaf.is_none() || child.is_some() {
            // Images of the same move become links together with it.
            let moves = without_images(board, moves, child);
            tasks.push(Task {
                number,
                board,
                moves,
                child,
                cost,
            });
        }
    }
    tasks
}

/// The moves that do not lead to `child` either.
fn without_images(board: Board, moves: Bitboard, child: Option<Board>) -> Bitboard {
    let Some(child) = child.map(Board::canonical) else {
        return moves;
    };
    let leads = |square| Reply::to(board, square).board().map(Board::canonical) == Some(child);
    let others = moves.filter(|&square| !leads(square));
    Bitboard(others.fold(0, |set, square| set | square.bit()))
}

/// What a task has found.
#[derive(Clone, Debug)]
struct Found {
    number: usize,
    leaf: Option<Leaf>,
    child: Option<(Board, Entry)>,
}

fn apply(tree: &mut Tree, found: &Found) {
    *tree.entry_mut(found.number) = with_leaf(*tree.at(found.number).1, found.leaf);
    if let Some((board, entry)) = found.child {
        match tree.find(board) {
            None => {
                tree.insert(board, entry);
            }
            // A position of a game.
            Some(number) if !tree.at(number).1.is_known() => {
                let counts = tree.at(number).1.counts;
                tree.insert(board, Entry { counts, ..entry });
            }
            Some(_) => {}
        }
    }
}

/// An entry with another leaf; one that was not known has its score and depth.
fn with_leaf(entry: Entry, leaf: Option<Leaf>) -> Entry {
    match leaf.filter(|_| !entry.is_known()) {
        Some(leaf) => Entry {
            counts: entry.counts,
            ..Entry::of_leaf(leaf)
        },
        None => Entry { leaf, ..entry },
    }
}

/// Puts it in the file at once; the scores above follow at the end of the round.
fn tell(tree: &Tree, found: &Found, writer: &mut BookWriter) {
    let (board, entry) = tree.at(found.number);
    writer.set(board, Some(with_leaf(*entry, found.leaf)));
    if let Some((board, entry)) = found.child {
        let counts = tree.get(board).unwrap_or_default().counts;
        writer.set(board, Some(Entry { counts, ..entry }));
    }
}

/// Does the tasks on all threads, and commits what they find about once a second. Where it is over, the rest is left.
fn search_all(
    tree: &Tree,
    tasks: &[Task],
    rules: &Rules,
    is_over: &dyn Fn() -> bool,
    writer: &mut BookWriter,
) -> Result<Vec<Found>, GrowError> {
    let next = AtomicUsize::new(0);
    let control = Control::new();
    let (sender, results) = unbounded();
    thread::scope(|scope| {
        let stopping = Stopping(&control);
        for _ in 0..rules.threads.get() {
            let (next, control, sender) = (&next, &control, sender.clone());
            let work = move || {
                let done = faults::caught(|| work(tree, tasks, next, control, rules, &sender));
                let failure = done.and_then(|done| done).err();
                failure
                    .into_iter()
                    .for_each(|reason| drop(sender.send(Err(reason))));
            };
            let started = threads::spawn_scoped(scope, "grow", Stack::Search, work);
            started.map_err(|error| GrowError::Search(error.to_string()))?;
        }
        drop(sender);
        let mut found = Vec::new();
        let mut committed = Instant::now();
        loop {
            let result = match results.recv_timeout(POLL_EVERY) {
                Ok(result) => Some(result.map_err(GrowError::Search)?),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Some(result) = result {
                tell(tree, &result, writer);
                found.push(result);
            }
            if committed.elapsed() >= COMMIT_EVERY {
                writer.commit()?;
                committed = Instant::now();
            }
            if is_over() {
                control.stop();
            }
        }
        drop(stopping);
        // In an order that does not depend on the threads.
        found.sort_by_key(|found: &Found| found.number);
        Ok(found)
    })
}

/// How often it is looked whether the work is over.
const POLL_EVERY: Duration = Duration::from_millis(100);

/// Stops the threads, also where the one that waits for them fails.
struct Stopping<'a>(&'a Control);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Does tasks until none is left or it is stopped.
fn work(
    tree: &Tree,
    tasks: &[Task],
    next: &AtomicUsize,
    control: &Control,
    rules: &Rules,
    results: &Sender<Result<Found, String>>,
) -> Result<(), String> {
    let mut searcher = LeafSearcher::new(rules.search, rules.hash_mb)?;
    while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
        let leaf = searcher.best_of(task.board, task.moves, control);
        let child = task.child.map(|child| {
            let leaf = searcher.best_of(child, tree.outside(child), control);
            (child, leaf.map_or(Entry::UNSEARCHED, Entry::of_leaf))
        });
        if control.is_stopped() {
            return Ok(());
        }
        let number = task.number;
        if results
            .send(Ok(Found {
                number,
                leaf,
                child,
            }))
            .is_err()
        {
            return Ok(());
        }
    }
    Ok(())
}

/// Searches the best of moves, as thoroughly as wanted.
pub struct LeafSearcher {
    searcher: Searcher,
    wanted: LeafSearch,
}

impl LeafSearcher {
    /// A searcher of one thread with an empty table.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new(wanted: LeafSearch, hash_mb: usize) -> Result<LeafSearcher, String> {
        let options = SearchOptions {
            threads: 1,
            hash_mb,
        };
        let searcher = Searcher::new(Evaluator::embedded(), options);
        let searcher = searcher.map_err(|error| error.to_string())?;
        Ok(LeafSearcher { searcher, wanted })
    }

    /// The best of these moves; `None` where there is none, or it was stopped. Earlier searches have no influence.
    pub fn best_of(&mut self, board: Board, moves: Bitboard, control: &Control) -> Option<Leaf> {
        if moves.is_empty() {
            return None;
        }
        self.searcher.forget();
        let (stage, limits) = self.plan(board, moves);
        let exact = Limits {
            goal: Goal::EXACT,
            depth: None,
            ..limits.clone()
        };
        let estimate = match stage {
            Stage::Exact => return self.search(board, &exact, control),
            Stage::Wld | Stage::Estimate => self.search(board, &limits, control)?,
        };
        if stage == Stage::Estimate || estimate.certainty == Certainty::Exact {
            return Some(estimate);
        }
        let wld = Limits {
            goal: Goal::WLD,
            depth: None,
            ..limits
        };
        let winner = self.search(board, &wld, control)?;
        let square = match winner.score.raw().signum() {
            // Only the move that was found is known to win or to draw.
            0 | 1 => winner.square,
            _ => estimate.square,
        };
        let bounds = winner.certainty.bounds(winner.score);
        let score = within(estimate.score, bounds);
        Some(Leaf {
            square,
            score,
            certainty: Certainty::of_bounds(bounds),
            ..estimate
        })
    }

    /// What is tried, and the limits of its estimate.
    fn plan(&self, board: Board, moves: Bitboard) -> (Stage, Limits) {
        let empties = board.empty_count();
        let limits = Limits {
            moves: Some(moves),
            ..Limits::default()
        };
        match self.wanted {
            LeafSearch::Depth(depth) => {
                let stage = Effort::at_depth(depth).stage(empties);
                (
                    stage,
                    Limits {
                        depth: Some(depth),
                        ..limits
                    },
                )
            }
            LeafSearch::Nodes(nodes) => (
                Stage::Estimate,
                Limits {
                    nodes: Some(nodes),
                    ..limits
                },
            ),
        }
    }

    fn search(&mut self, board: Board, limits: &Limits, control: &Control) -> Option<Leaf> {
        let outcome = self.searcher.search(board, limits, control, &mut |_| {});
        if control.is_stopped() {
            return None;
        }
        let line = outcome.lines.first();
        let square = outcome.best.and_then(|mv| mv.square())?;
        let estimate = line.map_or(Score::DRAW, |line| line.score);
        let bounds = line.map_or(Bounds::UNKNOWN, |line| line.proof.bounds());
        Some(Leaf {
            square,
            score: within(estimate, bounds),
            certainty: Certainty::of_bounds(bounds),
            depth: line.map_or(0, |line| line.depth.min(60) as u8),
        })
    }
}
