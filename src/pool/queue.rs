//! The queue between a reader, workers and a writer.
//!
//! Work is handed over in batches: many easy tasks at a time while many wait, a hard one
//! alone, and ever fewer as the waiting ones run out, so that all workers end together.
//! Answers leave in the order of the tasks, or as they come. No part is without bound:
//! a reader that is ahead waits, and so do workers whose answers nobody takes.
//!
//! A worker that finds no task to begin helps with a hard one that runs, until there is
//! something else to do. It finds none where the input has run out, where too many answers
//! wait behind a slow one, and where the last tasks are hard: these are solved one after
//! the other by all threads (the team).
//!
//! Where the reader or a worker panics, nobody waits for it: the queue fails ([`Queue::fail`]), and
//! reader, workers and writer come to their end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::faults;
use crate::locks::{Condvar, Mutex, MutexGuard, lock, wait, wait_timeout};

/// How far the reader may be ahead of the workers, in tasks.
const MAX_WAITING: usize = 16_384;

const MAX_BATCH: usize = 256;

/// Most work of one batch of several tasks, in microseconds.
const BATCH_WEIGHT: u64 = 2_000;

/// So much work is handed over at once even if few tasks wait: less is done sooner than it is
/// handed over.
const SMALL_WEIGHT: u64 = 100;

/// From so much work on, in microseconds, a task is worth several threads.
pub(crate) const HARD: u64 = 16_000;

/// How long a worker waits for more input before it helps with another task.
const SETTLING_TIME: Duration = Duration::from_millis(5);

/// A task that can tell roughly how long it takes.
pub(crate) trait Weigh {
    /// Microseconds on one thread, roughly.
    fn weight(&self) -> u64;
}

/// How a queue hands out work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct QueueOptions {
    /// Do answers leave in the order of the tasks?
    pub(crate) ordered: bool,
    /// How many answers may wait, behind a slow one or for the writer, before no more tasks
    /// are begun. A batch that is begun may add to it.
    pub(crate) max_behind: usize,
    /// May several threads solve one task?
    pub(crate) sharing: bool,
}

/// What a worker does next. `C` is the handle by which others can join a hard task.
#[derive(Debug)]
pub(crate) enum Work<T, C> {
    /// Solve these tasks, and hand in one answer for all of them.
    Solve(Batch<T, C>),
    /// Help another worker, and say when that is over.
    Help(Help<C>),
}

#[derive(Debug)]
pub(crate) struct Batch<T, C> {
    ticket: u64,
    /// The tasks, in their order, at least one.
    pub(crate) tasks: Vec<T>,
    /// A hard task that begins with one thread: others may join by this handle.
    pub(crate) crew: Option<C>,
    /// Is no other worker at work, and will none be before this is answered?
    pub(crate) team: bool,
}

#[derive(Debug)]
pub(crate) struct Help<C> {
    /// The handle of the task.
    pub(crate) crew: C,
    /// Is there something else to do?
    pub(crate) recalled: Arc<AtomicBool>,
}

pub(crate) struct Queue<T, A, C> {
    options: QueueOptions,
    state: Mutex<Backlog<T, A, C>>,
    /// For workers: there is something to do, or to help with.
    work: Condvar,
    /// For the reader: there is room.
    room: Condvar,
    /// For the writer: there is something to write.
    ready: Condvar,
}

struct Backlog<T, A, C> {
    workers: usize,
    waiting: VecDeque<T>,
    ended: bool,
    /// Why there will be no more answers, the first reason.
    fault: Option<String>,
    /// The batches that were begun and not yet written, the first of them has the number `first`.
    slots: VecDeque<Slot<A, C>>,
    first: u64,
    /// Answers that may leave now, and of how many tasks.
    ready: Vec<A>,
    ready_tasks: usize,
    /// Tasks that were begun, and whose answers the writer has not yet taken.
    behind: usize,
    /// Batches that are being solved.
    running: usize,
    /// Is one of them solved by the team?
    team: bool,
    /// Workers that sleep.
    asleep: usize,
    /// Workers that help.
    helping: usize,
    reader_waits: bool,
    writer_waits: bool,
}

