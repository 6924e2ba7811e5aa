//! The helper threads of a searcher.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;

use thiserror::Error;

use super::join::JoinPoint;
use super::observer::Observer;
use super::simulation::Simulation;
use super::solver::EndgameSolver;
use super::worker::Worker;
use crate::threads::{self, Stack};

/// Fewer threads search than were asked for.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("only {started} of {wanted} search threads could be started: {reason}")]
pub struct FewerThreads {
    /// Threads that search, the one that calls included.
    pub started: usize,
    /// Threads asked for.
    pub wanted: usize,
    /// Why there are no more.
    pub reason: String,
}

/// Helps with one search after the other at `join_point`, until there will be no more or the thread is
/// recalled.
pub(super) fn help<O: Observer>(
    join_point: &JoinPoint,
    solver: &mut EndgameSolver<O>,
    recalled: Option<&AtomicBool>,
) {
    join_point.help_by(recalled, |shared| {
        let mut worker = Worker::new(shared, solver, None);
        worker.simulated_core = shared.simulation.as_ref().and_then(Simulation::join);
        worker.help(recalled);
        worker.leave_core();
        let on = solver.observer.on();
        on.map(|on| std::mem::take(&mut on.counts))
    });
}

/// The helper threads of one searcher, which live as long as it does.
#[derive(Default)]
pub(super) struct HelperThreads {
    pub(super) join_point: Arc<JoinPoint>,
    threads: Vec<JoinHandle<()>>,
}

impl HelperThreads {
    /// Starts the helpers of a search of `threads` threads, or as many as there are threads
    /// and memory for.
    pub(super) fn start<O: Observer>(threads: usize) -> (HelperThreads, Option<FewerThreads>) {
        let mut helpers = HelperThreads::default();
        for started in 1..threads {
            match helpers.start_one::<O>() {
                Ok(thread) => helpers.threads.push(thread),
                Err(error) => {
                    let fewer = FewerThreads {
                        started,
                        wanted: threads,
                        reason: error.to_string(),
                    };
                    return (helpers, Some(fewer));
                }
            }
        }
        (helpers, None)
    }

    fn start_one<O: Observer>(&self) -> io::Result<JoinHandle<()>> {
        let mut solver = EndgameSolver::<O>::new().ok_or(io::ErrorKind::OutOfMemory)?;
        let join_point = Arc::clone(&self.join_point);
        let work = move || help(&join_point, &mut solver, None);
        threads::spawn("helper", Stack::Search, work)
    }
}

impl Drop for HelperThreads {
    fn drop(&mut self) {
        self.join_point.close();
        for thread in self.threads.drain(..) {
            // A helper catches its panics.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::counters::Counts;
    use super::super::observer::Off;
    use super::super::shared::tests::shared;
    use super::*;
    use crate::threads::tests::with_starts;

    #[test]
    fn helpers_that_can_be_started_are_started() {
        let (helpers, fewer) = with_starts(3, || HelperThreads::start::<Off>(8));
        assert_eq!(helpers.threads.len(), 3);
        let reported = fewer.map(|fewer| (fewer.started, fewer.wanted));
        assert_eq!(reported, Some((4, 8)));
        assert_eq!(with_starts(3, || HelperThreads::start::<Off>(4)).1, None);
    }

    #[test]
    fn a_thread_joins_a_search_and_leaves_when_it_is_recalled() {
        let (join_point, shared, recalled) =
            (JoinPoint::default(), shared(), AtomicBool::new(false));
        let mut solver = EndgameSolver::<Off>::new().expect("memory");
        std::thread::scope(|scope| {
            // It comes first, and waits.
            let helper = scope.spawn(|| help(&join_point, &mut solver, Some(&recalled)));
            let search = join_point.open(&shared);
            join_point.wait_for_helper();
            recalled.store(true, std::sync::atomic::Ordering::Relaxed);
            helper.join().expect("no panic");
            assert_eq!(search.end(), Counts::default());
        });
        assert_eq!(Arc::strong_count(&shared), 1);
    }
}
