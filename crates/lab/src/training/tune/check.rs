//! Are the levels of selectivity as sure as they claim?
//!
//! At each level, at least its percentage of cuts must be right. For each position, the probe
//! that the search would make is compared with the search that it replaces, both at full width, with
//! the two null windows at which the probe is just enough: the highest beta that it
//! claims to reach, and the lowest alpha that it claims not to exceed. Cuts in
//! games lie at this boundary or on the safe side of it.

use super::study::Study;
use emilia::eval::ProbCut;
use emilia::eval::probcut::Horizon;
use emilia::search::Selectivity;
use emilia::search::selectivity::{MIN_DEPTH, Spread, probe_depth};

/// Claims at one level and how many of them were wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelTally {
    /// The level.
    pub level: Selectivity,
    /// Positions with a claim.
    pub positions: u64,
    /// Claims, up to two of each position.
    pub claims: u64,
    /// Claims that the deep search refutes.
    pub failures: u64,
}

impl LevelTally {
    /// The share of claims that were wrong, in percent.
    pub fn rate(&self) -> f64 {
        100.0 * self.failures as f64 / self.claims.max(1) as f64
    }

    /// The share that is allowed, in percent.
    pub fn allowed(&self) -> f64 {
        f64::from(100 - self.level.percent())
    }

    /// Is the level as sure as it claims?
    pub fn holds(&self) -> bool {
        self.rate() <= self.allowed()
    }
}

/// The tallies of all levels that prune, over the deepest score of each of `studies`.
pub fn check(model: &ProbCut, studies: &[Study]) -> Vec<LevelTally> {
    let levels = Selectivity::ALL.into_iter();
    levels
        .filter(|&level| level < Selectivity::Full)
        .map(|level| {
            let judged = studies
                .iter()
                .filter_map(|study| judge(model, study, level));
            let claims: Vec<Vec<bool>> = judged.filter(|claims| !claims.is_empty()).collect();
            LevelTally {
                level,
                positions: claims.len() as u64,
                claims: claims.iter().flatten().count() as u64,
                failures: claims.iter().flatten().filter(|fails| **fails).count() as u64,
            }
        })
        .collect()
}

/// For each claim of the probe of `study` whether it fails; `None` without a probe.
fn judge(model: &ProbCut, study: &Study, level: Selectivity) -> Option<Vec<bool>> {
    let empties = study.board.empty_count();
    let depth = study.scores.len() as u32 - 1;
    let (horizon, deep) = match study.exact {
        Some(exact) => (Horizon::End, exact),
        None if depth < MIN_DEPTH => return None,
        None => (Horizon::Plies(depth), *study.scores.last()?),
    };
    let probe = probe_depth(empties, horizon);
    let shallow = *study.scores.get(probe as usize)?;
    let spread = Spread::new(model, empties, probe, horizon);

    let beta = reached(shallow, spread.above(level).get(), horizon);
    let alpha = reached(-shallow, spread.below(level).get(), horizon);
    let fails = [
        beta.map(|beta| deep < beta),
        alpha.map(|alpha| -deep < alpha),
    ];
    Some(fails.into_iter().flatten().collect())
}

/// The highest beta that a probe of `score` discs reaches with `margin` to spare. Before a
/// final score beta is even. None where the search would not ask: it does not expect more
/// than 63 discs of a probe.
fn reached(score: i32, margin: i32, horizon: Horizon) -> Option<i32> {
    let beta = score - margin;
    let beta = match horizon {
        Horizon::Plies(_) => beta,
        Horizon::End => beta - beta.rem_euclid(2),
    };
    (beta + margin < 64 && beta > -64).then_some(beta)
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::rules::Board;

    /// A study with a probe of `shallow` and a deepest score of `deep` discs.
    fn study(shallow: i32, deep: i32) -> Study {
        let mut scores = vec![0; 9];
        scores[4] = shallow;
        scores[8] = deep;
        Study {
            board: Board {
                player: 0xffff,
                opponent: 0xffff_0000,
            },
            scores,
            exact: None,
        }
    }

    #[test]
    fn a_claim_fails_where_the_deep_score_is_beyond_the_margin() {
        let model = ProbCut::default();
        let spread = Spread::new(&model, 32, 4, Horizon::Plies(8));
        let margin = spread.above(Selectivity::P73).get();
        assert!(margin > 0);
        let tallied = |deep| check(&model, &[study(0, deep)])[0];
        assert_eq!((tallied(-margin).claims, tallied(-margin).failures), (2, 0));
        assert_eq!(tallied(-margin - 1).failures, 1);
        assert_eq!(tallied(margin + 1).failures, 1);
    }

    #[test]
    fn rates_are_of_claims() {
        let studies: Vec<Study> = (0..10)
            .map(|n| study(0, if n == 0 { 40 } else { 0 }))
            .collect();
        for tally in check(&ProbCut::default(), &studies) {
            assert_eq!((tally.positions, tally.rate()), (10, 5.0));
            assert_eq!(tally.holds(), tally.level < Selectivity::P98);
        }
    }

    #[test]
    fn scores_before_the_end_are_even() {
        assert_eq!(reached(10, 3, Horizon::End), Some(6));
        assert_eq!(reached(10, 3, Horizon::Plies(8)), Some(7));
        assert_eq!(reached(-10, 3, Horizon::End), Some(-14));
        assert_eq!(reached(64, 3, Horizon::Plies(8)), None);
        assert_eq!(reached(-60, 5, Horizon::Plies(8)), None);
    }
}
