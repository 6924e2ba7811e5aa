//! Multi-ProbCut: a shallow search whose score is far outside the window replaces the deep one.
//!
//! M. Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta
//! Algorithm", ICCA Journal 18(2), 1995, and "Experiments with Multi-ProbCut and
//! a New High-Quality Evaluation Function for Othello", 1997.

use super::limits::Selectivity;
use super::node::Node;
use super::observer::Observer;
use super::selectivity::{MIN_DEPTH, MIN_DEPTH_END, MIN_DEPTH_STATIC, probe_depth};
use super::worker::Worker;
use crate::eval::probcut::Horizon;
use crate::rules::Board;
use crate::score::Discs;

/// Deepest nesting of probes.
const MAX_PROBES: u32 = 2;

/// A probe is tried where the static score, too, lies beyond the window: by so much of the
/// margin with which it could decide alone, less the margin of the probe.
const SCREEN_PERCENT: i32 = 85;

/// By how much of the margin of a probe of no plies the static score then lies outside the window. At
/// [`MIN_DEPTH_STATIC`] this saves most.
const FIRST_STATIC_PERCENT: i32 = 180;

/// By how much at more plies, where a probe costs little more.
const STATIC_PERCENT: i32 = 330;

/// A side with at most so many discs, and with at most a quarter of the other's, may be wiped
/// out, which no estimate foresees.
const FEW_DISCS: u32 = 5;

/// Must `board` be searched, because one side has nearly no discs?
#[inline]
fn is_lopsided(board: Board) -> bool {
    let (player, opponent) = (board.player.count_ones(), board.opponent.count_ones());
    let (few, many) = (player.min(opponent), player.max(opponent));
    few <= FEW_DISCS && 4 * few <= many
}

impl<O: Observer> Worker<'_, O> {
    /// A bound from the static score of `node`, where that lies far outside the window: before the
    /// horizon only, at [`MIN_DEPTH_STATIC`] plies and more, not in a search to the end of the game.
    #[inline]
    pub(super) fn static_cutoff(&mut self, node: &Node, depth: i32, alpha: Discs) -> Option<Discs> {
        let level = self.selectivity;
        if level == Selectivity::Full || is_lopsided(node.board) {
            return None;
        }
        let (empties, plies) = (node.board.empty_count(), depth as u32);
        let spread = self
            .shared
            .known
            .probcut
            .get::<false>(empties, plies)
            .statically;
        let percent = if plies == MIN_DEPTH_STATIC {
            FIRST_STATIC_PERCENT
        } else {
            STATIC_PERCENT
        };
        let margin = spread.margin(level).percent(percent);
        let likely = self.static_score(node) + spread.mean();
        let beta = alpha + Discs::ONE;
        let score = if likely - beta.units() >= margin {
            beta
        } else if alpha.units() - likely >= margin {
            alpha
        } else {
            return None;
        };
        self.count::<false>(|layer| layer.static_cuts += 1);
        Some(score)
    }

    /// A bound that is right with the probability of the current selectivity, if
    /// a shallow search shows one.
    pub(super) fn probcut<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
    ) -> Option<Discs> {
        let (plies, least) = (depth as u32, if END { MIN_DEPTH_END } else { MIN_DEPTH });
        if plies < least || self.probes >= MAX_PROBES || is_lopsided(node.board) {
            return None;
        }
        let empties = node.board.empty_count();
        let horizon = if END {
            Horizon::End
        } else {
            Horizon::Plies(plies)
        };
        let probe = probe_depth(empties, horizon) as i32;
        let spreads = self.shared.known.probcut.get::<END>(empties, plies);
        let level = self.selectivity;
        let doubt = spreads.statically.margin(level).percent(SCREEN_PERCENT);
        let likely = self.static_score(node) + spreads.statically.mean();
        let beta = alpha + Discs::ONE;

        let high = beta + spreads.probe.above(level);
        if high < Discs::MAX && likely - beta.units() >= doubt - spreads.probe.margin(level) {
            let score = self.probe::<END>(node, probe, high - Discs::ONE);
            if score >= high && !self.aborted() {
                self.count::<END>(|layer| layer.probcut_cuts += 1);
                return Some(beta);
            }
        }
        let low = alpha - spreads.probe.below(level);
        if low > Discs::MIN && alpha.units() - likely >= doubt - spreads.probe.margin(level) {
            let score = self.probe::<END>(node, probe, low);
            if score <= low && !self.aborted() {
                self.count::<END>(|layer| layer.probcut_cuts += 1);
                return Some(if END { alpha - Discs::ONE } else { alpha });
            }
        }
        None
    }

    fn probe<const END: bool>(&mut self, node: &Node, depth: i32, alpha: Discs) -> Discs {
        self.count::<END>(|layer| layer.probcut_probes += 1);
        self.probes += 1;
        let score = self.null_window::<false>(node, depth, alpha);
        self.probes -= 1;
        score
    }
}
