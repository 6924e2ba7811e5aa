//! The connection: it is made again whenever it is lost, until the session ends.

use std::io::{self, BufWriter};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, after, bounded, never, select_biased, tick, unbounded};

use super::session::{Ggs, Next};
use super::settings::{Password, Pauses, Settings};
use super::telnet::PlainText;
use super::{Ended, Report};
use crate::engine::{Engine, Request};
use crate::protocol::conversation::{Conversation, Port, Session};
use crate::protocol::{Preferences, output, send_lines};
use crate::random::SplitMix64;
use crate::text::Line;
use crate::threads::{self, Stack};

/// Lines that wait to be looked at; then the server waits.
const MAX_WAITING: usize = 1024;

/// How often the session looks at the time.
const TICK: Duration = Duration::from_millis(50);

/// How long a connection may take.
const CONNECTING: Duration = Duration::from_secs(15);

/// How long the server may take to close a connection after a farewell.
const FAREWELL: Duration = Duration::from_secs(2);

struct Client<'a> {
    conversation: Conversation<Ggs>,
    engine: Engine,
    interrupts: Receiver<()>,
    ticks: Receiver<std::time::Instant>,
    reports: Receiver<Report>,
    report: &'a mut dyn FnMut(Report),
}

/// The engine, and the server while there is a connection.
struct Link<'a> {
    engine: &'a Engine,
    server: Option<Sender<String>>,
}

impl Port for Link<'_> {
    fn request(&mut self, request: Request) {
        self.engine.send(request);
    }

    fn print(&mut self, reply: String) {
        if let Some(server) = &self.server {
            // A writer that has ended is seen by its `closed`.
            let _ = server.send(reply);
        }
    }
}

/// Plays on the server until a message of `interrupts` ends it: after the first one the games are played to their
/// ends, after the second one they are adjourned.
///
/// # Errors
/// If the first connection cannot be made, or a thread cannot be started.
pub fn run(
    settings: Settings,
    password: Password,
    preferences: Preferences,
    interrupts: Receiver<()>,
    report: &mut dyn FnMut(Report),
) -> io::Result<Ended> {
    let (sender, reports) = unbounded();
    let Pauses {
        reconnect, longest, ..
    } = settings.pauses;
    let (host, port) = (settings.host.clone(), settings.port);
    let mut stream = Some(connect(&host, port)?);
    let engine = Engine::start(preferences.options)?;
    let mut client = Client {
        conversation: Conversation::new(Ggs::new(settings, password, preferences, sender)),
        engine,
        interrupts,
        ticks: tick(TICK),
        reports,
        report,
    };
    let mut random = SplitMix64::fresh();
    let mut pause = reconnect;
    loop {
        if let Some(stream) = stream
            && client.talk(&stream)?
        {
            pause = reconnect;
        }
        if let Some(ended) = client.ended() {
            return Ok(ended);
        }
        let more = pause.mul_f64(0.5 * random.below(1000) as f64 / 1000.0);
        let seconds = (pause + more).as_secs_f64();
        client.note(format!(
            "no connection to {host}; the next try is in {seconds:.0} seconds"
        ));
        if let Some(ended) = client.wait(pause + more) {
            return Ok(ended);
        }
        pause = longest.min(2 * pause);
        stream = connect(&host, port)
            .inspect_err(|error| client.note(error.to_string()))
            .ok();
    }
}

fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let cannot = |error: io::Error| {
        io::Error::new(
            error.kind(),
            format!("cannot connect to {host}:{port}: {error}"),
        )
    };
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in (host, port).to_socket_addrs().map_err(cannot)? {
        match TcpStream::connect_timeout(&address, CONNECTING) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(cannot(last))
}

fn read_lines(stream: TcpStream) -> io::Result<Receiver<Line>> {
    let (sender, lines) = bounded(MAX_WAITING);
    let read = move || {
        if let Err(error) = send_lines(PlainText::new(stream), &sender) {
            log::debug!("the connection is lost: {error}");
        }
    };
    threads::spawn("reader", Stack::Small, read)?;
    Ok(lines)
}

impl Client<'_> {
    /// Serves a connection to its end. `true`: the login was done.
    fn talk(&mut self, stream: &TcpStream) -> io::Result<bool> {
        stream.set_nodelay(true)?;
        let lines = read_lines(stream.try_clone()?)?;
        // Each line is one write.
        let (server, writer) = output::start(BufWriter::new(stream.try_clone()?))?;
        let mut link = Link {
            engine: &self.engine,
            server: Some(server),
        };
        let conversation = &mut self.conversation;
        conversation.act(&mut link, |session, _| session.connected());
        loop {
            // A move that was found goes out before anything else is read.
            select_biased! {
                recv(self.interrupts) -> interrupt => match interrupt {
                    Ok(()) => conversation.act(&mut link, Ggs::interrupted),
                    Err(_) => self.interrupts = never(),
                },
                recv(self.engine.events()) -> event => {
                    let lost = |_| io::Error::other("the search thread has ended");
                    conversation.event(event.map_err(lost)?, &mut link);
                }
                recv(self.ticks) -> _ => conversation.act(&mut link, Ggs::tick),
                recv(lines) -> line => match line {
                    Ok(line) => _ = conversation.line(&line, &mut link),
                    Err(_) => break,
                },
                recv(writer.closed) -> _ => break,
            }
            self.reports.try_iter().for_each(&mut self.report);
            if conversation.act(&mut link, |session, _| session.next.is_some()) {
                break;
            }
        }
        link.server = None;
        let was_in = conversation.act(&mut link, Ggs::disconnected);
        self.reports.try_iter().for_each(&mut self.report);
        // What was said last goes out before the connection is closed.
        let written = writer.hurry();
        let _ = stream.shutdown(Shutdown::Write);
        if written.is_ok() {
            let end = after(FAREWELL);
            while select_biased! { recv(end) -> _ => false, recv(lines) -> line => line.is_ok() } {}
        }
        let _ = stream.shutdown(Shutdown::Both);
        Ok(was_in)
    }

    fn ended(&mut self) -> Option<Ended> {
        let mut link = Link {
            engine: &self.engine,
            server: None,
        };
        match self
            .conversation
            .act(&mut link, |session, _| session.next.take())
        {
            Some(Next::End(ended)) => Some(ended),
            Some(Next::Reconnect) | None => None,
        }
    }

    /// Waits for so long, or until the person wants to leave.
    fn wait(&mut self, pause: Duration) -> Option<Ended> {
        let end = after(pause);
        loop {
            let mut link = Link {
                engine: &self.engine,
                server: None,
            };
            select_biased! {
                recv(self.interrupts) -> interrupt => match interrupt {
                    Ok(()) => {
                        self.conversation.act(&mut link, Ggs::interrupted);
                        return self.ended();
                    }
                    Err(_) => self.interrupts = never(),
                },
                recv(self.engine.events()) -> event => if let Ok(event) = event {
                    self.conversation.event(event, &mut link);
                },
                recv(end) -> _ => return None,
            }
        }
    }

    fn note(&mut self, text: String) {
        (self.report)(Report::Note(text));
    }
}
