//! The connection: it is made again whenever it is lost, until the session ends.

use std::io::{self, BufWriter};
use std::net::{Shutdown, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, after, bounded, never, select_biased, tick, unbounded};

use super::session::Ggs;
use super::settings::Settings;
use super::telnet::Prompted;
use super::{Ended, Report};
use crate::engine::Engine;
use crate::protocol::conversation::{Context, Conversation, Session};
use crate::protocol::{Channels, Preferences, output, send_lines};
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

/// How long a connection, and a login, may take.
const CONNECTING: Duration = Duration::from_secs(15);
const LOGIN_TIME: Duration = Duration::from_secs(30);

/// How long the server may take to close a connection after a farewell.
pub(super) const FAREWELL: Duration = Duration::from_secs(2);

struct Client<'a> {
    conversation: Conversation<Ggs>,
    engine: Engine,
    interrupts: Receiver<()>,
    ticks: Receiver<Instant>,
    reports: Receiver<Report>,
    report: &'a mut dyn FnMut(Report),
}

/// Plays on the server until a message of `interrupts` ends it: after the first one the games are played to their
/// ends, after the second one they are adjourned.
///
/// # Errors
/// If the first connection cannot be made, or a thread cannot be started.
pub fn run(
    settings: Settings,
    preferences: Preferences,
    interrupts: Receiver<()>,
    report: &mut dyn FnMut(Report),
) -> io::Result<Ended> {
    let (sender, reports) = unbounded();
    let (host, port) = (settings.host.clone(), settings.port);
    let first_pause = RECONNECT / (1 + settings.haste);
    let mut connection = io::Result::Ok(connect(&host, port)?);
    let mut client = Client {
        engine: Engine::start(preferences.options)?,
        conversation: Conversation::new(Ggs::new(settings, preferences, sender)),
        interrupts,
        ticks: tick(TICK),
        reports,
        report,
    };
    let mut random = SplitMix64::fresh();
    let mut pause = first_pause;
    loop {
        let reason = match connection {
            Ok(stream) => {
                let (was_in, reason) = client.talk(&stream)?;
                if was_in {
                    pause = first_pause;
                }
                format!("the connection to {host} is lost: {reason}")
            }
            Err(error) => error.to_string(),
        };
        if let Some(ended) = client.act(|session, _| session.ended.take()) {
            return Ok(ended);
        }
        let wait = pause.mul_f64(1.0 + random.below(500) as f64 / 1000.0);
        let seconds = wait.as_secs_f64();
        let note = format!("{reason}; the next try is in {seconds:.0} s");
        (client.report)(Report::Note(note));
        client.listen(None, &never(), &after(wait))?;
        if let Some(ended) = client.act(|session, _| session.ended.take()) {
            return Ok(ended);
        }
        pause = LONGEST.min(2 * pause);
        connection = connect(&host, port);
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

impl Client<'_> {
    /// Lets the session act without a connection.
    fn act<T>(&mut self, act: impl FnOnce(&mut Ggs, &mut Context<'_, Ggs>) -> T) -> T {
        let mut port = Channels::new(&self.engine, None);
        let done = self.conversation.act(&mut port, act);
        self.reports.try_iter().for_each(&mut self.report);
        done
    }

    /// Serves a connection to its end. Was the login done, and why has it ended?
    fn talk(&mut self, stream: &TcpStream) -> io::Result<(bool, String)> {
        // One that is lost already is seen below.
        let _ = stream.set_nodelay(true);
        let (sender, lines) = bounded(MAX_WAITING);
        let input = Prompted::new(stream.try_clone()?);
        let read = move || send_lines(input, &sender);
        let reader = threads::spawn("reader", Stack::Small, read)?;
        // Each line is one write.
        let (server, writer) = output::start(BufWriter::new(stream.try_clone()?))?;
        let is_late = self.listen(Some(server), &lines, &after(LOGIN_TIME))?;
        let was_in = self.act(|session, _| session.is_in());
        self.act(Ggs::disconnected);
        // What was said last goes out before the connection is closed.
        if writer.hurry().is_ok() && stream.shutdown(Shutdown::Write).is_ok() {
            let end = after(FAREWELL);
            while select_biased! { recv(end) -> _ => false, recv(lines) -> line => line.is_ok() } {}
        }
        let _ = stream.shutdown(Shutdown::Both);
        drop(lines);
        let reason = match reader.join() {
            _ if is_late => format!("no login in {} s", LOGIN_TIME.as_secs()),
            Ok(Err(error)) => error.to_string(),
            _ => "it was closed".to_owned(),
        };
        Ok((was_in, reason))
    }

    /// Lets the session act on all that happens until the connection is lost or to be closed, or nobody is logged in at
    /// this end; then it is late.
    fn listen(
        &mut self,
        server: Option<Sender<String>>,
        lines: &Receiver<Line>,
        end: &Receiver<Instant>,
    ) -> io::Result<bool> {
        let mut port = Channels::new(&self.engine, server);
        let conversation = &mut self.conversation;
        loop {
            // A move that was found goes out before anything else is read.
            select_biased! {
                recv(self.interrupts) -> interrupt => match interrupt {
                    Ok(()) => conversation.act(&mut port, Ggs::interrupted),
                    Err(_) => self.interrupts = never(),
                },
                recv(self.engine.events()) -> event => {
                    let lost = |_| io::Error::other("the search thread has ended");
                    conversation.event(event.map_err(lost)?, &mut port);
                }
                recv(self.ticks) -> _ => conversation.act(&mut port, Ggs::tick),
                recv(lines) -> line => match line {
                    Ok(line) => _ = conversation.line(&line, &mut port),
                    Err(_) => return Ok(false),
                },
                recv(end) -> _ => if !conversation.act(&mut port, |session, _| session.is_in()) {
                    return Ok(true);
                },
            }
            self.reports.try_iter().for_each(&mut self.report);
            if conversation.act(&mut port, |session, _| session.ended.is_some()) {
                return Ok(false);
            }
        }
    }
}
