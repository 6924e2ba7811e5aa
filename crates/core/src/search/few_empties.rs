//! Whole solves of few empties, by the solver's lower layers alone.
//!
//! What a long solve needs (a guess, windows that close in on it, the shared table, helpers,
//! a clock) costs more than such a solve itself. One window is enough here, and the same
//! search gives the line of play. Limits are not looked at: it is soon over.

use super::moves::{MoveEntry, pick_best, place};
use super::observer::Observer;
use super::ordering::EndgameOrder;
use super::solver::{CACHED_MAX, EndgameSolver};
use super::window::NONE;
use super::{Bound, Goal, Limits};
use crate::rules::{Board, Move};
use crate::score::Discs;
use crate::simd;

/// Most empties of a board that is solved here.
const FEW: u32 = 8;

/// Most empties where the order of moves depends on their squares alone.
const BY_ISOLATION_MAX: u32 = 4;

/// Longest line of play: a disc on each square, and a pass before each.
const MAX_LINE: usize = 2 * FEW as usize;

/// A window that holds all scores.
const OPEN: Discs = Discs::new(65);

/// Is this search such a solve?
pub(super) fn is_solve_of_few(board: Board, limits: &Limits) -> bool {
    board.empty_count() <= FEW
        && limits.goal != Goal::Play
        && limits.multipv <= 1
        && limits.moves.is_none()
}

/// What a solve found.
pub(super) struct FewSolved {
    /// The score in even discs, or its bound.
    pub(super) score: Discs,
    pub(super) bound: Bound,
    /// From the board to the end of the game; for a claim its first move.
    pub(super) line: EndLine,
}

/// A line of play.
#[derive(Clone, Copy)]
pub(super) struct EndLine {
    moves: [Move; MAX_LINE],
    length: usize,
}

impl EndLine {
    const EMPTY: EndLine = EndLine {
        moves: [Move::Pass; MAX_LINE],
        length: 0,
    };

    pub(super) fn moves(&self) -> &[Move] {
        &self.moves[..self.length]
    }

    fn push(&mut self, mv: Move) {
        self.moves[self.length] = mv;
        self.length += 1;
    }

    /// Becomes `mv` and what follows it.
    fn set(&mut self, mv: Move, tail: &[Move]) {
        self.moves[0] = mv;
        self.moves[1..=tail.len()].copy_from_slice(tail);
        self.length = 1 + tail.len();
    }
}

impl<O: Observer> EndgameSolver<O> {
    /// Answers `goal` about a board with at most [`FEW`] empties.
    pub(super) fn solve_few_empties(&mut self, board: Board, goal: Goal) -> FewSolved {
        // Odd, just below the thresholds, so that they divide the scores.
        let (alpha, beta) = match goal.thresholds() {
            None => (-OPEN, OPEN),
            Some((low, high)) => (low - Discs::ONE, high - Discs::ONE),
        };
        let mut line = EndLine::EMPTY;
        let score = self.best_line(board, alpha, beta, &mut line);
        let bound = Bound::of(score, alpha, beta);
        if goal == Goal::WLD && bound != Bound::Exact {
            self.keep_winning(board, bound == Bound::Lower, &mut line);
        }
        FewSolved { score, bound, line }
    }

    /// The score of `board` if it lies between `alpha` and `beta`, both odd, and the line that
    /// leads to it; else a bound, and the first move. Where the two are equal, the question is
    /// which side of them the score is on.
    fn best_line(&mut self, board: Board, alpha: Discs, beta: Discs, line: &mut EndLine) -> Discs {
        line.length = 0;
        let mut tail = EndLine::EMPTY;
        let moves = simd::legal_moves(board.player, board.opponent);
        if moves == 0 {
            return self.pass_or_end(board, alpha, |solver, passed, alpha| {
                let score = solver.best_line(passed, -beta, alpha, &mut tail);
                line.set(Move::Pass, tail.moves());
                score
            });
        }
        let mut children = [MoveEntry::NONE; CACHED_MAX as usize];
        let count = self.children_in_order(board, moves, &mut children);
        let children = &mut children[..count];
        let (mut best, mut floor) = (NONE, alpha);
        for next in 0..count {
            let child = pick_best(children, next);
            let mut score = best;
            if next > 0 || floor == beta {
                score = -self.solve(child.board, -floor);
                tail.length = 0;
            }
            if floor < beta && (next == 0 || (score > floor && score < beta)) {
                // A score that is better for certain need not be asked about again.
                let least = floor.max(score - Discs::ONE);
                score = -self.best_line(child.board, -beta, -least, &mut tail);
            }
            if score > best {
                best = score;
                line.set(place(child.square), tail.moves());
                if best >= beta {
                    break;
                }
                // Better is two discs more.
                floor = floor.max(best + Discs::ONE);
            }
        }
        best
    }

