//! Which lines of the input a run has to answer: those of its shard that have no answer yet.

use std::sync::Arc;

use super::Task;
use crate::batch::resume::Done;
use crate::batch::shard::{Chooser, Shard};
use crate::eval::Evaluator;

/// See the module. It is asked about each line once, in their order.
#[derive(Clone)]
pub(crate) struct Part {
    chooser: Option<Chooser>,
    evaluator: Arc<Evaluator>,
    /// Lines of the shard so far.
    pub(crate) lines: u64,
    pub(crate) done: Done,
}

impl Part {
    /// The lines of `shard`, without it all of them, but those of `done`.
    pub(crate) fn new(shard: Option<Shard>, evaluator: &Arc<Evaluator>, done: Done) -> Part {
        Part {
            chooser: shard.map(Shard::chooser),
            evaluator: Arc::clone(evaluator),
            lines: 0,
            done,
        }
    }

    /// Is the next line of this shard?
    pub(crate) fn takes(&mut self, task: &Task) -> bool {
        let takes = self.chooser.as_mut().is_none_or(|chooser| {
            let cost = task.estimate(&self.evaluator);
            chooser.takes(cost.nodes as u64)
        });
        self.lines += u64::from(takes);
        takes
    }

    /// Was this line, the last that was taken, answered by the earlier run?
    pub(crate) const fn has_answer(&self) -> bool {
        self.lines <= self.done.answers
    }
}
