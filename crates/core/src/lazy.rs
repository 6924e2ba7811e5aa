//! Values that are computed when they are first needed, in a process that may fork.
//!
//! A child of `fork` has one thread, and the memory as it was. A value that another thread was computing at that
//! moment would never be there: who asks for it in the child would wait for ever. So libraries inside programs that fork
//! [`hold`] such work back while the process forks.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::OnceLock;

use crate::locks::{Condvar, Mutex, MutexGuard, lock, wait};

/// The gate of this process.
static GATE: Gate = Gate::new();

/// Where threads enter to compute values, and which somebody may hold closed.
pub(crate) struct Gate {
    /// How many threads compute a value, or wait for one that another thread computes.
    at_work: Mutex<usize>,
    /// Notified when nobody is at work any more.
    idle: Condvar,
}

impl Gate {
    pub(crate) const fn new() -> Gate {
        Gate {
            at_work: Mutex::new(0),
            idle: Condvar::new(),
        }
    }

    /// Lets a thread in, once the gate is open.
    pub(crate) fn enter(&self) -> Working<'_> {
        *lock(&self.at_work) += 1;
        Working(self)
    }

    /// Waits until nobody is at work. The gate is closed until the lock is dropped.
    pub(crate) fn close(&self) -> MutexGuard<'_, usize> {
        let mut count = lock(&self.at_work);
        while *count > 0 {
            count = wait(&self.idle, count);
        }
        count
    }
}

/// A thread at work, until it is dropped.
pub(crate) struct Working<'a>(&'a Gate);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut count = lock(&self.0.at_work);
        *count -= 1;
        if *count == 0 {
            self.0.idle.notify_all();
        }
    }
}

thread_local! {
    /// The lock of a thread that holds all others back.
    static HELD: Cell<Option<MutexGuard<'static, usize>>> = const { Cell::new(None) };
}

/// Waits until no thread computes a value, some 30 milliseconds at most, and keeps all from it until this thread calls
/// [`release`]. Without effect on a thread that is at its end.
pub fn hold() {
    let _ = HELD.try_with(|held| held.set(Some(GATE.close())));
}

/// Ends what [`hold`] began, also in the child of a fork.
pub fn release() {
    let _ = HELD.try_with(Cell::take);
}

/// The value of `cell`, made by `make` where it is not there yet.
pub fn get_or_init<T>(cell: &OnceLock<T>, make: impl FnOnce() -> T) -> &T {
    cell.get().unwrap_or_else(|| {
        let _working = GATE.enter();
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
            hold();
            assert_eq!(cell.get(), Some(&21));
            HELD.store(true, Ordering::SeqCst);
            let late = scope.spawn(|| *get_or_init(&later, || HELD.load(Ordering::SeqCst)));
            thread::yield_now();
            HELD.store(false, Ordering::SeqCst);
            release();
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
        hold();
        release();
    }
}
