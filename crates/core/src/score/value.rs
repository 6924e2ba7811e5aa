//! Who wins.

use super::Bounds;

/// Win, draw or loss for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GameValue {
    /// The side to move loses.
    Loss,
    /// The game ends with equal discs.
    Draw,
    /// The side to move wins.
    Win,
}

impl GameValue {
    /// The value of a final score in discs.
    pub const fn of_discs(discs: i32) -> GameValue {
        match discs {
            ..0 => GameValue::Loss,
            0 => GameValue::Draw,
            1.. => GameValue::Win,
        }
    }

    /// What it says of the score.
    pub fn bounds(self) -> Bounds {
        match self {
            GameValue::Loss => Bounds::at_most(-2),
            GameValue::Draw => Bounds::exactly(0),
            GameValue::Win => Bounds::at_least(2),
        }
    }

    /// The result for the other side.
    pub const fn opposite(self) -> GameValue {
        match self {
            GameValue::Loss => GameValue::Win,
            GameValue::Draw => GameValue::Draw,
            GameValue::Win => GameValue::Loss,
        }
    }

    /// `win`, `draw` or `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            GameValue::Loss => "loss",
            GameValue::Draw => "draw",
            GameValue::Win => "win",
        }
    }
}
