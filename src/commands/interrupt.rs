//! Signals that end long work, which keeps what it has done: a match, the growth of a book.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// What ends the process where a signal does: 128 and the number of the signal.
const SIGNALLED: u8 = 128;

/// Waits for SIGINT, SIGTERM and SIGHUP, each unless the one who started this process ignores it, as
/// `nohup` does. The first one stops the work, a second one ends the process at once.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt {
    /// The signal that has come, or 0.
    signal: Arc<AtomicI32>,
}

impl Interrupt {
    /// Starts to wait; a signal calls `stop`.
    pub(super) fn watch(stop: impl Fn() + Send + 'static) -> io::Result<Interrupt> {
        Interrupt::watch_until(2, stop)
    }

    /// The same, where not the second signal but that of the number `last` ends the process.
    #[cfg(unix)]
    pub(super) fn watch_until(
        last: usize,
        stop: impl Fn() + Send + 'static,
    ) -> io::Result<Interrupt> {
        use crate::threads::{self, Stack};
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::iterator::Signals;
        let watched = [SIGHUP, SIGINT, SIGTERM];
        let mut signals = Signals::new(watched.into_iter().filter(|&signal| !is_ignored(signal)))?;
        let interrupt = Interrupt::default();
        let came = Arc::clone(&interrupt.signal);
        threads::spawn("signals", Stack::Small, move || {
            for (number, signal) in (1..).zip(signals.forever()) {
                came.store(signal, Ordering::Relaxed);
                stop();
                if number >= last {
                    std::process::exit(i32::from(SIGNALLED) + signal);
                }
            }
        })?;
        Ok(interrupt)
    }

    /// Elsewhere a signal ends the process, and the engines of a match end with their input.
    #[cfg(not(unix))]
    pub(super) fn watch_until(_: usize, _: impl Fn() + Send + 'static) -> io::Result<Interrupt> {
        Ok(Interrupt::default())
    }

    /// The exit status of the process, if a signal has come.
    pub(super) fn status(&self) -> Option<u8> {
        let signal = u8::try_from(self.signal.load(Ordering::Relaxed)).unwrap_or(0);
        (signal > 0).then_some(SIGNALLED + signal)
    }
}

/// Is a signal ignored since the start of the process?
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = procfs::process::Process::myself().and_then(|process| process.status());
    status.is_ok_and(|status| status.sigign & (1 << (signal - 1)) != 0)
}

/// The system does not tell.
#[cfg(all(unix, not(target_os = "linux")))]
fn is_ignored(_: i32) -> bool {
    false
}
