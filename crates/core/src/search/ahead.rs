//! How threads without work search ahead.
//!
//! While an iteration runs, they search what the next one will ask, and many of them then the one after it: are the
//! brothers of the moves of the last line better? Nobody waits for them, and only the table remembers what they
//! find. So they search as in lazy SMP, each on its own, and as soon as there is a node to share they leave for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::moves::MoveList;
use super::node::Node;
use super::observer::Observer;
use super::pool::{MANY_THREADS, OpenNodes, Pool, SplitPoint};
use super::worker::Worker;
use crate::eval::Evaluator;
use crate::rules::Move;
use crate::score::Discs;

/// Fewest plies of an iteration, and of a node, that is worth searching ahead.
const MIN_AHEAD: i32 = 6;

/// The principal variation of the last iteration.
pub(super) struct LastLine<'l> {
    pub(super) root: &'l Node,
    /// The moves of the root that may be played.
    pub(super) moves: u64,
    pub(super) pv: &'l [Move],
    /// At the root, for its side to move.
    pub(super) score: Discs,
}

impl LastLine<'_> {
    /// Its nodes, from the root down to [`MIN_AHEAD`] plies before the horizon of a search to `depth` and as far as
    /// that is not the end of the game; each with its other moves, the most promising first, and with the score of
    /// the line as alpha.
    fn brothers(&self, mut depth: i32, evaluator: &Evaluator) -> Vec<SplitPoint> {
        let mut found = Vec::new();
        let (mut node, mut moves, mut alpha) = (self.root.clone(), self.moves, self.score);
        for mv in self.pv {
            if depth < MIN_AHEAD || depth >= node.board.empty_count() as i32 {
                break;
            }
            if let Some(square) = mv.square() {
                let others = MoveList::new(node.board, moves & !square.bit());
                let mut others = others.as_slice().to_vec();
                others.sort_by_cached_key(|mv| evaluator.evaluate(mv.board));
                found.push(SplitPoint::new(node.clone(), depth, alpha, others));
                node = node.play(square.index(), node.board.play(square));
                depth -= 1;
            } else {
                node = node.pass();
            }
            moves = node.board.legal_moves().0;
            alpha = -alpha;
        }
        found
    }
}

/// While it is there, threads without work search ahead.
#[must_use]
pub(super) struct Ahead<'p>(&'p Pool);

impl Drop for Ahead<'_> {
    fn drop(&mut self) {
        self.0.end_ahead();
    }
}

