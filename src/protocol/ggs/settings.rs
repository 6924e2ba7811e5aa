//! What a person sets, as the file of `emilia ggs` has it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use super::kind::{self, MatchKind};
use super::message::MatchRequest;

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
    /// The kinds of matches that are accepted.
    pub types: Vec<MatchKind>,
    /// The seconds of the shortest and of the longest clock that is accepted.
    pub seconds: [u64; 2],
    /// Are matches rated? Others are declined then, and rated ones otherwise.
    pub rated: bool,
    /// Matches at once.
    pub at_once: usize,
    /// Formula of the server for what it accepts for us at once; empty: nothing.
    pub aform: String,
    /// Formula of the server for what it declines for us; empty: nothing.
    pub dform: String,
    /// Matches that are asked for in turn, one at a time, while there is none.
    pub ask: Vec<Asked>,
    /// What is said to the players when a match begins.
    pub greeting: String,
    /// What is said to the players when a match has ended.
    pub farewell: String,
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
    pub clock: String,
    /// Who is asked; empty: everybody.
    #[serde(default)]
    pub opponent: String,
}

/// Pauses of the conversation.
#[derive(Clone, Copy, Debug)]
pub struct Pauses {
    /// Before an empty line, where nothing else is said.
    pub keep_alive: Duration,
    /// The least before another connection, and half as much again at most; twice as long each time.
    pub reconnect: Duration,
    /// The longest before another connection.
    pub longest: Duration,
    /// Between two requests for a match.
    pub ask: Duration,
    /// How long the rest of a message is waited for.
    pub message: Duration,
    /// How long a login may take.
    pub patience: Duration,
}

impl Default for Pauses {
    fn default() -> Pauses {
        Pauses {
            keep_alive: Duration::from_secs(180),
            reconnect: Duration::from_secs(10),
            longest: Duration::from_secs(300),
            ask: Duration::from_secs(10),
            message: Duration::from_secs(1),
            patience: Duration::from_secs(30),
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        let kinds = ["8", "s8r14-20"].map(|text| MatchKind::try_from(text.to_owned()));
        Settings {
            host: "skatgame.net".to_owned(),
            port: 5000,
            name: String::new(),
            password_file: None,
            types: kinds.into_iter().flatten().collect(),
            seconds: [30, 1800],
            rated: true,
            at_once: 1,
            aform: String::new(),
            dform: "!saved & (size!=8 | anti)".to_owned(),
            ask: Vec::new(),
            greeting: String::new(),
            farewell: String::new(),
            games: None,
            engine: toml::Table::new(),
            pauses: Pauses::default(),
            observes: false,
        }
    }
}

/// A password, which is never printed.
#[derive(Clone, Default)]
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
        if !(2..=8).contains(&self.name.len()) || !is_name(&self.name) {
            let name = &self.name;
            return Err(format!(
                "name: expected 2 to 8 letters or digits, found {name:?}"
            ));
        }
        if !(1..=8).contains(&self.at_once) {
            return Err(format!("at_once: expected 1 to 8, found {}", self.at_once));
        }
        if let Some(reason) = self.types.iter().find_map(MatchKind::refusal) {
            return Err(format!("types: {reason}"));
        }
        for text in [&self.aform, &self.dform, &self.greeting, &self.farewell] {
            // The server takes a backslash for the end of a line.
            if text.len() > 400 || text.contains(|c: char| c.is_control() || c == '\\') {
                return Err(format!(
                    "expected one short line without \\, found {text:?}"
                ));
            }
        }
        for Asked {
            kind,
            clock,
            opponent,
        } in &self.ask
        {
            let is_kind =
                MatchKind::try_from(kind.clone())?.refusal().is_none() && !kind.contains('-');
            let is_clock = kind::clock(clock).is_some() && clock.contains(':');
            if !is_kind || !is_clock || !opponent.is_empty() && !is_name(opponent) {
                return Err(format!(
                    "ask: cannot ask {opponent:?} for {kind} with {clock:?}"
                ));
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
        let [least, most] = self.seconds;
        let clocks = [clock, request.asked_clock.unwrap_or(clock)];
        match clocks
            .iter()
            .all(|clock| (least..=most).contains(&clock.main.as_secs()))
        {
            true => Ok(()),
            false => Err(format!(
                "I play with {least} to {most} seconds on the clock"
            )),
        }
    }
}

/// Is this one word of the letters that names have?
pub(super) fn is_name(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_".contains(&byte);
    (1..=16).contains(&text.len()) && text.bytes().all(is_letter) && !text.starts_with('_')
}
