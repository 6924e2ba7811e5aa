//! Forks of the process: none happens while a thread computes what all engines share. The child would wait for it for ever.

#[cfg(unix)]
use std::sync::atomic::Ordering;

/// From now on the system tells this library of forks.
#[cfg(unix)]
pub(crate) fn watch() {
    if !unix::IS_WATCHED.swap(true, Ordering::Relaxed) {
        unix::register();
    }
}

/// There are no forks.
#[cfg(not(unix))]
pub(crate) fn watch() {}

#[cfg(unix)]
mod unix {
    use std::cell::RefCell;
    use std::ffi::c_int;
    use std::sync::atomic::AtomicBool;

    use emilia::lazy::{self, Held};

    pub(super) static IS_WATCHED: AtomicBool = AtomicBool::new(false);

    thread_local! {
        /// What the thread that forks holds back meanwhile.
        static HELD: RefCell<Option<Held>> = const { RefCell::new(None) };
    }

    extern "C" fn before() {
        // A thread that forks while it ends has nothing to keep it in.
        let _ = HELD.try_with(|held| held.replace(Some(lazy::hold())));
    }

    extern "C" fn after() {
        let _ = HELD.try_with(RefCell::take);
    }

    unsafe extern "C" {
        fn pthread_atfork(
            prepare: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: Option<extern "C" fn()>,
        ) -> c_int;
    }

    pub(super) fn register() {
        // SAFETY: the three functions live as long as this library, whose unloading takes them off the list. They do
        // not panic. If there is no memory for the
        // list, a fork may meet work in progress, as without it.
        let _ = unsafe { pthread_atfork(Some(before), Some(after), Some(after)) };
    }
}
