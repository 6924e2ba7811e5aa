//! The last plies before the horizon, and searches of a few plies that order moves: without a table.

use super::moves::MoveList;
use super::node::Node;
use super::observer::Observer;
use super::ordering;
use super::window::{NONE, final_score, reply_alpha};
use super::worker::Worker;
use crate::score::{Discs, Units};
use crate::simd;

/// All 64 discs, in units of the evaluation.
const ALL_DISCS: Units = Discs::MAX.units();

impl<O: Observer> Worker<'_, O> {
    /// A null-window search of at most two plies, without the table.
    pub(super) fn leaf(&mut self, node: &Node, depth: i32, alpha: Discs) -> Discs {
        if depth <= 0 {
            return self.horizon_score(node);
        }
        let board = node.board;
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            return self.pass_or_end(node, |worker, passed| {
                worker.leaf(passed, depth, reply_alpha::<false>(alpha))
            });
        }
        let mut best = NONE;
        if depth == 1 {
            let replies = node.features.replies();
            let (first, others) = self.killers::<false>().candidates(node).split(moves);
            for square in first.chain(ordering::by_class(others)) {
                let flipped = simd::flips(square, board.player, board.opponent);
                let child = board.play_flips(1 << square, flipped);
                self.solver.visit(1, || child.empty_count());
                if child.player == 0 {
                    return Discs::MAX;
                }
                let score = -self
                    .reply_score(board, &replies, square, child)
                    .nearest_discs();
                self.solver.observer.at_horizon(child, score - alpha);
                best = best.max(score);
                if best > alpha {
                    self.killers::<false>().note(node, square as u8);
                    break;
                }
            }
            return best;
        }
        if let Some(score) = self.static_cutoff(node, depth, alpha) {
            return score;
        }
        let mut list = MoveList::new(board, moves);
        self.solver
            .visit(list.len() as u64, || board.empty_count() - 1);
        let killers = self.killers::<false>().candidates(node);
        for mv in list.as_mut_slice() {
            if mv.board.player == 0 {
                return Discs::MAX;
            }
            mv.value = ordering::leaf_value(mv.board, mv.square, killers);
        }
        for next in 0..list.len() {
            let mv = list.pick(next);
            let child = node.follow(&mv);
            best = best.max(-self.leaf(&child, depth - 1, reply_alpha::<false>(alpha)));
            if best > alpha {
                self.killers::<false>().note(node, mv.square);
                break;
            }
        }
        best
    }

    /// A value of `node` for ordering, `depth` plies deep.
    pub(super) fn shallow_value(&mut self, node: &Node, depth: i32) -> Units {
        self.alpha_beta(node, depth, -ALL_DISCS, ALL_DISCS)
    }

    /// Plain alpha-beta in units of the evaluation.
    fn alpha_beta(&mut self, node: &Node, depth: i32, alpha: Units, beta: Units) -> Units {
        if depth <= 0 {
            return self.static_score(node);
        }
        let board = node.board;
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            let passed = board.pass();
            if simd::legal_moves(passed.player, passed.opponent) == 0 {
                return final_score(board).units();
            }
            self.solver.visit(1, || passed.empty_count());
            return -self.alpha_beta(&node.pass(), depth, -beta, -alpha);
        }
        let mut list = MoveList::new(board, moves);
        self.solver
            .visit(list.len() as u64, || board.empty_count() - 1);
        if depth > 1 {
            for mv in list.as_mut_slice() {
                mv.value = -ordering::weighted_mobility(mv.board);
            }
            list.sort_from(0);
        }
        let mut best = -ALL_DISCS;
        let replies = node.features.replies();
        for mv in list.as_slice() {
            if mv.board.player == 0 {
                return ALL_DISCS;
            }
            let score = if depth > 1 {
                -self.alpha_beta(&node.follow(mv), depth - 1, -beta, -alpha.max(best))
            } else {
                -self.reply_score(board, &replies, usize::from(mv.square), mv.board)
            };
            best = best.max(score);
            if best >= beta {
                break;
            }
        }
        best
    }
}
