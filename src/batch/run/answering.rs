//! The answers of a batch of lines, by one thread.

use std::sync::Arc;

use super::check;
use super::counted::Counted;
use super::proof::Prover;
use super::written::{Answer, Content, Fault, Format, Solved};
use crate::batch::answer::Key;
use crate::batch::input::{Ask, Job, one_line};
use crate::batch::problem::Status;
use crate::batch::solver::Solver;
use crate::rules::Position;
use crate::search::{Control, Searcher};

/// Bytes of most answers in text.
const LINE_LENGTH: usize = 64;

/// The answers to some lines.
#[derive(Default)]
pub(crate) struct Answers {
    pub(super) text: Vec<u8>,
    pub(super) counted: Counted,
}

/// How lines are answered.
pub(super) struct Answering {
    pub(super) solver: Arc<Solver>,
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
        jobs: Vec<Job>,
        control: &Control,
    ) -> Answers {
        let mut answers = Answers::default();
        answers.text.reserve(jobs.len() * LINE_LENGTH);
        for mut job in jobs {
            let answer = Answer {
                place: job.task.place,
                name: job.task.take_name(),
                content: self.content(searcher, job, control),
            };
            answers.counted.count(&answer);
            answer.write(&self.format, &mut answers.text);
        }
        answers
    }

    fn content(&self, searcher: &mut Searcher, job: Job, control: &Control) -> Content {
        if let Some(text) = job.copied {
            return Content::Copied(text);
        }
        match job.task.content {
            Ok(ask) => {
                let position = ask.problem.position;
                let solved = self.solve(searcher, ask, control);
                solved.map_or_else(|reason| failed(position, reason), Content::Solved)
            }
            Err(error) => {
                let key = || Key::of_error(b"", error.column, &error.reason);
                let key = job.error_key.unwrap_or_else(key);
                Content::Fault(key, Fault::Syntax(error))
            }
        }
    }

    /// Solves a position, and proves and checks the result where that is wanted. A fault inside the search becomes
    /// the line's answer.
    fn solve(
        &self,
        searcher: &mut Searcher,
        ask: Ask,
        control: &Control,
    ) -> Result<Solved, String> {
        let mut found = self.solver.solve(searcher, &ask.problem, control);
        if let Status::Failed(reason) = found.status {
            return Err(format!("internal fault: {reason}"));
        }
        if found.status == Status::Solved
            && let Some(prover) = &self.prover
        {
            let prove =
                |searcher: &mut _| prover.prove(searcher, &ask.problem, found.bounds, control);
            if !searcher.guarded(prove).flatten()? {
                found.status = Status::Unsolved;
            }
        }
        let mut solved = Solved {
            problem: ask.problem,
            found,
            verdict: None,
        };
        if self.check {
            solved.verdict = Some(check::compare(&ask.known, &solved));
        }
        Ok(solved)
    }
}

fn failed(position: Position, reason: String) -> Content {
    let reason = one_line(&reason);
    let key = Key::of_fault(position, &reason);
    Content::Fault(key, Fault::Failed { position, reason })
}
