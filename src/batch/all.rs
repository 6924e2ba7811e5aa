//! Solving many positions on all threads: the one call for programs and bindings.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::iter::Enumerate;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Poll;
use std::thread::{self, JoinHandle, ThreadId};
use std::time::Duration;

use super::estimate::Model;
use super::pool::{self, Plan, SolveQueue};
use super::problem::{Problem, Solution, Status};
use super::solver::{Method, Solver};
use crate::locks::lock;
use crate::pool::PoolError;
use crate::pool::queue::{QueueOptions, Weigh};
use crate::search::{Control, Searcher};
use crate::threads;

/// How [`solve_all`] works.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// Threads; `None`: one for each core.
    pub threads: Option<NonZeroUsize>,
    /// Memory of the hash tables in megabytes, all threads together; with `deterministic` of each.
    pub hash_mb: usize,
    /// Memory in megabytes for what was solved: positions that come again are not solved again.
    pub memo_mb: usize,
    /// Nodes after which a position is left unsolved.
    pub nodes: Option<u64>,
    /// Time after which a position is left unsolved.
    pub time: Option<Duration>,
    /// Find out about every move, not only the best one.
    pub all_moves: bool,
    /// Always one thread a position, so that its nodes are the same each time.
    pub deterministic: bool,
    /// Do the solutions come in the order of the problems? If not, a slow one holds up no other:
    /// the number of its problem tells which it is.
    pub ordered: bool,
}

impl Default for SolveOptions {
    fn default() -> SolveOptions {
        SolveOptions {
            threads: None,
            hash_mb: 256,
            memo_mb: 64,
            nodes: None,
            time: None,
            all_moves: false,
            deterministic: false,
            ordered: true,
        }
    }
}

/// Solves `problems` on all threads. Each comes back with its solution, in their order, unless
/// [`SolveOptions::ordered`] is off: then by [`Problem::numbered`] it is known which it is.
///
/// Problems are taken while [`Iterator::next`] waits for a solution, some thousands ahead: so memory is
/// bounded, however many there are. The threads end when the [`Solutions`] are dropped.
///
/// ```
/// use emilia::batch::{SolveOptions, Status, solve_all};
/// use emilia::score::Question;
/// use emilia::rules::Position;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let position: Position = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOOXX X".parse()?;
/// let asked = [Question::Exact, Question::Wld, ">=2".parse()?].map(|question| (position, question));
/// let options = SolveOptions { hash_mb: 16, ..SolveOptions::default() };
/// for (problem, solution) in solve_all(asked, &options)? {
///     assert_eq!(solution.status, Status::Solved);
///     println!("{}: {}, {} nodes", problem.question, solution.bounds, solution.nodes);
///     assert!(solution.best().is_some());
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If there is no memory for the tables, or no thread can be started.
pub fn solve_all<I>(
    problems: I,
    options: &SolveOptions,
) -> Result<Solutions<I::IntoIter>, PoolError>
where
    I: IntoIterator<Item: Into<Problem>>,
{
    let problems = problems.into_iter();
    let threads = options.threads.unwrap_or_else(threads::cores).get();
    // More threads than problems have nothing to do, unless they share one.
    let of_use = problems.size_hint().1.filter(|_| options.deterministic);
    let plan = Plan {
        threads: threads.min(of_use.unwrap_or(threads)).max(1),
        together: false,
        hash_mb: options.hash_mb,
        deterministic: options.deterministic,
    };
    let method = Method {
        all_moves: options.all_moves,
        max_nodes: options.nodes,
        max_time: options.time,
        ..Method::default()
    };
    let solver = Arc::new(Solver::new(method, options.memo_mb, options.deterministic));
    let queue = Arc::new(SolveQueue::new(
        plan.workers(),
        QueueOptions {
            ordered: options.ordered,
            max_behind: MAX_BEHIND,
            sharing: !options.deterministic,
        },
    ));
    let cancel = Cancel::default();
    let answer = {
        let (solver, cancel) = (Arc::clone(&solver), cancel.clone());
        move |searcher: &mut Searcher, tasks: Vec<Numbered>, control: &Control| {
            cancel.will_stop(control);
            let solve = |(number, problem): Numbered| {
                let solution = solve(&solver, searcher, &problem, control, &cancel);
                (number, (problem, solution))
            };
            tasks.into_iter().map(solve).collect()
        }
    };
    let threads = pool::start_solvers(&queue, &solver, &plan, answer)?;
    Ok(Solutions {
        problems: Some(problems.enumerate()),
        queue,
        cancel,
        threads,
        pending: BTreeMap::new(),
        ready: VecDeque::new(),
    })
}

/// Positions that are taken at once.
const CHUNK: usize = 64;

/// Positions that are ahead of their solutions at most, and solutions that wait behind a slow one.
const MAX_BEHIND: usize = 8192;

/// How long a solution is waited for before its threads are looked at again.
const PATIENCE: Duration = Duration::from_secs(1);

/// A problem, and how many came before it.
type Numbered = (usize, Problem);

