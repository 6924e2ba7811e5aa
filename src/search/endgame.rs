//! The solver's lower layers: few empties, no shared table, whole games.
//!
//! - up to 4 empties: [`super::last_empties`];
//! - 5 and 6: moves by parity, no table;
//! - 7 to [`CACHED_MAX`]: a private cache, moves by the opponent's mobility.
//!
//! Every function answers a boolean question about the final score: is it better
//! than `alpha`? `alpha` is odd, scores are even discs for the side to move. The
//! answer is a bound (fail-soft): at most the true score if above `alpha`, at
//! least the true score if not.

use super::cache::EndgameCache;
use super::counters::{Counters, Counts};
use super::last_empties::{NONE, final_score, odd_quadrants};
use super::moves::MoveEntry;
use super::ordering::{self, CORNERS};
use super::stability;
use super::table::NO_MOVE;
use crate::rules::Board;
use crate::score::Discs;
use crate::simd;

/// Most empties of the layer without a table.
const SHALLOW_MAX: u32 = 6;

/// Most empties of the layer with the private cache; above it stands the shared table.
pub(super) const CACHED_MAX: u32 = 11;

/// One thread's solver for few empties: its node counter and its cache.
pub(super) struct EndgameSolver<C> {
    /// Boards reached by a move or a pass, since the counter was last reset.
    pub(super) nodes: u64,
    pub(super) cache: EndgameCache,
    pub(super) counters: C,
}

impl<C: Counters> EndgameSolver<C> {
    /// A solver with an empty cache; `None` where there is no memory for that.
    pub(super) fn new() -> Option<EndgameSolver<C>> {
        Some(EndgameSolver {
            nodes: 0,
            cache: EndgameCache::new()?,
            counters: C::default(),
        })
    }

    /// Counts `nodes` boards that have this many empties.
    #[inline(always)]
    pub(super) fn visit(&mut self, nodes: u64, empties: impl FnOnce() -> u32) {
        self.nodes += nodes;
        self.count(|counts| counts.add_nodes(nodes, empties()));
    }

    /// Counts something, if counting is on.
    #[inline(always)]
    pub(super) fn count(&mut self, note: impl FnOnce(&mut Counts)) {
        if let Some(counts) = self.counters.counts() {
            note(counts);
        }
    }

    /// Is the final score of `board`, which has at most [`CACHED_MAX`] empties, better than `alpha`?
    #[inline]
    pub(super) fn solve(&mut self, board: Board, alpha: Discs) -> Discs {
        debug_assert!(alpha.get() & 1 != 0, "alpha must be odd");
        match board.empty_count() {
            empties @ 7.. => self.cached(board, alpha, empties),
            5..=SHALLOW_MAX => self.shallow(board, alpha),
            4 => self.solve_4(board.player, board.opponent, alpha),
            _ => self.solve_few(board, alpha),
        }
    }

    /// Up to three empties, for callers that come from above.
    fn solve_few(&mut self, board: Board, alpha: Discs) -> Discs {
        let mut squares = board.empties();
        let mut take = || {
            let square = squares.trailing_zeros() as usize & 63;
            squares &= squares.wrapping_sub(1);
            square
        };
        match board.empty_count() {
            0 => final_score(board),
            1 => {
                self.visit(1, || 0);
                super::last_empties::solve_1(board.player, take())
            }
            2 => {
                let (a, b) = (take(), take());
                self.solve_2(board.player, board.opponent, alpha, a, b)
            }
            _ => {
                let order = [take(), take(), take()];
                self.solve_3(board.player, board.opponent, alpha, order)
            }
        }
    }

