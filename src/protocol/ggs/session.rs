//! A conversation with the server: the login, requests, and the games.
//!
//! Answers of the server are not paired with commands: every message says by itself what it is about. What is played
//! is always the position that the server showed last, once.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::game::ServerGame;
use super::grammar::{self, score};
use super::kind::MatchKind;
use super::message::{GameId, GameState, MatchNews, MatchRequest, Message, ServiceMessage};
use super::notes::Notes;
use super::settings::{Password, Settings};
use super::{Ended, Report, reply};
use crate::engine::{Event, Player};
use crate::host::Instant;
use crate::protocol::Preferences;
use crate::protocol::conversation::{self, Dialect, DoneRequest};
use crate::rules::{Color, Move, Position};
use crate::search::Outcome;
use crate::text::Line;

type Context<'a> = conversation::Context<'a, Ggs>;

/// Lines of a message that are kept: a whole game has some 100.
const MAX_LINES: usize = 256;

/// Games that are followed at once, those of others included.
const MAX_GAMES: usize = 256;

/// Logins that the server may cut off before they are taken for refused.
const MAX_CUT_LOGINS: u32 = 2;

pub(super) struct Ggs {
    settings: Settings,
    password: Password,
    player: Player,
    ponders: bool,
    notes: Notes,
    stage: Stage,
    /// What the server said last before the login was done.
    last_words: String,
    cut_logins: u32,
    /// A message of which more may come, and when its last line came.
    message: Option<(Vec<String>, Instant)>,
    /// Our matches.
    matches: BTreeMap<u32, OurMatch>,
    games: BTreeMap<GameId, ServerGame>,
    /// Requests that were accepted, and whose matches have not begun.
    accepted: Vec<u32>,
    /// Our own requests that nobody has answered.
    pending: Vec<u32>,
    /// Adjourned matches to be asked for.
    stored: VecDeque<u32>,
    wants_stored: bool,
    /// Matches that were cut off with the connection.
    cut_off: Vec<OurMatch>,
    next_ask: usize,
    last_ask: Option<Instant>,
    last_line: Instant,
    /// Games of which something was not understood.
    unclear: BTreeSet<GameId>,
    last_resync: Option<Instant>,
    last_reason: Option<Instant>,
    /// The longest that a move and its echo took lately.
    lag: Duration,
    leaving: Leaving,
    /// Set once the connection is to be closed.
    pub(super) next: Option<Next>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Name,
    Password,
    Ready,
    In,
    /// The Othello service is gone.
    NoService,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Leaving {
    No,
    /// When all games are over.
    Soon,
    Now,
}

/// What the connection is closed for.
pub(super) enum Next {
    Reconnect,
    End(Ended),
}

/// One of our matches.
#[derive(Clone)]
struct OurMatch {
    opponent: String,
    kind: String,
    is_rated: bool,
}

/// A search for a move or a bid.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    id: GameId,
    position: Position,
}

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
            stage: Stage::Name,
            last_words: String::new(),
            cut_logins: 0,
            message: None,
            matches: BTreeMap::new(),
            games: BTreeMap::new(),
            accepted: Vec::new(),
            pending: Vec::new(),
            stored: VecDeque::new(),
            wants_stored: false,
            cut_off: Vec::new(),
            next_ask: 0,
            last_ask: None,
            last_line: Instant::now(),
            unclear: BTreeSet::new(),
            last_resync: None,
            last_reason: None,
            lag: Duration::ZERO,
            leaving: Leaving::No,
            next: None,
        }
    }

    fn send(&mut self, line: impl Into<String>, context: &mut Context<'_>) {
        self.last_line = Instant::now();
        context.reply_now(line);
    }

    fn is_me(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(&self.settings.name)
    }

    // The connection.

    /// There is a new connection.
    pub(super) fn connected(&mut self) {
        self.stage = Stage::Name;
        self.last_words.clear();
        self.message = None;
        self.next = None;
        self.last_line = Instant::now();
    }

    /// The connection is gone. `true`: it was a whole one.
    pub(super) fn disconnected(&mut self, context: &mut Context<'_>) -> bool {
        let was_in = matches!(self.stage, Stage::In | Stage::NoService);
        if matches!(self.stage, Stage::Password | Stage::Ready) && self.next.is_none() {
            self.cut_logins += 1;
            if self.cut_logins >= MAX_CUT_LOGINS {
                self.refused("the server closes the connection: is the name in use?");
            }
        }
        self.stage = Stage::Name;
        self.forget_matches(context);
        self.leave_if_done(context);
        was_in
    }

    /// Saves all games as they stand.
    fn forget_matches(&mut self, context: &mut Context<'_>) {
        for game in mem::take(&mut self.games).into_values() {
            self.notes.save(game.is_ours, game.ended("", None));
        }
        for (id, cut_off) in mem::take(&mut self.matches) {
            self.notes.say(format!(
                "match .{id} {cut_off} is cut off; saved as it stands"
            ));
            self.cut_off.push(cut_off);
        }
        self.accepted.clear();
        self.pending.clear();
        self.stored.clear();
        self.unclear.clear();
        context.drop_all();
    }

    fn refused(&mut self, reason: &str) {
        let (name, words) = (&self.settings.name, &self.last_words);
        let said = if words.is_empty() {
            String::new()
        } else {
            format!(" ({words})")
        };
        let text = format!("the login of {name} is refused: {reason}{said}");
        self.next = Some(Next::End(Ended::Refused(text)));
    }

    /// A line before the login is done, or the prompt of one.
    fn log_in(&mut self, line: &str, context: &mut Context<'_>) {
        let prompt = line.strip_prefix(": Enter ").unwrap_or_default();
        match self.stage {
            _ if line.starts_with(": ERR") => {
                self.last_words = line[2..].to_owned();
                self.refused("see what the server says");
            }
            Stage::Name if prompt.starts_with("login") => {
                self.stage = Stage::Password;
                self.send(self.settings.name.clone(), context);
            }
            Stage::Password if prompt.starts_with("your password") => {
                self.stage = Stage::Ready;
                self.send(self.password.0.clone(), context);
            }
            Stage::Password | Stage::Ready if !prompt.is_empty() => {
                self.refused("the server asks again");
            }
            Stage::Ready if line.starts_with("READY") => {
                self.stage = Stage::In;
                self.cut_logins = 0;
                self.notes
                    .say(format!("{} is logged in", self.settings.name));
                for line in reply::CENTRAL_SET_UP {
                    self.send(line, context);
                }
                self.set_up_service(context);
            }
            _ if line.starts_with(':') => {
                self.last_words = line[1..].trim().chars().take(200).collect()
            }
            _ => {}
        }
    }

    fn set_up_service(&mut self, context: &mut Context<'_>) {
        self.stage = Stage::In;
        for line in reply::service_set_up(&self.settings, self.leaving == Leaving::No) {
            self.send(line, context);
        }
    }

    // Leaving.

    /// The person wants to leave: first politely, then at once.
    pub(super) fn interrupted(&mut self, context: &mut Context<'_>) {
        if self.leaving == Leaving::No {
            self.leaving = Leaving::Soon;
            if self.stage == Stage::In {
                self.send("tell /os open 0", context);
            }
            if self.is_playing() {
                self.notes.say(
                    "leaving when the games are over; a second interrupt adjourns them".to_owned(),
                );
            }
        } else {
            self.leaving = Leaving::Now;
            for id in self.matches.keys() {
                context.reply_now(format!("tell /os break .{id}"));
            }
        }
        self.leave_if_done(context);
    }

    fn leave_if_done(&mut self, context: &mut Context<'_>) {
        let is_done = !self.is_playing() || self.leaving == Leaving::Now;
        if self.leaving == Leaving::No || !is_done || self.next.is_some() {
            return;
        }
        if matches!(self.stage, Stage::In | Stage::NoService) {
            self.send("quit", context);
        }
        let ended = if self.leaving == Leaving::Now {
            Ended::Interrupted
        } else {
            Ended::Left
        };
        self.next = Some(Next::End(ended));
    }

    fn is_playing(&self) -> bool {
        !self.matches.is_empty() || !self.accepted.is_empty()
    }

    // Time.

    /// Some time has passed.
    pub(super) fn tick(&mut self, context: &mut Context<'_>) {
        let pauses = self.settings.pauses;
        if self
            .message
            .as_ref()
            .is_some_and(|(_, last)| last.elapsed() > pauses.message)
        {
            self.end_message(context);
        }
        self.notes.tick();
        match self.stage {
            Stage::In | Stage::NoService => {
                if self.last_line.elapsed() > pauses.keep_alive {
                    self.send("", context);
                }
                self.ask(context);
                self.resync(context);
            }
            _ if self.last_line.elapsed() > pauses.patience && self.next.is_none() => {
                self.notes
                    .say("the server does not answer the login".to_owned());
                self.next = Some(Next::Reconnect);
            }
            _ => {}
        }
        self.think(context);
    }

    /// Asks for an adjourned match, or for one of the settings.
    fn ask(&mut self, context: &mut Context<'_>) {
        let is_early = self
            .last_ask
            .is_some_and(|last| last.elapsed() < self.settings.pauses.ask);
        let has_room = (self.matches.len() + self.accepted.len()) < self.settings.at_once as usize;
        if self.stage != Stage::In || self.leaving != Leaving::No || is_early || !has_room {
            return;
        }
        let line = if mem::take(&mut self.wants_stored) {
            "tell /os stored".to_owned()
        } else if let Some(id) = self.stored.pop_front() {
            format!("tell /os ask .{id}")
        } else if !self.settings.ask.is_empty() && self.pending.is_empty() {
            let asked = &self.settings.ask[self.next_ask % self.settings.ask.len()];
            self.next_ask += 1;
            reply::ask(asked)
        } else {
            return;
        };
        self.last_ask = Some(Instant::now());
        self.send(line, context);
    }

    // Messages.

    /// The message is complete.
    fn end_message(&mut self, context: &mut Context<'_>) {
        let Some((lines, _)) = self.message.take() else {
            return;
        };
        match grammar::parse(&lines[0], &lines[1..]) {
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
            Ok(Message::Central(text)) if text.starts_with("ERR") => self.notes.tell(&text),
            Ok(Message::Central(_)) => {}
            Ok(Message::Tell(text)) => self.notes.tell(&text),
            Err(error) => log::debug!("ignored message: {error}"),
        }
    }

    fn service(&mut self, message: ServiceMessage, context: &mut Context<'_>) {
        match message {
            ServiceMessage::Request(request) => self.requested(&request, context),
            ServiceMessage::RequestGone(id) => {
                self.pending.retain(|&pending| pending != id);
                // The news of its match came before.
                self.accepted.retain(|&accepted| accepted != id);
            }
            ServiceMessage::Begins(news) => self.begins(&news, context),
            ServiceMessage::Ends(news) => self.ends(&news, context),
            ServiceMessage::State(state) => self.shown(&state, context),
            ServiceMessage::Unreadable(id) => {
                if self.matches.contains_key(&id.number) {
                    self.unclear(id);
                }
            }
            ServiceMessage::GameEnds(id, first, score) => {
                if let Some(game) = self.games.remove(&id) {
                    self.notes.save(game.is_ours, game.ended(&first, score));
                }
            }
            ServiceMessage::Timeout { id, name, is_fatal } => self.timed_out(id, &name, is_fatal),
            ServiceMessage::TrustViolation(id, name) => {
                if self.matches.contains_key(&id.number) {
                    self.notes
                        .say(format!("game {id}: {name} reported too little time"));
                }
            }
            ServiceMessage::GameError(id, reason) => self.game_error(id, &reason),
            ServiceMessage::Error(reason) => {
                // Perhaps of what was accepted.
                self.accepted.clear();
                self.notes.tell(&format!("/os: {reason}"));
            }
            ServiceMessage::Stored(stored) => {
                let me = self.settings.name.clone();
                let are_ours =
                    |names: &[String; 2]| names.iter().any(|name| name.eq_ignore_ascii_case(&me));
                let stored = stored.iter().filter(|stored| are_ours(&stored.names));
                for cut_off in mem::take(&mut self.cut_off) {
                    let mut others = stored.clone().flat_map(|stored| &stored.names);
                    if !others.any(|name| name.eq_ignore_ascii_case(&cut_off.opponent)) {
                        self.notes
                            .say(format!("the match {cut_off} was not kept by the server"));
                    }
                }
                let is_played = |kind: &str| {
                    MatchKind::try_from(kind.to_owned()).is_ok_and(|kind| kind.refusal().is_none())
                };
                self.stored = stored
                    .filter(|stored| is_played(&stored.kind))
                    .map(|stored| stored.id)
                    .collect();
            }
            ServiceMessage::Arrived(_) => self.wants_stored = true,
            ServiceMessage::Other(text) => self.notes.tell(&format!("/os: {text}")),
        }
        self.think(context);
        self.leave_if_done(context);
    }

    fn requested(&mut self, request: &MatchRequest, context: &mut Context<'_>) {
        let id = request.id;
        if self.is_me(&request.asker) {
            if self.pending.len() < MAX_GAMES {
                self.pending.push(id);
            }
            return;
        }
        let is_open = request.asked == "*";
        if !self.is_me(&request.asked) && !(is_open && self.settings.accept_open) {
            return;
        }
        let judged = self.settings.judge(request).and_then(|()| {
            let is_full =
                self.matches.len() + self.accepted.len() >= self.settings.at_once as usize;
            match is_full || self.leaving != Leaving::No {
                true => Err("I have no time for another match".to_owned()),
                false => Ok(()),
            }
        });
        match judged {
            Ok(()) => {
                self.accepted.push(id);
                self.send(format!("tell /os accept .{id}"), context);
            }
            Err(_) if is_open => {}
            Err(reason) => {
                self.send(format!("tell /os decline .{id}"), context);
                self.notes.tell(&format!(
                    "declined {} of {}: {reason}",
                    request.kind, request.asker
                ));
                // Reasons are told at leisure, so that no flood of requests makes one of tells.
                let is_early = self
                    .last_reason
                    .is_some_and(|last| last.elapsed() < self.settings.pauses.ask);
                if !is_early && reply::is_name(&request.asker) {
                    self.last_reason = Some(Instant::now());
                    self.send(format!("tell {} {reason}", request.asker), context);
                }
            }
        }
    }

    // Matches.

    fn begins(&mut self, news: &MatchNews, context: &mut Context<'_>) {
        if let Some(found) = OurMatch::of(news, &self.settings.name)
            && self.matches.len() < MAX_GAMES
        {
            self.notes.say(format!("match .{} {found} begins", news.id));
            self.matches.insert(news.id, found);
            let kind = MatchKind::try_from(news.kind.clone());
            let refusal = kind
                .as_ref()
                .map_or(Some("I do not know this kind"), MatchKind::refusal);
            if let Some(reason) = refusal {
                self.notes
                    .say(format!("match .{} is adjourned: {reason}", news.id));
                self.send(format!("tell /os break .{}", news.id), context);
            } else {
                self.greet(news.id, &self.settings.say.start.clone(), context);
            }
        }
    }

    fn greet(&mut self, id: u32, text: &str, context: &mut Context<'_>) {
        if !text.is_empty() {
            self.send(format!("tell /os tell p .{id} {text}"), context);
        }
    }

    fn ends(&mut self, news: &MatchNews, context: &mut Context<'_>) {
        let score = score(&news.end);
        let is_game = |game: &GameId| game.number == news.id;
        let games: Vec<GameId> = self.games.keys().copied().filter(is_game).collect();
        for game in games.into_iter().filter_map(|id| self.games.remove(&id)) {
            // The score of a synchro match is that of both games together.
            let own = score.filter(|_| game.id.game.is_none());
            self.notes
                .save(game.is_ours, game.ended(&news.names[0], own));
        }
        if let Some(ended) = self.matches.remove(&news.id) {
            let [first, second] = &news.names;
            self.notes.say(format!(
                "match .{} {} of {first} and {second} ends: {}",
                news.id, ended.kind, news.end
            ));
            if score.is_some() {
                self.greet(news.id, &self.settings.say.end.clone(), context);
            }
            self.stop_idle_search(context);
        }
    }

    /// A search of a game that is gone, or has gone on, is of no use.
    fn stop_idle_search(&self, context: &Context<'_>) {
        let is_useful = match context.running() {
            Some((turn, _)) => self.due(turn).is_some(),
            None => !self.matches.is_empty(),
        };
        if !is_useful {
            context.stop_running();
        }
    }

    /// A `join` or an `update`.
    fn shown(&mut self, state: &GameState, context: &mut Context<'_>) {
        let me = self.settings.name.clone();
        let id = state.id;
        let is_kept = match self.games.get_mut(&id) {
            Some(game) if state.is_join => {
                game.rejoin(state, &me);
                true
            }
            Some(game) => {
                let is_kept = game.update(state, &me);
                if let Some(took) = game.echo.take() {
                    // A single slow echo is remembered for a while.
                    self.lag = took.max(self.lag.mul_f64(0.9));
                }
                is_kept || !game.is_ours
            }
            None if !state.is_join => !state.seats.iter().any(|seat| self.is_me(&seat.name)),
            None => {
                let game = ServerGame::join(state, &me);
                if self.games.len() < MAX_GAMES && (game.is_ours || self.settings.observes) {
                    if game.is_ours && !self.matches.contains_key(&id.number) {
                        let found = OurMatch::of_game(state, &me);
                        self.notes
                            .say(format!("match .{} {found} goes on", id.number));
                        self.matches.insert(id.number, found);
                    }
                    self.games.insert(id, game);
                }
                true
            }
        };
        match is_kept {
            true if state.is_join => _ = self.unclear.remove(&id),
            true => {}
            false => self.unclear(id),
        }
        self.stop_idle_search(context);
    }

    /// Something of a game was not understood: all of it is asked for, soon.
    fn unclear(&mut self, id: GameId) {
        if self.unclear.len() < MAX_GAMES {
            self.unclear.insert(id);
        }
    }

    /// Asks for a game as a whole, if one is unclear.
    fn resync(&mut self, context: &mut Context<'_>) {
        let is_early = self
            .last_resync
            .is_some_and(|last| last.elapsed() < self.settings.pauses.message);
        if self.stage == Stage::In
            && !is_early
            && let Some(id) = self.unclear.pop_first()
        {
            self.last_resync = Some(Instant::now());
            self.send("tell /os client -", context);
            self.send(format!("tell /os moves {id}"), context);
        }
    }

    fn timed_out(&mut self, id: GameId, name: &str, is_fatal: bool) {
        let Some(game) = self.games.get_mut(&id) else {
            return;
        };
        if is_fatal {
            let is_black = game.record.black.name.eq_ignore_ascii_case(name);
            game.flagged = Some(if is_black { Color::Black } else { Color::White });
        }
        if game.is_ours {
            let which = if is_fatal {
                "has lost on time"
            } else {
                "has used up the main time"
            };
            self.notes.say(format!("game {id}: {name} {which}"));
        }
    }

    fn game_error(&mut self, id: GameId, reason: &str) {
        let games = self.games.values_mut();
        let ours = games.filter(|game| game.is_ours && game.id.number == id.number);
        let mut is_ours = false;
        for game in ours.filter(|game| id.game.is_none() || game.id == id) {
            is_ours = true;
            game.note_error();
        }
        if is_ours {
            self.notes
                .say(format!("game {id}: the server says: {reason}"));
            self.unclear(id);
        }
    }

    // Moves.

    /// The game in which this turn is still ours.
    fn due(&self, turn: &Turn) -> Option<&ServerGame> {
        let game = self.games.get(&turn.id)?;
        (game.is_due() && game.position() == turn.position).then_some(game)
    }

    /// Moves, or begins to search, where we are to move and the clock is shortest.
    fn think(&mut self, context: &mut Context<'_>) {
        while self.stage == Stage::In && !context.is_busy() {
            let due = self.games.values().filter(|game| game.is_due());
            let Some(game) = due.min_by_key(|game| game.left()) else {
                return;
            };
            let turn = Turn {
                id: game.id,
                position: game.position(),
            };
            let board = turn.position.board;
            let mut legal = board.legal_moves();
            let forced = match (legal.next(), legal.next()) {
                (None, _) => Some(Move::Pass),
                (Some(only), None) => Some(Move::Place(only)),
                _ => None,
            };
            match forced.filter(|_| !game.awaits_bid() || board.must_pass()) {
                Some(forced) => self.play(turn, forced, None, None, context),
                None => {
                    let others = self
                        .games
                        .values()
                        .filter(|other| other.is_ours && other.id.number != turn.id.number);
                    let least = others.map(ServerGame::left).min().unwrap_or(Duration::MAX);
                    let share = self.matches.len() as u32;
                    let job = self
                        .player
                        .choose(board, game.limit(self.lag, least, share));
                    if let Err(turn) = context.continue_pondering(&job, turn) {
                        context.search(job, turn);
                    }
                }
            }
        }
    }

    /// Sends a move or a bid.
    fn play(
        &mut self,
        turn: Turn,
        mv: Move,
        score: Option<f64>,
        expected: Option<Move>,
        context: &mut Context<'_>,
    ) {
        let Some(game) = self.games.get_mut(&turn.id) else {
            return;
        };
        game.score = score.unwrap_or(game.score);
        let is_bid = game.awaits_bid();
        let line = reply::play(turn.id, mv, game.score, game.since.elapsed(), is_bid);
        game.note_sent();
        self.send(line, context);
        self.ponder(turn, mv, expected, context);
    }

    /// Thinks on the opponent's time, where there is nothing else to do: about the reply that is expected, or about
    /// the other game of a synchro match.
    fn ponder(&self, turn: Turn, mv: Move, expected: Option<Move>, context: &mut Context<'_>) {
        if !self.ponders || context.is_busy() || self.games.values().any(ServerGame::is_due) {
            return;
        }
        let after = match turn.id.game {
            None => turn.position.play(mv),
            Some(game) => {
                let other = GameId {
                    game: Some(1 - game.min(1)),
                    ..turn.id
                };
                self.games.get(&other).map(ServerGame::position)
            }
        };
        let Some(after) = after else {
            return;
        };
        let expected = expected.filter(|_| turn.id.game.is_none());
        let after = expected
            .and_then(|reply| after.play(reply))
            .unwrap_or(after);
        if !after.board.is_over() {
            context.search(self.player.ponder(after.board), None);
        }
    }

    /// A search is over.
    fn found(&mut self, turn: Turn, outcome: &Outcome, context: &mut Context<'_>) {
        if self.due(&turn).is_some() {
            let score = outcome.lines.first().map(|line| line.unrounded.to_f64());
            let best = outcome.best.unwrap_or(Move::Pass);
            self.play(turn, best, score, outcome.ponder, context);
        }
        self.think(context);
    }
}

