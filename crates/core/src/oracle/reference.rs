//! The reference solver: a slow second opinion on endgames.
//!
//! Plain alpha-beta to the end of the game (D. Knuth and R. Moore, "An analysis of
//! alpha-beta pruning", 1975) that tries the moves that leave the opponent the fewest
//! replies first. No table, no stability, no selectivity, and its own move generator,
//! which walks the eight directions: it shares nothing with the search but [`Board`].

use crate::rules::{Bitboard, Board, Move, Square};

/// With at most so many empties, moves are tried in the order of squares.
const UNSORTED_EMPTIES: u32 = 4;

/// The result of the reference solver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReferenceSolution {
    /// The final disc difference for the side to move, if it lies inside the
    /// window; a bound on it otherwise.
    pub score: i32,
    /// A best line to the end of the game, passes included.
    pub pv: Vec<Move>,
    /// Boards reached by a move or a pass, the first one included.
    pub nodes: u64,
}

/// Solves `board` for the exact score.
pub fn solve(board: Board) -> ReferenceSolution {
    solve_window(board, -64, 64)
}

/// Solves `board` with the window `alpha..beta` in discs: (−1, +1) asks only who wins.
pub fn solve_window(board: Board, alpha: i32, beta: i32) -> ReferenceSolution {
    debug_assert!(alpha < beta);
    let mut search = AlphaBeta { nodes: 0 };
    let mut pv = Vec::new();
    let score = search.search(board, alpha, beta, &mut pv);
    pv.reverse();
    ReferenceSolution {
        score,
        pv,
        nodes: search.nodes,
    }
}

/// The exact score of every legal move in discs, the best first, ties in the order of
/// squares; a forced pass counts as a move. Empty if the game is over.
pub fn score_moves(board: Board) -> Vec<(Move, i32)> {
    if board.must_pass() {
        return vec![(Move::Pass, -solve(board.pass()).score)];
    }
    let score = |square| (Move::Place(square), -solve(board.play(square)).score);
    let mut moves: Vec<(Move, i32)> = board.legal_moves().map(score).collect();
    moves.sort_by_key(|&(_, score)| -score);
    moves
}

struct AlphaBeta {
    nodes: u64,
}

impl AlphaBeta {
    /// The score of `board` within the window. Fills `pv` with the line, its last move
    /// first, if the score lies inside the window or above it.
    fn search(&mut self, board: Board, alpha: i32, beta: i32, pv: &mut Vec<Move>) -> i32 {
        self.nodes += 1;
        pv.clear();
        let moves = legal_moves(board.player, board.opponent);
        if moves == 0 {
            if legal_moves(board.opponent, board.player) == 0 {
                return board.final_score();
            }
            let score = -self.search(board.pass(), -beta, -alpha, pv);
            pv.push(Move::Pass);
            return score;
        }
        if board.empty_count() <= UNSORTED_EMPTIES {
            self.best_child(children(board, moves), alpha, beta, pv)
        } else {
            self.best_child(fastest_first(board, moves).into_iter(), alpha, beta, pv)
        }
    }

    fn best_child(
        &mut self,
        children: impl Iterator<Item = (Square, Board)>,
        alpha: i32,
        beta: i32,
        pv: &mut Vec<Move>,
    ) -> i32 {
        let mut best = -65;
        let mut line = Vec::new();
        for (square, child) in children {
            let score = -self.search(child, -beta, -alpha.max(best), &mut line);
            if score > best {
                best = score;
                std::mem::swap(pv, &mut line);
                pv.push(Move::Place(square));
            }
            if best >= beta {
                break;
            }
        }
        best
    }
}

/// The boards after `moves`, in the order of squares.
fn children(board: Board, moves: u64) -> impl Iterator<Item = (Square, Board)> {
    Bitboard(moves).map(move |square| {
        let flips = flips(square.bit(), board.player, board.opponent);
        (square, board.play_flips(square.bit(), flips))
    })
}

/// The boards after `moves`, those with the fewest replies first.
fn fastest_first(board: Board, moves: u64) -> Vec<(Square, Board)> {
    let mut sorted: Vec<(Square, Board)> = children(board, moves).collect();
    sorted.sort_by_cached_key(|(_, child)| legal_moves(child.player, child.opponent).count_ones());
    sorted
}

