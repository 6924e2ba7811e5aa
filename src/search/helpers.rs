//! The threads that help the one that searches. They live as long as their searcher, and
//! sleep between searches.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use thiserror::Error;

use super::counters::{Counters, Counts};
use super::endgame::EndgameSolver;
use super::worker::{Shared, Worker};
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

/// What a helper panicked with.
type Panic = Box<dyn Any + Send>;

/// The end of a helper's work.
struct End {
    panic: Option<Panic>,
    counts: Option<Counts>,
}

/// The helpers of one searcher.
#[derive(Default)]
pub(super) struct Helpers {
    helpers: Vec<Helper>,
}

struct Helper {
    /// Searches to help with; without a sender the thread ends.
    searches: Option<Sender<Arc<Shared>>>,
    /// The end of each.
    ends: Receiver<End>,
    thread: Option<JoinHandle<()>>,
}

impl Helpers {
    /// Starts the helpers of a search of `threads` threads, or as many as there are threads
    /// and memory for.
    pub(super) fn start<C: Counters>(threads: usize) -> (Helpers, Option<FewerThreads>) {
        let mut helpers = Vec::new();
        let mut fewer = None;
        for index in 1..threads {
            match Helper::start::<C>(index) {
                Ok(helper) => helpers.push(helper),
                Err(error) => {
                    fewer = Some(FewerThreads {
                        started: index,
                        wanted: threads,
                        reason: error.to_string(),
                    });
                    break;
                }
            }
        }
        (Helpers { helpers }, fewer)
    }

    pub(super) fn count(&self) -> usize {
        self.helpers.len()
    }

    /// Lets the helpers work for the search of `shared` until the answer is dropped.
    pub(super) fn help<'h>(&'h self, shared: &'h Arc<Shared>) -> Helping<'h> {
        for helper in &self.helpers {
            let gone = helper
                .searches
                .as_ref()
                .is_none_or(|searches| searches.send(Arc::clone(shared)).is_err());
            debug_assert!(!gone, "a helper ends only with its searcher");
        }
        Helping {
            helpers: &self.helpers,
            shared,
        }
    }
}

impl Helper {
    fn start<C: Counters>(index: usize) -> io::Result<Helper> {
        let mut solver = EndgameSolver::<C>::new().ok_or(io::ErrorKind::OutOfMemory)?;
        let (searches, inbox) = channel::<Arc<Shared>>();
        let (outbox, ends) = channel();
        let work = move || {
            for shared in inbox {
                let help = || Worker::new(&shared, &mut solver, index, None).help();
                let panic = catch_unwind(AssertUnwindSafe(help)).err();
                // The search that ends needs to be the only owner.
                drop(shared);
                let counts = solver.counters.counts().map(std::mem::take);
                if outbox.send(End { panic, counts }).is_err() {
                    break;
                }
            }
        };
        Ok(Helper {
            searches: Some(searches),
            ends,
            thread: Some(threads::spawn("helper", Stack::Search, work)?),
        })
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.searches = None;
        if let Some(thread) = self.thread.take() {
            // A helper catches its panics.
            let _ = thread.join();
        }
    }
}

/// The helpers at work. When dropped, it ends their work and waits for that, also if the
/// search panics.
pub(super) struct Helping<'h> {
    helpers: &'h [Helper],
    shared: &'h Arc<Shared>,
}

impl Helping<'_> {
    fn finish(&mut self) -> Vec<End> {
        self.shared.pool.finish();
        let helpers = std::mem::take(&mut self.helpers);
        let ends = helpers.iter().filter_map(|helper| helper.ends.recv().ok());
        ends.collect()
    }

    /// Ends the helpers' work, and adds what they counted. A panic of one of them goes on here.
    pub(super) fn end(mut self, mut counts: Option<&mut Counts>) {
        for end in self.finish() {
            if let Some(panic) = end.panic {
                std::panic::resume_unwind(panic);
            }
            if let (Some(sum), Some(counts)) = (&mut counts, end.counts) {
                **sum += &counts;
            }
        }
    }
}

impl Drop for Helping<'_> {
    fn drop(&mut self) {
        self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::super::counters::Off;
    use super::*;
    use crate::threads::tests::with_starts;

    #[test]
    fn helpers_that_can_be_started_are_started() {
        let (helpers, fewer) = with_starts(3, || Helpers::start::<Off>(8));
        assert_eq!(helpers.count(), 3);
        let said = fewer.map(|fewer| (fewer.started, fewer.wanted));
        assert_eq!(said, Some((4, 8)));
        assert_eq!(with_starts(3, || Helpers::start::<Off>(4)).1, None);
    }
}