    /// 5 or 6 empties.
    fn shallow(&mut self, board: Board, alpha: Discs) -> Discs {
        self.count(|counts| counts.solver.stability_tries += 1);
        if let Some(score) = stability::cutoff(board, alpha) {
            self.count(|counts| counts.solver.stability_cuts += 1);
            return score;
        }
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            return self.pass_or_end(board, alpha, EndgameSolver::<C>::shallow);
        }
        let odd = odd_quadrants(board.empties());
        let five = board.empty_count() == 5;
        let mut best = NONE;
        for group in [
            moves & odd & CORNERS,
            moves & odd & !CORNERS,
            moves & !odd & CORNERS,
            moves & !odd & !CORNERS,
        ] {
            let mut group = group;
            while group != 0 {
                let square = group.trailing_zeros() as usize;
                group &= group - 1;
                let flipped = simd::flips(square, board.player, board.opponent);
                let child = board.play_flips(1 << square, flipped);
                self.visit(1, || child.empty_count());
                let score = if five {
                    -self.solve_4(child.player, child.opponent, -alpha)
                } else {
                    -self.shallow(child, -alpha)
                };
                best = best.max(score);
                if best > alpha {
                    return best;
                }
            }
        }
        best
    }

    /// 7 to [`CACHED_MAX`] empties.
    fn cached(&mut self, board: Board, alpha: Discs, empties: u32) -> Discs {
        self.count(|counts| counts.solver.stability_tries += 1);
        if let Some(score) = stability::cutoff(board, alpha) {
            self.count(|counts| counts.solver.stability_cuts += 1);
            return score;
        }
        let place = self.cache.place(board);
        let mut hash_move = NO_MOVE;
        self.count(|counts| counts.solver.table_probes += 1);
        if let Some(known) = self.cache.probe_at(place, board) {
            self.count(|counts| counts.solver.table_hits += 1);
            if known.lower() > alpha {
                self.count(|counts| counts.solver.table_cuts += 1);
                return known.lower();
            }
            if known.upper() <= alpha {
                self.count(|counts| counts.solver.table_cuts += 1);
                return known.upper();
            }
            hash_move = known.best;
        }
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            return self.pass_or_end(board, alpha, |solver, board, alpha| {
                solver.cached(board, alpha, empties)
            });
        }

        let mut best = NONE;
        let mut best_square = NO_MOVE;
        if moves & (moves - 1) == 0 {
            let child = self.make_child(board, moves.trailing_zeros() as usize);
            best = -self.below(child.board, -alpha, empties - 1);
            best_square = child.square;
            if best > alpha {
                self.count(|counts| counts.solver.cut_by(0));
            }
        } else {
            let mut children = [MoveEntry::NONE; CACHED_MAX as usize];
            let count = self.make_children(board, moves, hash_move, &mut children);
            let children = &mut children[..count];
            if empties > SHALLOW_MAX + 1 {
                self.count(|counts| counts.solver.etc_tries += 1);
                if let Some(score) = self.children_cutoff(children, alpha) {
                    self.count(|counts| counts.solver.etc_cuts += 1);
                    return score;
                }
            }
            for next in 0..count {
                let child = pick_best(children, next);
                let score = -self.below(child.board, -alpha, empties - 1);
                if score > best {
                    best = score;
                    best_square = child.square;
                    if best > alpha {
                        self.count(|counts| counts.solver.cut_by(next));
                        break;
                    }
                }
            }
        }
        if best <= alpha {
            self.count(|counts| counts.solver.uncut += 1);
        }
        let bounds = if best > alpha {
            (best, Discs::MAX)
        } else {
            (Discs::MIN, best)
        };
        self.cache.store_at(place, board, bounds, best_square);
        best
    }

    #[inline]
    fn below(&mut self, board: Board, alpha: Discs, empties: u32) -> Discs {
        if empties > SHALLOW_MAX {
            self.cached(board, alpha, empties)
        } else {
            self.shallow(board, alpha)
        }
    }

    #[inline]
    pub(super) fn make_child(&mut self, board: Board, square: usize) -> MoveEntry {
        self.visit(1, || board.empty_count() - 1);
        let flipped = simd::flips(square, board.player, board.opponent);
        MoveEntry {
            board: board.play_flips(1 << square, flipped),
            square: square as u8,
            value: 0,
        }
    }

    /// All children with their values for ordering; returns how many.
    #[inline]
    pub(super) fn make_children(
        &mut self,
        board: Board,
        moves: u64,
        hash_move: u8,
        children: &mut [MoveEntry; CACHED_MAX as usize],
    ) -> usize {
        let odd = odd_quadrants(board.empties());
        let mut count = 0;
        let mut moves = moves;
        while moves != 0 {
            let square = moves.trailing_zeros() as usize;
            moves &= moves - 1;
            let mut child = self.make_child(board, square);
            child.value = if child.square == hash_move {
                i32::MAX
            } else {
                ordering::endgame_value(child.board, square, odd)
            };
            children[count] = child;
            count += 1;
        }
        count
    }

    /// Enhanced transposition cutoff: is some child already known to be bad enough for the opponent?
    #[inline]
    fn children_cutoff(&self, children: &[MoveEntry], alpha: Discs) -> Option<Discs> {
        let known = |child: &MoveEntry| Some(-self.cache.probe(child.board)?.upper());
        children
            .iter()
            .filter_map(known)
            .find(|&score| score > alpha)
    }

    /// Passes, or ends the game.
    #[inline]
    pub(super) fn pass_or_end(
        &mut self,
        board: Board,
        alpha: Discs,
        search: impl FnOnce(&mut EndgameSolver<C>, Board, Discs) -> Discs,
    ) -> Discs {
        let passed = board.pass();
        if simd::legal_moves(passed.player, passed.opponent) == 0 {
            return final_score(board);
        }
        self.visit(1, || passed.empty_count());
        -search(self, passed, -alpha)
    }
}

/// Brings the most promising of `children[next..]` to `next`.
#[inline]
pub(super) fn pick_best(children: &mut [MoveEntry], next: usize) -> MoveEntry {
    let mut best = next;
    for other in next + 1..children.len() {
        if children[other].value > children[best].value {
            best = other;
        }
    }
    children.swap(next, best);
    children[next]
}
