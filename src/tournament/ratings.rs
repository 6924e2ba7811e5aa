//! Ratings of all players together, from their results against each other.
//!
//! Bradley and Terry's model ("Rank Analysis of Incomplete Block Designs", Biometrika 39,
//! 1952) on the logistic scale, a draw counted as half a win, fitted by Newton's method.
//! The errors do not trust the model about the scatter of results: they are taken from how
//! far the pairs of games really lie from what is expected (P. Huber's sandwich, 1967), so
//! that drawish openings, played with both colours, narrow the intervals as they should.

use super::elo::{ELO_PER_NAT, Estimate, SIGMAS_95};

/// Equal encounters of two players: a game, or a pair of games from one opening.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Encounter {
    /// The player whose points are counted.
    pub first: usize,
    /// The other player.
    pub second: usize,
    /// Games in it, 1 or 2.
    pub games: f64,
    /// Points of `first` in it.
    pub points: f64,
    /// How many encounters ended so.
    pub count: f64,
}

/// A drawn part of a game that is added to each two players who have met, so that who won
/// or lost everything has a rating, too.
const PRIOR_GAMES: f64 = 0.1;

/// Newton's steps; the likelihood is concave, and a dozen are the rule.
const MAX_STEPS: usize = 200;

/// The ratings of players 0..`players`, their mean 0, with 95% intervals. Who has not
/// played is rated 0.
pub fn rate(players: usize, encounters: &[Encounter]) -> Vec<Estimate> {
    let mut theta = vec![0.0; players];
    let mut curvature = Matrix::identity(players);
    for _ in 0..MAX_STEPS {
        let mut gradient = vec![0.0; players];
        curvature = Matrix::centred(players);
        for (encounter, weight) in with_prior(encounters) {
            let expected = expectation(&theta, &encounter);
            let residual = encounter.points - encounter.games * expected;
            gradient[encounter.first] += weight * residual;
            gradient[encounter.second] -= weight * residual;
            let bend = encounter.games * expected * (1.0 - expected);
            curvature.add_edge(encounter.first, encounter.second, weight * bend);
        }
        let step = curvature.solve(&gradient);
        let longest = step
            .iter()
            .fold(0.0, |longest: f64, s| longest.max(s.abs()));
        // Far from the top a full step may overshoot.
        let scale = (1.0 / longest).min(1.0);
        for (theta, step) in theta.iter_mut().zip(&step) {
            *theta += scale * step;
        }
        if longest < 1e-10 {
            break;
        }
    }
    let variances = variances(&theta, encounters, &curvature);
    let estimate = |(&theta, variance): (&f64, f64)| {
        let (elo, error) = (
            ELO_PER_NAT * theta,
            ELO_PER_NAT * SIGMAS_95 * variance.sqrt(),
        );
        Estimate {
            elo,
            low: elo - error,
            high: elo + error,
        }
    };
    theta.iter().zip(variances).map(estimate).collect()
}

/// The encounters and how often each counts, and a little of a draw for all who have met.
fn with_prior(encounters: &[Encounter]) -> impl Iterator<Item = (Encounter, f64)> + '_ {
    let is_first_meeting = |i: usize| {
        let pair = |e: &Encounter| (e.first.min(e.second), e.first.max(e.second));
        let same = |e: &Encounter| pair(e) == pair(&encounters[i]);
        !encounters[..i].iter().any(same)
    };
    let prior = (0..encounters.len())
        .filter(move |&i| is_first_meeting(i))
        .map(|i| {
            let draw = Encounter {
                games: 1.0,
                points: 0.5,
                ..encounters[i]
            };
            (draw, PRIOR_GAMES)
        });
    encounters.iter().map(|e| (*e, e.count)).chain(prior)
}

/// The share of the points that `first` is expected to make.
fn expectation(theta: &[f64], encounter: &Encounter) -> f64 {
    1.0 / (1.0 + (theta[encounter.second] - theta[encounter.first]).exp())
}

/// The variance of each rating: C⁻¹ S C⁻¹, C the curvature and S the scatter of the results.
fn variances(theta: &[f64], encounters: &[Encounter], curvature: &Matrix) -> Vec<f64> {
    let mut scatter = Matrix::zero(theta.len());
    for (encounter, weight) in with_prior(encounters) {
        let residual = encounter.points - encounter.games * expectation(theta, &encounter);
        scatter.add_edge(
            encounter.first,
            encounter.second,
            weight * residual * residual,
        );
    }
    let row = |i: usize| {
        let mut unit = vec![0.0; theta.len()];
        unit[i] = 1.0;
        // Curvature and scatter are symmetric.
        let row = curvature.solve(&unit);
        let image = scatter.times(&row);
        row.iter()
            .zip(image)
            .map(|(a, b)| a * b)
            .sum::<f64>()
            .max(0.0)
    };
    (0..theta.len()).map(row).collect()
}

