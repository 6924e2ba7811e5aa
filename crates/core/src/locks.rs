//! Locks that outlive a panic: no thread leaves anything half done behind one of ours, so whoever comes next goes on.
//!
//! What takes its locks and atomics from here can be checked in every order of its threads: crates/models has others
//! under the same names.

use std::sync::PoisonError;
use std::time::Duration;

pub use std::sync::{Condvar, Mutex, MutexGuard, atomic};

/// Waits for the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a call; it may come for nothing.
pub fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    let waited = condition.wait(guard);
    waited.unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a call, for so long at most. Also says whether that time is over.
pub fn wait_timeout<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    patience: Duration,
) -> (MutexGuard<'a, T>, bool) {
    let waited = condition.wait_timeout(guard, patience);
    let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
    (guard, timeout.timed_out())
}
