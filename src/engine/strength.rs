//! The playing strength that a person chooses: by level, depth or time.

use std::fmt;
use std::time::Duration;

use super::person::{Person, Skill};
use crate::human::{ModelError, Rating, players_model};
use crate::search::{Effort, Limits, TimeLimit};

/// The ratings of the levels, the weakest first, set for steps of 57 to 75%; `scripts/levels.sh` measures them, and
/// docs/HOSTS.md has the table.
const LEVELS: [u16; 22] = [
    1, 140, 280, 420, 550, 670, 845, 990, 1085, 1172, 1275, 1440, 1560, 1680, 1790, 1860, 1960,
    2100, 2280, 2500, 2720, 2850,
];

/// Moves of a game.
const MOVES: u32 = 60;

/// Plies in a game without a clock, if nothing was chosen.
const DEFAULT_DEPTH: u32 = 12;

/// One of the strengths that a person can choose by number, 1 the weakest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Level(u8);

impl Level {
    /// The number of the strongest level.
    pub const COUNT: u8 = LEVELS.len() as u8;

    /// The level of this number, 1..=[`Level::COUNT`].
    pub const fn new(number: u8) -> Option<Level> {
        match number {
            1..=Level::COUNT => Some(Level(number)),
            _ => None,
        }
    }

    /// All levels, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (1..=Level::COUNT).map(Level)
    }

    /// The rating that it plays by.
    pub fn rating(self) -> Rating {
        Rating::new(LEVELS[usize::from(self.0) - 1].into())
    }
}

/// `level 12: rating 1440, looks 8 plies ahead, ..`
impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "level {}: {}", self.0, Strength::Rating(self.rating()))
    }
}

/// What a person chose.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strength {
    /// Nothing: as strong as the clock allows, or so deep as is quick without one.
    #[default]
    Unchosen,
    /// A level, which is a rating.
    Level(Level),
    /// As people of this rating play, and above them as well as they would.
    Rating(Rating),
    /// This many plies, and the end of the game as a level of that depth solves it.
    Depth(u32),
    /// So long for each move.
    MoveTime(Duration),
}

impl Strength {
    /// By level or by rating, as hosts give them: 0 is none of them, and without both it is as strong as the clock allows.
    ///
    /// # Errors
    /// If there is no such level or rating, or both are given.
    pub fn chosen(level: u32, rating: u32) -> Result<Strength, String> {
        let refused = |name: &str, most: u16| format!("{name} must be from 0 to {most}");
        let is_level = level <= Level::COUNT.into();
        let is_rating = rating <= Rating::MAX_ELO.into();
        match (level, rating) {
            (1.., 1..) => Err("level and rating exclude each other".to_owned()),
            _ if !is_level => Err(refused("level", Level::COUNT.into())),
            _ if !is_rating => Err(refused("rating", Rating::MAX_ELO)),
            (level, 0) => Ok(Level::new(level as u8).map_or(Strength::Unchosen, Strength::Level)),
            (_, elo) => Ok(Strength::Rating(Rating::new(elo as f32))),
        }
    }

    /// The depth that it means where the host has set these limits, if it means one.
    fn depth(self, host: &Limits) -> Option<u32> {
        let is_unlimited =
            host.time == TimeLimit::Unlimited && host.depth.is_none() && host.nodes.is_none();
        match self {
            Strength::Unchosen if is_unlimited => Some(DEFAULT_DEPTH),
            Strength::Unchosen | Strength::MoveTime(_) => None,
            Strength::Level(_) | Strength::Rating(_) => {
                self.skill().map(|skill| skill.depth.max(1))
            }
            Strength::Depth(depth) => Some(depth),
        }
    }

    /// The rating that it plays by, if it does.
    pub fn rating(self) -> Option<Rating> {
        match self {
            Strength::Level(level) => Some(level.rating()),
            Strength::Rating(rating) => Some(rating),
            _ => None,
        }
    }

    /// Can it be played?
    ///
    /// # Errors
    /// If it needs the model of people, and the program has lent none.
    pub fn check(self) -> Result<(), ModelError> {
        self.rating().map_or(Ok(()), |_| players_model().map(drop))
    }

    fn skill(self) -> Option<Skill> {
        self.rating().map(Skill::of)
    }

    /// The limits of a search for a move of a board with so many empties, within those of the host.
    pub(super) fn limits(self, empties: u32, host: Limits) -> Limits {
        let own = self.depth(&host).filter(|_| self.solves(&host) < empties);
        Limits {
            depth: own.into_iter().chain(host.depth).min(),
            time: self.time(host.time),
            ..host
        }
    }

    /// Empties at which it finds out the end of the game, where it has a depth.
    fn solves(self, host: &Limits) -> u32 {
        match self.skill() {
            Some(skill) => skill.solves,
            None => self.depth(host).map_or(0, Effort::solved_at),
        }
    }

    /// How hard to look at the games that the host has analysed.
    pub(super) fn effort(self) -> Effort {
        let mut effort = Effort::default();
        let host = Limits::default();
        if let Strength::MoveTime(time) = self {
            effort.time = Some(MOVES * time);
        } else if let Some(depth) = self.depth(&host) {
            effort = Effort::solving_at(depth, self.solves(&host));
        }
        effort
    }

