//! The flags by which other threads tell a running search to stop, and when its own clock starts.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::limits::TimeLimit;

/// A shared handle on the flags of one search.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    stopped: AtomicBool,
    /// Did it begin on the opponent's time?
    ponders: bool,
    /// Set by the ponder hit: the time from then on, where it is not that of the limits.
    hit: OnceLock<Option<TimeLimit>>,
}

impl Signals {
    /// Of a search on the opponent's time.
    pub(super) fn pondering() -> Signals {
        Signals(Arc::new(Flags {
            ponders: true,
            ..Flags::default()
        }))
    }

    pub(super) fn stop(&self) {
        self.0.stopped.store(true, Ordering::Release);
    }

    /// The own clock starts now, and may show another time than that of the limits.
    pub(super) fn ponderhit(&self, time: Option<TimeLimit>) {
        let _ = self.0.hit.set(time);
    }

    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.0.stopped.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn is_pondering(&self) -> bool {
        self.0.ponders && self.0.hit.get().is_none()
    }

    /// The time from the ponder hit on, where it is not that of the limits.
    pub(super) fn time_at_hit(&self) -> Option<TimeLimit> {
        let hit = self.0.hit.get().filter(|_| self.0.ponders)?;
        *hit
    }
}
