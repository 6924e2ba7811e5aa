//! Starting threads: stack sizes, and what the system may refuse, in one place.
//!
//! A thread that cannot be started is an [`io::Error`] here, never a panic. Each start leaves
//! some memory free, so that a process with as many threads as it can have still works.

use std::hint::black_box;
use std::io;
use std::thread::{Builder, JoinHandle, Scope, ScopedJoinHandle};

/// Bytes that must be free beside the stack of a new thread, for what the threads that run
/// allocate. More than the 32 MB up to which glibc keeps what was freed, and less than the
/// 64 MB that it reserves for each of several threads: these must not fit into what is left.
const RESERVE: usize = 48 << 20;

/// How much stack a thread needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stack {
    /// To search: at most 64 discs and as many passes deep.
    Search,
    /// To read, to write and to wait.
    Small,
}

impl Stack {
    /// Its size. It is reserved, and becomes memory only where it is used.
    pub const fn bytes(self) -> usize {
        match self {
            Stack::Search => 4 << 20,
            Stack::Small => 1 << 20,
        }
    }
}

/// Starts a thread.
///
/// # Errors
/// If the system refuses a thread, or has no memory for one.
pub fn spawn<T: Send + 'static>(
    name: &str,
    stack: Stack,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<T>> {
    builder(name, stack)?.spawn(work)
}

/// Starts a thread of `scope`.
///
/// # Errors
/// As for [`spawn`].
pub fn spawn_scoped<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    stack: Stack,
    work: impl FnOnce() -> T + Send + 'scope,
) -> io::Result<ScopedJoinHandle<'scope, T>> {
    builder(name, stack)?.spawn_scoped(scope, work)
}

fn builder(name: &str, stack: Stack) -> io::Result<Builder> {
    #[cfg(test)]
    tests::count_start()?;
    if !is_free(stack.bytes() + RESERVE) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    Ok(Builder::new()
        .name(name.to_owned())
        .stack_size(stack.bytes()))
}

/// Could this many bytes be allocated now?
fn is_free(bytes: usize) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let is_free = room.try_reserve_exact(bytes).is_ok();
    black_box(room.as_ptr());
    is_free
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// Starts that still succeed on this thread.
        static ALLOWED: Cell<usize> = const { Cell::new(usize::MAX) };
    }

    /// Runs `test` on a thread that can start only this many threads.
    pub(crate) fn with_starts<T>(allowed: usize, test: impl FnOnce() -> T) -> T {
        let before = ALLOWED.replace(allowed);
        let result = test();
        ALLOWED.set(before);
        result
    }

    pub(super) fn count_start() -> io::Result<()> {
        let left = ALLOWED.get().checked_sub(1);
        ALLOWED.set(left.ok_or(io::ErrorKind::WouldBlock)?);
        Ok(())
    }

    #[test]
    fn a_thread_that_is_refused_is_an_error() {
        with_starts(1, || {
            let first = spawn("first", Stack::Small, || 7).expect("allowed");
            assert_eq!(first.join().ok(), Some(7));
            assert!(spawn("second", Stack::Small, || 7).is_err());
        });
    }

    #[test]
    fn more_memory_than_there_is_is_not_free() {
        assert!(is_free(1));
        assert!(!is_free(isize::MAX as usize));
    }
}
