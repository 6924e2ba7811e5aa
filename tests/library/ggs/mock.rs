//! A server as clients of the Generic Game Server see it: logins, requests, matches of all kinds with their clocks,
//! adjourned ones, and a network between. It judges every move, and counts what a client must not do.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use emilia::random::SplitMix64;
use emilia::rules::{Color, Game, Move, Position, Square};

/// What the network between does.
#[derive(Clone, Copy, Default)]
pub(crate) struct Network {
    /// Each way.
    pub(crate) lag: Duration,
    /// More, at most, for each message.
    pub(crate) jitter: Duration,
    /// Does every byte travel alone?
    pub(crate) is_split: bool,
}

/// What has happened.
#[derive(Clone, Default, Debug)]
pub(crate) struct Counts {
    pub(crate) games: u32,
    pub(crate) moves: u64,
    pub(crate) passes: u64,
    /// Moves that are not legal, or no moves.
    pub(crate) illegal: u32,
    /// Moves out of turn, and moves that were made already.
    pub(crate) out_of_turn: u32,
    pub(crate) soft_timeouts: u32,
    pub(crate) fatal_timeouts: u32,
    pub(crate) trust_violations: u32,
    pub(crate) adjourned: u32,
    pub(crate) resumed: u32,
    pub(crate) logins: u32,
    /// Connections that were cut in the middle of a match.
    pub(crate) kills: u32,
    /// The least that a clock showed, and the most that a game took of one.
    pub(crate) least: Option<Duration>,
    /// What each clock of the games of single and of synchro matches has lost, in sum and at most, and how many there are.
    pub(crate) lost: [(Duration, Duration, u32); 2],
    pub(crate) problems: Vec<String>,
}

/// The server; it lives as long as its process.
#[derive(Clone)]
pub(crate) struct Mock {
    pub(crate) port: u16,
    pub(crate) counts: Arc<Mutex<Counts>>,
    inputs: Sender<(usize, Input)>,
}

enum Input {
    Connected(TcpStream, Sender<(Instant, String)>),
    Line(String),
    Gone,
    /// Of a test: cut a connection of this name, or say this to it.
    Kill(String),
    Say(String, String),
}

impl Mock {
    pub(crate) fn start(network: Network, seed: u64) -> Mock {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let (inputs, received) = unbounded();
        let counts = Arc::new(Mutex::new(Counts::default()));
        let mut server = Server::new(Arc::clone(&counts), network, seed);
        thread::spawn(move || server.serve(&received));
        let accepted = inputs.clone();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                connect(number, stream, network, accepted.clone());
            }
        });
        Mock {
            port,
            counts,
            inputs,
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts.lock().expect("counts").clone()
    }

    pub(crate) fn kill(&self, name: &str) {
        let _ = self.inputs.send((usize::MAX, Input::Kill(name.to_owned())));
    }

    /// Says lines to a client, as they are.
    pub(crate) fn say(&self, name: &str, text: &str) {
        let _ = self
            .inputs
            .send((usize::MAX, Input::Say(name.to_owned(), text.to_owned())));
    }
}

/// Starts the threads of a connection: what comes and what goes is late.
fn connect(number: usize, stream: TcpStream, network: Network, inputs: Sender<(usize, Input)>) {
    let _ = stream.set_nodelay(true);
    let (to_client, outgoing) = unbounded::<(Instant, String)>();
    let (to_server, incoming) = unbounded::<(Instant, String)>();
    let (reading, mut writing) = (
        stream.try_clone().expect("a stream"),
        stream.try_clone().expect("a stream"),
    );
    let _ = inputs.send((number, Input::Connected(stream, to_client)));
    thread::spawn(move || {
        for (due, text) in outgoing {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let size = if network.is_split {
                1
            } else {
                text.len().max(1)
            };
            if text
                .as_bytes()
                .chunks(size)
                .any(|bytes| writing.write_all(bytes).is_err())
            {
                return;
            }
        }
    });
    thread::spawn(move || {
        let mut random = SplitMix64::new(number as u64);
        for line in BufReader::new(reading).lines() {
            let Ok(line) = line else { break };
            let _ = to_server.send((Instant::now() + late(network, &mut random), line));
        }
    });
    thread::spawn(move || {
        for (due, line) in incoming {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let _ = inputs.send((number, Input::Line(line)));
        }
        let _ = inputs.send((number, Input::Gone));
    });
}

