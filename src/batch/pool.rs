//! The threads of a batch: they take tasks from the queue and hand their answers in.

use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::solver::Solver;
use crate::locks::lock;
use crate::pool::queue::{Help, Queue, Weigh, Work};
use crate::pool::{self, PoolError};
use crate::search::{Control, SearchOptions, Searcher, TableError};

/// The control of a task that other threads may join.
#[derive(Clone)]
pub(crate) struct Joinable(Control);

impl Default for Joinable {
    fn default() -> Joinable {
        Joinable(Control::joinable())
    }
}

/// The queue of tasks that are solved.
pub(crate) type SolveQueue<T, A> = Queue<T, A, Joinable>;

/// How the threads and the memory of solves are used.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) threads: usize,
    /// All threads on one position at a time?
    pub(crate) together: bool,
    /// Megabytes of all tables together.
    pub(crate) hash_mb: usize,
    /// Has each thread a table of all these megabytes, and a position of its own?
    pub(crate) deterministic: bool,
}

impl Plan {
    /// How many positions are begun at a time.
    pub(crate) const fn workers(&self) -> usize {
        if self.together { 1 } else { self.threads }
    }

    /// The searcher of each worker, and the one that has all threads on one position. A single worker has all
    /// threads and all memory. Of more, each has a thread; half of the hash memory is shared out among them.
    fn searchers(&self) -> (SearchOptions, Option<SearchOptions>) {
        let options = |threads, hash_mb: usize| {
            let hash_mb = hash_mb.max(1);
            SearchOptions { threads, hash_mb }
        };
        let (threads, hash_mb) = (self.threads, self.hash_mb);
        match self.workers() {
            _ if self.deterministic => (options(1, hash_mb), None),
            1 => (options(threads, hash_mb), None),
            workers => (
                options(1, hash_mb / 2 / workers),
                Some(options(threads, hash_mb / 2)),
            ),
        }
    }
}

/// Starts the workers of a queue of solves. `answer` answers a batch of tasks.
pub(crate) fn start_solvers<T, A>(
    queue: &Arc<SolveQueue<T, A>>,
    solver: &Arc<Solver>,
    plan: &Plan,
    answer: impl Fn(&mut Searcher, Vec<T>, &Control) -> A + Send + Sync + 'static,
) -> Result<Vec<JoinHandle<()>>, PoolError>
where
    T: Weigh + Send + 'static,
    A: Send + 'static,
{
    let (own, team) = plan.searchers();
    let team = team
        .map(|options| Member::new(solver, options))
        .transpose()?;
    let team = Arc::new(team.map(Mutex::new));
    let answer = Arc::new(answer);
    pool::start(queue, "solve", plan.workers(), || {
        let mut own = Member::new(solver, own)?;
        let (solver, team, answer) = (Arc::clone(solver), Arc::clone(&team), Arc::clone(&answer));
        Ok(move |queue: &SolveQueue<T, A>| {
            while let Some(work) = queue.next_work() {
                work_on(
                    work,
                    queue,
                    &solver,
                    (&mut own, team.as_ref().as_ref()),
                    &*answer,
                );
            }
        })
    })
}

/// A searcher that is given its threads when there is something to search: that may never be, and they come after
/// the workers, since they take all threads that there are.
struct Member {
    searcher: Searcher,
    options: SearchOptions,
}

impl Member {
    fn new(solver: &Solver, options: SearchOptions) -> Result<Member, TableError> {
        let one = SearchOptions {
            threads: 1,
            ..options
        };
        let searcher = solver.searcher(one)?;
        Ok(Member { searcher, options })
    }

    fn ready(&mut self) -> &mut Searcher {
        if self.searcher.options() != self.options {
            // Its table keeps its size: nothing can fail.
            let set = self.searcher.set_options(self.options);
            debug_assert!(set.is_ok(), "{set:?}");
        }
        &mut self.searcher
    }
}

/// Does what the queue says.
fn work_on<T: Weigh, A>(
    work: Work<T, Joinable>,
    queue: &SolveQueue<T, A>,
    solver: &Solver,
    (own, team): (&mut Member, Option<&Mutex<Member>>),
    answer: &impl Fn(&mut Searcher, Vec<T>, &Control) -> A,
) {
    let mut batch = match work {
        Work::Solve(batch) => batch,
        Work::Help(Help { crew, recalled }) => {
            solver.help(&mut own.searcher, &crew.0, &recalled);
            return queue.end_help();
        }
    };
    let tasks = std::mem::take(&mut batch.tasks);
    let control = batch.crew.clone().unwrap_or(Joinable(Control::new())).0;
    let answers = match team.filter(|_| batch.team) {
        None => answer(own.ready(), tasks, &control),
        Some(team) => {
            let mut team = lock(team);
            answer(team.ready(), tasks, &control)
        }
    };
    control.close();
    queue.finish(&batch, answers);
}
