//! What all threads of one search share.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use crossbeam_utils::CachePadded;

use super::clock::{Deadline, SearchClock};
use super::goal_queries::QueryList;
use super::options::SearchOptions;
use super::pool::Pool;
use super::selectivity::ProbCutTable;
use super::signals::Signals;
use super::simulation::Simulation;
use super::table::TranspositionTable;
use super::wins::Wins;
use crate::eval::Evaluator;

/// What a searcher knows when a search begins, and where that notes what it finds.
#[derive(Clone)]
pub(super) struct Knowledge {
    pub(super) table: Arc<TranspositionTable>,
    pub(super) evaluator: Arc<Evaluator>,
    /// What the evaluator's weights say about errors.
    pub(super) probcut: Arc<ProbCutTable>,
    /// Where moves are noted that are good enough, if a proof will ask for them.
    pub(super) wins: Option<Arc<Wins>>,
}

/// What all threads of one search share.
pub(super) struct Shared {
    pub(super) known: Knowledge,
    pub(super) signals: Signals,
    pub(super) clock: SearchClock,
    pub(super) pool: Pool,
    /// What its threads are asked beside the search at the root.
    pub(super) queries: Option<QueryList>,
    /// The cores of its threads, if they are simulated.
    pub(super) simulation: Option<Arc<Simulation>>,
    /// The nodes of all threads, as of their last check of the limits. Each thread adds to one of
    /// the counters, so that they rarely wait for each other.
    counters: Vec<CachePadded<AtomicU64>>,
    /// Threads that have taken part so far.
    workers: AtomicUsize,
    abort: AtomicBool,
}

impl Shared {
    /// For a search that is meant for so many threads; more may join it.
    pub(super) fn new(
        known: Knowledge,
        signals: Signals,
        threads: usize,
        deadline: Deadline,
    ) -> Shared {
        Shared {
            known,
            clock: SearchClock::start(signals.clone(), deadline),
            signals,
            pool: Pool::default(),
            queries: None,
            simulation: None,
            counters: (0..threads.clamp(1, SearchOptions::MAX_THREADS))
                .map(|_| CachePadded::default())
                .collect(),
            workers: AtomicUsize::new(0),
            abort: AtomicBool::new(false),
        }
    }

    /// The threads that it is meant for.
    pub(super) fn threads(&self) -> usize {
        self.counters.len()
    }

    /// The counter for the nodes of one more thread.
    pub(super) fn next_counter(&self) -> &AtomicU64 {
        let index = self.workers.fetch_add(1, Ordering::Relaxed) % self.counters.len();
        &self.counters[index]
    }

    /// Must all threads end at once?
    #[inline]
    pub(super) fn is_aborted(&self) -> bool {
        self.abort.load(Ordering::Relaxed) || self.signals.is_stopped()
    }

    /// Ends all threads at once.
    pub(super) fn abort(&self) {
        self.abort.store(true, Ordering::Relaxed);
    }

    /// Aborts if a limit was exceeded: one of nodes, on simulated cores, by their time.
    pub(super) fn check_limits(&self) {
        let simulation = self.simulation.as_ref();
        let spent = || simulation.map_or_else(|| self.nodes(), |simulation| simulation.now());
        if self.clock.is_over(spent) {
            self.abort();
        }
    }

    /// Nodes of all threads, as of their last check of the limits.
    pub(super) fn nodes(&self) -> u64 {
        let counters = self.counters.iter();
        counters
            .map(|counter| counter.load(Ordering::Relaxed))
            .sum()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// What the threads of a search without limits share.
    pub(in crate::search) fn shared() -> Arc<Shared> {
        let evaluator = Evaluator::embedded();
        let known = Knowledge {
            table: Arc::new(TranspositionTable::new(1).expect("memory")),
            probcut: Arc::new(ProbCutTable::new(evaluator.probcut())),
            evaluator,
            wins: None,
        };
        let signals = Signals::default();
        Arc::new(Shared::new(known, signals, 1, Deadline::default()))
    }
}