/// A batch's place in the order of answers.
struct Slot<A, C> {
    tasks: usize,
    content: Content<A, C>,
}

enum Content<A, C> {
    /// It is being solved.
    Running(Option<Crew<C>>),
    Answered(A),
    /// Its answer has left before those of earlier ones.
    Gone,
}

/// Those who may help with a hard task that runs.
struct Crew<C> {
    handle: C,
    /// How many were sent to help.
    sent: usize,
    /// For those to see that they should come back.
    recalled: Arc<AtomicBool>,
}

/// What a worker that asks for work does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    Take,
    TakeAsTeam,
    /// Help with the batch of this number.
    Help(u64),
    Wait,
    /// Wait a moment for more input.
    Settle,
    Leave,
}

impl<T: Weigh, A, C: Clone + Default> Queue<T, A, C> {
    /// An empty queue.
    pub(crate) fn new(workers: usize, options: QueueOptions) -> Queue<T, A, C> {
        Queue {
            options,
            state: Mutex::new(Backlog {
                workers: workers.max(1),
                waiting: VecDeque::new(),
                ended: false,
                fault: None,
                slots: VecDeque::new(),
                first: 0,
                ready: Vec::new(),
                ready_tasks: 0,
                behind: 0,
                running: 0,
                team: false,
                asleep: 0,
                helping: 0,
                reader_waits: false,
                writer_waits: false,
            }),
            work: Condvar::new(),
            room: Condvar::new(),
            ready: Condvar::new(),
        }
    }

    /// Says how many workers there are in fact, where not all could be started.
    pub(crate) fn set_workers(&self, workers: usize) {
        self.lock().workers = workers.max(1);
    }

    /// Adds tasks, and empties `tasks`; waits while the workers are too far behind. Where the queue has
    /// failed, nobody does them.
    pub(crate) fn push(&self, tasks: &mut Vec<T>) {
        let mut state = self.lock();
        while state.waiting.len() >= MAX_WAITING && state.fault.is_none() {
            state.reader_waits = true;
            state = wait(&self.room, state);
        }
        if state.fault.is_some() || state.ended {
            tasks.clear();
            return;
        }
        state.waiting.extend(tasks.drain(..));
        state.recall_helpers(self.options);
        self.wake_worker(&state);
    }

