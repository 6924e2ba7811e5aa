//! Ratings of all players together, from their results against each other.
//!
//! Bradley and Terry's model ("Rank Analysis of Incomplete Block Designs", Biometrika 39,
//! 1952) on the logistic scale, a draw counted as half a win, fitted by Newton's method.
//! The errors do not rely on the model for the scatter of results: they are computed from the
//! observed differences between pairs of games and their expected results (P. Huber's sandwich
//! estimator, 1967), so that drawish openings, played with both colours, narrow the intervals.
//! For the intervals each player has one pair more that was won and one
//! that was lost: see `share_interval`.
//! Ratings compare only players who have met, directly or through others.

use std::collections::BTreeSet;

use super::elo::{ELO_PER_NAT, EloEstimate, INTERVAL_PRIOR, Outcome, SIGMAS_95, share_interval};
use crate::linear::{self, dot};

/// Encounters of two players, a game or a pair of games from one opening, with the same result;
/// the points are those of the first player.
pub type Encounter = (usize, usize, Outcome);

/// The result that is added where the others have no most likely ratings: part of a drawn game, so that a player who
/// won or lost all games has a finite rating.
const RATING_PRIOR: [Outcome; 1] = [(1.0, 0.5, 0.1)];

/// The most steps of Newton's method; the likelihood is concave, and usually a dozen are enough.
const MAX_STEPS: usize = 200;

/// Players who have met, directly or through others; those without games are the last group.
pub fn groups(players: usize, encounters: &[Encounter]) -> Vec<Vec<usize>> {
    let both = encounters.iter().flat_map(|&(a, b, _)| [(a, b), (b, a)]);
    let edges: Vec<_> = both.collect();
    let mut is_in_group = vec![false; players];
    let (mut groups, mut idle) = (Vec::new(), Vec::new());
    for player in 0..players {
        if is_in_group[player] {
            continue;
        }
        let found = reached(players, player, &edges);
        let group: Vec<usize> = (0..players).filter(|&other| found[other]).collect();
        group.iter().for_each(|&other| is_in_group[other] = true);
        if group.len() == 1 {
            idle.push(player);
        } else {
            groups.push(group);
        }
    }
    groups.extend((!idle.is_empty()).then_some(idle));
    groups
}

/// Who is reached from `start` along the edges.
fn reached(players: usize, start: usize, edges: &[(usize, usize)]) -> Vec<bool> {
    let mut found = vec![false; players];
    found[start] = true;
    let mut has_grown = true;
    while has_grown {
        has_grown = false;
        for &(from, to) in edges {
            has_grown |= found[from] && !found[to];
            found[to] |= found[from];
        }
    }
    found
}

/// Are there most likely ratings? There are if everyone has points against someone who has points against someone
/// .. and so on to everyone: L. Ford, "Solution of a Ranking Problem from Binary Comparisons", American Mathematical
/// Monthly 64, 1957.
fn has_maximum(players: usize, encounters: &[Encounter]) -> bool {
    let scored = |&(first, second, (games, points, _)): &Encounter| {
        let by_first = (points > 0.0).then_some((first, second));
        let by_second = (points < games).then_some((second, first));
        [by_first, by_second].into_iter().flatten()
    };
    let edges: Vec<_> = encounters.iter().flat_map(scored).collect();
    let reversed: Vec<_> = edges.iter().map(|&(from, to)| (to, from)).collect();
    let all = |edges: &[_]| reached(players, 0, edges).iter().all(|&found| found);
    players > 0 && all(&edges) && all(&reversed)
}