    /// Who chooses the move, drawn from `seed`; `None`: the engine at its best.
    pub(super) fn person(self, seed: u64) -> Option<Person> {
        self.rating().map(|rating| Person { rating, seed })
    }

    /// What is meant for an opponent by hosts that know only depths: the level of this number, as
    /// long as there is one.
    pub(super) fn of_opponent(self) -> Strength {
        match self {
            Strength::Depth(depth @ 0..256) => {
                Level::new(depth as u8).map_or(self, Strength::Level)
            }
            _ => self,
        }
    }

    /// What is meant for hints, where a weak level would be of no use.
    pub(super) const fn for_study(self) -> Strength {
        match self {
            Strength::Level(_) | Strength::Rating(_) => Strength::Unchosen,
            chosen => chosen,
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

/// `level 6: ..`, `depth 8, ..`, `2 seconds a move` or what applies where nothing was chosen.
impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Strength::Unchosen => {
                let depth = Strength::Depth(DEFAULT_DEPTH);
                write!(f, "as the clock allows, without one {depth}")
            }
            Strength::Level(level) => level.fmt(f),
            Strength::Rating(rating) => write!(f, "rating {rating}, {}", Skill::of(*rating)),
            Strength::Depth(depth) => {
                let solved = Effort::solved_at(*depth);
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

    fn timed(time: TimeLimit) -> Limits {
        Limits {
            time,
            ..Limits::default()
        }
    }

    #[test]
    fn levels_grow() {
        let ratings: Vec<Rating> = Level::all().map(Level::rating).collect();
        assert!(ratings.is_sorted_by(|a, b| a < b));
        let skills: Vec<Skill> = ratings.iter().copied().map(Skill::of).collect();
        assert!(skills.is_sorted_by(|a, b| a.depth <= b.depth && a.solves <= b.solves));
        assert_eq!(Level::all().count(), usize::from(Level::COUNT));
        assert_eq!((Level::new(0), Level::new(Level::COUNT + 1)), (None, None));
    }

    #[test]
    fn without_a_level_or_a_rating_it_is_full_strength() {
        let rating = |elo| Ok(Strength::Rating(Rating::new(elo)));
        assert_eq!(Strength::chosen(0, 0), Ok(Strength::Unchosen));
        assert_eq!(Strength::chosen(1, 0), Ok(Strength::Level(Level(1))));
        assert_eq!(Strength::chosen(0, 1), rating(1.0));
        assert_eq!(Strength::chosen(0, 3000), rating(3000.0));
        for (level, elo) in [
            (1, 1),
            (u32::from(Level::COUNT) + 1, 0),
            (257, 0),
            (0, 3001),
        ] {
            assert!(Strength::chosen(level, elo).is_err(), "{level}, {elo}");
        }
    }

    #[test]
    fn a_depth_of_a_host_names_a_level_for_an_opponent() {
        let level = Level::new(3).expect("a level");
        assert_eq!(Strength::Depth(3).of_opponent(), Strength::Level(level));
        assert_eq!(Strength::Depth(60).of_opponent(), Strength::Depth(60));
        assert_eq!(Strength::Unchosen.of_opponent(), Strength::Unchosen);
    }

    #[test]
    fn the_end_of_a_game_is_solved() {
        let strength = Strength::Depth(8);
        let depth = |empties| strength.limits(empties, Limits::default()).depth;
        assert_eq!((depth(17), depth(16)), (Some(8), None));
    }

    #[test]
    fn the_clock_decides_where_nothing_was_chosen() {
        let clock = TimeLimit::Clock {
            remaining: MINUTE,
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let limits = Strength::Unchosen.limits(50, timed(clock));
        assert_eq!((limits.depth, limits.time), (None, clock));
        let limits = Strength::Unchosen.limits(50, Limits::default());
        assert_eq!(limits.depth, Some(DEFAULT_DEPTH));
    }

    #[test]
    fn the_host_has_the_last_word_on_depth_and_nodes() {
        let within = |depth, nodes| Limits {
            depth,
            nodes,
            ..Limits::default()
        };
        let depth = |strength: Strength, host| strength.limits(60, host).depth;
        assert_eq!(depth(Strength::Depth(8), within(Some(5), None)), Some(5));
        assert_eq!(depth(Strength::Depth(8), within(Some(9), None)), Some(8));
        assert_eq!(depth(Strength::Unchosen, within(Some(30), None)), Some(30));
        assert_eq!(depth(Strength::Unchosen, within(None, Some(1000))), None);
    }

    #[test]
    fn a_time_for_each_move_stays_within_the_clock() {
        let clock = |remaining| TimeLimit::Clock {
            remaining,
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let strength = Strength::MoveTime(Duration::from_secs(2));
        let limits = strength.limits(50, timed(clock(MINUTE)));
        assert_eq!(limits.time, TimeLimit::Move(Duration::from_secs(2)));
        let limits = strength.limits(50, timed(clock(Duration::from_secs(4))));
        assert_eq!(limits.time, TimeLimit::Move(Duration::from_secs(1)));
    }
}
