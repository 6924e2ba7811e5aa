//! The error model from pairs: mean by weighted least squares, sigma by maximum likelihood.
//!
//! The likelihood is that of normal errors whose log sigma is linear in the terms; its
//! maximum is found by Fisher scoring (P. McCullagh and J. Nelder, "Generalized Linear
//! Models", 1989, chapter 8: squared errors are gamma variates with a logarithmic link).
//! Real errors have heavier tails: one unexpected wipe-out weighs as much as a
//! thousand usual errors. So no error counts for more than a few sigmas (P. Huber, "Robust
//! Statistics", 1981), and at the end sigma is scaled by one factor, the least with which
//! every level of selectivity holds for the probes in use, tails included.

use super::Pair;
use emilia::eval::probcut::{
    ErrorModel, Horizon, MEAN_TERMS, ProbCut, SIGMA_TERMS, mean_terms, sigma_terms,
};
use emilia::linear::{self, dot};
use emilia::search::Selectivity;
use emilia::search::selectivity::{probe_depth, tenths};

/// Rounds of mean and sigma in turn.
const ROUNDS: usize = 4;

/// Steps of the scoring in each round.
const STEPS: usize = 12;

/// The ridge of each coefficient, in pairs: it determines those that the pairs do not determine.
const RIDGE: f64 = 0.5;

/// Larger errors, in sigmas, count as if they were no larger.
const LARGEST_ERROR: f64 = 3.5;

/// Coefficients in the file are multiples of 1 / this: short numbers that every reader
/// of JSON reads the same.
const GRAIN: f64 = 1e6;

/// The model of both kinds of pairs.
pub fn fit(pairs: &[Pair]) -> ProbCut {
    let (end, midgame): (Vec<Pair>, Vec<Pair>) = pairs
        .iter()
        .partition(|pair| matches!(pair.horizon, Horizon::End));
    let mut model = ProbCut {
        midgame: fit_model(&midgame),
        end: fit_model(&end),
    };
    let scales = [scale(&model, &midgame), scale(&model, &end)];
    model.midgame.log_sigma[0] += scales[0].ln();
    model.end.log_sigma[0] += scales[1].ln();
    for error in [&mut model.midgame, &mut model.end] {
        for coefficient in error.mean.iter_mut().chain(&mut error.log_sigma) {
            *coefficient = (*coefficient * GRAIN).round() / GRAIN;
        }
    }
    model
}

/// The model of pairs of one kind, all of which count alike.
fn fit_model(pairs: &[Pair]) -> ErrorModel {
    let mut model = ErrorModel {
        mean: [0.0; MEAN_TERMS],
        log_sigma: [0.0; SIGMA_TERMS],
    };
    if pairs.is_empty() {
        return model;
    }
    let square: f64 = pairs.iter().map(|pair| pair.error.powi(2)).sum();
    model.log_sigma[0] = (square / pairs.len() as f64).max(f64::MIN_POSITIVE).ln() / 2.0;
    for _ in 0..ROUNDS {
        model.mean = fit_mean(pairs, &model);
        model.log_sigma = fit_sigma(pairs, &model.mean, model.log_sigma);
    }
    model
}

fn fit_mean(pairs: &[Pair], model: &ErrorModel) -> [f64; MEAN_TERMS] {
    let mut equations = Equations::new();
    for pair in pairs {
        let terms = mean_terms_of(pair);
        let sigma = dot(&model.log_sigma, &sigma_terms_of(pair)).exp();
        let size = (pair.error - dot(&model.mean, &terms)).abs() / sigma;
        let weight = (LARGEST_ERROR / size).min(1.0) / (sigma * sigma);
        equations.add(&terms, weight, weight * pair.error);
    }
    equations.solve()
}

fn fit_sigma(
    pairs: &[Pair],
    mean: &[f64; MEAN_TERMS],
    start: [f64; SIGMA_TERMS],
) -> [f64; SIGMA_TERMS] {
    let mut log_sigma = start;
    for _ in 0..STEPS {
        let mut equations = Equations::new();
        for pair in pairs {
            let terms = sigma_terms_of(pair);
            let residual = pair.error - dot(mean, &mean_terms_of(pair));
            let variance = (2.0 * dot(&log_sigma, &terms)).exp();
            // The squared error as an observation of the logarithm, linearised at the present guess.
            let square = (residual * residual / variance).min(LARGEST_ERROR * LARGEST_ERROR);
            let excess = (square - 1.0) / 2.0;
            equations.add(&terms, 1.0, dot(&log_sigma, &terms) + excess);
        }
        log_sigma = equations.solve();
    }
    log_sigma
}

/// The factor on sigma, at least 1, with which every level holds for the probes that the search
/// uses: no more errors lie beyond the level's sigmas, on either side, than it allows.
fn scale(model: &ProbCut, pairs: &[Pair]) -> f64 {
    let in_use = |pair: &&Pair| pair.probe == probe_depth(pair.empties, pair.horizon);
    let in_use: Vec<&Pair> = pairs.iter().filter(in_use).collect();
    let Some(horizon) = in_use.first().map(|pair| pair.horizon) else {
        return 1.0;
    };
    let standardised = |pair: &&Pair| standardised(model, pair);
    let mut errors: Vec<f64> = in_use.iter().map(standardised).collect();
    errors.sort_by(f64::total_cmp);
    let last = errors.len() - 1;
    let levels = Selectivity::ALL.into_iter();
    let factors = levels
        .filter(|&level| level < Selectivity::Full)
        .map(|level| {
            let within = (errors.len() * level.percent() as usize / 100).min(last);
            let largest = errors[within].max(-errors[last - within]);
            largest * 10.0 / f64::from(tenths(level, horizon))
        });
    factors.fold(1.0, f64::max)
}

