//! The answers of a batch of lines, by one thread.

use std::sync::Arc;

use super::check;
use super::counted::Counted;
use super::proof::Prover;
use crate::batch::answer::{Answer, Format};
use crate::batch::cache::RunCache;
use crate::batch::input::Task;
use crate::batch::problem::{Problem, Solution, Status};
use crate::batch::solver::Solver;
use crate::formats::obf;
use crate::search::{Control, Searcher};

/// Bytes of most answers in text.
const LINE_LENGTH: usize = 64;

/// The answers to some lines.
#[derive(Default)]
pub(crate) struct Answers {
    pub(super) text: Vec<u8>,
    /// How many are in the text.
    pub(super) count: u64,
    /// Those that take the places of earlier ones, by their numbers.
    pub(super) replaced: Vec<(u64, Vec<u8>)>,
    pub(super) counted: Counted,
    /// Has the run to stop after these?
    pub(super) are_last: bool,
}

/// How lines are answered.
pub(super) struct Answering {
    pub(super) solver: Arc<Solver>,
    /// The one that the solver stores in.
    pub(super) cache: Option<Arc<RunCache>>,
    /// Makes a proof of each answer, where proofs are wanted.
    pub(super) prover: Option<Prover>,
    /// Compare answers with what their lines know?
    pub(super) check: bool,
    pub(super) format: Format,
}

impl Answering {
    /// Answers lines.
    pub(super) fn answer_all(
        &self,
        searcher: &mut Searcher,
        tasks: Vec<Task>,
        control: &Control,
    ) -> Answers {
        let mut answers = Answers::default();
        answers.text.reserve(tasks.len() * LINE_LENGTH);
        for mut task in tasks {
            if self.has_failed() {
                break;
            }
            let answer = match (task.answer.take(), task.problem) {
                (Some(answer), _) => *answer,
                (None, Ok(problem)) => self.solve(searcher, problem, task.known.as_ref(), control),
                (None, Err(error)) => Answer::unreadable(&self.format, task.place, &[], &error),
            };
            answers.counted.count(&answer);
            match task.replaces {
                None => {
                    answers.count += 1;
                    answer.write(self.format.style, &mut answers.text);
                }
                // A result stands, whatever became of its proof.
                Some(before) if before.is_solved && !answer.is_solved() => {}
                Some(before) => {
                    let mut text = Vec::new();
                    answer.write(self.format.style, &mut text);
                    answers.replaced.push((before.number, text));
                }
            }
        }
        answers.are_last = self.has_failed();
        answers
    }

    /// Can no more proofs be written, or is the cache of no use any more, as on a full disk?
    pub(super) fn has_failed(&self) -> bool {
        self.prover.as_ref().is_some_and(Prover::has_failed)
            || self.cache.as_ref().is_some_and(|cache| cache.has_failed())
    }

    /// Solves a position, and proves and checks the result where that is wanted. A fault inside the search becomes
    /// the line's answer.
    fn solve(
        &self,
        searcher: &mut Searcher,
        problem: Problem,
        known: Option<&obf::Problem>,
        control: &Control,
    ) -> Answer {
        let mut solution = self.solver.solve(searcher, &problem, control);
        if let Status::Failed(reason) = &mut solution.status {
            *reason = format!("internal fault: {reason}");
        }
        if let Some(prover) = self
            .prover
            .as_ref()
            .filter(|_| solution.status == Status::Solved)
        {
            solution = prove(prover, searcher, &problem, solution, control);
        }
        let is_failed = matches!(solution.status, Status::Failed(_));
        let known = known.filter(|_| self.check && !is_failed);
        let verdict = known.map(|known| check::compare(known, problem.question, &solution));
        Answer::new(&self.format, problem, solution, verdict)
    }
}

/// Makes the proof of a solution. If a limit ends it, the line is not solved; where it cannot be kept, the result
/// stands.
fn prove(
    prover: &Prover,
    searcher: &mut Searcher,
    problem: &Problem,
    solution: Solution,
    control: &Control,
) -> Solution {
    let bounds = solution.bounds;
    let prove = |searcher: &mut _| prover.prove(searcher, problem, bounds, control);
    match searcher.guarded(prove).flatten() {
        Ok(true) => solution,
        Ok(false) => Solution {
            status: Status::Unsolved,
            ..solution
        },
        Err(reason) => {
            prover.note_unproven(problem.place, reason);
            solution
        }
    }
}
