//! Positions that searches reach but games rarely do: all openings, random endgames, positions
//! after poor moves, and the leaves of searches.

use std::collections::BTreeSet;

use emilia::eval::Evaluator;
use emilia::random::SplitMix64;
use emilia::rules::{Board, Game};
use emilia::search::{HorizonSample, Searcher};

/// Empties of random endgames.
const ENDGAMES: std::ops::RangeInclusive<u32> = 8..=16;

/// Empties of positions after poor moves.
const PERTURBED: std::ops::RangeInclusive<u32> = 5..=50;

/// The plies that lead from a game to such a position, each as likely as the others.
const WALKS: [u32; 8] = [1, 1, 2, 3, 4, 5, 7, 9];

/// Plies of the searches whose leaves are drawn, each number as likely as the others.
const LEAF_DEPTHS: std::ops::RangeInclusive<u32> = 6..=9;

/// Fewest empties of leaves: with fewer, searches end with the game.
const LEAF_EMPTIES: u32 = 8;

/// Leaves of one search, at most.
const LEAVES: usize = 8;

/// The farthest distance of their estimates from what the search asks for, in discs: farther away few
/// errors change an answer.
const LEAF_REACH: i32 = 8;

/// All positions with a legal move from the start to ply `plies`, one for each
/// class of symmetric ones.
pub fn openings(plies: u32) -> Vec<Board> {
    let mut all = Vec::new();
    let mut layer = BTreeSet::from([Board::START.canonical()]);
    for ply in 0..=plies {
        all.extend(layer.iter().filter(|board| has_move(board)));
        if ply < plies {
            layer = layer.iter().flat_map(|&board| children(board)).collect();
        }
    }
    all
}

/// The boards after each move of `board`, or after its pass.
fn children(board: Board) -> impl Iterator<Item = Board> {
    let pass = board.must_pass().then(|| board.pass());
    let moves = board.legal_moves().map(move |square| board.play(square));
    moves.chain(pass).map(Board::canonical)
}

/// `count` positions of 8 to 16 empties with a legal move, each from a game of
/// moves of equal probability.
pub fn endgames(count: usize, seed: u64) -> Vec<Board> {
    let mut random = SplitMix64::new(seed);
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let empties = random.within(ENDGAMES);
        found.extend(endgame(empties, &mut random));
    }
    found
}

/// The position of a random game at `empties`; `None` if it ends before.
fn endgame(empties: u32, random: &mut SplitMix64) -> Option<Board> {
    let mut board = Board::START;
    while !board.is_over() {
        if board.must_pass() {
            board = board.pass();
        }
        if board.empty_count() == empties {
            return Some(board);
        }
        board = board.play(random.choose(board.legal_moves())?);
    }
    None
}

/// `count` positions of 5 to 50 empties with a legal move, as a search evaluates them: some plies
/// off a position of `games`, where one side played moves of equal probability, the other those that
/// look best. In three of four the last move is one of the former. None if [no game](any_move) has a move.
pub fn perturbed(games: &[Game], count: usize, seed: u64, evaluator: &Evaluator) -> Vec<Board> {
    if !any_move(games) {
        return Vec::new();
    }
    let mut random = SplitMix64::new(seed);
    let mut found = Vec::with_capacity(count);
    while found.len() < count {
        let start = board_of(games, &mut random);
        let plies = WALKS[random.below(WALKS.len() as u64) as usize];
        let last_is_poor = random.below(4) != 0;
        let ended = (0..plies).rev().try_fold(start, |board, left| {
            let poor = left.is_multiple_of(2) == last_is_poor;
            walk(board, poor, &mut random, evaluator)
        });
        let is_wanted = |board: &Board| PERTURBED.contains(&board.empty_count()) && has_move(board);
        found.extend(ended.filter(is_wanted));
    }
    found
}

fn has_move(board: &Board) -> bool {
    !board.legal_moves().is_empty()
}

