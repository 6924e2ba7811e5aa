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
        let [elo, low, high] = [self.elo, self.low, self.high].map(|end| rounded(end, 10.0));
        if elo.is_finite() {
            write!(f, "{elo:+.1} (95%: {low:+.1} to {high:+.1})")
        } else if elo > 0.0 {
            write!(f, "at least {low:+.1} (95%)")
        } else {
            write!(f, "at most {high:+.1} (95%)")
        }
    }
}

/// A number in whole `steps` of one, for texts: what rounds to zero has no sign.
pub(super) fn rounded(number: f64, steps: f64) -> f64 {
    (steps * number).round() / steps + 0.0
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

    /// The pairs as encounters.
    pub(super) fn outcomes(&self) -> impl Iterator<Item = Outcome> {
        let pairs = SCORES.iter().zip(self.0);
        pairs.map(|(score, count)| (2.0, 2.0 * score, count as f64))
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
pub(super) fn share_interval(outcomes: &[Outcome]) -> (f64, f64) {
    let Share { mean, error, .. } = Share::of(&[outcomes, &INTERVAL_PRIOR].concat());
    let half = SIGMAS_95 * error;
    (mean - half, mean + half)
}

/// The share of the points of one player against another.
struct Share {
    games: f64,
    mean: f64,
    /// The standard deviation of the mean, by the scatter of the encounters.
    error: f64,
}

impl Share {
    fn of(outcomes: &[Outcome]) -> Share {
        let sum = |term: &dyn Fn(&Outcome) -> f64| outcomes.iter().map(term).sum::<f64>();
        let games = sum(&|(games, _, count)| games * count);
        let mean = sum(&|(_, points, count)| points * count) / games;
        let squares = sum(&|(games, points, count)| count * (points - games * mean).powi(2));
        let error = squares.sqrt() / games;
        Share { games, mean, error }
    }
}

/// The rating difference by these results; `None` if there are none.
pub fn estimate(outcomes: &[Outcome]) -> Option<EloEstimate> {
    let Share { games, mean, .. } = Share::of(outcomes);
    let (low, high) = share_interval(outcomes);
    (games > 0.0).then(|| EloEstimate {
        elo: elo_of(mean),
        low: elo_of(low),
        high: elo_of(high),
    })
}

/// Likelihood of superiority: how probable it is that the first player is the stronger one, with the two pairs of
/// the intervals, so that it is 97.5% where their lower end is 0.
pub fn superiority(outcomes: &[Outcome]) -> f64 {
    let Share { mean, error, .. } = Share::of(&[outcomes, &INTERVAL_PRIOR].concat());
    normal_distribution((mean - 0.5) / error)
}

/// The difference in standard deviations of a game's score, on the scale where it is near the Elo if all games are
/// decided: it tells how many games a test needs. `None` if the results have no scatter.
/// M. Van den Bergh, "Normalized Elo", 2020.
pub fn normalised(outcomes: &[Outcome]) -> Option<f64> {
    let Share { games, mean, error } = Share::of(outcomes);
    (error > 0.0).then(|| 2.0 * ELO_PER_NAT * (mean - 0.5) / (error * games.sqrt()))
}

/// The share of a normal distribution below `x` standard deviations, within 1e-7:
/// M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions", 26.2.17.
fn normal_distribution(x: f64) -> f64 {
    const TERMS: [f64; 5] = [
        1.330274429,
        -1.821255978,
        1.781477937,
        -0.356563782,
        0.319381530,
    ];
    let t = 1.0 / (1.0 + 0.2316419 * x.abs());
    let sum = TERMS.iter().fold(0.0, |sum, term| (sum + term) * t);
    let above = (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt() * sum;
    if x < 0.0 { above } else { 1.0 - above }
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

    fn pairs(counts: [u64; 5]) -> Vec<Outcome> {
        Pentanomial(counts).outcomes().collect()
    }

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
        let pairs = pairs([99, 200, 400, 200, 99]);
        let estimate = estimate(&pairs).expect("pairs");
        assert!(estimate.elo.abs() < 1e-9);
        // With the two pairs that are added, one has the variance (2 * 100 * 0.25 + 2 * 200 *
        // 0.0625) / 1000 = 0.075, so the mean has the deviation 0.00866: 0.01697 at 95%, which
        // is 11.8 Elo.
        assert_eq!(estimate.to_string(), "+0.0 (95%: -11.8 to +11.8)");
        assert!((superiority(&pairs) - 0.5).abs() < 1e-6);
        assert_eq!(normalised(&pairs), Some(0.0));
    }

    #[test]
    fn what_rounds_to_zero_has_no_sign() {
        let estimate = EloEstimate {
            elo: -0.04,
            low: -0.06,
            high: -0.0,
        };
        assert_eq!(estimate.to_string(), "+0.0 (95%: -0.1 to +0.0)");
    }

    #[test]
    fn superiority_and_normalised_elo_follow_from_the_scatter() {
        for (deviations, share) in [(-1.959_964, 0.025), (0.0, 0.5), (1.0, 0.841_344_7)] {
            let found = normal_distribution(deviations);
            assert!((found - share).abs() < 1e-6, "{deviations}: {found}");
        }
        // 100 pairs, 10 of them lost and 20 won by 2 : 0: the mean is 0.55, the variance of a pair's score is
        // 0.3 / 4 - 0.05² = 0.0725, of a game's 0.145, and 0.05 / √0.145 · 347.4 = 45.6.
        let pairs = pairs([10, 0, 70, 0, 20]);
        let found = normalised(&pairs).expect("scatter");
        assert!((found - 45.6).abs() < 0.1, "{found}");
        let (low, _) = share_interval(&pairs);
        assert_eq!(low > 0.5, superiority(&pairs) > 0.975);
        assert_eq!(normalised(&[(2.0, 2.0, 10.0)]), None);
    }

    #[test]
    fn few_games_and_clean_sweeps_have_wide_intervals() {
        assert_eq!(estimate(&pairs([0; 5])), None);
        let text = |counts| estimate(&pairs(counts)).expect("pairs").to_string();
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
                        let (low, high) = share_interval(&Vec::from_iter(pairs.outcomes()));
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
