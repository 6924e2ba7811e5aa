//! The order in which commands are carried out and answered, the same in every protocol.
//!
//! A [`Dialect`] reads a line when it comes, and adds what follows from it to a queue of
//! steps: replies, requests for the engine, and commands that it can only carry out when
//! everything before them is done. The [`Conversation`] takes the steps in order:
//!
//! - The engine has one request at a time; the next one waits for its result.
//! - Replies and commands wait as well, except while a search runs that has no end or whose result
//!   nobody needs: nothing waits for such a search, and the next request ends it.
//! - Every request has exactly one result, which the dialect gets, unless the request was
//!   dropped or the host has quit. Where the engine failed, the result is some legal move.
//! - At the end of the input all commands are still carried out, and a search without an end is
//!   stopped.
//!
//! A dialect prints nothing and waits for nothing by itself: it calls its [`Context`].

use std::collections::VecDeque;
use std::time::Duration;

use crate::engine::{Event, Request, SearchHandle, SearchJob};
use crate::host::Instant;
use crate::rules::Board;
use crate::search::{Control, Outcome};
use crate::text::Line;

/// What is particular to one protocol: its lines, its replies, and its state.
pub(super) trait Dialect: Sized {
    /// A command that can only be carried out in its turn.
    type Command;

    /// The purpose of a request, with all that its answer needs.
    type Purpose;

