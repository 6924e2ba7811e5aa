//! The nodes that several threads search, and the threads that wait for one.
//!
//! Moves are given to helpers in the order in which one thread would search them: then the
//! fewest are searched in vain. So helpers can join large nodes at any time, a helper takes one
//! move of the large node nearest to the leaves, and chooses again after it.

use std::sync::Arc;
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::limits::Selectivity;
use super::moves::MoveEntry;
use super::node::Node;
use super::window::Best;
use crate::host::Instant;
use crate::lazy::Lazy;
use crate::locks::atomic::{AtomicBool, AtomicIsize, AtomicU64, AtomicUsize, Ordering};
use crate::locks::{Condvar, Mutex, MutexGuard, lock, wait_timeout};
use crate::score::Discs;
use crate::threads;

/// Fewest plies of a large node, to the end of the game.
const LARGE_END: i32 = 20;

/// The same, before it.
const LARGE_MIDGAME: i32 = 10;

/// Fewest threads for which much is done otherwise: they search ahead of the next iteration, too, the root is asked
/// null-window questions alone, in steps of two plies, and large nodes of the midgame stay open to late helpers.
pub(super) const MANY_THREADS: usize = 8;

/// Most threads for which such nodes stay open: more would wait for the lock.
const MOST_AT_MIDGAME: usize = 16;

/// Can helpers join a node at any time, and not only where one was idle when its first move was
/// done? They take one move of it at a time.
fn is_large(end: bool, depth: i32, helpers: usize) -> bool {
    match end {
        true => depth >= LARGE_END && helpers > 0,
        false => {
            depth >= LARGE_MIDGAME && (MANY_THREADS..=MOST_AT_MIDGAME).contains(&(helpers + 1))
        }
    }
}

/// How long a waiting thread spins before it sleeps. Waking it takes tens of microseconds, in
/// which a thread solves a node of 12 empties.
const SPIN_TIME: Duration = Duration::from_micros(500);

/// How long a waiting thread sleeps before it checks the limits again.
const SLEEP_TIME: Duration = Duration::from_millis(2);

/// Threads that can run at once, asked at the first wait.
static CORES: Lazy<usize> = Lazy::new(|| threads::cores().get());

/// A node whose remaining moves several threads search, each with the null window at `alpha`.
pub(super) struct SplitPoint {
    pub(super) parent: Option<Arc<SplitPoint>>,
    pub(super) node: Node,
    pub(super) depth: i32,
    pub(super) alpha: Discs,
    /// Is this a search to the end of the game?
    pub(super) end: bool,
    /// Is it open to helpers at any time?
    pub(super) is_large: bool,
    pub(super) selectivity: Selectivity,
    pub(super) probes: u32,
    pub(super) moves: Vec<MoveEntry>,
    next: AtomicUsize,
    /// The simulated core of its owner.
    pub(super) owner: Option<usize>,
    /// Threads at work beside the owner; they join under the pool's lock, while it is open.
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
            is_large: false,
            selectivity: Selectivity::Full,
            probes: 0,
            moves,
            next: AtomicUsize::new(0),
            owner: None,
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

    fn has_moves(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.moves.len()
    }

