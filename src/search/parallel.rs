//! Several threads on one position: split points and the pool of idle threads.
//!
//! Young brothers wait (Feldmann, 1993): a node's first move is searched by one
//! thread; if it does not cut, the others are shared with idle threads. A
//! thread whose split point has no moves left, but is not done, helps below it.
//!
//! Moves are given to helpers in the order in which one thread would search them: then the
//! fewest are searched in vain. So helpers can join large nodes at any time, a helper takes one
//! move of the large node nearest to the leaves, and chooses again after it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::Selectivity;
use super::counters::Counters;
use super::helpers::is_recalled;
use super::moves::{MoveEntry, NO_MOVE};
use super::node::Node;
use super::window::NONE;
use super::worker::{Shared, Worker};
use crate::host::Instant;
use crate::score::Discs;

/// Fewest plies of a node worth sharing, to the end of the game.
const MIN_SPLIT_END: i32 = 12;

/// Fewest plies of a node worth sharing, before it.
const MIN_SPLIT_MIDGAME: i32 = 4;

/// Fewest plies of a large node, to the end of the game.
const LARGE_END: i32 = 20;

/// Can helpers join a node at any time, and not only where one was idle when its first move was
/// done? They take one move of it at a time.
const fn is_large(end: bool, depth: i32) -> bool {
    end && depth >= LARGE_END
}

/// How long a waiting thread spins before it sleeps. Waking it takes tens of microseconds, in
/// which a thread solves a node of 12 empties.
const SPIN_TIME: Duration = Duration::from_micros(500);

/// How long a waiting thread sleeps before it checks the limits again.
const SLEEP_TIME: Duration = Duration::from_millis(2);

/// Threads that can run at once, asked at the first wait.
static CORES: LazyLock<usize> =
    LazyLock::new(|| thread::available_parallelism().map_or(1, std::num::NonZero::get));

/// A node whose remaining moves several threads search, each with the null window at `alpha`.
pub(super) struct SplitPoint {
    parent: Option<Arc<SplitPoint>>,
    node: Node,
    depth: i32,
    alpha: Discs,
    /// Is this a search to the end of the game?
    end: bool,
    selectivity: Selectivity,
    probes: u32,
    moves: Vec<MoveEntry>,
    next: AtomicUsize,
    /// Threads at work beside the owner; changed under the pool's lock.
    helpers: AtomicUsize,
    cut: AtomicBool,
    best: Mutex<(Discs, u8)>,
}

impl SplitPoint {
    /// Has this node, or one above it, been decided?
    #[inline]
    pub(super) fn is_cut(&self) -> bool {
        let mut split = Some(self);
        while let Some(this) = split {
            if this.cut.load(Ordering::Relaxed) {
                return true;
            }
            split = this.parent.as_deref();
        }
        false
    }

    fn take(&self) -> Option<&MoveEntry> {
        self.moves.get(self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn is_large(&self) -> bool {
        is_large(self.end, self.depth)
    }

    fn has_moves(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.moves.len()
    }

    fn is_below(&self, ancestor: &Arc<SplitPoint>) -> bool {
        let mut split = self.parent.as_ref();
        while let Some(this) = split {
            if Arc::ptr_eq(this, ancestor) {
                return true;
            }
            split = this.parent.as_ref();
        }
        false
    }

    /// Records the score of a move. Does it decide the node?
    fn update(&self, score: Discs, square: u8) -> bool {
        let mut best = lock(&self.best);
        if score > best.0 {
            *best = (score, square);
        }
        let cuts = score > self.alpha;
        if cuts {
            self.cut.store(true, Ordering::Relaxed);
        }
        cuts
    }
}

/// The split points that have moves left, and the threads that wait for one.
pub(super) struct Pool {
    /// Threads of this search; helpers join and leave.
    threads: AtomicUsize,
    idle: CachePadded<AtomicUsize>,
    /// Moves that decided a split point.
    cuts: CachePadded<AtomicU64>,
    open: Mutex<Open>,
    /// Changes of `open`, made under its lock.
    version: AtomicUsize,
    wake: Condvar,
}

struct Open {
    splits: Vec<Arc<SplitPoint>>,
    /// Threads that sleep until they are woken.
    asleep: usize,
    finished: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panicking thread leaves nothing half done behind these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// The pool of a search of one thread so far.
    pub(super) fn new() -> Pool {
        let open = Open {
            splits: Vec::new(),
            asleep: 0,
            finished: false,
        };
        Pool {
            threads: AtomicUsize::new(1),
            idle: CachePadded::default(),
            cuts: CachePadded::default(),
            open: Mutex::new(open),
            version: AtomicUsize::new(0),
            wake: Condvar::new(),
        }
    }

    /// Should a node of `depth` plies be shared?
    #[inline]
    fn wants<const END: bool>(&self, depth: i32) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
            || is_large(END, depth) && self.threads.load(Ordering::Relaxed) > 1
    }

    /// Wakes the threads that wait for a change of `open`.
    fn notify(&self, open: &Open) {
        self.version.fetch_add(1, Ordering::Relaxed);
        if open.asleep > 0 {
            self.wake.notify_all();
        }
    }

    /// Ends the work of the helpers.
    pub(super) fn finish(&self) {
        let mut open = lock(&self.open);
        open.finished = true;
        self.notify(&open);
    }

    /// Joins a split point that has moves left, any or one below `ancestor`: the smallest of
    /// the large ones, or else the largest.
    fn join(open: &Open, ancestor: Option<&Arc<SplitPoint>>) -> Option<Arc<SplitPoint>> {
        let worth = |split: &&Arc<SplitPoint>| {
            if split.is_large() {
                (true, -split.depth)
            } else {
                (false, split.depth)
            }
        };
        let split = open
            .splits
            .iter()
            .filter(|split| split.has_moves() && !split.is_cut())
            .filter(|split| ancestor.is_none_or(|ancestor| split.is_below(ancestor)))
            .max_by_key(worth)?;
        split.helpers.fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(split))
    }

