//! A small search for labels by the million: fixed depth on pattern features,
//! and exact play of the last squares. No table, no selectivity, no clock.
//!
//! The engine's own search is far faster on deep positions, but costs more to
//! start; here a call is worth microseconds.

use crate::eval::{Evaluator, Features};
use crate::rules::{Board, Square};
use crate::score::Score;

/// More than any score, in raw units.
const INFINITY: i32 = 65 * Score::PER_DISC;

/// A legal move with what ordering and playing it need.
#[derive(Clone, Copy)]
struct Candidate {
    square: Square,
    board: Board,
    replies: u32,
}

/// The moves of `board`, those that leave the opponent fewest replies first;
/// replies in corners count twice.
fn fastest_first(board: Board) -> Vec<Candidate> {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    let mut moves: Vec<Candidate> = board
        .legal_moves()
        .map(|square| {
            let next = board.play(square);
            let replies = next.legal_moves().0;
            Candidate {
                square,
                board: next,
                replies: replies.count_ones() + (replies & CORNERS).count_ones(),
            }
        })
        .collect();
    moves.sort_by_key(|candidate| candidate.replies);
    moves
}

/// The exact final disc difference of `board` for the side to move; meant for
/// 12 empties or fewer.
pub fn solve(board: Board) -> i32 {
    solve_within(board, -64, 64)
}

/// As [`solve`], but a score outside `alpha..beta` is only a bound (fail-soft).
pub fn solve_within(board: Board, alpha: i32, beta: i32) -> i32 {
    if board.empty_count() <= 4 {
        return solve_last(board, alpha, beta);
    }
    let moves = fastest_first(board);
    if moves.is_empty() {
        return solve_pass(board, alpha, beta, solve_within);
    }
    let mut best = -64;
    for (n, candidate) in moves.iter().enumerate() {
        let alpha = alpha.max(best);
        let mut score = best;
        if n > 0 {
            score = -solve_within(candidate.board, -alpha - 1, -alpha);
        }
        if n == 0 || (alpha < score && score < beta) {
            score = -solve_within(candidate.board, -beta, -alpha);
        }
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    best
}

/// The last squares, in no order.
fn solve_last(board: Board, alpha: i32, beta: i32) -> i32 {
    let moves = board.legal_moves();
    if moves.is_empty() {
        return solve_pass(board, alpha, beta, solve_last);
    }
    let mut best = -64;
    for square in moves {
        let score = -solve_last(board.play(square), -beta, -alpha.max(best));
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    best
}

fn solve_pass(board: Board, alpha: i32, beta: i32, solve: fn(Board, i32, i32) -> i32) -> i32 {
    let passed = board.pass();
    if passed.legal_moves().is_empty() {
        board.final_score()
    } else {
        -solve(passed, -beta, -alpha)
    }
}

/// The best move of `board` and its score in raw units, searched `depth` plies
/// (at least 1) at full width; `None` where there is no legal move.
pub fn best_move(evaluator: &Evaluator, board: Board, depth: u32) -> Option<(Square, i32)> {
    let features = Features::of(board);
    let mut best = None;
    let mut alpha = -INFINITY;
    for candidate in fastest_first(board) {
        let next = features.play(candidate.square, board.flips(candidate.square).0);
        let score = -search(
            evaluator,
            candidate.board,
            &next,
            depth - 1,
            -INFINITY,
            -alpha,
        );
        if score > alpha {
            alpha = score;
            best = Some((candidate.square, score));
        }
    }
    best
}

/// The score of `board` in raw units, searched `depth` plies at full width.
pub fn score(evaluator: &Evaluator, board: Board, depth: u32) -> i32 {
    search(
        evaluator,
        board,
        &Features::of(board),
        depth,
        -INFINITY,
        INFINITY,
    )
}

fn search(
    evaluator: &Evaluator,
    board: Board,
    features: &Features,
    depth: u32,
    alpha: i32,
    beta: i32,
) -> i32 {
    if depth == 0 && !board.legal_moves().is_empty() {
        return evaluator.evaluate_features(features, board.empty_count());
    }
    let moves = if depth > 1 {
        fastest_first(board)
    } else {
        unordered(board)
    };
    if moves.is_empty() {
        if board.pass().legal_moves().is_empty() {
            return board.final_score() * Score::PER_DISC;
        }
        return -search(
            evaluator,
            board.pass(),
            &features.pass(),
            depth,
            -beta,
            -alpha,
        );
    }
    let mut best = -INFINITY;
    for candidate in moves {
        let next = features.play(candidate.square, board.flips(candidate.square).0);
        let alpha = alpha.max(best);
        let score = -search(evaluator, candidate.board, &next, depth - 1, -beta, -alpha);
        best = best.max(score);
        if best >= beta {
            break;
        }
    }
    best
}

fn unordered(board: Board) -> Vec<Candidate> {
    let candidate = |square| Candidate {
        square,
        board: board.play(square),
        replies: 0,
    };
    board.legal_moves().map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plain minimax on the rules alone.
    fn minimax(board: Board) -> i32 {
        if board.is_over() {
            return board.final_score();
        }
        let moves = board.legal_moves();
        if moves.is_empty() {
            return -minimax(board.pass());
        }
        let scores = moves.map(|square| -minimax(board.play(square)));
        scores.max().unwrap_or(-64)
    }

    /// A board with `empties` free squares, reached by always taking the first or the last move.
    fn late_board(empties: u32, pattern: u32) -> Board {
        let mut board = Board::START;
        while board.empty_count() > empties && !board.is_over() {
            let mut moves = board.legal_moves();
            let last = pattern >> (board.empty_count() % 32) & 1 == 1;
            let square = if last { moves.last() } else { moves.next() };
            board = square.map_or(board.pass(), |square| board.play(square));
        }
        board
    }

    #[test]
    fn solving_agrees_with_minimax() {
        for pattern in [0, 1, 0x5555_5555, 0xdead_beef, 0x0f0f_3c3c] {
            let board = late_board(7, pattern);
            assert_eq!(solve(board), minimax(board), "{board:?}");
        }
    }

    #[test]
    fn a_search_to_the_end_is_exact() {
        let evaluator = Evaluator::new(&crate::eval::Weights::zero());
        let board = late_board(6, 0x1234_5678);
        assert_eq!(score(&evaluator, board, 20), solve(board) * Score::PER_DISC);
    }
}
