//! How threads join a search, and how they leave it.
//!
//! A search can be joined at the join point of its searcher, where that searcher's own helper
//! threads sleep between searches, and at that of its [`Control`](super::Control), where threads
//! of other searchers help until they are recalled.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use super::counters::Counts;
use super::shared::Shared;
use crate::locks::{lock, wait, wait_timeout};

/// How long a thread that can be recalled waits for a search before it looks whether it was.
const RECALL_INTERVAL: Duration = Duration::from_millis(2);

/// What a helper panicked with.
type Panic = Box<dyn Any + Send>;

/// Where threads join searches, one search at a time.
#[derive(Default)]
pub(super) struct JoinPoint {
    state: Mutex<JoinState>,
    /// For threads that want to help: there is a search, or there will be none.
    opened: Condvar,
    /// For the search: the last helper has left.
    left: Condvar,
}

#[derive(Default)]
struct JoinState {
    /// The search that can be joined now.
    search: Option<Arc<Shared>>,
    /// Threads that help with it.
    helpers: usize,
    /// What helpers that have left it counted.
    counts: Counts,
    /// The panic of one of them.
    panic: Option<Panic>,
    /// Will there be no more searches?
    closed: bool,
}

impl fmt::Debug for JoinPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinPoint")
    }
}

impl JoinPoint {
    /// Lets threads join the search of `shared` until the result is ended or dropped.
    pub(super) fn open<'p>(&'p self, shared: &'p Arc<Shared>) -> OpenSearch<'p> {
        self.lock().search = Some(Arc::clone(shared));
        self.opened.notify_all();
        OpenSearch {
            join_point: self,
            shared,
        }
    }

    /// Says that there will be no more searches.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.opened.notify_all();
    }

    /// Helps by `work`, which says what it has counted, with one search after the other, until there will be
    /// no more or the thread is recalled.
    pub(super) fn help_by(
        &self,
        recalled: Option<&AtomicBool>,
        mut work: impl FnMut(&Shared) -> Option<Counts>,
    ) {
        while let Some(shared) = self.join(recalled) {
            let worked = catch_unwind(AssertUnwindSafe(|| work(&shared)));
            if worked.is_err() {
                shared.abort();
            }
            // The search that ends needs to be the only owner.
            drop(shared);
            self.leave(worked);
        }
    }

    /// Waits for a search, and joins it.
    fn join(&self, recalled: Option<&AtomicBool>) -> Option<Arc<Shared>> {
        let mut state = self.lock();
        while !state.closed && !is_recalled(recalled) {
            if let Some(shared) = state.search.clone() {
                state.helpers += 1;
                return Some(shared);
            }
            state = if recalled.is_some() {
                wait_timeout(&self.opened, state, RECALL_INTERVAL).0
            } else {
                wait(&self.opened, state)
            };
        }
        None
    }

    fn leave(&self, worked: Result<Option<Counts>, Panic>) {
        let mut state = self.lock();
        state.helpers -= 1;
        match worked {
            Ok(Some(counts)) => state.counts += &counts,
            Ok(None) => {}
            Err(panic) => state.panic = Some(panic),
        }
        if state.helpers == 0 {
            self.left.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, JoinState> {
        lock(&self.state)
    }
}

/// Must a helper leave? Those without a flag stay until the search is over.
pub(super) fn is_recalled(recalled: Option<&AtomicBool>) -> bool {
    recalled.is_some_and(|recalled| recalled.load(Ordering::Relaxed))
}

/// A search that threads may join. When dropped, it ends their work and waits until all have
/// left, also if the search panics.
pub(super) struct OpenSearch<'p> {
    join_point: &'p JoinPoint,
    shared: &'p Arc<Shared>,
}

impl OpenSearch<'_> {
    /// Ends the helpers' work, and returns what they counted. A panic of one of them continues
    /// here.
    pub(super) fn end(self) -> Counts {
        let (counts, panic) = self.finish();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
        counts
    }

    fn finish(&self) -> (Counts, Option<Panic>) {
        self.join_point.lock().search = None;
        self.shared.pool.finish();
        let mut state = self.join_point.lock();
        while state.helpers > 0 {
            state = wait(&self.join_point.left, state);
        }
        (std::mem::take(&mut state.counts), state.panic.take())
    }
}

impl Drop for OpenSearch<'_> {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::super::shared::tests::shared;
    use super::*;

    impl JoinPoint {
        /// Waits until a thread helps with the search.
        pub(in crate::search) fn wait_for_helper(&self) {
            while self.lock().helpers == 0 {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn a_panic_of_a_helper_ends_the_search_and_continues_in_it() {
        let (join_point, shared) = (JoinPoint::default(), shared());
        std::thread::scope(|scope| {
            scope.spawn(|| join_point.help_by(None, |_| panic!("a helper's fault")));
            let search = join_point.open(&shared);
            while !shared.is_aborted() {
                std::thread::yield_now();
            }
            let ended = catch_unwind(AssertUnwindSafe(|| search.end()));
            let panic = ended.expect_err("the panic of the helper");
            assert_eq!(panic.downcast_ref(), Some(&"a helper's fault"));
            join_point.close();
        });
        assert_eq!(Arc::strong_count(&shared), 1);
    }
}
