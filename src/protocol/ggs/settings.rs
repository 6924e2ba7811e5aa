//! What a person sets, as the file of `emilia ggs` has it.

use std::path::PathBuf;

use serde::Deserialize;

use super::kind::MatchKind;
use super::message::MatchRequest;

/// An example, which also has the value of every setting that is left out but the name.
pub const EXAMPLE: &str = include_str!("example.toml");

/// The settings of a conversation. They have a password, and are never printed.
#[derive(Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The name to log in with.
    pub name: String,
    /// A file with the password, which only its owner can read.
    pub password_file: PathBuf,
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
    /// Matches that are asked for in turn, while there is none, in the server's words: `s8r20 05:00//02:00 kitty`.
    pub ask: Vec<String>,
    /// What is said to the players when a match begins.
    pub greeting: String,
    /// What is said to the players when a match has ended.
    pub farewell: String,
    /// Where games are saved.
    pub games: PathBuf,
    /// Flags of `emilia gtp`.
    pub engine: String,
    /// The password, from that file or from elsewhere.
    #[serde(skip)]
    pub password: String,
    /// Are the games of others watched?
    #[serde(skip)]
    pub observes: bool,
    /// Tests make pauses shorter: they are divided by one more than this.
    #[serde(skip)]
    pub haste: u32,
}

impl Settings {
    /// Reads a file of settings.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Settings, toml::de::Error> {
        let mut all: toml::Table = toml::from_str(EXAMPLE)?;
        all.insert("name".to_owned(), String::new().into());
        // Read by itself, so that an error has its place in this text.
        all.extend(toml::from_str::<toml::Table>(text)?);
        all.try_into()
    }

    /// Can they be used?
    ///
    /// # Errors
    /// Which of them cannot, and what is expected.
    pub fn check(&self) -> Result<(), String> {
        let is_letter = |c: char| c.is_ascii_alphanumeric() || "_-+".contains(c);
        let name = &self.name;
        let texts = [&self.aform, &self.dform, &self.greeting, &self.farewell];
        let mut texts = texts.into_iter().chain(&self.ask);
        let [least, most] = self.seconds;
        hold([
            (
                (2..=8).contains(&name.len()) && name.chars().all(is_letter),
                "name: expected a name of 2 to 8 letters",
            ),
            (
                !self.host.trim().is_empty(),
                "host: expected the name of a server",
            ),
            (self.port != 0, "port: expected 1 to 65535"),
            (
                !self.types.is_empty(),
                "types: expected a type such as s8r20",
            ),
            (
                least <= most,
                "seconds: expected the shortest clock, then the longest",
            ),
            (self.at_once != 0, "at_once: expected 1 or more"),
            (
                !texts.any(|text| text.contains(char::is_control)),
                "aform, dform, greeting, farewell, ask: expected one line each",
            ),
        ])
    }

    /// Why a request is declined.
    ///
    /// # Errors
    /// The reason, for the one who asks.
    pub fn judge(&self, request: &MatchRequest) -> Result<(), String> {
        let kind = MatchKind::try_from(request.kind.clone());
        let kind = kind.map_err(|_| "I do not know this type of match")?;
        kind.refusal()
            .map_or(Ok(()), |reason| Err(reason.to_owned()))?;
        // What was begun by these rules is ended, and a tournament has rules of its own.
        if matches!(request.flag, 'S' | 'T') {
            return Ok(());
        }
        let [least, most] = self.seconds;
        let mut clocks = [Some(request.clock), request.asked_clock]
            .into_iter()
            .flatten();
        let rated = if self.rated { "rated" } else { "unrated" };
        hold([
            (
                self.types.iter().any(|wanted| wanted.covers(&kind)),
                format!("{} is not among the types that I play", request.kind),
            ),
            (
                (request.flag == 'R') == self.rated,
                format!("I play {rated} matches only"),
            ),
            (
                clocks.all(|clock| (least..=most).contains(&clock.main.as_secs())),
                format!("I play with {least} to {most} seconds on the clock"),
            ),
        ])
    }
}

/// The words of the first condition that does not hold.
fn hold<T: Into<String>>(conditions: impl IntoIterator<Item = (bool, T)>) -> Result<(), String> {
    let mut broken = conditions.into_iter().filter(|(holds, _)| !holds);
    broken.next().map_or(Ok(()), |(_, words)| Err(words.into()))
}
