//! A client of the server, and a test that says what the server says to it, line by line.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, unbounded};
use emilia::engine::{Player, Strength};
use emilia::protocol::Preferences;
use emilia::protocol::ggs::settings::EXAMPLE;
use emilia::protocol::ggs::{self, Ended, Report, Settings};
use emilia::rules::{Game, Position};
use emilia::search::SearchOptions;

use super::mock::board_text;

/// Longer than anything takes here.
const WATCHDOG: Duration = Duration::from_secs(20);

/// Long enough for a move that must not come.
const SILENCE: Duration = Duration::from_millis(250);

/// Settings of tests: everything happens soon.
pub(crate) fn settings(name: &str, port: u16) -> Settings {
    let kinds = ["8", "8k", "s8r14-20"].map(|kind| kind.to_owned().try_into());
    Settings {
        host: "127.0.0.1".to_owned(),
        port,
        name: name.to_owned(),
        types: kinds.into_iter().collect::<Result<_, _>>().expect("kinds"),
        seconds: [1, 1800],
        haste: 32,
        password: "secret".to_owned(),
        ..Settings::read(EXAMPLE).expect("an example")
    }
}

/// An engine of one thread and little memory.
pub(crate) fn preferences(strength: Strength) -> Preferences {
    Preferences {
        options: SearchOptions {
            threads: 1,
            hash_mb: 2,
        },
        player: Player::new(strength, 1),
        ponders: false,
    }
}

/// A client on a thread of its own.
pub(crate) struct Running {
    pub(crate) interrupts: Sender<()>,
    pub(crate) reports: Receiver<Report>,
    ended: JoinHandle<std::io::Result<Ended>>,
}

impl Running {
    pub(crate) fn start(settings: Settings, preferences: Preferences) -> Running {
        let (interrupts, interrupted) = unbounded();
        let (sender, reports) = unbounded();
        let ended = thread::spawn(move || {
            ggs::run(settings, preferences, interrupted, &mut |report| {
                let _ = sender.send(report);
            })
        });
        Running {
            interrupts,
            reports,
            ended,
        }
    }

    pub(crate) fn interrupt(&self) {
        let _ = self.interrupts.send(());
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.ended.is_finished()
    }

    pub(crate) fn end(self) -> Ended {
        self.ended.join().expect("no panic").expect("a connection")
    }
}

/// The server's side of a conversation.
pub(crate) struct Script {
    listener: TcpListener,
    stream: TcpStream,
    lines: Receiver<String>,
    pub(crate) client: Running,
    /// Does every byte travel alone?
    pub(crate) is_split: bool,
}

impl Script {
    /// A client that is logged in and set up.
    pub(crate) fn start(change: impl FnOnce(&mut Settings)) -> Script {
        let mut script = Script::connect(change, Strength::Depth(1), false);
        script.log_in();
        script
    }

    pub(crate) fn connect(
        change: impl FnOnce(&mut Settings),
        strength: Strength,
        ponders: bool,
    ) -> Script {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut settings = settings("emilia", listener.local_addr().expect("an address").port());
        change(&mut settings);
        let preferences = Preferences {
            ponders,
            ..preferences(strength)
        };
        let client = Running::start(settings, preferences);
        let (stream, lines) = accept(&listener);
        Script {
            listener,
            stream,
            lines,
            client,
            is_split: false,
        }
    }

    /// Closes the connection, and waits for the next one.
    pub(crate) fn reconnect(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        (self.stream, self.lines) = accept(&self.listener);
    }

    pub(crate) fn log_in(&mut self) {
        self.raw("\r\nWelcome\x07\r\n: Enter login (yours, or one you'd like to use).");
        assert_eq!(self.line(), "emilia");
        self.raw("\r\n: Enter your password.");
        assert_eq!(self.line(), "secret");
        self.raw("\r\nREADY\r\n");
        self.expect("tell /os stored");
    }

    pub(crate) fn raw(&mut self, text: &str) {
        let size = if self.is_split { 1 } else { text.len().max(1) };
        for bytes in text.as_bytes().chunks(size) {
            self.stream.write_all(bytes).expect("the client reads");
        }
    }

    /// A message of the service.
    pub(crate) fn say(&mut self, text: &str) {
        let text = text.replace('\n', "\r\n");
        self.raw(&format!("\r\n/os: {text}\r\nREADY\r\n"));
    }

    pub(crate) fn any_line(&self) -> String {
        self.lines
            .recv_timeout(WATCHDOG)
            .expect("a line of the client")
    }

    /// The next line that is not for keeping the connection.
    pub(crate) fn line(&self) -> String {
        let start = Instant::now();
        loop {
            let line = self.any_line();
            if !line.is_empty() {
                return line;
            }
            assert!(start.elapsed() < WATCHDOG, "only empty lines come");
        }
    }

    /// The rest of the next line that begins so; lines before it that are no moves are passed over.
    pub(crate) fn expect(&self, start: &str) -> String {
        loop {
            let line = self.line();
            if let Some(rest) = line.strip_prefix(start) {
                return rest.to_owned();
            }
            assert!(
                !line.starts_with("tell /os play"),
                "{line:?} before {start:?}"
            );
        }
    }

