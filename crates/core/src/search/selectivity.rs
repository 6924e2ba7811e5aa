//! How far outside the window a score must lie so that it decides a node: for `probcut`.
//!
//! How far is far enough is read from a table of integers, computed once from the error model
//! of the weights, so that a node needs no logarithms and all builds agree on every node.

use super::limits::Selectivity;
use crate::eval::ProbCut;
use crate::eval::probcut::Horizon;
use crate::score::{Discs, Score, Units};

/// Fewest plies at which a probe is worth its cost.
pub const MIN_DEPTH: u32 = 4;

/// Fewest plies to the end of the game at which the solver's selective stages probe.
pub const MIN_DEPTH_END: u32 = 13;

/// Fewest plies at which the static score may decide alone. The error model is fitted to [`MIN_DEPTH`]
/// plies and more; below, it is extrapolated.
pub(super) const MIN_DEPTH_STATIC: u32 = 2;

/// Numbers of empties and of plies, 0..=60, have as many rows.
const ROWS: usize = 61;

/// How many tenths of a standard deviation a probe must lie outside the window. Before the
/// proof of a final score the boldest level is less bold: its errors cost more than it saves.
pub const fn tenths(selectivity: Selectivity, horizon: Horizon) -> i32 {
    let boldest = match horizon {
        Horizon::Plies(_) => 9,
        Horizon::End => 11,
    };
    [boldest, 15, 20, 26, 33, 10_000][selectivity as usize]
}

/// Plies of the probe for a node whose search has this horizon: about half of them, of
/// the same parity, or a third where it goes to the end of the game.
pub const fn probe_depth(empties: u32, horizon: Horizon) -> u32 {
    match horizon {
        Horizon::Plies(depth) => 2 * (depth / 4) + (depth & 1),
        Horizon::End => {
            let third = empties / 3;
            third + ((empties - third) & 1)
        }
    }
}

/// Mean and standard deviation of deep minus shallow score, in units of 1/128 disc.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spread {
    mean: i16,
    sigma: i16,
    /// Is the deep score a final one?
    end: bool,
}

impl Spread {
    /// The model's values, rounded.
    pub fn new(model: &ProbCut, empties: u32, probe: u32, horizon: Horizon) -> Spread {
        let units = |discs: f64| (discs * f64::from(Score::PER_DISC)).round() as i16;
        Spread {
            mean: units(model.mean(empties, probe, horizon)),
            sigma: units(model.sigma(empties, probe, horizon)),
            end: matches!(horizon, Horizon::End),
        }
    }

    /// By how many whole discs the shallow score must reach beyond beta, so that the deep
    /// one is at least beta as surely as `selectivity` says; negative where the shallow
    /// one is known to be too low.
    #[inline]
    pub fn above(self, selectivity: Selectivity) -> Discs {
        (self.margin(selectivity) - self.mean()).ceil_discs()
    }

    /// By how much the shallow score has to be below alpha, so that the deep one does not rise above it.
    #[inline]
    pub fn below(self, selectivity: Selectivity) -> Discs {
        (self.margin(selectivity) + self.mean()).ceil_discs()
    }

    pub(super) fn mean(self) -> Units {
        Units::new(i32::from(self.mean))
    }

    pub(super) const fn margin(self, selectivity: Selectivity) -> Units {
        let horizon = if self.end {
            Horizon::End
        } else {
            Horizon::Plies(0)
        };
        Units::new(tenths(selectivity, horizon) * self.sigma as i32 / 10)
    }
}

/// The error models that a node needs: of its probe, and of its static score.
#[derive(Clone, Copy, Default)]
pub(super) struct Spreads {
    pub(super) probe: Spread,
    pub(super) statically: Spread,
}

impl Spreads {
    fn new(model: &ProbCut, empties: u32, horizon: Horizon) -> Spreads {
        let spread = |probe| Spread::new(model, empties, probe, horizon);
        Spreads {
            probe: spread(probe_depth(empties, horizon)),
            statically: spread(0),
        }
    }
}

/// The spreads for each number of empties and each depth.
pub(super) struct ProbCutTable {
    midgame: Box<[[Spreads; ROWS]; ROWS]>,
    end: [Spreads; ROWS],
}

impl ProbCutTable {
    pub(super) fn new(model: &ProbCut) -> ProbCutTable {
        let mut midgame = Box::new([[Spreads::default(); ROWS]; ROWS]);
        let mut end = [Spreads::default(); ROWS];
        for ((row, at_end), empties) in midgame.iter_mut().zip(&mut end).zip(0..) {
            *at_end = Spreads::new(model, empties, Horizon::End);
            for depth in MIN_DEPTH_STATIC..=empties {
                row[depth as usize] = Spreads::new(model, empties, Horizon::Plies(depth));
            }
        }
        ProbCutTable { midgame, end }
    }

    /// `depth` is not used where the search goes to the end of the game.
    #[inline]
    pub(super) fn get<const END: bool>(&self, empties: u32, depth: u32) -> Spreads {
        let empties = (empties as usize).min(ROWS - 1);
        if END {
            self.end[empties]
        } else {
            self.midgame[empties][(depth as usize).min(empties)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_whole_discs_on_the_safe_side() {
        let spread = Spread {
            mean: 64,
            sigma: 128,
            end: true,
        };
        assert_eq!(spread.above(Selectivity::P73).get(), 1); // 1.1 - 0.5
        assert_eq!(spread.below(Selectivity::P73).get(), 2); // 1.1 + 0.5
        assert_eq!(spread.above(Selectivity::P95).get(), 2); // 2.0 - 0.5
        assert_eq!(spread.below(Selectivity::P95).get(), 3); // 2.0 + 0.5
    }

    #[test]
    fn a_surer_level_needs_more() {
        let spread = Spread::new(&ProbCut::default(), 30, 4, Horizon::Plies(10));
        let needs: Vec<i32> = Selectivity::ALL
            .map(|level| spread.above(level).get())
            .to_vec();
        assert!(needs.is_sorted() && needs[0] < needs[4], "{needs:?}");
        assert!(needs[5] > 128); // at full width nothing suffices
    }

    #[test]
    fn probes_have_the_parity_of_what_they_stand_for() {
        for plies in MIN_DEPTH..=60 {
            let probe = probe_depth(60, Horizon::Plies(plies));
            assert!(probe < plies && probe % 2 == plies % 2, "{plies}");
            let probe = probe_depth(plies, Horizon::End);
            assert!(probe < plies && probe % 2 == plies % 2, "{plies}");
        }
    }

    #[test]
    fn the_table_holds_the_model() {
        let model = ProbCut::default();
        let table = ProbCutTable::new(&model);
        let horizon = Horizon::Plies(12);
        let expected = Spread::new(&model, 36, probe_depth(36, horizon), horizon);
        assert_eq!(table.get::<false>(36, 12).probe, expected);
        let expected = Spread::new(&model, 24, 0, Horizon::End);
        assert_eq!(table.get::<true>(24, 24).statically, expected);
    }
}
