//! A conversation with the server: the login, requests, and the games.
//!
//! Answers of the server are not paired with commands: every message says by itself what it is about. What is played
//! is always the position that the server showed last, once.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::mem;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::game::{Needs, ServerGame};
use super::grammar::{self, score};
use super::kind::MatchKind;
use super::message::{GameId, GameState, MatchNews, MatchRequest, Message, ServiceMessage};
use super::notes::{Notes, Timer};
use super::settings::{Password, Settings};
use super::telnet::plain;
use super::{Ended, Report, reply};
use crate::engine::{Event, Player};
use crate::protocol::Preferences;
use crate::protocol::conversation::{self, Dialect, DoneRequest};
use crate::rules::{Move, Position};
use crate::search::Outcome;
use crate::text::Line;

type Context<'a> = conversation::Context<'a, Ggs>;

/// Lines of a message that are kept: a whole game has some 100.
const MAX_LINES: usize = 256;

/// Games, matches and requests that are followed at once, those of others included.
const MAX_GAMES: usize = 256;

/// Logins that the server may cut off before they are taken for refused.
const MAX_CUT_LOGINS: u32 = 2;

/// After so much silence an empty line is said.
const KEEP_ALIVE: Duration = Duration::from_secs(180);

/// Between two requests, and between two reasons for declining one.
const ASK_PAUSE: Duration = Duration::from_secs(10);

/// How long the rest of a message is waited for.
const MESSAGE_TIME: Duration = Duration::from_millis(500);

/// How long a match that was just agreed on may take to begin.
const LEAVE_PAUSE: Duration = Duration::from_secs(2);

