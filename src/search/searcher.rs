//! The search as its users hold it.

use std::sync::Arc;
use std::time::Instant;

use thiserror::Error;

use super::clock;
use super::deepening::Deepening;
use super::endgame::Solver;
use super::selectivity::ProbCutTable;
use super::table::Table;
use super::worker::{Deadline, Reporter, Shared, Worker};
use super::{Bound, Control, Goal, Info, Limits, Outcome, Proof};
use crate::eval::Evaluator;
use crate::rules::{Bitboard, Board, Move, Square};

/// What a searcher is built with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchOptions {
    /// Threads that search one position, at least 1.
    pub threads: usize,
    /// Memory of the transposition table in megabytes, at least 1.
    pub hash_mb: usize,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            threads: 1,
            hash_mb: 256,
        }
    }
}

/// The memory for a table could not be had.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("cannot allocate {megabytes} MB for the hash table")]
pub struct TableError {
    /// Megabytes asked for.
    pub megabytes: usize,
}

/// Searches boards, one at a time, and keeps what it learned between them.
pub struct Searcher {
    evaluator: Arc<Evaluator>,
    /// What the evaluator's weights say about errors.
    probcut: ProbCutTable,
    options: SearchOptions,
    table: Table,
    /// One for each thread, the first for the thread that calls.
    solvers: Vec<Solver>,
}

/// What a search is made of.
pub(super) struct Parts<'s> {
    pub(super) evaluator: &'s Evaluator,
    pub(super) probcut: &'s ProbCutTable,
    pub(super) table: &'s Table,
    pub(super) solvers: &'s mut [Solver],
}

impl Searcher {
    /// A searcher with an empty table.
    ///
    /// # Errors
    /// If the table's memory cannot be allocated.
    pub fn new(evaluator: Arc<Evaluator>, options: SearchOptions) -> Result<Searcher, TableError> {
        let table = Table::new(options.hash_mb)?;
        let solvers = solvers(options.threads);
        let probcut = ProbCutTable::new(evaluator.probcut());
        Ok(Searcher {
            evaluator,
            probcut,
            options,
            table,
            solvers,
        })
    }

    /// What a search is made of.
    pub(super) fn parts(&mut self) -> Parts<'_> {
        Parts {
            evaluator: &self.evaluator,
            probcut: &self.probcut,
            table: &self.table,
            solvers: &mut self.solvers,
        }
    }

    /// What it was built with, as changed since.
    pub fn options(&self) -> SearchOptions {
        self.options
    }

    /// Changes threads and table size. The table is emptied if its size changes.
    ///
    /// # Errors
    /// If the table's memory cannot be allocated; everything stays as it was.
    pub fn set_options(&mut self, options: SearchOptions) -> Result<(), TableError> {
        if options.hash_mb != self.options.hash_mb {
            self.table = Table::new(options.hash_mb)?;
        }
        if options.threads != self.options.threads {
            self.solvers = solvers(options.threads);
        }
        self.options = options;
        Ok(())
    }

    /// Evaluates with other weights from now on, and forgets everything.
    pub fn set_evaluator(&mut self, evaluator: Arc<Evaluator>) {
        self.probcut = ProbCutTable::new(evaluator.probcut());
        self.evaluator = evaluator;
        self.forget();
    }

    /// Forgets all results of earlier searches: the next search is as if it were
    /// the first. Takes no time: the table is renewed, not cleared.
    pub fn forget(&mut self) {
        self.table.renew();
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
            Goal::Play if self.table.is_whole() => self.table.age(),
            Goal::Play => self.table.renew(),
            Goal::Exact | Goal::Wld => self
                .table
                .renew_within(solve_megabytes(board.empty_count(), limits.goal)),
        }
        if !board.legal_moves().is_empty() {
            return self.search_moves(board, limits, control, report);
        }
        let passed = board.pass();
        if passed.legal_moves().is_empty() {
            return finished_game();
        }
        let limits = Limits {
            moves: None,
            multipv: 1,
            ..limits.clone()
        };
        let outcome = self.search_moves(passed, &limits, control, &mut |info| {
            report(&before_pass(info))
        });
        let lines: Vec<Info> = outcome.lines.iter().map(before_pass).collect();
        let nodes = outcome.nodes + 1;
        Outcome {
            best: Some(Move::Pass),
            ponder: outcome.best,
            lines,
            nodes,
            ..outcome
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
        let threads = self.solvers.len();
        let shared = Shared::new(
            &self.table,
            &self.evaluator,
            &self.probcut,
            control,
            threads,
            deadline,
        );
        let (first, others) = self.solvers.split_at_mut(1);

        let (mut lines, complete) = std::thread::scope(|scope| {
            for (index, solver) in others.iter_mut().enumerate() {
                let shared = &shared;
                scope.spawn(move || Worker::new(shared, solver, index + 1, None).help());
            }
            // Sends the helpers home, also if the search panics.
            let _home = SendHome(&shared);
            let reporter = Reporter {
                report,
                last: None,
                last_time: Instant::now(),
            };
            let mut worker = Worker::new(&shared, &mut first[0], 0, Some(reporter));
            let mut deepening = Deepening::new(&mut worker, board, moves, limits, budget);
            deepening.run();
            let result = (std::mem::take(&mut deepening.lines), deepening.complete);
            worker.publish_nodes();
            result
        });

        let (nodes, time) = (shared.nodes(), shared.elapsed());
        for line in &mut lines {
            line.nodes = line.nodes.min(nodes);
        }
        // A search that was stopped before its first iteration plays what looks best.
        let estimate = |square: &Square| self.evaluator.evaluate(board.play(*square));
        let fallback = Bitboard(moves).min_by_key(estimate).map(Move::Place);
        let pv = lines.first().map_or(&[][..], |line| &line.pv);
        let best = pv.first().copied().or(fallback);
        let ponder = pv.get(1).copied();
        Outcome {
            best,
            ponder,
            lines,
            nodes,
            time,
            complete,
        }
    }
}

/// Ends the helpers' life when dropped.
pub(super) struct SendHome<'s, 'a>(pub(super) &'s Shared<'a>);

impl Drop for SendHome<'_, '_> {
    fn drop(&mut self) {
        self.0.pool.finish();
    }
}

/// Megabytes of the table that a solve with so many empties makes use of: more than it
/// usually fills, and no more. Memory that is touched for the first time, and places
/// that no cache of the processor holds, cost more than a few lost entries. Who wins
/// takes about a fifth of the nodes that the score takes.
fn solve_megabytes(empties: u32, goal: Goal) -> usize {
    let one_megabyte = match goal {
        Goal::Wld => 21,
        Goal::Exact | Goal::Play => 19,
    };
    let doublings = empties.saturating_sub(one_megabyte);
    1_usize.checked_shl(doublings).unwrap_or(usize::MAX)
}

fn solvers(threads: usize) -> Vec<Solver> {
    (0..threads.max(1)).map(|_| Solver::new()).collect()
}

/// The outcome where neither side can move.
fn finished_game() -> Outcome {
    Outcome {
        best: None,
        ponder: None,
        lines: Vec::new(),
        nodes: 0,
        time: std::time::Duration::ZERO,
        complete: true,
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
