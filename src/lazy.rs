//! Values that are computed when they are first needed, in a process that may fork.
//!
//! A child of `fork` has one thread, and the memory as it was. A value that another thread was computing at that
//! moment would never be there: who asks for it in the child would wait for ever. So libraries inside programs that fork
//! [`hold`] such work back while the process forks.

use std::ops::Deref;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many threads compute a value, or wait for one that another thread computes.
static AT_WORK: Mutex<usize> = Mutex::new(0);

/// Rung when nobody is at work any more.
static IDLE: Condvar = Condvar::new();

fn at_work() -> MutexGuard<'static, usize> {
    AT_WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A thread at work, until it is dropped.
struct Working;

impl Working {
    fn new() -> Working {
        *at_work() += 1;
        Working
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut count = at_work();
        *count -= 1;
        if *count == 0 {
            IDLE.notify_all();
        }
    }
}

/// As long as this lives, no thread begins to compute a value.
pub struct Held(#[expect(dead_code, reason = "it holds the lock")] MutexGuard<'static, usize>);

/// Waits until no thread computes a value, some 30 milliseconds at most, and keeps all from it.
pub fn hold() -> Held {
    let held = IDLE.wait_while(at_work(), |count| *count > 0);
    Held(held.unwrap_or_else(PoisonError::into_inner))
}

/// The value of `cell`, made by `make` where it is not there yet.
pub fn get_or_init<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    cell.get().unwrap_or_else(|| {
        let _working = Working::new();
        cell.get_or_init(make)
    })
}

/// A value that is computed when it is first needed.
pub struct Lazy<T> {
    cell: OnceLock<T>,
    make: fn() -> T,
}

impl<T> Lazy<T> {
    /// The value that `make` computes.
    pub const fn new(make: fn() -> T) -> Lazy<T> {
        let cell = OnceLock::new();
        Lazy { cell, make }
    }
}

impl<T> Deref for Lazy<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        get_or_init(&self.cell, self.make)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    static INNER: Lazy<usize> = Lazy::new(|| 20);

    static OUTER: Lazy<usize> = Lazy::new(|| *INNER + 1);

    #[test]
    fn who_holds_waits_for_what_is_computed_and_keeps_the_rest_waiting() {
        static BEGUN: AtomicBool = AtomicBool::new(false);
        static HELD: AtomicBool = AtomicBool::new(false);
        let (cell, later) = (OnceLock::new(), OnceLock::new());
        thread::scope(|scope| {
            scope.spawn(|| {
                get_or_init(&cell, || {
                    BEGUN.store(true, Ordering::SeqCst);
                    // Nested work begins although somebody waits.
                    thread::yield_now();
                    *OUTER
                })
            });
            while !BEGUN.load(Ordering::SeqCst) {
                thread::yield_now();
            }
            let held = hold();
            assert_eq!(cell.get(), Some(&21));
            HELD.store(true, Ordering::SeqCst);
            let late = scope.spawn(|| *get_or_init(&later, || HELD.load(Ordering::SeqCst)));
            thread::yield_now();
            HELD.store(false, Ordering::SeqCst);
            drop(held);
            assert!(!late.join().expect("no panic"));
        });
    }

    #[test]
    fn a_panic_ends_the_work() {
        let failed = thread::spawn(|| {
            let cell: OnceLock<()> = OnceLock::new();
            get_or_init(&cell, || panic!("no value"));
        });
        assert!(failed.join().is_err());
        drop(hold());
    }
}