    /// Takes a line of the host.
    fn line(&mut self, line: &Line, context: &mut Context<'_, Self>);

    /// Carries out a command that had to wait.
    fn run(&mut self, command: Self::Command, context: &mut Context<'_, Self>);

    /// Takes a report of the running request.
    fn progress(&mut self, _: &mut Self::Purpose, _: Event, _: &mut Context<'_, Self>) {}

    fn complete(&mut self, done: DoneRequest<Self::Purpose>, context: &mut Context<'_, Self>);

    /// The engine could not apply all its options at the start, or had an internal fault.
    fn warn(&mut self, reason: String, _context: &mut Context<'_, Self>) {
        log::error!("{reason}");
    }
}

pub(super) struct DoneRequest<P> {
    pub(super) purpose: P,
    /// The event that ended it. Of a search it is always [`Event::Done`].
    pub(super) event: Event,
    /// Time since the engine was asked.
    pub(super) elapsed: Duration,
}

/// The outputs of a conversation: requests and replies.
pub(super) trait Port {
    /// Sends a request to the engine.
    fn request(&mut self, request: Request);

    /// Prints a reply of one line, or of more with `\n` between them.
    fn print(&mut self, reply: String);
}

/// Does the conversation continue?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flow {
    /// Wait for the next line or event.
    Continue,
    /// All commands are done.
    Finish,
    /// The host needs no more replies: drop the work.
    Quit,
}

/// A conversation in any protocol.
pub(super) trait Session {
    /// Takes a line of the host.
    fn line(&mut self, line: &Line, port: &mut dyn Port) -> Flow;

    /// Takes an event of the engine.
    fn event(&mut self, event: Event, port: &mut dyn Port) -> Flow;

    /// There will be no more lines.
    fn end_of_input(&mut self, port: &mut dyn Port) -> Flow;
}

/// One conversation with an engine.
pub(super) struct Conversation<D: Dialect> {
    dialect: D,
    agenda: Agenda<D>,
}

/// Everything but the dialect.
struct Agenda<D: Dialect> {
    queue: VecDeque<QueuedStep<D>>,
    /// What the engine is doing.
    running: Option<PendingRequest<D::Purpose>>,
    input_ended: bool,
    has_quit: bool,
}

enum QueuedStep<D: Dialect> {
    Reply(String),
    /// A reply that waits for settings alone.
    Ready(String),
    Command(D::Command),
    Request(Box<(Request, PendingRequest<D::Purpose>)>),
    Quit,
}

/// A request, as the conversation sees it.
struct PendingRequest<P> {
    /// `None`: nobody needs the result.
    purpose: Option<P>,
    ending: RequestEnd,
    /// When it was sent to the engine.
    started: Instant,
}

enum RequestEnd {
    /// By itself and soon: the start of the engine, and settings.
    Soon,
    /// When it is done or stopped, as the next one.
    Search {
        handle: SearchHandle,
        board: Board,
    },
    Count(Control),
}

impl<P> PendingRequest<P> {
    fn new(purpose: Option<P>, ending: RequestEnd) -> PendingRequest<P> {
        PendingRequest {
            purpose,
            ending,
            started: Instant::now(),
        }
    }

    fn stop(&self) {
        match &self.ending {
            RequestEnd::Soon => {}
            RequestEnd::Search { handle, .. } => handle.stop(),
            RequestEnd::Count(control) => control.stop(),
        }
    }

    fn is_stopped(&self) -> bool {
        match &self.ending {
            RequestEnd::Soon => false,
            RequestEnd::Search { handle, .. } => handle.control().is_stopped(),
            RequestEnd::Count(control) => control.is_stopped(),
        }
    }

    /// Would it run for ever?
    fn is_endless(&self) -> bool {
        matches!(&self.ending, RequestEnd::Search { handle, .. } if handle.is_open())
    }

    const fn is_brief(&self) -> bool {
        matches!(self.ending, RequestEnd::Soon)
    }
}

impl<D: Dialect> Agenda<D> {
    fn tasks(&self) -> impl Iterator<Item = &PendingRequest<D::Purpose>> {
        let waiting = self.queue.iter().filter_map(|step| match step {
            QueuedStep::Request(request) => Some(&request.1),
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
            Some(QueuedStep::Reply(_) | QueuedStep::Command(_)) => {
                running.purpose.is_none() || running.is_endless()
            }
            Some(QueuedStep::Ready(_)) => !running.is_brief(),
            next => {
                if running.is_endless() && (next.is_some() || self.input_ended) {
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
            agenda: Agenda {
                queue: VecDeque::new(),
                running: Some(PendingRequest::new(None, RequestEnd::Soon)),
                input_ended: false,
                has_quit: false,
            },
        }
    }

    /// Lets the dialect act when neither a line nor an event has come.
    #[cfg(feature = "program")]
    pub(super) fn act<T>(
        &mut self,
        port: &mut dyn Port,
        act: impl FnOnce(&mut D, &mut Context<'_, D>) -> T,
    ) -> T {
        let at = self.agenda.queue.len();
        let result = act(
            &mut self.dialect,
            &mut Context::new(&mut self.agenda, at, port),
        );
        self.advance(port);
        result
    }

    /// Takes the steps that may be taken now.
    fn advance(&mut self, port: &mut dyn Port) -> Flow {
        while !self.agenda.has_quit
            && self.agenda.is_free()
            && let Some(step) = self.agenda.queue.pop_front()
        {
            match step {
                QueuedStep::Reply(reply) | QueuedStep::Ready(reply) => port.print(reply),
                QueuedStep::Quit => self.agenda.has_quit = true,
                QueuedStep::Command(command) => {
                    let mut context = Context::new(&mut self.agenda, 0, port);
                    self.dialect.run(command, &mut context);
                }
                QueuedStep::Request(request) => {
                    let (request, task) = *request;
                    let started = Instant::now();
                    self.agenda.running = Some(PendingRequest { started, ..task });
                    port.request(request);
                }
            }
        }
        let agenda = &self.agenda;
        if agenda.has_quit {
            Flow::Quit
        } else if agenda.input_ended && agenda.running.is_none() {
            Flow::Finish
        } else {
            Flow::Continue
        }
    }

    /// The engine has finished its request.
    fn complete(&mut self, event: Event, port: &mut dyn Port) {
        let Some(task) = self.agenda.running.take() else {
            log::error!("the engine sent a result without a request");
            return;
        };
        let mut context = Context::new(&mut self.agenda, 0, port);
        let mut event = event;
        if let Event::Fault(reason) = &event {
            let reason = format!("internal fault: {reason:?}");
            self.dialect.warn(reason, &mut context);
            if let RequestEnd::Search { board, .. } = task.ending {
                event = Event::Done(any_outcome(board));
            }
        }
        if let Some(purpose) = task.purpose {
            let elapsed = task.started.elapsed();
            let done = DoneRequest {
                purpose,
                event,
                elapsed,
            };
            self.dialect.complete(done, &mut context);
        } else if let Event::Set(start) = event {
            for reason in start.unwrap_or_else(|reason| vec![reason]) {
                self.dialect.warn(reason, &mut context);
            }
        }
    }
}

impl<D: Dialect> Session for Conversation<D> {
    fn line(&mut self, line: &Line, port: &mut dyn Port) -> Flow {
        let at = self.agenda.queue.len();
        let mut context = Context::new(&mut self.agenda, at, port);
        self.dialect.line(line, &mut context);
        self.advance(port)
    }

    fn event(&mut self, event: Event, port: &mut dyn Port) -> Flow {
        if event.is_final() {
            self.complete(event, port);
        } else if let Some(running) = &mut self.agenda.running
            && let Some(mut purpose) = running.purpose.take()
        {
            let mut context = Context::new(&mut self.agenda, 0, port);
            self.dialect.progress(&mut purpose, event, &mut context);
            if let Some(running) = &mut self.agenda.running {
                running.purpose = Some(purpose);
            }
        }
        self.advance(port)
    }

    fn end_of_input(&mut self, port: &mut dyn Port) -> Flow {
        self.agenda.input_ended = true;
        self.advance(port)
    }
}

/// The actions of a dialect.
pub(super) struct Context<'a, D: Dialect> {
    agenda: &'a mut Agenda<D>,
    /// Where the next step is inserted: at the end for a line that was read, at the front for a
    /// command that had waited.
    at: usize,
    port: &'a mut dyn Port,
}

impl<'a, D: Dialect> Context<'a, D> {
    fn new(agenda: &'a mut Agenda<D>, at: usize, port: &'a mut dyn Port) -> Context<'a, D> {
        Context { agenda, at, port }
    }

    fn push(&mut self, step: QueuedStep<D>) {
        self.agenda.queue.insert(self.at, step);
        self.at += 1;
    }

    /// Replies after everything before it is done.
    pub(super) fn reply(&mut self, reply: impl Into<String>) {
        self.push(QueuedStep::Reply(reply.into()));
    }

    pub(super) fn reply_now(&mut self, reply: impl Into<String>) {
        self.port.print(reply.into());
    }

    /// Replies as soon as the engine has started and the settings that run or come next are done.
    pub(super) fn reply_when_set(&mut self, reply: impl Into<String>) {
        if !self
            .agenda
            .running
            .as_ref()
            .is_some_and(PendingRequest::is_brief)
        {
            return self.reply_now(reply);
        }
        let is_long = |step: &QueuedStep<D>| matches!(step, QueuedStep::Request(request) if !request.1.is_brief());
        let queue = &mut self.agenda.queue;
        let at = queue.iter().position(is_long).unwrap_or(queue.len());
        queue.insert(at, QueuedStep::Ready(reply.into()));
        self.at += usize::from(at <= self.at);
    }

    /// Carries out a command when everything before it is done.
    pub(super) fn defer(&mut self, command: D::Command) {
        self.push(QueuedStep::Command(command));
    }

    fn request(&mut self, request: Request, purpose: Option<D::Purpose>, ending: RequestEnd) {
        let task = PendingRequest::new(purpose, ending);
        self.push(QueuedStep::Request(Box::new((request, task))));
    }

    /// Searches. Without a purpose nobody needs the result.
    pub(super) fn search(
        &mut self,
        job: SearchJob,
        purpose: impl Into<Option<D::Purpose>>,
    ) -> SearchHandle {
        let handle = job.handle().clone();
        let ending = RequestEnd::Search {
            handle: handle.clone(),
            board: job.board(),
        };
        self.request(Request::Search(job), purpose.into(), ending);
        handle
    }

    /// Makes a request that is done soon.
    pub(super) fn set(&mut self, request: Request, purpose: D::Purpose) {
        self.request(request, Some(purpose), RequestEnd::Soon);
    }

    /// Makes a request that may take long, and that its control stops.
    pub(super) fn count(&mut self, purpose: D::Purpose, request: impl FnOnce(Control) -> Request) {
        let control = Control::new();
        let request = request(control.clone());
        self.request(request, Some(purpose), RequestEnd::Count(control));
    }

    /// Ends the running request, and all waiting ones as soon as they start. All are still answered.
    pub(super) fn stop_all(&self) {
        self.agenda.tasks().for_each(PendingRequest::stop);
    }

    pub(super) fn stop_running(&self) {
        self.agenda.running.iter().for_each(PendingRequest::stop);
    }

    /// Ends searches that nothing else would end.
    pub(super) fn stop_endless(&self) {
        let endless = self.agenda.tasks().filter(|task| task.is_endless());
        endless.for_each(PendingRequest::stop);
    }

    /// The opponent played the expected move.
    pub(super) fn ponder_hit(&self) {
        for task in self.agenda.tasks() {
            if let RequestEnd::Search { handle, .. } = &task.ending {
                handle.ponderhit();
            }
        }
    }

    /// The expected move was played: if a search of its board ponders and nobody waits for it yet, it
    /// continues as this job for this purpose, where time alone bounds the job. Otherwise the purpose comes back.
    pub(super) fn continue_pondering(
        &mut self,
        job: &SearchJob,
        purpose: D::Purpose,
    ) -> Result<(), D::Purpose> {
        if let Some(running) = &mut self.agenda.running
            && let RequestEnd::Search { handle, board } = &running.ending
            && running.purpose.is_none()
            && *board == job.board()
            && handle.ponders()
            && job.is_bounded_by_time_alone()
        {
            running.purpose = Some(purpose);
            handle.ponderhit_with(job.limits.time);
            return Ok(());
        }
        Err(purpose)
    }

    /// Drops all requests and replies that wait or run: none of them is answered.
    pub(super) fn drop_all(&mut self) {
        self.agenda.queue.clear();
        self.at = 0;
        if let Some(running) = &mut self.agenda.running {
            running.stop();
            running.purpose = None;
        }
    }

    /// Ends the conversation: replies that wait are sent, requests are dropped, unless all of them were stopped: then
    /// they are answered first.
    pub(super) fn quit(&mut self) {
        let long = self.agenda.tasks().filter(|task| !task.is_brief());
        let stopped: Vec<bool> = long.map(PendingRequest::is_stopped).collect();
        if stopped.contains(&true) && !stopped.contains(&false) {
            return self.push(QueuedStep::Quit);
        }
        for step in self.agenda.queue.drain(..) {
            if let QueuedStep::Reply(reply) | QueuedStep::Ready(reply) = step {
                self.port.print(reply);
            }
        }
        self.at = 0;
        self.stop_running();
        self.agenda.has_quit = true;
    }

    /// Does a request run whose result is needed, or does anything wait?
    pub(super) fn is_busy(&self) -> bool {
        self.running().is_some() || !self.agenda.queue.is_empty()
    }

    /// The purpose of the running request, if its result is needed, and how long it has been running.
    pub(super) fn running(&self) -> Option<(&D::Purpose, Duration)> {
        let running = self.agenda.running.as_ref()?;
        Some((running.purpose.as_ref()?, running.started.elapsed()))
    }

    /// May the host send more, and does none of its commands wait?
    pub(super) fn is_idle(&self) -> bool {
        !self.agenda.input_ended && self.agenda.queue.len() == self.at
    }
}

/// A legal move as the answer of a search that failed.
pub(super) fn any_outcome(board: Board) -> Outcome {
    Outcome {
        best: board.moves().next(),
        ponder: None,
        lines: Vec::new(),
        nodes: 0,
        time: Duration::ZERO,
        complete: false,
        proven: crate::score::Bounds::UNKNOWN,
    }
}

#[cfg(test)]
mod tests;
