//! Searching the positions of games at every depth, at full width.

use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;

use rayon::prelude::*;

use super::Pair;
use emilia::eval::Evaluator;
use emilia::eval::probcut::Horizon;
use emilia::formats::corpus::SourceGame;
use emilia::random::SplitMix64;
use emilia::rules::Board;
use emilia::search::selectivity::MIN_DEPTH;
use emilia::search::{Searcher, Searchers, TableError};

/// The scores of one position, in discs for the side to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Study {
    /// The position.
    pub board: Board,
    /// By plies searched, from 0: the static evaluation.
    pub scores: Vec<i32>,
    /// The final score, if it was searched.
    pub exact: Option<i32>,
}

impl Study {
    /// Searches `board` with an empty table up to this depth, and to the end if the final score is
    /// wanted, too.
    pub fn of(solver: &mut Searcher, board: Board, depth: u32, solve: bool) -> Study {
        let mut scores = vec![solver.evaluator().evaluate(board).discs()];
        scores.extend(solver.full_width(board, depth));
        Study {
            board,
            scores,
            exact: solve.then(|| solver.solve(board)),
        }
    }

    /// The study by an evaluation that says so many times as much, to this depth at most. Final scores stay.
    pub fn grown(&self, growth: f64, depth: u32) -> Study {
        let grown = |&score: &i32| (growth * f64::from(score)).round() as i32;
        let scores = self.scores.iter().take(depth as usize + 1);
        Study {
            scores: scores.map(grown).collect(),
            ..self.clone()
        }
    }

    /// All pairs of a probe and a search for which it could stand: the static evaluation,
    /// and depths of the same parity. With a final score, the pairs with that instead.
    pub fn pairs(&self) -> Vec<Pair> {
        let empties = self.board.empty_count();
        let pair = |probe: usize, horizon, deep: i32| Pair {
            empties,
            probe: probe as u32,
            horizon,
            error: f64::from(deep - self.scores[probe]),
        };
        if let Some(exact) = self.exact {
            let probes = 0..self.scores.len();
            return probes.map(|p| pair(p, Horizon::End, exact)).collect();
        }
        let deep = MIN_DEPTH as usize..self.scores.len();
        deep.flat_map(|depth| {
            let probes = (0..depth).filter(move |p| *p == 0 || (depth - p).is_multiple_of(2));
            let horizon = Horizon::Plies(depth as u32);
            probes.map(move |probe| pair(probe, horizon, self.scores[depth]))
        })
        .collect()
    }

    /// By how much the score of an odd depth is above that of an even one, in discs, for each two searches of successive
    /// depths that end with `least` empties or more.
    pub fn odd_over_even(&self, least: u32) -> impl Iterator<Item = f64> {
        let deepest = self.board.empty_count().saturating_sub(least) as usize;
        let deep = 2..=deepest.min(self.scores.len() - 1);
        deep.map(|depth| {
            let (even, odd) = (depth & !1, (depth - 1) | 1);
            f64::from(self.scores[odd] - self.scores[even])
        })
    }
}

/// Draws up to `count` different positions, one of a game, with each number of `empties` in
/// turn: the same seed draws the same.
///
/// Positions within the random moves at the start of a game of self-play, and those without a
/// legal move, are left out.
pub fn draw(
    games: &[SourceGame],
    count: usize,
    empties: RangeInclusive<u32>,
    seed: u64,
) -> Vec<Board> {
    let mut order: Vec<&SourceGame> = games.iter().collect();
    SplitMix64::new(seed).shuffle(&mut order);
    let mut seen = HashSet::new();
    let mut wanted = empties.cycle().peekable();
    let next = |game| {
        let board = position(game, *wanted.peek()?).filter(|&board| seen.insert(board))?;
        wanted.next();
        Some(board)
    };
    order.into_iter().filter_map(next).take(count).collect()
}

/// The position of a game with this many `empties`, if it can be studied.
fn position(source: &SourceGame, empties: u32) -> Option<Board> {
    let positions = source.game.positions().skip(source.facts.random);
    let mut boards = positions.map(|position| position.board);
    let board = boards.find(|board| board.empty_count() == empties)?;
    (!board.legal_moves().is_empty()).then_some(board)
}

