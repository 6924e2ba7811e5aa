//! The connection: it is made again whenever it is lost, until the session ends.

use std::io::{self, BufWriter};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, after, bounded, never, select_biased, tick, unbounded};

use super::session::{Ggs, Next};
use super::settings::{Password, Settings};
use super::telnet::Prompted;
use super::{Ended, Report};
use crate::engine::{Engine, Request};
use crate::protocol::conversation::{Context, Conversation, Port, Session};
use crate::protocol::{Preferences, output, send_lines};
use crate::random::SplitMix64;
use crate::text::Line;
use crate::threads::{self, Stack};

/// Lines that wait to be looked at; then the server waits.
const MAX_WAITING: usize = 1024;

/// The least before another connection, and half as much again at most; twice as long each time, up to the longest.
const RECONNECT: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(300);

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
    ticks: Receiver<Instant>,
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
    let (host, port) = (settings.host.clone(), settings.port);
    let first_pause = RECONNECT / (1 + settings.haste);
    let mut stream = Some(connect(&host, port)?);
    let mut client = Client {
        engine: Engine::start(preferences.options)?,
        conversation: Conversation::new(Ggs::new(settings, password, preferences, sender)),
        interrupts,
        ticks: tick(TICK),
        reports,
        report,
    };
    let mut random = SplitMix64::fresh();
    let mut pause = first_pause;
    loop {
        if let Some(stream) = stream.take()
            && client.talk(&stream)?
        {
            pause = first_pause;
        }
        if let Some(ended) = client.ended() {
            return Ok(ended);
        }
        let wait = pause.mul_f64(1.0 + random.below(500) as f64 / 1000.0);
        let seconds = wait.as_secs_f64();
        client.note(format!(
            "no connection to {host}; the next try is in {seconds:.0} s"
        ));
        client.listen(None, &never(), &never(), &after(wait))?;
        if let Some(ended) = client.ended() {
            return Ok(ended);
        }
        pause = LONGEST.min(2 * pause);
        match connect(&host, port) {
            Ok(made) => stream = Some(made),
            Err(error) => client.note(error.to_string()),
        }
    }
}

fn connect(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut made = Err(io::ErrorKind::NotFound.into());
    let addresses = (host, port).to_socket_addrs();
    for address in addresses.iter().flat_map(Clone::clone) {
        made = made.or_else(|_: io::Error| TcpStream::connect_timeout(&address, CONNECTING));
    }
    let error = |error| io::Error::other(format!("cannot connect to {host}:{port}: {error}"));
    addresses.and(made).map_err(error)
}

fn read_lines(stream: TcpStream) -> io::Result<Receiver<Line>> {
    let (sender, lines) = bounded(MAX_WAITING);
    let read = move || {
        if let Err(error) = send_lines(Prompted::new(stream), &sender) {
            log::debug!("the connection is lost: {error}");
        }
    };
    threads::spawn("reader", Stack::Small, read)?;
    Ok(lines)
}

impl Client<'_> {
    /// Lets the session act without a connection.
    fn act<T>(&mut self, act: impl FnOnce(&mut Ggs, &mut Context<'_, Ggs>) -> T) -> T {
        let mut link = Link {
            engine: &self.engine,
            server: None,
        };
        let done = self.conversation.act(&mut link, act);
        self.reports.try_iter().for_each(&mut self.report);
        done
    }

    /// Serves a connection to its end. `true`: the login was done.
    fn talk(&mut self, stream: &TcpStream) -> io::Result<bool> {
        // One that is lost already is seen below.
        let _ = stream.set_nodelay(true);
        let lines = read_lines(stream.try_clone()?)?;
        // Each line is one write.
        let (server, writer) = output::start(BufWriter::new(stream.try_clone()?))?;
        self.act(|session, _| session.said.restart());
        self.listen(Some(server), &lines, &writer.closed, &never())?;
        let was_in = self.act(Ggs::disconnected);
        // What was said last goes out before the connection is closed.
        if writer.hurry().is_ok() && stream.shutdown(Shutdown::Write).is_ok() {
            let end = after(FAREWELL);
            while select_biased! { recv(end) -> _ => false, recv(lines) -> line => line.is_ok() } {}
        }
        let _ = stream.shutdown(Shutdown::Both);
        Ok(was_in)
    }

    /// Lets the session act on all that happens until the connection is lost or to be closed, or at this end.
    fn listen(
        &mut self,
        server: Option<Sender<String>>,
        lines: &Receiver<Line>,
        closed: &Receiver<()>,
        end: &Receiver<Instant>,
    ) -> io::Result<()> {
        let is_connected = server.is_some();
        let mut link = Link {
            engine: &self.engine,
            server,
        };
        let conversation = &mut self.conversation;
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
                recv(self.ticks) -> _ => if is_connected {
                    conversation.act(&mut link, Ggs::tick);
                },
                recv(lines) -> line => match line {
                    Ok(line) => _ = conversation.line(&line, &mut link),
                    Err(_) => return Ok(()),
                },
                recv(closed) -> _ => return Ok(()),
                recv(end) -> _ => return Ok(()),
            }
            self.reports.try_iter().for_each(&mut self.report);
            if conversation.act(&mut link, |session, _| session.next.is_some()) {
                return Ok(());
            }
        }
    }

    fn ended(&mut self) -> Option<Ended> {
        match self.act(|session, _| session.next.take()) {
            Some(Next::End(ended)) => Some(ended),
            Some(Next::Reconnect) | None => None,
        }
    }

    fn note(&mut self, text: String) {
        (self.report)(Report::Note(text));
    }
}
