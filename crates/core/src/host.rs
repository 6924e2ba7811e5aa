//! What a program that embeds this library may have to give: the time, where the system has no
//! clock, and its wish to stop, where no other thread can say so.
//!
//! In a browser there is neither. Without a host's clock time stands still there, and only
//! searches to a depth or a number of nodes end by themselves.

use std::sync::OnceLock;
#[cfg(target_family = "wasm")]
use std::time::Duration;

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

/// Functions of the host. Both are called several thousand times a second while a search runs.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Milliseconds since some moment in the past; never fewer than before. Used on WebAssembly alone.
    pub now: fn() -> f64,
    /// Shall the search that runs on this thread end, with the best move so far?
    pub wants_stop: fn() -> bool,
}

static HOST: OnceLock<Host> = OnceLock::new();

/// Uses the functions of `host` from now on. The first host stays: `false` says that there is one.
///
/// ```
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// use emilia_core::eval::Evaluator;
/// use emilia_core::host::{self, Host};
/// use emilia_core::rules::Board;
/// use emilia_core::search::{Control, Limits, SearchOptions, Searcher};
///
/// static WANTS_STOP: AtomicBool = AtomicBool::new(false);
/// assert!(host::set(Host {
///     now: || 0.0, // on WebAssembly: performance.now()
///     wants_stop: || WANTS_STOP.load(Ordering::Relaxed),
/// }));
///
/// let options = SearchOptions { threads: 1, hash_mb: 16 };
/// let mut searcher = Searcher::new(Evaluator::embedded(), options)?;
/// let outcome = searcher.search(Board::START, &Limits::default(), &Control::new(), &mut |info| {
///     WANTS_STOP.store(info.depth >= 6, Ordering::Relaxed);
/// });
/// assert!(outcome.best.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn set(host: Host) -> bool {
    HOST.set(host).is_ok()
}

/// Does the host want the search on this thread to end?
pub fn wants_stop() -> bool {
    HOST.get().is_some_and(|host| (host.wants_stop)())
}

/// A moment, by the host's clock.
#[cfg(target_family = "wasm")]
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Instant(Duration);

#[cfg(target_family = "wasm")]
impl Instant {
    /// This moment.
    pub fn now() -> Instant {
        let milliseconds = HOST.get().map_or(0.0, |host| (host.now)());
        let seconds = (milliseconds / 1000.0).max(0.0);
        Instant(Duration::try_from_secs_f64(seconds).unwrap_or_default())
    }

    /// Time since then.
    pub fn elapsed(&self) -> Duration {
        Instant::now().0.saturating_sub(self.0)
    }
}
