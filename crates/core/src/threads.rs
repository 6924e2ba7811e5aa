//! Starting threads: stack sizes, and what the system may refuse, in one place.
//!
//! A thread that cannot be started is an [`io::Error`] here, never a panic. Each start leaves
//! some memory free, so that a process with as many threads as it can have still works.

use std::hint::black_box;
use std::io;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, Builder, JoinHandle, Scope, ScopedJoinHandle};

use crate::locks::lock;
use crate::reserve::Reserve;

/// Threads of this process that can run at once: the CPUs that its affinity allows and, on Linux, no more than the
/// quota of its control group pays for. One, where the system does not say.
///
/// Whatever has a thread for each core by default asks here.
pub fn cores() -> NonZeroUsize {
    thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

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
    start(stack, |ready| {
        builder(name, stack).spawn(announced(ready, work))
    })
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
    start(stack, |ready| {
        builder(name, stack).spawn_scoped(scope, announced(ready, work))
    })
}

/// Does both pieces of work at once, the second on a thread of its own; one after the other where the
/// system refuses that thread.
pub fn both<A, B: Send>(
    name: &str,
    first: impl FnOnce() -> A,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let second = Mutex::new(Some(second));
    let do_second = || {
        let work = lock(&second).take();
        work.expect("done once")()
    };
    thread::scope(|scope| {
        let started = spawn_scoped(scope, name, Stack::Small, do_second);
        let first = first();
        let second = match started {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(_) => do_second(),
        };
        (first, second)
    })
}

fn builder(name: &str, stack: Stack) -> Builder {
    Builder::new()
        .name(name.to_owned())
        .stack_size(stack.bytes())
}

/// Bytes of address space that the first allocation of a thread may take: glibc maps 128 MB for
/// an arena, of which it keeps 64.
const FIRST_ALLOCATION: usize = 136 << 20;

/// What the error says when not the system, but the reserve refuses a thread.
const NO_MEMORY: &str = "no memory for another thread";

/// Starts one thread. The reserve is held until the thread has its stack and has allocated
/// for the first time.
fn start<T>(stack: Stack, spawn: impl FnOnce(Sender<()>) -> io::Result<T>) -> io::Result<T> {
    #[cfg(test)]
    tests::count_start()?;
    let reserve = Reserve::hold_beside(stack.bytes() + FIRST_ALLOCATION)
        .ok_or_else(|| io::Error::new(io::ErrorKind::OutOfMemory, NO_MEMORY))?;
    let (ready, is_ready) = channel();
    let thread = spawn(ready)?;
    // An error says that the thread is gone already.
    let _ = is_ready.recv();
    drop(reserve);
    Ok(thread)
}

/// The work, and before it an allocation, the end of which is announced.
fn announced<T>(ready: Sender<()>, work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    move || {
        black_box(Box::new(0_u8));
        // The starter waits for it.
        let _ = ready.send(());
        drop(ready);
        work()
    }
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
    fn both_are_done_even_where_a_thread_is_refused() {
        for allowed in [0, 1] {
            with_starts(allowed, || {
                let here = thread::current().id();
                let (first, second) = both("second", || 7, || thread::current().id());
                assert_eq!((first, second == here), (7, allowed == 0));
            });
        }
    }
}
