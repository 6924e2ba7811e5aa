//! One thread of a search: its counters, its cache, and what it shares with the others.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::counters::Counters;
use super::endgame::EndgameSolver;
use super::parallel::{Pool, SplitPoint};
use super::report::Info;
use super::selectivity::ProbCutTable;
use super::table::TranspositionTable;
use super::{Control, Selectivity};
use crate::eval::{Evaluator, Features};
use crate::host::{self, Instant};
use crate::rules::{Board, Square};
use crate::score::{Discs, Units};

/// Nodes of the upper layers between two looks at the clock.
const POLL_INTERVAL: u32 = 32;

/// Time after which a running iteration repeats its last report.
const REPORT_INTERVAL: Duration = Duration::from_millis(1000);

/// Discs that having the move is worth at the horizon, beside what the evaluation says. The move
/// before was chosen because the evaluation liked it, and so on average liked it too much:
/// searches of odd depth found 0.9 discs more than the truth for the side to move at the root, those of even
/// depth 0.9 less (`emilia tune`, positions of 14 to 21 empties).
pub const TEMPO: Discs = Discs::ONE;

/// A board with its pattern indices.
#[derive(Clone)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) features: Features,
}

impl Node {
    pub(super) fn new(board: Board) -> Node {
        Node {
            board,
            features: Features::of(board),
        }
    }

    /// The node after a move to `square` that leads to `child`.
    #[inline]
    pub(super) fn play(&self, square: usize, child: Board) -> Node {
        let flipped = child.player ^ self.board.opponent;
        Node {
            board: child,
            features: self.features.play(Square::wrapping(square as u32), flipped),
        }
    }

    pub(super) fn pass(&self) -> Node {
        Node {
            board: self.board.pass(),
            features: self.features.pass(),
        }
    }
}

/// When a search has to end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deadline {
    /// Abort after this time.
    pub(super) hard: Option<Duration>,
    /// Abort after this many nodes.
    pub(super) nodes: Option<u64>,
}

/// What all threads of one search share.
pub(super) struct Shared {
    pub(super) table: Arc<TranspositionTable>,
    pub(super) evaluator: Arc<Evaluator>,
    pub(super) probcut: Arc<ProbCutTable>,
    pub(super) control: Control,
    pub(super) pool: Pool,
    /// Each thread's nodes, as of its last look at the clock.
    counters: Vec<CachePadded<AtomicU64>>,
    /// Nodes of guests that have left.
    guest_nodes: AtomicU64,
    deadline: Deadline,
    start: Instant,
    /// Time spent on the opponent's clock, in nanoseconds; `u64::MAX` while it still runs.
    pondered: AtomicU64,
    abort: AtomicBool,
}

impl Shared {
    pub(super) fn new(
        table: Arc<TranspositionTable>,
        evaluator: Arc<Evaluator>,
        probcut: Arc<ProbCutTable>,
        control: Control,
        threads: usize,
        deadline: Deadline,
    ) -> Shared {
        let pondered = if control.is_pondering() { u64::MAX } else { 0 };
        Shared {
            table,
            evaluator,
            probcut,
            control,
            pool: Pool::new(threads),
            counters: (0..threads).map(|_| CachePadded::default()).collect(),
            guest_nodes: AtomicU64::new(0),
            deadline,
            start: Instant::now(),
            pondered: AtomicU64::new(pondered),
            abort: AtomicBool::new(false),
        }
    }

    /// Since the search began.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Since the search's own clock began to run: zero while it ponders.
    pub(super) fn own_time(&self) -> Duration {
        if self.control.is_pondering() {
            return Duration::ZERO;
        }
        let elapsed = self.start.elapsed();
        let now = elapsed.as_nanos() as u64;
        // The first to notice the hit says when the own clock began.
        let _ = self
            .pondered
            .compare_exchange(u64::MAX, now, Ordering::Relaxed, Ordering::Relaxed);
        elapsed.saturating_sub(Duration::from_nanos(self.pondered.load(Ordering::Relaxed)))
    }

    /// Must everything end at once?
    #[inline]
    pub(super) fn is_aborted(&self) -> bool {
        self.abort.load(Ordering::Relaxed) || self.control.is_stopped()
    }

    /// Ends everything at once.
    pub(super) fn abort(&self) {
        self.abort.store(true, Ordering::Relaxed);
    }

