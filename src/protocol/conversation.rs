//! The order of things, the same in every protocol.
//!
//! A [`Dialect`] reads a line when it comes, and adds what follows from it to a queue of
//! steps: replies, requests for the engine, and commands that it can only carry out when
//! everything before them is done. The [`Conversation`] takes the steps in order:
//!
//! - The engine has one request at a time; the next one waits for its result.
//! - Replies and commands wait as well, except while the engine searches without an end or
//!   for nobody: such a search holds up nothing, and the next request ends it.
//! - Every request has exactly one result, which the dialect gets, unless the request was
//!   dropped or the host has quit. Where the engine failed, the result is some legal move.
//! - At the end of the input everything that was asked for is done, and a search without
//!   an end is stopped.
//!
//! A dialect prints nothing and waits for nothing by itself: it calls its [`Context`].

use std::collections::VecDeque;
use std::time::Duration;

use crate::engine::{Event, Patience, Request, SearchHandle, SearchJob};
use crate::host::Instant;
use crate::rules::{Board, Move};
use crate::search::{Control, Limits, Outcome};
use crate::text::Line;

/// What one protocol adds to a conversation: its lines, its replies, and its state.
pub(super) trait Dialect: Sized {
    /// A command that can only be carried out in its turn.
    type Command;

    /// What a request is for, with all that its answer needs.
    type Purpose;

