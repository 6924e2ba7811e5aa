//! The sequential probability ratio test: games are played until the results decide whether the
//! first player is `elo1` stronger (H1) or only `elo0` (H0).
//!
//! A. Wald, "Sequential Tests of Statistical Hypotheses", 1945, in the generalised form of
//! M. Van den Bergh, "The generalized maximum likelihood ratio for the expectation value of
//! a distribution", 2019: each hypothesis fixes the mean of a pair's score, and the rest of
//! the distribution of the five outcomes is what fits the results best.

use std::fmt;
use std::str::FromStr;

use super::elo::{Pentanomial, SCORES, score_of};

/// A test: two hypotheses, and how often each may be accepted wrongly.
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

/// The state of a test.
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

/// `elo0=0 elo1=5 alpha=0.05 beta=0.05` in any order; these are also the defaults.
impl FromStr for Sprt {
    type Err = String;

    fn from_str(text: &str) -> Result<Sprt, String> {
        let mut sprt = Sprt::default();
        let words = "elo0=E elo1=E [alpha=P] [beta=P] with elo0 < elo1 and 0 < P < 0.5";
        let error = || format!("expected {words}, found {text:?}");
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
        let is_test = sprt.elo0 < sprt.elo1
            && [sprt.elo0, sprt.elo1].iter().all(|elo| elo.abs() <= 1000.0)
            && [sprt.alpha, sprt.beta].iter().all(|&p| 0.0 < p && p < 0.5);
        is_test.then_some(sprt).ok_or_else(error)
    }
}

/// A text that reads back.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elo0, elo1) = (self.elo0, self.elo1);
        let (alpha, beta) = (self.alpha, self.beta);
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
        let [h0, h1] = [self.elo0, self.elo1].map(|elo| divergence(&shares, score_of(elo)));
        total * (h0 - h1)
    }

    /// The decision by the results.
    pub fn decide(&self, pairs: &Pentanomial) -> Decision {
        let (lower, upper) = self.bounds();
        match self.log_likelihood_ratio(pairs) {
            ratio if ratio >= upper => Decision::AcceptH1,
            ratio if ratio <= lower => Decision::AcceptH0,
            _ => Decision::PlayOn,
        }
    }

    /// The line about the state of the test; a decision that was made before stays.
    pub fn text(&self, pairs: &Pentanomial, decided: Decision) -> String {
        let (lower, upper) = self.bounds();
        let ratio = self.log_likelihood_ratio(pairs);
        format!("SPRT {self}: LLR {ratio:.2} ({lower:.2} to {upper:.2}), {decided}\n")
    }
}

/// Pairs that are counted for an outcome that did not occur, so that no hypothesis excludes it.
const UNSEEN: f64 = 1e-3;

/// The distance of given shares p from the nearest distribution with the mean s, 0 < s < 1. That
/// distribution is p / (1 + t (a − s)), where a is the score of an outcome and t makes the mean right; the
/// likelihood of the results under it is lower by Σ p ln(1 + t (a − s)).
fn divergence(shares: &[f64; 5], mean: f64) -> f64 {
    let deviations = SCORES.map(|score| score - mean);
    let both = || shares.iter().zip(deviations);
    // The mean falls as t grows; all shares stay positive between these ends.
    let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
    for _ in 0..HALVINGS {
        let t = (low + high) / 2.0;
        let excess: f64 = both().map(|(p, d)| p * d / (1.0 + t * d)).sum();
        if excess > 0.0 {
            low = t;
        } else {
            high = t;
        }
    }
    let t = (low + high) / 2.0;
    both().map(|(p, d)| p * (1.0 + t * d).ln()).sum()
}

/// Halvings of the interval of t: an error of 2⁻⁴⁰ in t does not change the sum.
const HALVINGS: u32 = 40;

#[cfg(test)]
mod tests {
    use super::super::tests::{EQUALS, bend, draw};
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
        for text in "elo0=5 elo0 x=1 alpha=0 beta=0.7 elo1=nan".split(' ') {
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
        let count = pairs.pairs() as f64;
        let sum = |term: &dyn Fn(f64) -> f64| -> f64 {
            let terms = SCORES.iter().zip(pairs.0).map(|(&s, n)| n as f64 * term(s));
            terms.sum()
        };
        let mean = sum(&|score| score) / count;
        let variance = sum(&|score| (score - mean).powi(2)) / count;
        let normal = count * (s1 - s0) * (2.0 * mean - s0 - s1) / (2.0 * variance);
        let ratio = sprt.log_likelihood_ratio(&pairs);
        assert!(
            (ratio - normal).abs() < 0.02 * normal.abs(),
            "{ratio} {normal}"
        );
    }

    #[test]
    fn mirrored_results_and_hypotheses_give_the_negative_ratio() {
        let forward: Sprt = "elo0=-10 elo1=20".parse().expect("a test");
        let backward: Sprt = "elo0=-20 elo1=10".parse().expect("a test");
        let ratio = forward.log_likelihood_ratio(&Pentanomial([3, 9, 50, 20, 7]));
        let mirrored = backward.log_likelihood_ratio(&Pentanomial([7, 20, 50, 9, 3]));
        assert!((ratio + mirrored).abs() < 1e-9, "{ratio} {mirrored}");
    }

    #[test]
    fn one_sided_results_decide_but_few_games_do_not() {
        let sprt: Sprt = "elo0=0 elo1=50".parse().expect("a test");
        let decide = |pairs| sprt.decide(&Pentanomial(pairs));
        assert_eq!(decide([0; 5]), Decision::PlayOn);
        assert_eq!(decide([0, 0, 0, 0, 2]), Decision::PlayOn);
        assert_eq!(decide([0, 0, 0, 0, 200]), Decision::AcceptH1);
        assert_eq!(decide([200, 0, 0, 0, 0]), Decision::AcceptH0);
        assert_eq!(decide([0, 0, 1_000, 0, 0]), Decision::AcceptH0);
    }

    #[test]
    fn the_error_rates_are_within_their_limits() {
        let sprt: Sprt = "elo0=0 elo1=60".parse().expect("a test");
        let (_, too_strong) = simulate(sprt, sprt.elo0, 2_000, 1);
        let (too_weak, _) = simulate(sprt, sprt.elo1, 2_000, 2);
        for errors in [too_strong, too_weak] {
            // 5% are 100, with a deviation of 10. A test without errors would waste games.
            assert!((40..=140).contains(&errors), "{too_strong} {too_weak}");
        }
    }
}