    /// Says that no more tasks will come.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.work.notify_all();
        self.ready.notify_all();
    }

    /// Says that no more tasks are to be begun; answers to those that were still come.
    pub(crate) fn abandon(&self) {
        self.lock().waiting.clear();
        self.end();
    }

    /// Tasks that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Says that the reader or a worker cannot go on: no more work is handed out, and the writer gets
    /// what may leave now and then the end.
    pub(crate) fn fail(&self, reason: String) {
        let mut state = self.lock();
        state.fault.get_or_insert(reason);
        state.recall_helpers(self.options);
        drop(state);
        self.room.notify_all();
        self.work.notify_all();
        self.ready.notify_all();
    }

    /// Does the whole work of the reader or of a worker. If it panics, the queue fails.
    pub(crate) fn guarded<R>(&self, work: impl FnOnce() -> R) -> Result<R, String> {
        faults::caught(work).inspect_err(|reason| self.fail(reason.clone()))
    }

    /// Why there are no more answers, if the queue has failed.
    pub(crate) fn fault(&self) -> Option<String> {
        self.lock().fault.clone()
    }

    /// The next work for a worker; `None` when there is nothing left to do.
    pub(crate) fn next_work(&self) -> Option<Work<T, C>> {
        let mut state = self.lock();
        let mut settled = false;
        loop {
            match state.next_step(self.options, settled) {
                step @ (Step::Take | Step::TakeAsTeam) => {
                    let batch = state.take(step == Step::TakeAsTeam, self.options.sharing);
                    if state.reader_waits && state.waiting.len() <= MAX_WAITING / 2 {
                        state.reader_waits = false;
                        self.room.notify_one();
                    }
                    if !state.waiting.is_empty() {
                        self.wake_worker(&state);
                    }
                    return Some(Work::Solve(batch));
                }
                Step::Help(number) => {
                    if let Some(help) = state.send(number) {
                        return Some(Work::Help(help));
                    }
                }
                Step::Leave => return None,
                step @ (Step::Wait | Step::Settle) => {
                    let patience = match step {
                        Step::Settle => SETTLING_TIME,
                        _ => Duration::MAX,
                    };
                    state.asleep += 1;
                    (state, settled) = wait_timeout(&self.work, state, patience);
                    state.asleep -= 1;
                }
            }
        }
    }

    /// A worker has stopped helping: the task is done, or the worker was recalled.
    pub(crate) fn end_help(&self) {
        self.lock().helping -= 1;
    }

    /// Hands in the answer to a batch.
    pub(crate) fn finish(&self, batch: &Batch<T, C>, answer: A) {
        let mut state = self.lock();
        state.running -= 1;
        state.team &= !batch.team;
        let place = (batch.ticket - state.first) as usize;
        state.slots[place].content = Content::Answered(answer);
        state.release(place, self.options.ordered);
        state.recall_helpers(self.options);
        // All may go on after the team; and while few tasks wait, what to do next depends on
        // what runs.
        let few = state.waiting.len() < state.workers;
        let matters = batch.team || batch.crew.is_some() || (few && !state.waiting.is_empty());
        if state.asleep > 0 && matters {
            self.work.notify_all();
        }
        if !state.ready.is_empty() && state.writer_waits {
            state.writer_waits = false;
            self.ready.notify_one();
        }
    }

    /// Moves the answers that may leave to `answers`: at least one, or none after `patience`.
    /// `false`: all have left.
    pub(crate) fn next_answers(&self, answers: &mut Vec<A>, patience: Duration) -> bool {
        let mut state = self.lock();
        loop {
            if !state.ready.is_empty() {
                answers.append(&mut state.ready);
                let was_full = state.behind >= self.options.max_behind;
                state.behind -= std::mem::take(&mut state.ready_tasks);
                if was_full {
                    state.recall_helpers(self.options);
                    self.work.notify_all();
                }
                return true;
            }
            if state.is_over() {
                return false;
            }
            state.writer_waits = true;
            let is_late;
            (state, is_late) = wait_timeout(&self.ready, state, patience);
            if is_late && state.ready.is_empty() {
                state.writer_waits = false;
                return !state.is_over();
            }
        }
    }

    /// Wakes a worker for new tasks; it wakes the next one if there are more.
    fn wake_worker(&self, state: &Backlog<T, A, C>) {
        if state.asleep > 0 {
            self.work.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Backlog<T, A, C>> {
        lock(&self.state)
    }
}

impl<T: Weigh, A, C: Clone + Default> Backlog<T, A, C> {
    /// Will no answer come any more?
    fn is_over(&self) -> bool {
        self.fault.is_some() || (self.ended && self.waiting.is_empty() && self.slots.is_empty())
    }

    /// `settled`: no input has come for a moment.
    fn next_step(&self, options: QueueOptions, settled: bool) -> Step {
        if self.fault.is_some() {
            return Step::Leave;
        }
        if self.team {
            return Step::Wait;
        }
        let help = |slot: Option<u64>| match slot {
            Some(slot) if self.ended || settled => Step::Help(slot),
            Some(_) => Step::Settle,
            None => Step::Wait,
        };
        let Some(front) = self.waiting.front() else {
            return match self.least_helped() {
                None if self.ended => Step::Leave,
                slot => help(slot),
            };
        };
        if self.behind >= options.max_behind {
            let slow = self.slots.front().is_some_and(Slot::is_hard_and_running);
            return if slow {
                Step::Help(self.first)
            } else {
                Step::Wait
            };
        }
        let few = self.waiting.len() < self.workers;
        if !options.sharing || !few || front.weight() < HARD {
            Step::Take
        } else if self.running > 0 {
            help(self.least_helped())
        } else if self.ended || settled {
            Step::TakeAsTeam
        } else {
            Step::Settle
        }
    }

    /// The hard batch that runs with the fewest lent threads, the first of those.
    fn least_helped(&self) -> Option<u64> {
        let hard = self.slots.iter().zip(self.first..);
        let hard = hard.filter_map(|(slot, number)| match slot.content {
            Content::Running(Some(ref crew)) => Some((crew.sent, number)),
            _ => None,
        });
        hard.min().map(|(_, number)| number)
    }

    /// Sends a worker to help with a batch.
    fn send(&mut self, number: u64) -> Option<Help<C>> {
        let slot = self.slots.get_mut((number - self.first) as usize)?;
        let Content::Running(Some(crew)) = &mut slot.content else {
            return None;
        };
        crew.sent += 1;
        self.helping += 1;
        Some(Help {
            crew: crew.handle.clone(),
            recalled: Arc::clone(&crew.recalled),
        })
    }

    /// Calls those back who help, if there may be something else to do.
    fn recall_helpers(&mut self, options: QueueOptions) {
        if self.helping == 0 || matches!(self.next_step(options, true), Step::Help(_) | Step::Wait)
        {
            return;
        }
        for slot in &mut self.slots {
            if let Content::Running(Some(crew)) = &mut slot.content {
                crew.sent = 0;
                std::mem::take(&mut crew.recalled).store(true, Ordering::Relaxed);
            }
        }
    }

    /// Begins the next batch.
    fn take(&mut self, team: bool, sharing: bool) -> Batch<T, C> {
        let most = (self.waiting.len() / (2 * self.workers)).clamp(1, MAX_BATCH);
        let mut tasks = Vec::with_capacity(most);
        let mut weight = 0;
        while let Some(task) = self.waiting.front()
            && tasks.len() < MAX_BATCH
        {
            weight += task.weight();
            let limit = if tasks.len() < most {
                BATCH_WEIGHT
            } else {
                SMALL_WEIGHT
            };
            if !tasks.is_empty() && weight > limit {
                break;
            }
            tasks.extend(self.waiting.pop_front());
        }
        let is_hard = tasks.len() == 1 && tasks.iter().all(|task: &T| task.weight() >= HARD);
        let crew = (is_hard && sharing && !team).then(C::default);
        let ticket = self.first + self.slots.len() as u64;
        self.slots.push_back(Slot {
            tasks: tasks.len(),
            content: Content::Running(crew.clone().map(|handle| Crew {
                handle,
                sent: 0,
                recalled: Arc::default(),
            })),
        });
        self.behind += tasks.len();
        self.running += 1;
        self.team = team;
        Batch {
            ticket,
            tasks,
            crew,
            team,
        }
    }

    /// Lets leave what may, now that the slot at `place` is answered.
    fn release(&mut self, place: usize, ordered: bool) {
        if !ordered {
            let slot = &mut self.slots[place];
            if let Content::Answered(answer) = std::mem::replace(&mut slot.content, Content::Gone) {
                self.ready.push(answer);
                self.ready_tasks += slot.tasks;
            }
        }
        while let Some(slot) = self.slots.pop_front_if(|slot| !slot.is_running()) {
            self.first += 1;
            if let Content::Answered(answer) = slot.content {
                self.ready.push(answer);
                self.ready_tasks += slot.tasks;
            }
        }
    }
}

impl<A, C> Slot<A, C> {
    const fn is_running(&self) -> bool {
        matches!(self.content, Content::Running(..))
    }

    const fn is_hard_and_running(&self) -> bool {
        matches!(self.content, Content::Running(Some(_)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    use super::*;
    use crate::random::SplitMix64;

    /// A task: its number, and its weight.
    #[derive(Clone, Copy, Debug)]
    struct Toy(u64, u64);

    impl Weigh for Toy {
        fn weight(&self) -> u64 {
            self.1
        }
    }

    /// Is the task done?
    type ToyCrew = Arc<AtomicBool>;

    type ToyQueue = Queue<Toy, Vec<u64>, ToyCrew>;

    const ORDERED: QueueOptions = QueueOptions {
        ordered: true,
        max_behind: 1000,
        sharing: true,
    };

    fn queue_of(workers: usize, options: QueueOptions, weights: &[u64]) -> ToyQueue {
        let queue = Queue::new(workers, options);
        let mut tasks = (0..)
            .zip(weights)
            .map(|(n, &weight)| Toy(n, weight))
            .collect();
        queue.push(&mut tasks);
        queue.end();
        queue
    }

    fn step(queue: &ToyQueue) -> Step {
        queue.lock().next_step(queue.options, true)
    }

    fn finish(queue: &ToyQueue, batch: &Batch<Toy, ToyCrew>) {
        queue.finish(batch, batch.tasks.iter().map(|task| task.0).collect());
    }

    fn next_batch(queue: &ToyQueue) -> Option<Batch<Toy, ToyCrew>> {
        match queue.next_work()? {
            Work::Solve(batch) => Some(batch),
            Work::Help(_) => panic!("nothing to help with was expected"),
        }
    }

    fn written(queue: &ToyQueue) -> Vec<u64> {
        let mut answers = Vec::new();
        while queue.next_answers(&mut answers, Duration::MAX) {}
        answers.concat()
    }

    #[test]
    fn easy_tasks_come_many_at_a_time_and_fewer_at_the_end() {
        const WEIGHT: u64 = 10;
        let queue = queue_of(2, ORDERED, &[WEIGHT; 400]);
        let sizes: Vec<usize> = std::iter::from_fn(|| {
            let batch = next_batch(&queue)?;
            finish(&queue, &batch);
            Some(batch.tasks.len())
        })
        .collect();
        assert_eq!(sizes[0], 100);
        assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
        let least = (SMALL_WEIGHT / WEIGHT) as usize;
        assert!(sizes.iter().rev().skip(1).all(|&size| size >= least));
        assert!(sizes.last() <= Some(&least), "{sizes:?}");
        assert_eq!(sizes.iter().sum::<usize>(), 400);
        assert_eq!(written(&queue), (0..400).collect::<Vec<u64>>());
    }

    #[test]
    fn a_hard_task_comes_alone() {
        let mut weights = vec![1; 99];
        weights[20] = HARD;
        let queue = queue_of(2, ORDERED, &weights);
        assert_eq!(next_batch(&queue).map(|batch| batch.tasks.len()), Some(20));
        let hard = next_batch(&queue).expect("the hard one");
        assert_eq!((hard.tasks.len(), hard.crew.is_some()), (1, true));
    }

    #[test]
    fn while_many_hard_tasks_wait_each_worker_takes_one() {
        let queue = queue_of(2, ORDERED, &[HARD; 3]);
        let first = next_batch(&queue).expect("the first");
        let second = next_batch(&queue).expect("the second");
        assert!(!first.team && !second.team);
        // The last one is for all threads, so the first to be done helps the other one.
        finish(&queue, &first);
        assert_eq!(step(&queue), Step::Help(1));
        finish(&queue, &second);
        let last = next_batch(&queue).expect("the last");
        assert!(last.team && last.crew.is_none());
        assert_eq!(step(&queue), Step::Wait);
        finish(&queue, &last);
        assert_eq!(step(&queue), Step::Leave);
    }

    #[test]
    fn a_worker_without_a_task_helps_until_there_is_one() {
        let queue = ToyQueue::new(2, ORDERED);
        queue.push(&mut vec![Toy(0, HARD), Toy(1, HARD)]);
        let hard = next_batch(&queue).expect("a hard one");
        assert!(hard.crew.is_some());
        let Some(Work::Help(help)) = queue.next_work() else {
            panic!("the second one waits for all threads");
        };
        queue.push(&mut vec![Toy(2, 1)]);
        assert!(
            help.recalled.load(Ordering::Relaxed),
            "two tasks wait for two workers"
        );
        queue.end_help();
        assert_eq!(next_batch(&queue).map(|batch| batch.tasks[0].0), Some(1));
    }

    #[test]
    fn behind_a_slow_task_all_join_on_it() {
        let options = QueueOptions {
            max_behind: 4,
            ..ORDERED
        };
        let mut weights = vec![SMALL_WEIGHT; 50];
        weights[0] = HARD;
        for ordered in [true, false] {
            let queue = queue_of(1, QueueOptions { ordered, ..options }, &weights);
            let slow = next_batch(&queue).expect("the slow one");
            let mut begun = slow.tasks.len();
            while begun < 4 {
                let batch = next_batch(&queue).expect("easy ones");
                begun += batch.tasks.len();
                finish(&queue, &batch);
            }
            let mut answers = Vec::new();
            assert_eq!(step(&queue), Step::Help(0));
            finish(&queue, &slow);
            assert_eq!(step(&queue), Step::Wait, "the writer must take them first");
            assert!(queue.next_answers(&mut answers, Duration::MAX));
            assert_eq!(step(&queue), Step::Take);
        }
    }

    #[test]
    fn without_sharing_each_task_has_one_thread() {
        let options = QueueOptions {
            sharing: false,
            ..ORDERED
        };
        let queue = queue_of(4, options, &[HARD; 2]);
        for _ in 0..2 {
            let batch = next_batch(&queue).expect("a batch");
            assert!(!batch.team && batch.crew.is_none());
        }
        assert_eq!(step(&queue), Step::Leave);
    }

    #[test]
    fn a_stalled_writer_stalls_the_reader() {
        let options = QueueOptions {
            max_behind: 100,
            ..ORDERED
        };
        let queue = Arc::new(ToyQueue::new(2, options));
        let (pushed, stop) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let reader = {
            let (queue, pushed, stop) = (queue.clone(), pushed.clone(), stop.clone());
            thread::spawn(move || {
                while !stop.load(Ordering::SeqCst) {
                    queue.push(&mut vec![Toy(0, 1); 10]);
                    pushed.fetch_add(10, Ordering::SeqCst);
                }
                queue.end();
            })
        };
        let workers = start_workers(&queue, 2);
        while !(queue.lock().reader_waits && queue.lock().asleep == 2) {
            thread::yield_now();
        }
        let most = MAX_WAITING + 100 + 2 * MAX_BATCH + 10;
        assert!(pushed.load(Ordering::SeqCst) <= most);
        stop.store(true, Ordering::SeqCst);
        assert_eq!(written(&queue).len(), pushed.load(Ordering::SeqCst));
        reader.join().expect("no panic");
        for worker in workers {
            worker.join().expect("no panic");
        }
    }

    fn start_workers(queue: &Arc<ToyQueue>, count: usize) -> Vec<thread::JoinHandle<()>> {
        let worker = |seed: u64| {
            let queue = Arc::clone(queue);
            move || {
                let mut random = SplitMix64::new(seed);
                while let Some(work) = queue.next_work() {
                    let batch = match work {
                        Work::Solve(batch) => batch,
                        Work::Help(Help { crew, recalled }) => {
                            while !crew.load(Ordering::Relaxed) && !recalled.load(Ordering::Relaxed)
                            {
                                thread::yield_now();
                            }
                            queue.end_help();
                            continue;
                        }
                    };
                    for _ in 0..random.below(4) {
                        thread::yield_now();
                    }
                    if batch.tasks[0].1 >= HARD {
                        thread::sleep(Duration::from_micros(random.below(300)));
                    }
                    if let Some(crew) = &batch.crew {
                        crew.store(true, Ordering::Relaxed);
                    }
                    queue.finish(&batch, batch.tasks.iter().map(|task| task.0).collect());
                }
            }
        };
        (0..count as u64)
            .map(|seed| thread::spawn(worker(seed)))
            .collect()
    }

    #[test]
    fn many_threads_answer_each_task_once_and_all_end() {
        const TASKS: u64 = 20_000;
        for (seed, workers, ordered, max_behind, sharing) in [
            (1, 1, true, 1000, true),
            (2, 7, true, 50, true),
            (3, 32, true, 1, true),
            (4, 7, false, 50, true),
            (5, 32, false, 100_000, false),
            (6, 32, true, 100_000, true),
        ] {
            let options = QueueOptions {
                ordered,
                max_behind,
                sharing,
            };
            let queue = Arc::new(ToyQueue::new(workers, options));
            let started = start_workers(&queue, workers);
            let reader = {
                let queue = Arc::clone(&queue);
                thread::spawn(move || {
                    let mut random = SplitMix64::new(seed);
                    let mut tasks = Vec::new();
                    for number in 0..TASKS {
                        let weight = if random.below(500) == 0 {
                            HARD
                        } else {
                            random.below(200)
                        };
                        tasks.push(Toy(number, weight));
                        if random.below(64) == 0 {
                            queue.push(&mut tasks);
                        }
                        if random.below(5000) == 0 {
                            thread::sleep(Duration::from_millis(6));
                        }
                    }
                    queue.push(&mut tasks);
                    queue.end();
                })
            };
            let mut numbers = written(&queue);
            reader.join().expect("no panic");
            for worker in started {
                worker.join().expect("no panic");
            }
            if !ordered {
                numbers.sort_unstable();
            }
            assert_eq!(numbers, (0..TASKS).collect::<Vec<u64>>(), "seed {seed}");
            assert_eq!(queue.lock().helping, 0);
        }
    }

    #[test]
    fn a_panic_of_a_worker_ends_reader_writer_and_workers() {
        for ordered in [true, false] {
            let options = QueueOptions { ordered, ..ORDERED };
            let queue = Arc::new(ToyQueue::new(3, options));
            let others = start_workers(&queue, 2);
            let reader = {
                let queue = Arc::clone(&queue);
                // It never ends by itself.
                thread::spawn(move || {
                    for number in 0.. {
                        queue.push(&mut vec![Toy(number, 10)]);
                        if queue.fault().is_some() {
                            break;
                        }
                    }
                })
            };
            let worker = {
                let queue = Arc::clone(&queue);
                thread::spawn(move || {
                    queue.guarded(|| {
                        let batch = next_batch(&queue).expect("there is work");
                        panic!("a fault at {}", batch.tasks[0].0)
                    })
                })
            };
            let numbers = written(&queue);
            let fault = worker.join().expect("it was caught");
            reader.join().expect("no panic");
            for worker in others {
                worker.join().expect("no panic");
            }
            let at = fault.map(|()| String::new()).expect_err("a panic");
            assert_eq!(queue.fault(), Some(at.clone()));
            let missing: u64 = at.rsplit(' ').next().expect("a word").parse().expect(&at);
            assert!(!numbers.contains(&missing));
            if ordered {
                assert!(
                    numbers
                        .iter()
                        .eq(&(0..numbers.len() as u64).collect::<Vec<u64>>())
                );
                assert!(numbers.len() as u64 <= missing);
            }
        }
    }

    #[test]
    fn a_panic_of_the_reader_ends_the_writer() {
        let queue = ToyQueue::new(1, ORDERED);
        let read = queue.guarded(|| -> u64 { panic!("cannot read") });
        assert_eq!(read, Err("cannot read".to_owned()));
        assert!(written(&queue).is_empty() && queue.next_work().is_none());
    }
}