fn late(network: Network, random: &mut SplitMix64) -> Duration {
    network.lag + network.jitter.mul_f64(random.below(1000) as f64 / 1000.0)
}

struct Client {
    name: String,
    stage: u8,
    stream: TcpStream,
    out: Sender<(Instant, String)>,
    trusts: bool,
}

#[derive(Clone)]
struct Request {
    asker: String,
    asked: String,
    kind: String,
    clock: String,
    is_rated: bool,
    stored: Option<u32>,
}

#[derive(Clone)]
struct Match {
    names: [String; 2],
    kind: String,
    is_rated: bool,
    games: Vec<MatchGame>,
}

#[derive(Clone)]
struct MatchGame {
    game: Game,
    notes: Vec<String>,
    /// Which player is black.
    black: Option<usize>,
    komi: f64,
    bids: [Option<(Move, f64, String)>; 2],
    /// A move that waits for that of the other game.
    half: Option<Move>,
    left: [Duration; 2],
    /// Charged in all.
    used: [Duration; 2],
    increment: Duration,
    extension: [Duration; 2],
    is_late: [bool; 2],
    since: Instant,
    /// The score of the first player.
    score: Option<f64>,
    /// Was its end told?
    is_told: bool,
}

impl MatchGame {
    fn position(&self) -> Position {
        self.game.position()
    }

    fn mover(&self) -> Option<usize> {
        let black = self.black?;
        Some(self.position().side.pick(black, 1 - black))
    }

    fn is_over(&self) -> bool {
        self.score.is_some()
    }

    /// The colour of a player, as the clock lines have it.
    fn letter(&self, player: usize) -> char {
        match self.black {
            None => '?',
            Some(black) if black == player => '*',
            Some(_) => 'O',
        }
    }
}

struct Server {
    counts: Arc<Mutex<Counts>>,
    network: Network,
    random: SplitMix64,
    clients: BTreeMap<usize, Client>,
    requests: BTreeMap<u32, Request>,
    matches: BTreeMap<u32, Match>,
    stored: BTreeMap<u32, Match>,
    next_archive: u32,
}

impl Server {
    fn new(counts: Arc<Mutex<Counts>>, network: Network, seed: u64) -> Server {
        Server {
            counts,
            network,
            random: SplitMix64::new(seed),
            clients: BTreeMap::new(),
            requests: BTreeMap::new(),
            matches: BTreeMap::new(),
            stored: BTreeMap::new(),
            next_archive: 100,
        }
    }

    fn count(&self, change: impl FnOnce(&mut Counts)) {
        change(&mut self.counts.lock().expect("counts"));
    }

