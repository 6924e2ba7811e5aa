//! What the games so far add up to: points, pairs, disc differences, forfeits and time.

use std::collections::HashMap;

use super::clock_use::ClockUse;
use super::elo::{Estimate, Pentanomial};
use super::ratings::{self, Encounter};
use crate::rules::Color;
use crate::tournament::{Ending, GameRecord};

/// Results of one entrant against another, from the first one's point of view.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Duel {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Sum of the disc differences of games that were not forfeited.
    pub discs: i64,
    /// Number of those games.
    pub regular: u64,
    /// Complete pairs of games.
    pub pairs: Pentanomial,
}

impl Duel {
    /// Number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points, a draw counted half.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Share of the points, 0..=1; 0.5 without games.
    pub fn rate(&self) -> f64 {
        if self.games() == 0 {
            0.5
        } else {
            self.points() / self.games() as f64
        }
    }

    /// Mean disc difference of the games that were not forfeited.
    pub fn mean_discs(&self) -> f64 {
        self.discs as f64 / self.regular.max(1) as f64
    }

    /// Adds the results of another duel of the same entrant.
    pub fn merge(&mut self, other: &Duel) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        self.discs += other.discs;
        self.regular += other.regular;
        for (count, more) in self.pairs.0.iter_mut().zip(other.pairs.0) {
            *count += more;
        }
    }

    /// The same results seen by the other side.
    pub fn reversed(&self) -> Duel {
        let mut pairs = self.pairs;
        pairs.0.reverse();
        Duel {
            wins: self.losses,
            losses: self.wins,
            discs: -self.discs,
            pairs,
            ..*self
        }
    }

    fn add(&mut self, discs: i32, is_regular: bool) {
        match discs {
            ..0 => self.losses += 1,
            0 => self.draws += 1,
            1.. => self.wins += 1,
        }
        if is_regular {
            self.discs += i64::from(discs);
            self.regular += 1;
        }
    }
}

/// The state of a tournament.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    names: Vec<String>,
    duels: HashMap<(usize, usize), Duel>,
    /// Pairs of which one game is played, by their number: who played, and the half points
    /// of the first of them.
    open_pairs: HashMap<u64, ((usize, usize), usize)>,
    faults: Vec<HashMap<Ending, u64>>,
    clocks: Vec<ClockUse>,
    games: u64,
}

impl Standings {
    /// Before the first game. Players who are not named here are added when they play.
    pub fn new(names: Vec<String>) -> Standings {
        let mut standings = Standings::default();
        for name in names {
            standings.index(&name);
        }
        standings
    }

    /// The entrants' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Games so far.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// The number of the player of that name.
    fn index(&mut self, name: &str) -> usize {
        if let Some(index) = self.names.iter().position(|known| known == name) {
            return index;
        }
        self.names.push(name.to_owned());
        self.faults.push(HashMap::new());
        self.clocks.push(ClockUse::default());
        self.names.len() - 1
    }

    /// Counts a game. Games 1 and 2, 3 and 4, .. are pairs if the same two play them.
    pub fn add(&mut self, record: &GameRecord) {
        let (black, white) = (self.index(&record.black), self.index(&record.white));
        self.games += 1;
        self.clocks[black].add(record, Color::Black);
        self.clocks[white].add(record, Color::White);
        if let Some(side) = record.forfeit {
            let who = match side {
                Color::Black => black,
                Color::White => white,
            };
            *self.faults[who].entry(record.ending).or_default() += 1;
        }
        let both = (black.min(white), black.max(white));
        let discs = if both.0 == black {
            record.score
        } else {
            -record.score
        };
        let duel = self.duels.entry(both).or_default();
        duel.add(discs, record.forfeit.is_none());
        let half_points = (discs.signum() + 1) as usize;
        let pair = record.game.saturating_sub(1) / 2;
        match self.open_pairs.remove(&pair) {
            Some((players, other)) if players == both => duel.pairs.add(half_points + other),
            _ => {
                self.open_pairs.insert(pair, (both, half_points));
            }
        }
    }

    /// Results of `entrant` against `other`.
    pub fn duel(&self, entrant: usize, other: usize) -> Duel {
        let key = (entrant.min(other), entrant.max(other));
        match self.duels.get(&key) {
            Some(duel) if entrant < other => duel.clone(),
            Some(duel) => duel.reversed(),
            None => Duel::default(),
        }
    }