impl Weigh for Numbered {
    fn weight(&self) -> u64 {
        Model::weight(self.1.position.board, self.1.question)
    }
}

/// Solves one problem. A panic is its failure.
fn solve(
    solver: &Solver,
    searcher: &mut Searcher,
    problem: &Problem,
    control: &Control,
    cancel: &Cancel,
) -> Solution {
    if cancel.is_cancelled() {
        return Solution::unknown(Status::Cancelled);
    }
    let solve = |searcher: &mut _| solver.solve(searcher, problem, control);
    let mut solution = match searcher.guarded(solve) {
        Ok(solution) => solution,
        Err(reason) => return Solution::unknown(Status::Failed(reason)),
    };
    if solution.status == Status::Unsolved && cancel.is_cancelled() {
        solution.status = Status::Cancelled;
    }
    solution
}

/// A problem and its solution.
type Solved = (Problem, Solution);

/// The solutions of [`solve_all`]. Each problem has one.
pub struct Solutions<I> {
    /// `None`: no more are taken.
    problems: Option<Enumerate<I>>,
    queue: Arc<SolveQueue<Numbered, Vec<(usize, Solved)>>>,
    cancel: Cancel,
    threads: Vec<JoinHandle<()>>,
    /// Those that have been taken and not yet returned, by their numbers.
    pending: BTreeMap<usize, Problem>,
    ready: VecDeque<(usize, Solved)>,
}

impl<I> Solutions<I> {
    /// What cancels the solves from another thread.
    pub fn canceller(&self) -> Cancel {
        self.cancel.clone()
    }
}

impl<I: Iterator<Item: Into<Problem>>> Solutions<I> {
    /// Takes more problems, if there are some and not too many wait.
    fn take_some(&mut self) -> bool {
        let room = MAX_BEHIND.saturating_sub(self.pending.len()).min(CHUNK);
        let Some(problems) = self.problems.as_mut().filter(|_| room > 0) else {
            return false;
        };
        let numbered = problems.map(|(number, problem)| (number, problem.into()));
        let mut asked: Vec<Numbered> = numbered.take(room).collect();
        if asked.len() < room || self.cancel.is_cancelled() {
            self.problems = None;
        }
        self.pending.extend(asked.iter().cloned());
        self.queue.push(&mut asked);
        if self.problems.is_none() {
            self.queue.end();
        }
        true
    }

    /// The next solution, as [`Iterator::next`], but waits no longer than `patience`: for those who have to look after
    /// something else as well, such as signals. [`Poll::Pending`]: there is none yet.
    pub fn poll_next(&mut self, patience: Duration) -> Poll<Option<Solved>> {
        while self.ready.is_empty() {
            let has_taken = self.take_some();
            let patience = if has_taken { Duration::ZERO } else { patience };
            let mut batches = Vec::new();
            let goes_on = self.queue.next_answers(&mut batches, patience);
            self.ready.extend(batches.into_iter().flatten());
            if !self.ready.is_empty() {
                break;
            }
            if !goes_on {
                return Poll::Ready(self.next_failed());
            }
            if !has_taken {
                return Poll::Pending;
            }
        }
        let (number, solved) = self.ready.pop_front().unzip();
        if let Some(number) = number {
            self.pending.remove(&number);
        }
        Poll::Ready(solved)
    }

    /// A problem that will not be solved since a thread has failed. `None`: all have left.
    fn next_failed(&mut self) -> Option<Solved> {
        self.problems = None;
        let (_, problem) = self.pending.pop_first()?;
        let reason = self.queue.fault().unwrap_or_default();
        Some((problem, Solution::unknown(Status::Failed(reason))))
    }
}

impl<I: Iterator<Item: Into<Problem>>> Iterator for Solutions<I> {
    type Item = Solved;

    fn next(&mut self) -> Option<Solved> {
        loop {
            if let Poll::Ready(next) = self.poll_next(PATIENCE) {
                return next;
            }
        }
    }
}

impl<I> Drop for Solutions<I> {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.queue.end();
        while self.queue.next_answers(&mut Vec::new(), PATIENCE) {}
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Cancels the solves of [`Solutions`]: those that run are unsolved soon, those that wait are not begun,
/// and no more positions are taken.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Cancelled>);

#[derive(Debug, Default)]
struct Cancelled {
    is_cancelled: AtomicBool,
    /// The last search of each thread.
    running: Mutex<HashMap<ThreadId, Control>>,
}

impl Cancel {
    /// Cancels.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::SeqCst);
        self.running().values().for_each(Control::stop);
    }

    /// The searches that this thread begins from now on have this control.
    fn will_stop(&self, control: &Control) {
        self.running()
            .insert(thread::current().id(), control.clone());
    }