/// How long a login may take.
const LOGIN_TIME: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Ggs {
    settings: Settings,
    password: Password,
    player: Player,
    ponders: bool,
    notes: Notes,
    stage: Stage,
    /// What the server said before it refused the login.
    last_words: String,
    cut_logins: u32,
    interrupts: u32,
    /// A message of which more may come.
    message: Vec<String>,
    /// Our matches, and what they are.
    matches: BTreeMap<u32, String>,
    games: BTreeMap<GameId, ServerGame>,
    /// Games of which something was not understood.
    unclear: BTreeSet<GameId>,
    /// Our own requests that nobody has answered.
    pending: BTreeSet<u32>,
    /// Is there an adjourned match whose opponent may be here?
    wants_resume: bool,
    next_ask: usize,
    needs: Needs,
    /// Since a line was sent, or a connection made.
    pub(super) said: Timer,
    /// Since requests, reasons and questions were sent, and since a line of a message or an interrupt came.
    asked: Timer,
    reasoned: Timer,
    questioned: Timer,
    heard: Timer,
    interrupted: Timer,
    /// Set once the connection is to be closed.
    pub(super) next: Option<Next>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Stage {
    #[default]
    Name,
    Password,
    Ready,
    /// The login is done, and the Othello service is gone.
    NoService,
    In,
}

/// What the connection is closed for.
pub(super) enum Next {
    Reconnect,
    End(Ended),
}

/// A search for a move or a bid: in which game, and for which position.
type Turn = (GameId, Position);

impl Ggs {
    pub(super) fn new(
        settings: Settings,
        password: Password,
        preferences: Preferences,
        reports: Sender<Report>,
    ) -> Ggs {
        Ggs {
            settings,
            password,
            player: preferences.player,
            ponders: preferences.ponders,
            notes: Notes::new(reports),
            ..Ggs::default()
        }
    }

    /// Says one line, whatever is in the settings.
    fn send(&mut self, line: &str, context: &mut Context<'_>) {
        self.said.restart();
        context.reply_now(line.replace(char::is_control, " "));
    }

    fn has_run(&self, timer: &Timer, pause: Duration) -> bool {
        timer.has_run(pause / (1 + self.settings.haste))
    }

    /// May another match begin?
    fn has_room(&self) -> bool {
        self.matches.len() < self.settings.at_once && self.interrupts == 0
    }

    fn is_me(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(&self.settings.name)
    }

    // The connection.

    /// The connection is gone. `true`: the login was done.
    pub(super) fn disconnected(&mut self, context: &mut Context<'_>) -> bool {
        let stage = mem::take(&mut self.stage);
        if matches!(stage, Stage::Password | Stage::Ready) && self.next.is_none() {
            self.cut_logins += 1;
            if self.cut_logins >= MAX_CUT_LOGINS {
                self.refused("the server closes the connection; is the name in use?");
            }
        }
        self.forget_matches(context);
        self.message.clear();
        self.leave_if_done(context);
        stage >= Stage::NoService
    }

    /// Saves all games as they stand.
    fn forget_matches(&mut self, context: &mut Context<'_>) {
        for game in mem::take(&mut self.games).into_values() {
            self.notes.save(game.is_ours, game.ended("", None));
        }
        for (id, what) in mem::take(&mut self.matches) {
            let how = "is cut off, and saved as it stands";
            self.notes.say(&format!("match .{id} {what} {how}"));
        }
        self.pending.clear();
        self.unclear.clear();
        context.drop_all();
    }

    fn refused(&mut self, reason: &str) {
        let (name, words) = (&self.settings.name, &self.last_words);
        let text = format!("the login of {name} is refused: {reason} {words}");
        self.next = Some(Next::End(Ended::Refused(text.trim_end().to_owned())));
    }

    /// A line before the login is done.
    fn log_in(&mut self, line: &str, context: &mut Context<'_>) {
        let prompt = line.strip_prefix(": Enter ").unwrap_or_default();
        match self.stage {
            Stage::Name if prompt.starts_with("login") => {
                self.stage = Stage::Password;
                self.send(&self.settings.name.clone(), context);
            }
            Stage::Password if prompt.starts_with("your password") => {
                self.stage = Stage::Ready;
                self.send(&self.password.0.clone(), context);
            }
            Stage::Ready if line.starts_with("READY") => {
                self.cut_logins = 0;
                self.notes.say("the login is done");
                for line in reply::CENTRAL_SET_UP {
                    self.send(line, context);
                }
                self.set_up_service(context);
            }
            _ if line.starts_with(": ERR") => self.refused(&line[2..]),
            _ if !prompt.is_empty() => self.refused("the server asks again"),
            _ if line.starts_with(": ") => self.last_words = line[2..].to_owned(),
            _ => {}
        }
    }

    fn set_up_service(&mut self, context: &mut Context<'_>) {
        self.stage = Stage::In;
        self.wants_resume = true;
        for line in reply::service_set_up(&self.settings, self.interrupts == 0) {
            self.send(&line, context);
        }
    }

    /// The person wants to leave: first politely, then at once.
    pub(super) fn interrupted(&mut self, context: &mut Context<'_>) {
        self.interrupts += 1;
        self.interrupted.restart();
        if self.interrupts == 1 && self.stage == Stage::In {
            self.send("tell /os open 0", context);
        } else if self.interrupts > 1 {
            for id in self.matches.keys() {
                context.reply_now(format!("tell /os break .{id}"));
            }
        }
        self.leave_if_done(context);
    }

    fn leave_if_done(&mut self, context: &mut Context<'_>) {
        let is_quiet = self.stage != Stage::In || self.has_run(&self.interrupted, LEAVE_PAUSE);
        let ended = match self.interrupts {
            1 if self.matches.is_empty() && is_quiet => Ended::Left,
            0 | 1 => return,
            _ => Ended::Interrupted,
        };
        if self.next.is_some() {
            return;
        }
        if self.stage >= Stage::NoService {
            self.send("quit", context);
        }
        self.next = Some(Next::End(ended));
    }

    // Time.

    /// Some time has passed.
    pub(super) fn tick(&mut self, context: &mut Context<'_>) {
        self.notes.tick();
        if self.heard.has_run(MESSAGE_TIME) {
            self.end_message(context);
        }
        if self.stage < Stage::NoService {
            if self.said.has_run(LOGIN_TIME) && self.next.is_none() {
                self.next = Some(Next::Reconnect);
            }
            return;
        }
        if self.has_run(&self.said, KEEP_ALIVE) {
            self.send("", context);
        }
        if self.stage == Stage::In {
            self.ask(context);
            self.question(context);
        }
        self.leave_if_done(context);
    }

    /// Asks for the adjourned matches, or for one of the settings.
    fn ask(&mut self, context: &mut Context<'_>) {
        if !self.has_room() || !self.has_run(&self.asked, ASK_PAUSE) {
            return;
        }
        let count = self.settings.ask.len().max(1);
        let line = if mem::take(&mut self.wants_resume) {
            "tell /os continue".to_owned()
        } else if let Some(asked) = self.settings.ask.get(self.next_ask % count)
            && self.pending.is_empty()
        {
            self.next_ask += 1;
            format!("tell /os ask {asked}")
        } else {
            return;
        };
        self.asked.restart();
        self.send(&line, context);
    }

    /// Asks for the whole of a game that is unclear.
    fn question(&mut self, context: &mut Context<'_>) {
        if self.questioned.has_run(MESSAGE_TIME)
            && let Some(id) = self.unclear.pop_first()
        {
            self.questioned.restart();
            self.send("tell /os client -", context);
            self.send(&format!("tell /os moves {id}"), context);
        }
    }

    fn is_unclear(&mut self, id: GameId) {
        if self.matches.contains_key(&id.number) && self.unclear.len() < MAX_GAMES {
            self.unclear.insert(id);
        }
    }

    // Messages.

    /// The message is complete.
    fn end_message(&mut self, context: &mut Context<'_>) {
        let lines = mem::take(&mut self.message);
        let Some((head, body)) = lines.split_first() else {
            return;
        };
        match grammar::parse(head, body) {
            Ok(Message::Service(_)) if self.stage != Stage::In => {}
            Ok(Message::Service(message)) => self.service(message, context),
            Ok(Message::Central(text)) if text.starts_with("- /os") => {
                self.stage = Stage::NoService;
                self.forget_matches(context);
            }
            Ok(Message::Central(text)) if text.starts_with("+ /os") => {
                if self.stage == Stage::NoService {
                    self.set_up_service(context);
                }
            }
            Ok(Message::Central(text) | Message::Tell(text)) => self.notes.tell(&text),
            Err(error) => log::debug!("ignored message: {error}"),
        }
        self.think(context);
        self.leave_if_done(context);
    }

    fn service(&mut self, message: ServiceMessage, context: &mut Context<'_>) {
        match message {
            ServiceMessage::Request(request) => self.requested(&request, context),
            ServiceMessage::RequestGone(id) => _ = self.pending.remove(&id),
            ServiceMessage::Begins(news) => self.begins(&news, context),
            ServiceMessage::Ends(news) => self.ends(&news, context),
            ServiceMessage::State(state) => self.shown(&state, context),
            ServiceMessage::Unreadable(id) => self.is_unclear(id),
            ServiceMessage::GameEnds(id, first, score) => self.save(id, &first, score),
            ServiceMessage::Time(id, what, name) => {
                if let Some(game) = self.games.get_mut(&id).filter(|_| what == "fatal-timeout") {
                    game.note_lost_on_time();
                }
                if self.matches.contains_key(&id.number) {
                    self.notes.say(&format!("game {id}: {what} of {name}"));
                }
            }
            ServiceMessage::GameError(id, reason) => self.game_error(id, &reason),
            ServiceMessage::Arrived(_) => self.wants_resume = true,
            ServiceMessage::Other(text) => self.notes.tell(&format!("/os: {text}")),
        }
    }

    /// A game is asked for as a whole before anything else is sent in it.
    fn game_error(&mut self, id: GameId, reason: &str) {
        let is_meant = |game: &&mut ServerGame| {
            game.is_ours && game.id.number == id.number && id.game.is_none_or(|_| game.id == id)
        };
        for game in self.games.values_mut().filter(is_meant) {
            self.notes.say(&format!("game {id}: refused, {reason}"));
            game.note_error();
            self.unclear.insert(game.id);
        }
    }

    fn requested(&mut self, request: &MatchRequest, context: &mut Context<'_>) {
        let id = request.id;
        if self.is_me(&request.asker) && self.pending.len() < MAX_GAMES {
            self.pending.insert(id);
        }
        if !self.is_me(&request.asked) {
            return;
        }
        let judged = self.settings.judge(request);
        let busy = || "I have no time for another match".to_owned();
        let Err(reason) = judged.and(self.has_room().then_some(()).ok_or_else(busy)) else {
            return self.send(&format!("tell /os accept .{id}"), context);
        };
        self.send(&format!("tell /os decline .{id}"), context);
        let (asker, kind) = (&request.asker, &request.kind);
        let note = format!("declined {kind} of {asker}: {reason}");
        self.notes.tell(&note);
        // Reasons are told at leisure, so that no flood of requests makes one of tells.
        if self.has_run(&self.reasoned, ASK_PAUSE) {
            self.reasoned.restart();
            self.send(&format!("tell {asker} {reason}"), context);
        }
    }

    // Matches.

    fn begins(&mut self, news: &MatchNews, context: &mut Context<'_>) {
        if !news.names.iter().any(|name| self.is_me(name)) || self.matches.len() >= MAX_GAMES {
            return;
        }
        let (id, kind, [first, second]) = (news.id, &news.kind, &news.names);
        let what = format!("{kind} of {first} and {second} ({})", news.flag);
        self.notes.say(&format!("match .{id} {what} begins"));
        self.matches.insert(id, what);
        let kind = MatchKind::try_from(kind.clone());
        if kind.is_ok_and(|kind| kind.refusal().is_none()) {
            self.greet(id, &self.settings.greeting.clone(), context);
        } else {
            self.notes.say("this kind is not played: it is adjourned");
            self.send(&format!("tell /os break .{id}"), context);
        }
    }

    fn greet(&mut self, id: u32, text: &str, context: &mut Context<'_>) {
        if !text.is_empty() {
            self.send(&format!("tell /os tell p .{id} {text}"), context);
        }
    }

    fn save(&mut self, id: GameId, first: &str, score: Option<f64>) {
        if let Some(game) = self.games.remove(&id) {
            self.notes.save(game.is_ours, game.ended(first, score));
        }
    }

    fn ends(&mut self, news: &MatchNews, context: &mut Context<'_>) {
        let (id, end) = (news.id, &news.end);
        // The score of a synchro match is that of both games together, each of which has told its own.
        for game in [None, Some(0), Some(1)] {
            let own = score(end).filter(|_| game.is_none());
            self.save(GameId { number: id, game }, &news.names[0], own);
        }
        if let Some(what) = self.matches.remove(&id) {
            self.notes.say(&format!("match .{id} {what} ends: {end}"));
            self.greet(id, &self.settings.farewell.clone(), context);
            self.stop_useless_search(context);
        }
    }

    /// A search of a game that is gone, or has gone on, is of no use.
    fn stop_useless_search(&self, context: &Context<'_>) {
        let is_due = |(id, position)| self.games.get(&id).is_some_and(|game| game.owes(position));
        let is_useful = match context.running() {
            Some((&turn, _)) => is_due(turn),
            None => !self.matches.is_empty(),
        };
        if !is_useful {
            context.stop_running();
        }
    }

    /// A `join` or an `update`.
    fn shown(&mut self, state: &GameState, context: &mut Context<'_>) {
        let id = state.id;
        let new = ServerGame::shown(state, &self.settings.name);
        let is_ours = new.is_ours;
        if is_ours && !self.matches.contains_key(&id.number) {
            // A match of a tournament goes on after a login without news of it.
            let [first, second] = state.seats.each_ref().map(|seat| &seat.name);
            let what = format!("{} of {first} and {second}", state.kind);
            self.matches.insert(id.number, what);
        }
        let (game, is_known) = match self.games.remove(&id) {
            Some(game) if state.is_join => (new.after(&game), true),
            Some(game) => game.updated(new, &state.moves),
            None => (new, state.is_join),
        };
        if let Some(echo) = game.echo {
            self.needs.lag = echo.max(self.needs.lag.mul_f64(0.9));
        }
        self.unclear.remove(&id);
        if !is_known {
            self.is_unclear(id);
        }
        if (is_ours || self.settings.observes) && self.games.len() < MAX_GAMES {
            self.games.insert(id, game);
        }
        self.stop_useless_search(context);
    }

    // Moves.

    /// Begins to search where we are to move and the clock is shortest.
    fn think(&mut self, context: &mut Context<'_>) {
        let due = self.games.values().filter(|game| game.is_due());
        let Some(game) = due.min_by_key(|game| game.left()) else {
            return;
        };
        if context.is_busy() {
            return;
        }
        let turn = (game.id, game.position());
        let is_other = |other: &&ServerGame| other.is_ours && other.id.number != game.id.number;
        let others = self.games.values().filter(is_other);
        let least = others.map(ServerGame::left).min().unwrap_or(Duration::MAX);
        let limit = game.limit(self.needs, least, self.matches.len() as u32);
        let job = self.player.choose(turn.1.board, limit);
        if let Err(turn) = context.continue_pondering(&job, turn) {
            context.search(job, turn);
        }
    }

    /// A search is over: sends its move or bid, if that is still wanted.
    fn found(&mut self, done: &DoneRequest<Turn>, outcome: &Outcome, context: &mut Context<'_>) {
        let (id, position) = done.purpose;
        let game = self.games.get_mut(&id);
        if let Some(game) = game.filter(|game| game.owes(position)) {
            let line = outcome.lines.first();
            game.score = line.map_or(game.score, |line| line.unrounded.to_f64());
            let best = outcome.best.unwrap_or(Move::Pass);
            let line = reply::play(game, best);
            // A search may wait for that of another match, or for the opponent.
            let waited = game.since.elapsed().min(done.elapsed);
            let overhead = waited.saturating_sub(outcome.time);
            self.needs.overhead = overhead.max(self.needs.overhead.mul_f64(0.9));
            game.note_sent();
            self.send(&line, context);
        }
        self.think(context);
        if self.ponders && !context.is_busy() {
            self.ponder(done.purpose, outcome, context);
        }
    }

    /// Thinks on the opponent's time: in the other game of a synchro match, or about the reply that is expected.
    fn ponder(&self, turn: Turn, outcome: &Outcome, context: &mut Context<'_>) {
        let (id, position) = turn;
        let is_other = |game: &&ServerGame| game.id.number == id.number && game.id != id;
        let other = self.games.values().find(is_other).map(ServerGame::position);
        let after = |position: Position, mv: Option<Move>| position.play(mv?);
        let ours = after(position, outcome.best);
        let replied = ours.and_then(|ours| after(ours, outcome.ponder));
        if let Some(position) = other.or(replied).or(ours)
            && !position.board.is_over()
            && self.games.contains_key(&id)
        {
            context.search(self.player.ponder(position.board), None);
        }
    }
}

impl Dialect for Ggs {
    /// Nothing waits.
    type Command = Infallible;
    type Purpose = Turn;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        let text = plain(line.bytes());
        if self.stage < Stage::NoService {
            return self.log_in(&text, context);
        }
        if let Some(more) = text.strip_prefix('|') {
            if (1..MAX_LINES).contains(&self.message.len()) {
                self.message.push(more.to_owned());
                self.heard.restart();
            }
            return;
        }
        self.end_message(context);
        if !text.is_empty() && text != "READY" {
            self.message.push(text);
            self.heard.restart();
        }
    }

    fn run(&mut self, command: Infallible, _: &mut Context<'_>) {
        match command {}
    }

    fn progress(&mut self, _: &mut Turn, _: Event, _: &mut Context<'_>) {}

    fn complete(&mut self, done: DoneRequest<Turn>, context: &mut Context<'_>) {
        if let Event::Done(outcome) = &done.event {
            self.found(&done, outcome, context);
        }
    }
}
