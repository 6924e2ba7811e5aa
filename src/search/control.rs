//! Signals from other threads to a running search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::helpers::JoinPoint;

/// A shared handle on one search: stop it, or tell it that the opponent played
/// the expected move. Make a new one for each search, so that an old search
/// cannot miss its stop.
#[derive(Clone, Debug, Default)]
pub struct Control {
    flags: Arc<Flags>,
}

#[derive(Debug, Default)]
struct Flags {
    stopped: AtomicBool,
    pondering: AtomicBool,
    join_point: Option<JoinPoint>,
}

impl Control {
    /// A search that runs on its own time.
    pub fn new() -> Control {
        Control::default()
    }

    /// A search on the opponent's time: its time limits hold only from [`Control::ponderhit`] on. A
    /// fixed time begins there; on a clock half of the time before it counts as well.
    pub fn pondering() -> Control {
        let control = Control::default();
        control.flags.pondering.store(true, Ordering::Release);
        control
    }

    /// For searches that threads of other searchers may join: see `Searcher::help`.
    pub fn joinable() -> Control {
        let flags = Flags {
            join_point: Some(JoinPoint::default()),
            ..Flags::default()
        };
        Control {
            flags: Arc::new(flags),
        }
    }

    /// There will be no more searches: threads that wait to join one need not wait any longer.
    pub fn close(&self) {
        if let Some(join_point) = self.join_point() {
            join_point.close();
        }
    }

    pub(super) fn join_point(&self) -> Option<&JoinPoint> {
        self.flags.join_point.as_ref()
    }

    /// Ends the search soon; it still returns its best result.
    pub fn stop(&self) {
        self.flags.stopped.store(true, Ordering::Release);
    }

    /// The own clock starts now.
    pub fn ponderhit(&self) {
        self.flags.pondering.store(false, Ordering::Release);
    }

    /// Was the search told to stop?
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.flags.stopped.load(Ordering::Relaxed)
    }

    /// Does the search still run on the opponent's time?
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.flags.pondering.load(Ordering::Relaxed)
    }
}