    /// Ends the part of one of its helpers. Was it the last?
    pub(super) fn leave(&self) -> bool {
        self.helpers.fetch_sub(1, Ordering::SeqCst) == 1
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
///
/// A thread that makes a split point calls as many of the free threads as have moves there. The others stay
/// where they are: most of those that wait would find nothing, and hold up the others at the lock.
#[derive(Default)]
pub(super) struct Pool {
    /// Threads of this search beside the first one, which join and leave.
    pub(super) helpers: AtomicUsize,
    /// Threads without work, less the calls that nobody has answered.
    free: CachePadded<AtomicIsize>,
    /// Threads that wait until others have left their split points. They are not called: only some of the work is theirs.
    owners_waiting: CachePadded<AtomicUsize>,
    /// Calls that nobody has answered.
    calls: CachePadded<AtomicUsize>,
    /// Moves that decided a split point.
    pub(super) cuts: CachePadded<AtomicU64>,
    pub(super) open: Mutex<OpenNodes>,
    /// Split points made so far, counted under the lock of `open`.
    made: AtomicUsize,
    is_finished: AtomicBool,
    /// For threads without work: one was called.
    called: Condvar,
    /// Threads that sleep until others have left their split points.
    owners_asleep: AtomicUsize,
    /// For them.
    left: Condvar,
}

#[derive(Default)]
pub(super) struct OpenNodes {
    pub(super) splits: Vec<Arc<SplitPoint>>,
    /// Nodes that threads without work search ahead. Nobody owns them, or waits for them.
    ahead: Vec<Arc<SplitPoint>>,
    /// Threads without work that sleep until they are called.
    asleep: usize,
}

impl OpenNodes {
    /// The first of the nodes to search ahead that has moves left.
    pub(super) fn node_ahead(&self) -> Option<Arc<SplitPoint>> {
        let mut nodes = self.ahead.iter();
        nodes
            .find(|node| node.has_moves() && !node.is_cut())
            .cloned()
    }
}

impl Pool {
    /// Should a node of `depth` plies be shared?
    #[inline]
    pub(super) fn wants<const END: bool>(&self, depth: i32) -> bool {
        self.free.load(Ordering::Relaxed) > 0
            || self.owners_waiting.load(Ordering::Relaxed) > 0
            || self.is_large(END, depth)
    }

    /// Can helpers join a node of `depth` plies at any time?
    #[inline]
    pub(super) fn is_large(&self, end: bool, depth: i32) -> bool {
        is_large(end, depth, self.helpers.load(Ordering::Relaxed))
    }

    /// Adds a split point, and calls free threads to it; says how many. Those that sleep are still to be woken.
    pub(super) fn add(&self, open: &mut OpenNodes, split: &Arc<SplitPoint>) -> usize {
        open.splits.push(Arc::clone(split));
        let free = self.free.load(Ordering::Relaxed).max(0);
        let count = (split.moves.len() - 1).min(free as usize);
        self.free.fetch_sub(count as isize, Ordering::Relaxed);
        self.calls.fetch_add(count, Ordering::Relaxed);
        self.made.fetch_add(1, Ordering::Relaxed);
        count
    }

    /// Wakes so many threads without work, if they sleep, and the owners that do.
    pub(super) fn wake_helpers(&self, open: &OpenNodes, count: usize) {
        for _ in 0..count.min(open.asleep) {
            self.called.notify_one();
        }
        if self.owners_asleep.load(Ordering::Relaxed) > 0 {
            self.left.notify_all();
        }
    }

    /// Ends the work of the helpers.
    pub(super) fn finish(&self) {
        let _open = lock(&self.open);
        self.is_finished.store(true, Ordering::Relaxed);
        self.called.notify_all();
    }

    pub(super) fn is_finished(&self) -> bool {
        self.is_finished.load(Ordering::Relaxed)
    }

    /// Joins a split point that has moves left, any or one below `ancestor`: the smallest of
    /// the large ones, or else the largest.
    pub(super) fn join(
        open: &OpenNodes,
        ancestor: Option<&Arc<SplitPoint>>,
    ) -> Option<Arc<SplitPoint>> {
        let worth = |split: &&Arc<SplitPoint>| {
            if split.is_large {
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

    /// Lets threads without work search these nodes ahead.
    pub(super) fn offer_ahead(&self, nodes: Vec<Arc<SplitPoint>>) {
        lock(&self.open).ahead = nodes;
    }

    /// Ends what is searched ahead.
    pub(super) fn end_ahead(&self) {
        let nodes = std::mem::take(&mut lock(&self.open).ahead);
        for node in nodes {
            node.cut.store(true, Ordering::Relaxed);
        }
        self.cuts.fetch_add(1, Ordering::Release);
    }

    /// Wakes the owners of split points that sleep until others have left.
    pub(super) fn wake_owners(&self) {
        if self.owners_asleep.load(Ordering::SeqCst) > 0 {
            let _open = lock(&self.open);
            self.left.notify_all();
        }
    }

    /// Notes that an owner waits for those who help it.
    pub(super) fn begin_wait_for_others(&self) {
        self.owners_waiting.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that it does not wait any more.
    pub(super) fn end_wait_for_others(&self) {
        self.owners_waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Notes that a thread has no work.
    pub(super) fn begin_wait(&self) {
        self.free.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that it does not wait any more, and was not called.
    pub(super) fn end_wait(&self) {
        self.free.fetch_sub(1, Ordering::Relaxed);
    }

    /// Is there a call that nobody has answered?
    #[inline]
    pub(super) fn is_called(&self) -> bool {
        self.calls.load(Ordering::Relaxed) > 0
    }

    /// Answers a call, if there is one.
    pub(super) fn answer_call(&self) -> bool {
        let calls = &self.calls;
        let one_less = |calls: usize| calls.checked_sub(1);
        calls
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
            .is_ok()
    }

    /// Waits until this thread is called or the search is over, but not longer than [`SLEEP_TIME`] after
    /// spinning.
    pub(super) fn wait_for_call<'g>(
        &'g self,
        open: MutexGuard<'g, OpenNodes>,
    ) -> MutexGuard<'g, OpenNodes> {
        self.begin_wait();
        drop(open);
        let mut is_called = false;
        self.spin(|| {
            is_called = self.answer_call();
            is_called || self.is_finished()
        });
        let mut open = lock(&self.open);
        // A call that came before the lock was taken woke nobody.
        is_called = is_called || self.answer_call();
        if !is_called && !self.is_finished() {
            open.asleep += 1;
            open = wait_timeout(&self.called, open, SLEEP_TIME).0;
            open.asleep -= 1;
        }
        if !is_called && !self.answer_call() {
            self.end_wait();
        }
        open
    }

    /// Waits until no other thread is at `split` or there is a new split point, which may be below it, but not
    /// longer than [`SLEEP_TIME`] after spinning.
    pub(super) fn wait_for_others(&self, open: MutexGuard<'_, OpenNodes>, split: &SplitPoint) {
        let made = self.made.load(Ordering::Relaxed);
        self.begin_wait_for_others();
        drop(open);
        let is_over = || {
            split.helpers.load(Ordering::SeqCst) == 0 || self.made.load(Ordering::Relaxed) != made
        };
        if !self.spin(is_over) {
            let open = lock(&self.open);
            self.owners_asleep.fetch_add(1, Ordering::SeqCst);
            if !is_over() {
                // It looks again, whatever woke it.
                drop(wait_timeout(&self.left, open, SLEEP_TIME));
            }
            self.owners_asleep.fetch_sub(1, Ordering::SeqCst);
        }
        self.end_wait_for_others();
    }

    /// Are there as many processors as this search has threads?
    pub(super) fn has_processors(&self) -> bool {
        self.helpers.load(Ordering::Relaxed) < *CORES
    }

    /// Spins until `is_over`, for [`SPIN_TIME`] at most, and not at all where this search has more threads than
    /// there are processors. Returns whether it is.
    fn spin(&self, mut is_over: impl FnMut() -> bool) -> bool {
        if !self.has_processors() {
            return is_over();
        }
        let start = Instant::now();
        loop {
            if is_over() {
                return true;
            }
            if start.elapsed() >= SPIN_TIME {
                return false;
            }
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

    impl SplitPoint {
        /// Has a thread taken a move?
        pub(in crate::search) fn was_taken(&self) -> bool {
            self.next.load(Ordering::Relaxed) > 0
        }
    }

    #[test]
    fn large_nodes_can_be_joined_before_a_thread_is_idle() {
        let pool = Pool::default();
        assert!(!pool.wants::<true>(LARGE_END));
        pool.helpers.fetch_add(1, Ordering::Relaxed);
        assert!(pool.wants::<true>(LARGE_END));
        assert!(!pool.wants::<true>(LARGE_END - 1));
        assert!(!pool.wants::<false>(LARGE_END));
    }

    #[test]
    fn nodes_ahead_are_given_out_in_order_and_end_together() {
        let pool = Pool::default();
        let node_ahead = || lock(&pool.open).node_ahead().map(|node| node.depth);
        assert_eq!(node_ahead(), None);
        let nodes = [8, 7, 6].map(|depth| split_point(depth, None));
        pool.offer_ahead(nodes.to_vec());
        assert_eq!(node_ahead(), Some(8));
        while nodes[0].take().is_some() {}
        assert_eq!(node_ahead(), Some(7));
        nodes[1].update(Discs::ONE, NO_MOVE);
        assert_eq!(node_ahead(), Some(6));
        let cuts = pool.cuts.load(Ordering::Relaxed);
        pool.end_ahead();
        assert_eq!(node_ahead(), None);
        assert!(nodes[2].is_cut() && pool.cuts.load(Ordering::Relaxed) > cuts);
    }

    fn split_point(depth: i32, parent: Option<&Arc<SplitPoint>>) -> Arc<SplitPoint> {
        let board: Board = Position::START.board;
        let moves = MoveList::new(board, board.legal_moves().0);
        let moves = moves.as_slice().to_vec();
        let mut split = SplitPoint::new(Node::new(board), depth, Discs::new(-1), moves);
        split.parent = parent.cloned();
        split.is_large = depth >= LARGE_END;
        Arc::new(split)
    }

    #[test]
    fn as_many_free_threads_are_called_as_there_are_or_as_have_moves() {
        let pool = Pool::default();
        let split = split_point(5, None);
        let call = || pool.add(&mut lock(&pool.open), &split);
        assert_eq!(call(), 0);
        for _ in 0..5 {
            pool.begin_wait();
        }
        assert!(pool.wants::<false>(5));
        // Its owner takes one of the four moves.
        assert_eq!((call(), call(), call()), (3, 2, 0));
        assert!(!pool.wants::<false>(5));
        for _ in 0..5 {
            assert!(pool.answer_call());
        }
        assert!(!pool.answer_call());
    }

    #[test]
    fn an_owner_that_waits_wants_nodes_and_is_not_called() {
        let pool = Pool::default();
        let split = split_point(5, None);
        for _ in 0..2 {
            pool.begin_wait_for_others();
            assert!(pool.wants::<false>(5));
            assert_eq!(pool.add(&mut lock(&pool.open), &split), 0);
            pool.end_wait_for_others();
            assert!(!pool.wants::<false>(5));
        }
        assert!(!pool.answer_call());
    }

    #[test]
    fn helpers_join_the_smallest_large_split_point_or_the_largest_small_one() {
        let top = split_point(LARGE_END + 6, None);
        let middle = split_point(LARGE_END, Some(&top));
        let low = split_point(LARGE_END - 3, Some(&middle));
        let lowest = split_point(LARGE_END - 5, Some(&low));
        let splits = vec![lowest, Arc::clone(&top), low, Arc::clone(&middle)];
        let open = OpenNodes {
            splits,
            ..OpenNodes::default()
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
