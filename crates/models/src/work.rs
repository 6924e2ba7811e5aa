//! The queue between a reader, workers and a writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use shuttle::thread;

use crate::queue::{HARD, Queue, QueueOptions, Weigh, Work};

/// A task with its number: every third one is hard.
struct Task(usize);

impl Weigh for Task {
    fn weight(&self) -> u64 {
        if self.0.is_multiple_of(3) { HARD } else { 1 }
    }
}

/// Is the hard task solved?
type Crew = Arc<AtomicBool>;

type Tasks = Queue<Task, Vec<usize>, Crew>;

const TASKS: usize = 6;
const WORKERS: usize = 2;

/// The work of a thread until none is left; it fails at the task of the number `fails_at`.
fn work(queue: &Tasks, fails_at: usize) {
    while let Some(work) = queue.next_work() {
        match work {
            Work::Solve(batch) => {
                let numbers: Vec<usize> = batch.tasks.iter().map(|task| task.0).collect();
                if numbers.contains(&fails_at) {
                    return queue.fail("a task failed".to_owned());
                }
                thread::yield_now();
                if let Some(crew) = &batch.crew {
                    crew.store(true, Ordering::SeqCst);
                }
                queue.finish(&batch, numbers);
            }
            Work::Help(help) => {
                // A task that is solved and not yet handed in is helped with again: others must get on.
                thread::yield_now();
                while !help.crew.load(Ordering::SeqCst) && !help.recalled.load(Ordering::SeqCst) {
                    thread::yield_now();
                }
                queue.end_help();
            }
        }
    }
}

/// Runs reader and workers; `write` takes the answers.
fn run(options: QueueOptions, fails_at: usize, write: impl FnOnce(&Tasks)) {
    let queue = Arc::new(Tasks::new(WORKERS, options));
    let mut threads = Vec::new();
    for _ in 0..WORKERS {
        let queue = Arc::clone(&queue);
        threads.push(thread::spawn(move || work(&queue, fails_at)));
    }
    let reader = Arc::clone(&queue);
    threads.push(thread::spawn(move || {
        for first in (0..TASKS).step_by(2) {
            reader.push(&mut vec![Task(first), Task(first + 1)]);
        }
        reader.end();
    }));
    write(&queue);
    for thread in threads {
        thread.join().expect("no panic");
    }
}

/// The answers up to the end.
fn all(queue: &Tasks) -> Vec<usize> {
    let mut answers = Vec::new();
    while queue.next_answers(&mut answers, Duration::MAX) {}
    answers.concat()
}

/// Each task has one answer, in order where that is asked for.
pub fn all_is_answered(ordered: bool, sharing: bool) {
    let options = QueueOptions {
        ordered,
        max_behind: 2,
        sharing,
    };
    run(options, usize::MAX, |queue| {
        let mut answers = all(queue);
        if !ordered {
            answers.sort_unstable();
        }
        assert!(answers.into_iter().eq(0..TASKS));
    });
}

/// Where a thread fails, or the writer has enough, all threads come to their end.
pub fn a_failure_ends_all(a_task_fails: bool) {
    let options = QueueOptions {
        ordered: true,
        max_behind: 2,
        sharing: true,
    };
    let fails_at = if a_task_fails { 3 } else { usize::MAX };
    run(options, fails_at, |queue| {
        if a_task_fails {
            let answers = all(queue);
            assert!(answers.len() <= fails_at && answers.iter().copied().eq(0..answers.len()));
            assert!(queue.fault().is_some());
        } else {
            queue.next_answers(&mut Vec::new(), Duration::MAX);
            queue.abandon();
            all(queue);
        }
    });
}