/// The eight directions as changes of square index, each with the squares that a
/// step may land on.
const DIRECTIONS: [(i32, u64); 8] = [
    (1, NOT_FILE_A),
    (-1, NOT_FILE_H),
    (8, u64::MAX),
    (-8, u64::MAX),
    (9, NOT_FILE_A),
    (-9, NOT_FILE_H),
    (7, NOT_FILE_H),
    (-7, NOT_FILE_A),
];
const NOT_FILE_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_FILE_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Moves every square of `set` one step; squares that would leave the board vanish.
#[inline]
fn step(set: u64, (shift, landing): (i32, u64)) -> u64 {
    let moved = if shift > 0 {
        set << shift
    } else {
        set >> -shift
    };
    moved & landing
}

/// The unbroken runs of `opponent` discs that start beside `from`.
#[inline]
fn run(from: u64, opponent: u64, direction: (i32, u64)) -> u64 {
    let mut run = step(from, direction) & opponent;
    for _ in 0..5 {
        run |= step(run, direction) & opponent;
    }
    run
}

fn legal_moves(player: u64, opponent: u64) -> u64 {
    let ends = DIRECTIONS.into_iter().fold(0, |ends, direction| {
        ends | step(run(player, opponent, direction), direction)
    });
    ends & !(player | opponent)
}

fn flips(bit: u64, player: u64, opponent: u64) -> u64 {
    DIRECTIONS.into_iter().fold(0, |flips, direction| {
        let run = run(bit, opponent, direction);
        let closed = step(run, direction) & player != 0;
        if closed { flips | run } else { flips }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Game, Position};
    use proptest::prelude::*;

    /// The board when both sides have played their first legal squares down to `empties`.
    fn board_with(empties: u32) -> Board {
        let mut game = Game::new(Position::START);
        while game.position().board.empty_count() > empties {
            let board = game.position().board;
            let mv = board.legal_moves().first().map_or(Move::Pass, Move::Place);
            game.play(mv).expect("legal");
        }
        game.position().board
    }

    /// Full-width minimax by the rules alone.
    fn minimax(board: Board) -> i32 {
        if board.is_over() {
            return board.final_score();
        }
        if board.must_pass() {
            return -minimax(board.pass());
        }
        let scores = board
            .legal_moves()
            .map(|square| -minimax(board.play(square)));
        scores.max().expect("a move")
    }

    proptest! {
        #[test]
        fn its_moves_are_those_of_the_rules(player: u64, opponent: u64) {
            let board = Board { player, opponent: opponent & !player };
            let moves = board.legal_moves();
            prop_assert_eq!(legal_moves(board.player, board.opponent), moves.0);
            for square in moves {
                let expected = board.flips(square).0;
                prop_assert_eq!(flips(square.bit(), board.player, board.opponent), expected);
            }
        }
    }

    #[test]
    fn it_agrees_with_full_width_minimax() {
        for empties in 0..=7 {
            let board = board_with(empties);
            assert_eq!(solve(board).score, minimax(board), "{empties} empties");
        }
    }

    #[test]
    fn the_line_leads_to_the_score() {
        for empties in 1..=10 {
            let start = board_with(empties);
            let solution = solve(start);
            let mut position = Position {
                board: start,
                ..Position::START
            };
            for mv in solution.pv {
                position = position.play(mv).expect("legal");
            }
            assert_eq!(position.result_for_black(), Some(solution.score));
        }
    }

    #[test]
    fn the_best_of_all_moves_has_the_score() {
        let board = board_with(9);
        let moves = score_moves(board);
        assert_eq!(moves[0].1, solve(board).score);
        assert_eq!(moves.len(), board.legal_moves().count() as usize);
    }

    #[test]
    fn the_narrow_window_has_the_sign_of_the_score() {
        for empties in 0..=9 {
            let board = board_with(empties);
            let narrow = solve_window(board, -1, 1).score;
            assert_eq!(narrow.signum(), solve(board).score.signum(), "{empties}");
        }
    }
}
