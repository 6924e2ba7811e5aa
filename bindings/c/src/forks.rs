//! Forks of the process: none happens while a thread computes what all engines share. The child would wait for it for ever.

#[cfg(unix)]
pub(crate) use unix::watch;

/// There are no forks.
#[cfg(not(unix))]
pub(crate) fn watch() {}

#[cfg(unix)]
mod unix {
    use std::ffi::c_int;
    use std::sync::atomic::{AtomicBool, Ordering};

    use emilia::binding::{hold_for_fork, release_after_fork};

    unsafe extern "C" {
        fn pthread_atfork(
            prepare: Option<extern "C" fn()>,
            parent: Option<extern "C" fn()>,
            child: Option<extern "C" fn()>,
        ) -> c_int;
    }

    extern "C" fn before() {
        hold_for_fork();
    }

    extern "C" fn after() {
        release_after_fork();
    }

    /// From now on the system tells this library of forks.
    pub(crate) fn watch() {
        static IS_WATCHED: AtomicBool = AtomicBool::new(false);
        if IS_WATCHED.swap(true, Ordering::Relaxed) {
            return;
        }
        // SAFETY: the functions live as long as this library, whose unloading takes them off the list, and do not
        // panic. If there is no memory for the list, a fork may meet work in progress, as without it.
        let _ = unsafe { pthread_atfork(Some(before), Some(after), Some(after)) };
    }
}
