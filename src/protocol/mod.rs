//! Conversations with hosts, each in its own protocol.
//!
//! [`serve`] joins three threads: a reader of lines, the search thread of the
//! [`Engine`], and a writer that owns the output. Between them, on the caller's thread,
//! is one conversation: the rules of order are the same for all hosts
//! (`conversation`), and each protocol adds a grammar, the form of its replies, and what
//! each command does. This thread waits only for the next line or event.

mod conversation;
mod direct;
mod output;

pub mod cassio;
#[cfg(feature = "program")]
pub mod ggs;
pub mod gtp;
pub mod native;
pub mod nboard;
#[cfg(feature = "program")]
pub mod terminal;
#[doc(hidden)]
pub mod testing;

use std::io::{self, BufReader, Read, Write};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, never, select, tick, unbounded};

use crate::engine::{Engine, Event, Player, Request};
use crate::search::SearchOptions;
use crate::text::{Line, Lines};
use crate::threads::{self, Stack};

use conversation::{Flow, Port, Session};
pub use direct::Direct;

/// All protocols, in the order in which they are tried for the first line of a host.
pub const PROTOCOLS: [&Protocol; 4] = [
    &gtp::PROTOCOL,
    &nboard::PROTOCOL,
    &cassio::PROTOCOL,
    &native::PROTOCOL,
];

/// One protocol.
pub struct Protocol {
    /// Can a conversation start with this line?
    begins: fn(&Line) -> bool,
    /// Starts a conversation with a new engine.
    converse: fn(Preferences) -> Box<dyn Session>,
}

/// Options from the command line. The native protocol has its own commands for these.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    /// Threads and memory.
    pub options: SearchOptions,
    /// Who plays; its seed should be another one for each session, or levels repeat their games.
    pub player: Player,
    /// Whether to think on the opponent's time.
    pub ponders: bool,
}

const CHUNK: usize = 65_536;

/// Deepest search that a host of GTP or NBoard can ask for, in plies: no game is longer.
const MAX_DEPTH: u32 = 60;

/// How often it is checked whether anyone still reads the output, once the input has ended.
const CHECK_EVERY: Duration = Duration::from_millis(200);

/// Serves a host over `input` and `output` until it quits, its input has ended and all commands
/// are answered, or the output is closed (which is no error). Without a `protocol`, the first
/// line that is not blank decides which one it is.
///
/// A pipe ends its input and waits for the answers, which may take long. A host that is gone has ended
/// its input as well: `is_closed` says whether nobody reads the output any more, also where nothing is written.
///
/// # Errors
/// If a thread cannot be started or has failed, or the output cannot be written.
pub fn serve(
    protocol: Option<&Protocol>,
    preferences: Preferences,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    is_closed: fn() -> bool,
) -> io::Result<()> {
    let (output, writer) = output::start(output)?;
    let lines = read_lines(input)?;
    // Last, because it takes all threads that were set, if the system has them.
    let engine = Engine::start(preferences.options)?;
    let conversation = Open::new(protocol, preferences);
    let flow = converse(conversation, &lines, &engine, (output, &writer), is_closed)?;
    if flow == Flow::Quit {
        engine.abandon();
        return writer.hurry();
    }
    writer.finish()
}

/// Starts the reader. The channel is disconnected at the end of the input.
fn read_lines(input: impl Read + Send + 'static) -> io::Result<Receiver<Line>> {
    let (sender, lines) = unbounded();
    let read = move || {
        if let Err(error) = send_lines(input, &sender) {
            log::error!("cannot read the input: {error}");
        }
    };
    threads::spawn("reader", Stack::Small, read)?;
    Ok(lines)
}

fn send_lines(input: impl Read, sender: &Sender<Line>) -> io::Result<()> {
    let mut lines = Lines::new(BufReader::with_capacity(CHUNK, input));
    while let Some(line) = lines.next_line()? {
        if sender.send(line).is_err() {
            break;
        }
    }
    Ok(())
}

/// Passes lines and events to the conversation until it ends.
fn converse(
    mut conversation: Open,
    lines: &Receiver<Line>,
    engine: &Engine,
    (output, writer): (Sender<String>, &output::ReplyWriter),
    is_closed: fn() -> bool,
) -> io::Result<Flow> {
    let mut port = Channels::new(engine, Some(output));
    let closed = never();
    let mut lines = lines;
    let mut checks = never();
    loop {
        let flow = select! {
            recv(lines) -> line => match line {
                Ok(line) => conversation.line(&line, &mut port),
                Err(_) => {
                    lines = &closed;
                    checks = tick(CHECK_EVERY);
                    conversation.end_of_input(&mut port)
                }
            },
            recv(engine.events()) -> event => match event {
                Ok(event) => conversation.event(event, &mut port),
                // No more replies are possible.
                Err(_) => return Err(io::Error::other("the search thread has ended")),
            },
            recv(writer.closed) -> _ => Flow::Quit,
            recv(checks) -> _ => if is_closed() { Flow::Quit } else { Flow::Continue },
        };
        if flow != Flow::Continue {
            return Ok(flow);
        }
    }
}

/// The engine, and who reads what is printed, if anyone does.
struct Channels<'a> {
    engine: &'a Engine,
    output: Option<Sender<String>>,
}

impl<'a> Channels<'a> {
    const fn new(engine: &'a Engine, output: Option<Sender<String>>) -> Channels<'a> {
        Channels { engine, output }
    }
}

impl Port for Channels<'_> {
    fn request(&mut self, request: Request) {
        self.engine.send(request);
    }

    fn print(&mut self, reply: String) {
        if let Some(output) = &self.output {
            // A writer that has ended is seen by its `closed`, or where the connection is read.
            let _ = output.send(reply);
        }
    }
}

/// A conversation whose protocol may still be unknown.
struct Open {
    preferences: Preferences,
    session: Option<Box<dyn Session>>,
    /// Events of the engine before the first line.
    early: Vec<Event>,
}

impl Open {
    fn new(protocol: Option<&Protocol>, preferences: Preferences) -> Open {
        Open {
            session: protocol.map(|protocol| (protocol.converse)(preferences.clone())),
            preferences,
            early: Vec::new(),
        }
    }
}

impl Session for Open {
    fn line(&mut self, line: &Line, port: &mut dyn Port) -> Flow {
        if self.session.is_none() {
            let Some(protocol) = PROTOCOLS.iter().find(|known| (known.begins)(line)) else {
                return Flow::Continue;
            };
            let preferences = self.preferences.clone();
            let session = self.session.insert((protocol.converse)(preferences));
            for event in self.early.drain(..) {
                session.event(event, port);
            }
        }
        let session = self.session.as_mut();
        session.map_or(Flow::Continue, |session| session.line(line, port))
    }

    fn event(&mut self, event: Event, port: &mut dyn Port) -> Flow {
        match &mut self.session {
            Some(session) => session.event(event, port),
            None => {
                self.early.push(event);
                Flow::Continue
            }
        }
    }

    fn end_of_input(&mut self, port: &mut dyn Port) -> Flow {
        let session = self.session.as_mut();
        session.map_or(Flow::Finish, |session| session.end_of_input(port))
    }
}
