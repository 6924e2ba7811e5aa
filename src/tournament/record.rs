//! What is kept of a game.

use serde::{Deserialize, Serialize};

use crate::rules::Color;

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the schedule, the first is 1.
    pub game: u64,
    /// The number of its opening in the list, the first is 1.
    pub opening: u64,
    /// Name of the first player.
    pub black: String,
    /// Name of the second player.
    pub white: String,
    /// What the first player may spend, such as `tc=60+0.5`.
    pub black_budget: String,
    /// What the second player may spend.
    pub white_budget: String,
    /// Cells and side to move at the start.
    pub start: String,
    /// All moves, those of the opening first.
    pub moves: Vec<MoveRecord>,
    /// The result in discs for black, even, −64..=64. Who forfeits loses by 64.
    pub score: i32,
    /// How it ended.
    pub ending: Ending,
    /// Who brought that ending about, if it is a forfeit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub forfeit: Option<Side>,
    /// What happened then.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub note: String,
}

/// One move of a game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct MoveRecord {
    /// A square or `pass`.
    #[serde(rename = "move")]
    pub name: String,
    /// Milliseconds that it took; none in the opening and for passes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ms: Option<f64>,
    /// The player's estimate in discs for itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// Plies searched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<u32>,
}

impl MoveRecord {
    /// A move that nobody thought about.
    pub const fn given(name: String) -> MoveRecord {
        MoveRecord {
            name,
            ms: None,
            score: None,
            depth: None,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// Neither side could move.
    Over,
    /// The rest was solved.
    Adjudicated,
    /// Forfeit: the engine gave up.
    Resigned,
    /// Forfeit: a move that is not legal.
    Illegal,
    /// Forfeit: too late.
    Time,
    /// Forfeit: the engine ended.
    Crash,
    /// Forfeit: the engine fell silent.
    Hang,
    /// Forfeit: the answer made no sense.
    Garbage,
}

impl Ending {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Over => "over",
            Ending::Adjudicated => "adjudicated",
            Ending::Resigned => "resigned",
            Ending::Illegal => "illegal",
            Ending::Time => "time",
            Ending::Crash => "crash",
            Ending::Hang => "hang",
            Ending::Garbage => "garbage",
        }
    }
}

/// A side in a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The first player.
    Black,
    /// The second player.
    White,
}

impl From<Color> for Side {
    fn from(color: Color) -> Side {
        match color {
            Color::Black => Side::Black,
            Color::White => Side::White,
        }
    }
}
