//! How far a shallow search's score lies from a deep one's: the model behind Multi-ProbCut.
//!
//! Its coefficients are fitted by `emilia-lab tune` to the engine's own searches with the
//! same weights, and are stored in the header of the weight file. The search computes integer
//! tables from them once.
//!
//! The error is "deep minus shallow", in discs for the side to move. Its mean depends on which
//! side made the last move of each search, and on a bias of the evaluation for odd and for even
//! numbers of empty squares. The logarithm of its standard
//! deviation is linear in a few terms of empties and depths, as in M. Buro, "Experiments with
//! Multi-ProbCut and a New High-Quality Evaluation Function for Othello", 1997, where each
//! pair of depths has constants of its own.

use serde::{Deserialize, Serialize};

use crate::linear::dot;

/// Terms of the mean.
pub const MEAN_TERMS: usize = 8;

/// Terms of the logarithm of sigma.
pub const SIGMA_TERMS: usize = 8;

/// The smallest and the largest sigma of the model, in discs: so the search's arithmetic stays in
/// range for any coefficients in a file.
const SIGMA_RANGE: (f64, f64) = (0.25, 60.0);

/// The largest mean, in discs.
const LARGEST_MEAN: f64 = 16.0;

/// What a score is compared with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Horizon {
    /// A search of so many plies.
    Plies(u32),
    /// The final score, both sides playing perfectly.
    End,
}

/// The two models: one for scores of deeper searches, one for final scores.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ProbCut {
    /// Against a deeper search.
    pub midgame: ErrorModel,
    /// Against the final score.
    pub end: ErrorModel,
}

/// Coefficients of the terms of [`mean_terms`] and [`sigma_terms`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ErrorModel {
    /// Of the mean, in discs.
    pub mean: [f64; MEAN_TERMS],
    /// Of the natural logarithm of sigma in discs.
    pub log_sigma: [f64; SIGMA_TERMS],
}

/// The model of weights that were never tuned: fitted to the first weights of this
/// evaluation, and a fair guess for others.
impl Default for ProbCut {
    fn default() -> ProbCut {
        ProbCut {
            midgame: ErrorModel {
                mean: [-1.926, 3.564, -1.574, 0.014, -0.949, 0.850, -1.301, -0.723],
                log_sigma: [2.149, -3.120, 1.942, 0.354, -0.332, -0.105, 0.110, -0.134],
            },
            end: ErrorModel {
                mean: [-0.262, 0.152, -1.909, -1.474, -0.220, 1.088, -0.646, -6.336],
                log_sigma: [2.689, -1.942, -1.246, 0.0, 0.0, 0.0, 0.0, 0.0],
            },
        }
    }
}

impl ProbCut {
    /// The model for scores against `horizon`.
    pub const fn model(&self, horizon: Horizon) -> &ErrorModel {
        match horizon {
            Horizon::Plies(_) => &self.midgame,
            Horizon::End => &self.end,
        }
    }

    /// The mean of deep minus shallow score, in discs, with `empties` free squares
    /// (0..=60) and a shallow search of `probe` plies, fewer than `horizon` has.
    pub fn mean(&self, empties: u32, probe: u32, horizon: Horizon) -> f64 {
        let terms = mean_terms(empties, probe, horizon);
        let mean = dot(&self.model(horizon).mean, &terms);
        finite_or(mean, 0.0).clamp(-LARGEST_MEAN, LARGEST_MEAN)
    }

    /// What searches are off the final score that end where so many squares are free: what the side
    /// to move there has more in the end, on average, than the estimates say, in discs.
    pub fn mean_at_leaves(&self, empties: u32) -> f64 {
        // An even number of plies, so that the side to move is the same.
        self.mean(empties + 2, 2, Horizon::End)
    }

    /// Its standard deviation, in discs.
    pub fn sigma(&self, empties: u32, probe: u32, horizon: Horizon) -> f64 {
        let terms = sigma_terms(empties, probe, horizon);
        let sigma = dot(&self.model(horizon).log_sigma, &terms).exp();
        finite_or(sigma, SIGMA_RANGE.1).clamp(SIGMA_RANGE.0, SIGMA_RANGE.1)
    }
}

