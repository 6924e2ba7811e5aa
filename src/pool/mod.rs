//! Work on many threads: tasks go in, and what comes of them goes out, in the order of the tasks or as they are done.
//!
//! [`run`] is for tasks that a thread does alone, one at a time. Below it is the `queue`, which also hands out many
//! easy tasks at a time and lets several threads share a hard one, as solves need it. A panic in a thread is a
//! failure of the whole with its reason, and nobody waits for that thread.

pub(crate) mod queue;

use std::io;
use std::iter::Fuse;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use std::vec;

use thiserror::Error;

use crate::faults;
use crate::search::TableError;
use crate::threads::{self, Stack};
use queue::{HARD, Queue, QueueOptions, Weigh, Work};

/// Why there are no threads, or why they could not go on.
#[derive(Debug, Error)]
pub enum PoolError {
    /// There is no memory for a hash table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system refuses a thread.
    #[error("cannot start a thread")]
    Thread(#[from] io::Error),
    /// What a thread needs is not there.
    #[error("{0}")]
    Worker(String),
    /// A thread has panicked.
    #[error("a thread of the program has failed: {0}")]
    Failed(String),
}

/// Tasks and answers that may wait.
const MOST_WAITING: usize = 1024;

/// The threads that do tasks.
#[derive(Clone, Copy, Debug)]
pub struct Team<'a> {
    /// The name of each.
    pub name: &'a str,
    /// How many, at least 1.
    pub threads: usize,
    /// Do answers come in the order of the tasks?
    pub ordered: bool,
}

/// A task of one thread alone.
struct Single<T>(T);

impl<T> Weigh for Single<T> {
    fn weight(&self) -> u64 {
        HARD
    }
}

type Singles<T, A> = Queue<Single<T>, Option<A>, ()>;

/// Does tasks on threads, or on as many of them as can be started. `make` makes, on this thread, what a thread has of
/// its own. `work` does a task; where it returns `None`, no more are begun. `collect` takes the answers, on this
/// thread, and where it returns before their end no more tasks are begun either. Returns when all threads have ended.
///
/// # Errors
/// If no thread can be started, or `collect` fails.
pub fn run<T: Send, O: Send, A: Send, I: Iterator<Item = T>, R, E: From<PoolError>>(
    team: Team<'_>,
    tasks: I,
    mut make: impl FnMut() -> Result<O, PoolError>,
    work: impl Fn(&mut O, T) -> Option<A> + Sync,
    collect: impl FnOnce(&mut Answers<'_, T, A, I>) -> Result<R, E>,
) -> Result<R, E> {
    let options = QueueOptions {
        ordered: team.ordered,
        max_behind: MOST_WAITING,
        sharing: false,
    };
    let queue = &Singles::new(team.threads, options);
    let work = &work;
    std::thread::scope(|scope| {
        let _ending = Ending(queue);
        start_each(queue, team.threads, || {
            let mut own = make()?;
            let work = move || drop(queue.guarded(|| do_singles(queue, &mut own, work)));
            Ok(threads::spawn_scoped(
                scope,
                team.name,
                Stack::Search,
                work,
            )?)
        })?;
        collect(&mut Answers {
            queue,
            tasks: tasks.fuse(),
            ready: Vec::new().into_iter(),
        })
    })
}

fn do_singles<T, O, A>(queue: &Singles<T, A>, own: &mut O, work: &impl Fn(&mut O, T) -> Option<A>) {
    while let Some(Work::Solve(mut batch)) = queue.next_work() {
        let task = batch.tasks.pop();
        let answer = task.and_then(|Single(task)| work(own, task));
        if answer.is_none() {
            queue.abandon();
        }
        queue.finish(&batch, answer);
    }
}

/// The threads end when nobody takes their answers any more.
struct Ending<'q, T, A>(&'q Singles<T, A>);

impl<T, A> Drop for Ending<'_, T, A> {
    fn drop(&mut self) {
        self.0.abandon();
    }
}

/// What comes of the tasks.
pub struct Answers<'q, T, A, I: Iterator> {
    queue: &'q Singles<T, A>,
    /// Those that are not yet in the queue.
    tasks: Fuse<I>,
    ready: vec::IntoIter<Option<A>>,
}

/// What there is after a while.
pub enum Next<A> {
    /// An answer.
    Answer(A),
    /// Nothing yet.
    Nothing,
    /// There will be no more.
    End,
}

