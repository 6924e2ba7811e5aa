//! Rating differences from results, on the logistic scale: 400 points are 10 to 1.

use std::fmt;

/// Scores of game pairs (one opening, both colours) of one player against another: how
/// many pairs gave 0, ½, 1, 1½ and 2 points.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pentanomial(pub [u64; 5]);

/// A rating difference in Elo and its 95% interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    /// Elo of the player above its opponent; infinite if it won or lost everything.
    pub elo: f64,
    /// Lower end of the interval, may be infinite.
    pub low: f64,
    /// Upper end of the interval, may be infinite.
    pub high: f64,
}

/// `+12.3 +/- 4.5`, or the interval where an end of it is infinite.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Estimate { elo, low, high } = self;
        if low.is_finite() && high.is_finite() {
            write!(f, "{elo:+.1} +/- {:.1}", (high - low) / 2.0)
        } else {
            write!(f, "{elo:+.1} ({low:+.1} to {high:+.1})")
        }
    }
}

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

    /// Mean score of a pair, 0..=1 of what could be had; 0.5 if there are none.
    pub fn mean(&self) -> f64 {
        if self.pairs() == 0 {
            return 0.5;
        }
        let points: u64 = (0..)
            .zip(self.0)
            .map(|(points, pairs)| points * pairs)
            .sum();
        points as f64 / (4 * self.pairs()) as f64
    }

    /// Variance of the score of one pair, on the scale of the mean.
    pub fn variance(&self) -> f64 {
        let mean = self.mean();
        let squares = (0..5).map(|i| {
            let deviation = f64::from(i) / 4.0 - mean;
            self.0[i as usize] as f64 * deviation * deviation
        });
        squares.sum::<f64>() / self.pairs().max(1) as f64
    }

    /// The rating difference that these pairs show; `None` if there are none.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.pairs() == 0 {
            return None;
        }
        let deviation = SIGMAS_95 * (self.variance() / self.pairs() as f64).sqrt();
        let mean = self.mean();
        Some(Estimate {
            elo: elo_of(mean),
            low: elo_of(mean - deviation),
            high: elo_of(mean + deviation),
        })
    }
}

/// The rating difference at which `score` of 0..=1 is expected; infinite at and beyond the ends.
pub fn elo_of(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The score of 0..=1 that is expected at a rating difference.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_and_scores_are_inverse() {
        assert_eq!(elo_of(0.5), 0.0);
        assert!((elo_of(10.0 / 11.0) - 400.0).abs() < 1e-9);
        for elo in [-300.0, -5.0, 0.0, 12.5, 700.0] {
            assert!((elo_of(score_of(elo)) - elo).abs() < 1e-6, "{elo}");
        }
    }

    #[test]
    fn an_even_match_is_zero_elo_give_or_take() {
        let pairs = Pentanomial([10, 20, 40, 20, 10]);
        let estimate = pairs.estimate().expect("pairs");
        assert!(estimate.elo.abs() < 1e-9);
        // One pair has the variance (2 * 10 * 0.25 + 2 * 20 * 0.0625) / 100 = 0.075, so
        // the mean of 100 has the deviation 0.0274: 0.0537 at 95%, 37.4 Elo.
        assert!((estimate.high - 37.4).abs() < 0.1, "{estimate:?}");
        assert_eq!(estimate.to_string(), "+0.0 +/- 37.4");
    }

    #[test]
    fn without_games_there_is_no_estimate() {
        assert_eq!(Pentanomial::default().estimate(), None);
        let won = Pentanomial([0, 0, 0, 0, 3]).estimate().expect("pairs");
        assert_eq!(won.elo, f64::INFINITY);
    }
}
