//! The fitted model beside the errors that it was fitted to.

use std::collections::BTreeMap;

use super::Pair;
use emilia::eval::ProbCut;
use emilia::eval::probcut::Horizon;

/// Numbers of empties that share a row.
const EMPTIES_PER_ROW: u32 = 4;

/// Has this probe a row against a search of this depth? Final scores are shown for all probes.
const fn is_shown(probe: u32, depth: u32) -> bool {
    matches!((probe, depth), (0 | 2, 4 | 6 | 10) | (4, 8 | 10))
}

/// Errors of one probe against one horizon, over a few numbers of empties.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ReportRow {
    /// The fewest empties of the row; it also covers the next three numbers.
    pub empties: u32,
    /// Plies of the shallow search.
    pub probe: u32,
    /// What it is compared with.
    pub horizon: Horizon,
    /// How many errors.
    pub pairs: usize,
    /// Mean error, in discs: observed, and by the model.
    pub mean: [f64; 2],
    /// Root of the mean squared distance from the model's mean; and the model's sigma.
    pub sigma: [f64; 2],
}

/// The rows of `pairs`, by kind, probe and empties.
pub fn rows(model: &ProbCut, pairs: &[Pair]) -> Vec<ReportRow> {
    // Sums, and sums of squares, until all pairs are in them.
    let mut rows = BTreeMap::new();
    for &Pair {
        empties,
        probe,
        horizon,
        error,
    } in pairs
    {
        let plies = match horizon {
            Horizon::Plies(depth) if is_shown(probe, depth) => depth,
            Horizon::Plies(_) => continue,
            Horizon::End => u32::MAX,
        };
        let first = empties - empties % EMPTIES_PER_ROW;
        let row = rows.entry((plies, probe, first)).or_insert(ReportRow {
            empties: first,
            probe,
            horizon,
            pairs: 0,
            mean: [0.0; 2],
            sigma: [0.0; 2],
        });
        let mean = model.mean(empties, probe, horizon);
        row.pairs += 1;
        row.mean[0] += error;
        row.mean[1] += mean;
        row.sigma[0] += (error - mean).powi(2);
        row.sigma[1] += model.sigma(empties, probe, horizon).powi(2);
    }
    for row in rows.values_mut() {
        let count = row.pairs as f64;
        row.mean = row.mean.map(|sum| sum / count);
        row.sigma = row.sigma.map(|sum| (sum / count).sqrt());
    }
    rows.into_values().collect()
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
