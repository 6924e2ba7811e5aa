//! Talk: what hosts say and what they are answered.
//!
//! [`serve`] joins three threads: a reader that is never blocked (`lines`), the
//! search thread of the [`Engine`], and a writer that owns the output
//! (`output`). Between them, on the caller's thread, stands one [`FrontEnd`]:
//! an adapter from one protocol's lines to the engine's requests, and from its
//! events back to lines. No front end ever waits for anything.

pub mod cassio;
pub mod gtp;
mod lines;
pub mod native;
pub mod nboard;
mod output;
mod words;

use std::io::{self, Read, Write};

use crossbeam_channel::{Receiver, select};

use crate::engine::{Engine, Event, Strength};
use crate::search::SearchOptions;

pub use lines::{Line, MAX_LINE};
pub use output::Output;

/// The kind of host on the other side of the pipe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Host {
    /// Not known yet: the first line tells.
    Recognise,
    /// The native protocol of PROTOCOL.md, in its UCI or UGI words.
    Native,
    /// The Go Text Protocol.
    Gtp,
    /// The protocol of NBoard.
    NBoard,
    /// The protocol of Cassio.
    Cassio,
}

impl Host {
    /// The host that begins with this line: the native protocol, unless the line
    /// belongs to another one. A blank line tells nothing.
    fn of_first_line(line: &Line) -> Option<Host> {
        if matches!(line, Line::Bytes(bytes) if bytes.trim_ascii().is_empty()) {
            None
        } else if gtp::begins(line) {
            Some(Host::Gtp)
        } else if nboard::begins(line) {
            Some(Host::NBoard)
        } else if cassio::begins(line) {
            Some(Host::Cassio)
        } else {
            Some(Host::Native)
        }
    }

    fn front_end(self, preferences: Preferences) -> Box<dyn FrontEnd> {
        match self {
            Host::Recognise | Host::Native => Box::new(native::Session::new()),
            Host::Gtp => Box::new(gtp::Session::new(preferences)),
            Host::NBoard => Box::new(nboard::Session::new(preferences)),
            Host::Cassio => Box::new(cassio::Session::new()),
        }
    }
}

/// What was chosen before the host said anything. The native protocol has its own words for these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Preferences {
    /// Threads and memory.
    pub options: SearchOptions,
    /// How strongly to play.
    pub strength: Strength,
    /// Whether to think on the opponent's time.
    pub ponders: bool,
}

/// Whether there is more to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Wait for the next line or event.
    Continue,
    /// All that was asked for is done.
    Finish,
    /// The host wants no more answers: drop the work.
    Quit,
}

/// What a front end works with.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    /// Takes requests.
    pub engine: &'a Engine,
    /// Takes answers.
    pub output: &'a Output,
}

/// One protocol's side of the engine.
pub trait FrontEnd {
    /// Takes a line of the host.
    fn line(&mut self, line: &Line, desk: Desk<'_>) -> Flow;

    /// Takes an event of the engine.
    fn event(&mut self, event: Event, desk: Desk<'_>) -> Flow;

    /// There will be no more lines: [`Flow::Finish`] once all is answered, now or after an event.
    fn end_of_input(&mut self, desk: Desk<'_>) -> Flow;
}

/// Speaks with `host` over `input` and `output` until it quits, its input ends and
/// all is answered, or it stops listening (a closed pipe is no error).
///
/// # Errors
/// If there are no threads to be had, or the output cannot be written.
pub fn serve(
    host: Host,
    preferences: Preferences,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<()> {
    let (output, writer) = output::start(output)?;
    let lines = lines::start(input)?;
    // Last: it takes as many threads as it was told to, if the system has them.
    let engine = Engine::start(preferences.options)?;
    let flow = converse(host, preferences, &lines, &engine, &output, &writer);
    drop(output);
    if flow == Flow::Quit {
        engine.abandon();
        return writer.hurry();
    }
    writer.finish()
}

/// Passes lines and events to the front end until one side has had enough.
fn converse(
    host: Host,
    preferences: Preferences,
    lines: &Receiver<Line>,
    engine: &Engine,
    output: &Output,
    writer: &output::Writer,
) -> Flow {
    let desk = Desk { engine, output };
    let mut front_end = match host {
        Host::Recognise => None,
        known => Some(known.front_end(preferences)),
    };
    let mut waiting_events = Vec::new();
    let closed = crossbeam_channel::never();
    let mut lines = lines;
    loop {
        let flow = select! {
            recv(lines) -> line => match line {
                Ok(line) => {
                    if front_end.is_none() {
                        front_end = Host::of_first_line(&line).map(|host| host.front_end(preferences));
                    }
                    match &mut front_end {
                        Some(known) => {
                            let early = waiting_events.drain(..);
                            let flow = early.fold(Flow::Continue, |_, event| known.event(event, desk));
                            if flow == Flow::Continue { known.line(&line, desk) } else { flow }
                        }
                        None => Flow::Continue,
                    }
                }
                Err(_) => {
                    lines = &closed;
                    match &mut front_end {
                        Some(known) => known.end_of_input(desk),
                        None => Flow::Finish,
                    }
                }
            },
            recv(engine.events()) -> event => match (event, &mut front_end) {
                (Ok(event), Some(known)) => known.event(event, desk),
                (Ok(event), None) => {
                    waiting_events.push(event);
                    Flow::Continue
                }
                // The search thread is gone: nothing more can be answered.
                (Err(_), _) => Flow::Finish,
            },
            recv(writer.closed()) -> _ => Flow::Quit,
        };
        if flow != Flow::Continue {
            return flow;
        }
    }
}