/// A small square matrix.
#[derive(Clone)]
struct Matrix(Vec<Vec<f64>>);

impl Matrix {
    fn zero(size: usize) -> Matrix {
        Matrix(vec![vec![0.0; size]; size])
    }

    fn identity(size: usize) -> Matrix {
        let mut matrix = Matrix::zero(size);
        for i in 0..size {
            matrix.0[i][i] = 1.0;
        }
        matrix
    }

    /// What keeps the mean of the ratings at 0, and players without games where they are.
    fn centred(size: usize) -> Matrix {
        let mut matrix = Matrix(vec![vec![1.0 / size as f64; size]; size]);
        for i in 0..size {
            matrix.0[i][i] += 1e-9;
        }
        matrix
    }

    /// Adds `weight` d dᵀ, where d is 1 for `first` and −1 for `second`.
    fn add_edge(&mut self, first: usize, second: usize, weight: f64) {
        self.0[first][first] += weight;
        self.0[second][second] += weight;
        self.0[first][second] -= weight;
        self.0[second][first] -= weight;
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let dot = |row: &Vec<f64>| row.iter().zip(vector).map(|(a, b)| a * b).sum();
        self.0.iter().map(dot).collect()
    }

    /// The x for which this matrix times x is `right`, by elimination; the matrix is
    /// positive definite, so no pivot vanishes.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = right.len();
        let mut rows = self.0.clone();
        let mut x = right.to_vec();
        for column in 0..size {
            let pivot = rows[column].clone();
            for below in column + 1..size {
                let factor = rows[below][column] / pivot[column];
                for (cell, above) in rows[below].iter_mut().zip(&pivot) {
                    *cell -= factor * above;
                }
                x[below] -= factor * x[column];
            }
        }
        for i in (0..size).rev() {
            let known: f64 = (i + 1..size).map(|k| rows[i][k] * x[k]).sum();
            x[i] = (x[i] - known) / rows[i][i];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tournament::elo::{Pentanomial, score_of};

    fn encounters(first: usize, second: usize, pairs: Pentanomial) -> Vec<Encounter> {
        let outcome = |(half_points, count): (usize, u64)| Encounter {
            first,
            second,
            games: 2.0,
            points: half_points as f64 / 2.0,
            count: count as f64,
        };
        pairs.0.into_iter().enumerate().map(outcome).collect()
    }

    #[test]
    fn two_players_are_apart_as_their_pairs_say() {
        let pairs = Pentanomial([100, 200, 500, 300, 200]);
        let ratings = rate(2, &encounters(0, 1, pairs));
        let expected = pairs.estimate().expect("pairs");
        let apart = ratings[0].elo - ratings[1].elo;
        assert!((apart - expected.elo).abs() < 0.05, "{apart} {expected:?}");
        // Each of them bears half of the difference.
        let error = ratings[0].high - ratings[0].low;
        assert!((error - (expected.high - expected.low) / 2.0).abs() < 0.1);
    }

    #[test]
    fn true_differences_are_found() {
        let elos = [120.0, 20.0, -140.0];
        let mut all = Vec::new();
        for (first, second) in [(0, 1), (1, 2), (0, 2)] {
            all.push(Encounter {
                first,
                second,
                games: 1.0,
                points: score_of(elos[first] - elos[second]),
                count: 1e6,
            });
        }
        for (rating, elo) in rate(3, &all).iter().zip(elos) {
            assert!((rating.elo - elo).abs() < 1e-3, "{rating:?} {elo}");
        }
    }

    #[test]
    fn whoever_won_everything_is_rated_and_whoever_did_not_play_is_average() {
        let swept = encounters(0, 1, Pentanomial([0, 0, 0, 0, 10]));
        let ratings = rate(3, &swept);
        assert!(ratings[0].elo > 300.0 && ratings[0].elo.is_finite());
        assert!(ratings[2].elo.abs() < 1.0);
        assert_eq!(rate(0, &[]), []);
    }
}