/// Studies all `boards` with as many threads as rayon has, each at the `depths` of its
/// number; calls `done` after each. The results are in the order of `boards`, with any
/// number of threads.
///
/// # Errors
/// If the memory for a search cannot be allocated.
pub fn study(
    boards: &[Board],
    evaluator: &Arc<Evaluator>,
    solve: bool,
    depths: impl Fn(usize) -> u32 + Sync,
    done: impl Fn() + Sync,
) -> Result<Vec<Study>, TableError> {
    let solvers = Searchers::new(Arc::clone(evaluator));
    let study = |(number, &board)| {
        let study = solvers.with(|solver| Study::of(solver, board, depths(number), solve));
        study.inspect(|_| done())
    };
    boards.par_iter().enumerate().map(study).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use emilia::formats::corpus::Facts;
    use emilia::oracle::baseline;

    /// Games with a few random moves, as lines.
    fn games(count: u64) -> Vec<SourceGame> {
        let game = |seed| SourceGame {
            game: baseline::self_play(&mut SplitMix64::new(seed), 10, 1),
            facts: Facts {
                random: 10,
                ..Facts::default()
            },
        };
        (1..=count).map(game).collect()
    }

    #[test]
    fn positions_are_drawn_for_each_number_of_empties_and_after_random_moves() {
        let boards = draw(&games(20), 8, 20..=21, 1);
        let empties: Vec<u32> = boards.iter().map(|board| board.empty_count()).collect();
        assert_eq!(empties, [20, 21, 20, 21, 20, 21, 20, 21]);
        assert_eq!(draw(&games(20), 8, 20..=21, 1), boards);
        assert_ne!(draw(&games(20), 8, 20..=21, 2), boards);
        assert_eq!(draw(&games(20), 8, 55..=58, 1), []);
    }

    #[test]
    fn the_same_positions_have_the_same_scores() {
        let evaluator = Evaluator::embedded();
        let boards = draw(&games(8), 6, 12..=30, 5);
        let first = study(&boards, &evaluator, false, |_| 4, || ()).expect("memory");
        let again = study(&boards, &evaluator, false, |_| 4, || ()).expect("memory");
        assert_eq!(first, again);
        assert!(first.iter().all(|study| study.scores.len() == 5));
        let statically = evaluator.evaluate(boards[2]).discs();
        assert_eq!(first[2].scores[0], statically);
    }

    #[test]
    fn pairs_are_of_equal_parity_or_static() {
        let study = Study {
            board: Board::START,
            scores: vec![0, 1, 2, 4, 8, 16],
            exact: None,
        };
        let pairs: Vec<(u32, Horizon, f64)> = study
            .pairs()
            .iter()
            .map(|pair| (pair.probe, pair.horizon, pair.error))
            .collect();
        let (four, five) = (Horizon::Plies(4), Horizon::Plies(5));
        assert_eq!(
            pairs,
            [
                (0, four, 8.0),
                (2, four, 6.0),
                (0, five, 16.0),
                (1, five, 15.0),
                (3, five, 12.0)
            ]
        );
    }

    #[test]
    fn odd_depths_are_compared_with_even_ones() {
        let study = Study {
            board: Board::START,
            scores: vec![0, 3, 1, 5, 4],
            exact: None,
        };
        let over = |least| study.odd_over_even(least).collect();
        let few: Vec<f64> = over(57);
        assert_eq!(few, [2.0, 4.0]);
        assert_eq!(over(24), [2.0, 4.0, 1.0]);
        assert!(over(59).is_empty() && over(60).is_empty());
    }

    #[test]
    fn a_final_score_is_compared_with_every_depth() {
        let boards = draw(&games(8), 1, 9..=9, 3);
        let mut solver = Searcher::small(Evaluator::embedded()).expect("memory");
        let study = Study::of(&mut solver, boards[0], 3, true);
        let exact = emilia::oracle::reference::solve(boards[0]).score;
        assert_eq!(study.exact, Some(exact));
        let errors: Vec<f64> = study.pairs().iter().map(|pair| pair.error).collect();
        let expected: Vec<f64> = study.scores.iter().map(|s| f64::from(exact - s)).collect();
        assert_eq!(errors, expected);
    }
}
