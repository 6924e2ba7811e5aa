//! The threads of a searcher at work: the one that calls leads, the others join it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::control::Control;
use super::deepening::{Deepening, Root};
use super::few_empties::FewSolved;
use super::helpers::{FewerThreads, HelperThreads, help};
use super::join::{JoinPoint, OpenSearch};
use super::limits::Goal;
use super::observer::{Observer, On};
use super::report::{Info, Outcome};
use super::shared::Shared;
use super::simulation::Simulation;
use super::solver::EndgameSolver;
use super::worker::{Reporter, Worker};
use crate::host::Instant;
use crate::rules::Board;

/// The threads of a searcher, with or without counters.
pub(super) trait SearchThreads: Send {
    /// Replaces the helpers by those of a search of so many threads.
    fn start_helpers(&mut self, threads: usize) -> Option<FewerThreads>;

    fn search(
        &mut self,
        shared: &Arc<Shared>,
        control: &Control,
        root: &Root<'_>,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome;

    /// Solves a board of few empties on the thread that calls; also says how many nodes that
    /// took.
    fn solve_few(&mut self, board: Board, goal: Goal) -> (FewSolved, u64);

    /// Answers the questions of `shared`.
    fn answer_questions(&mut self, shared: &Arc<Shared>, control: &Control);

    /// Helps with searches of other searchers.
    fn help(&mut self, join_point: &JoinPoint, recalled: &AtomicBool);

    /// What was counted, and what the thread that calls draws, if they are watched.
    fn observed(&mut self) -> Option<&mut On>;
}

pub(super) struct Threads<O> {
    /// Of the thread that calls.
    solver: EndgameSolver<O>,
    helpers: HelperThreads,
}

impl<O: Observer> Threads<O> {
    /// Only the thread that calls; `None` where there is no memory for its solver.
    pub(super) fn new() -> Option<Threads<O>> {
        Some(Threads {
            solver: EndgameSolver::new()?,
            helpers: HelperThreads::default(),
        })
    }

    /// Does `work` on the thread that calls, while helpers may join.
    fn lead<T>(
        &mut self,
        shared: &Arc<Shared>,
        control: &Control,
        report: Option<&mut dyn FnMut(&Info)>,
        work: impl FnOnce(&mut Worker<'_, O>) -> T,
    ) -> T {
        let join_points = std::iter::once(&self.helpers.join_point).chain(&control.join_point);
        let open: Vec<OpenSearch<'_>> = join_points
            .map(|join_point| join_point.open(shared))
            .collect();
        let reporter = report.map(|report| Reporter {
            report,
            last: None,
            last_time: Instant::now(),
        });
        let mut worker = Worker::new(shared, &mut self.solver, reporter);
        worker.simulated_core = shared.simulation.as_ref().map(Simulation::lead);
        let done = work(&mut worker);
        worker.leave_core();
        worker.publish_nodes();
        for search in open {
            let counts = search.end();
            self.solver.observer.count(|sum| *sum += &counts);
        }
        done
    }
}

impl<O: Observer> SearchThreads for Threads<O> {
    fn start_helpers(&mut self, threads: usize) -> Option<FewerThreads> {
        // The old ones end first: they may hold the memory that the new ones need.
        self.helpers = HelperThreads::default();
        let fewer;
        (self.helpers, fewer) = HelperThreads::start::<O>(threads);
        fewer
    }

    fn search(
        &mut self,
        shared: &Arc<Shared>,
        control: &Control,
        root: &Root<'_>,
        report: &mut dyn FnMut(&Info),
    ) -> Outcome {
        self.lead(shared, control, Some(report), |worker| {
            Deepening::new(worker, root).run()
        })
    }

    fn solve_few(&mut self, board: Board, goal: Goal) -> (FewSolved, u64) {
        self.solver.renew();
        let solved = self.solver.solve_few_empties(board, goal);
        (solved, self.solver.nodes)
    }

    fn answer_questions(&mut self, shared: &Arc<Shared>, control: &Control) {
        self.lead(shared, control, None, |worker| worker.answer_questions());
    }

    fn help(&mut self, join_point: &JoinPoint, recalled: &AtomicBool) {
        help(join_point, &mut self.solver, Some(recalled));
    }

    fn observed(&mut self) -> Option<&mut On> {
        self.solver.observer.on()
    }
}
