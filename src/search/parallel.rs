//! Several threads on one position: split points and the pool of idle threads.
//!
//! Young brothers wait (Feldmann, 1993): a node's first move is searched by one
//! thread; if it does not cut, the others are shared with whoever is idle. A
//! thread whose split point has no moves left, but is not done, helps below it.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Selectivity;
use super::last_empties::NONE;
use super::moves::MoveEntry;
use super::table::NO_MOVE;
use super::worker::{Node, Shared, Worker};

/// Fewest plies of a node worth sharing, to the end of the game.
const MIN_SPLIT_END: i32 = 12;

/// Fewest plies of a node worth sharing, before it.
const MIN_SPLIT_MIDGAME: i32 = 6;

/// How long a waiting thread sleeps before it looks at the limits again.
const NAP: Duration = Duration::from_millis(2);

/// A node whose remaining moves several threads search, each with the null window at `alpha`.
pub(super) struct SplitPoint {
    parent: Option<Arc<SplitPoint>>,
    node: Node,
    depth: i32,
    alpha: i32,
    /// Is this a search to the end of the game?
    end: bool,
    selectivity: Selectivity,
    probes: u32,
    moves: Vec<MoveEntry>,
    next: AtomicUsize,
    /// Threads at work beside the owner; changed under the pool's lock.
    helpers: AtomicUsize,
    cut: AtomicBool,
    best: Mutex<(i32, u8)>,
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

    fn update(&self, score: i32, square: u8) {
        let mut best = lock(&self.best);
        if score > best.0 {
            *best = (score, square);
            if score > self.alpha {
                self.cut.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// The split points with moves to give, and the threads that wait for one.
pub(super) struct Pool {
    idle: AtomicUsize,
    open: Mutex<Open>,
    wake: Condvar,
}

struct Open {
    splits: Vec<Arc<SplitPoint>>,
    finished: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panicking thread leaves nothing half done behind these locks.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    pub(super) fn new() -> Pool {
        let open = Open {
            splits: Vec::new(),
            finished: false,
        };
        Pool {
            idle: AtomicUsize::new(0),
            open: Mutex::new(open),
            wake: Condvar::new(),
        }
    }

    #[inline]
    fn has_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Sends the helpers home.
    pub(super) fn finish(&self) {
        lock(&self.open).finished = true;
        self.wake.notify_all();
    }

    /// Joins a split point with moves to give: any, or one below `ancestor`.
    fn join(open: &Open, ancestor: Option<&Arc<SplitPoint>>) -> Option<Arc<SplitPoint>> {
        let split = open
            .splits
            .iter()
            .filter(|split| split.has_moves() && !split.is_cut())
            .filter(|split| ancestor.is_none_or(|ancestor| split.is_below(ancestor)))
            .max_by_key(|split| split.depth)?;
        split.helpers.fetch_add(1, Ordering::Relaxed);
        Some(Arc::clone(split))
    }

    fn leave(&self, split: &SplitPoint) {
        let open = lock(&self.open);
        split.helpers.fetch_sub(1, Ordering::Relaxed);
        drop(open);
        self.wake.notify_all();
    }

    /// Sleeps until something changes.
    fn wait<'g>(&self, open: MutexGuard<'g, Open>) -> MutexGuard<'g, Open> {
        self.idle.fetch_add(1, Ordering::Relaxed);
        let woken = self.wake.wait_timeout(open, NAP);
        self.idle.fetch_sub(1, Ordering::Relaxed);
        woken.map_or_else(|error| error.into_inner().0, |(open, _)| open)
    }
}

/// A thread's part in a split point that is not its own. It ends also where the thread
/// panics, and the search with it: nobody waits for what will not come.
struct Membership<'a> {
    shared: &'a Shared<'a>,
    split: &'a SplitPoint,
}

impl<'a> Membership<'a> {
    fn new(shared: &'a Shared<'a>, split: &'a SplitPoint) -> Membership<'a> {
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

impl Worker<'_> {
    /// Should the `rest` unsearched moves of a node be shared now?
    #[inline]
    pub(super) fn can_split<const END: bool>(&self, depth: i32, rest: usize) -> bool {
        let least = if END {
            MIN_SPLIT_END
        } else {
            MIN_SPLIT_MIDGAME
        };
        rest >= 2 && depth >= least && self.shared.pool.has_idle()
    }

    /// Searches `moves` of `node` together with idle threads, each with the null
    /// window at `alpha`, until one is better. Returns the best score and its square.
    pub(super) fn split<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: i32,
        moves: &[MoveEntry],
    ) -> (i32, u8) {
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
        lock(&pool.open).splits.push(Arc::clone(&split));
        pool.wake.notify_all();

        self.work_on(&split);

        let mut open = lock(&pool.open);
        open.splits.retain(|other| !Arc::ptr_eq(other, &split));
        while split.helpers.load(Ordering::Relaxed) > 0 {
            if let Some(below) = self.join(&open, Some(&split)) {
                drop(open);
                let membership = Membership::new(self.shared, &below);
                self.work_on(&below);
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

    /// Joins a split point as [`Pool::join`] does, but nothing new once all has to end:
    /// who has nothing to do then sleeps, and leaves the processor to those who finish.
    fn join(&self, open: &Open, ancestor: Option<&Arc<SplitPoint>>) -> Option<Arc<SplitPoint>> {
        if self.shared.is_aborted() {
            return None;
        }
        Pool::join(open, ancestor)
    }

    /// Takes moves of `split` until there are none or it is decided.
    fn work_on(&mut self, split: &Arc<SplitPoint>) {
        let outer = self.split.replace(Arc::clone(split));
        let selectivity = std::mem::replace(&mut self.selectivity, split.selectivity);
        let probes = std::mem::replace(&mut self.probes, split.probes);
        while !self.aborted() {
            let Some(mv) = split.take() else { break };
            let score = if split.end {
                self.brother::<true>(&split.node, mv, split.depth, split.alpha)
            } else {
                self.brother::<false>(&split.node, mv, split.depth, split.alpha)
            };
            if self.aborted() {
                break;
            }
            split.update(score, mv.square);
        }
        self.split = outer;
        self.selectivity = selectivity;
        self.probes = probes;
    }

    /// The life of a helper: works wherever there are moves, until the search is over.
    pub(super) fn help(&mut self) {
        let pool = &self.shared.pool;
        let mut open = lock(&pool.open);
        while !open.finished {
            if let Some(split) = self.join(&open, None) {
                drop(open);
                let membership = Membership::new(self.shared, &split);
                self.work_on(&split);
                self.publish_nodes();
                drop(membership);
                open = lock(&pool.open);
            } else {
                open = pool.wait(open);
            }
        }
    }
}
