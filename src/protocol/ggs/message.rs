//! What the server says: one message is a line, and the lines behind it that begin with `|`.

use std::fmt;

use crate::formats::ggf::{Annotation, GameClock, GgfGame};
use crate::rules::Move;

/// A message.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// `: + /os 1`, `: - /os 1`: the Othello service comes or goes.
    Service(bool),
    /// `+ .8 ..`: somebody asks for a match.
    Request(MatchRequest),
    /// `- .8 ..`: a request is gone.
    RequestGone(u32),
    /// `+ match .9 ..`
    Begins(MatchNews),
    /// `- match .9 ..`
    Ends(MatchNews),
    /// `join`, `update`: a game as it stands.
    State(Box<GameState>),
    /// A `join` or `update` that cannot be read.
    Unreadable(GameId),
    /// `end .9.0 ( lynx vs. kitty ) +12.00`: a game of a synchro match, and the score for the first player.
    GameEnds(GameId, String, Option<f64>),
    /// `timeout`, `fatal-timeout`, `trust-violation`: which of them, and who spent too much time or reported too little.
    Time(GameId, String, String),
    /// `error .9 ..`: a command about a game was refused.
    GameError(GameId, String),
    /// `+ bob stored`: the opponent of an adjourned match has come.
    Arrived,
    /// `stored 2 me`: our adjourned matches, with their numbers in the archive.
    Stored(Vec<MatchNews>),
    /// Everything else, from the server or from other users.
    Other(String),
}

/// The number of a match, and which of its games; `.9.1` in the server's words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GameId {
    /// The server uses the numbers again.
    pub number: u32,
    /// In a synchro match: 0 or 1.
    pub game: Option<u32>,
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.number)?;
        self.game.map_or(Ok(()), |game| write!(f, ".{game}"))
    }
}

/// `.8 1720.0 alice 01:00//02:00 8b U 1720.0 bob`
#[derive(Clone, PartialEq, Debug)]
pub struct MatchRequest {
    /// The number of the request.
    pub id: u32,
    /// Who asks.
    pub asker: String,
    /// The clock.
    pub clock: GameClock,
    /// The kind, in the server's words.
    pub kind: String,
    /// `R` rated, `U` unrated, `T` of a tournament, `S` adjourned.
    pub flag: char,
    /// Who is asked; `*`: everybody.
    pub asked: String,
    /// The clock of who is asked, where it is another one.
    pub asked_clock: Option<GameClock>,
}

/// `match .9 2544 lynx 2505 kitty s8r20 R`, and how it ended.
#[derive(Clone, PartialEq, Debug)]
pub struct MatchNews {
    /// The number of the match.
    pub id: u32,
    /// The players. Their order says nothing of their colours.
    pub names: [String; 2],
    /// The kind, in the server's words.
    pub kind: String,
    /// As in [`MatchRequest::flag`].
    pub flag: char,
    /// The score for the first player and the name in the archive, or why there is none.
    pub end: String,
}

/// A game as it stands.
#[derive(Clone, PartialEq, Debug)]
pub struct GameState {
    /// Which game.
    pub id: GameId,
    /// The game up to the position now: from its start if it begins, is resumed, or was asked for.
    pub record: GgfGame,
    /// Of an `update`, the last move, which the record does not have.
    pub last: Option<(Move, Annotation)>,
    /// Are the colours given by bids that are still to come?
    pub awaits_bids: bool,
}
