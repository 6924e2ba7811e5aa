//! The fitted model beside the errors that it was fitted to.

use std::collections::BTreeMap;

use super::Pair;
use crate::eval::ProbCut;
use crate::eval::probcut::Horizon;

/// Numbers of empties that share a row.
const EMPTIES_PER_ROW: u32 = 4;

/// Probes and searches that have a row; final scores are shown for all probes.
const SHOWN: [(u32, u32); 8] = [
    (0, 4),
    (0, 6),
    (0, 10),
    (2, 4),
    (2, 6),
    (2, 10),
    (4, 8),
    (4, 10),
];

/// Errors of one probe against one horizon, over a few numbers of empties.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReportRow {
    /// The fewest empties of the row; it also covers the next three numbers.
    pub empties: u32,
    /// Plies of the shallow search.
    pub probe: u32,
    /// What it is compared with.
    pub horizon: Horizon,
    /// The sum of the errors.
    pub pairs: usize,
    /// Mean error, in discs: observed, and by the model.
    pub mean: [f64; 2],
    /// Root of the mean squared distance from the model's mean; and the model's sigma.
    pub sigma: [f64; 2],
}

#[derive(Clone, Copy, Default)]
struct Sums {
    pairs: usize,
    mean: [f64; 2],
    square: [f64; 2],
}

/// The rows of `pairs`, by kind, probe and empties.
pub fn rows(model: &ProbCut, pairs: &[Pair]) -> Vec<ReportRow> {
    let mut sums: BTreeMap<(u32, u32, u32), Sums> = BTreeMap::new();
    for pair in pairs {
        let plies = match pair.horizon {
            Horizon::Plies(depth) if SHOWN.contains(&(pair.probe, depth)) => depth,
            Horizon::Plies(_) => continue,
            Horizon::End => u32::MAX,
        };
        let empties = pair.empties - pair.empties % EMPTIES_PER_ROW;
        let sum = sums.entry((plies, pair.probe, empties)).or_default();
        let mean = model.mean(pair.empties, pair.probe, pair.horizon);
        let sigma = model.sigma(pair.empties, pair.probe, pair.horizon);
        sum.pairs += 1;
        sum.mean[0] += pair.error;
        sum.mean[1] += mean;
        sum.square[0] += (pair.error - mean).powi(2);
        sum.square[1] += sigma.powi(2);
    }
    sums.into_iter()
        .map(|((plies, probe, empties), sums)| {
            let count = sums.pairs as f64;
            ReportRow {
                empties,
                probe,
                horizon: match plies {
                    u32::MAX => Horizon::End,
                    depth => Horizon::Plies(depth),
                },
                pairs: sums.pairs,
                mean: sums.mean.map(|sum| sum / count),
                sigma: sums.square.map(|sum| (sum / count).sqrt()),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_sums_up_four_numbers_of_empties() {
        let pair = |empties, error| Pair {
            empties,
            probe: 0,
            horizon: Horizon::End,
            error,
        };
        let mut model = ProbCut::default();
        model.end.mean = Default::default();
        let rows = rows(&model, &[pair(16, 3.0), pair(19, -1.0), pair(20, 7.0)]);
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].empties, rows[0].pairs), (16, 2));
        assert_eq!(rows[0].mean, [1.0, 0.0]);
        assert_eq!(rows[0].sigma[0], 5f64.sqrt());
        assert_eq!(rows[1].sigma, [7.0, model.sigma(20, 0, Horizon::End)]);
    }
}
