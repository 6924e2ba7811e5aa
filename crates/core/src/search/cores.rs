//! What a thread of a search does at a lock, at a wait and to wake others: the one place where a real core and a
//! simulated one differ.

use std::sync::MutexGuard;

use super::pool::{OpenNodes, Pool, SplitPoint};
use crate::locks::lock;

/// The core that a thread of a search runs on.
pub(super) trait Core {
    /// Takes the lock of the pool.
    fn lock<'p>(&mut self, pool: &'p Pool) -> MutexGuard<'p, OpenNodes>;

    /// Wakes threads for a split point that is new in the pool: so many of those without work, and the owners
    /// that wait for others.
    fn wake_helpers(&mut self, pool: &Pool, open: &OpenNodes, count: usize);

    /// Wakes the owner of a split point that this thread was the last to leave, if it waits.
    fn wake_owner(&mut self, pool: &Pool, split: &SplitPoint);

    /// Waits until this thread is called, the search is over or some time has passed.
    fn wait_for_call<'p>(
        &mut self,
        pool: &'p Pool,
        open: MutexGuard<'p, OpenNodes>,
    ) -> MutexGuard<'p, OpenNodes>;

    /// Waits until no other thread is at its split point, there is a new one, which may be below it, or some time
    /// has passed.
    fn wait_for_others(&mut self, pool: &Pool, open: MutexGuard<'_, OpenNodes>, split: &SplitPoint);

    /// Are there as many cores as the search has threads?
    fn are_enough(&self, pool: &Pool) -> bool;

    /// Its number, if it is simulated.
    fn id(&self) -> Option<usize> {
        None
    }

    /// Lets the threads on other simulated cores catch up.
    fn keep_pace(&mut self) {}

    /// The nodes of its thread that were of use, where that is counted.
    fn useful(&self) -> u64 {
        0
    }

    /// All but so many of the nodes of its thread were for nothing.
    fn note_vain(&mut self, _useful: u64) {}

    /// What its thread searches from now on is ahead of what is wanted, or is not.
    fn set_ahead(&mut self, _is_ahead: bool) {}
}

/// A core of the machine: the operating system wakes its threads and lets them wait.
pub(super) struct RealCore;

impl Core for RealCore {
    #[inline]
    fn lock<'p>(&mut self, pool: &'p Pool) -> MutexGuard<'p, OpenNodes> {
        lock(&pool.open)
    }

    #[inline]
    fn wake_helpers(&mut self, pool: &Pool, open: &OpenNodes, count: usize) {
        pool.wake_helpers(open, count);
    }

    #[inline]
    fn wake_owner(&mut self, pool: &Pool, _split: &SplitPoint) {
        pool.wake_owners();
    }

    #[inline]
    fn wait_for_call<'p>(
        &mut self,
        pool: &'p Pool,
        open: MutexGuard<'p, OpenNodes>,
    ) -> MutexGuard<'p, OpenNodes> {
        pool.wait_for_call(open)
    }

    #[inline]
    fn wait_for_others(
        &mut self,
        pool: &Pool,
        open: MutexGuard<'_, OpenNodes>,
        split: &SplitPoint,
    ) {
        pool.wait_for_others(open, split);
    }

    #[inline]
    fn are_enough(&self, pool: &Pool) -> bool {
        pool.has_processors()
    }
}
