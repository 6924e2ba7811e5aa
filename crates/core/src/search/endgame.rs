//! The solver's lower layers: few empties, no shared table, whole games.
//!
//! - up to 4 empties: [`super::last_empties`];
//! - 5 and 6: moves by what is empty beside them, with a small private cache;
//! - 7 to [`CACHED_MAX`]: a private cache, moves by the opponent's mobility.
//!
//! Every function answers a boolean question about the final score: is it better
//! than `alpha`? `alpha` is odd, scores are even discs for the side to move. The
//! answer is a bound (fail-soft): at most the true score if above `alpha`, at
//! least the true score if not.

use super::last_empties::solve_1;
use super::moves::{MoveEntry, NO_MOVE, pick_best};
use super::observer::Observer;
use super::ordering::EndgameOrder;
use super::solver::{CACHED_MAX, EndgameSolver};
use super::stability;
use super::window::{Best, Interval, NONE, final_score};
use crate::rules::{Bitboard, Board, Square};
use crate::score::Discs;
use crate::simd;

/// Most empties of the layer that orders moves by their squares alone.
const SHALLOW_MAX: u32 = 6;

impl<O: Observer> EndgameSolver<O> {
    /// Is the final score of `board`, which has at most [`CACHED_MAX`] empties, better than `alpha`?
    #[inline]
    pub(super) fn solve(&mut self, board: Board, alpha: Discs) -> Discs {
        debug_assert!(alpha.get() & 1 != 0, "alpha must be odd");
        match board.empty_count() {
            7.. => self.cached(board, board.legal_moves().0, alpha),
            6 => self.solve_6(board, board.legal_moves().0, alpha),
            5 => self.solve_5(board, alpha),
            4 => self.solve_4(board.player, board.opponent, alpha),
            _ => self.solve_few(board, alpha),
        }
    }

    /// Up to three empties, for callers that come from above.
    fn solve_few(&mut self, board: Board, alpha: Discs) -> Discs {
        let (player, opponent) = (board.player, board.opponent);
        let mut empties = Bitboard(board.empties()).map(Square::index);
        let mut take = || empties.next().unwrap_or(0);
        match board.empty_count() {
            0 => final_score(board),
            1 => {
                self.visit(1, || 0);
                solve_1(player, take())
            }
            2 => self.solve_2(player, opponent, alpha, take(), take()),
            _ => self.solve_3(player, opponent, alpha, [take(), take(), take()]),
        }
    }

    /// 6 empties; `moves` are the legal ones.
    #[inline(never)]
    fn solve_6(&mut self, board: Board, moves: u64, alpha: Discs) -> Discs {
        self.shallow(board, alpha, |solver| {
            solver.by_squares(board, moves, alpha, EndgameSolver::solve_5)
        })
    }

    /// 5 empties.
    #[inline(never)]
    fn solve_5(&mut self, board: Board, alpha: Discs) -> Discs {
        self.shallow(board, alpha, |solver| {
            let moves = board.legal_moves().0;
            solver.by_squares(board, moves, alpha, |solver, child, alpha| {
                solver.solve_4(child.player, child.opponent, alpha)
            })
        })
    }

    /// 5 or 6 empties: by stable discs, by the cache, or by `search`.
    #[inline]
    fn shallow(
        &mut self,
        board: Board,
        alpha: Discs,
        search: impl FnOnce(&mut EndgameSolver<O>) -> Discs,
    ) -> Discs {
        self.count(|layer| layer.stability_tries += 1);
        if let Some(score) = stability::cutoff(board, alpha) {
            self.count(|layer| layer.stability_cuts += 1);
            return score;
        }
        let (known, place) = self.small_cache.probe(board);
        if let Some(score) = known.and_then(|known| known.bounds.decides(alpha)) {
            return score;
        }
        let score = search(self);
        let bounds = Interval::by(score, alpha);
        self.small_cache.store(place, board, bounds, NO_MOVE);
        score
    }

    /// 5 or 6 empties: the moves in order, each followed by `search`.
    #[inline]
    fn by_squares(
        &mut self,
        board: Board,
        moves: u64,
        alpha: Discs,
        search: impl Fn(&mut EndgameSolver<O>, Board, Discs) -> Discs,
    ) -> Discs {
        if moves == 0 {
            return self.pass(board, alpha);
        }
        let mut best = NONE;
        for square in EndgameOrder::of(board.empties()).squares(moves) {
            let flipped = simd::flips(square, board.player, board.opponent);
            let child = board.play_flips(1 << square, flipped);
            self.visit(1, || child.empty_count());
            best = best.max(-search(self, child, -alpha));
            if best > alpha {
                break;
            }
        }
        best
    }

