//! A conversation with the server: the login, requests, and the games.
//!
//! Answers of the server are not paired with commands: every message says by itself what it is about. What is played
//! is always the position that the server showed last, once.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::mem;
use std::time::Duration;

use crossbeam_channel::Sender;

use super::client::FAREWELL;
use super::game::{Needs, ServerGame};
use super::grammar::{self, score};
use super::kind::is_played;
use super::message::{GameId, GameState, MatchNews, MatchRequest, Message};
use super::notes::{Notes, Timer};
use super::settings::Settings;
use super::telnet::plain;
use super::{Ended, Report, reply};
use crate::engine::Event;
use crate::formats::ggf::GgfGame;
use crate::protocol::Preferences;
use crate::protocol::conversation::{self, Dialect, DoneRequest};
use crate::rules::{Move, Position};
use crate::search::Outcome;
use crate::text::Line;

type Context<'a> = conversation::Context<'a, Ggs>;

/// Lines of a message that are kept: a whole game has some 100.
const MAX_LINES: usize = 256;

/// Games that are followed at once, those of others included.
const MAX_GAMES: usize = 256;

/// Logins that the server may cut off before they are taken for refused.
const MAX_CUT_LOGINS: u32 = 2;

/// How often an empty line is said, which keeps the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(180);

/// Between two requests, and between two reasons for declining one.
const ASK_PAUSE: Duration = Duration::from_secs(10);

/// How long the rest of a message is waited for, and how often the whole of unclear games is asked for.
const MESSAGE_TIME: Duration = Duration::from_millis(500);