    fn leave(&self, split: &SplitPoint) {
        let open = lock(&self.open);
        split.helpers.fetch_sub(1, Ordering::Relaxed);
        self.notify(&open);
    }

    /// Waits until something changes, but not longer than [`SLEEP_TIME`] after spinning.
    fn wait<'g>(&'g self, open: MutexGuard<'g, Open>) -> MutexGuard<'g, Open> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        let version = self.version.load(Ordering::Relaxed);
        drop(open);
        self.spin(version);
        let mut open = lock(&self.open);
        if self.version.load(Ordering::Relaxed) == version {
            open.asleep += 1;
            let woken = self.wake.wait_timeout(open, SLEEP_TIME);
            open = woken.map_or_else(|error| error.into_inner().0, |(open, _)| open);
            open.asleep -= 1;
        }
        self.idle.fetch_sub(1, Ordering::Relaxed);
        open
    }

    /// Spins until something changes after `version`, for [`SPIN_TIME`] at most, and not at all
    /// where this search has more threads than there are processors.
    fn spin(&self, version: usize) {
        if self.threads.load(Ordering::Relaxed) > *CORES {
            return;
        }
        let start = Instant::now();
        while self.version.load(Ordering::Relaxed) == version && start.elapsed() < SPIN_TIME {
            for _ in 0..32 {
                std::hint::spin_loop();
            }
        }
    }
}

/// A thread's part in a split point that is not its own. Where the thread panics, this ends it
/// and aborts the search, so that no other thread waits for its results.
struct Membership<'a> {
    shared: &'a Shared,
    split: &'a SplitPoint,
}

impl<'a> Membership<'a> {
    fn new(shared: &'a Shared, split: &'a SplitPoint) -> Membership<'a> {
        Membership { shared, split }
    }
}

impl Drop for Membership<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.shared.abort();
        }
        self.shared.pool.leave(self.split);
    }
}