/// Terms of the mean: the bias of a search of so many plies, of the deep one less
/// that of the shallow one. A final score has none.
pub fn mean_terms(empties: u32, probe: u32, horizon: Horizon) -> [f64; MEAN_TERMS] {
    let deep = match horizon {
        Horizon::Plies(depth) => bias_terms(empties, depth),
        Horizon::End => [0.0; MEAN_TERMS],
    };
    let shallow = bias_terms(empties, probe);
    std::array::from_fn(|term| deep[term] - shallow[term])
}

/// Terms of the bias of a search of `depth` plies: a constant and a slope, apart for static
/// and searched scores, and for odd and even numbers of squares free at the leaves, where
/// the evaluation speaks. An odd depth turns its sign.
fn bias_terms(empties: u32, depth: u32) -> [f64; MEAN_TERMS] {
    let leaf = empties.saturating_sub(depth);
    let sign = if depth.is_multiple_of(2) { 1.0 } else { -1.0 };
    let class = 2 * usize::from(depth > 0) + usize::from(!leaf.is_multiple_of(2));
    let mut terms = [0.0; MEAN_TERMS];
    terms[2 * class] = sign;
    terms[2 * class + 1] = sign * f64::from(leaf) / 60.0;
    terms
}

/// Terms of the logarithm of sigma. It falls with the depth of the shallow search, and grows
/// with the plies between it and the deep one; the static evaluation has terms of its own. Against
/// a final score, the shallow depth counts as a share of the empties.
pub fn sigma_terms(empties: u32, probe: u32, horizon: Horizon) -> [f64; SIGMA_TERMS] {
    let x = f64::from(empties) / 60.0;
    match horizon {
        Horizon::Plies(depth) => {
            let between = f64::from(depth.saturating_sub(probe) + 1).ln();
            let shallow = f64::from(probe + 1).ln();
            let own = if probe == 0 { [1.0, between] } else { [0.0; 2] };
            [1.0, x, x * x, between, shallow, x * shallow, own[0], own[1]]
        }
        Horizon::End => {
            let share = f64::from(probe) / f64::from(empties.max(1));
            [1.0, x, share, 0.0, 0.0, 0.0, 0.0, 0.0]
        }
    }
}

fn finite_or(x: f64, otherwise: f64) -> f64 {
    if x.is_nan() { otherwise } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sigma_falls_with_the_depth_of_the_probe_and_grows_with_the_horizon() {
        let model = ProbCut::default();
        let sigma = |probe, depth| model.sigma(30, probe, Horizon::Plies(depth));
        assert!(sigma(4, 10) < sigma(2, 10));
        assert!(sigma(4, 10) < sigma(4, 14));
        assert!(model.sigma(20, 4, Horizon::End) < model.sigma(20, 0, Horizon::End));
    }

    #[test]
    fn extreme_coefficients_give_numbers_in_range() {
        for absurd in [f64::MAX, f64::MIN] {
            let error = ErrorModel {
                mean: [absurd; MEAN_TERMS],
                log_sigma: [absurd; SIGMA_TERMS],
            };
            let model = ProbCut {
                midgame: error.clone(),
                end: error,
            };
            for horizon in [Horizon::Plies(9), Horizon::End] {
                assert!(model.mean(21, 3, horizon).abs() <= LARGEST_MEAN);
                let sigma = model.sigma(21, 3, horizon);
                assert!((SIGMA_RANGE.0..=SIGMA_RANGE.1).contains(&sigma));
            }
        }
    }

    #[test]
    fn the_mean_of_equal_searches_is_nothing() {
        assert_eq!(mean_terms(30, 6, Horizon::Plies(6)), [0.0; MEAN_TERMS]);
    }

    #[test]
    fn the_gain_of_the_last_mover_changes_its_sign_with_the_depth() {
        let mut model = ProbCut::default();
        model.midgame.mean = [0.0; MEAN_TERMS];
        model.midgame.mean[4] = 1.0; // searched, even number of squares at the leaves
        assert_eq!(model.mean(30, 0, Horizon::Plies(4)), 1.0);
        assert_eq!(model.mean(31, 0, Horizon::Plies(5)), -1.0);
        assert_eq!(model.mean(31, 0, Horizon::Plies(4)), 0.0);
    }
}
