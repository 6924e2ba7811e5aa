//! The clock of one search: how long it has run on its own time, and whether that is enough.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::budget::{TimeBudget, TimedMove};
use super::signals::Signals;
use crate::host::Instant;

/// When a search has to end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Deadline {
    /// The time it has.
    pub(super) budget: TimeBudget,
    /// What a new budget is calculated from, if a ponder hit brings another clock; `None` for questions.
    pub(super) turn: Option<TimedMove>,
    /// Abort after this many nodes.
    pub(super) nodes: Option<u64>,
}

/// The clock of one search, which runs from its start.
pub(super) struct SearchClock {
    signals: Signals,
    start: Instant,
    deadline: Deadline,
    /// Time spent on the opponent's clock, in nanoseconds; `u64::MAX` while it still runs.
    pondered: AtomicU64,
    /// The time that it has from the ponder hit on, where that brought another clock.
    budget_at_hit: OnceLock<TimeBudget>,
    /// Where an iteration runs that began on the opponent's clock: how long that had run then, in
    /// nanoseconds, divided by the factor of [`super::budget::Pace`]. Otherwise 0.
    begun: AtomicU64,
}

impl SearchClock {
    pub(super) fn start(signals: Signals, deadline: Deadline) -> SearchClock {
        let pondered = if signals.is_pondering() { u64::MAX } else { 0 };
        SearchClock {
            signals,
            start: Instant::now(),
            deadline,
            pondered: AtomicU64::new(pondered),
            budget_at_hit: OnceLock::new(),
            begun: AtomicU64::new(0),
        }
    }

    /// Since the search began.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Since the search's own clock began to run. Not while it ponders.
    pub(super) fn own_time(&self) -> Duration {
        self.time_with(0.0)
    }

    /// Notes that an iteration begins, and says whether there is time for it, where the move needs so many
    /// times its usual time. There always is for the first, and on the opponent's clock.
    pub(super) fn begin_iteration(&self, is_first: bool, factor: f64) -> bool {
        let ponders = self.signals.is_pondering();
        let begun = if ponders && !is_first {
            self.elapsed().div_f64(factor)
        } else {
            Duration::ZERO
        };
        self.begun.store(begun.as_nanos() as u64, Ordering::Relaxed);
        ponders || is_first || !self.is_late(factor)
    }

    /// Must the search end after so many nodes, or at this time?
    pub(super) fn is_over(&self, nodes: impl FnOnce() -> u64) -> bool {
        let budget = self.budget();
        let is_late = |hard: Duration| {
            !self.signals.is_pondering()
                && (self.time_with(budget.pondered) >= hard || self.is_borrowed(budget))
        };
        let is_spent = |limit: u64| nodes() >= limit;
        budget.hard.is_some_and(is_late) || self.deadline.nodes.is_some_and(is_spent)
    }

    /// The time that it has. A ponder hit may replace it.
    fn budget(&self) -> TimeBudget {
        let at_hit = self.signals.time_at_hit().zip(self.deadline.turn);
        at_hit.map_or(self.deadline.budget, |(time, turn)| {
            *self.budget_at_hit.get_or_init(|| turn.budget(time))
        })
    }

    /// Is there no time for another iteration? Not while it ponders.
    fn is_late(&self, factor: f64) -> bool {
        let budget = self.budget();
        let is_late = |soft: Duration| self.time_with(budget.pondered) >= soft.mul_f64(factor);
        budget.soft.is_some_and(is_late)
    }

    /// The time on the own clock, and this share of that on the opponent's, which is over.
    fn time_with(&self, share: f64) -> Duration {
        let elapsed = self.elapsed();
        debug_assert!(!self.signals.is_pondering(), "the own clock does not run");
        let now = elapsed.as_nanos() as u64;
        // The first thread to notice the ponder hit sets the start of the own clock.
        let _ = self
            .pondered
            .compare_exchange(u64::MAX, now, Ordering::Relaxed, Ordering::Relaxed);
        let pondered = Duration::from_nanos(self.pondered.load(Ordering::Relaxed));
        elapsed.saturating_sub(pondered.mul_f64(1.0 - share))
    }

    /// Does an iteration run that only the opponent's clock has left time for?
    fn is_borrowed(&self, budget: TimeBudget) -> bool {
        let begun = Duration::from_nanos(self.begun.load(Ordering::Relaxed));
        let counted = begun.mul_f64(budget.pondered);
        !begun.is_zero() && budget.soft.is_some_and(|soft| counted >= soft)
    }
}
