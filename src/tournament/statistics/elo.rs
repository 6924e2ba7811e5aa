//! Rating differences from results, on the logistic scale: 400 points are 10 to 1.

use std::fmt;

/// Scores of game pairs (one opening, both colours) of one player against another: how
/// many pairs gave 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pentanomial(pub [u64; 5]);

/// A rating difference in Elo and its 95% interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EloEstimate {
    /// Elo of the player above its opponent; infinite if it won or lost everything.
    pub elo: f64,
    /// Lower end of the interval, may be infinite.
    pub low: f64,
    /// Upper end of the interval, may be infinite.
    pub high: f64,
}

/// `+12.3 (95%: -4.5 to +29.1)`, or one end of the interval after a clean sweep.
impl fmt::Display for EloEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EloEstimate { elo, low, high } = self;
        if elo.is_finite() {
            write!(f, "{elo:+.1} (95%: {low:+.1} to {high:+.1})")
        } else if *elo > 0.0 {
            write!(f, "at least {low:+.1} (95%)")
        } else {
            write!(f, "at most {high:+.1} (95%)")
        }
    }
}

/// The score of each outcome of a pair.
pub(super) const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Points of Elo in which the odds grow by the factor e.
pub(super) const ELO_PER_NAT: f64 = 400.0 / std::f64::consts::LN_10;

/// Standard deviations of a 95% interval.
pub(super) const SIGMAS_95: f64 = 1.959_964;

impl Pentanomial {
    /// Counts a pair that gave `half_points` of 4.
    pub const fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// Number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Mean share of the points of a pair, 0..=1; 0.5 if there are no pairs.
    pub fn mean(&self) -> f64 {
        let points = (0..).zip(self.0).map(|(points, pairs)| points * pairs);
        match self.pairs() {
            0 => 0.5,
            pairs => points.sum::<u64>() as f64 / (4 * pairs) as f64,
        }
    }

    /// The 95% interval of the mean score.
    pub fn score_interval(&self) -> (f64, f64) {
        let pairs = SCORES.iter().zip(self.0);
        share_interval(pairs.map(|(score, count)| (2.0, 2.0 * score, count as f64)))
    }

    /// The rating difference by these pairs; `None` if there are none.
    pub fn estimate(&self) -> Option<EloEstimate> {
        let (low, high) = self.score_interval();
        (self.pairs() > 0).then(|| EloEstimate {
            elo: elo_of(self.mean()),
            low: elo_of(low),
            high: elo_of(high),
        })
    }
}

/// Encounters with the same result: games in each, points in each, and how many there are.
pub type Outcome = (f64, f64, f64);

/// The results that are added for intervals: a pair won and a pair lost.
pub(super) const INTERVAL_PRIOR: [Outcome; 2] = [(2.0, 2.0, 1.0), (2.0, 0.0, 1.0)];

/// The 95% interval of the share of the points, as if there were one pair more that was won
/// 2 : 0 and one that was lost; its ends may lie beyond 0 and 1. Few pairs, or pairs that all
/// had the same result, say little about outcomes that did not occur; without these two the
/// interval of a clean sweep, or of 1 : 1 in all pairs, has no width. After A. Agresti and B. Coull,
/// "Approximate is Better than 'Exact' for Interval Estimation of Binomial Proportions", and
/// A. Agresti and B. Caffo, "Simple and Effective Confidence Intervals for Proportions ..",
/// The American Statistician 52 (1998) and 54 (2000); here for five outcomes.
pub(super) fn share_interval(outcomes: impl Iterator<Item = Outcome>) -> (f64, f64) {
    let outcomes: Vec<_> = outcomes.chain(INTERVAL_PRIOR).collect();
    let sum = |term: &dyn Fn(&Outcome) -> f64| outcomes.iter().map(term).sum::<f64>();
    let games = sum(&|(games, _, count)| games * count);
    let mean = sum(&|(_, points, count)| points * count) / games;
    let squares = sum(&|(games, points, count)| count * (points - games * mean).powi(2));
    let half = SIGMAS_95 * squares.sqrt() / games;
    (mean - half, mean + half)
}

/// The rating difference at which `score` of 0..=1 is expected; infinite at and beyond the ends.
pub fn elo_of(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

/// The score of 0..=1 that is expected at a rating difference.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{EQUALS, bend, draw};
    use super::*;
    use crate::random::SplitMix64;

    #[test]
    fn ratings_and_scores_are_inverse() {
        assert_eq!(elo_of(0.5), 0.0);
        assert!((elo_of(10.0 / 11.0) - 400.0).abs() < 1e-9);
        for elo in [-300.0, -5.0, 0.0, 12.5, 700.0] {
            assert!((elo_of(score_of(elo)) - elo).abs() < 1e-6, "{elo}");
        }
    }

    #[test]
    fn an_even_match_is_zero_elo_with_an_interval() {
        let pairs = Pentanomial([99, 200, 400, 200, 99]);
        let estimate = pairs.estimate().expect("pairs");
        assert!(estimate.elo.abs() < 1e-9);
        // With the two pairs that are added, one has the variance (2 * 100 * 0.25 + 2 * 200 *
        // 0.0625) / 1000 = 0.075, so the mean has the deviation 0.00866: 0.01697 at 95%, which
        // is 11.8 Elo.
        assert_eq!(estimate.to_string(), "+0.0 (95%: -11.8 to +11.8)");
    }

    #[test]
    fn few_games_and_clean_sweeps_have_wide_intervals() {
        assert_eq!(Pentanomial::default().estimate(), None);
        let text = |pairs| Pentanomial(pairs).estimate().expect("pairs").to_string();
        assert_eq!(text([0, 0, 0, 0, 1]), "at least -325.3 (95%)");
        assert_eq!(text([0, 0, 0, 0, 50]), "at least +488.9 (95%)");
        assert_eq!(text([50, 0, 0, 0, 0]), "at most -488.9 (95%)");
        assert_eq!(text([0, 0, 1, 0, 0]), "+0.0 (95%: -561.2 to +561.2)");
        assert_eq!(text([0, 0, 50, 0, 0]), "+0.0 (95%: -18.5 to +18.5)");
    }

    /// Matches of 1 to 300 pairs between players of known difference; without the added pairs
    /// less than half of the intervals of short matches have the true value in them.
    #[test]
    fn the_interval_has_the_true_value_in_at_least_92_percent() {
        let mut random = SplitMix64::new(1);
        let decisive = [0.4, 0.05, 0.1, 0.05, 0.4];
        for equals in [EQUALS, decisive] {
            for elo in [0.0, 30.0, 150.0, 400.0, 800.0] {
                let shares = bend(equals, score_of(elo));
                for length in [1, 2, 5, 10, 30, 100, 300] {
                    let matches = 1000;
                    let is_covered = |_: &u32| {
                        let mut pairs = Pentanomial::default();
                        (0..length).for_each(|_| pairs.add(draw(&shares, &mut random)));
                        let (low, high) = pairs.score_interval();
                        (low..=high).contains(&score_of(elo))
                    };
                    let covered = (0..matches).filter(is_covered).count();
                    // The deviation of a count of 950 is 7.
                    assert!(covered >= 920, "{covered}: {elo} Elo, {length} pairs");
                }
            }
        }
    }
}