impl<T, A, I: Iterator<Item = T>> Answers<'_, T, A, I> {
    /// The next answer, or nothing after `patience`.
    ///
    /// # Errors
    /// If a thread has panicked.
    pub fn next_within(&mut self, patience: Duration) -> Result<Next<A>, PoolError> {
        loop {
            if let Some(answer) = self.ready.find_map(|answer| answer) {
                return Ok(Next::Answer(answer));
            }
            self.feed();
            let mut ready = Vec::new();
            let goes_on = self.queue.next_answers(&mut ready, patience);
            if ready.is_empty() {
                return match self.queue.fault() {
                    Some(reason) => Err(PoolError::Failed(reason)),
                    None if goes_on => Ok(Next::Nothing),
                    None => Ok(Next::End),
                };
            }
            self.ready = ready.into_iter();
        }
    }

    fn feed(&mut self) {
        let room = MOST_WAITING.saturating_sub(self.queue.waiting());
        let mut tasks: Vec<_> = self.tasks.by_ref().take(room).map(Single).collect();
        let is_all = tasks.len() < room;
        self.queue.push(&mut tasks);
        if is_all {
            self.queue.end();
        }
    }
}

/// The answers up to the last one, or an error if a thread has panicked.
impl<T, A, I: Iterator<Item = T>> Iterator for Answers<'_, T, A, I> {
    type Item = Result<A, PoolError>;

    fn next(&mut self) -> Option<Result<A, PoolError>> {
        loop {
            match self.next_within(Duration::MAX) {
                Ok(Next::Answer(answer)) => return Some(Ok(answer)),
                Ok(Next::Nothing) => {}
                Ok(Next::End) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Starts `count` threads of this name, or as many of them as can be started. Each does what `make` has
/// made for it, until the queue has no more work for it.
pub(crate) fn start<T, A, C, W>(
    queue: &Arc<Queue<T, A, C>>,
    name: &str,
    count: usize,
    mut make: impl FnMut() -> Result<W, PoolError>,
) -> Result<Vec<JoinHandle<()>>, PoolError>
where
    T: Weigh + Send + 'static,
    A: Send + 'static,
    C: Clone + Default + Send + 'static,
    W: FnOnce(&Queue<T, A, C>) + Send + 'static,
{
    start_each(queue, count, || {
        let work = make()?;
        let queue = Arc::clone(queue);
        let work = move || drop(queue.guarded(|| work(&queue)));
        Ok(threads::spawn(name, Stack::Search, work)?)
    })
}

fn start_each<T: Weigh, A, C: Clone + Default, H>(
    queue: &Queue<T, A, C>,
    count: usize,
    mut start: impl FnMut() -> Result<H, PoolError>,
) -> Result<Vec<H>, PoolError> {
    let mut started = Vec::new();
    for number in 0..count {
        match start() {
            Ok(thread) => started.push(thread),
            Err(error) if number == 0 => return Err(error),
            Err(error) => {
                let reason = faults::with_causes(&error);
                log::error!("only {number} of {count} threads could be started: {reason}");
                queue.set_workers(number);
                break;
            }
        }
    }
    Ok(started)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn team(threads: usize, ordered: bool) -> Team<'static> {
        Team {
            name: "test",
            threads,
            ordered,
        }
    }

    /// All answers.
    fn all<T, A, I: Iterator<Item = T>>(
        answers: &mut Answers<'_, T, A, I>,
    ) -> Result<Vec<A>, PoolError> {
        answers.collect()
    }

    #[test]
    fn answers_come_in_the_order_of_the_tasks() {
        let count = 3 * MOST_WAITING;
        for (threads, ordered) in [(1, true), (3, true), (3, false)] {
            let made = AtomicUsize::new(0);
            let make = || Ok(made.fetch_add(1, Ordering::Relaxed));
            let done = run(team(threads, ordered), 0..count, make, |_, n| Some(n), all);
            let mut done = done.expect("no failure");
            if !ordered {
                done.sort_unstable();
            }
            assert!(done.into_iter().eq(0..count), "{threads} {ordered}");
            assert_eq!(made.into_inner(), threads);
        }
    }

    #[test]
    fn a_panic_is_a_failure_with_its_reason() {
        let work = |(): &mut (), n: u64| {
            assert!(n < 100, "{n} is too many");
            Some(n)
        };
        let failed = run(team(2, true), 0.., || Ok(()), work, all).expect_err("a failure");
        assert!(failed.to_string().contains(" is too many"), "{failed}");
    }

    #[test]
    fn nothing_is_begun_after_the_end() {
        let begun = AtomicUsize::new(0);
        let work = |(): &mut (), n: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            (n < 5).then_some(n)
        };
        let done = run(team(1, true), 0.., || Ok(()), work, all).expect("no failure");
        assert_eq!(
            (done, begun.load(Ordering::Relaxed)),
            (vec![0, 1, 2, 3, 4], 6)
        );
        let first = run(
            team(2, false),
            0..,
            || Ok(()),
            |(), n| Some(n),
            |answers| answers.next().transpose(),
        );
        assert!(matches!(first, Ok(Some(0 | 1))), "{first:?}");
        let nobody = || Err::<(), _>(PoolError::Worker("nobody".to_owned()));
        let refused = run(team(2, false), 0..9, nobody, |(), n| Some(n), all);
        assert!(matches!(refused, Err(PoolError::Worker(_))), "{refused:?}");
    }
}