/// The error less its mean, in sigmas.
pub(super) fn standardised(model: &ProbCut, pair: &Pair) -> f64 {
    let mean = model.mean(pair.empties, pair.probe, pair.horizon);
    (pair.error - mean) / model.sigma(pair.empties, pair.probe, pair.horizon)
}

fn mean_terms_of(pair: &Pair) -> [f64; MEAN_TERMS] {
    mean_terms(pair.empties, pair.probe, pair.horizon)
}

fn sigma_terms_of(pair: &Pair) -> [f64; SIGMA_TERMS] {
    sigma_terms(pair.empties, pair.probe, pair.horizon)
}

/// Normal equations of a small least-squares problem.
struct Equations<const N: usize> {
    matrix: [[f64; N]; N],
    right: [f64; N],
}

impl<const N: usize> Equations<N> {
    fn new() -> Equations<N> {
        let diagonal = |row| std::array::from_fn(|column| if row == column { RIDGE } else { 0.0 });
        Equations {
            matrix: std::array::from_fn(diagonal),
            right: [0.0; N],
        }
    }

    /// One observation with these terms: its weight, and its value times its weight.
    fn add(&mut self, terms: &[f64; N], weight: f64, weighted: f64) {
        for ((row, right), a) in self.matrix.iter_mut().zip(&mut self.right).zip(terms) {
            for (cell, b) in row.iter_mut().zip(terms) {
                *cell += weight * a * b;
            }
            *right += weighted * a;
        }
    }

    /// The coefficients: with the ridge the matrix is positive definite.
    fn solve(mut self) -> [f64; N] {
        linear::solve(&mut self.matrix, &mut self.right);
        self.right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::random::SplitMix64;

    /// A standard normal number: the sum of twelve uniform ones, less its mean.
    fn normal(random: &mut SplitMix64) -> f64 {
        let uniform = |random: &mut SplitMix64| random.next_u64() as f64 / u64::MAX as f64;
        (0..12).map(|_| uniform(random)).sum::<f64>() - 6.0
    }

    /// Pairs drawn from `model`.
    fn drawn(model: &ProbCut) -> Vec<Pair> {
        let mut random = SplitMix64::new(7);
        let mut pairs = Vec::new();
        for number in 0..120_000 {
            let empties = 14 + number % 30;
            let (probe, horizon) = match number % 3 {
                0 => (random.below(8) as u32, Horizon::End),
                _ => {
                    let depth = 3 + random.below(8) as u32;
                    (
                        depth % 2 + 2 * random.below(2) as u32,
                        Horizon::Plies(depth),
                    )
                }
            };
            if matches!(horizon, Horizon::Plies(depth) if probe >= depth) {
                continue;
            }
            let error = model.mean(empties, probe, horizon)
                + normal(&mut random) * model.sigma(empties, probe, horizon);
            pairs.push(Pair {
                empties,
                probe,
                horizon,
                error,
            });
        }
        pairs
    }

    #[test]
    fn the_fit_finds_the_model_that_the_pairs_were_drawn_from() {
        let mut model = ProbCut::default();
        model.end.mean[2] = -3.0;
        model.midgame.mean[4] = 1.0;
        let fitted = fit(&drawn(&model));
        for empties in [16, 30, 40] {
            for (probe, horizon) in [
                (0, Horizon::End),
                (5, Horizon::End),
                (0, Horizon::Plies(6)),
                (2, Horizon::Plies(8)),
            ] {
                let mean = |model: &ProbCut| model.mean(empties, probe, horizon);
                let sigma = |model: &ProbCut| model.sigma(empties, probe, horizon);
                let at = format!("{empties} empties, {probe} to {horizon:?}");
                assert!((mean(&fitted) - mean(&model)).abs() < 0.4, "{at}");
                let ratio = sigma(&fitted) / sigma(&model);
                assert!((0.93..1.12).contains(&ratio), "{at}: {ratio}");
            }
        }
    }

    #[test]
    fn heavy_tails_increase_sigma_until_every_level_holds() {
        let mut pairs = drawn(&ProbCut::default());
        for pair in pairs.iter_mut().step_by(30) {
            pair.error *= 8.0;
        }
        let model = fit(&pairs);
        let in_use = |pair: &&Pair| pair.probe == probe_depth(pair.empties, pair.horizon);
        for end in [false, true] {
            let kind = |pair: &&Pair| matches!(pair.horizon, Horizon::End) == end;
            let pairs: Vec<&Pair> = pairs.iter().filter(in_use).filter(kind).collect();
            for level in Selectivity::ALL {
                let sigmas = f64::from(tenths(level, pairs[0].horizon)) / 10.0;
                let errors = pairs.iter().map(|pair| standardised(&model, pair));
                let above = errors.clone().filter(|&error| error > sigmas).count();
                let below = errors.filter(|&error| error < -sigmas).count();
                let allowed = pairs.len() * (100 - level.percent() as usize) / 100 + 2;
                assert!(
                    above.max(below) <= allowed,
                    "{level}: {above}, {below} of {allowed}"
                );
            }
        }
    }

    #[test]
    fn without_pairs_the_model_is_finite() {
        let model = fit(&[]);
        assert_eq!(model.sigma(30, 4, Horizon::Plies(10)), 1.0);
    }
}