/// How long a match that was just agreed on may take to begin.
const LEAVE_PAUSE: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct Ggs {
    settings: Settings,
    preferences: Preferences,
    notes: Notes,
    stage: Stage,
    cut_logins: u32,
    interrupts: u32,
    /// A message of which more may come.
    message: Vec<String>,
    /// Ours that are played, and those of others that are watched.
    games: BTreeMap<GameId, ServerGame>,
    /// Games of which something was not understood.
    unclear: BTreeSet<GameId>,
    /// Our own request that nobody has answered.
    pending: Option<u32>,
    /// Games of ours that were cut off, until the server says whether it has kept them.
    cut: Vec<GgfGame>,
    /// Is the list of adjourned matches to be asked for?
    wants_list: bool,
    /// Adjourned matches that are to be asked for, by their numbers in the archive.
    archived: BTreeSet<u32>,
    next_ask: usize,
    needs: Needs,
    /// Since an empty line, requests, reasons and questions were sent.
    alive: Timer,
    asked: Timer,
    reasoned: Timer,
    questioned: Timer,
    /// Since a line of a message or an interrupt came.
    heard: Timer,
    interrupted_at: Timer,
    /// Set once the connection is to be closed.
    pub(super) ended: Option<Ended>,
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

/// A search for a move or a bid: in which game, and for which position.
type Turn = (GameId, Position);

impl Ggs {
    pub(super) fn new(
        settings: Settings,
        preferences: Preferences,
        reports: Sender<Report>,
    ) -> Ggs {
        Ggs {
            notes: Notes::new(reports, &settings.password),
            settings,
            preferences,
            ..Ggs::default()
        }
    }

    fn has_run(&self, timer: &Timer, pause: Duration) -> bool {
        timer.has_run(pause / (1 + self.settings.haste))
    }

    fn is_me(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case(&self.settings.name)
    }

    /// The numbers of our matches.
    fn played(&self) -> BTreeSet<u32> {
        let ours = self.games.values().filter(|game| game.is_ours());
        ours.map(|game| game.id.number).collect()
    }

    /// May another match begin? If not, why.
    fn has_room(&self) -> Result<(), String> {
        match self.played().len() < self.settings.at_once && self.interrupts == 0 {
            true => Ok(()),
            false => Err("I have no time for another match".to_owned()),
        }
    }

    // The connection.

    /// Is the login done?
    pub(super) fn is_in(&self) -> bool {
        self.stage >= Stage::NoService
    }

    /// The connection is gone.
    pub(super) fn disconnected(&mut self, context: &mut Context<'_>) {
        if matches!(self.stage, Stage::Password | Stage::Ready) && self.ended.is_none() {
            self.cut_logins += 1;
            if self.cut_logins >= MAX_CUT_LOGINS {
                self.refused("the server closes the connection; is the name in use?");
            }
        }
        self.stage = Stage::Name;
        self.message.clear();
        self.forget_games(context);
    }

    /// Saves all games as they stand.
    fn forget_games(&mut self, context: &mut Context<'_>) {
        for (id, game) in mem::take(&mut self.games) {
            let (is_ours, record) = (game.is_ours(), game.ended("", None));
            self.notes.save(is_ours, record.clone());
            if is_ours {
                let game = what(&record);
                self.notes.say(&format!(
                    "game {id} {game} is cut off, and saved as it stands"
                ));
                self.cut.push(record);
            }
        }
        self.pending = None;
        context.drop_all();
    }

    fn refused(&mut self, reason: &str) {
        let name = &self.settings.name;
        let text = format!("the login of {name} is refused: {reason}");
        let text = self.notes.masked(&text);
        self.ended = Some(Ended::Refused(text));
    }

    /// A line before the login is done.
    fn log_in(&mut self, line: &str, context: &mut Context<'_>) {
        match self.stage {
            Stage::Name if line.starts_with(": Enter login") => {
                self.stage = Stage::Password;
                context.reply_now(&*self.settings.name);
            }
            Stage::Password if line.starts_with(": Enter your password") => {
                self.stage = Stage::Ready;
                context.reply_now(&*self.settings.password);
            }
            Stage::Ready if line.starts_with("READY") => {
                self.cut_logins = 0;
                self.alive.restart();
                self.notes.say("the login is done");
                for line in reply::CENTRAL_SET_UP {
                    context.reply_now(line);
                }
                self.set_up_service(context);
            }
            // A banner may have such lines too.
            Stage::Name if !line.starts_with(": E") => {}
            _ if line.starts_with(": ") => self.refused(&line[2..]),
            _ => {}
        }
    }

    fn set_up_service(&mut self, context: &mut Context<'_>) {
        self.stage = Stage::In;
        self.wants_list = true;
        let is_open = self.interrupts == 0;
        reply::set_up_service(&self.settings, is_open, |line| context.reply_now(line));
    }

    /// The person wants to leave: first politely, then at once.
    pub(super) fn interrupted(&mut self, context: &mut Context<'_>) {
        self.interrupts += 1;
        self.interrupted_at.restart();
        if self.interrupts > 1 {
            for id in self.played() {
                context.reply_now(format!("tell /os break .{id}"));
            }
            let seconds = FAREWELL.as_secs();
            self.notes.say(&format!(
                "adjourns what is played, and leaves within {seconds} s"
            ));
            self.leave(Ended::Interrupted, context);
        } else if self.stage == Stage::In {
            self.notes
                .say("leaves when what is played has ended; the next interrupt adjourns it");
            context.reply_now("tell /os open 0");
        } else {
            self.notes.say("leaves: no login is done");
        }
    }

    fn leave(&mut self, ended: Ended, context: &mut Context<'_>) {
        if self.is_in() {
            context.reply_now("quit");
        }
        self.ended = Some(ended);
    }

    // Time.

    /// Some time has passed.
    pub(super) fn tick(&mut self, context: &mut Context<'_>) {
        if self.heard.has_run(MESSAGE_TIME) {
            self.end_message(context);
        }
        let is_quiet = self.stage != Stage::In || self.has_run(&self.interrupted_at, LEAVE_PAUSE);
        if self.interrupts > 0 && is_quiet && self.played().is_empty() {
            return self.leave(Ended::Left, context);
        }
        if self.is_in() && self.has_run(&self.alive, KEEP_ALIVE) {
            self.alive.restart();
            context.reply_now("");
        }
        if self.stage == Stage::In {
            self.ask(context);
            self.question(context);
        }
    }

    /// Asks for the adjourned matches, or for one of the settings.
    fn ask(&mut self, context: &mut Context<'_>) {
        if self.has_room().is_err() || !self.has_run(&self.asked, ASK_PAUSE) {
            return;
        }
        if mem::take(&mut self.wants_list) {
            return context.reply_now("tell /os stored");
        }
        let mut wanted = self.settings.ask.iter().cycle().skip(self.next_ask);
        let asked = if let Some(number) = self.archived.pop_first() {
            format!(".{number}")
        } else if let (None, Some(asked)) = (self.pending, wanted.next()) {
            self.next_ask = (self.next_ask + 1) % self.settings.ask.len();
            asked.clone()
        } else {
            return;
        };
        self.asked.restart();
        context.reply_now(format!("tell /os ask {asked}"));
    }

    /// Asks for the whole of the games that are unclear, in the form that is read here.
    fn question(&mut self, context: &mut Context<'_>) {
        if self.questioned.has_run(MESSAGE_TIME) && !self.unclear.is_empty() {
            self.questioned.restart();
            context.reply_now("tell /os client -");
            for id in mem::take(&mut self.unclear) {
                context.reply_now(format!("tell /os moves {id}"));
            }
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
            Message::Other(text) => self.notes.tell(&text),
            Message::Service(false) => {
                self.stage = Stage::NoService;
                self.forget_games(context);
            }
            Message::Service(true) if self.stage == Stage::NoService => {
                self.set_up_service(context);
            }
            Message::Service(true) => {}
            _ if self.stage != Stage::In => {}
            Message::Request(request) => self.requested(&request, context),
            Message::RequestGone(id) => self.pending = self.pending.filter(|&own| own != id),
            Message::Begins(news) => self.begins(&news, context),
            Message::Ends(news) => self.ends(&news, context),
            Message::State(state) => self.shown(*state, context),
            Message::Unreadable(id) => _ = self.unclear.insert(id),
            Message::GameEnds(id, first, score) => self.save(id, &first, score),
            Message::Time(id, what, name) => {
                if let Some(game) = self.games.get_mut(&id).filter(|game| game.is_ours()) {
                    game.is_lost_on_time |= what == "fatal-timeout";
                    self.notes.say(&format!("game {id}: {what} of {name}"));
                }
            }
            Message::GameError(id, reason) => self.game_error(id, &reason),
            Message::Arrived => self.wants_list = true,
            Message::Stored(list) => self.stored(&list),
        }
        self.think(context);
    }

    /// A game is asked for as a whole before anything else is sent in it.
    fn game_error(&mut self, id: GameId, reason: &str) {
        let is_meant = |game: &&mut ServerGame| {
            game.is_ours() && game.id.number == id.number && id.game.is_none_or(|_| game.id == id)
        };
        for game in self.games.values_mut().filter(is_meant) {
            self.notes.say(&format!("game {id}: refused, {reason}"));
            game.note_error();
            self.unclear.insert(game.id);
        }
    }

    fn requested(&mut self, request: &MatchRequest, context: &mut Context<'_>) {
        let (id, asker, is_open) = (request.id, &request.asker, request.asked == "*");
        if self.is_me(asker) {
            self.pending = Some(id);
            return;
        }
        if !is_open && !self.is_me(&request.asked) {
            return;
        }
        match self.settings.judge(request).and(self.has_room()) {
            Ok(()) => context.reply_now(format!("tell /os accept .{id}")),
            Err(_) if is_open => {}
            Err(reason) => {
                context.reply_now(format!("tell /os decline .{id}"));
                let note = format!("declined {} of {asker}: {reason}", request.kind);
                self.notes.tell(&note);
                // Reasons are told at leisure, so that no flood of requests makes one of tells.
                if self.has_run(&self.reasoned, ASK_PAUSE) {
                    self.reasoned.restart();
                    context.reply_now(format!("tell {asker} {reason}"));
                }
            }
        }
    }

    // Matches.

    /// Asks for all that can be played on; of those that were cut off, says whether they can.
    fn stored(&mut self, list: &[MatchNews]) {
        for game in mem::take(&mut self.cut) {
            let is_it = |kept: &&MatchNews| {
                let has = |name: &String| kept.names.contains(name);
                kept.kind == game.kind && has(&game.black.name) && has(&game.white.name)
            };
            let how = match list.iter().find(is_it) {
                Some(kept) => format!("is kept by the server as .{}", kept.id),
                None => "is lost: the server has not kept it".to_owned(),
            };
            self.notes.say(&format!("{} {how}", what(&game)));
        }
        let playable = list.iter().filter(|news| is_played(&news.kind));
        self.archived = playable.map(|news| news.id).collect();
    }

    fn begins(&self, news: &MatchNews, context: &mut Context<'_>) {
        let (id, kind, [first, second]) = (news.id, &news.kind, &news.names);
        if !news.names.iter().any(|name| self.is_me(name)) {
            return;
        }
        self.notes.say(&format!(
            "match .{id} begins: {kind} of {first} and {second}"
        ));
        if is_played(kind) {
            self.greet(id, &self.settings.greeting, context);
        } else {
            self.notes.say("this kind is not played: it is adjourned");
            context.reply_now(format!("tell /os break .{id}"));
        }
    }

    fn greet(&self, id: u32, text: &str, context: &mut Context<'_>) {
        if !text.is_empty() {
            context.reply_now(format!("tell /os tell p .{id} {text}"));
        }
    }

    fn save(&mut self, id: GameId, first: &str, score: Option<f64>) {
        if let Some(game) = self.games.remove(&id) {
            self.notes.save(game.is_ours(), game.ended(first, score));
        }
    }

    fn ends(&mut self, news: &MatchNews, context: &mut Context<'_>) {
        let (number, end, [first, second]) = (news.id, &news.end, &news.names);
        // The score of a synchro match is that of both games together, each of which has told its own.
        for game in [None, Some(0), Some(1)] {
            let own = score(end).filter(|_| game.is_none());
            self.save(GameId { number, game }, first, own);
        }
        if news.names.iter().any(|name| self.is_me(name)) {
            let what = format!("{} of {first} and {second}", news.kind);
            self.notes
                .say(&format!("match .{number} {what} ends: {end}"));
            self.greet(number, &self.settings.farewell, context);
            self.stop_useless_search(context);
        }
    }

    /// A search of a game that is gone, or has gone on, is of no use.
    fn stop_useless_search(&self, context: &Context<'_>) {
        let is_useful = match context.running() {
            Some((&(id, position), _)) => {
                let game = self.games.get(&id);
                game.is_some_and(|game| game.owes(position))
            }
            None => !self.played().is_empty(),
        };
        if !is_useful {
            context.stop_running();
        }
    }

    /// A `join` or an `update`.
    fn shown(&mut self, state: GameState, context: &mut Context<'_>) {
        let id = state.id;
        let before = self.games.remove(&id);
        let sent = before.as_ref().and_then(ServerGame::sent_ago);
        let (game, is_whole) = ServerGame::shown(state, &self.settings.name, before);
        if let Some(echo) = sent.filter(|_| game.sent_ago().is_none()) {
            self.needs.lag = echo.max(self.needs.lag.mul_f64(0.9));
        }
        self.unclear.remove(&id);
        if game.is_ours() && !is_whole {
            self.unclear.insert(id);
        }
        if (game.is_ours() || self.settings.observes) && self.games.len() < MAX_GAMES {
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
        let is_other = |other: &&ServerGame| other.is_ours() && other.id.number != turn.0.number;
        let others = self.games.values().filter(is_other).map(ServerGame::left);
        let least = others.min().unwrap_or(Duration::MAX);
        let limit = game.limit(self.needs, least, self.played().len() as u32);
        let job = self.preferences.player.choose(turn.1.board, limit);
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
            context.reply_now(reply::play(game, outcome.best.unwrap_or(Move::Pass)));
            // A search may wait for that of another match, or for the opponent.
            let waited = game.since.elapsed().min(done.elapsed);
            let overhead = waited.saturating_sub(outcome.time);
            self.needs.overhead = overhead.max(self.needs.overhead.mul_f64(0.9));
            game.note_sent();
        }
        self.think(context);
        if self.preferences.ponders && !context.is_busy() {
            self.ponder(done.purpose, outcome, context);
        }
    }

    /// Thinks on the opponent's time: in the other game of a synchro match, or about the reply that is expected.
    fn ponder(&self, (id, position): Turn, outcome: &Outcome, context: &mut Context<'_>) {
        let is_other = |game: &&ServerGame| game.id.number == id.number && game.id != id;
        let other = self.games.values().find(is_other);
        let after = |position: Position, mv: Option<Move>| position.play(mv?);
        let ours = after(position, outcome.best);
        let replied = ours.and_then(|ours| after(ours, outcome.ponder));
        if let Some(position) = other.map(ServerGame::position).or(replied).or(ours)
            && !position.board.is_over()
            && self.games.contains_key(&id)
        {
            context.search(self.preferences.player.ponder(position.board), None);
        }
    }
}

/// `8 of kitty and emilia`
fn what(game: &GgfGame) -> String {
    format!(
        "{} of {} and {}",
        game.kind, game.black.name, game.white.name
    )
}

impl Dialect for Ggs {
    /// Nothing waits.
    type Command = Infallible;
    type Purpose = Turn;

    fn line(&mut self, line: &Line, context: &mut Context<'_>) {
        let text = plain(line.bytes());
        if !self.is_in() {
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

    fn complete(&mut self, done: DoneRequest<Turn>, context: &mut Context<'_>) {
        if let Event::Done(outcome) = &done.event {
            self.found(&done, outcome, context);
        }
    }
}
