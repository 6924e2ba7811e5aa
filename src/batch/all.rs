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
use super::memo::Finding;
use super::pool::{self, Plan, SolveQueue};
use super::solver::{Method, MoveValue, Solver};
use crate::locks::lock;
use crate::pool::PoolError;
use crate::pool::queue::{QueueOptions, Weigh};
use crate::rules::{Move, Position};
use crate::score::{Bounds, Question};
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
    /// Do the solutions come in the order of the positions? If not, a slow one holds up no other:
    /// [`Solution::index`] tells which it is.
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

/// What was found out about a position. Scores are in discs, for its side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The number of the position among those that were given; the first is 0.
    pub index: usize,
    /// The position.
    pub position: Position,
    /// What was asked.
    pub question: Question,
    /// Is the question answered?
    pub status: Status,
    /// The proven bounds of the score. They answer the question if it is solved.
    pub bounds: Bounds,
    /// The best move and what follows, as far as it is known. Empty where the game is over or nothing is known.
    pub line: Vec<Move>,
    /// With `all_moves`, what is proven of each move, the best first.
    pub moves: Vec<(Move, MoveValue)>,
    /// Is this remembered of a position that came before?
    pub is_remembered: bool,
    /// Nodes of the search.
    pub nodes: u64,
    /// How long the search took.
    pub time: Duration,
}

impl Solution {
    /// The best move that is known.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }
}

/// What became of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Status {
    /// The question is answered.
    Solved,
    /// A limit was reached.
    Unsolved,
    /// All was cancelled before.
    Cancelled,
    /// A fault of the solver, and its reason. Other positions are solved all the same.
    Failed(String),
}

