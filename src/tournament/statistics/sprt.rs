//! The sequential probability ratio test: play on until the results say whether the first
//! player is `elo1` stronger (H1) or only `elo0` (H0).
//!
//! A. Wald, "Sequential Tests of Statistical Hypotheses", 1945, in the generalised form of
//! M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of
//! a distribution", 2019: each hypothesis fixes the mean of a pair's score, and the rest of
//! the distribution of the five outcomes is what fits the results best.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::elo::{Pentanomial, SCORES, score_of};

/// A test: two hypotheses, and how often each may be taken wrongly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sprt {
    /// H0: the first player is this much stronger, logistic Elo.
    pub elo0: f64,
    /// H1: the first player is this much stronger, more than `elo0`.
    pub elo1: f64,
    /// How often H1 may be accepted where H0 is true.
    pub alpha: f64,
    /// How often H0 may be accepted where H1 is true.
    pub beta: f64,
}

/// Where a test stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// Nothing is decided yet.
    PlayOn,
    /// The first player is not stronger, or not by enough.
    AcceptH0,
    /// The first player is stronger.
    AcceptH1,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decision::PlayOn => "not decided",
            Decision::AcceptH0 => "H0 accepted",
            Decision::AcceptH1 => "H1 accepted",
        })
    }
}

impl Default for Sprt {
    fn default() -> Sprt {
        Sprt {
            elo0: 0.0,
            elo1: 5.0,
            alpha: 0.05,
            beta: 0.05,
        }
    }
}

/// A text that is no test.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("expected elo0=E elo1=E [alpha=P] [beta=P] with elo0 < elo1 and 0 < P < 0.5, found {0:?}")]
pub struct ParseSprtError(String);

/// `elo0=0 elo1=5 alpha=0.05 beta=0.05` in any order; what is left out is as here.
impl FromStr for Sprt {
    type Err = ParseSprtError;

    fn from_str(text: &str) -> Result<Sprt, ParseSprtError> {
        let mut sprt = Sprt::default();
        let error = || ParseSprtError(text.to_owned());
        for word in text.split_whitespace() {
            let (key, value) = word.split_once('=').ok_or_else(error)?;
            let value: f64 = value.parse().map_err(|_| error())?;
            match key {
                "elo0" => sprt.elo0 = value,
                "elo1" => sprt.elo1 = value,
                "alpha" => sprt.alpha = value,
                "beta" => sprt.beta = value,
                _ => return Err(error()),
            }
        }
        let is_share = |p: f64| 0.0 < p && p < 0.5;
        let is_test = sprt.elo0 < sprt.elo1
            && sprt.elo0.abs() <= 1000.0
            && sprt.elo1.abs() <= 1000.0
            && is_share(sprt.alpha)
            && is_share(sprt.beta);
        if is_test { Ok(sprt) } else { Err(error()) }
    }
}

/// Reads back.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
        } = self;
        write!(f, "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta}")
    }
}

impl Sprt {
    /// The log-likelihood ratios at which H0 and H1 are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        let lower = (self.beta / (1.0 - self.alpha)).ln();
        let upper = ((1.0 - self.beta) / self.alpha).ln();
        (lower, upper)
    }

    /// The log-likelihood ratio of H1 against H0; 0 without results.
    pub fn log_likelihood_ratio(&self, pairs: &Pentanomial) -> f64 {
        if pairs.pairs() == 0 {
            return 0.0;
        }
        let counts = pairs.0.map(|count| (count as f64).max(UNSEEN));
        let total: f64 = counts.iter().sum();
        let shares = counts.map(|count| count / total);
        let h0 = Tilt::to_mean(&shares, score_of(self.elo0));
        let h1 = Tilt::to_mean(&shares, score_of(self.elo1));
        let terms = (0..5).map(|i| shares[i] * (h0.divisor(i) / h1.divisor(i)).ln());
        total * terms.sum::<f64>()
    }

    /// What the results say.
    pub fn decide(&self, pairs: &Pentanomial) -> Decision {
        let ratio = self.log_likelihood_ratio(pairs);
        let (lower, upper) = self.bounds();
        if ratio >= upper {
            Decision::AcceptH1
        } else if ratio <= lower {
            Decision::AcceptH0
        } else {
            Decision::PlayOn
        }
    }

    /// One line about the state of the test.
    pub fn text(&self, pairs: &Pentanomial) -> String {
        let (lower, upper) = self.bounds();
        let ratio = self.log_likelihood_ratio(pairs);
        format!("SPRT {self}: LLR {ratio:.2} ({lower:.2} to {upper:.2})")
    }
}

/// Pairs that an outcome counts for that was not seen; no hypothesis can rule it out.
const UNSEEN: f64 = 1e-3;

/// The distribution nearest to given shares p with a given mean s: p / (1 + t (a − s)),
/// where a is the score of an outcome and t makes the mean right.
struct Tilt {
    t: f64,
    mean: f64,
}

impl Tilt {
    /// The distribution with that mean, 0 < `mean` < 1.
    fn to_mean(shares: &[f64; 5], mean: f64) -> Tilt {
        // The mean falls as t grows; all shares stay positive between these ends.
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        let mut tilt = Tilt { t: 0.0, mean };
        for _ in 0..MAX_STEPS {
            let (value, slope) = tilt.excess(shares);
            let step = value / slope;
            if step.abs() < CLOSE {
                break;
            }
            if value > 0.0 {
                low = tilt.t;
            } else {
                high = tilt.t;
            }
            let newton = tilt.t + step;
            let inside = low < newton && newton < high;
            tilt.t = if inside { newton } else { (low + high) / 2.0 };
        }
        tilt
    }

