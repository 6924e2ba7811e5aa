//! Sums over the games so far: points, pairs, disc differences, forfeits and time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::clock_use::ClockUse;
use super::elo::{EloEstimate, Outcome, Pentanomial};
use super::ratings::{self, Encounter};
use crate::rules::Color;
use crate::text::printable;
use crate::tournament::{GameEnding, GameRecord};

/// Results of one player, against another one or against all.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlayerResults {
    /// Games lost, drawn and won.
    pub games: [u64; 3],
    /// Sum of the disc differences of games that were not forfeited.
    pub discs: i64,
    /// Number of those games.
    pub regular: u64,
}

impl PlayerResults {
    /// Number of games.
    pub fn count(&self) -> u64 {
        self.games.iter().sum()
    }

    /// Points, a draw counted half.
    pub fn points(&self) -> f64 {
        self.games[2] as f64 + self.games[1] as f64 / 2.0
    }

    /// Share of the points, 0..=1; 0.5 without games.
    pub fn rate(&self) -> f64 {
        match self.count() {
            0 => 0.5,
            count => self.points() / count as f64,
        }
    }

    /// Mean disc difference of the games that were not forfeited.
    pub fn mean_discs(&self) -> f64 {
        self.discs as f64 / self.regular.max(1) as f64
    }

    fn add(&mut self, half_points: usize, discs: i32, is_regular: bool) {
        self.games[half_points] += 1;
        if is_regular {
            self.discs += i64::from(discs);
            self.regular += 1;
        }
    }
}

/// Results of one player against another, from the first one's point of view.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Duel {
    /// All games.
    pub results: PlayerResults,
    /// Complete pairs of games.
    pub pairs: Pentanomial,
    /// Games lost, drawn and won that are in no complete pair.
    singles: [u64; 3],
}

impl Duel {
    /// The games, pairs of them as one encounter.
    pub fn outcomes(&self) -> Vec<Outcome> {
        let singles = [0.0, 0.5, 1.0].into_iter().zip(self.singles);
        let singles = singles.map(|(points, count)| (1.0, points, count as f64));
        let all = self.pairs.outcomes().chain(singles);
        all.filter(|(_, _, count)| *count > 0.0).collect()
    }
}

/// The results of one player.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// Its name, as it is shown.
    pub name: String,
    /// Its results against all others together.
    pub total: PlayerResults,
    /// How often it forfeited, by kind.
    pub faults: BTreeMap<GameEnding, u64>,
    /// How it used its time.
    pub clock: ClockUse,
    /// What it was allowed to spend, such as `tc=60+0.5`; of several files it may be more than one.
    pub budgets: BTreeSet<String>,
}

/// The state of a tournament.
#[derive(Clone, Debug, Default)]
pub struct Standings {
    players: Vec<Standing>,
    /// By two players, both ways.
    duels: BTreeMap<(usize, usize), Duel>,
    /// Pairs of which one game is played: who against whom, the number of the pair, and the
    /// half points of that game.
    open_pairs: HashMap<(usize, usize, u64), usize>,
    games: u64,
}

impl Standings {
    /// The state before the first game. Players who are not named here are added when they play.
    pub fn new(names: impl IntoIterator<Item = String>) -> Standings {
        let mut standings = Standings::default();
        for name in names {
            standings.index(&name);
        }
        standings
    }

    /// The players in the order in which they were named or first played.
    pub fn players(&self) -> &[Standing] {
        &self.players
    }

    /// Games so far.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Games that were not decided on the board, by kind; those that were resigned are not among them.
    pub fn forfeits(&self) -> BTreeMap<GameEnding, u64> {
        let mut all = BTreeMap::new();
        let faults = self.players.iter().flat_map(|player| &player.faults);
        for (&ending, count) in faults.filter(|(ending, _)| **ending != GameEnding::Resigned) {
            *all.entry(ending).or_default() += count;
        }
        all
    }

    /// The number of the player of that name.
    fn index(&mut self, name: &str) -> usize {
        let name = printable(name);
        let known = self.players.iter().position(|player| player.name == name);
        known.unwrap_or_else(|| {
            self.players.push(Standing {
                name: name.into_owned(),
                ..Standing::default()
            });
            self.players.len() - 1
        })
    }

    /// Counts a game. Games 1 and 2, 3 and 4, .. are pairs if the same two play them.
    pub fn add(&mut self, record: &GameRecord) {
        let (black, white) = (self.index(&record.black), self.index(&record.white));
        self.games += 1;
        self.add_for(black, white, Color::Black, record);
        self.add_for(white, black, Color::White, record);
    }