    /// Takes a line of the host.
    fn line(&mut self, line: &Line, context: &mut Context<'_, Self>);

    /// Carries out a command that was put off: its turn has come.
    fn run(&mut self, command: Self::Command, context: &mut Context<'_, Self>);

    /// Takes what the running request reports on the way.
    fn progress(
        &mut self,
        purpose: &mut Self::Purpose,
        report: Event,
        context: &mut Context<'_, Self>,
    );

    /// Takes the result of a request.
    fn complete(&mut self, done: Done<Self::Purpose>, context: &mut Context<'_, Self>);

    /// The engine could not do all that it was started with, or failed inside.
    fn trouble(&mut self, reason: String, _context: &mut Context<'_, Self>) {
        log::error!("{reason}");
    }
}

/// A request that is done.
pub(super) struct Done<P> {
    pub(super) purpose: P,
    /// The event that ended it. Of a search it is always [`Event::Done`].
    pub(super) event: Event,
    /// Time since the engine was asked.
    pub(super) elapsed: Duration,
}

/// Where requests and replies go.
pub(super) trait Port {
    /// Sends a request to the engine.
    fn request(&mut self, request: Request);

    /// Prints a reply of one line, or of more with `\n` between them.
    fn print(&mut self, reply: String);
}

/// Whether there is more to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// Wait for the next line or event.
    Continue,
    /// All that was asked for is done.
    Finish,
    /// The host wants no more replies: drop the work.
    Quit,
}

/// A conversation in whatever protocol.
pub(super) trait Session {
    /// Takes a line of the host.
    fn line(&mut self, line: &Line, port: &mut dyn Port) -> Flow;

    /// Takes an event of the engine.
    fn event(&mut self, event: Event, port: &mut dyn Port) -> Flow;

    /// There will be no more lines.
    fn end_of_input(&mut self, port: &mut dyn Port) -> Flow;
}

/// One conversation, from the start of the engine on.
pub(super) struct Conversation<D: Dialect> {
    dialect: D,
    state: State<D>,
}

/// Everything but the dialect.
struct State<D: Dialect> {
    /// Steps to take, in order.
    queue: VecDeque<Step<D>>,
    /// What the engine is doing.
    running: Option<Task<D::Purpose>>,
    input_ended: bool,
    has_quit: bool,
}

enum Step<D: Dialect> {
    Reply(String),
    /// A reply that waits for settings alone.
    Ready(String),
    Command(D::Command),
    Request(Box<(Request, Task<D::Purpose>)>),
}

/// A request, as the conversation sees it.
struct Task<P> {
    /// `None`: nobody waits for the result.
    purpose: Option<P>,
    ending: Ending,
    /// When it was sent to the engine.
    started: Instant,
}

/// How a request comes to its end.
enum Ending {
    /// By itself, in a moment: the start of the engine, and settings.
    Soon,
    /// When it is done or stopped.
    Search { handle: SearchHandle, board: Board },
    /// When it is done or stopped.
    Count(Control),
}

impl<P> Task<P> {
    fn new(purpose: Option<P>, ending: Ending) -> Task<P> {
        Task {
            purpose,
            ending,
            started: Instant::now(),
        }
    }

    fn stop(&self) {
        match &self.ending {
            Ending::Soon => {}
            Ending::Search { handle, .. } => handle.stop(),
            Ending::Count(control) => control.stop(),
        }
    }

    /// Would it go on for ever?
    fn is_endless(&self) -> bool {
        matches!(&self.ending, Ending::Search { handle, .. } if handle.is_open())
    }

    const fn is_brief(&self) -> bool {
        matches!(self.ending, Ending::Soon)
    }
}

impl<D: Dialect> State<D> {
    fn tasks(&self) -> impl Iterator<Item = &Task<D::Purpose>> {
        let waiting = self.queue.iter().filter_map(|step| match step {
            Step::Request(request) => Some(&request.1),
            _ => None,
        });
        self.running.iter().chain(waiting)
    }

    /// May the first step be taken now?
    fn is_free(&self) -> bool {
        let Some(running) = &self.running else {
            return true;
        };
        match self.queue.front() {
            Some(Step::Reply(_) | Step::Command(_)) => {
                running.purpose.is_none() || running.is_endless()
            }
            Some(Step::Ready(_)) => !running.is_brief(),
            Some(Step::Request(..)) => {
                if running.is_endless() {
                    running.stop();
                }
                false
            }
            None => {
                if self.input_ended && running.is_endless() {
                    running.stop();
                }
                false
            }
        }
    }
}

impl<D: Dialect> Conversation<D> {
    /// A conversation with an engine that is starting.
    pub(super) fn new(dialect: D) -> Conversation<D> {
        Conversation {
            dialect,
            state: State {
                queue: VecDeque::new(),
                running: Some(Task::new(None, Ending::Soon)),
                input_ended: false,
                has_quit: false,
            },
        }
    }

    /// Takes the steps that may be taken now.
    fn advance(&mut self, port: &mut dyn Port) -> Flow {
        while !self.state.has_quit
            && self.state.is_free()
            && let Some(step) = self.state.queue.pop_front()
        {
            match step {
                Step::Reply(reply) | Step::Ready(reply) => port.print(reply),
                Step::Command(command) => {
                    let mut context = Context::new(&mut self.state, 0, port);
                    self.dialect.run(command, &mut context);
                }
                Step::Request(request) => {
                    let (request, task) = *request;
                    let started = Instant::now();
                    self.state.running = Some(Task { started, ..task });
                    port.request(request);
                }
            }
        }
        let state = &self.state;
        if state.has_quit {
            Flow::Quit
        } else if state.input_ended && state.running.is_none() {
            Flow::Finish
        } else {
            Flow::Continue
        }
    }

    /// The engine did what it was asked.
    fn complete(&mut self, event: Event, port: &mut dyn Port) {
        let Some(task) = self.state.running.take() else {
            log::error!("the engine answered what it was not asked");
            return;
        };
        let mut context = Context::new(&mut self.state, 0, port);
        let event = match (event, &task.ending) {
            (Event::Fault(reason), ending) => {
                let reason = format!("internal fault: {reason:?}");
                self.dialect.trouble(reason.clone(), &mut context);
                match ending {
                    Ending::Search { board, .. } => Event::Done(any_outcome(*board)),
                    _ => Event::Fault(reason),
                }
            }
            (event, _) => event,
        };
        match (task.purpose, event) {
            (Some(purpose), event) => {
                let elapsed = task.started.elapsed();
                let done = Done {
                    purpose,
                    event,
                    elapsed,
                };
                self.dialect.complete(done, &mut context);
            }
            (None, Event::Set(start)) => {
                let troubles = start.unwrap_or_else(|reason| vec![reason]);
                for trouble in troubles {
                    self.dialect.trouble(trouble, &mut context);
                }
            }
            (None, _) => {}
        }
    }
}

impl<D: Dialect> Session for Conversation<D> {
    fn line(&mut self, line: &Line, port: &mut dyn Port) -> Flow {
        let at = self.state.queue.len();
        let mut context = Context::new(&mut self.state, at, port);
        self.dialect.line(line, &mut context);
        self.advance(port)
    }

    fn event(&mut self, event: Event, port: &mut dyn Port) -> Flow {
        if event.is_final() {
            self.complete(event, port);
        } else if let Some(running) = &mut self.state.running
            && let Some(mut purpose) = running.purpose.take()
        {
            let mut context = Context::new(&mut self.state, 0, port);
            self.dialect.progress(&mut purpose, event, &mut context);
            if let Some(running) = &mut self.state.running {
                running.purpose = Some(purpose);
            }
        }
        self.advance(port)
    }

    fn end_of_input(&mut self, port: &mut dyn Port) -> Flow {
        self.state.input_ended = true;
        self.advance(port)
    }
}

/// What a dialect may do.
pub(super) struct Context<'a, D: Dialect> {
    state: &'a mut State<D>,
    /// Where the next step goes: behind all others for a line that was read, before them
    /// for a command whose turn has come.
    at: usize,
    port: &'a mut dyn Port,
}

impl<'a, D: Dialect> Context<'a, D> {
    fn new(state: &'a mut State<D>, at: usize, port: &'a mut dyn Port) -> Context<'a, D> {
        Context { state, at, port }
    }

