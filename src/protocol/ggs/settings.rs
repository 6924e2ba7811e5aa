//! What a person sets, as the file of `emilia ggs` has it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::kind::{ClockText, MatchKind};
use super::message::MatchRequest;
use crate::formats::ggf::GameClock;

/// The settings of a conversation.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The name to log in with.
    pub name: String,
    /// A file with the password, which only its owner can read.
    pub password_file: Option<PathBuf>,
    /// The kinds of matches that are played.
    pub types: Vec<MatchKind>,
    /// The shortest clock that is accepted.
    pub shortest: ClockText,
    /// The longest one.
    pub longest: ClockText,
    /// Are matches rated? Others are declined then, and rated ones otherwise.
    pub rated: bool,
    /// Matches at once.
    pub at_once: u32,
    /// Are requests to everybody accepted, too?
    pub accept_open: bool,
    /// Users whose requests are declined.
    pub refuse: Vec<String>,
    /// Formula of the server for what it accepts for us at once; empty: nothing.
    pub aform: String,
    /// Formula of the server for what it declines for us; empty: nothing.
    pub dform: String,
    /// Matches that are asked for in turn, one at a time, while there is none.
    pub ask: Vec<Asked>,
    /// What is said to the players when a match begins, and when it ends.
    pub say: Greetings,
    /// Where games are saved.
    pub games: Option<PathBuf>,
    /// The flags of `emilia gtp`, as keys.
    pub engine: toml::Table,
    /// Pauses, which tests make shorter.
    #[serde(skip)]
    pub pauses: Pauses,
    /// Are the games of others watched?
    #[serde(skip)]
    pub observes: bool,
}

/// A match that is asked for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Its kind, in the server's words.
    #[serde(rename = "type")]
    pub kind: String,
    /// The clock of both players.
    pub clock: ClockText,
    /// Who is asked; everybody, if this is left out.
    pub opponent: Option<String>,
}

/// What is said.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Greetings {
    /// When a match begins.
    pub start: String,
    /// When it ends.
    pub end: String,
}

/// Pauses of the conversation.
#[derive(Clone, Copy, Debug)]
pub struct Pauses {
    /// Between two lines to a server that hears nothing else.
    pub keep_alive: Duration,
    /// The least before another connection, and as much again at most; twice as long each time.
    pub reconnect: Duration,
    /// The longest pause before another connection.
    pub longest: Duration,
    /// Between two requests for a match.
    pub ask: Duration,
    /// How long the rest of a message is waited for.
    pub message: Duration,
    /// How long a login or a farewell may take.
    pub patience: Duration,
}

impl Default for Pauses {
    fn default() -> Pauses {
        let seconds = Duration::from_secs;
        Pauses {
            keep_alive: seconds(180),
            reconnect: seconds(10),
            longest: seconds(300),
            ask: seconds(10),
            message: seconds(1),
            patience: seconds(30),
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        let clock = |text: &str| ClockText::try_from(text.to_owned()).expect("a clock");
        let kinds = ["8", "s8r14-20"].map(|text| MatchKind::try_from(text.to_owned()));
        Settings {
            host: "skatgame.net".to_owned(),
            port: 5000,
            name: String::new(),
            password_file: None,
            types: kinds.into_iter().flatten().collect(),
            shortest: clock("0:30"),
            longest: clock("30:00"),
            rated: true,
            at_once: 1,
            accept_open: false,
            refuse: Vec::new(),
            aform: String::new(),
            dform: "!saved & (size!=8 | anti)".to_owned(),
            ask: Vec::new(),
            say: Greetings::default(),
            games: None,
            engine: toml::Table::new(),
            pauses: Pauses::default(),
            observes: false,
        }
    }
}

/// A password, which is never printed.
#[derive(Clone)]
pub struct Password(pub String);

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(secret)")
    }
}

impl Settings {
    /// Checks what the server would refuse, or take for something else.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self) -> Result<(), String> {
        let is_name = (2..=8).contains(&self.name.len())
            && self.name.bytes().all(|byte| byte.is_ascii_graphic())
            && !self.name.starts_with(['.', '_'])
            && !self.name.contains([',', '\\']);
        if !is_name {
            return Err(format!(
                "name: the server wants 2 to 8 letters or digits, found {:?}",
                self.name
            ));
        }
        if !(1..=8).contains(&self.at_once) {
            return Err(format!("at_once: expected 1 to 8, found {}", self.at_once));
        }
        if let Some(reason) = self.types.iter().find_map(MatchKind::refusal) {
            return Err(format!("types: {reason}"));
        }
        let asked = self.ask.iter().flat_map(|asked| {
            let opponent = asked.opponent.iter();
            opponent.chain([&asked.kind]).map(|text| ("ask", text))
        });
        let one_line = [
            ("aform", &self.aform),
            ("dform", &self.dform),
            ("say", &self.say.start),
            ("say", &self.say.end),
        ];
        for (key, text) in one_line.into_iter().chain(asked) {
            // The server takes a backslash for the end of a line.
            if text.len() > 400 || text.contains(|c: char| c.is_control() || c == '\\') {
                return Err(format!(
                    "{key}: expected one short line without backslashes"
                ));
            }
        }
        for asked in &self.ask {
            let kind = MatchKind::try_from(asked.kind.clone())?;
            let is_one = kind.discs.is_none_or(|(least, most)| least == most);
            let words = asked
                .opponent
                .iter()
                .flat_map(|name| name.split_whitespace());
            if kind.refusal().is_some() || !is_one || words.count() != asked.opponent.iter().len() {
                return Err(format!("ask: {} cannot be asked for", asked.kind));
            }
        }
        Ok(())
    }

    /// Why a request is declined.
    ///
    /// # Errors
    /// The reason, for the one who asks.
    pub fn judge(&self, request: &MatchRequest) -> Result<(), String> {
        let kind = MatchKind::try_from(request.kind.clone());
        let kind = kind.map_err(|_| "I do not know this type of match")?;
        if let Some(reason) = kind.refusal() {
            return Err(reason.to_owned());
        }
        // What was begun by these rules is ended, and a tournament has rules of its own.
        if matches!(request.flag, 'S' | 'T') {
            return Ok(());
        }
        if !self.types.iter().any(|wanted| wanted.covers(&kind)) {
            return Err(format!(
                "{} is not among the types that I play",
                request.kind
            ));
        }
        if (request.flag == 'R') != self.rated {
            let rated = if self.rated { "rated" } else { "unrated" };
            return Err(format!("I play {rated} matches only"));
        }
        let clock = request.clock.ok_or("I cannot read the clock")?;
        let is_played = |clock: GameClock| {
            (self.shortest.clock.main..=self.longest.clock.main).contains(&clock.main)
        };
        if ![Some(clock), request.asked_clock]
            .into_iter()
            .flatten()
            .all(is_played)
        {
            let (least, most) = (&self.shortest.text, &self.longest.text);
            return Err(format!("I play with {least} to {most} on the clock"));
        }
        let is_refused = |name: &String| name.eq_ignore_ascii_case(&request.asker);
        match self.refuse.iter().any(is_refused) {
            true => Err("my operator does not want this match".to_owned()),
            false => Ok(()),
        }
    }
}
