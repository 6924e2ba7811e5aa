//! Signals from other threads to a running search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::guests::Guests;

/// A shared handle on one search: stop it, or tell it that the opponent played
/// the expected move. Make a fresh one for each search, so that an old search
/// cannot miss its stop.
#[derive(Clone, Debug, Default)]
pub struct Control {
    flags: Arc<Flags>,
}

#[derive(Debug, Default)]
struct Flags {
    stopped: AtomicBool,
    pondering: AtomicBool,
    guests: Option<Guests>,
}

impl Control {
    /// A search that runs on its own time.
    pub fn new() -> Control {
        Control::default()
    }

    /// A search on the opponent's time: its time limits count only from [`Control::ponderhit`].
    pub fn pondering() -> Control {
        let control = Control::default();
        control.flags.pondering.store(true, Ordering::Release);
        control
    }

    /// For searches that threads of others may join while they last: see `Searcher::join`.
    pub fn for_guests() -> Control {
        let flags = Flags {
            guests: Some(Guests::default()),
            ..Flags::default()
        };
        Control {
            flags: Arc::new(flags),
        }
    }

    /// No more searches will come: guests need not wait for one.
    pub fn dismiss_guests(&self) {
        if let Some(guests) = self.guests() {
            guests.dismiss();
        }
    }

    pub(super) fn guests(&self) -> Option<&Guests> {
        self.flags.guests.as_ref()
    }

    /// Ends the search soon; it still returns its best result.
    pub fn stop(&self) {
        self.flags.stopped.store(true, Ordering::Release);
    }

    /// The clock starts now.
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
