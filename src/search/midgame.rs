//! The upper layers of a search: null-window and principal-variation nodes with
//! the shared table.
//!
//! `END` says that the search goes to the end of the game (`depth` = number of
//! empties). Then scores are even, every `alpha` is odd, and "better than
//! `alpha`" is answered by the opponent's "better than `-alpha`?". Otherwise
//! `depth` plies are left to the static evaluation, scores are whole discs, and
//! the opponent's null window begins at `-alpha - 1`.
//!
//! All scores are discs for the side to move, as bounds (fail-soft).

use super::Selectivity;
use super::killers::Killers;
use super::moves::{MoveEntry, MoveList, NO_MOVE, place};
use super::node::Node;
use super::observer::Observer;
use super::ordering::{self, Regions};
use super::solver::CACHED_MAX;
use super::stability;
use super::table::{Entry, Finding};
use super::window::{NONE, bounds, final_score, reply_alpha};
use super::worker::Worker;
use crate::rules::{Board, Move, Square};
use crate::score::{Discs, Units};
use crate::simd;

/// Deepest midgame search that uses no table.
const LEAF_DEPTH: i32 = 2;

/// Fewest plies at which all children are looked up before one is searched.
const ETC_DEPTH: i32 = 5;

/// More empties than the private caches reach, from which children's features are kept.
const CACHED: i32 = CACHED_MAX as i32;

/// All 64 discs, in units of the evaluation.
const ALL_DISCS: Units = Discs::MAX.units();

