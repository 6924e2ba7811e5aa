//! The root of a search by many threads in play: null-window questions alone, whose trees have no chain of PV nodes
//! that have to wait for each other (MTD(f), Plaat 1996). The line of play then comes from the table.

use super::deepening::{Deepening, INFINITE, Iteration};
use super::midgame::hash_move;
use super::moves::{NO_MOVE, place};
use super::observer::Observer;
use super::report::Bound;
use crate::rules::Move;
use crate::score::Discs;

/// Plies of the search for the next moves of a line that the table does not know.
const COMPLETED_BY: i32 = 4;

impl<O: Observer> Deepening<'_, '_, O> {
    /// The score of the best of `moves` by questions whether it is at least so much, the first at `guess`.
    /// `None`: aborted.
    pub(super) fn test(
        &mut self,
        depth: i32,
        moves: u64,
        rank: usize,
        guess: Discs,
    ) -> Option<Iteration> {
        let (mut low, mut high) = (Discs::MIN, Discs::MAX);
        let mut asked = guess.clamp(low, high);
        let mut pv = Vec::new();
        while low < high {
            let below = asked - Discs::ONE;
            let Some((score, line)) = self.search::<false>(depth, (below, asked), moves, rank)
            else {
                // What a question before this one has found stands.
                if low > Discs::MIN && self.unfinished.is_none() {
                    let (score, bound) = (low, Bound::Lower);
                    self.unfinished = Some((depth, Iteration { score, bound, pv }));
                }
                return None;
            };
            if score >= asked {
                low = score.clamp(asked, Discs::MAX);
                // Selective results can contradict each other.
                high = high.max(low);
                pv = line;
                asked = low + Discs::ONE;
            } else {
                high = score.clamp(Discs::MIN, below);
                low = low.min(high);
                if pv.is_empty() {
                    pv = line;
                }
                asked = high;
            }
        }
        let (score, bound) = (low, Bound::Exact);
        let pv = pv
            .first()
            .map_or_else(Vec::new, |&first| self.line(first, depth));
        Some(Iteration { score, bound, pv })
    }

    /// The line of `depth` plies that begins with `first` and goes on with the best moves that the table knows, and
    /// where it knows none, with those of a short search.
    fn line(&mut self, first: Move, depth: i32) -> Vec<Move> {
        let (mut node, mut line, mut next) = (self.root.clone(), Vec::new(), vec![first]);
        while (line.len() as i32) < depth && !next.is_empty() {
            for mv in next.drain(..) {
                line.push(mv);
                node = match mv.square() {
                    Some(square) => node.play(square.index(), node.board.play(square)),
                    None => node.pass(),
                };
            }
            let (board, legal) = (node.board, node.board.legal_moves().0);
            let known = hash_move(self.worker.shared.known.table.probe(board));
            if board.must_pass() {
                next.push(Move::Pass);
            } else if known != NO_MOVE && legal >> known & 1 != 0 {
                next.push(place(known));
            } else if legal != 0 {
                let rest = (depth - line.len() as i32).min(COMPLETED_BY);
                let window = (-INFINITE, INFINITE);
                next = self
                    .worker
                    .pv_moves::<false>(&node, rest, window, legal, NO_MOVE)
                    .1;
                if self.worker.aborted() {
                    break;
                }
            }
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use crate::eval::Evaluator;
    use crate::rules::Position;
    use crate::search::{Control, Info, Limits, Outcome, SearchOptions, Searcher, Selectivity};

    /// A position of the early midgame.
    const BOARD: &str = "-------------------OOO----XOOO-----XXOX---XXXXO-----X----------- O";

    fn search(threads: usize, depth: u32) -> Outcome {
        let position: Position = BOARD.parse().expect("a position");
        let options = SearchOptions {
            threads,
            hash_mb: 16,
        };
        let limits = Limits {
            depth: Some(depth),
            multipv: 2,
            selectivity: Selectivity::Full,
            ..Limits::default()
        };
        let mut searcher = Searcher::simulating(Evaluator::embedded(), options).expect("memory");
        searcher.search(position.board, &limits, &Control::new(), &mut |_| {})
    }

    #[test]
    fn many_threads_find_the_scores_of_one_and_whole_lines() {
        // Deeper, what is searched ahead answers in place of the depth asked for.
        for depth in [5, 8] {
            let (one, many) = (search(1, depth), search(8, depth));
            let score = |line: &Info| line.minimax;
            let scores = |outcome: &Outcome| outcome.lines.iter().map(score).collect::<Vec<_>>();
            assert!(depth > 5 || scores(&many) == scores(&one));
            for line in &many.lines {
                assert_eq!((line.depth, line.pv.len()), (depth, depth as usize));
                let mut position: Position = BOARD.parse().expect("a position");
                for &mv in &line.pv {
                    position = position.play(mv).expect("a legal move");
                }
            }
        }
    }
}