    /// The next move, in a game of this number.
    pub(crate) fn expect_move(&self, id: &str) -> String {
        let rest = self.expect(&format!("tell /os play {id} "));
        rest.split('/').next().expect("a move").to_owned()
    }

    /// No line comes, but those for keeping the connection.
    pub(crate) fn expect_silence(&self) {
        let end = Instant::now() + SILENCE;
        while let Ok(line) = self.lines.recv_deadline(end) {
            assert!(line.is_empty(), "unexpected {line:?}");
        }
    }

    /// The first note that has this text.
    pub(crate) fn note(&self, part: &str) -> String {
        loop {
            match self
                .client
                .reports
                .recv_timeout(WATCHDOG)
                .unwrap_or_else(|_| panic!("no note {part:?}"))
            {
                Report::Note(text) if text.contains(part) => return text,
                _ => {}
            }
        }
    }

    /// The next game that is saved.
    pub(crate) fn saved(&self) -> (String, bool) {
        loop {
            if let Report::Game { game, is_ours } =
                self.client.reports.recv_timeout(WATCHDOG).expect("a game")
            {
                return (game.to_string(), is_ours);
            }
        }
    }

    pub(crate) fn cut(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Leaves in the middle of a match; the notes that are left.
    pub(crate) fn finish(self) -> (Ended, Vec<String>) {
        let reports = self.client.reports.clone();
        let (ended, _) = self.leave_now();
        let notes = reports.try_iter().filter_map(|report| match report {
            Report::Note(text) => Some(text),
            Report::Game { .. } => None,
        });
        (ended, notes.collect())
    }

    /// Leaves in the middle of a match.
    pub(crate) fn leave_now(self) -> (Ended, Vec<String>) {
        self.client.interrupt();
        self.leave()
    }

    /// Leaves; what the client says at its end.
    pub(crate) fn leave(self) -> (Ended, Vec<String>) {
        self.client.interrupt();
        let mut rest = Vec::new();
        loop {
            let line = self.line();
            let is_last = line == "quit";
            rest.push(line);
            if is_last {
                break;
            }
        }
        let _ = self.stream.shutdown(Shutdown::Both);
        (self.client.end(), rest)
    }
}

fn accept(listener: &TcpListener) -> (TcpStream, Receiver<String>) {
    let (stream, _) = listener.accept().expect("a client");
    let reading = stream.try_clone().expect("a stream");
    let (sender, lines) = unbounded();
    thread::spawn(move || {
        for line in BufReader::new(reading).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    (stream, lines)
}

/// A game as the server shows it.
pub(crate) struct Shown<'a> {
    pub(crate) id: &'a str,
    pub(crate) kind: &'a str,
    /// Name, colour and clock of both players.
    pub(crate) seats: [(&'a str, char, &'a str); 2],
    pub(crate) game: Game,
}

impl<'a> Shown<'a> {
    /// A game of emilia with this colour against kitty, after these moves.
    pub(crate) fn new(id: &'a str, color: char, moves: &str) -> Shown<'a> {
        let other = if color == '*' { 'O' } else { '*' };
        let mut game = Game::new(Position::START);
        for mv in moves.split_whitespace() {
            game.play(mv.parse().expect("a move")).expect("legal");
        }
        // The order of the lines says nothing.
        let seats = [("kitty", other, "01:00"), ("emilia", color, "00:59")];
        Shown {
            id,
            kind: "8",
            seats,
            game,
        }
    }

    pub(crate) fn play(&mut self, mv: &str) -> &mut Shown<'a> {
        self.game.play(mv.parse().expect("a move")).expect("legal");
        self
    }

    /// Plays the first of the legal moves.
    pub(crate) fn play_first(&mut self) -> &mut Shown<'a> {
        let first = self.game.position().board.moves().next();
        self.play(first.expect("a move").name())
    }

    fn head(&self, word: &str) -> String {
        format!("{word} {} {} K?", self.id, self.kind)
    }

    fn clocks(&self) -> String {
        let line =
            |(name, color, clock)| format!("\n|{name:<8} (1720.0 {color}) {clock},0:0//02:00,0:0");
        self.seats.map(line).concat()
    }

    pub(crate) fn join(&self) -> String {
        let moves = self.game.moves();
        let mut text = format!("{}\n|{} move(s)", self.head("join"), moves.len());
        if moves.is_empty() {
            text += "\n|  0: PASS";
        } else {
            text += &(self.clocks() + &board_text(self.game.start()));
            for (number, mv) in (1..).zip(moves) {
                text += &format!("\n| {number:2}: {}//1.50", mv.name());
            }
        }
        text + &self.clocks() + &board_text(self.game.position())
    }

    pub(crate) fn update(&self) -> String {
        let moves = self.game.moves();
        let last = moves.last().expect("a move").name();
        let head = self.head("update");
        format!(
            "{head}\n| {:2}: {last}/-1.25/0.50{}{}",
            moves.len(),
            self.clocks(),
            board_text(self.game.position())
        )
    }
}