    /// Counts a game for one of its players.
    fn add_for(&mut self, player: usize, other: usize, color: Color, record: &GameRecord) {
        let standing = &mut self.players[player];
        standing.clock.add(record, color);
        let (discs, budget) = match color {
            Color::Black => (record.score, &record.black_budget),
            Color::White => (-record.score, &record.white_budget),
        };
        if !budget.is_empty() && !standing.budgets.contains(budget) {
            standing.budgets.insert(budget.clone());
        }
        if record.forfeit == Some(color) {
            *standing.faults.entry(record.ending).or_default() += 1;
        }
        if player == other {
            return;
        }
        let half_points = (discs.signum() + 1) as usize;
        let is_regular = record.forfeit.is_none();
        standing.total.add(half_points, discs, is_regular);
        let duel = self.duels.entry((player, other)).or_default();
        duel.results.add(half_points, discs, is_regular);
        let pair = (player, other, record.game.saturating_sub(1) / 2);
        if let Some(single) = self.open_pairs.remove(&pair) {
            duel.singles[single] -= 1;
            duel.pairs.add(single + half_points);
        } else {
            duel.singles[half_points] += 1;
            self.open_pairs.insert(pair, half_points);
        }
    }

    /// Results of `player` against `other`.
    pub fn duel(&self, player: usize, other: usize) -> Duel {
        let duel = self.duels.get(&(player, other));
        duel.cloned().unwrap_or_default()
    }

    /// The players and their ratings from the best to the worst, for each group of players who have met, directly or
    /// through others. The mean of a group is 0.
    pub fn rankings(&self) -> Vec<Vec<(usize, EloEstimate)>> {
        let once = self.duels.iter().filter(|((a, b), _)| a < b);
        let encounters = once.flat_map(|(&(first, second), duel)| {
            let outcomes = duel.outcomes().into_iter();
            outcomes.map(move |outcome| (first, second, outcome))
        });
        let encounters: Vec<Encounter> = encounters.collect();
        let groups = ratings::groups(self.players.len(), &encounters);
        let ranking = |group: Vec<usize>| {
            let place = |player| group.binary_search(&player).ok();
            let own = |&(a, b, outcome)| Some((place(a)?, place(b)?, outcome));
            let own: Vec<_> = encounters.iter().filter_map(own).collect();
            let ratings = ratings::rate(group.len(), &own);
            let mut ranking: Vec<_> = group.iter().copied().zip(ratings).collect();
            ranking.sort_by(|a, b| b.1.elo.total_cmp(&a.1.elo));
            ranking
        };
        groups.into_iter().map(ranking).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standings after games of those numbers and players with that result for black.
    fn standings(games: &[(u64, &str, &str, i32)]) -> Standings {
        let mut standings = Standings::new(["a".to_owned(), "b".to_owned()]);
        for &(game, black, white, score) in games {
            standings.add(&GameRecord {
                game,
                score,
                ..GameRecord::test_between(black, white)
            });
        }
        standings
    }

    #[test]
    fn pairs_are_counted_in_any_order_of_their_games() {
        let standings = standings(&[
            (4, "b", "a", -2),
            (1, "a", "b", 10),
            (3, "a", "b", 0),
            (2, "b", "a", 4),
            (5, "a", "b", 6),
        ]);
        let duel = standings.duel(0, 1);
        assert_eq!(duel.results.games, [1, 1, 3]);
        assert_eq!(duel.results.discs, 10 - 4 + 2 + 6);
        assert_eq!(duel.pairs.0, [0, 0, 1, 1, 0]);
        assert_eq!(duel.singles, [0, 0, 1]);
        let reversed = standings.duel(1, 0);
        assert_eq!(reversed.results.games, [3, 1, 1]);
        assert_eq!(reversed.pairs.0, [0, 1, 1, 0, 0]);
    }

    #[test]
    fn a_forfeit_counts_as_a_loss_but_not_as_discs() {
        let mut standings = standings(&[(2, "b", "a", 2)]);
        standings.add(&GameRecord {
            score: -64,
            ending: GameEnding::Crash,
            forfeit: Some(Color::Black),
            ..GameRecord::test_between("a", "b")
        });
        let [a, b] = standings.players() else {
            panic!("two players");
        };
        assert_eq!(a.faults, [(GameEnding::Crash, 1)].into());
        assert_eq!(b.faults.len(), 0);
        assert_eq!((a.total.games, a.total.discs), ([2, 0, 0], -2));
        assert_eq!(a.total.regular, 1);
    }

    #[test]
    fn a_player_who_was_not_named_is_added() {
        let standings = standings(&[(1, "c", "a", 2)]);
        assert_eq!(standings.players()[2].name, "c");
        assert_eq!(standings.players()[2].total.games, [0, 0, 1]);
        let [together, alone] = &standings.rankings()[..] else {
            panic!("b has not played");
        };
        assert_eq!((together[0].0, together[1].0, alone[0].0), (2, 0, 1));
    }
}
