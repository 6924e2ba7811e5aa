//! One thread of a search: its solver, what it remembers, and its part in what all share.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::cores::{Core, RealCore};
use super::counters::LayerCounts;
use super::killers::Killers;
use super::limits::Selectivity;
use super::node::Node;
use super::observer::Observer;
use super::pool::SplitPoint;
use super::report::Info;
use super::shared::Shared;
use super::simulation::SimulatedCore;
use super::solver::EndgameSolver;
use crate::eval::Replies;
use crate::host::{self, Instant};
use crate::rules::{Board, Square};
use crate::score::{Discs, Units};

/// Nodes of the upper layers between two checks of the limits.
const POLL_INTERVAL: u32 = 32;

/// Time after which a running iteration repeats its last report.
const REPORT_INTERVAL: Duration = Duration::from_millis(1000);

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
            info.time = shared.clock.elapsed();
            info.hashfull = shared.known.table.permille_full();
            (self.report)(info);
        }
    }
}

/// One thread of a search.
pub(super) struct Worker<'a, O> {
    pub(super) shared: &'a Shared,
    pub(super) solver: &'a mut EndgameSolver<O>,
    pub(super) selectivity: Selectivity,
    /// The killer moves of searches to the horizon, and of those to the end of the game.
    pub(super) killers: [Killers; 2],
    /// ProbCut probes around the current node.
    pub(super) probes: u32,
    /// The innermost split point this thread works for.
    pub(super) split: Option<Arc<SplitPoint>>,
    /// The pool's count of cuts when the split point was last seen undecided.
    pub(super) cuts_seen: Cell<Option<u64>>,
    /// Is what it searches not wanted yet? It then shares no nodes.
    pub(super) is_ahead: bool,
    pub(super) reporter: Option<Reporter<'a>>,
    /// Where cores are simulated, its own.
    pub(super) simulated_core: Option<SimulatedCore>,
    real_core: RealCore,
    /// The shared counter that its nodes are added to, and how many have been added.
    counter: &'a AtomicU64,
    published: u64,
    polls: u32,
}

impl<'a, O: Observer> Worker<'a, O> {
    /// A thread that takes part; the first one has the reporter.
    pub(super) fn new(
        shared: &'a Shared,
        solver: &'a mut EndgameSolver<O>,
        reporter: Option<Reporter<'a>>,
    ) -> Worker<'a, O> {
        solver.renew();
        solver.wins.clone_from(&shared.known.wins);
        Worker {
            shared,
            solver,
            selectivity: Selectivity::Full,
            killers: [Killers::NONE; 2],
            probes: 0,
            split: None,
            cuts_seen: Cell::new(None),
            is_ahead: false,
            reporter,
            simulated_core: None,
            real_core: RealCore,
            counter: shared.next_counter(),
            published: 0,
            polls: 0,
        }
    }

    /// Must this thread stop what it is doing? Its results are then worthless.
    #[inline]
    pub(super) fn aborted(&self) -> bool {
        self.shared.is_aborted() || self.split_is_cut()
    }

    /// The core that it runs on: a real one, unless it is watched and cores are simulated. So the compiler knows it
    /// in a search that is not watched.
    #[inline(always)]
    pub(super) fn core(&mut self) -> &mut dyn Core {
        let is_watched = self.solver.observer.on().is_some();
        match &mut self.simulated_core {
            Some(core) if is_watched => core.at(self.solver.nodes),
            _ => &mut self.real_core,
        }
    }

    /// Where cores are simulated, lets the others catch up.
    #[inline(always)]
    pub(super) fn keep_pace(&mut self) {
        self.core().keep_pace();
    }

    /// Ends its time on a simulated core.
    pub(super) fn leave_core(&mut self) {
        if let Some(mut core) = self.simulated_core.take() {
            core.at(self.solver.nodes).finish();
        }
    }

    /// Checks the limits from time to time, and always whether there is something better to do than to search ahead.
    #[inline]
    pub(super) fn poll(&mut self) {
        self.keep_pace();
        self.polls += 1;
        if self.is_ahead && self.shared.pool.is_called() {
            self.leave_if_called();
        }
        if self.polls >= POLL_INTERVAL {
            self.poll_now();
        }
    }

    /// Checks the limits, and repeats a report.
    #[cold]
    pub(super) fn poll_now(&mut self) {
        self.polls = 0;
        self.publish_nodes();
        self.shared.check_limits();
        if let Some(reporter) = &mut self.reporter {
            if host::wants_stop() {
                self.shared.signals.stop();
            }
            reporter.tick(self.shared);
        }
    }

    /// Makes this thread's node count visible.
    pub(super) fn publish_nodes(&mut self) {
        let new = self.solver.nodes - self.published;
        self.counter.fetch_add(new, Ordering::Relaxed);
        self.published = self.solver.nodes;
    }

    /// Counts something of the layer of nodes with the shared table, if counting is on.
    #[inline(always)]
    pub(super) fn count<const END: bool>(&mut self, note: impl FnOnce(&mut LayerCounts)) {
        let observer = &mut self.solver.observer;
        observer.count(|counts| note(counts.upper::<END>()));
    }

    /// The score at the horizon of a search: the static evaluation in whole discs.
    #[inline]
    pub(super) fn horizon_score(&mut self, node: &Node) -> Discs {
        self.static_score(node).nearest_discs()
    }

    /// The static evaluation.
    #[inline]
    pub(super) fn static_score(&mut self, node: &Node) -> Units {
        if let Some(estimate) = node.estimate {
            return estimate;
        }
        let observer = &mut self.solver.observer;
        observer.count(|counts| counts.evaluations += 1);
        self.shared
            .known
            .evaluator
            .evaluate_features(node.board, &node.features)
    }

    /// The static evaluation after a move to `square` that leads from `board` to `child`.
    #[inline]
    pub(super) fn reply_score(
        &mut self,
        board: Board,
        replies: &Replies,
        square: usize,
        child: Board,
    ) -> Units {
        let observer = &mut self.solver.observer;
        observer.count(|counts| counts.evaluations += 1);
        let flipped = child.player ^ board.opponent;
        let indices = replies.after(Square::wrapping(square as u32), flipped);
        let evaluator = &self.shared.known.evaluator;
        evaluator.evaluate_indices(child, &indices)
    }
}
