//! What the games so far add up to: points, pairs, disc differences and forfeits.

use std::collections::HashMap;

use super::elo::Pentanomial;
use super::record::{Ending, GameRecord, Side};
use super::{Fixture, Schedule};

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
pub struct Standings {
    names: Vec<String>,
    duels: HashMap<(usize, usize), Duel>,
    /// Half points of the first entrant in pairs of which one game is played.
    open_pairs: HashMap<u64, usize>,
    faults: Vec<HashMap<Ending, u64>>,
    games: u64,
}

impl Standings {
    /// Before the first game.
    pub fn new(names: Vec<String>) -> Standings {
        Standings {
            faults: vec![HashMap::new(); names.len()],
            names,
            duels: HashMap::new(),
            open_pairs: HashMap::new(),
            games: 0,
        }
    }

    /// The entrants' names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Games so far.
    pub const fn games(&self) -> u64 {
        self.games
    }

    /// Counts a game.
    pub fn add(&mut self, schedule: &Schedule, record: &GameRecord) {
        let Fixture {
            game, black, white, ..
        } = schedule.fixture(record.game);
        self.games += 1;
        let (first, second) = (black.min(white), black.max(white));
        let discs = if first == black {
            record.score
        } else {
            -record.score
        };
        let duel = self.duels.entry((first, second)).or_default();
        duel.add(discs, record.forfeit.is_none());
        let half_points = (discs.signum() + 1) as usize;
        match self.open_pairs.remove(&((game - 1) / 2)) {
            Some(other) => duel.pairs.add(half_points + other),
            None => {
                self.open_pairs.insert((game - 1) / 2, half_points);
            }
        }
        if let Some(side) = record.forfeit {
            let who = match side {
                Side::Black => black,
                Side::White => white,
            };
            *self.faults[who].entry(record.ending).or_default() += 1;
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

    /// How often `entrant` forfeited, by kind, the kinds in order.
    pub fn faults(&self, entrant: usize) -> Vec<(Ending, u64)> {
        let mut faults: Vec<_> = self.faults[entrant].iter().map(|(&k, &n)| (k, n)).collect();
        faults.sort();
        faults
    }

    /// Two lines: the first entrant's score against the second's, and what it is worth.
    pub fn duel_text(&self) -> String {
        let duel = self.duel(0, 1);
        let [first, second] = [&self.names[0], &self.names[1]];
        let elo = duel.pairs.estimate().map_or_else(
            || "not known yet".to_owned(),
            |estimate| estimate.to_string(),
        );
        format!(
            "{first} against {second}: {:.1} of {} ({:.1}%), +{} ={} -{}, {:+.2} discs a game\n\
             Elo {elo} (95%), pairs {:?}",
            duel.points(),
            duel.games(),
            100.0 * duel.rate(),
            duel.wins,
            duel.draws,
            duel.losses,
            duel.mean_discs(),
            duel.pairs.0,
        )
    }
}