    fn running(&self) -> MutexGuard<'_, HashMap<ThreadId, Control>> {
        lock(&self.0.running)
    }

    /// Was it cancelled?
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::reference;
    use crate::rules::{Move, Position};
    use crate::score::Question;

    /// Positions of few empties of a line of play, again and again.
    fn positions() -> impl Iterator<Item = Position> {
        let mut all = Vec::new();
        let mut position = Position::START;
        while !position.board.is_over() {
            let mv = position
                .board
                .legal_moves()
                .last()
                .map_or(Move::Pass, Move::from);
            position = position.play(mv).expect("a legal move");
            if position.board.empty_count() <= 9 {
                all.push(position);
            }
        }
        all.into_iter().cycle()
    }

    fn options(threads: usize) -> SolveOptions {
        SolveOptions {
            threads: NonZeroUsize::new(threads),
            hash_mb: 2,
            ..SolveOptions::default()
        }
    }

    #[test]
    fn solutions_come_in_order_and_are_right() {
        let questions: Vec<Question> = Question::all().collect();
        let asked = positions().zip(questions.into_iter().cycle());
        let expected: Vec<(Position, Question)> = asked.take(300).collect();
        let asked = expected.clone();
        let solutions: Vec<Solved> = solve_all(asked, &options(3)).expect("threads").collect();
        assert_eq!(solutions.len(), expected.len());
        for ((problem, solution), (position, question)) in solutions.iter().zip(expected) {
            assert_eq!(*problem, Problem::new(position, question));
            assert_eq!(solution.status, Status::Solved, "{solution:?}");
            let score = reference::solve(position.board).score;
            let bounds = solution.bounds;
            assert!(
                (bounds.lower()..=bounds.upper()).contains(&score),
                "{solution:?}"
            );
            assert!(question.is_answered_by(bounds), "{solution:?}");
            let played = solution
                .line
                .iter()
                .try_fold(position, |at, &mv| at.play(mv));
            assert!(played.is_some(), "{solution:?}");
        }
    }

    #[test]
    fn a_slow_position_holds_up_no_other_where_the_order_does_not_matter() {
        let slow = std::iter::once(Position::START).chain(positions().take(200));
        let options = SolveOptions {
            ordered: false,
            deterministic: true,
            ..options(2)
        };
        let asked = (0..).zip(slow);
        let asked = asked.map(|(number, at)| Problem::new(at, Question::Exact).numbered(number));
        let mut solutions = solve_all(asked, &options).expect("threads");
        let first = solutions.by_ref().take(200);
        let mut numbers: Vec<u64> = first.map(|(problem, _)| problem.place.line).collect();
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(1..=200));
        assert_eq!(solutions.poll_next(Duration::ZERO), Poll::Pending);
        solutions.canceller().cancel();
        let (problem, last) = solutions.next().expect("each has a solution");
        assert_eq!((problem.place.line, last.status), (0, Status::Cancelled));
        assert_eq!(solutions.poll_next(PATIENCE), Poll::Ready(None));
    }

    #[test]
    fn positions_without_end_take_bounded_memory_and_are_cancelled() {
        let taken = std::cell::Cell::new(0);
        let asked = positions().inspect(|_| taken.set(taken.get() + 1));
        let asked = asked.map(|position| (position, Question::Wld));
        let mut solutions = solve_all(asked, &options(2)).expect("threads");
        for number in 0..100 {
            assert!(solutions.next().is_some());
            assert!(taken.get() <= number + 1 + MAX_BEHIND);
        }
        solutions.canceller().cancel();
        let rest = solutions.by_ref().count();
        assert_eq!(100 + rest, taken.get(), "each has a solution");
    }

    #[test]
    fn a_hard_position_ends_by_its_limit_or_by_cancelling() {
        let hard = [(Position::START, Question::Exact); 3];
        let limited = SolveOptions {
            nodes: Some(10_000),
            ..options(2)
        };
        for (_, solution) in solve_all(hard, &limited).expect("threads") {
            assert_eq!(solution.status, Status::Unsolved);
        }
        let solutions = solve_all(hard, &options(2)).expect("threads");
        let cancel = solutions.canceller();
        let cancelling = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            cancel.cancel();
        });
        let statuses: Vec<Status> = solutions.map(|(_, solution)| solution.status).collect();
        assert_eq!(statuses, vec![Status::Cancelled; 3]);
        cancelling.join().expect("no panic");
        // Those who stop listening need not wait.
        drop(solve_all(hard, &options(2)).expect("threads"));
    }

    #[test]
    fn where_a_thread_fails_the_rest_fails_with_the_reason() {
        let asked = positions().map(|position| (position, Question::Wld));
        let mut solutions = solve_all(asked.take(200), &options(1)).expect("threads");
        assert!(solutions.next().is_some());
        solutions.queue.fail("a test".to_owned());
        let rest: Vec<Solution> = solutions.map(|(_, solution)| solution).collect();
        let last = rest.last().expect("not all were ready");
        assert!(matches!(&last.status, Status::Solved | Status::Failed(_)));
        assert!(rest.iter().all(|row| match &row.status {
            Status::Failed(reason) => reason == "a test",
            status => *status == Status::Solved,
        }));
    }
}