/// The ratings of players 0..`players`, their mean 0, with 95% intervals. A player without
/// games is rated 0.
pub fn rate(players: usize, encounters: &[Encounter]) -> Vec<EloEstimate> {
    let prior: &[Outcome] = match has_maximum(players, encounters) {
        true => &[],
        false => &RATING_PRIOR,
    };
    let (ratings, _) = fit(players, &with_prior(encounters, prior));
    let with_prior = with_prior(encounters, &INTERVAL_PRIOR);
    let (centres, curvature) = fit(players, &with_prior);
    let variances = variances(&centres, &with_prior, &curvature);
    let estimate = |player: usize| {
        let own = encounters.iter().filter_map(|&(first, second, outcome)| {
            let (games, points, count) = outcome;
            let is_first = (first == player).then_some(outcome);
            is_first.or((second == player).then_some((games, games - points, count)))
        });
        let half = SIGMAS_95 * variances[player].sqrt();
        let rating = ratings[player];
        // The added pairs move the centre to the mean of all; the rating itself lies further out.
        let mut low = centres[player].min(rating) - half;
        let mut high = centres[player].max(rating) + half;
        // An interval of the score that has 0 or 1 in it leaves the rating open.
        let (lowest, highest) = share_interval(&Vec::from_iter(own));
        if lowest <= 0.0 {
            low = f64::NEG_INFINITY;
        }
        if highest >= 1.0 {
            high = f64::INFINITY;
        }
        let [elo, low, high] = [rating, low, high].map(|theta| ELO_PER_NAT * theta);
        EloEstimate { elo, low, high }
    };
    (0..players).map(estimate).collect()
}

/// The ratings, in units of e, at which the results are most likely, and the curvature of
/// the likelihood there.
fn fit(players: usize, encounters: &[Encounter]) -> (Vec<f64>, Matrix) {
    let mut theta = vec![0.0; players];
    let mut curvature = Matrix::zero(players);
    for _ in 0..MAX_STEPS {
        let mut gradient = vec![0.0; players];
        curvature = Matrix::centred(players);
        for &(first, second, (games, points, count)) in encounters {
            let expected = expectation(&theta, first, second);
            let residual = points - games * expected;
            gradient[first] += count * residual;
            gradient[second] -= count * residual;
            let bend = games * expected * (1.0 - expected);
            curvature.add_edge(first, second, count * bend);
        }
        let step = curvature.solve(&gradient);
        let longest = step.iter().map(|s| s.abs()).fold(0.0, f64::max);
        // Far from the maximum a full step may be too long.
        let scale = (1.0 / longest).min(1.0);
        for (theta, step) in theta.iter_mut().zip(&step) {
            *theta += scale * step;
        }
        if longest < 1e-10 {
            break;
        }
    }
    (theta, curvature)
}

/// The encounters, and the `prior` for each two players who have met; a player who has met
/// several has a part of it with each.
fn with_prior(encounters: &[Encounter], prior: &[Outcome]) -> Vec<Encounter> {
    let meeting = |e: &Encounter| (e.0.min(e.1), e.0.max(e.1));
    let meetings: BTreeSet<_> = encounters.iter().map(meeting).collect();
    let has = |player, (a, b): (usize, usize)| a == player || b == player;
    let met = |player| meetings.iter().filter(|&&both| has(player, both)).count();
    let added = meetings.iter().flat_map(|&(first, second)| {
        let part = 1.0 / met(first).min(met(second)) as f64;
        let part_of = move |&(games, points, count): &Outcome| (games, points, count * part);
        prior.iter().map(move |all| (first, second, part_of(all)))
    });
    encounters.iter().copied().chain(added).collect()
}

/// The share of the points that `first` is expected to make.
fn expectation(theta: &[f64], first: usize, second: usize) -> f64 {
    1.0 / (1.0 + (theta[second] - theta[first]).exp())
}

/// The variance of each rating: C⁻¹ S C⁻¹, C the curvature and S the scatter of the results.
fn variances(theta: &[f64], encounters: &[Encounter], curvature: &Matrix) -> Vec<f64> {
    let mut scatter = Matrix::zero(theta.len());
    for &(first, second, (games, points, count)) in encounters {
        let residual = points - games * expectation(theta, first, second);
        scatter.add_edge(first, second, count * residual * residual);
    }
    let variance = |i: usize| {
        let mut unit = vec![0.0; theta.len()];
        unit[i] = 1.0;
        // Curvature and scatter are symmetric.
        let row = curvature.solve(&unit);
        dot(&row, &scatter.times(&row)).max(0.0)
    };
    (0..theta.len()).map(variance).collect()
}

/// A small square matrix.
#[derive(Clone)]
struct Matrix(Vec<Vec<f64>>);

impl Matrix {
    fn zero(size: usize) -> Matrix {
        Matrix(vec![vec![0.0; size]; size])
    }

    /// The term that keeps the mean of the ratings, and players without games, at 0.
    fn centred(size: usize) -> Matrix {
        let mut matrix = Matrix(vec![vec![1.0 / size as f64; size]; size]);
        for i in 0..size {
            matrix.0[i][i] += 1e-9;
        }
        matrix
    }

