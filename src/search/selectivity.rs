//! Multi-ProbCut: a shallow search that is far outside the window stands for the deep one.
//!
//! M. Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta
//! Algorithm", ICCA Journal 18(2), 1995, and "Experiments with Multi-ProbCut and
//! a New High-Quality Evaluation Function for Othello", 1997.

use super::Selectivity;
use super::worker::{Node, Worker};

/// Fewest plies at which a probe is worth its cost.
const MIN_DEPTH: i32 = 3;

/// Fewest plies to the end of the game at which the solver's selective stages probe.
const MIN_DEPTH_END: i32 = 13;

/// Deepest nesting of probes.
const MAX_PROBES: u32 = 2;

/// How many standard deviations a probe must lie outside the window.
pub(super) const fn sigmas(selectivity: Selectivity) -> f64 {
    match selectivity {
        Selectivity::P73 => 1.1,
        Selectivity::P87 => 1.5,
        Selectivity::P95 => 2.0,
        Selectivity::P98 => 2.6,
        Selectivity::P99 => 3.3,
        Selectivity::Full => f64::INFINITY,
    }
}

/// Plies of the probe for a node of `depth` plies, of the same parity: about half,
/// or a third where the node's search goes to the end of the game.
const fn probe_depth(depth: i32, end: bool) -> i32 {
    if end {
        let third = depth / 3;
        third + ((depth - third) & 1)
    } else {
        2 * (depth / 4) + (depth & 1)
    }
}

/// Standard deviation, in discs, of the score at `depth` plies around that at
/// `probe` plies, with `empties` to go.
///
/// Its logarithm is fitted on full-width searches of positions from games.
fn sigma(empties: i32, depth: i32, probe: i32) -> f64 {
    let (empties, depth, probe) = (f64::from(empties), f64::from(depth), f64::from(probe));
    (1.982 - 0.0514 * empties + 0.000_562 * empties * empties + 0.3607 * (depth - probe + 1.0).ln()
        - 0.3063 * (probe + 1.0).ln())
    .exp()
}

/// The same for the final score, around that at `probe` plies.
fn sigma_end(empties: i32, probe: i32) -> f64 {
    let (empties, probe) = (f64::from(empties), f64::from(probe));
    (2.139 + 0.0056 * empties - 0.331 * (probe + 1.0).ln()).exp()
}

impl Worker<'_> {
    /// A bound that is right with the probability of the current selectivity, if
    /// a shallow search shows one.
    pub(super) fn probcut<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: i32,
    ) -> Option<i32> {
        let least = if END { MIN_DEPTH_END } else { MIN_DEPTH };
        if depth < least || self.probes >= MAX_PROBES {
            return None;
        }
        let empties = node.board.empty_count() as i32;
        let probe = probe_depth(depth, END);
        let deviation = |probe| {
            if END {
                sigma_end(empties, probe)
            } else {
                sigma(empties, depth, probe)
            }
        };
        let margin = sigmas(self.selectivity) * deviation(probe);
        let screen = sigmas(self.selectivity) * deviation(0) * 0.5;
        let static_score = self.evaluate(node);
        let beta = alpha + 1;

        let high = (f64::from(beta) + margin).ceil() as i32;
        if high < 64 && f64::from(static_score) >= f64::from(beta) + screen - margin {
            let score = self.probe(node, probe, high - 1);
            if score >= high && !self.aborted() {
                return Some(beta);
            }
        }
        let low = (f64::from(alpha) - margin).floor() as i32;
        if low > -64 && f64::from(static_score) <= f64::from(alpha) - screen + margin {
            let score = self.probe(node, probe, low);
            if score <= low && !self.aborted() {
                return Some(if END { alpha - 1 } else { alpha });
            }
        }
        None
    }

    fn probe(&mut self, node: &Node, depth: i32, alpha: i32) -> i32 {
        self.probes += 1;
        let score = self.null_window::<false>(node, depth, alpha);
        self.probes -= 1;
        score
    }
}
