//! The playing strength that a person chooses: by level, depth or time.

use std::fmt;
use std::time::Duration;

use crate::search::{Limits, TimeLimit};

/// Depth of each level in plies, and whom it suits.
const LEVELS: [(u32, &str); 12] = [
    (1, "for a first game"),
    (2, "for someone who knows the rules"),
    (3, "for someone who has found out about corners"),
    (4, "for a casual player"),
    (6, "for a regular player"),
    (8, "for a club player"),
    (10, "for a tournament player"),
    (12, "quick moves, hard to beat"),
    (16, "about a second a move"),
    (20, "some seconds a move"),
    (24, "for analysis: up to a minute a move"),
    (28, "for analysis: minutes a move"),
];

/// One of the strengths that a person can choose by number, 1 the weakest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(u8);

impl Level {
    /// The level in a game without a clock, if none was chosen.
    pub const DEFAULT: Level = Level(8);

    /// The number of the strongest level.
    pub const COUNT: u8 = LEVELS.len() as u8;

    /// The level of this number, 1..=[`Level::COUNT`].
    pub const fn new(number: u8) -> Option<Level> {
        if 1 <= number && number <= Level::COUNT {
            Some(Level(number))
        } else {
            None
        }
    }

    /// All levels, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (1..=Level::COUNT).map(Level)
    }

    /// Plies that the middle of a game is searched.
    pub const fn depth(self) -> u32 {
        LEVELS[self.0 as usize - 1].0
    }
}

/// `level 6: depth 8, solves the last 16 squares, for a club player`
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (depth, suits) = LEVELS[usize::from(self.0) - 1];
        let solved = solved_at(depth);
        write!(
            f,
            "level {}: depth {depth}, solves the last {solved} squares, {suits}",
            self.0
        )
    }
}

/// Empties at which a search of `depth` plies in the middle of the game becomes a
/// solution to its end: that far, the end costs no more than the middle does.
pub const fn solved_at(depth: u32) -> u32 {
    const STRAIGHT: u32 = 10;
    if depth <= STRAIGHT {
        return 2 * depth;
    }
    let flatter = 2 * STRAIGHT + (depth - STRAIGHT) / 2;
    if flatter > depth { flatter } else { depth }
}

/// What a person chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strength {
    /// Nothing: as strong as the clock allows, or [`Level::DEFAULT`] without one.
    #[default]
    Unchosen,
    /// A level.
    Level(Level),
    /// This many plies, and the end of the game as a level of that depth solves it.
    Depth(u32),
    /// So long for each move.
    MoveTime(Duration),
}

impl Strength {
    /// The depth that it means in a game whose clock is `time`, if it means one.
    pub fn depth(self, time: TimeLimit) -> Option<u32> {
        match self {
            Strength::Unchosen if time == TimeLimit::Unlimited => Some(Level::DEFAULT.depth()),
            Strength::Unchosen | Strength::MoveTime(_) => None,
            Strength::Level(level) => Some(level.depth()),
            Strength::Depth(depth) => Some(depth),
        }
    }

    /// The limits of a search for a move of a board with so many empties, with this clock.
    pub fn limits(self, empties: u32, time: TimeLimit) -> Limits {
        Limits {
            depth: self.depth(time).filter(|&depth| solved_at(depth) < empties),
            time: self.time(time),
            ..Limits::default()
        }
    }

    fn time(self, clock: TimeLimit) -> TimeLimit {
        let Strength::MoveTime(wanted) = self else {
            return clock;
        };
        TimeLimit::Move(match clock {
            TimeLimit::Unlimited => wanted,
            TimeLimit::Move(most) => wanted.min(most),
            // A chosen time does not lose a game on time.
            TimeLimit::Clock { remaining, .. } => wanted.min(remaining / 4),
        })
    }
}

/// `level 6: ..`, `depth 8`, `2 seconds a move` or what applies where nothing was chosen.
impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strength::Unchosen => {
                write!(f, "as the clock allows, without one {}", Level::DEFAULT)
            }
            Strength::Level(level) => level.fmt(f),
            Strength::Depth(depth) => {
                let solved = solved_at(*depth);
                write!(f, "depth {depth}, solves the last {solved} squares")
            }
            Strength::MoveTime(time) => write!(f, "{} seconds a move", time.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn levels_grow() {
        let depths: Vec<u32> = Level::all().map(Level::depth).collect();
        assert!(depths.is_sorted_by(|a, b| a < b), "{depths:?}");
        assert_eq!(Level::all().count(), usize::from(Level::COUNT));
        assert_eq!((Level::new(0), Level::new(Level::COUNT + 1)), (None, None));
    }

    #[test]
    fn deeper_searches_solve_no_later() {
        assert!((1..60).all(|depth| solved_at(depth) <= solved_at(depth + 1)));
        assert!((1..=60).all(|depth| solved_at(depth) >= depth));
    }

    #[test]
    fn the_end_of_a_game_is_solved() {
        let strength = Strength::Depth(8);
        let depth = |empties| strength.limits(empties, TimeLimit::Unlimited).depth;
        assert_eq!((depth(17), depth(16)), (Some(8), None));
    }

    #[test]
    fn the_clock_decides_where_nothing_was_chosen() {
        let clock = TimeLimit::Clock {
            remaining: MINUTE,
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let limits = Strength::Unchosen.limits(50, clock);
        assert_eq!((limits.depth, limits.time), (None, clock));
        let limits = Strength::Unchosen.limits(50, TimeLimit::Unlimited);
        assert_eq!(limits.depth, Some(Level::DEFAULT.depth()));
    }

    #[test]
    fn a_time_for_each_move_stays_within_the_clock() {
        let clock = |remaining| TimeLimit::Clock {
            remaining,
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let strength = Strength::MoveTime(Duration::from_secs(2));
        let limits = strength.limits(50, clock(MINUTE));
        assert_eq!(limits.time, TimeLimit::Move(Duration::from_secs(2)));
        let limits = strength.limits(50, clock(Duration::from_secs(4)));
        assert_eq!(limits.time, TimeLimit::Move(Duration::from_secs(1)));
    }
}