    fn serve(&mut self, inputs: &Receiver<(usize, Input)>) {
        loop {
            match inputs.recv_timeout(Duration::from_millis(50)) {
                Ok((number, input)) => self.take(number, input),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.watch_clocks();
        }
    }

    fn take(&mut self, number: usize, input: Input) {
        match input {
            Input::Connected(stream, out) => {
                let client = Client {
                    name: String::new(),
                    stage: 0,
                    stream,
                    out,
                    trusts: false,
                };
                self.clients.insert(number, client);
                self.raw(number, "\r\n\x07Welcome to a mock of the Generic Game Server\r\n: Enter login (yours, or one you'd like to use).");
            }
            Input::Line(line) => self.line(number, line.trim()),
            Input::Gone => self.gone(number),
            Input::Kill(name) => {
                // A login that is cut twice is taken for refused: only clients that are set up are cut.
                let is_set_up = |client: &&Client| client.name == name && client.trusts;
                let found = self.clients.values().find(is_set_up);
                if let Some(client) = found {
                    let _ = client.stream.shutdown(Shutdown::Both);
                    let is_playing = |found: &Match| found.names.contains(&name);
                    let kills = u32::from(self.matches.values().any(is_playing));
                    self.count(|counts| counts.kills += kills);
                }
            }
            Input::Say(name, text) => {
                if let Some(number) = self.number_of(&name) {
                    self.raw(number, &text);
                }
            }
        }
    }

    fn raw(&mut self, number: usize, text: &str) {
        let due = Instant::now() + late(self.network, &mut self.random);
        if let Some(client) = self.clients.get(&number) {
            let _ = client.out.send((due, text.to_owned()));
        }
    }

    /// A message of the service, and the end of its block.
    fn say(&mut self, name: &str, text: &str) {
        if let Some(number) = self.number_of(name) {
            let text = text.replace('\n', "\r\n");
            self.raw(number, &format!("\r\n/os: {text}\r\nREADY\r\n"));
        }
    }

    fn number_of(&self, name: &str) -> Option<usize> {
        let mut clients = self.clients.iter();
        clients
            .find(|(_, client)| client.name == name && client.stage == 2)
            .map(|(&number, _)| number)
    }

    fn line(&mut self, number: usize, line: &str) {
        let Some(client) = self.clients.get_mut(&number) else {
            return;
        };
        match client.stage {
            0 => {
                client.name = line.to_owned();
                client.stage = 1;
                self.raw(number, ": Enter your password.");
            }
            1 if line != "secret" => self.raw(number, "\r\n: ERR Password is incorrect.\r\n"),
            1 => {
                let name = client.name.clone();
                if self.number_of(&name).is_some() {
                    if let Some(client) = self.clients.remove(&number) {
                        let _ = client.stream.shutdown(Shutdown::Both);
                    }
                    return;
                }
                if let Some(client) = self.clients.get_mut(&number) {
                    client.stage = 2;
                }
                self.count(|counts| counts.logins += 1);
                self.raw(number, "\r\nREADY\r\n");
                let others: Vec<String> = self
                    .clients
                    .values()
                    .map(|client| client.name.clone())
                    .collect();
                let is_stored = self
                    .stored
                    .values()
                    .any(|stored| stored.names.contains(&name));
                for other in others.iter().filter(|&other| *other != name && is_stored) {
                    self.say(other, &format!("+ {name} stored"));
                }
            }
            _ => {
                let name = client.name.clone();
                // Before the answer.
                self.raw(number, "READY\r\n");
                if line == "quit" {
                    let _ = self.clients[&number]
                        .out
                        .send((Instant::now(), "bye\r\n".to_owned()));
                    let stream = self.clients[&number].stream.try_clone();
                    thread::spawn(move || {
                        thread::sleep(Duration::from_millis(300));
                        stream.map(|stream| stream.shutdown(Shutdown::Both))
                    });
                }
                if line == "notify + /os" {
                    self.raw(number, ": + /os 1\r\nREADY\r\n");
                }
                let command = ["tell /os ", "t /os ", "ts "]
                    .iter()
                    .find_map(|start| line.strip_prefix(start));
                if let Some(command) = command {
                    self.command(number, &name, command);
                }
            }
        }
    }

    fn command(&mut self, number: usize, name: &str, command: &str) {
        let words: Vec<&str> = command.split_whitespace().collect();
        let id = words
            .get(1)
            .and_then(|word| word.strip_prefix('.'))
            .unwrap_or("");
        let (id, game) = id.split_once('.').unwrap_or((id, "0"));
        let (id, game) = (
            id.parse::<u32>().unwrap_or(u32::MAX),
            game.parse().unwrap_or(0),
        );
        match words[..] {
            ["trust", switch] => {
                if let Some(client) = self.clients.get_mut(&number) {
                    client.trusts = switch == "+";
                }
            }
            ["ask", ..] => self.ask(name, &words[1..]),
            ["accept", _] => match self.requests.remove(&id) {
                Some(request) => self.begin(&request, id),
                None => self.say(name, &format!("ERR request '.{id}' not found.")),
            },
            ["decline", _] => {
                if let Some(request) = self.requests.remove(&id) {
                    self.tell_request('-', id, &request);
                }
            }
            ["play", _, text] => self.play(name, id, game, text),
            ["break", _] => self.adjourn(id, name),
            ["moves", _] => {
                if let Some(text) = self
                    .matches
                    .get(&id)
                    .map(|found| join_text(id, found, game))
                {
                    self.say(name, &text);
                }
            }
            ["stored"] => {
                let is_mine = |found: &Match| found.names.contains(&name.to_owned());
                let mine = self.stored.iter().filter(|(_, found)| is_mine(found));
                let row = |(id, found): (&u32, &Match)| {
                    let ([a, b], kind) = (&found.names, &found.kind);
                    format!("\n|.{id:<5}   23 Feb 2001 23:17:39 {a:<8} {b:<8} {kind}:l")
                };
                let rows: Vec<String> = mine.map(row).collect();
                let text = format!("stored {} {name}{}", rows.len(), rows.concat());
                self.say(name, &text);
            }
            _ => {}
        }
    }

    fn ask(&mut self, name: &str, words: &[&str]) {
        let mut request = Request {
            asker: name.to_owned(),
            asked: "*".to_owned(),
            kind: words[0].to_owned(),
            clock: words.get(1).copied().unwrap_or("15:00//02:00").to_owned(),
            is_rated: true,
            stored: None,
        };
        if let Some(id) = words[0].strip_prefix('.').and_then(|id| id.parse().ok()) {
            let Some(stored) = self.stored.get(&id) else {
                return;
            };
            let opponent = stored
                .names
                .iter()
                .find(|other| *other != name)
                .expect("two names");
            request.asked = opponent.clone();
            request.kind = stored.kind.clone();
            request.stored = Some(id);
            if self.number_of(opponent).is_none() {
                let absent = format!("ERR no opponent present for archived match '.{id}'.");
                return self.say(name, &absent);
            }
        } else if let Some(asked) = words.get(2) {
            request.asked = (*asked).to_owned();
            if self.number_of(asked).is_none() {
                return self.say(name, &format!("ERR user '{asked}' not found."));
            }
        }
        let is_crossing = |other: &Request| {
            other.asker == request.asked
                && other.asked == request.asker
                && other.kind == request.kind
                && other.stored == request.stored
        };
        let crossing = self
            .requests
            .iter()
            .find(|(_, other)| is_crossing(other))
            .map(|(&id, _)| id);
        if let Some(id) = crossing {
            self.requests.remove(&id);
            return self.begin(&request, id);
        }
        let id = free(&self.requests);
        self.tell_request('+', id, &request);
        self.requests.insert(id, request);
    }

    fn tell_request(&mut self, sign: char, id: u32, request: &Request) {
        let flag = match request.stored {
            Some(_) => 'S',
            None if request.is_rated => 'R',
            None => 'U',
        };
        let archive = request
            .stored
            .map(|id| format!(" .{id}"))
            .unwrap_or_default();
        let text = format!(
            "{sign}   .{id} 1720.0 {:<8} {}       {} {flag} 1720.0 {}{archive}",
            request.asker, request.clock, request.kind, request.asked
        );
        for name in [&request.asker, &request.asked] {
            self.say(name, &text);
        }
    }

    fn begin(&mut self, request: &Request, request_id: u32) {
        let is_there = [&request.asker, &request.asked]
            .iter()
            .all(|name| self.number_of(name).is_some());
        let stored = request.stored.and_then(|id| self.stored.remove(&id));
        let found = match stored {
            _ if !is_there => None,
            Some(mut stored) => {
                self.count(|counts| counts.resumed += 1);
                for game in &mut stored.games {
                    game.since = Instant::now();
                }
                Some(stored)
            }
            None if request.stored.is_some() => None,
            None => Some(self.new_match(request)),
        };
        let Some(found) = found else { return };
        let id = free(&self.matches);
        let [a, b] = found.names.clone();
        let rated = if found.is_rated { 'R' } else { 'U' };
        let games = found.games.len();
        let news = format!("+ match .{id} 1720 {a} 1720 {b} {} {rated}", found.kind);
        let joins: Vec<String> = (0..games)
            .filter(|&game| !found.games[game].is_over())
            .map(|game| join_text(id, &found, game))
            .collect();
        self.matches.insert(id, found);
        for name in [&a, &b] {
            self.say(name, &news);
            for join in &joins {
                self.say(name, join);
            }
        }
        self.tell_request('-', request_id, request);
    }

    fn new_match(&mut self, request: &Request) -> Match {
        let kind = request.kind.clone();
        let discs = kind
            .split_once('r')
            .and_then(|(_, discs)| discs.parse().ok());
        let start = match discs {
            Some(discs) => random_start(discs, &mut self.random),
            None => Position::START,
        };
        let is_synchro = kind.starts_with('s');
        // Who is named first says nothing about the colours.
        let mut names = [request.asker.clone(), request.asked.clone()];
        if self.random.below(2) == 0 {
            names.swap(0, 1);
        }
        let first = self.random.below(2) as usize;
        let asker = usize::from(names[0] != request.asker);
        let black = match kind.as_bytes() {
            [.., b'b'] => Some(asker),
            [.., b'w'] => Some(1 - asker),
            _ if kind.contains('k') => None,
            _ => Some(first),
        };
        let times: Vec<Duration> = request.clock.split('/').map(seconds).collect();
        let game = |black| MatchGame {
            game: Game::new(start),
            notes: Vec::new(),
            black,
            komi: 0.0,
            bids: [None, None],
            half: None,
            left: [times[0]; 2],
            used: [Duration::ZERO; 2],
            increment: times[1],
            extension: [times[2]; 2],
            is_late: [false; 2],
            since: Instant::now(),
            score: None,
            is_told: false,
        };
        let games = match is_synchro {
            true => vec![game(Some(first)), game(Some(1 - first))],
            false => vec![game(black)],
        };
        Match {
            names,
            kind,
            is_rated: request.is_rated,
            games,
        }
    }

    fn play(&mut self, name: &str, id: u32, game: usize, text: &str) {
        let now = Instant::now();
        let found = self.matches.get_mut(&id);
        let is_mine = |found: &&mut Match| found.names.contains(&name.to_owned());
        let Some(found) = found.filter(is_mine) else {
            return self.say(name, &format!("ERR match '.{id}' not found."));
        };
        let player = usize::from(found.names[0] != name);
        let shown = id_text(id, found, game);
        let Some(at) = found.games.get_mut(game) else {
            return;
        };
        let mut words = text.split('/');
        let mv = words.next().and_then(|mv| mv.parse::<Move>().ok());
        let eval: Option<f64> = words.next().and_then(|eval| eval.parse().ok());
        let said: Option<f64> = words.next().and_then(|time| time.parse().ok());
        let is_turn = match at.black {
            None => at.bids[player].is_none(),
            Some(_) => at.mover() == Some(player) && at.half.is_none(),
        };
        if !is_turn || at.is_over() {
            self.problem(
                |counts| counts.out_of_turn += 1,
                format!("{name} {shown} {text}: out of turn"),
            );
            return self.say(name, &format!("error {shown} not your turn"));
        }
        let Some(mv) = mv.filter(|&mv| at.position().play(mv).is_some()) else {
            self.problem(
                |counts| counts.illegal += 1,
                format!("{name} {shown} {text}: illegal"),
            );
            return self.say(name, &format!("error {shown} illegal move"));
        };
        let wall = now - at.since;
        let trusts = self
            .number_of(name)
            .is_some_and(|number| self.clients[&number].trusts);
        let said = said.map(Duration::from_secs_f64).filter(|_| trusts);
        let is_violation = said.is_some_and(|said| said + Duration::from_secs(4) < wall);
        let used = said.filter(|_| !is_violation).unwrap_or(wall);
        if is_violation {
            self.count(|counts| counts.trust_violations += 1);
            self.say(
                name,
                &format!(
                    "trust-violation {shown} {name} (*) delta= 4 + {:.1} secs",
                    wall.as_secs_f64()
                ),
            );
        }
        if !self.charge(id, game, player, used) {
            return;
        }
        self.count(|counts| {
            counts.moves += 1;
            counts.passes += u64::from(mv == Move::Pass);
        });
        let found = self.matches.get_mut(&id).expect("a match");
        let at = &mut found.games[game];
        at.left[player] += at.increment;
        let note = match eval {
            Some(eval) if eval != 0.0 => {
                format!("{}/{eval:.2}/{:.2}", mv.name(), used.as_secs_f64())
            }
            _ => format!("{}//{:.2}", mv.name(), used.as_secs_f64()),
        };
        if at.black.is_none() {
            at.bids[player] = Some((mv, eval.unwrap_or(0.0), note));
            return self.settle_bids(id, now);
        }
        // The mover sees it at once, the other one when both games have moved.
        at.half = Some(mv);
        at.notes.push(note);
        let update = update_text(id, found, game, Some(mv));
        self.say(name, &update);
        self.complete_step(id);
    }

    fn settle_bids(&mut self, id: u32, now: Instant) {
        let found = self.matches.get_mut(&id).expect("a match");
        let at = &mut found.games[0];
        let [Some((_, first, _)), Some((_, second, _))] = &at.bids else {
            return;
        };
        let winner = usize::from(second > first);
        let komi = (first + second) / 2.0;
        let side = at.position().side;
        at.komi = side.pick(komi, -komi);
        at.black = Some(side.pick(winner, 1 - winner));
        let (mv, _, note) = at.bids[winner].clone().expect("a bid");
        at.game.play(mv).expect("legal");
        at.notes.push(note);
        at.since = now;
        let (join, names) = (join_text(id, found, 0), found.names.clone());
        for name in &names {
            self.say(name, &join);
        }
        self.end_games(id);
    }

    fn complete_step(&mut self, id: u32) {
        let found = self.matches.get_mut(&id).expect("a match");
        let is_complete = found
            .games
            .iter()
            .all(|game| game.is_over() || game.half.is_some());
        if !is_complete {
            return;
        }
        let mut updates = Vec::new();
        for game in 0..found.games.len() {
            let Some(mover) = found.games[game].mover() else {
                continue;
            };
            if found.games[game].half.is_none() {
                continue;
            }
            let text = update_text(id, found, game, found.games[game].half);
            updates.push((found.names[1 - mover].clone(), text));
            let at = &mut found.games[game];
            let mv = at.half.take().expect("a move");
            at.game.play(mv).expect("legal");
        }
        for game in &mut found.games {
            game.since = Instant::now();
        }
        for (name, text) in updates {
            self.say(&name, &text);
        }
        self.end_games(id);
    }

    /// Takes time off a clock. `false`: the game is lost by that.
    fn charge(&mut self, id: u32, game: usize, player: usize, used: Duration) -> bool {
        let found = self.matches.get_mut(&id).expect("a match");
        let (names, shown) = (found.names.clone(), id_text(id, found, game));
        let at = &mut found.games[game];
        at.used[player] += used;
        let Some(left) = at.left[player].checked_sub(used) else {
            let letter = at.letter(player);
            let extension = std::mem::take(&mut at.extension[player]);
            let more = at.left[player] + extension;
            let is_fatal = more <= used;
            at.left[player] = more.saturating_sub(used);
            at.is_late[player] = true;
            let word = if is_fatal { "fatal-timeout" } else { "timeout" };
            if is_fatal {
                at.score = Some(if player == 0 { -64.0 } else { 64.0 });
            }
            let text = format!("{word} {shown} {} ({letter})", names[player]);
            self.problem(
                |counts| {
                    *(if is_fatal {
                        &mut counts.fatal_timeouts
                    } else {
                        &mut counts.soft_timeouts
                    }) += 1
                },
                format!("{text}, {used:?} used"),
            );
            for name in &names {
                self.say(name, &text);
            }
            self.end_games(id);
            return !is_fatal;
        };
        at.left[player] = left;
        self.count(|counts| {
            counts.least = Some(counts.least.map_or(left, |least| least.min(left)))
        });
        true
    }

    fn problem(&self, change: impl FnOnce(&mut Counts), text: String) {
        self.count(|counts| {
            change(counts);
            if counts.problems.len() < 20 {
                counts.problems.push(text);
            }
        });
    }

    /// The server acts five seconds after a clock has run out.
    fn watch_clocks(&mut self) {
        let mut late = Vec::new();
        for (&id, found) in &self.matches {
            for (number, game) in found.games.iter().enumerate() {
                let Some(mover) = game
                    .mover()
                    .filter(|_| !game.is_over() && game.half.is_none())
                else {
                    continue;
                };
                let used = game.since.elapsed();
                if used > game.left[mover] + game.extension[mover] + Duration::from_secs(5) {
                    late.push((id, number, mover, used));
                }
            }
        }
        for (id, game, mover, used) in late {
            self.charge(id, game, mover, used);
        }
    }

    /// Ends what is over.
    fn end_games(&mut self, id: u32) {
        let Some(found) = self.matches.get_mut(&id) else {
            return;
        };
        let (names, is_synchro) = (found.names.clone(), found.games.len() == 2);
        let mut ends = Vec::new();
        let mut ended = 0;
        for (number, game) in found.games.iter_mut().enumerate() {
            if let (None, Some(result), Some(black)) =
                (game.score, game.position().result_for_black(), game.black)
            {
                let result = f64::from(result) - game.komi;
                let mut score = if black == 0 { result } else { -result };
                if game.is_late[0] {
                    score = score.min(-2.0);
                } else if game.is_late[1] {
                    score = score.max(2.0);
                }
                game.score = Some(score);
            }
            if let Some(score) = game.score.filter(|_| is_synchro && !game.is_told) {
                game.is_told = true;
                let [a, b] = &names;
                ends.push(format!("end .{id}.{number} ( {a} vs. {b} ) {score:+.2}"));
            }
            ended += u32::from(game.is_over());
        }
        let is_over = ended as usize == found.games.len();
        for text in ends {
            for name in &names {
                self.say(name, &text);
            }
        }
        if is_over {
            let found = self.matches.remove(&id).expect("a match");
            let scores: Vec<f64> = found.games.iter().filter_map(|game| game.score).collect();
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            self.count(|counts| {
                counts.games += scores.len() as u32;
                let (sum, most, clocks) = &mut counts.lost[usize::from(is_synchro)];
                for used in found.games.iter().flat_map(|game| game.used) {
                    *sum += used;
                    *most = used.max(*most);
                    *clocks += 1;
                }
            });
            let [a, b] = &names;
            let text = format!(
                "- match .{id} 1720 {a} 1720 {b} {} R {mean:+.2}  .{}",
                found.kind,
                80_000 + id
            );
            for name in &names {
                self.say(name, &text);
                self.say(name, &format!("rating_update .{id}\n|{name}     1720.00 @  60.20    +4.10 -> 1724.10 @  60.00"));
            }
        } else {
            // What waits may be all that there is now.
            let found = &self.matches[&id];
            if found.games.iter().any(|game| game.half.is_some()) {
                self.complete_step(id);
            }
        }
    }

    fn adjourn(&mut self, id: u32, name: &str) {
        let Some(mut found) = self.matches.remove(&id) else {
            return;
        };
        for game in &mut found.games {
            // A move that was not answered is taken back.
            if game.half.take().is_some() {
                game.notes.pop();
            }
            game.bids = [None, None];
        }
        let archive = self.next_archive;
        self.next_archive += 1;
        self.count(|counts| counts.adjourned += 1);
        let [a, b] = found.names.clone();
        let text = format!(
            "- match .{id} 1720 {a} 1720 {b} {} R {name} left .{archive}",
            found.kind
        );
        self.stored.insert(archive, found);
        for name in [&a, &b] {
            self.say(name, &text);
        }
    }

    fn gone(&mut self, number: usize) {
        let Some(client) = self
            .clients
            .remove(&number)
            .filter(|client| client.stage == 2)
        else {
            return;
        };
        let name = client.name;
        let gone: Vec<(u32, Request)> = self
            .requests
            .iter()
            .filter(|(_, request)| request.asker == name || request.asked == name)
            .map(|(&id, request)| (id, request.clone()))
            .collect();
        for (id, request) in gone {
            self.requests.remove(&id);
            self.tell_request('-', id, &request);
        }
        let matches: Vec<u32> = self
            .matches
            .iter()
            .filter(|(_, found)| found.names.contains(&name))
            .map(|(&id, _)| id)
            .collect();
        for id in matches {
            self.adjourn(id, &name);
        }
    }
}

fn free<T>(taken: &BTreeMap<u32, T>) -> u32 {
    (1..).find(|id| !taken.contains_key(id)).expect("a number")
}

/// `mm:ss`
fn seconds(text: &str) -> Duration {
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    let (minutes, seconds) = text.split_once(':').unwrap_or(("0", text));
    Duration::from_secs(60 * number(minutes) + number(seconds))
}

fn id_text(id: u32, found: &Match, game: usize) -> String {
    match found.games.len() {
        1 => format!(".{id}"),
        _ => format!(".{id}.{game}"),
    }
}

fn seats(found: &Match, game: usize) -> String {
    let at = &found.games[game];
    // The order of the lines says nothing either.
    let line = |player: usize| {
        let time =
            |time: Duration| format!("{:02}:{:02},0:0", time.as_secs() / 60, time.as_secs() % 60);
        let (left, extension) = (time(at.left[player]), time(at.extension[player]));
        format!(
            "\n|{:<8} (1720.0 {}) {left}/{}/{extension}",
            found.names[player],
            at.letter(player),
            time(at.increment)
        )
    };
    format!("{}{}", line(1), line(0))
}

pub(crate) fn board_text(position: Position) -> String {
    let mut text = "\n|\n|   A B C D E F G H".to_owned();
    for rank in 0..8 {
        let cells: String = (0..8)
            .map(|file| position.cell(Square::all().nth(8 * rank + file).expect("a square")))
            .map(|cell| format!(" {}", if cell == 'X' { '*' } else { cell }))
            .collect();
        text += &format!("\n| {}{cells} {}", rank + 1, rank + 1);
    }
    let side = position.side.pick('*', 'O');
    text + &format!("\n|\n|{side} to move")
}

fn komi_text(at: &MatchGame) -> String {
    match at.komi {
        0.0 => "K?".to_owned(),
        komi => format!("K{komi:+.1}"),
    }
}

fn join_text(id: u32, found: &Match, game: usize) -> String {
    let at = &found.games[game];
    let moves = at.game.moves();
    let mut text = format!(
        "join {} {} {}\n|{} move(s)",
        id_text(id, found, game),
        found.kind,
        komi_text(at),
        moves.len()
    );
    if moves.is_empty() {
        text += "\n|  0: PASS";
    } else {
        text += &seats(found, game);
        text += &board_text(at.game.start());
        for (number, note) in (1..).zip(&at.notes[..moves.len()]) {
            text += &format!("\n| {number:2}: {note}");
        }
    }
    text + &seats(found, game) + &board_text(at.position())
}

/// The game after a move, which may still wait for that of the other game.
fn update_text(id: u32, found: &Match, game: usize, half: Option<Move>) -> String {
    let at = &found.games[game];
    let after = half
        .and_then(|mv| at.position().play(mv))
        .unwrap_or(at.position());
    let number = at.game.moves().len() + usize::from(half.is_some());
    let note = at.notes.last().cloned().unwrap_or_default();
    let head = format!(
        "update {} {} {}",
        id_text(id, found, game),
        found.kind,
        komi_text(at)
    );
    format!(
        "{head}\n| {number:2}: {note}{}{}",
        seats(found, game),
        board_text(after)
    )
}

/// A random start: rings of squares from the centre outward, each in random order, with colours at random.
fn random_start(discs: usize, random: &mut SplitMix64) -> Position {
    loop {
        let mut squares = Vec::new();
        for ring in 0..4_i32 {
            let is_ring = |square: &Square| {
                let of = |at: u32| (2 * at as i32 - 7).abs() / 2;
                of(square.file()).max(of(square.rank())) == ring
            };
            let is_corner = |square: &Square| {
                [square.file(), square.rank()]
                    .iter()
                    .all(|at| !(2..=5).contains(at))
            };
            let mut here: Vec<Square> = Square::all()
                .filter(|square| is_ring(square) && !is_corner(square))
                .collect();
            random.shuffle(&mut here);
            squares.extend(here);
        }
        squares.truncate(discs);
        random.shuffle(&mut squares);
        let bits = |squares: &[Square]| squares.iter().map(|square| square.bit()).sum::<u64>();
        let spread = discs / 6;
        let whites = discs / 2 - spread + random.below(2 * spread as u64 + 1) as usize;
        let side = if discs.is_multiple_of(2) {
            Color::Black
        } else {
            Color::White
        };
        let position =
            Position::of_discs((bits(&squares[whites..]), bits(&squares[..whites])), side);
        if !position.board.is_over() {
            return position;
        }
    }
}
