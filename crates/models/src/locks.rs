//! Shuttle's locks in place of the engine's.

use std::time::Duration;

pub use shuttle::sync::{Condvar, Mutex, MutexGuard, atomic};

/// Waits for the lock.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no panic")
}

/// Waits for a call.
pub fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).expect("no panic")
}

/// Waits for a call: the time is never over.
pub fn wait_timeout<'a, T>(
    condition: &Condvar,
    guard: MutexGuard<'a, T>,
    _: Duration,
) -> (MutexGuard<'a, T>, bool) {
    (wait(condition, guard), false)
}
