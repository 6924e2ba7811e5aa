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

use super::killers::Killers;
use super::limits::Selectivity;
use super::moves::{MoveEntry, MoveList, NO_MOVE, place};
use super::node::Node;
use super::observer::Observer;
use super::ordering::{self, EndgameOrder};
use super::solver::CACHED_MAX;
use super::stability;
use super::table::TableEntry;
use super::window::{Best, Interval, final_score, reply_alpha};
use super::worker::Worker;
use crate::rules::{Board, Move, Square};
use crate::score::Discs;
use crate::simd;

/// Deepest midgame search that uses no table.
const LEAF_DEPTH: i32 = 2;

/// Fewest plies at which all children are looked up before one is searched.
const ETC_DEPTH: i32 = 5;

/// More empties than the private caches reach, from which children's features are kept.
const CACHED: i32 = CACHED_MAX as i32;

impl<O: Observer> Worker<'_, O> {
    /// Is `node` worth more than `alpha` discs, `depth` plies deep?
    pub(super) fn null_window<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
    ) -> Discs {
        // 1. Near the end of the game and near the horizon others take over.
        if END && depth <= CACHED {
            return self.solve_cached(node.board, alpha);
        }
        if !END && depth <= LEAF_DEPTH {
            return self.leaf(node, depth, alpha);
        }
        // 2. The search may be over.
        self.poll();
        if self.aborted() {
            return alpha;
        }
        // 3. Stable discs may decide.
        let board = node.board;
        self.count::<END>(|layer| layer.stability_tries += 1);
        if let Some(score) = stability::cutoff(board, alpha) {
            self.count::<END>(|layer| layer.stability_cuts += 1);
            return score;
        }
        // 4. The table may.
        let entry = self.shared.known.table.probe(board);
        self.count::<END>(|layer| layer.probed(entry.is_some()));
        let decides = |entry: TableEntry| entry.decides(depth, self.selectivity, alpha);
        if let Some(score) = entry.and_then(decides) {
            self.count::<END>(|layer| layer.table_cuts += 1);
            return score;
        }
        // 5. Without a move, the other side moves or the game is over.
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            return self.pass_or_end(node, |worker, passed| {
                worker.null_window::<END>(passed, depth, reply_alpha::<END>(alpha))
            });
        }
        // 6. The static score may decide.
        if !END && let Some(score) = self.static_cutoff(node, depth, alpha) {
            return score;
        }
        // 7. The children are made.
        let mut list = MoveList::new(board, moves);
        self.solver
            .visit(list.len() as u64, || board.empty_count() - 1);
        if list.wipe_out().is_some() {
            return Discs::MAX;
        }
        // 8. One of them may be known to be good enough.
        if depth >= ETC_DEPTH
            && let Some(known) = self.children_cutoff::<END>(&list, depth, alpha)
        {
            self.note_win::<END>(board, alpha, known.square);
            return known.score;
        }
        // 9. A shallow search may decide.
        if self.selectivity < Selectivity::Full
            && let Some(score) = self.probcut::<END>(node, depth, alpha)
        {
            return score;
        }
        // 10. The moves are searched.
        let share = !END
            && self.can_split::<END>(depth, list.len())
            && self.expects_no_cut(node, alpha, entry.map(|entry| entry.bounds));
        let best = if share {
            self.share_all::<END>(node, depth, alpha, &mut list, hash_move(entry))
        } else {
            self.hash_move_first::<END>(node, depth, alpha, &mut list, hash_move(entry))
        };
        if self.aborted() {
            return alpha;
        }
        // 11. What was found is noted.
        let decides = |mv: &MoveEntry| best.score > alpha && mv.square == best.square;
        let rank = || list.as_slice().iter().position(decides);
        self.count::<END>(|layer| layer.decided_by(rank()));
        if best.score > alpha {
            self.killers::<END>().note(node, best.square);
            self.note_win::<END>(board, alpha, best.square);
        }
        self.store(board, depth, Interval::by(best.score, alpha), best.square);
        best.score
    }

    /// The principal variation of `node` with the open window `alpha..beta` (both
    /// odd if `END`): its score and, where that lies inside, its line.
    pub(super) fn pv_node<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        (alpha, beta): (Discs, Discs),
    ) -> (Discs, Vec<Move>) {
        // 1. At the horizon the evaluation speaks.
        if !END && depth <= 0 {
            return (self.horizon_score(node), Vec::new());
        }
        // 2. Without a move, the other side moves or the game is over.
        let board = node.board;
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            let mut line = Vec::new();
            let score = self.pass_or_end(node, |worker, passed| {
                let (score, tail) = worker.pv_node::<END>(passed, depth, (-beta, -alpha));
                line = before(Move::Pass, tail);
                score
            });
            return (score, line);
        }
        // 3. The table names the move to search first.
        let entry = self.shared.known.table.probe(board);
        let first = hash_move(entry);
        // 4. The moves are searched.
        let (best, line) = self.pv_moves::<END>(node, depth, (alpha, beta), moves, first);
        if self.aborted() {
            return (alpha, line);
        }
        // 5. What was found is noted.
        let bounds =
            Interval::by(best.score, alpha).and(Interval::by(best.score, beta - Discs::ONE));
        self.store(board, depth, bounds, best.square);
        (best.score, line)
    }

    /// Searches a PV node of which only `moves` may be played, `first` before the others; with `beta == alpha + 1` it is a null
    /// window. Stores nothing.
    pub(super) fn pv_moves<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        (alpha, beta): (Discs, Discs),
        moves: u64,
        first: u8,
    ) -> (Best, Vec<Move>) {
        self.poll();
        // 1. The children are made and put in order.
        let mut list = MoveList::new(node.board, moves);
        self.solver
            .visit(list.len() as u64, || node.board.empty_count() - 1);
        if let Some(mv) = list.wipe_out() {
            let (score, square) = (Discs::MAX, mv.square);
            return (Best { score, square }, vec![place(square)]);
        }
        let sorted_from = usize::from(list.bring_first(first));
        // Where free threads wait for the brothers, all are searched at once: a careful order would only delay them.
        let is_shared = !END && self.can_split::<END>(depth, list.len());
        let care = if is_shared {
            depth.min(ordering::BY_ESTIMATE)
        } else {
            depth
        };
        self.order::<END>(node, care, &mut list, sorted_from);
        list.sort_from(sorted_from);

        let is_null = beta == alpha + Discs::ONE;
        let (mut best, mut line) = (Best::NONE, Vec::new());
        let mut floor = alpha;
        let mut next = 0;
        while next < list.len() && !self.aborted() {
            // 2. Is one of those after the first better than the best so far?
            if next > 0 || is_null {
                let (found, tried) = self.brothers::<END>(node, depth, floor, &mut list, next);
                if self.aborted() {
                    break;
                }
                if found.score <= floor {
                    best.improve(found);
                    break;
                }
                if is_null || found.score >= beta {
                    return (found, vec![place(found.square)]);
                }
                // Those between are not done, if several threads have searched them.
                list.move_up(found.square, tried);
                next = tried;
            }
            // 3. How good is it?
            let mv = list.as_slice()[next];
            let child = node.follow(&mv);
            let (score, tail) = self.pv_node::<END>(&child, depth - 1, (-beta, -floor));
            let (score, square) = (-score, mv.square);
            if self.aborted() {
                break;
            }
            best.improve(Best { score, square });
            if score > floor {
                line = before(place(square), tail);
                if score >= beta {
                    break;
                }
                // Only better scores matter now; even ones are at least two discs better.
                floor = if END { score + Discs::ONE } else { score };
            }
            next += 1;
        }
        (best, line)
    }

    /// Is it likely that no move of a null-window node is better than `alpha`? The table says so, whatever the
    /// depth, or else the static score.
    fn expects_no_cut(&mut self, node: &Node, alpha: Discs, known: Option<Interval>) -> bool {
        match known.and_then(|bounds| bounds.decides(alpha)) {
            Some(score) => score <= alpha,
            None => self.static_score(node) <= alpha.units(),
        }
    }

    /// Searches all moves of a null-window node together with free threads, the hash move first.
    #[cold]
    fn share_all<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
        list: &mut MoveList,
        hash_move: u8,
    ) -> Best {
        let sorted_from = usize::from(list.bring_first(hash_move));
        self.order::<END>(node, depth, list, sorted_from);
        list.sort_from(sorted_from);
        self.split::<END>(node, depth, alpha, list.as_slice())
    }

    /// Searches the moves of a null-window node, the hash move before the others are even ordered.
    fn hash_move_first<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
        list: &mut MoveList,
        hash_move: u8,
    ) -> Best {
        let mut best = Best::NONE;
        let mut first = 0;
        if hash_move != NO_MOVE && list.bring_first(hash_move) {
            let (mv, square) = (list.as_slice()[0], hash_move);
            let score = self.brother::<END>(node, &mv, depth, alpha);
            best.improve(Best { score, square });
            if score > alpha || self.aborted() {
                return best;
            }
            first = 1;
        }
        if list.len() - first > 1 {
            self.order::<END>(node, depth, list, first);
        }
        best.improve(self.brothers::<END>(node, depth, alpha, list, first).0);
        best
    }

    /// Searches the moves from `next` on, each by a null window at `alpha`, until one is better. The best of
    /// them; and the number of the move that decided, or of the first of those that threads have searched
    /// together.
    #[inline]
    fn brothers<const END: bool>(
        &mut self,
        node: &Node,
        depth: i32,
        alpha: Discs,
        list: &mut MoveList,
        next: usize,
    ) -> (Best, usize) {
        let mut best = Best::NONE;
        for next in next..list.len() {
            if next > 0 && self.can_split::<END>(depth, list.len() - next) {
                list.sort_from(next);
                best.improve(self.split::<END>(node, depth, alpha, &list.as_slice()[next..]));
                return (best, next);
            }
            let mv = list.pick(next);
            let (score, square) = (self.brother::<END>(node, &mv, depth, alpha), mv.square);
            best.improve(Best { score, square });
            if score > alpha || self.aborted() {
                return (best, next);
            }
        }
        (best, list.len())
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
            return -self.solve_cached(mv.board, alpha);
        }
        let child = node.follow(mv);
        -self.null_window::<END>(&child, depth - 1, alpha)
    }

    /// The final score of a board of few empties, by the solver of this thread.
    #[inline]
    fn solve_cached(&mut self, board: Board, alpha: Discs) -> Discs {
        let score = self.solver.solve(board, alpha);
        self.keep_pace();
        score
    }

    /// Enhanced transposition cutoff: is some child already known to be bad enough for the opponent?
    fn children_cutoff<const END: bool>(
        &mut self,
        list: &MoveList,
        depth: i32,
        alpha: Discs,
    ) -> Option<Best> {
        self.count::<END>(|layer| layer.etc_tries += 1);
        let known = if END && depth - 1 <= CACHED {
            self.solver.children_cutoff(list.as_slice(), alpha)
        } else {
            let table = &self.shared.known.table;
            for mv in list.as_slice() {
                table.prefetch(mv.board);
            }
            list.as_slice().iter().find_map(|mv| {
                let entry = table.probe(mv.board)?;
                let (score, square) = (-entry.bounds.upper(), mv.square);
                let is_known = score > alpha && entry.covers(depth - 1, self.selectivity);
                is_known.then_some(Best { score, square })
            })
        };
        self.count::<END>(|layer| layer.etc_cuts += u64::from(known.is_some()));
        known
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
        let endgame_order = EndgameOrder::of(node.board.empties());
        for at in from..list.len() {
            let mv = &mut list.as_mut_slice()[at];
            let Some(plies) = look_ahead else {
                endgame_order.rate(mv);
                continue;
            };
            let (square, board) = (usize::from(mv.square), mv.board);
            let score = if plies == 0 {
                let score = self.reply_score(node.board, &replies, square, board);
                mv.set_estimate(score);
                score
            } else {
                self.shallow_value(&node.play(square, board), plies)
            };
            let bonus = ordering::KILLER_UNITS * killers.promise(mv.square);
            let is_isolated = endgame_order.is_isolated(square);
            let position = ordering::positional_value::<END>(board, is_isolated, plies);
            mv.value = (position - score).get() + bonus;
        }
    }

    /// Searches the passed board with `search`, or ends the game.
    #[inline]
    pub(super) fn pass_or_end(
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

    /// Notes that `board` is better than `alpha` by this move, where that is wanted and certain.
    #[inline]
    fn note_win<const END: bool>(&self, board: Board, alpha: Discs, square: u8) {
        if END && self.selectivity == Selectivity::Full {
            self.solver.note_win(board, alpha, square);
        }
    }

    /// The killer moves of such a search.
    #[inline]
    pub(super) fn killers<const END: bool>(&mut self) -> &mut Killers {
        &mut self.killers[usize::from(END)]
    }

    fn store(&self, board: Board, depth: i32, bounds: Interval, best: u8) {
        let found = TableEntry {
            bounds,
            depth: depth as u8,
            selectivity: self.selectivity,
            moves: [best, NO_MOVE],
        };
        self.shared.known.table.store(board, found);
    }

    /// The best move of `board`, if a table remembers one.
    pub(super) fn best_known_move(&self, board: Board) -> Option<Square> {
        let entry = self.shared.known.table.probe(board);
        let cached = || Square::new(u32::from(self.solver.cache.probe(board).0?.best));
        entry.and_then(TableEntry::best_move).or_else(cached)
    }

    /// Do the tables say that the final score of `board` is at most `score`?
    pub(super) fn is_at_most(&self, board: Board, score: Discs) -> bool {
        let (cached, _) = self.solver.cache.probe(board);
        let entry = self.shared.known.table.probe(board);
        let depth = board.empty_count() as i32;
        cached.is_some_and(|known| known.bounds.upper() <= score)
            || entry.is_some_and(|entry| {
                entry.bounds.upper() <= score && entry.covers(depth, Selectivity::Full)
            })
    }
}

/// The best move that the table remembers, or [`NO_MOVE`].
pub(super) fn hash_move(entry: Option<TableEntry>) -> u8 {
    entry.map_or(NO_MOVE, |entry| entry.moves[0])
}

/// A line that begins with `mv`.
fn before(mv: Move, mut line: Vec<Move>) -> Vec<Move> {
    line.insert(0, mv);
    line
}
