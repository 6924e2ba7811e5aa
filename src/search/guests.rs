//! Threads that join a search which has begun without them, and leave when they like.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::worker::Shared;

/// How long a guest waits for a search before it looks whether it is recalled.
const NAP: Duration = Duration::from_millis(2);

/// Where guests come in.
#[derive(Default)]
pub(super) struct Guests {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The search that runs now.
    search: Option<Arc<Shared>>,
    /// Guests that work on it.
    inside: usize,
    /// Will there be no more searches?
    over: bool,
}

impl fmt::Debug for Guests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guests")
    }
}

impl Guests {
    /// Lets guests in until the answer is dropped, which must be after the end of the pool's work.
    pub(super) fn open(&self, shared: &Arc<Shared>) -> OpenDoor<'_> {
        self.lock().search = Some(Arc::clone(shared));
        self.changed.notify_all();
        OpenDoor(self)
    }

    pub(super) fn dismiss(&self) {
        self.lock().over = true;
        self.changed.notify_all();
    }

    /// Waits for a search, and enters it. `None`: there will be none, or the guest is recalled.
    pub(super) fn enter(&self, recalled: &AtomicBool) -> Option<Visit<'_>> {
        let mut state = self.lock();
        while !state.over && !recalled.load(Ordering::Relaxed) {
            if let Some(shared) = state.search.clone() {
                state.inside += 1;
                return Some(Visit {
                    guests: self,
                    shared: Some(shared),
                });
            }
            let waited = self.changed.wait_timeout(state, NAP);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it lives, guests may come in; its end waits until they have left.
pub(super) struct OpenDoor<'g>(&'g Guests);

impl Drop for OpenDoor<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.search = None;
        while state.inside > 0 {
            let waited = self.0.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// A guest's stay in a search.
pub(super) struct Visit<'g> {
    guests: &'g Guests,
    /// Until it leaves.
    shared: Option<Arc<Shared>>,
}

impl Visit<'_> {
    pub(super) fn shared(&self) -> &Arc<Shared> {
        self.shared.as_ref().expect("it has not left yet")
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        // The search that ends needs to be the only owner.
        if let Some(shared) = self.shared.take()
            && std::thread::panicking()
        {
            shared.abort();
        }
        self.guests.lock().inside -= 1;
        self.guests.changed.notify_all();
    }
}
