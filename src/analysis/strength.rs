//! How strong a player looks by the moves that were chosen, with the error.
//!
//! A model says how likely players of each rating are to choose the moves of a side. The estimate is the mean of what follows for the
//! rating, when before the moves it is taken as normally distributed, as the ratings of the players are to whom the model was
//! fitted; the error is the standard deviation.

use std::array;

use serde::{Deserialize, Serialize};

/// Ratings in a [`SideReport`].
const STEPS: usize = 37;

/// The ratings of which the likelihood is kept, in Elo: the model knows no players beyond.
pub const ELOS: [u16; STEPS] = elos();

/// Mean and standard deviation of the ratings of players, in Elo.
const PLAYERS: (f64, f64) = (1400.0, 300.0);

/// The largest error of an estimate that is told, in Elo.
pub const MOST_ERROR: f64 = 200.0;

const fn elos() -> [u16; STEPS] {
    let mut elos = [0; STEPS];
    let mut at = 0;
    while at < STEPS {
        elos[at] = 500 + 50 * at as u16;
        at += 1;
    }
    elos
}

/// What the moves of one side say of its strength.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SideReport {
    /// The rating that was stated for the side, in Elo; the moves are judged by it.
    pub rating: u16,
    /// Moves that were not forced.
    pub moves: u32,
    /// The logarithm of the probability of these moves, for players of 500, 550, .. 2300. Those of several games can be added.
    pub likelihood: Vec<f64>,
    /// The rating by the moves, in Elo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate: Option<u16>,
    /// Its standard deviation; there is no estimate where it is more than [`MOST_ERROR`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<u16>,
}

impl SideReport {
    /// A side without moves.
    pub fn new(rating: u16) -> SideReport {
        SideReport {
            rating,
            moves: 0,
            likelihood: vec![0.0; STEPS],
            estimate: None,
            error: None,
        }
    }

    /// Adds a move with its probability for each of [`ELOS`].
    pub fn add(&mut self, shares: [f64; STEPS]) {
        /// A move is never impossible.
        const LEAST: f64 = 1e-6;
        self.moves += 1;
        for (sum, share) in self.likelihood.iter_mut().zip(shares) {
            *sum += share.max(LEAST).ln();
        }
    }

    /// Adds the moves of another game.
    pub fn join(&mut self, other: &SideReport) {
        self.moves += other.moves;
        for (sum, more) in self.likelihood.iter_mut().zip(&other.likelihood) {
            *sum += more;
        }
    }

    /// Estimates the rating from the moves that were added.
    pub fn judge(&mut self) {
        for sum in &mut self.likelihood {
            *sum = (1000.0 * *sum).round() / 1000.0;
        }
        let (mean, error) = self.posterior();
        let is_told = error <= MOST_ERROR;
        self.estimate = is_told.then(|| mean.round() as u16);
        self.error = is_told.then(|| error.round() as u16);
    }

    /// Mean and standard deviation of the rating, given the moves.
    fn posterior(&self) -> (f64, f64) {
        let elos = ELOS.map(f64::from);
        let log: [f64; STEPS] = array::from_fn(|at| {
            let away = (elos[at] - PLAYERS.0) / PLAYERS.1;
            self.likelihood.get(at).copied().unwrap_or(0.0) - away * away / 2.0
        });
        let most = log.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights = log.map(|log| (log - most).exp());
        let all: f64 = weights.iter().sum();
        let mean_of = |of: &dyn Fn(f64) -> f64| -> f64 {
            let terms = elos.iter().zip(&weights);
            terms.map(|(&elo, weight)| of(elo) * weight).sum::<f64>() / all
        };
        let mean = mean_of(&|elo| elo);
        (mean, mean_of(&|elo| (elo - mean).powi(2)).sqrt())
    }

    /// `plays like 1480 ± 160, by 31 moves`, or that this cannot be told.
    pub fn text(&self) -> String {
        let moves = self.moves;
        match self.estimate.zip(self.error) {
            Some((estimate, error)) => {
                format!("plays like {estimate} \u{b1} {error}, by {moves} moves")
            }
            None => format!("too few moves for a rating: {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A side whose moves are likeliest for players of this rating, each telling a little.
    fn side(best: f64, moves: usize) -> SideReport {
        let mut side = SideReport::new(1500);
        for _ in 0..moves {
            side.add(ELOS.map(|elo| 0.5 * (-((f64::from(elo) - best) / 1000.0).powi(2)).exp()));
        }
        side.judge();
        side
    }

    #[test]
    fn few_moves_say_nothing_and_many_say_the_rating() {
        let few = side(1800.0, 5);
        assert_eq!((few.moves, few.estimate, few.error), (5, None, None));
        assert_eq!(few.text(), "too few moves for a rating: 5");
        let many = side(1800.0, 200);
        assert!(many.estimate.is_some_and(|elo| elo.abs_diff(1790) < 10));
        assert!(many.error.is_some_and(|error| (45..55).contains(&error)));
    }

    #[test]
    fn games_are_added() {
        let mut sum = side(1600.0, 30);
        (0..3).for_each(|_| sum.join(&side(1600.0, 30)));
        sum.judge();
        let once = side(1600.0, 120);
        let told = |side: &SideReport| (side.moves, side.estimate, side.error);
        assert_eq!(told(&sum), told(&once));
    }

    #[test]
    fn without_moves_all_is_as_before() {
        let (mean, error) = SideReport::new(1500).posterior();
        assert!((mean - 1400.0).abs() < 1.0 && (error - 298.0).abs() < 3.0);
    }
}
