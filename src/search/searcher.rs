//! The search as its users hold it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use thiserror::Error;

use super::clock::{self, Budget};
use super::counters::{Counters, Counts, Off, On};
use super::deepening::Deepening;
use super::endgame::EndgameSolver;
use super::helpers::{FewerThreads, Helpers};
use super::selectivity::ProbCutTable;
use super::table::TranspositionTable;
use super::worker::{Deadline, Reporter, Shared, Worker};
use super::{Bound, Control, Goal, Info, Limits, Outcome, Proof};
use crate::eval::Evaluator;
use crate::host::Instant;
use crate::rules::{Bitboard, Board, Move, Square};

/// What a searcher is built with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Threads that search one position, at least 1.
    pub threads: usize,
    /// Memory of the transposition table in megabytes, at least 1.
    pub hash_mb: usize,
}

impl SearchOptions {
    /// The largest table that can be asked for, in megabytes: 2^48 bytes, more than today's
    /// processors can address.
    pub const MAX_HASH_MB: usize = 1 << 28;

    /// The most threads that a host can ask for.
    pub const MAX_THREADS: usize = 256;

    /// Is there memory for the table now?
    ///
    /// # Errors
    /// If there is not.
    pub fn check(self) -> Result<(), TableError> {
        TranspositionTable::new(self.hash_mb).map(drop)
    }
}

/// Reads the megabytes of a table.
///
/// # Errors
/// If it is not a number from 1 to [`SearchOptions::MAX_HASH_MB`].
pub fn parse_hash_mb(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(megabytes @ 1..=SearchOptions::MAX_HASH_MB) => Ok(megabytes),
        _ => Err(format!(
            "expected megabytes, 1 to {}",
            SearchOptions::MAX_HASH_MB
        )),
    }
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            threads: 1,
            hash_mb: 256,
        }
    }
}

/// There is no memory for a table.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("cannot allocate {megabytes} MB for the hash table")]
pub struct TableError {
    /// Megabytes asked for.
    pub megabytes: usize,
}

/// Searches boards, one at a time, and keeps what it learned between them.
pub struct Searcher {
    pub(super) evaluator: Arc<Evaluator>,
    /// What the evaluator's weights say about errors.
    pub(super) probcut: Arc<ProbCutTable>,
    options: SearchOptions,
    pub(super) table: Arc<TranspositionTable>,
    crew: Box<dyn Crew>,
    /// What was counted and not yet taken.
    counts: Option<Counts>,
    fewer_threads: Option<FewerThreads>,
}

impl Searcher {
    /// A searcher with an empty table. It goes on with fewer threads where the system
    /// has no more: see [`Searcher::fewer_threads`].
    ///
    /// # Errors
    /// If the table's memory cannot be allocated.
    pub fn new(evaluator: Arc<Evaluator>, options: SearchOptions) -> Result<Searcher, TableError> {
        Searcher::with_crew::<Off>(evaluator, options)
    }

    /// The same, and it counts what it does: see [`Searcher::take_counts`].
    ///
    /// # Errors
    /// As for [`Searcher::new`].
    pub fn counting(
        evaluator: Arc<Evaluator>,
        options: SearchOptions,
    ) -> Result<Searcher, TableError> {
        let mut searcher = Searcher::with_crew::<On>(evaluator, options)?;
        searcher.counts = Some(Counts::default());
        Ok(searcher)
    }

    fn with_crew<C: Counters>(
        evaluator: Arc<Evaluator>,
        options: SearchOptions,
    ) -> Result<Searcher, TableError> {
        let megabytes = options.hash_mb;
        let table = TranspositionTable::new(megabytes)?;
        let solver = EndgameSolver::<C>::new().ok_or(TableError { megabytes })?;
        let probcut = ProbCutTable::new(evaluator.probcut());
        let mut searcher = Searcher {
            evaluator,
            probcut: Arc::new(probcut),
            options,
            table: Arc::new(table),
            crew: Box::new(Threads {
                solver,
                helpers: Helpers::default(),
            }),
            counts: None,
            fewer_threads: None,
        };
        searcher.start_helpers();
        Ok(searcher)
    }

    fn start_helpers(&mut self) {
        self.fewer_threads = self.crew.start_helpers(self.options.threads);
        if let Some(fewer) = &self.fewer_threads {
            log::error!("{fewer}");
        }
    }