impl<C: Counters> Worker<'_, C> {
    /// Should the `rest` unsearched moves of a node be shared now?
    #[inline]
    pub(super) fn can_split<const END: bool>(&self, depth: i32, rest: usize) -> bool {
        let least = if END {
            MIN_SPLIT_END
        } else {
            MIN_SPLIT_MIDGAME
        };
        rest >= 2 && depth >= least && self.shared.pool.wants::<END>(depth)
    }

    /// Has a split point that this thread works for been decided, or one above?
    #[inline]
    pub(super) fn split_is_cut(&self) -> bool {
        let Some(split) = &self.split else {
            return false;
        };
        // A thread that sees the new count also sees the cut that came before it.
        let cuts = self.shared.pool.cuts.load(Ordering::Acquire);
        if self.cuts_seen.get() == Some(cuts) {
            return false;
        }
        let is_cut = split.is_cut();
        if !is_cut {
            self.cuts_seen.set(Some(cuts));
        }
        is_cut
    }

    /// Changes the split point that this thread works for, if any; returns the one before.
    fn change_split(&mut self, split: Option<Arc<SplitPoint>>) -> Option<Arc<SplitPoint>> {
        self.cuts_seen.set(None);
        std::mem::replace(&mut self.split, split)
    }

    /// Searches `moves` of `node` together with idle threads, each with the null
    /// window at `alpha`, until one is better. Returns the best score and its square.
    pub(super) fn split<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
        moves: &[MoveEntry],
    ) -> (Discs, u8) {
        let pool = &self.shared.pool;
        let split = Arc::new(SplitPoint {
            parent: self.split.clone(),
            node: node.clone(),
            depth,
            alpha,
            end: END,
            selectivity: self.selectivity,
            probes: self.probes,
            moves: moves.to_vec(),
            next: AtomicUsize::new(0),
            helpers: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            best: Mutex::new((NONE, NO_MOVE)),
        });
        let mut open = lock(&pool.open);
        open.splits.push(Arc::clone(&split));
        pool.notify(&open);
        drop(open);

        self.work_on(&split, usize::MAX);

        let mut open = lock(&pool.open);
        open.splits.retain(|other| !Arc::ptr_eq(other, &split));
        while split.helpers.load(Ordering::Relaxed) > 0 {
            if let Some(below) = self.join(&open, Some(&split)) {
                drop(open);
                let membership = Membership::new(self.shared, &below);
                self.assist(&below);
                drop(membership);
            } else {
                drop(pool.wait(open));
                self.poll_now();
            }
            open = lock(&pool.open);
        }
        drop(open);
        *lock(&split.best)
    }

    /// Joins a split point as [`Pool::join`] does, but none once the search is aborted: idle
    /// threads then sleep, and leave the processors to those that finish.
    fn join(&self, open: &Open, ancestor: Option<&Arc<SplitPoint>>) -> Option<Arc<SplitPoint>> {
        if self.shared.is_aborted() {
            return None;
        }
        Pool::join(open, ancestor)
    }

    /// Works on a split point of another thread: for one move if it is large, as there
    /// may be one nearer to the leaves after it.
    fn assist(&mut self, split: &Arc<SplitPoint>) {
        let most = if split.is_large() { 1 } else { usize::MAX };
        self.work_on(split, most);
    }

    /// Searches up to `most` moves of `split`: fewer where none are left or it is decided.
    fn work_on(&mut self, split: &Arc<SplitPoint>, most: usize) {
        let outer = self.change_split(Some(Arc::clone(split)));
        let selectivity = std::mem::replace(&mut self.selectivity, split.selectivity);
        let probes = std::mem::replace(&mut self.probes, split.probes);
        for _ in 0..most {
            if self.aborted() {
                break;
            }
            let Some(mv) = split.take() else { break };
            let score = if split.end {
                self.brother::<true>(&split.node, mv, split.depth, split.alpha)
            } else {
                self.brother::<false>(&split.node, mv, split.depth, split.alpha)
            };
            if self.aborted() {
                break;
            }
            if split.update(score, mv.square) {
                self.shared.pool.cuts.fetch_add(1, Ordering::Release);
            }
        }
        self.change_split(outer);
        self.selectivity = selectivity;
        self.probes = probes;
    }

    /// The work of a helper: searches wherever there are moves, until the search is over, or it
    /// is recalled and has finished what it works on.
    pub(super) fn help(&mut self, recalled: Option<&AtomicBool>) {
        self.answer_questions();
        let pool = &self.shared.pool;
        pool.threads.fetch_add(1, Ordering::Relaxed);
        let mut open = lock(&pool.open);
        while !open.finished && !is_recalled(recalled) {
            if let Some(split) = self.join(&open, None) {
                drop(open);
                let membership = Membership::new(self.shared, &split);
                self.assist(&split);
                self.publish_nodes();
                drop(membership);
                open = lock(&pool.open);
            } else {
                open = pool.wait(open);
            }
        }
        pool.threads.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::super::moves::MoveList;
    use super::*;
    use crate::rules::{Board, Position};

    #[test]
    fn large_nodes_can_be_joined_before_a_thread_is_idle() {
        let pool = Pool::new();
        assert!(!pool.wants::<true>(LARGE_END));
        pool.threads.fetch_add(1, Ordering::Relaxed);
        assert!(pool.wants::<true>(LARGE_END));
        assert!(!pool.wants::<true>(LARGE_END - 1));
        assert!(!pool.wants::<false>(LARGE_END));
    }

    fn split_point(depth: i32, parent: Option<&Arc<SplitPoint>>) -> Arc<SplitPoint> {
        let board: Board = Position::START.board;
        let moves = MoveList::new(board, board.legal_moves().0);
        Arc::new(SplitPoint {
            parent: parent.cloned(),
            node: Node::new(board),
            depth,
            alpha: Discs::new(-1),
            end: true,
            selectivity: Selectivity::Full,
            probes: 0,
            moves: moves.as_slice().to_vec(),
            next: AtomicUsize::new(0),
            helpers: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            best: Mutex::new((NONE, NO_MOVE)),
        })
    }

    #[test]
    fn helpers_join_the_smallest_large_split_point_or_the_largest_small_one() {
        let top = split_point(LARGE_END + 6, None);
        let middle = split_point(LARGE_END, Some(&top));
        let low = split_point(LARGE_END - 3, Some(&middle));
        let lowest = split_point(LARGE_END - 5, Some(&low));
        let splits = vec![lowest, Arc::clone(&top), low, Arc::clone(&middle)];
        let open = Open {
            splits,
            asleep: 0,
            finished: false,
        };
        let joined = |ancestor| Pool::join(&open, ancestor).map(|split| split.depth);
        assert_eq!(joined(None), Some(LARGE_END));
        assert_eq!(joined(Some(&middle)), Some(LARGE_END - 3));

        while middle.take().is_some() {}
        assert_eq!(joined(None), Some(LARGE_END + 6));
        // A decided node has no moves to give, nor have nodes below it.
        assert!(top.update(Discs::ONE, NO_MOVE));
        assert_eq!(joined(None), None);
    }
}