    /// Adds `weight` d dᵀ, where d is 1 for the first player and −1 for the second.
    fn add_edge(&mut self, first: usize, second: usize, weight: f64) {
        self.0[first][first] += weight;
        self.0[second][second] += weight;
        self.0[first][second] -= weight;
        self.0[second][first] -= weight;
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        self.0.iter().map(|row| dot(row, vector)).collect()
    }

    /// The x for which this matrix, which is positive definite, times x is `right`.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut x = right.to_vec();
        linear::solve(&mut self.0.clone(), &mut x);
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;
    use crate::tournament::statistics::elo::{Pentanomial, estimate, score_of};
    use crate::tournament::statistics::tests::{EQUALS, bend, draw};

    fn encounters(first: usize, second: usize, pairs: Pentanomial) -> Vec<Encounter> {
        let outcomes = pairs.outcomes().filter(|outcome| outcome.2 > 0.0);
        outcomes.map(|outcome| (first, second, outcome)).collect()
    }

    #[test]
    fn the_difference_of_two_players_is_that_of_their_pairs() {
        let pairs = Pentanomial([100, 200, 500, 300, 200]);
        let ratings = rate(2, &encounters(0, 1, pairs));
        let expected = estimate(&Vec::from_iter(pairs.outcomes())).expect("pairs");
        let apart = ratings[0].elo - ratings[1].elo;
        assert!((apart - expected.elo).abs() < 1e-6, "{apart} {expected:?}");
        // Half of the difference belongs to each of them.
        let error = ratings[0].high - ratings[0].low;
        assert!((error - (expected.high - expected.low) / 2.0).abs() < 0.1);
    }

    #[test]
    fn players_who_never_met_are_in_different_groups() {
        let met = [(0, 3), (1, 4), (4, 5)].map(|(a, b)| (a, b, (1.0, 1.0, 1.0)));
        assert_eq!(groups(7, &met), [vec![0, 3], vec![1, 4, 5], vec![2, 6]]);
        assert_eq!(groups(0, &[]), [[0; 0]; 0]);
    }

    #[test]
    fn true_differences_are_found() {
        let elos = [120.0, 20.0, -140.0];
        let all = [(0, 1), (1, 2), (0, 2)].map(|(first, second)| {
            let points = score_of(elos[first] - elos[second]);
            (first, second, (1.0, points, 1e6))
        });
        for (rating, elo) in rate(3, &all).iter().zip(elos) {
            assert!((rating.elo - elo).abs() < 1e-3, "{rating:?} {elo}");
        }
    }

    #[test]
    fn a_clean_sweep_is_rated_and_its_interval_is_open() {
        let swept = encounters(0, 1, Pentanomial([0, 0, 0, 0, 10]));
        let [best, worst, idle] = rate(3, &swept)[..] else {
            panic!("three players");
        };
        assert!(best.elo > 300.0 && best.elo.is_finite());
        assert_eq!((best.high, worst.low), (f64::INFINITY, f64::NEG_INFINITY));
        assert!((0.0..best.elo).contains(&best.low), "{best:?}");
        assert!(idle.elo.abs() < 1.0);
        assert_eq!((idle.low, idle.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(rate(0, &[]), []);
    }

    /// Three players, of whom each two play 1 to 30 pairs.
    #[test]
    fn the_intervals_have_the_true_ratings_in_at_least_92_percent() {
        let mut random = SplitMix64::new(3);
        for elos in [[20.0, 0.0, -20.0], [300.0, 0.0, -300.0]] {
            for length in [1, 3, 30] {
                let mut covered = 0;
                for _ in 0..300 {
                    let mut all = Vec::new();
                    for (first, second) in [(0, 1), (1, 2), (0, 2)] {
                        let shares = bend(EQUALS, score_of(elos[first] - elos[second]));
                        let mut pairs = Pentanomial::default();
                        (0..length).for_each(|_| pairs.add(draw(&shares, &mut random)));
                        all.extend(encounters(first, second, pairs));
                    }
                    let ratings = rate(3, &all).into_iter().zip(elos);
                    let hits =
                        ratings.filter(|(rating, elo)| (rating.low..=rating.high).contains(elo));
                    covered += hits.count();
                }
                assert!(covered >= 828, "{covered} of 900: {elos:?}, {length} pairs");
            }
        }
    }
}