    /// What was counted since this was last asked, if it counts.
    pub fn take_counts(&mut self) -> Option<Counts> {
        self.counts.as_mut().map(std::mem::take)
    }

    /// Says so if fewer threads search than were asked for.
    pub fn fewer_threads(&self) -> Option<&FewerThreads> {
        self.fewer_threads.as_ref()
    }

    /// What boards are evaluated with.
    pub fn evaluator(&self) -> &Arc<Evaluator> {
        &self.evaluator
    }

    /// What it was asked for: the threads may be fewer.
    pub fn options(&self) -> SearchOptions {
        self.options
    }

    /// Changes threads and table size. The table is emptied if its size changes. Where
    /// the threads cannot all be started, it goes on with those that can.
    ///
    /// # Errors
    /// If the table's memory cannot be allocated; everything stays as it was.
    pub fn set_options(&mut self, options: SearchOptions) -> Result<(), TableError> {
        if options.hash_mb != self.options.hash_mb {
            self.table = Arc::new(TranspositionTable::new(options.hash_mb)?);
        }
        let threads = std::mem::replace(&mut self.options, options).threads;
        if options.threads != threads || self.fewer_threads.is_some() {
            self.start_helpers();
        }
        Ok(())
    }

    /// Evaluates with other weights from now on, and forgets everything.
    pub fn set_evaluator(&mut self, evaluator: Arc<Evaluator>) {
        self.probcut = Arc::new(ProbCutTable::new(evaluator.probcut()));
        self.evaluator = evaluator;
        self.forget();
    }

    /// Forgets all results of earlier searches: the next search is as if it were
    /// the first. Takes no time: the table is renewed, not cleared.
    pub fn forget(&mut self) {
        self.table_mut().renew();
    }

    fn table_mut(&mut self) -> &mut TranspositionTable {
        Arc::get_mut(&mut self.table).expect("the helpers of a search that is over share nothing")
    }

    /// Does `work`; a panic in it becomes its message, and what was learned before is forgotten,
    /// since it may be wrong.
    ///
    /// # Errors
    /// If `work` panics.
    pub fn guarded<T>(&mut self, work: impl FnOnce(&mut Searcher) -> T) -> Result<T, String> {
        let done = catch_unwind(AssertUnwindSafe(|| work(self)));
        done.map_err(|panic| {
            self.forget();
            message_of(&*panic)
        })
    }

    /// Searches `board` within `limits`; calls `report` with each line of each
    /// completed iteration, and about once a second while one lasts.
    ///
    /// Where the side to move must pass, the board after the pass is searched.
    /// Exact and WLD goals forget what was found before, so that their node
    /// counts (with one thread) depend on nothing but the board and the options.
    pub fn search(
        &mut self,
        board: Board,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        match limits.goal {
            Goal::Play if self.table.is_whole() => self.table_mut().age(),
            Goal::Play => self.table_mut().renew(),
            Goal::Exact | Goal::Wld | Goal::Claim(_) => self
                .table_mut()
                .renew_within(solve_megabytes(board.empty_count(), limits.goal)),
        }
        if !board.legal_moves().is_empty() {
            return self.search_moves(board, limits, control, report);
        }
        let passed = board.pass();
        if passed.legal_moves().is_empty() {
            return finished_game(board.final_score());
        }
        let limits = Limits {
            moves: None,
            multipv: 1,
            goal: limits.goal.opposite(),
            ..limits.clone()
        };
        let outcome = self.search_moves(passed, &limits, control, &mut |info| {
            report(&before_pass(info))
        });
        let lines: Vec<Info> = outcome.lines.iter().map(before_pass).collect();
        let nodes = outcome.nodes + 1;
        if let Some(counts) = &mut self.counts {
            counts.add_nodes(1, board.empty_count());
        }
        Outcome {
            best: Some(Move::Pass),
            ponder: outcome.best,
            lines,
            nodes,
            proven: (-outcome.proven.1, -outcome.proven.0),
            ..outcome
        }
    }

    /// Helps with the searches of another searcher, which were given `control`, on the thread
    /// that calls: until there are no more, or it is recalled.
    pub fn join(&mut self, control: &Control, recalled: &AtomicBool) {
        let Some(guests) = control.guests() else {
            return;
        };
        while let Some(visit) = guests.enter(recalled) {
            self.crew
                .visit(visit.shared(), recalled, self.counts.as_mut());
        }
    }