impl<'a, O: Observer> Worker<'a, O> {
    /// Lets threads without work search ahead of an iteration of `depth` plies, the next one having `step` more. None
    /// do so where more threads search than there are processors: they would only delay the others.
    pub(super) fn offer_ahead(
        &mut self,
        line: &LastLine<'_>,
        depth: i32,
        step: usize,
    ) -> Option<Ahead<'a>> {
        let pool = &self.shared.pool;
        let helpers = pool.helpers.load(Ordering::Relaxed);
        if depth < MIN_AHEAD || helpers == 0 || !self.core().are_enough(pool) {
            return None;
        }
        let plies_ahead = if helpers + 1 >= MANY_THREADS { 2 } else { 1 };
        let evaluator = &self.shared.known.evaluator;
        let ahead = (1..=plies_ahead).map(|iterations| depth + iterations * step as i32);
        let brothers = ahead.flat_map(|depth| line.brothers(depth, evaluator));
        let nodes = brothers.map(|mut node| {
            (node.end, node.selectivity) = (false, self.selectivity);
            Arc::new(node)
        });
        pool.offer_ahead(nodes.collect());
        Some(Ahead(pool))
    }

    /// A node to search ahead, if there is one and the search is not aborted.
    pub(super) fn node_ahead(&self, open: &OpenNodes) -> Option<Arc<SplitPoint>> {
        if self.shared.is_aborted() {
            return None;
        }
        open.node_ahead()
    }

    /// Searches one move of a node ahead. Meanwhile this thread counts as one without work.
    pub(super) fn search_ahead(&mut self, node: &Arc<SplitPoint>) {
        self.shared.pool.begin_wait();
        self.set_ahead(true);
        self.work_on(node, 1);
        self.set_ahead(false);
        // A call that comes between these two lines is answered by the next thread that waits.
        if !self.shared.pool.answer_call() {
            self.shared.pool.end_wait();
        }
        self.publish_nodes();
        self.keep_pace();
    }

    /// Leaves what it searches ahead for nodes that others share, if it is called to them, and comes back when
    /// there are none.
    #[cold]
    pub(super) fn leave_if_called(&mut self) {
        if !self.shared.pool.answer_call() {
            return;
        }
        self.set_ahead(false);
        let mut open = self.lock_open();
        while let Some(split) = self.join(&open, None) {
            drop(open);
            self.assist(&split);
            open = self.lock_open();
        }
        drop(open);
        self.set_ahead(true);
        self.shared.pool.begin_wait();
    }

    fn set_ahead(&mut self, is_ahead: bool) {
        self.is_ahead = is_ahead;
        self.core().set_ahead(is_ahead);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicBool;

    use super::super::counters::Counts;
    use super::super::helpers::help;
    use super::super::join::JoinPoint;
    use super::super::limits::Selectivity;
    use super::super::moves::{MoveEntry, place};
    use super::super::observer::{Off, On};
    use super::super::shared::Shared;
    use super::super::shared::tests::shared;
    use super::super::solver::EndgameSolver;
    use super::*;
    use crate::locks::lock;
    use crate::rules::{Board, Position};
    use crate::threads;

    fn moves<const N: usize>(texts: [&str; N]) -> Vec<Move> {
        let parsed = texts.map(|text| text.parse::<Move>().expect("a move"));
        parsed.to_vec()
    }

    fn brothers(board: Board, moves: u64, pv: &[Move], depth: i32) -> Vec<SplitPoint> {
        let root = &Node::new(board);
        let score = Discs::new(3);
        let line = LastLine {
            root,
            moves,
            pv,
            score,
        };
        line.brothers(depth, &Evaluator::embedded())
    }

    /// All moves of the start but one, searched at full width to so many plies.
    fn node_ahead(depth: i32) -> Arc<SplitPoint> {
        let start = Board::START;
        let pv = moves(["f5"]);
        let mut nodes = brothers(start, start.legal_moves().0, &pv, depth);
        nodes[0].end = false;
        Arc::new(nodes.remove(0))
    }

    /// One whose search would take years.
    const ENDLESS: i32 = 40;

    /// Is a move of the node being searched, or has been?
    fn is_begun(shared: &Shared) -> bool {
        let open = lock(&shared.pool.open);
        open.node_ahead().is_none_or(|node| node.was_taken())
    }

    /// While a helper searches ahead, does `work`; at its end the helper has to leave. What the search ends with.
    fn with_helper<O: Observer, T>(
        work: impl FnOnce(&Shared, Ahead<'_>) -> T,
    ) -> std::thread::Result<T> {
        let (join_point, shared) = (JoinPoint::default(), shared());
        let mut solver = EndgameSolver::<O>::new().expect("memory");
        std::thread::scope(|scope| {
            scope.spawn(|| help(&join_point, &mut solver, None));
            let done = catch_unwind(AssertUnwindSafe(|| {
                let search = join_point.open(&shared);
                shared.pool.offer_ahead(vec![node_ahead(ENDLESS)]);
                let ahead = Ahead(&shared.pool);
                while !is_begun(&shared) {
                    std::thread::yield_now();
                }
                let done = work(&shared, ahead);
                search.end();
                done
            }));
            join_point.close();
            done
        })
    }

    #[test]
    fn what_the_next_iteration_will_ask_is_searched_ahead() {
        let (start, pv) = (Board::START, moves(["f5", "d6", "c3", "d3"]));
        let legal = start.legal_moves().0;
        let nodes = brothers(start, legal, &pv, MIN_AHEAD + 2);
        let seen = nodes.iter().map(|node| (node.depth, node.alpha.get()));
        assert_eq!(seen.collect::<Vec<_>>(), [(8, 3), (7, -3), (6, 3)]);
        for (node, mv) in nodes.iter().zip(&pv) {
            let others = node.node.board.legal_moves().count() - 1;
            assert_eq!(node.moves.len() as u32, others);
            let is_other = |other: &MoveEntry| place(other.square) != *mv;
            assert!(node.moves.iter().all(is_other));
        }
        // Only moves of the root that may be played; and nothing near the horizon or to the end of the game.
        let only = pv[0].square().expect("no pass");
        assert!(
            brothers(start, only.bit(), &pv, MIN_AHEAD)[0]
                .moves
                .is_empty()
        );
        assert!(brothers(start, legal, &pv, MIN_AHEAD - 1).is_empty());
        assert!(brothers(start, legal, &pv, 60).is_empty());
    }

    #[test]
    fn a_pass_is_no_ply() {
        let text = "-----OOO-X--XXX--X--XXXX-XXXXX-O---XXXOO---X--OO---X--OO-------O X";
        let board = text.parse::<Position>().expect("a position").board;
        let reply = board.pass().legal_moves().next().map(Move::Place);
        let pv: Vec<Move> = std::iter::once(Move::Pass).chain(reply).collect();
        let nodes = brothers(board, 0, &pv, 10);
        let seen = nodes.iter().map(|node| (node.depth, node.alpha.get()));
        assert_eq!(seen.collect::<Vec<_>>(), [(10, -3)]);
    }

    #[test]
    fn work_ahead_is_offered_to_helpers_that_have_processors() {
        let shared = shared();
        let mut solver = EndgameSolver::<Off>::new().expect("memory");
        let mut worker = Worker::new(&shared, &mut solver, None);
        let root = Node::new(Board::START);
        let line = LastLine {
            root: &root,
            moves: root.board.legal_moves().0,
            pv: &moves(["f5"]),
            score: Discs::new(0),
        };
        let depth_ahead = || lock(&shared.pool.open).node_ahead().map(|node| node.depth);
        let mut offered = |helpers, depth| {
            shared.pool.helpers.store(helpers, Ordering::Relaxed);
            let _ahead = worker.offer_ahead(&line, depth, 1);
            depth_ahead()
        };
        assert_eq!(offered(0, 20), None);
        assert_eq!(offered(1, MIN_AHEAD - 1), None);
        assert_eq!(offered(usize::MAX, 20), None);
        if threads::cores().get() > 1 {
            assert_eq!(offered(1, 20), Some(21));
        }
        assert_eq!(depth_ahead(), None);
    }

    #[test]
    fn who_searches_ahead_stops_when_the_iteration_ends() {
        let ended = with_helper::<Off, _>(|_, ahead| drop(ahead));
        assert!(ended.is_ok());
    }

    #[test]
    fn who_searches_ahead_stops_with_the_search() {
        let ended = with_helper::<Off, _>(|shared, ahead| {
            shared.signals.stop();
            // The iteration goes on.
            std::mem::forget(ahead);
        });
        assert!(ended.is_ok());
    }

    #[test]
    fn who_searches_ahead_stops_when_the_leader_panics() {
        let ended = with_helper::<Off, ()>(|_, _ahead| panic!("the leader's fault"));
        let panic = ended.expect_err("the panic of the leader");
        assert_eq!(panic.downcast_ref(), Some(&"the leader's fault"));
    }

    /// Panics at the first node.
    #[derive(Default)]
    struct FaultyObserver;

    impl Observer for FaultyObserver {
        fn count(&mut self, _: impl FnOnce(&mut Counts)) {
            panic!("a fault ahead");
        }
    }

    #[test]
    fn a_panic_ahead_ends_the_search_and_continues_in_it() {
        let ended = with_helper::<FaultyObserver, _>(|shared, _ahead| {
            while !shared.is_aborted() {
                std::thread::yield_now();
            }
        });
        let panic = ended.expect_err("the panic of the helper");
        assert_eq!(panic.downcast_ref(), Some(&"a fault ahead"));
    }

    #[test]
    fn a_thread_that_can_be_recalled_does_not_search_ahead() {
        let (join_point, shared) = (JoinPoint::default(), shared());
        let recalled = AtomicBool::new(false);
        let mut solver = EndgameSolver::<Off>::new().expect("memory");
        shared.pool.offer_ahead(vec![node_ahead(ENDLESS)]);
        std::thread::scope(|scope| {
            let helper = scope.spawn(|| help(&join_point, &mut solver, Some(&recalled)));
            let search = join_point.open(&shared);
            join_point.wait_for_helper();
            while !shared.pool.wants::<false>(8) {
                std::thread::yield_now();
            }
            recalled.store(true, Ordering::Relaxed);
            helper.join().expect("no panic");
            assert!(!is_begun(&shared));
            search.end();
        });
    }

    #[test]
    fn who_is_called_leaves_and_comes_back() {
        let shared = shared();
        let mut solver = EndgameSolver::<On>::new().expect("memory");
        let mut worker = Worker::new(&shared, &mut solver, None);
        worker.selectivity = Selectivity::P73;
        let pool = &shared.pool;
        pool.begin_wait();
        worker.set_ahead(true);
        worker.poll();
        assert!(pool.wants::<false>(8) && !worker.can_split::<false>(8, 8));

        let split = node_ahead(MIN_AHEAD);
        let called = pool.add(&mut lock(&pool.open), &split);
        assert_eq!((called, pool.wants::<false>(8)), (1, false));
        worker.poll();
        assert!(split.take().is_none(), "its moves are searched");
        assert_eq!(split.helpers.load(Ordering::Relaxed), 0);
        assert!(worker.is_ahead && pool.wants::<false>(8) && !pool.is_called());
        assert_eq!(worker.selectivity, Selectivity::P73);
    }
}