    /// Results of `entrant` against all others together.
    pub fn total(&self, entrant: usize) -> Duel {
        let mut total = Duel::default();
        for other in (0..self.names.len()).filter(|&other| other != entrant) {
            total.merge(&self.duel(entrant, other));
        }
        total
    }

    /// How `entrant` used its time.
    pub fn clock_use(&self, entrant: usize) -> &ClockUse {
        &self.clocks[entrant]
    }

    /// The ratings of all, their mean 0.
    pub fn ratings(&self) -> Vec<Estimate> {
        let mut encounters = Vec::new();
        let mut duels: Vec<_> = self.duels.iter().collect();
        duels.sort_by_key(|(players, _)| **players);
        for (&(first, second), duel) in duels {
            let pairs = duel.pairs.0.into_iter().enumerate();
            let singles = self.singles((first, second)).into_iter().enumerate();
            let pairs = pairs.map(|(half_points, count)| (2.0, half_points, count));
            let singles = singles.map(|(half_points, count)| (1.0, half_points, count));
            for (games, half_points, count) in pairs.chain(singles).filter(|all| all.2 > 0) {
                encounters.push(Encounter {
                    first,
                    second,
                    games,
                    points: half_points as f64 / 2.0,
                    count: count as f64,
                });
            }
        }
        ratings::rate(self.names.len(), &encounters)
    }

    /// How many games that are not in a pair gave the first of `players` 0, 1 and 2 half
    /// points.
    fn singles(&self, players: (usize, usize)) -> [u64; 3] {
        let mut singles = [0; 3];
        for (both, half_points) in self.open_pairs.values() {
            if *both == players {
                singles[*half_points] += 1;
            }
        }
        singles
    }

    /// How often `entrant` forfeited, by kind, the kinds in order.
    pub fn faults(&self, entrant: usize) -> Vec<(Ending, u64)> {
        let mut faults: Vec<_> = self.faults[entrant].iter().map(|(&k, &n)| (k, n)).collect();
        faults.sort();
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game of those numbers and players that ended so, in discs for black.
    fn game(number: u64, black: &str, white: &str, score: i32) -> GameRecord {
        GameRecord {
            game: number,
            black: black.to_owned(),
            white: white.to_owned(),
            score,
            ..GameRecord::test("f5d6c3")
        }
    }

    fn standings(games: &[GameRecord]) -> Standings {
        let mut standings = Standings::new(vec!["a".to_owned(), "b".to_owned()]);
        for game in games {
            standings.add(game);
        }
        standings
    }

    #[test]
    fn pairs_are_counted_in_whatever_order_their_games_end() {
        let games = [
            game(4, "b", "a", -2),
            game(1, "a", "b", 10),
            game(3, "a", "b", 0),
            game(2, "b", "a", 4),
            game(5, "a", "b", 6),
        ];
        let duel = standings(&games).duel(0, 1);
        assert_eq!((duel.wins, duel.draws, duel.losses), (3, 1, 1));
        assert_eq!(duel.pairs.0, [0, 0, 1, 1, 0]);
        assert_eq!(duel.discs, 10 - 4 + 2 + 6);
        assert_eq!(standings(&games).duel(1, 0), duel.reversed());
        assert_eq!(standings(&games).singles((0, 1)), [0, 0, 1]);
    }

    #[test]
    fn a_forfeit_counts_as_a_loss_but_not_as_discs() {
        let mut forfeit = game(1, "a", "b", -64);
        (forfeit.ending, forfeit.forfeit) = (Ending::Crash, Some(Color::Black));
        let standings = standings(&[forfeit, game(2, "b", "a", 2)]);
        assert_eq!(standings.faults(0), [(Ending::Crash, 1)]);
        assert_eq!(standings.faults(1), []);
        let duel = standings.duel(0, 1);
        assert_eq!((duel.losses, duel.discs, duel.regular), (2, -2, 1));
    }

    #[test]
    fn who_was_not_named_is_added() {
        let standings = standings(&[game(1, "c", "a", 2)]);
        assert_eq!(standings.names(), ["a", "b", "c"]);
        assert_eq!(standings.total(2).wins, 1);
        assert!(standings.ratings()[2].elo > 0.0);
    }
}
