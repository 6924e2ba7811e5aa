//! The handle of other threads on a running search: what they tell it, and where they join it.

use std::sync::Arc;

use super::TimeLimit;
use super::join::JoinPoint;
use super::signals::Signals;

/// A shared handle on one search: stop it, or tell it that the opponent played
/// the expected move. Make a new one for each search, so that an old search
/// cannot miss its stop.
#[derive(Clone, Debug, Default)]
pub struct Control {
    pub(super) signals: Signals,
    pub(super) join_point: Option<Arc<JoinPoint>>,
}

impl Control {
    /// A search that runs on its own time.
    pub fn new() -> Control {
        Control::default()
    }

    /// A search on the opponent's time: its time limits hold only from [`Control::ponderhit`] on. A
    /// fixed time begins there; on a clock half of the time before it counts as well.
    pub fn pondering() -> Control {
        Control {
            signals: Signals::pondering(),
            join_point: None,
        }
    }

    /// For searches that threads of other searchers may join: see `Searcher::help`.
    pub fn joinable() -> Control {
        Control {
            join_point: Some(Arc::default()),
            ..Control::default()
        }
    }

    /// There will be no more searches: threads that wait to join one need not wait any longer.
    pub fn close(&self) {
        if let Some(join_point) = &self.join_point {
            join_point.close();
        }
    }

    /// Ends the search soon; it still returns its best result.
    pub fn stop(&self) {
        self.signals.stop();
    }

    /// The own clock starts now, with the time of the search's limits.
    pub fn ponderhit(&self) {
        self.signals.ponderhit(None);
    }

    /// The own clock starts now, with this time instead: for hosts that say only then what it shows.
    pub fn ponderhit_with(&self, time: TimeLimit) {
        self.signals.ponderhit(Some(time));
    }

    /// Was the search told to stop?
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.signals.is_stopped()
    }

    /// Does the search still run on the opponent's time?
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.signals.is_pondering()
    }

    /// The time from the ponder hit on, where it is not that of the limits.
    pub fn time_at_hit(&self) -> Option<TimeLimit> {
        self.signals.time_at_hit()
    }
}