    /// 7 to [`CACHED_MAX`] empties; `moves` are the legal ones.
    fn cached(&mut self, board: Board, moves: u64, alpha: Discs) -> Discs {
        // 1. Stable discs may decide.
        self.count(|layer| layer.stability_tries += 1);
        if let Some(score) = stability::cutoff(board, alpha) {
            self.count(|layer| layer.stability_cuts += 1);
            return score;
        }
        // 2. The cache may.
        let (known, place) = self.cache.probe(board);
        self.count(|layer| layer.probed(known.is_some()));
        if let Some(score) = known.and_then(|known| known.bounds.decides(alpha)) {
            self.count(|layer| layer.table_cuts += 1);
            return score;
        }
        // 3. Without a move, the other side moves or the game is over.
        if moves == 0 {
            return self.pass(board, alpha);
        }
        // 4. The moves are searched.
        let best = self.best_move(board, moves, alpha);
        // 5. What was found is noted.
        if best.score > alpha {
            self.note_win(board, alpha, best.square);
        } else {
            self.count(|layer| layer.decided_by(None));
        }
        let bounds = Interval::by(best.score, alpha);
        self.cache.store(place, board, bounds, best.square);
        best.score
    }

    /// The best of `moves`, or one that is better than `alpha`.
    #[inline]
    fn best_move(&mut self, board: Board, moves: u64, alpha: Discs) -> Best {
        let empties = board.empty_count();
        let order = EndgameOrder::of(board.empties());
        let mut best = Best::NONE;
        let mut tried = 0;
        let mut try_child = |solver: &mut EndgameSolver<O>, child: &MoveEntry| {
            let score = -solver.below(child.board, child.replies, -alpha, empties - 1);
            let square = child.square;
            best.improve(Best { score, square });
            if score > alpha {
                solver.count(|layer| layer.decided_by(Some(tried)));
            }
            tried += 1;
            best
        };
        // 4a. A child that leaves at most one reply is searched as soon as it is made. If it is good
        // enough, the others need not be made.
        let mut children = [MoveEntry::NONE; CACHED_MAX as usize];
        let mut count = 0;
        let mut rest = moves;
        while rest != 0 {
            let square = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let child = self.make_rated_child(board, square, order);
            if EndgameOrder::leaves_one_reply(&child) {
                let best = try_child(self, &child);
                if best.score > alpha {
                    return best;
                }
            } else {
                children[count] = child;
                count += 1;
            }
        }
        // 4b. One of the others may be known to be good enough.
        let children = &mut children[..count];
        if empties > SHALLOW_MAX + 1 {
            self.count(|layer| layer.etc_tries += 1);
            if let Some(found) = self.children_cutoff(children, alpha) {
                self.count(|layer| layer.etc_cuts += 1);
                return found;
            }
        }
        // 4c. They are searched, the most promising first.
        for next in 0..count {
            let child = pick_best(children, next);
            let best = try_child(self, &child);
            if best.score > alpha {
                return best;
            }
        }
        best
    }

    #[inline]
    fn below(&mut self, board: Board, moves: u64, alpha: Discs, empties: u32) -> Discs {
        if empties > SHALLOW_MAX {
            self.cached(board, moves, alpha)
        } else {
            self.solve_6(board, moves, alpha)
        }
    }

    #[inline]
    pub(super) fn make_child(&mut self, board: Board, square: usize) -> MoveEntry {
        self.visit(1, || board.empty_count() - 1);
        let flipped = simd::flips(square, board.player, board.opponent);
        MoveEntry::new(square, board.play_flips(1 << square, flipped))
    }

    /// The child with its replies and its value; `order` is that of `board`.
    #[inline]
    fn make_rated_child(&mut self, board: Board, square: usize, order: EndgameOrder) -> MoveEntry {
        let mut child = self.make_child(board, square);
        if board.empty_count() > SHALLOW_MAX + 1 {
            self.cache.prefetch(child.board);
        }
        order.rate(&mut child);
        child
    }

    /// All children with their replies and their values; returns how many.
    pub(super) fn make_children(
        &mut self,
        board: Board,
        moves: u64,
        children: &mut [MoveEntry; CACHED_MAX as usize],
    ) -> usize {
        let order = EndgameOrder::of(board.empties());
        let mut count = 0;
        for square in Bitboard(moves) {
            children[count] = self.make_rated_child(board, square.index(), order);
            count += 1;
        }
        count
    }

    /// Enhanced transposition cutoff: is some child already known to be bad enough for the opponent?
    #[inline]
    pub(super) fn children_cutoff(&self, children: &[MoveEntry], alpha: Discs) -> Option<Best> {
        children.iter().find_map(|child| {
            let score = -self.cache.probe(child.board).0?.bounds.upper();
            let square = child.square;
            (score > alpha).then_some(Best { score, square })
        })
    }

    /// The side to move has no move.
    #[inline(never)]
    fn pass(&mut self, board: Board, alpha: Discs) -> Discs {
        self.pass_or_end(board, alpha, EndgameSolver::solve)
    }

    /// Passes, or ends the game.
    #[inline]
    pub(super) fn pass_or_end(
        &mut self,
        board: Board,
        alpha: Discs,
        search: impl FnOnce(&mut EndgameSolver<O>, Board, Discs) -> Discs,
    ) -> Discs {
        let passed = board.pass();
        if passed.legal_moves().0 == 0 {
            return final_score(board);
        }
        self.visit(1, || passed.empty_count());
        -search(self, passed, -alpha)
    }
}
