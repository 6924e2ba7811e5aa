//! The queue between the reader, the workers and the writer of `solve`.
//!
//! Tasks are numbered as they arrive, and answers leave in that order. While more
//! tasks wait than there are threads, each worker takes one. When fewer are left,
//! a hard one waits until no other is being solved, and then gets all threads.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How far the reader may be ahead of the writer, in tasks.
const WINDOW: usize = 16_384;

/// How long an idle queue waits for more input before all threads go to one task.
const SETTLING_TIME: Duration = Duration::from_millis(5);

/// A task that can tell whether more than one thread would help it.
pub(super) trait Weigh {
    /// Is it worth all threads?
    fn is_hard(&self) -> bool;
}

/// Whose threads solve a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Assignment {
    /// The worker's own.
    Alone,
    /// All of them.
    Team,
}

/// A task's place in the order of answers.
pub(super) type Ticket = u64;

/// See the module.
pub(super) struct Queue<T, A> {
    state: Mutex<State<T, A>>,
    changed: Condvar,
}

struct State<T, A> {
    /// Workers.
    threads: usize,
    waiting: VecDeque<(Ticket, T)>,
    /// Answers from ticket `first` on; `None` where one is still to come.
    answers: VecDeque<Option<A>>,
    first: Ticket,
    ended: bool,
    alone: usize,
    team: bool,
}

impl<T: Weigh, A> Queue<T, A> {
    /// An empty queue for `threads` workers.
    pub(super) const fn new(threads: usize) -> Queue<T, A> {
        Queue {
            state: Mutex::new(State {
                threads,
                waiting: VecDeque::new(),
                answers: VecDeque::new(),
                first: 0,
                ended: false,
                alone: 0,
                team: false,
            }),
            changed: Condvar::new(),
        }
    }

    /// There are only so many workers.
    pub(super) fn set_threads(&self, threads: usize) {
        self.lock().threads = threads;
        self.changed.notify_all();
    }

    /// Adds a task; waits while the writer is too far behind.
    pub(super) fn push(&self, task: T) {
        let mut state = self.lock_with_room();
        let ticket = state.first + state.answers.len() as u64;
        state.answers.push_back(None);
        state.waiting.push_back((ticket, task));
        self.changed.notify_all();
    }

    /// Adds the answer to something that needs no solving, in its place.
    pub(super) fn push_answer(&self, answer: A) {
        let mut state = self.lock_with_room();
        state.answers.push_back(Some(answer));
        self.changed.notify_all();
    }

    /// Says that no more tasks will come.
    pub(super) fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// The next task for a worker; `None` when all are taken and no more will come.
    pub(super) fn next_task(&self) -> Option<(Ticket, T, Assignment)> {
        let mut state = self.lock();
        let mut settled = false;
        loop {
            match state.next_step(settled) {
                Step::Take(assignment) => {
                    let (ticket, task) = state.waiting.pop_front()?;
                    match assignment {
                        Assignment::Alone => state.alone += 1,
                        Assignment::Team => state.team = true,
                    }
                    return Some((ticket, task, assignment));
                }
                Step::Leave => return None,
                Step::Wait => {
                    settled = false;
                    state = self.wait(state);
                }
                Step::Settle => {
                    let waited = self.changed.wait_timeout(state, SETTLING_TIME);
                    let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                    settled = timeout.timed_out();
                    state = guard;
                }
            }
        }
    }

    /// Hands in the answer to a task.
    pub(super) fn finish(&self, ticket: Ticket, assignment: Assignment, answer: A) {
        let mut state = self.lock();
        let place = (ticket - state.first) as usize;
        if let Some(slot) = state.answers.get_mut(place) {
            *slot = Some(answer);
        }
        match assignment {
            Assignment::Alone => state.alone -= 1,
            Assignment::Team => state.team = false,
        }
        self.changed.notify_all();
    }

    /// The answers that are ready, at least one; `None` when all have been given out.
    pub(super) fn next_answers(&self) -> Option<Vec<A>> {
        let mut state = self.lock();
        loop {
            let mut ready = Vec::new();
            while let Some(Some(_)) = state.answers.front() {
                ready.extend(state.answers.pop_front().flatten());
            }
            if !ready.is_empty() {
                state.first += ready.len() as u64;
                self.changed.notify_all();
                return Some(ready);
            }
            if state.ended && state.answers.is_empty() {
                return None;
            }
            state = self.wait(state);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T, A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_with_room(&self) -> MutexGuard<'_, State<T, A>> {
        let mut state = self.lock();
        while state.answers.len() >= WINDOW {
            state = self.wait(state);
        }
        state
    }

    fn wait<'a>(&self, guard: MutexGuard<'a, State<T, A>>) -> MutexGuard<'a, State<T, A>> {
        let waited = self.changed.wait(guard);
        waited.unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a worker that asks for a task does.
#[derive(PartialEq, Eq, Debug)]
enum Step {
    Take(Assignment),
    Wait,
    /// Wait a moment for more input.
    Settle,
    Leave,
}

impl<T: Weigh, A> State<T, A> {
    fn next_step(&self, settled: bool) -> Step {
        let Some((_, task)) = self.waiting.front() else {
            return if self.ended { Step::Leave } else { Step::Wait };
        };
        if self.team {
            return Step::Wait;
        }
        let few = self.waiting.len() < self.threads;
        if !few || !task.is_hard() {
            Step::Take(Assignment::Alone)
        } else if self.alone > 0 {
            Step::Wait
        } else if self.ended || settled {
            Step::Take(Assignment::Team)
        } else {
            Step::Settle
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A task that is hard or not.
    struct Task(bool);

    impl Weigh for Task {
        fn is_hard(&self) -> bool {
            self.0
        }
    }

    fn queue_of(threads: usize, tasks: &[bool]) -> Queue<Task, u64> {
        let queue = Queue::new(threads);
        for &hard in tasks {
            queue.push(Task(hard));
        }
        queue.end();
        queue
    }

    #[test]
    fn each_worker_takes_one_while_many_wait() {
        let queue = queue_of(2, &[true, true, true]);
        assert_eq!(
            queue.next_task().map(|task| task.2),
            Some(Assignment::Alone)
        );
        assert_eq!(
            queue.next_task().map(|task| task.2),
            Some(Assignment::Alone)
        );
    }

    #[test]
    fn the_last_hard_one_waits_for_all_threads() {
        let queue = queue_of(2, &[true, true]);
        let (ticket, _, assignment) = queue.next_task().expect("a task");
        assert_eq!(assignment, Assignment::Alone);
        assert_eq!(queue.lock().next_step(true), Step::Wait);
        queue.finish(ticket, assignment, 1);
        assert_eq!(queue.next_task().map(|task| task.2), Some(Assignment::Team));
        assert!(queue.lock().next_step(true) == Step::Leave);
    }

    #[test]
    fn an_easy_one_never_waits_for_company() {
        let queue = queue_of(8, &[false]);
        assert_eq!(
            queue.next_task().map(|task| task.2),
            Some(Assignment::Alone)
        );
    }

    #[test]
    fn answers_leave_in_the_order_of_the_tasks() {
        let queue = queue_of(1, &[false, false, false]);
        let tickets: Vec<Ticket> = (0..3)
            .filter_map(|_| queue.next_task().map(|task| task.0))
            .collect();
        for &ticket in tickets.iter().rev() {
            queue.finish(ticket, Assignment::Alone, ticket);
        }
        assert_eq!(queue.next_answers(), Some(vec![0, 1, 2]));
        assert_eq!(queue.next_answers(), None);
        assert!(queue.next_task().is_none());
    }
}