impl<O: Observer> Worker<'_, O> {
    /// Is `node` worth more than `alpha` discs, `depth` plies deep?
    pub(super) fn null_window<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
    ) -> Discs {
        if END && depth <= CACHED {
            return self.solver.solve(node.board, alpha);
        }
        if !END && depth <= LEAF_DEPTH {
            return self.leaf(node, depth, alpha);
        }
        self.poll();
        if self.aborted() {
            return alpha;
        }
        let board = node.board;
        let solver = &mut *self.solver;
        solver.count(|counts| counts.upper::<END>().stability_tries += 1);
        if let Some(score) = stability::cutoff(board, alpha) {
            solver.count(|counts| counts.upper::<END>().stability_cuts += 1);
            return score;
        }
        let entry = self.shared.known.table.probe(board);
        solver.count(|counts| {
            let layer = counts.upper::<END>();
            layer.table_probes += 1;
            layer.table_hits += u64::from(entry.is_some());
        });
        if let Some(score) = entry.and_then(|entry| entry.decides(depth, self.selectivity, alpha)) {
            solver.count(|counts| counts.upper::<END>().table_cuts += 1);
            return score;
        }
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            return self.pass_or_end(node, |worker, passed| {
                worker.null_window::<END>(passed, depth, reply_alpha::<END>(alpha))
            });
        }
        if !END && let Some(score) = self.static_cutoff(node, depth, alpha) {
            return score;
        }
        let mut list = MoveList::new(board, moves);
        self.solver
            .visit(list.len() as u64, || board.empty_count() - 1);
        if list.wipe_out().is_some() {
            return Discs::MAX;
        }
        if depth >= ETC_DEPTH
            && let Some((score, square)) = self.children_cutoff::<END>(&list, depth, alpha)
        {
            let solver = &mut *self.solver;
            solver.count(|counts| counts.upper::<END>().etc_cuts += 1);
            self.note_win::<END>(board, alpha, square);
            return score;
        }
        if self.selectivity < Selectivity::Full
            && let Some(score) = self.probcut::<END>(node, depth, alpha)
        {
            let solver = &mut *self.solver;
            solver.count(|counts| counts.upper::<END>().probcut_cuts += 1);
            return score;
        }

        let hash_move = entry.map_or(NO_MOVE, |entry| entry.moves[0]);
        let (best, square) = self.search_brothers::<END>(node, depth, alpha, &mut list, hash_move);
        if self.aborted() {
            return alpha;
        }
        self.solver.count(|counts| {
            let layer = counts.upper::<END>();
            let moves = list.as_slice();
            match moves.iter().position(|mv| mv.square == square) {
                Some(rank) if best > alpha => layer.cut_by(rank),
                _ => layer.uncut += 1,
            }
        });
        if best > alpha {
            self.killers::<END>().note(node, square);
            self.note_win::<END>(board, alpha, square);
        }
        let (lower, upper) = bounds(best, alpha);
        self.store(board, depth, lower, upper, square);
        best
    }

    /// Notes that `board` is better than `alpha` by this move, where that is wanted and certain.
    #[inline]
    fn note_win<const END: bool>(&self, board: Board, alpha: Discs, square: u8) {
        if END && self.selectivity == Selectivity::Full {
            self.solver.note_win(board, alpha, square);
        }
    }

    /// The killer moves of such a search.
    #[inline]
    fn killers<const END: bool>(&mut self) -> &mut Killers {
        &mut self.killers[usize::from(END)]
    }

    /// Searches the moves of a null-window node, the hash move before the others are even ordered.
    fn search_brothers<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
        list: &mut MoveList,
        hash_move: u8,
    ) -> (Discs, u8) {
        let mut best = (NONE, NO_MOVE);
        let mut first = 0;
        if hash_move != NO_MOVE && list.bring_first(hash_move) {
            let mv = list.as_slice()[0];
            best = (self.brother::<END>(node, &mv, depth, alpha), mv.square);
            if best.0 > alpha || self.aborted() {
                return best;
            }
            first = 1;
        }
        if list.len() - first > 1 {
            self.order::<END>(node, depth, list, first);
        }
        for next in first..list.len() {
            if next > 0 && self.can_split::<END>(depth, list.len() - next) {
                list.sort_from(next);
                let found = self.split::<END>(node, depth, alpha, &list.as_slice()[next..]);
                return if found.0 > best.0 { found } else { best };
            }
            let mv = list.pick(next);
            let score = self.brother::<END>(node, &mv, depth, alpha);
            if score > best.0 {
                best = (score, mv.square);
                if score > alpha {
                    break;
                }
            }
            if self.aborted() {
                break;
            }
        }
        best
    }

    /// The score of one move of `node`, by a null window at `alpha`.
    #[inline]
    pub(super) fn brother<const END: bool>(
        &mut self,
        node: &Node,
        mv: &MoveEntry,
        depth: i32,
        alpha: Discs,
    ) -> Discs {
        let alpha = reply_alpha::<END>(alpha);
        if END && depth - 1 <= CACHED {
            return -self.solver.solve(mv.board, alpha);
        }
        let child = node.follow(mv);
        -self.null_window::<END>(&child, depth - 1, alpha)
    }

    /// Enhanced transposition cutoff: is some child already known to be bad enough for the opponent?
    /// Its score and its square.
    fn children_cutoff<const END: bool>(
        &mut self,
        list: &MoveList,
        depth: i32,
        alpha: Discs,
    ) -> Option<(Discs, u8)> {
        self.solver
            .count(|counts| counts.upper::<END>().etc_tries += 1);
        if END && depth - 1 <= CACHED {
            return self.solver.children_cutoff(list.as_slice(), alpha);
        }
        let table = &self.shared.known.table;
        for mv in list.as_slice() {
            table.prefetch(mv.board);
        }
        list.as_slice().iter().find_map(|mv| {
            let entry = table.probe(mv.board)?;
            let score = -entry.upper();
            let is_known = score > alpha && entry.covers(depth - 1, self.selectivity);
            is_known.then_some((score, mv.square))
        })
    }

    /// The principal variation of `node` with the open window `alpha..beta` (both
    /// odd if `END`); `line` receives it where the score lies inside. With
    /// `beta == alpha + 1` it is a null window.
    pub(super) fn pv_node<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
        beta: Discs,
        line: &mut Vec<Move>,
    ) -> Discs {
        line.clear();
        if !END && depth <= 0 {
            return self.horizon_score(node);
        }
        let board = node.board;
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            let mut tail = Vec::new();
            let mut passed_on = false;
            let score = self.pass_or_end(node, |worker, passed| {
                passed_on = true;
                worker.pv_node::<END>(passed, depth, -beta, -alpha, &mut tail)
            });
            if passed_on {
                line.push(Move::Pass);
                line.append(&mut tail);
            }
            return score;
        }
        let entry = self.shared.known.table.probe(board);
        let hash_move = entry.map_or(NO_MOVE, |entry| entry.moves[0]);
        let found = self.pv_moves::<END>(node, depth, (alpha, beta), moves, hash_move, line);
        if self.aborted() {
            return alpha;
        }
        let (best, square) = found;
        let lower = if best > alpha { best } else { Discs::MIN };
        let upper = if best < beta { best } else { Discs::MAX };
        self.store(board, depth, lower, upper, square);
        best
    }

    /// The same for only the `moves` of `node`, `first` before the others. Stores nothing.
    pub(super) fn pv_moves<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        (alpha, beta): (Discs, Discs),
        moves: u64,
        first: u8,
        line: &mut Vec<Move>,
    ) -> (Discs, u8) {
        self.poll();
        let is_null = beta == alpha + Discs::ONE;
        let mut list = MoveList::new(node.board, moves);
        self.solver
            .visit(list.len() as u64, || node.board.empty_count() - 1);
        if let Some(mv) = list.wipe_out() {
            line.clear();
            line.push(place(mv.square));
            return (Discs::MAX, mv.square);
        }
        let sorted_from = usize::from(list.bring_first(first));
        self.order::<END>(node, depth, &mut list, sorted_from);
        list.sort_from(sorted_from);

        let mut best = (NONE, NO_MOVE);
        let mut floor = alpha;
        let mut tail = Vec::new();
        let mut next = 0;
        while next < list.len() && !self.aborted() {
            let mut mv = list.as_slice()[next];
            if next > 0 || is_null {
                // Is it better than the best so far?
                let score = if next > 0 && self.can_split::<END>(depth, list.len() - next) {
                    let found = self.split::<END>(node, depth, floor, &list.as_slice()[next..]);
                    let at = list.as_slice().iter().position(|mv| mv.square == found.1);
                    if let Some(at) = at {
                        mv = list.as_slice()[at];
                    }
                    if found.0 <= floor {
                        next = list.len();
                    } else if let Some(at) = at {
                        // Search it now; the others between are not done.
                        list.as_mut_slice()[next..=at].rotate_right(1);
                    }
                    found.0
                } else {
                    self.brother::<END>(node, &mv, depth, floor)
                };
                if self.aborted() {
                    break;
                }
                if score <= floor {
                    best = if score > best.0 {
                        (score, mv.square)
                    } else {
                        best
                    };
                    next += 1;
                    continue;
                }
                if is_null || score >= beta {
                    best = (score, mv.square);
                    line.clear();
                    line.push(place(mv.square));
                    break;
                }
            }
            let child = node.follow(&mv);
            let score = -self.pv_node::<END>(&child, depth - 1, -beta, -floor, &mut tail);
            if self.aborted() {
                break;
            }
            if score > best.0 {
                best = (score, mv.square);
            }
            if score > floor {
                line.clear();
                line.push(place(mv.square));
                line.append(&mut tail);
                if score >= beta {
                    break;
                }
                // Only better scores matter now; even ones are at least two discs better.
                floor = if END { score + Discs::ONE } else { score };
            }
            next += 1;
        }
        best
    }

    /// Searches the passed board with `search`, or ends the game.
    #[inline]
    fn pass_or_end(
        &mut self,
        node: &Node,
        search: impl FnOnce(&mut Self, &Node) -> Discs,
    ) -> Discs {
        let passed = node.board.pass();
        if simd::legal_moves(passed.player, passed.opponent) == 0 {
            return final_score(node.board);
        }
        self.solver.visit(1, || passed.empty_count());
        -search(self, &node.pass())
    }

    /// The best move of `board`, if a table remembers one.
    pub(super) fn best_known_move(&self, board: Board) -> Option<Square> {
        let known = || Square::new(u32::from(self.solver.cache.probe(board)?.best));
        self.shared
            .known
            .table
            .probe(board)
            .and_then(Entry::best_move)
            .or_else(known)
    }

    /// Do the tables say that the final score of `board` is at most `score`?
    pub(super) fn is_at_most(&self, board: Board, score: Discs) -> bool {
        let cached = self.solver.cache.probe(board);
        if cached.is_some_and(|known| known.upper() <= score) {
            return true;
        }
        let depth = board.empty_count() as i32;
        self.shared
            .known
            .table
            .probe(board)
            .is_some_and(|entry| entry.upper() <= score && entry.covers(depth, Selectivity::Full))
    }

    fn store(&self, board: Board, depth: i32, lower: Discs, upper: Discs, best: u8) {
        let finding = Finding {
            depth,
            selectivity: self.selectivity,
            lower,
            upper,
            best,
        };
        self.shared.known.table.store(board, finding);
    }

    /// A null-window search of at most [`LEAF_DEPTH`] plies, without the table.
    fn leaf(&mut self, node: &Node, depth: i32, alpha: Discs) -> Discs {
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

    /// Gives the moves from `from` on their values for ordering.
    fn order<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        list: &mut MoveList,
        from: usize,
    ) {
        let look_ahead = ordering::look_ahead::<END>(depth);
        let killers = self.killers::<END>().candidates(node);
        let replies = node.features.replies();
        let regions = Regions::of(node.board);
        for at in from..list.len() {
            let mv = list.as_slice()[at];
            let square = usize::from(mv.square);
            let value = match look_ahead {
                None => {
                    let replies = mv.board.legal_moves().0;
                    ordering::endgame_value(mv.board, replies, square, regions)
                }
                Some(plies) => {
                    let score = if plies == 0 {
                        let score = self.reply_score(node.board, &replies, square, mv.board);
                        list.as_mut_slice()[at].set_estimate(score);
                        score
                    } else {
                        self.shallow_value(&node.play(square, mv.board), plies)
                    };
                    let bonus = ordering::KILLER_UNITS * killers.promise(mv.square);
                    let position =
                        ordering::positional_value::<END>(mv.board, square, regions, plies);
                    (position - score).get() + bonus
                }
            };
            list.as_mut_slice()[at].value = value;
        }
    }

    /// A value of `node` for ordering, `depth` plies deep.
    fn shallow_value(&mut self, node: &Node, depth: i32) -> Units {
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