impl Dialect for Ggs {
    /// Nothing waits.
    type Command = std::convert::Infallible;
    type Purpose = Turn;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        let text = String::from_utf8_lossy(line.bytes());
        if !matches!(self.stage, Stage::In | Stage::NoService) {
            return self.log_in(&text, context);
        }
        if let Some(more) = text.strip_prefix('|') {
            if let Some((lines, last)) = &mut self.message
                && lines.len() < MAX_LINES
            {
                lines.push(more.to_owned());
                *last = Instant::now();
            }
            return;
        }
        self.end_message(context);
        let text = text.trim_end();
        if !text.is_empty() && text != "READY" {
            self.message = Some((vec![text.to_owned()], Instant::now()));
        }
    }

    fn run(&mut self, command: std::convert::Infallible, _: &mut Context<'_>) {
        match command {}
    }

    fn progress(&mut self, _: &mut Turn, _: Event, _: &mut Context<'_>) {}

    fn complete(&mut self, done: DoneRequest<Turn>, context: &mut Context<'_>) {
        if let Event::Done(outcome) = done.event {
            self.found(done.purpose, &outcome, context);
        }
    }

    fn warn(&mut self, reason: String, _: &mut Context<'_>) {
        self.notes.say(reason);
    }
}

impl OurMatch {
    /// `None`: others play it.
    fn of(news: &MatchNews, me: &str) -> Option<OurMatch> {
        let is_me = |name: &String| name.eq_ignore_ascii_case(me);
        let [first, second] = &news.names;
        let opponent = match (is_me(first), is_me(second)) {
            (true, _) => second,
            (_, true) => first,
            _ => return None,
        };
        Some(OurMatch {
            opponent: opponent.clone(),
            kind: news.kind.clone(),
            is_rated: news.flag != 'U',
        })
    }

    fn of_game(state: &GameState, me: &str) -> OurMatch {
        let is_other = |name: &&String| !name.eq_ignore_ascii_case(me);
        let mut names = state.seats.iter().map(|seat| &seat.name);
        OurMatch {
            opponent: names.find(is_other).cloned().unwrap_or_default(),
            kind: state.kind.clone(),
            is_rated: true,
        }
    }
}

impl std::fmt::Display for OurMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rated = if self.is_rated { "rated" } else { "unrated" };
        write!(f, "{} against {}, {rated},", self.kind, self.opponent)
    }
}