    /// What p of outcome `i` is divided by.
    fn divisor(&self, i: usize) -> f64 {
        1.0 + self.t * (SCORES[i] - self.mean)
    }

    /// How far the mean lies above the wanted one, and how fast that falls with t.
    fn excess(&self, shares: &[f64; 5]) -> (f64, f64) {
        let (mut value, mut slope) = (0.0, 0.0);
        for (i, share) in shares.iter().enumerate() {
            let deviation = (SCORES[i] - self.mean) / self.divisor(i);
            value += share * deviation;
            slope += share * deviation * deviation;
        }
        (value, slope)
    }
}

/// Newton steps and halvings; a dozen are the rule.
const MAX_STEPS: u32 = 100;

/// A step of this length changes nothing any more.
const CLOSE: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::super::simulation::{EQUALS, bend, draw};
    use super::*;
    use crate::random::SplitMix64;

    /// How many of `matches` matches between players who are `elo` apart accept H0 and H1.
    fn simulate(sprt: Sprt, elo: f64, matches: u64, seed: u64) -> (u64, u64) {
        let shares = bend(EQUALS, score_of(elo));
        let mut random = SplitMix64::new(seed);
        let (mut h0, mut h1) = (0, 0);
        for _ in 0..matches {
            let mut pairs = Pentanomial::default();
            loop {
                pairs.add(draw(&shares, &mut random));
                match sprt.decide(&pairs) {
                    Decision::PlayOn => continue,
                    Decision::AcceptH0 => h0 += 1,
                    Decision::AcceptH1 => h1 += 1,
                }
                break;
            }
        }
        (h0, h1)
    }

    #[test]
    fn tests_read_back() {
        let sprt: Sprt = "elo0=-3 elo1=1.5 alpha=0.1".parse().expect("a test");
        assert_eq!((sprt.elo0, sprt.elo1, sprt.alpha), (-3.0, 1.5, 0.1));
        assert_eq!(sprt.to_string().parse(), Ok(sprt));
        assert_eq!("".parse(), Ok(Sprt::default()));
        for text in [
            "elo0=5 elo1=5",
            "elo0",
            "x=1",
            "alpha=0",
            "beta=0.7",
            "elo1=nan",
        ] {
            assert!(text.parse::<Sprt>().is_err(), "{text}");
        }
    }

    #[test]
    fn the_bounds_are_walds() {
        let (lower, upper) = Sprt::default().bounds();
        assert!((upper - 19f64.ln()).abs() < 1e-12);
        assert!((lower + 19f64.ln()).abs() < 1e-12);
    }

    #[test]
    fn the_ratio_is_near_its_normal_approximation() {
        // LLR ≈ N (s1 − s0) (2 s − s0 − s1) / (2 variance), for small differences.
        let sprt = Sprt::default();
        let pairs = Pentanomial([400, 300, 3500, 350, 450]);
        let (s0, s1) = (score_of(sprt.elo0), score_of(sprt.elo1));
        let normal = pairs.pairs() as f64 * (s1 - s0) * (2.0 * pairs.mean() - s0 - s1)
            / (2.0 * pairs.variance());
        let ratio = sprt.log_likelihood_ratio(&pairs);
        assert!(
            (ratio - normal).abs() < 0.02 * normal.abs(),
            "{ratio} {normal}"
        );
    }

    #[test]
    fn mirrored_results_and_hypotheses_give_the_negative_ratio() {
        let forward = Sprt {
            elo0: -10.0,
            elo1: 20.0,
            ..Sprt::default()
        };
        let backward = Sprt {
            elo0: -20.0,
            elo1: 10.0,
            ..Sprt::default()
        };
        let ratio = forward.log_likelihood_ratio(&Pentanomial([3, 9, 50, 20, 7]));
        let mirrored = backward.log_likelihood_ratio(&Pentanomial([7, 20, 50, 9, 3]));
        assert!((ratio + mirrored).abs() < 1e-9, "{ratio} {mirrored}");
    }

    #[test]
    fn one_sided_results_decide_and_few_do_not() {
        let sprt: Sprt = "elo0=0 elo1=50".parse().expect("a test");
        let decide = |pairs| sprt.decide(&Pentanomial(pairs));
        assert_eq!(decide([0; 5]), Decision::PlayOn);
        assert_eq!(decide([0, 0, 0, 0, 2]), Decision::PlayOn);
        assert_eq!(decide([0, 0, 0, 0, 200]), Decision::AcceptH1);
        assert_eq!(decide([200, 0, 0, 0, 0]), Decision::AcceptH0);
        assert_eq!(decide([0, 0, 1_000, 0, 0]), Decision::AcceptH0);
    }

    #[test]
    fn the_test_errs_no_more_often_than_it_may() {
        let sprt: Sprt = "elo0=0 elo1=60".parse().expect("a test");
        let (_, too_strong) = simulate(sprt, sprt.elo0, 2_000, 1);
        let (too_weak, _) = simulate(sprt, sprt.elo1, 2_000, 2);
        for errors in [too_strong, too_weak] {
            // 5% are 100, with a deviation of 10. A test that never errs would waste games.
            assert!((40..=140).contains(&errors), "{too_strong} {too_weak}");
        }
    }
}