/// Solves `positions` on all threads, each with its question. The solutions come in the order of the positions, unless
/// [`SolveOptions::ordered`] is off.
///
/// Positions are taken while [`Iterator::next`] waits for a solution, some thousands ahead: so memory is
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
/// for solution in solve_all(asked, &options)? {
///     assert_eq!(solution.status, Status::Solved);
///     println!("{}: {}, {} nodes", solution.question, solution.bounds, solution.nodes);
///     assert!(solution.best().is_some());
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// If there is no memory for the tables, or no thread can be started.
pub fn solve_all<I>(
    positions: I,
    options: &SolveOptions,
) -> Result<Solutions<I::IntoIter>, PoolError>
where
    I: IntoIterator<Item = (Position, Question)>,
{
    let positions = positions.into_iter();
    let threads = options.threads.unwrap_or_else(threads::cores).get();
    // More threads than positions have nothing to do, unless they share one.
    let of_use = positions.size_hint().1.filter(|_| options.deterministic);
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
        move |searcher: &mut Searcher, tasks: Vec<Row>, control: &Control| {
            cancel.will_stop(control);
            let solve = |asked| solve(&solver, searcher, asked, control, &cancel);
            tasks.into_iter().map(solve).collect()
        }
    };
    let threads = pool::start_solvers(&queue, &solver, &plan, answer)?;
    Ok(Solutions {
        positions: Some(positions.enumerate()),
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

/// A position that waits for its solution.
#[derive(Clone, Copy)]
struct Row {
    index: usize,
    position: Position,
    question: Question,
}

impl Weigh for Row {
    fn weight(&self) -> u64 {
        Model::weight(self.position.board, self.question)
    }
}

/// Solves one position. A panic is its failure.
fn solve(
    solver: &Solver,
    searcher: &mut Searcher,
    asked: Row,
    control: &Control,
    cancel: &Cancel,
) -> Solution {
    if cancel.is_cancelled() {
        return unknown(asked, Status::Cancelled);
    }
    let Row {
        position, question, ..
    } = asked;
    let solve = |searcher: &mut _| solver.solve(searcher, position.board, question.into(), control);
    let found = match searcher.guarded(solve).flatten() {
        Ok(found) => found,
        Err(reason) => return unknown(asked, Status::Failed(reason)),
    };
    let Finding { bounds, pv, nodes } = found.finding;
    let status = match question.is_answered_by(bounds) {
        true => Status::Solved,
        false if cancel.is_cancelled() => Status::Cancelled,
        false => Status::Unsolved,
    };
    Solution {
        status,
        bounds,
        line: pv,
        moves: found.moves.unwrap_or_default(),
        is_remembered: !found.is_fresh,
        nodes,
        time: found.time,
        ..unknown(asked, Status::Unsolved)
    }
}

const fn unknown(asked: Row, status: Status) -> Solution {
    Solution {
        index: asked.index,
        position: asked.position,
        question: asked.question,
        status,
        bounds: Bounds::UNKNOWN,
        line: Vec::new(),
        moves: Vec::new(),
        is_remembered: false,
        nodes: 0,
        time: Duration::ZERO,
    }
}

/// The solutions of [`solve_all`]. Each position has one.
pub struct Solutions<I> {
    /// `None`: no more are taken.
    positions: Option<Enumerate<I>>,
    queue: Arc<SolveQueue<Row, Vec<Solution>>>,
    cancel: Cancel,
    threads: Vec<JoinHandle<()>>,
    /// Those that have been taken and not yet returned, by their numbers.
    pending: BTreeMap<usize, Row>,
    ready: VecDeque<Solution>,
}

impl<I> Solutions<I> {
    /// What cancels the solves from another thread.
    pub fn canceller(&self) -> Cancel {
        self.cancel.clone()
    }
}

impl<I: Iterator<Item = (Position, Question)>> Solutions<I> {
    /// Takes more positions, if there are some and not too many wait.
    fn take_some(&mut self) -> bool {
        let room = MAX_BEHIND.saturating_sub(self.pending.len()).min(CHUNK);
        let Some(positions) = self.positions.as_mut().filter(|_| room > 0) else {
            return false;
        };
        let row = |(index, (position, question))| Row {
            index,
            position,
            question,
        };
        let mut asked: Vec<Row> = positions.take(room).map(row).collect();
        if asked.len() < room || self.cancel.is_cancelled() {
            self.positions = None;
        }
        self.pending
            .extend(asked.iter().map(|&row| (row.index, row)));
        self.queue.push(&mut asked);
        if self.positions.is_none() {
            self.queue.end();
        }
        true
    }

    /// The next solution, as [`Iterator::next`], but waits no longer than `patience`: for those who have to look after
    /// something else as well, such as signals. [`Poll::Pending`]: there is none yet.
    pub fn poll_next(&mut self, patience: Duration) -> Poll<Option<Solution>> {
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
        let solution = self.ready.pop_front();
        if let Some(solution) = &solution {
            self.pending.remove(&solution.index);
        }
        Poll::Ready(solution)
    }

    /// A position that will not be solved since a thread has failed. `None`: all have left.
    fn next_failed(&mut self) -> Option<Solution> {
        self.positions = None;
        let (_, asked) = self.pending.pop_first()?;
        let reason = self.queue.fault().unwrap_or_default();
        Some(unknown(asked, Status::Failed(reason)))
    }
}

impl<I: Iterator<Item = (Position, Question)>> Iterator for Solutions<I> {
    type Item = Solution;

    fn next(&mut self) -> Option<Solution> {
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
        let solutions: Vec<Solution> = solve_all(asked, &options(3)).expect("threads").collect();
        assert_eq!(solutions.len(), expected.len());
        for (solution, (position, question)) in solutions.iter().zip(expected) {
            assert_eq!((solution.position, solution.question), (position, question));
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
        let asked = slow.map(|position| (position, Question::Exact));
        let mut solutions = solve_all(asked, &options).expect("threads");
        let mut indices: Vec<usize> = solutions.by_ref().take(200).map(|row| row.index).collect();
        indices.sort_unstable();
        assert!(indices.into_iter().eq(1..=200));
        assert_eq!(solutions.poll_next(Duration::ZERO), Poll::Pending);
        solutions.canceller().cancel();
        let last = solutions.next().expect("each has a solution");
        assert_eq!((last.index, last.status), (0, Status::Cancelled));
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
        for solution in solve_all(hard, &limited).expect("threads") {
            assert_eq!(solution.status, Status::Unsolved);
        }
        let solutions = solve_all(hard, &options(2)).expect("threads");
        let cancel = solutions.canceller();
        let cancelling = thread::spawn(move || {
            thread::sleep(Duration::from_millis(50));
            cancel.cancel();
        });
        let statuses: Vec<Status> = solutions.map(|solution| solution.status).collect();
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
        let rest: Vec<Solution> = solutions.collect();
        let last = rest.last().expect("not all were ready");
        assert!(matches!(&last.status, Status::Solved | Status::Failed(_)));
        assert!(rest.iter().all(|row| match &row.status {
            Status::Failed(reason) => reason == "a test",
            status => *status == Status::Solved,
        }));
    }
}