    /// The same for a board with legal moves.
    fn search_moves(
        &mut self,
        board: Board,
        limits: &Limits,
        control: &Control,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        let legal = board.legal_moves().0;
        let chosen = limits.moves.map_or(legal, |moves| moves.0 & legal);
        let moves = if chosen == 0 { legal } else { chosen };

        let budget = clock::budget(limits.time, board.empty_count());
        let deadline = Deadline {
            hard: budget.hard,
            nodes: limits.nodes,
        };
        let shared = Arc::new(Shared::new(
            Arc::clone(&self.table),
            Arc::clone(&self.evaluator),
            Arc::clone(&self.probcut),
            control.clone(),
            1 + self.crew.helper_count(),
            deadline,
        ));
        let root = Root {
            board,
            moves,
            limits,
            budget,
        };
        let door = control.guests().map(|guests| guests.open(&shared));
        let counts = self.counts.as_mut();
        let mut found = self.crew.search(&shared, &root, report, counts);
        drop(door);

        let (nodes, time) = (shared.nodes(), shared.elapsed());
        for line in &mut found.lines {
            line.nodes = line.nodes.min(nodes);
        }
        // A search that was stopped before its first iteration plays what looks best.
        let estimate = |square: &Square| self.evaluator.evaluate(board.play(*square));
        let fallback = || Bitboard(moves).min_by_key(estimate).map(Move::Place);
        let pv = found.lines.first().map_or(&[][..], |line| &line.pv);
        let best = pv.first().copied().or_else(fallback);
        let ponder = pv.get(1).copied();
        Outcome {
            best,
            ponder,
            lines: found.lines,
            nodes,
            time,
            complete: found.complete,
            proven: found.proven,
        }
    }
}

/// What a search begins with.
struct Root<'r> {
    board: Board,
    moves: u64,
    limits: &'r Limits,
    budget: Budget,
}

/// What a search found.
struct Found {
    lines: Vec<Info>,
    /// Was the goal reached?
    complete: bool,
    /// Bounds of the score, in even discs.
    proven: (i32, i32),
}

/// The threads of a searcher, whether they count or not.
trait Crew: Send {
    /// Starts helpers for so many threads in all, in place of those of before.
    fn start_helpers(&mut self, threads: usize) -> Option<FewerThreads>;

    fn helper_count(&self) -> usize;

    /// Searches, and adds to `counts`.
    fn search(
        &mut self,
        shared: &Arc<Shared>,
        root: &Root<'_>,
        report: &mut dyn FnMut(&Info),
        counts: Option<&mut Counts>,
    ) -> Found;

    /// Helps with a search of another searcher until it is over or this is recalled. Adds to `counts`.
    fn visit(&mut self, shared: &Shared, recalled: &AtomicBool, counts: Option<&mut Counts>);
}

struct Threads<C> {
    /// Of the thread that calls.
    solver: EndgameSolver<C>,
    helpers: Helpers,
}

impl<C: Counters> Crew for Threads<C> {
    fn start_helpers(&mut self, threads: usize) -> Option<FewerThreads> {
        // Those of before end first: they may hold what the new ones need.
        self.helpers = Helpers::default();
        let fewer;
        (self.helpers, fewer) = Helpers::start::<C>(threads);
        fewer
    }

    fn helper_count(&self) -> usize {
        self.helpers.count()
    }

    fn search(
        &mut self,
        shared: &Arc<Shared>,
        root: &Root<'_>,
        report: &mut dyn FnMut(&Info),
        mut counts: Option<&mut Counts>,
    ) -> Found {
        let helping = self.helpers.help(shared);
        let reporter = Reporter {
            report,
            last: None,
            last_time: Instant::now(),
        };
        let mut worker = Worker::new(shared, &mut self.solver, 0, Some(reporter));
        let mut deepening = Deepening::new(
            &mut worker,
            root.board,
            root.moves,
            root.limits,
            root.budget,
        );
        deepening.run();
        let found = Found {
            lines: std::mem::take(&mut deepening.lines),
            complete: deepening.complete,
            proven: (deepening.proven.0.get(), deepening.proven.1.get()),
        };
        worker.publish_nodes();
        helping.end(counts.as_deref_mut());
        if let (Some(sum), Some(counts)) = (counts, self.solver.counters.counts()) {
            *sum += &std::mem::take(counts);
        }
        found
    }

