//! Which lines of the input a run has to answer: those of its shard that have no answer yet.

use std::sync::Arc;

use super::input::{Place, Task};
use crate::batch::estimate::{Estimate, Model};
use crate::batch::resume::{LineSet, Progress};
use crate::batch::shard::Chooser;
use crate::eval::Evaluator;

/// See the module. It is asked about each line once, in their order.
#[derive(Clone)]
pub(super) struct Part {
    chooser: Option<Chooser>,
    evaluator: Arc<Evaluator>,
    /// Lines of the shard so far.
    pub(super) lines: u64,
    pub(super) done: Arc<Done>,
}

/// How far an earlier run was.
#[derive(Debug, Default)]
pub(in crate::commands) struct Done {
    /// Answers that are there already.
    pub(in crate::commands) answers: u64,
    /// Which lines of each file they answer; `None`: the first ones.
    pub(in crate::commands) lines: Option<Vec<LineSet>>,
    /// The last note.
    pub(in crate::commands) noted: Progress,
}

impl Part {
    pub(super) fn new(
        chooser: Option<Chooser>,
        evaluator: &Arc<Evaluator>,
        done: &Arc<Done>,
    ) -> Part {
        Part {
            chooser,
            evaluator: Arc::clone(evaluator),
            lines: 0,
            done: Arc::clone(done),
        }
    }

    /// Is the next line of this shard?
    pub(super) fn takes(&mut self, task: &Task) -> bool {
        let takes = match &mut self.chooser {
            Some(chooser) => chooser.takes(estimate_of(&self.evaluator, task).nodes as u64),
            None => true,
        };
        self.lines += u64::from(takes);
        takes
    }

    /// Was this line, the last that was taken, answered by the earlier run?
    pub(super) fn has_answer(&self, place: Place) -> bool {
        match &self.done.lines {
            None => self.lines <= self.done.answers,
            Some(files) => {
                let file = files.get(place.file.unwrap_or(0));
                file.is_some_and(|lines| lines.contains(place.line))
            }
        }
    }
}

/// The estimate of a line.
pub(in crate::commands) fn estimate_of(evaluator: &Evaluator, task: &Task) -> Estimate {
    match &task.content {
        Ok(ask) => {
            let board = ask.problem.position.board;
            Model::embedded().estimate(evaluator, board, ask.question)
        }
        Err(_) => Estimate {
            nodes: 0.0,
            variance: 0.0,
        },
    }
}
