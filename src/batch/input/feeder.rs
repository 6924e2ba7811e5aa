//! From the reader into the queue: the lines that have no answer yet.

use std::sync::Arc;

use anyhow::{Context, anyhow, ensure};

use super::earlier::Was;
use super::{Before, Earlier, Part, PositionReader, Replaced, Seen, Sink, Task};
use crate::batch::answer::{Answer, Format};
use crate::batch::problem::Problem;
use crate::batch::resume::{InputHash, Milestones, Progress};
use crate::pool::queue::Queue;

/// Puts lines into the queue.
pub(crate) struct Feeder<A, C> {
    pub(crate) queue: Arc<Queue<Task, A, C>>,
    /// What is not yet in the queue.
    pub(crate) tasks: Vec<Task>,
    /// Which lines are to be answered.
    pub(crate) part: Part,
    /// Of the input so far, where somebody may continue the output.
    pub(crate) hash: Option<InputHash>,
    pub(crate) milestones: Arc<Milestones>,
    /// The answers of another run, to be copied.
    pub(crate) earlier: Option<Earlier>,
    /// What the output has already.
    pub(crate) before: Option<Before>,
    pub(crate) files: Vec<String>,
    pub(crate) format: Format,
    /// Is the proof there that is wanted of a line?
    pub(crate) is_proven: Box<dyn Fn(&Problem) -> bool + Send>,
    /// Sees each line that is to be answered.
    pub(crate) watch: Box<dyn FnMut(&Task) + Send>,
    /// The input is not the one that was answered.
    pub(crate) error: Option<anyhow::Error>,
}

impl<A, C: Clone + Default> Feeder<A, C> {
    /// Reads everything into the queue, and ends it. Returns what went wrong, and what the output had.
    pub(crate) fn read(mut self, input: &PositionReader) -> (Vec<anyhow::Error>, Seen) {
        let mut errors = input.read(&mut self);
        errors.extend(self.error.take());
        if errors.is_empty() && (self.part.lines < self.part.done.answers || !self.may_begin()) {
            errors.push(anyhow!(
                "the output cannot be continued: it has more answers than the input has lines"
            ));
        }
        self.queue.end();
        let seen = self.before.map_or(Seen::default(), |before| before.seen);
        (errors, seen)
    }

    /// Nothing is added to an output before all that it has is known to fit.
    fn may_begin(&self) -> bool {
        self.before.as_ref().is_none_or(Before::is_checked)
    }

    fn try_take(&mut self, bytes: &[u8], mut task: Task) -> anyhow::Result<()> {
        if let Some(hash) = &mut self.hash {
            hash.add(task.place.line, bytes);
        }
        let own = self.part.takes(&task);
        let is_proven = || {
            task.problem
                .as_ref()
                .is_ok_and(|problem| (self.is_proven)(problem))
        };
        let line = task.line(bytes, &self.files);
        let copied = match &mut self.earlier {
            Some(earlier) => earlier.next(&line, own)?,
            None => None,
        }
        .filter(|_| is_proven());
        if !own {
            return Ok(());
        }
        if let Some(hash) = self.hash {
            let Progress { answers, input } = self.part.done.noted;
            ensure!(
                self.part.lines != answers || hash.value() == input,
                "the output cannot be continued: the input is not the one that it answers"
            );
            self.milestones.note(self.part.lines, hash);
        }
        if self.part.has_answer() {
            let before = self.before.as_mut();
            let was = before.map_or(Ok(Was::Other), |before| before.take(&line));
            let was = was.context("the output cannot be continued")?;
            let is_solved = was == Was::Solved;
            if was == Was::Other || is_solved && is_proven() {
                return Ok(());
            }
            let number = self.part.lines;
            task.replaces = Some(Replaced { number, is_solved });
        }
        (self.watch)(&task);
        task.answer = match (copied, &task.problem) {
            (Some(copied), _) => Some(copied),
            (None, Ok(_)) => None,
            (None, Err(error)) => Some(Answer::unreadable(&self.format, task.place, bytes, error)),
        }
        .map(Box::new);
        self.tasks.push(task);
        Ok(())
    }
}

impl<A, C: Clone + Default> Sink for Feeder<A, C> {
    fn take(&mut self, line: &[u8], task: Task) -> bool {
        if self.error.is_none() {
            self.error = self.try_take(line, task).err();
        }
        self.error.is_none()
    }

    fn flush(&mut self) {
        if !self.tasks.is_empty() && self.may_begin() && self.error.is_none() {
            self.queue.push(&mut self.tasks);
        }
    }
}