    fn visit(&mut self, shared: &Shared, recalled: &AtomicBool, counts: Option<&mut Counts>) {
        // It has no counter among those of the search.
        const GUEST: usize = usize::MAX;
        Worker::new(shared, &mut self.solver, GUEST, None).visit(recalled);
        shared.add_guest_nodes(self.solver.nodes);
        if let (Some(sum), Some(counts)) = (counts, self.solver.counters.counts()) {
            *sum += &std::mem::take(counts);
        }
    }
}

/// Megabytes of the table that a solve with so many empties makes use of: more than it
/// usually fills, and no more. Memory that is touched for the first time, and places
/// that no cache of the processor holds, cost more than a few lost entries. Who wins
/// takes about a fifth of the nodes that the score takes.
fn solve_megabytes(empties: u32, goal: Goal) -> usize {
    let one_megabyte = match goal {
        Goal::Wld | Goal::Claim(_) => 21,
        Goal::Exact | Goal::Play => 19,
    };
    let doublings = empties.saturating_sub(one_megabyte);
    1_usize.checked_shl(doublings).unwrap_or(usize::MAX)
}

/// What a panic said.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}

/// The outcome where neither side can move.
fn finished_game(score: i32) -> Outcome {
    Outcome {
        best: None,
        ponder: None,
        lines: Vec::new(),
        nodes: 0,
        time: std::time::Duration::ZERO,
        complete: true,
        proven: (score, score),
    }
}

/// What a line of the passed board says about the board before the pass.
fn before_pass(info: &Info) -> Info {
    let mut pv = vec![Move::Pass];
    pv.extend(&info.pv);
    let bound = match info.bound {
        Bound::Exact => Bound::Exact,
        Bound::Lower => Bound::Upper,
        Bound::Upper => Bound::Lower,
    };
    let proof = match info.proof {
        Proof::None => Proof::None,
        Proof::Exact(score) => Proof::Exact(-score),
        Proof::Wld(value) => Proof::Wld(value.opposite()),
    };
    Info {
        score: -info.score,
        bound,
        proof,
        pv,
        nodes: info.nodes + 1,
        ..info.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::tests::with_starts;

    fn searcher(threads: usize) -> Searcher {
        let options = SearchOptions {
            threads,
            hash_mb: 1,
        };
        Searcher::new(Evaluator::embedded(), options).expect("memory")
    }

    fn solve(searcher: &mut Searcher) -> Option<Proof> {
        let board: crate::rules::Position =
            "-XXXXXX---XXXX-X--XXXOOX--XXOXXX-OOOXOXXXOOXXXXX-OOOXX---OOOOOO- O"
                .parse()
                .expect("a position");
        let limits = Limits {
            goal: Goal::Wld,
            ..Limits::default()
        };
        let outcome = searcher.search(board.board, &limits, &Control::new(), &mut |_| {});
        outcome.lines.first().map(|line| line.proof)
    }

    #[test]
    fn a_search_goes_on_with_the_threads_that_can_be_started() {
        let mut searcher = with_starts(2, || searcher(8));
        let fewer = searcher.fewer_threads().expect("five are missing");
        assert_eq!((fewer.started, fewer.wanted), (3, 8));
        let proof = solve(&mut searcher);
        assert!(matches!(proof, Some(Proof::Wld(_))), "{proof:?}");

        let options = SearchOptions {
            threads: 2,
            hash_mb: 1,
        };
        assert_eq!(searcher.set_options(options), Ok(()));
        assert_eq!(searcher.fewer_threads(), None);
        assert_eq!(solve(&mut searcher), proof);
    }

    #[test]
    fn after_a_panic_it_searches_again() {
        let mut searcher = searcher(3);
        let proof = solve(&mut searcher);
        let caught = searcher.guarded(|searcher| {
            let control = Control::new();
            searcher.search(Board::START, &Limits::default(), &control, &mut |_| {
                panic!("no such square: {}", 65)
            })
        });
        assert_eq!(caught.err().as_deref(), Some("no such square: 65"));
        assert_eq!(searcher.guarded(solve), Ok(proof));
    }
}