    /// Aborts if a limit was passed.
    pub(super) fn check_limits(&self) {
        let late = self
            .deadline
            .hard
            .is_some_and(|hard| self.own_time() >= hard);
        let spent = self
            .deadline
            .nodes
            .is_some_and(|limit| self.nodes() >= limit);
        if late || spent {
            self.abort();
        }
    }

    /// Nodes of all threads, as of their last look at the clock.
    pub(super) fn nodes(&self) -> u64 {
        let counters = self.counters.iter();
        let own: u64 = counters
            .map(|counter| counter.load(Ordering::Relaxed))
            .sum();
        own + self.guest_nodes.load(Ordering::Relaxed)
    }

    /// A guest leaves that has visited so many nodes.
    pub(super) fn add_guest_nodes(&self, nodes: u64) {
        self.guest_nodes.fetch_add(nodes, Ordering::Relaxed);
    }
}

/// Repeats the last report while a long iteration runs.
pub(super) struct Reporter<'a> {
    pub(super) report: &'a mut dyn FnMut(&Info),
    pub(super) last: Option<Info>,
    pub(super) last_time: Instant,
}

impl Reporter<'_> {
    pub(super) fn send(&mut self, info: Info) {
        (self.report)(&info);
        self.last_time = Instant::now();
        if info.multipv == 1 {
            self.last = Some(info);
        }
    }

    fn tick(&mut self, shared: &Shared) {
        if self.last_time.elapsed() < REPORT_INTERVAL {
            return;
        }
        self.last_time = Instant::now();
        if let Some(info) = &mut self.last {
            info.nodes = shared.nodes();
            info.time = shared.elapsed();
            info.hashfull = shared.table.permille_full();
            (self.report)(info);
        }
    }
}

/// One thread of a search.
pub(super) struct Worker<'a, C> {
    pub(super) shared: &'a Shared,
    pub(super) solver: &'a mut EndgameSolver<C>,
    pub(super) selectivity: Selectivity,
    /// ProbCut probes around the current node.
    pub(super) probes: u32,
    /// The innermost split point this thread works for.
    pub(super) split: Option<Arc<SplitPoint>>,
    /// The pool's cuts when that was last seen undecided.
    pub(super) cuts_seen: Cell<Option<u64>>,
    pub(super) reporter: Option<Reporter<'a>>,
    index: usize,
    polls: u32,
}

impl<'a, C: Counters> Worker<'a, C> {
    /// The thread of number `index`; number 0 has the reporter.
    pub(super) fn new(
        shared: &'a Shared,
        solver: &'a mut EndgameSolver<C>,
        index: usize,
        reporter: Option<Reporter<'a>>,
    ) -> Worker<'a, C> {
        solver.nodes = 0;
        solver.cache.renew();
        Worker {
            shared,
            solver,
            selectivity: Selectivity::Full,
            probes: 0,
            split: None,
            cuts_seen: Cell::new(None),
            reporter,
            index,
            polls: 0,
        }
    }

    /// Must this thread drop what it is doing? Its results are then void.
    #[inline]
    pub(super) fn aborted(&self) -> bool {
        self.shared.is_aborted() || self.split_is_cut()
    }

    /// Looks at clock and limits now and then.
    #[inline]
    pub(super) fn poll(&mut self) {
        self.polls += 1;
        if self.polls >= POLL_INTERVAL {
            self.poll_now();
        }
    }

    /// Looks at clock and limits.
    #[cold]
    pub(super) fn poll_now(&mut self) {
        self.polls = 0;
        self.publish_nodes();
        self.shared.check_limits();
        if let Some(reporter) = &mut self.reporter {
            if host::wants_stop() {
                self.shared.control.stop();
            }
            reporter.tick(self.shared);
        }
    }

    /// Makes this thread's node count visible.
    pub(super) fn publish_nodes(&self) {
        // A guest tells when it leaves.
        if let Some(counter) = self.shared.counters.get(self.index) {
            counter.store(self.solver.nodes, Ordering::Relaxed);
        }
    }

    /// What a search sees at its horizon, in whole discs: the static evaluation and [`TEMPO`].
    #[inline]
    pub(super) fn horizon_score(&mut self, node: &Node) -> Discs {
        (self.static_score(node).nearest_discs() + TEMPO).min(Discs::new(63))
    }

    /// The static evaluation.
    #[inline]
    pub(super) fn static_score(&mut self, node: &Node) -> Units {
        self.solver.count(|counts| counts.evaluations += 1);
        self.shared
            .evaluator
            .evaluate_features(node.board, &node.features)
    }
}
