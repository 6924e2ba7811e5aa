//! Hints: all moves of one iteration together, the best first.
//!
//! NBoard discards hints whose depth differs from that of the last one, so the
//! moves of an iteration are kept until the last of them is known.

use crate::search::Info;

/// The lines of one iteration, as far as they are known.
#[derive(Clone, Debug)]
pub(super) struct Gatherer {
    /// Lines of one iteration, at least 1.
    count: usize,
    lines: Vec<Info>,
    /// The depth and selectivity of the iteration that was reported last.
    reported: Option<(u32, u32)>,
}

impl Gatherer {
    /// For a search that reports `count` lines.
    pub(super) const fn new(count: usize) -> Gatherer {
        Gatherer {
            count,
            lines: Vec::new(),
            reported: None,
        }
    }

    /// Takes a line; returns all lines of its iteration if it is the last one. Long iterations
    /// repeat lines, which are ignored.
    pub(super) fn add(&mut self, info: &Info) -> Option<Vec<Info>> {
        let iteration = stage(info);
        if self.reported == Some(iteration) {
            return None;
        }
        let mut gathered = self.lines.first().map(stage);
        if info.multipv == 1 && gathered.is_some_and(|stage| stage != iteration) {
            self.lines.clear();
            gathered = None;
        }
        let fits = gathered.is_none_or(|stage| stage == iteration);
        if !fits || info.multipv != self.lines.len() + 1 {
            return None;
        }
        self.lines.push(info.clone());
        if self.lines.len() < self.count {
            return None;
        }
        self.reported = Some(iteration);
        let mut lines = std::mem::take(&mut self.lines);
        // The sort is stable: of equal moves the one that was better before stays first.
        lines.sort_by_key(|line| std::cmp::Reverse(line.score));
        Some(lines)
    }
}

fn stage(info: &Info) -> (u32, u32) {
    (info.depth, info.selectivity.percent())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::score::Score;
    use crate::search::{Bound, Proof, Selectivity};

    fn info(depth: u32, multipv: usize, discs: i32) -> Info {
        Info {
            depth,
            selectivity: Selectivity::P73,
            multipv,
            score: Score::from_discs(discs),
            unrounded: Score::from_discs(discs),
            minimax: Score::from_discs(discs),
            bound: Bound::Exact,
            proof: Proof::None,
            nodes: 1,
            time: Duration::ZERO,
            hashfull: 0,
            pv: Vec::new(),
        }
    }

    fn reported(gatherer: &mut Gatherer, info: &Info) -> Option<Vec<i32>> {
        let lines = gatherer.add(info)?;
        Some(lines.iter().map(|line| line.score.discs()).collect())
    }

    #[test]
    fn moves_of_an_iteration_come_together_the_best_first() {
        let mut gatherer = Gatherer::new(3);
        assert_eq!(reported(&mut gatherer, &info(1, 1, 2)), None);
        assert_eq!(reported(&mut gatherer, &info(1, 2, 6)), None);
        assert_eq!(reported(&mut gatherer, &info(1, 3, 4)), Some(vec![6, 4, 2]));
    }

    #[test]
    fn repeated_lines_are_ignored() {
        let mut gatherer = Gatherer::new(2);
        for known in [info(1, 1, 2), info(1, 1, 2)] {
            assert_eq!(reported(&mut gatherer, &known), None);
        }
        assert_eq!(reported(&mut gatherer, &info(1, 2, 0)), Some(vec![2, 0]));
        for known in [info(1, 2, 0), info(1, 1, 2), info(1, 2, 0)] {
            assert_eq!(reported(&mut gatherer, &known), None);
        }
    }

    #[test]
    fn an_iteration_that_was_cut_short_is_not_reported() {
        let mut gatherer = Gatherer::new(2);
        assert_eq!(reported(&mut gatherer, &info(1, 1, 2)), None);
        assert_eq!(reported(&mut gatherer, &info(2, 1, 3)), None);
        assert_eq!(reported(&mut gatherer, &info(1, 2, 2)), None);
        assert_eq!(reported(&mut gatherer, &info(2, 2, 1)), Some(vec![3, 1]));
    }
}