/// The board after any move of `board`, or after the one that looks best; `None` where there is none.
fn walk(board: Board, poor: bool, random: &mut SplitMix64, evaluator: &Evaluator) -> Option<Board> {
    let after = board.legal_moves().map(|square| board.play(square));
    if poor {
        random.choose(after)
    } else {
        after.min_by_key(|&after| evaluator.evaluate(after))
    }
}

/// Does one of `games` have a move, so that positions can be drawn off them?
pub fn any_move(games: &[Game]) -> bool {
    games.iter().any(|game| !game.moves().is_empty())
}

/// `count` positions with a legal move that searches of positions of `games` evaluate. None if
/// [no game](any_move) has a move. The searcher must count.
pub fn leaves(games: &[Game], count: usize, seed: u64, searcher: &mut Searcher) -> Vec<Board> {
    if !any_move(games) {
        return Vec::new();
    }
    let mut random = SplitMix64::new(seed);
    let mut found = Vec::with_capacity(count + LEAVES);
    while found.len() < count {
        let root = board_of(games, &mut random);
        let depth = random.within(LEAF_DEPTHS);
        let sample = HorizonSample::new(LEAVES, LEAF_REACH, random.next_u64());
        if root.empty_count() >= depth + LEAF_EMPTIES {
            let boards = searcher.leaves(root, depth, sample);
            found.extend(boards.into_iter().filter(has_move));
        }
    }
    found.truncate(count);
    found
}

/// A board of one of `games`, which are not empty; the first and the last one included.
fn board_of(games: &[Game], random: &mut SplitMix64) -> Board {
    let game = random.choose(games).expect("a game");
    let ply = random.below(game.moves().len() as u64 + 1) as usize;
    game.positions().nth(ply).expect("one of its plies").board
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::search::SearchOptions;

    /// The game in which each move is to the first legal square.
    fn game() -> Game {
        let mut game = Game::new(emilia::rules::Position::START);
        while let Some(square) = game.position().board.legal_moves().next() {
            game.play(emilia::rules::Move::Place(square))
                .expect("legal");
        }
        game
    }

    #[test]
    fn openings_are_counted_up_to_symmetry() {
        // 1 start, 1 first move, 3 answers (diagonal, perpendicular, parallel), ..
        let counts: Vec<usize> = (0..5).map(|plies| openings(plies).len()).collect();
        assert_eq!(counts, [1, 2, 5, 19, 79]);
    }

    #[test]
    fn endgames_have_a_move_and_the_stated_empties() {
        let boards = endgames(50, 3);
        assert_eq!(boards.len(), 50);
        for board in &boards {
            assert!(ENDGAMES.contains(&board.empty_count()));
            assert!(!board.legal_moves().is_empty());
        }
        assert_eq!(boards, endgames(50, 3));
        assert_ne!(boards, endgames(50, 4));
    }

    #[test]
    fn positions_after_poor_moves_are_those_of_the_seed() {
        let of = |seed| perturbed(&[game()], 40, seed, &Evaluator::embedded());
        let boards = of(3);
        assert_eq!(boards.len(), 40);
        for board in &boards {
            assert!(PERTURBED.contains(&board.empty_count()));
            assert!(!board.legal_moves().is_empty());
        }
        assert_eq!(boards, of(3));
        assert_ne!(boards, of(4));
        assert!(perturbed(&[], 40, 3, &Evaluator::embedded()).is_empty());
        let unplayed = [Game::new(emilia::rules::Position::START)];
        assert!(perturbed(&unplayed, 40, 3, &Evaluator::embedded()).is_empty());
    }

    #[test]
    fn leaves_are_those_of_the_seed() {
        let of = |count, seed| {
            let searcher = Searcher::counting(Evaluator::embedded(), SearchOptions::SMALL);
            leaves(&[game()], count, seed, &mut searcher.expect("memory"))
        };
        let boards = of(40, 3);
        assert_eq!(boards.len(), 40);
        for board in &boards {
            assert!(board.empty_count() >= LEAF_EMPTIES - 1);
            assert!(!board.legal_moves().is_empty());
        }
        assert_eq!(boards[..10], of(10, 3));
        assert_ne!(boards, of(40, 4));
    }
}
