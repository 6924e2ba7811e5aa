//! One thread of a search: its counters, its cache, and what it shares with the others.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crossbeam_utils::CachePadded;

use super::budget::{Budget, Turn};
use super::counters::Counters;
use super::endgame::EndgameSolver;
use super::killers::Killers;
use super::node::Node;
use super::parallel::{Pool, SplitPoint};
use super::report::Info;
use super::selectivity::ProbCutTable;
use super::table::TranspositionTable;
use super::winning_moves::QuestionList;
use super::wins::Wins;
use super::{Control, SearchOptions, Selectivity};
use crate::eval::{Evaluator, Replies};
use crate::host::{self, Instant};
use crate::rules::{Board, Square};
use crate::score::{Discs, Units};

/// Nodes of the upper layers between two checks of the limits.
const POLL_INTERVAL: u32 = 32;

/// Time after which a running iteration repeats its last report.
const REPORT_INTERVAL: Duration = Duration::from_millis(1000);

/// When a search has to end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deadline {
    /// The time it has.
    pub(super) budget: Budget,
    /// What a new budget is calculated from, if a ponder hit brings another clock; `None` for questions.
    pub(super) turn: Option<Turn>,
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
    /// What its threads are asked beside the search at the root.
    pub(super) questions: Option<QuestionList>,
    /// Where moves are noted that are good enough.
    pub(super) wins: Option<Arc<Wins>>,
    /// The nodes of all threads, as of their last check of the limits. Each thread adds to one of
    /// the counters, so that they rarely wait for each other.
    counters: Vec<CachePadded<AtomicU64>>,
    /// Threads that have taken part so far.
    workers: AtomicUsize,
    pub(super) deadline: Deadline,
    start: Instant,
    /// Time spent on the opponent's clock, in nanoseconds; `u64::MAX` while it still runs.
    pondered: AtomicU64,
    /// The time that it has from the ponder hit on, where that brought another clock.
    budget_at_hit: OnceLock<Budget>,
    /// Where an iteration runs that began on the opponent's clock: how long that had run then, in
    /// nanoseconds, divided by the factor of [`super::budget::Pace`]. Otherwise 0.
    begun: AtomicU64,
    abort: AtomicBool,
}