    /// All children, to be picked in order; returns how many. Where it is soon over, what the opponent could
    /// reply is not looked at.
    fn children_in_order(
        &mut self,
        board: Board,
        moves: u64,
        children: &mut [MoveEntry; CACHED_MAX as usize],
    ) -> usize {
        if board.empty_count() > BY_ISOLATION_MAX {
            return self.make_children(board, moves, children);
        }
        let mut count = 0;
        // All values are equal, so that the children are picked in this order.
        for square in EndgameOrder::of(board.empties()).squares(moves) {
            children[count] = self.make_child(board, square);
            count += 1;
        }
        count
    }

    /// Continues `line` to the end of the game, so that the side that wins keeps winning.
    /// Does the side to move of `board` win?
    fn keep_winning(&mut self, board: Board, wins: bool, line: &mut EndLine) {
        let (mut board, mut wins) = (board, wins);
        for mv in line.moves() {
            board = after(board, *mv);
            wins = !wins;
        }
        loop {
            let moves = board.legal_moves();
            if board.is_over() {
                return;
            }
            let next = match moves.into_iter().next() {
                None => Move::Pass,
                Some(_) if wins => self.winning_move(board, moves.0),
                Some(square) => Move::Place(square),
            };
            board = after(board, next);
            self.visit(1, || board.empty_count());
            line.push(next);
            wins = !wins;
        }
    }

    /// One of `moves` that wins; one of them does.
    fn winning_move(&mut self, board: Board, moves: u64) -> Move {
        let mut children = [MoveEntry::NONE; CACHED_MAX as usize];
        let count = self.children_in_order(board, moves, &mut children);
        let children = &mut children[..count];
        for next in 0..count - 1 {
            let child = pick_best(children, next);
            if self.solve(child.board, -Discs::ONE) < Discs::new(0) {
                return place(child.square);
            }
        }
        place(children[count - 1].square)
    }
}

fn after(board: Board, mv: Move) -> Board {
    mv.square()
        .map_or(board.pass(), |square| board.play(square))
}

#[cfg(test)]
mod tests {
    use super::super::observer::Off;
    use super::*;
    use crate::oracle::reference;
    use crate::random::SplitMix64;
    use crate::score::Question;

    /// Boards with at most [`FEW`] empties, of random games.
    fn boards() -> Vec<Board> {
        let mut random = SplitMix64::new(11);
        let mut boards = Vec::new();
        while boards.len() < 400 {
            let mut board = Board::START;
            while !board.is_over() {
                let next = random.choose(board.legal_moves());
                board = after(board, next.map_or(Move::Pass, Move::Place));
                let empties = u64::from(board.empty_count());
                if empties <= u64::from(FEW) && random.below(4) == 0 {
                    boards.push(board);
                }
            }
        }
        boards
    }

    /// The score of the game that ends with `line`, for the side to move of `board`.
    fn score_of(board: Board, line: &EndLine) -> i32 {
        let mut board = board;
        for &mv in line.moves() {
            assert_eq!(mv == Move::Pass, board.must_pass(), "{board:?}");
            let legal = |square| board.legal_moves().contains(square);
            assert!(mv.square().is_none_or(legal), "{board:?} {mv}");
            board = after(board, mv);
        }
        assert!(board.is_over(), "{board:?}");
        let sign = if line.length.is_multiple_of(2) { 1 } else { -1 };
        sign * board.final_score()
    }

    #[test]
    fn scores_winners_and_claims_are_those_of_the_reference_solver_and_lines_lead_to_them() {
        let mut solver = EndgameSolver::<Off>::new().expect("memory");
        for board in boards() {
            let score = reference::solve(board).score;
            let mut solve = |goal| solver.solve_few_empties(board, goal);
            let exact = solve(Goal::EXACT);
            assert_eq!((exact.score.get(), exact.bound), (score, Bound::Exact));
            assert_eq!(score_of(board, &exact.line), score, "{board:?}");
            let wld = solve(Goal::WLD);
            let bound = [Bound::Upper, Bound::Exact, Bound::Lower];
            assert_eq!(wld.bound, bound[(score.signum() + 1) as usize], "{board:?}");
            assert_eq!(score_of(board, &wld.line).signum(), score.signum());
            for threshold in [score - 2, score, score + 2, score + 4] {
                let found = solve(Goal::Solve(Question::AtLeast(threshold))).score.get();
                assert_eq!(found >= threshold, score >= threshold, "{board:?}");
                let holds = if found >= threshold {
                    found <= score
                } else {
                    found >= score
                };
                assert!(holds, "{board:?}: {found} is no bound of {score}");
            }
        }
    }
}
