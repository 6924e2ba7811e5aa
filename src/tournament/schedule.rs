//! The schedule: every game of a tournament has a number, and the number says who plays
//! whom from which opening. Games 1 and 2, 3 and 4, .. are pairs: one opening, both colours.

use clap::ValueEnum;

/// Who plays whom in one game. Entrants and openings are counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fixture {
    /// The first player.
    pub black: usize,
    /// The second player.
    pub white: usize,
    /// The opening.
    pub opening: usize,
}

/// Which entrants meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MatchFormat {
    /// Everyone meets everyone
    RoundRobin,
    /// The first engine meets each of the others
    Gauntlet,
}

/// All games of a tournament.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    meetings: Vec<(usize, usize)>,
    openings: usize,
    games: u64,
}

impl Schedule {
    /// `games` games among at least two `entrants` from at least one of the `openings`.
    /// Each round plays one opening in every meeting; after the last opening, the first is used again.
    pub fn new(format: MatchFormat, entrants: usize, openings: usize, games: u64) -> Schedule {
        let firsts = match format {
            MatchFormat::RoundRobin => entrants,
            MatchFormat::Gauntlet => 1,
        };
        let seconds = |first| (first + 1..entrants).map(move |second| (first, second));
        Schedule {
            meetings: (0..firsts).flat_map(seconds).collect(),
            openings,
            games,
        }
    }

    /// How many games there are.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Who meets whom: pairs of entrants, the smaller number first.
    pub fn meetings(&self) -> &[(usize, usize)] {
        &self.meetings
    }

    /// The game of this number, 1..=`games`.
    pub fn fixture(&self, game: u64) -> Fixture {
        debug_assert!((1..=self.games).contains(&game));
        let pair = (game - 1) / 2;
        let meetings = self.meetings.len() as u64;
        let (first, second) = self.meetings[(pair % meetings) as usize];
        let opening = (pair / meetings % self.openings as u64) as usize;
        let (black, white) = match game % 2 {
            1 => (first, second),
            _ => (second, first),
        };
        Fixture {
            black,
            white,
            opening,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_one_opening_with_both_colours() {
        let schedule = Schedule::new(MatchFormat::RoundRobin, 2, 3, 8);
        let colours = |game| {
            let fixture = schedule.fixture(game);
            (fixture.black, fixture.white, fixture.opening)
        };
        let all: Vec<_> = (1..=8).map(colours).collect();
        let expected = [0, 1, 2, 0].map(|opening| [(0, 1, opening), (1, 0, opening)]);
        assert_eq!(all, expected.concat());
    }

    #[test]
    fn everyone_meets_everyone_or_the_first_meets_all() {
        let schedule = Schedule::new(MatchFormat::RoundRobin, 4, 1, 12);
        assert_eq!(schedule.meetings().len(), 6);
        let schedule = Schedule::new(MatchFormat::Gauntlet, 4, 1, 12);
        assert_eq!(schedule.meetings(), [(0, 1), (0, 2), (0, 3)]);
    }
}