impl Shared {
    /// For a search that is meant for so many threads; more may join it.
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
            pool: Pool::new(),
            questions: None,
            wins: None,
            counters: (0..threads.clamp(1, SearchOptions::MAX_THREADS))
                .map(|_| CachePadded::default())
                .collect(),
            workers: AtomicUsize::new(0),
            deadline,
            start: Instant::now(),
            pondered: AtomicU64::new(pondered),
            budget_at_hit: OnceLock::new(),
            begun: AtomicU64::new(0),
            abort: AtomicBool::new(false),
        }
    }

    /// Since the search began.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The time that it has. A ponder hit may replace it.
    fn budget(&self) -> Budget {
        let at_hit = self.control.time_at_hit().zip(self.deadline.turn);
        at_hit.map_or(self.deadline.budget, |(time, turn)| {
            *self.budget_at_hit.get_or_init(|| turn.budget(time))
        })
    }

    /// Since the search's own clock began to run. Not while it ponders.
    pub(super) fn own_time(&self) -> Duration {
        self.time_with(0.0)
    }

    /// Is there no time for another iteration, where the move needs so many times its usual time? Not
    /// while it ponders.
    pub(super) fn is_late(&self, factor: f64) -> bool {
        let budget = self.budget();
        let is_late = |soft: Duration| self.time_with(budget.pondered) >= soft.mul_f64(factor);
        budget.soft.is_some_and(is_late)
    }

    /// The time on the own clock, and this share of that on the opponent's, which is over.
    fn time_with(&self, share: f64) -> Duration {
        let elapsed = self.elapsed();
        debug_assert!(!self.control.is_pondering(), "the own clock does not run");
        let now = elapsed.as_nanos() as u64;
        // The first thread to notice the ponder hit sets the start of the own clock.
        let _ = self
            .pondered
            .compare_exchange(u64::MAX, now, Ordering::Relaxed, Ordering::Relaxed);
        let pondered = Duration::from_nanos(self.pondered.load(Ordering::Relaxed));
        elapsed.saturating_sub(pondered.mul_f64(1.0 - share))
    }

    /// Must all threads end at once?
    #[inline]
    pub(super) fn is_aborted(&self) -> bool {
        self.abort.load(Ordering::Relaxed) || self.control.is_stopped()
    }

    /// Ends all threads at once.
    pub(super) fn abort(&self) {
        self.abort.store(true, Ordering::Relaxed);
    }

    /// Notes how long the opponent's clock had run when the iteration began that runs, divided by how many
    /// times its usual time the move needs; zero: it began on the own clock, or is the first.
    pub(super) fn begin_iteration(&self, begun: Duration) {
        self.begun.store(begun.as_nanos() as u64, Ordering::Relaxed);
    }

    /// Does an iteration run that only the opponent's clock has left time for?
    fn is_borrowed(&self, budget: Budget) -> bool {
        let begun = Duration::from_nanos(self.begun.load(Ordering::Relaxed));
        let counted = begun.mul_f64(budget.pondered);
        !begun.is_zero() && budget.soft.is_some_and(|soft| counted >= soft)
    }

    /// Aborts if a limit was exceeded.
    pub(super) fn check_limits(&self) {
        let budget = self.budget();
        let late = budget.hard.is_some_and(|hard| {
            !self.control.is_pondering()
                && (self.time_with(budget.pondered) >= hard || self.is_borrowed(budget))
        });
        let spent = self
            .deadline
            .nodes
            .is_some_and(|limit| self.nodes() >= limit);
        if late || spent {
            self.abort();
        }
    }

    /// Nodes of all threads, as of their last check of the limits.
    pub(super) fn nodes(&self) -> u64 {
        let counters = self.counters.iter();
        counters
            .map(|counter| counter.load(Ordering::Relaxed))
            .sum()
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
    /// The killer moves of searches to the horizon, and of those to the end of the game.
    pub(super) killers: [Killers; 2],
    /// ProbCut probes around the current node.
    pub(super) probes: u32,
    /// The innermost split point this thread works for.
    pub(super) split: Option<Arc<SplitPoint>>,
    /// The pool's count of cuts when the split point was last seen undecided.
    pub(super) cuts_seen: Cell<Option<u64>>,
    pub(super) reporter: Option<Reporter<'a>>,
    /// The shared counter that its nodes are added to, and how many have been added.
    counter: &'a AtomicU64,
    published: u64,
    polls: u32,
}

impl<'a, C: Counters> Worker<'a, C> {
    /// A thread that takes part; the first one has the reporter.
    pub(super) fn new(
        shared: &'a Shared,
        solver: &'a mut EndgameSolver<C>,
        reporter: Option<Reporter<'a>>,
    ) -> Worker<'a, C> {
        solver.renew();
        solver.wins.clone_from(&shared.wins);
        let index = shared.workers.fetch_add(1, Ordering::Relaxed) % shared.counters.len();
        Worker {
            shared,
            solver,
            selectivity: Selectivity::Full,
            killers: [Killers::NONE; 2],
            probes: 0,
            split: None,
            cuts_seen: Cell::new(None),
            reporter,
            counter: &shared.counters[index],
            published: 0,
            polls: 0,
        }
    }

    /// Must this thread stop what it is doing? Its results are then worthless.
    #[inline]
    pub(super) fn aborted(&self) -> bool {
        self.shared.is_aborted() || self.split_is_cut()
    }

    /// Checks the limits from time to time.
    #[inline]
    pub(super) fn poll(&mut self) {
        self.polls += 1;
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
                self.shared.control.stop();
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
        self.solver.count(|counts| counts.evaluations += 1);
        self.shared
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
        self.solver.count(|counts| counts.evaluations += 1);
        let flipped = child.player ^ board.opponent;
        let indices = replies.after(Square::wrapping(square as u32), flipped);
        self.shared.evaluator.evaluate_indices(child, &indices)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What the threads of a search without limits share.
    pub(in crate::search) fn shared() -> Arc<Shared> {
        let evaluator = Evaluator::embedded();
        Arc::new(Shared::new(
            Arc::new(TranspositionTable::new(1).expect("memory")),
            Arc::clone(&evaluator),
            Arc::new(ProbCutTable::new(evaluator.probcut())),
            Control::new(),
            1,
            Deadline::default(),
        ))
    }
}
