//! The answers of a batch of lines, by one thread.

use std::sync::Arc;

use super::check;
use super::counted::Counted;
use super::proof::Prover;
use super::written::{Answer, Content, Fault, Format, Solved};
use crate::batch::answer::Key;
use crate::batch::input::{Ask, Job, Place, Task, one_line};
use crate::batch::solver::{Found, Inquiry, Solver};
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
                name: job.task.name.take(),
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
        let Task { place, content, .. } = job.task;
        match content {
            Ok(ask) => {
                let solved = self.solve(searcher, place, &ask, control);
                let position = ask.problem.position;
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
        place: Place,
        ask: &Ask,
        control: &Control,
    ) -> Result<Solved, String> {
        let (position, question) = (ask.problem.position, ask.question);
        let asked = Inquiry {
            question,
            only: ask.only,
        };
        let found = self.solver.solve(searcher, position.board, asked, control);
        let found = found.map_err(|reason| format!("internal fault: {reason}"))?;
        let is_proven = self.prove(searcher, place, ask, &found, control)?;
        let mut solved = Solved {
            position,
            question,
            only: ask.only,
            found,
            lacks_proof: !is_proven,
            verdict: None,
        };
        if self.check {
            solved.verdict = Some(check::compare(&ask.problem, &solved));
        }
        Ok(solved)
    }

    /// Makes the proof of an answer, where proofs are wanted. `false`: a limit was reached.
    fn prove(
        &self,
        searcher: &mut Searcher,
        place: Place,
        ask: &Ask,
        found: &Found,
        control: &Control,
    ) -> Result<bool, String> {
        let bounds = found.finding.bounds;
        let prover = self.prover.as_ref();
        let Some(prover) = prover.filter(|_| ask.question.is_answered_by(bounds)) else {
            return Ok(true);
        };
        let prove = |searcher: &mut _| prover.prove(searcher, place, ask, bounds, control);
        searcher.guarded(prove).flatten()
    }
}

fn failed(position: Position, reason: String) -> Content {
    let reason = one_line(&reason);
    let key = Key::of_fault(position, &reason);
    Content::Fault(key, Fault::Failed { position, reason })
}
