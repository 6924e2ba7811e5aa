//! The nodes that several threads search, and the threads that wait for one.
//!
//! Moves are given to helpers in the order in which one thread would search them: then the
//! fewest are searched in vain. So helpers can join large nodes at any time, a helper takes one
//! move of the large node nearest to the leaves, and chooses again after it.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::limits::Selectivity;
use super::moves::MoveEntry;
use super::node::Node;
use super::window::Best;
use crate::host::Instant;
use crate::score::Discs;

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
    pub(super) parent: Option<Arc<SplitPoint>>,
    pub(super) node: Node,
    pub(super) depth: i32,
    pub(super) alpha: Discs,
    /// Is this a search to the end of the game?
    pub(super) end: bool,
    pub(super) selectivity: Selectivity,
    pub(super) probes: u32,
    pub(super) moves: Vec<MoveEntry>,
    next: AtomicUsize,
    /// Threads at work beside the owner; changed under the pool's lock.
    pub(super) helpers: AtomicUsize,
    cut: AtomicBool,
    pub(super) best: Mutex<Best>,
}

impl SplitPoint {
    /// Of a search to the end of the game that leaves nothing out, below no other one.
    pub(super) fn new(node: Node, depth: i32, alpha: Discs, moves: Vec<MoveEntry>) -> SplitPoint {
        SplitPoint {
            parent: None,
            node,
            depth,
            alpha,
            end: true,
            selectivity: Selectivity::Full,
            probes: 0,
            moves,
            next: AtomicUsize::new(0),
            helpers: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            best: Mutex::new(Best::NONE),
        }
    }

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

    pub(super) fn take(&self) -> Option<&MoveEntry> {
        self.moves.get(self.next.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn is_large(&self) -> bool {
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
    pub(super) fn update(&self, score: Discs, square: u8) -> bool {
        lock(&self.best).improve(Best { score, square });
        let cuts = score > self.alpha;
        if cuts {
            self.cut.store(true, Ordering::Relaxed);
        }
        cuts
    }
}

/// The split points that have moves left, and the threads that wait for one.
#[derive(Default)]
pub(super) struct Pool {
    /// Threads of this search beside the first one, which join and leave.
    pub(super) helpers: AtomicUsize,
    /// Threads that wait.
    pub(super) idle: CachePadded<AtomicUsize>,
    /// Moves that decided a split point.
    pub(super) cuts: CachePadded<AtomicU64>,
    pub(super) open: Mutex<Open>,
    /// Changes of `open`, made under its lock.
    version: AtomicUsize,
    wake: Condvar,
}

#[derive(Default)]
pub(super) struct Open {
    pub(super) splits: Vec<Arc<SplitPoint>>,
    /// Threads that sleep until they are woken.
    asleep: usize,
    pub(super) finished: bool,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panicking thread leaves nothing half done behind these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Should a node of `depth` plies be shared?
    #[inline]
    pub(super) fn wants<const END: bool>(&self, depth: i32) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
            || is_large(END, depth) && self.helpers.load(Ordering::Relaxed) > 0
    }

    /// Wakes the threads that wait for a change of `open`.
    pub(super) fn notify(&self, open: &Open) {
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
    pub(super) fn join(open: &Open, ancestor: Option<&Arc<SplitPoint>>) -> Option<Arc<SplitPoint>> {
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

    pub(super) fn leave(&self, split: &SplitPoint) {
        let open = lock(&self.open);
        split.helpers.fetch_sub(1, Ordering::Relaxed);
        self.notify(&open);
    }

    /// Waits until something changes, but not longer than [`SLEEP_TIME`] after spinning.
    pub(super) fn wait<'g>(&'g self, open: MutexGuard<'g, Open>) -> MutexGuard<'g, Open> {
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
        if self.helpers.load(Ordering::Relaxed) >= *CORES {
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

#[cfg(test)]
mod tests {
    use super::super::moves::{MoveList, NO_MOVE};
    use super::*;
    use crate::rules::{Board, Position};

    #[test]
    fn large_nodes_can_be_joined_before_a_thread_is_idle() {
        let pool = Pool::default();
        assert!(!pool.wants::<true>(LARGE_END));
        pool.helpers.fetch_add(1, Ordering::Relaxed);
        assert!(pool.wants::<true>(LARGE_END));
        assert!(!pool.wants::<true>(LARGE_END - 1));
        assert!(!pool.wants::<false>(LARGE_END));
    }

    fn split_point(depth: i32, parent: Option<&Arc<SplitPoint>>) -> Arc<SplitPoint> {
        let board: Board = Position::START.board;
        let moves = MoveList::new(board, board.legal_moves().0);
        let moves = moves.as_slice().to_vec();
        let mut split = SplitPoint::new(Node::new(board), depth, Discs::new(-1), moves);
        split.parent = parent.cloned();
        Arc::new(split)
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
            ..Open::default()
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