    fn push(&mut self, step: Step<D>) {
        self.state.queue.insert(self.at, step);
        self.at += 1;
    }

    /// Replies in its turn.
    pub(super) fn reply(&mut self, reply: impl Into<String>) {
        self.push(Step::Reply(reply.into()));
    }

    /// Replies at once, whatever runs or waits.
    pub(super) fn reply_now(&mut self, reply: impl Into<String>) {
        self.port.print(reply.into());
    }

    /// Replies at once, but for the start of the engine or a setting that runs, and the
    /// settings right behind it.
    pub(super) fn reply_when_set(&mut self, reply: impl Into<String>) {
        if !self.state.running.as_ref().is_some_and(Task::is_brief) {
            return self.reply_now(reply);
        }
        let is_long =
            |step: &Step<D>| matches!(step, Step::Request(request) if !request.1.is_brief());
        let queue = &mut self.state.queue;
        let at = queue.iter().position(is_long).unwrap_or(queue.len());
        queue.insert(at, Step::Ready(reply.into()));
        self.at += usize::from(at <= self.at);
    }

    /// Carries out a command when everything before it is done.
    pub(super) fn defer(&mut self, command: D::Command) {
        self.push(Step::Command(command));
    }

    /// Searches. Without a purpose nobody waits for the result.
    pub(super) fn search(
        &mut self,
        board: Board,
        limits: Limits,
        patience: Patience,
        purpose: impl Into<Option<D::Purpose>>,
    ) -> SearchHandle {
        let (job, handle) = SearchJob::new(board, limits, patience);
        let ending = Ending::Search {
            handle: handle.clone(),
            board,
        };
        let task = Task::new(purpose.into(), ending);
        self.push(Step::Request(Box::new((Request::Search(job), task))));
        handle
    }

    /// Makes a request that takes a moment.
    pub(super) fn set(&mut self, request: Request, purpose: D::Purpose) {
        let task = Task::new(Some(purpose), Ending::Soon);
        self.push(Step::Request(Box::new((request, task))));
    }

    /// Makes a request that may take long, and that `control` stops.
    pub(super) fn count(&mut self, request: Request, control: Control, purpose: D::Purpose) {
        let task = Task::new(Some(purpose), Ending::Count(control));
        self.push(Step::Request(Box::new((request, task))));
    }

    /// Ends what runs, and what waits as soon as it begins. All of it is still answered.
    pub(super) fn stop_all(&self) {
        self.state.tasks().for_each(Task::stop);
    }

    /// Ends what runs.
    pub(super) fn stop_running(&self) {
        self.state.running.iter().for_each(Task::stop);
    }

    /// Ends searches that nothing else would end.
    pub(super) fn stop_endless(&self) {
        let endless = self.state.tasks().filter(|task| task.is_endless());
        endless.for_each(Task::stop);
    }

    /// The opponent played the expected move.
    pub(super) fn ponder_hit(&self) {
        for task in self.state.tasks() {
            if let Ending::Search { handle, .. } = &task.ending {
                handle.ponderhit();
            }
        }
    }

    /// Drops everything that was asked for: none of it is answered any more.
    pub(super) fn drop_all(&mut self) {
        self.state.queue.clear();
        self.at = 0;
        if let Some(running) = &mut self.state.running {
            running.stop();
            running.purpose = None;
        }
    }

    /// Ends the conversation: replies that wait are given, the work is dropped.
    pub(super) fn quit(&mut self) {
        for step in self.state.queue.drain(..) {
            if let Step::Reply(reply) | Step::Ready(reply) = step {
                self.port.print(reply);
            }
        }
        self.at = 0;
        self.stop_running();
        self.state.has_quit = true;
    }

    /// Does anything run that somebody waits for, or wait?
    pub(super) fn is_busy(&self) -> bool {
        self.running().is_some() || !self.state.queue.is_empty()
    }

    /// What runs, if somebody waits for it, and for how long it has been running.
    pub(super) fn running(&self) -> Option<(&D::Purpose, Duration)> {
        let running = self.state.running.as_ref()?;
        Some((running.purpose.as_ref()?, running.started.elapsed()))
    }

    /// May the host say more, and is nothing waiting that it has said?
    pub(super) fn is_idle(&self) -> bool {
        !self.state.input_ended && self.state.queue.len() == self.at
    }
}

/// Some legal answer, for a search that failed.
fn any_outcome(board: Board) -> Outcome {
    let pass = board.must_pass().then_some(Move::Pass);
    Outcome {
        best: board.legal_moves().first().map(Move::Place).or(pass),
        ponder: None,
        lines: Vec::new(),
        nodes: 0,
        time: Duration::ZERO,
        complete: false,
        proven: (-64, 64),
    }
}

#[cfg(test)]
mod tests;
