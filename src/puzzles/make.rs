//! Makes puzzles: people of the model play, the solver proves, the model says who finds it.

use std::collections::HashSet;

use super::{Kind, Puzzle, Scores, Themes, after, kind_of};
use crate::human::{Model, MoveShare, Rating};
use crate::random::SplitMix64;
use crate::rules::{Board, Move, Square};
use crate::score::Score;
use crate::search::{Control, Goal, Limits, Searcher};

/// Ratings of the players whose games puzzles come from.
const PLAYERS: std::ops::RangeInclusive<u32> = 900..=1800;
/// Empty squares of puzzles: the page solves that many at once.
pub const EMPTIES: std::ops::RangeInclusive<u32> = 6..=12;
/// Empty squares of positions that are to be counted.
const COUNTED: std::ops::RangeInclusive<u32> = 3..=6;
/// Nobody is interested in a game that is won by more.
const CLOSE: i32 = 30;
/// Moves of the solver in a line, at most.
const LONGEST: usize = 4;
/// The ratings that the model tells apart.
const RATINGS: (f32, f32) = (500.0, 2300.0);
/// A player whom the opponent tries to mislead.
const AVERAGE: Rating = Rating::new(1500.0);
/// A puzzle that more of the weakest find is too easy; one that as many of the strongest miss is too hard.
const MOST: f32 = 0.9;
/// Of so many puzzles, one is to be counted.
const COUNTS: u64 = 12;

/// Makes puzzles of games, one of each at most, no two alike.
pub struct Maker<'a> {
    searcher: Searcher,
    model: &'a Model,
    random: SplitMix64,
    seen: HashSet<Board>,
}

impl<'a> Maker<'a> {
    /// A maker whose games are drawn from `seed`.
    pub fn new(searcher: Searcher, model: &'a Model, seed: u64) -> Maker<'a> {
        Maker {
            searcher,
            model,
            random: SplitMix64::new(seed),
            seen: HashSet::new(),
        }
    }

    /// The puzzle of another game, if it has one: that of an only move rather than another.
    pub fn next_puzzle(&mut self) -> Option<Puzzle> {
        let boards = self.game();
        if self.random.below(COUNTS) == 0 {
            return self.count(&boards);
        }
        let mut found: Option<Puzzle> = None;
        for board in boards
            .into_iter()
            .filter(|board| EMPTIES.contains(&board.empty_count()))
        {
            let Some(puzzle) = self.puzzle(board) else {
                continue;
            };
            let is_only = puzzle.kind.is_only_move();
            // Of several, the first: the fullest board is the easiest to see through.
            if is_only || found.is_none() {
                found = Some(puzzle);
            }
            if is_only {
                break;
            }
        }
        let found = found?;
        self.seen.insert(found.board).then_some(found)
    }

    /// The boards of a game between two people.
    fn game(&mut self) -> Vec<Board> {
        let rating = |random: &mut SplitMix64| Rating::new(random.within(PLAYERS) as f32);
        let players = [rating(&mut self.random), rating(&mut self.random)];
        let mut boards = Vec::new();
        let mut board = Board::START;
        for ply in 0.. {
            if board.is_over() {
                break;
            }
            if board.must_pass() {
                board = board.pass();
                continue;
            }
            boards.push(board);
            let shares = self.model.probabilities(board, players[ply % 2], None);
            board = board.play(self.draw(&shares));
        }
        boards
    }

    /// One move, by its share.
    fn draw(&mut self, shares: &[MoveShare]) -> Square {
        let weights: Vec<f32> = shares.iter().map(|share| share.probability).collect();
        shares[self.random.weighted(&weights)].square
    }

    fn count(&mut self, boards: &[Board]) -> Option<Puzzle> {
        let fitting = boards
            .iter()
            .filter(|board| COUNTED.contains(&board.empty_count()));
        let board = self.random.choose(fitting.collect::<Vec<_>>())?.canonical();
        let (_, score) = *self.solve(board).iter().max_by_key(|(_, score)| *score)?;
        let empties = board.empty_count();
        let puzzle = Puzzle {
            board,
            kind: Kind::Count,
            score,
            // No model says who counts rightly: harder with each empty square.
            rating: Rating::new((400 + 250 * (empties - 2)) as f32),
            themes: Themes::default(),
            line: Vec::new(),
        };
        (score.abs() <= CLOSE && self.seen.insert(board)).then_some(puzzle)
    }

    fn solve(&mut self, board: Board) -> Vec<(Square, i32)> {
        proven_scores(&mut self.searcher, board)
    }

    fn puzzle(&mut self, board: Board) -> Option<Puzzle> {
        let board = board.canonical();
        let scores = self.solve(board);
        let (kind, best, score) = kind_of(&scores)?;
        if score.abs() > CLOSE || self.seen.contains(&board) {
            return None;
        }
        let line = self.line(board, best, kind);
        let rating = self.rating(board, &line)?;
        let themes = Themes::of(board, &line, score);
        Some(Puzzle {
            board,
            kind,
            score,
            rating,
            themes,
            line,
        })
    }

    /// The line goes on while the solver's move is the only one; the opponent plays, of its best moves, the one after which
    /// the fewest find theirs.
    fn line(&mut self, board: Board, best: Square, kind: Kind) -> Vec<Move> {
        let mut line = vec![Move::Place(best)];
        let mut now = board.play(best);
        for _ in 1..LONGEST {
            let Some((answer, reply)) = self.continuation(now, kind) else {
                break;
            };
            line.extend([answer, Move::Place(reply)]);
            now = after(now, answer).play(reply);
        }
        line
    }

    /// The opponent's move, and the only good one after it.
    fn continuation(&mut self, board: Board, kind: Kind) -> Option<(Move, Square)> {
        let answers: Vec<Move> = if board.must_pass() {
            vec![Move::Pass]
        } else {
            let scores = self.solve(board);
            let most = scores.iter().map(|(_, score)| *score).max()?;
            let best = scores.iter().filter(|(_, score)| *score == most);
            best.map(|&(square, _)| Move::Place(square)).collect()
        };
        let mut hardest: Option<(f32, Move, Square)> = None;
        for answer in answers {
            let next = after(board, answer);
            let scores = self.solve(next);
            let Some((_, best, _)) = kind_of(&scores).filter(|(found, ..)| *found == kind) else {
                continue;
            };
            let shares = self.model.probabilities(next, AVERAGE, None);
            let share = MoveShare::of(best, &shares).unwrap_or(0.0);
            if hardest.is_none_or(|(least, ..)| share < least) {
                hardest = Some((share, answer, best));
            }
        }
        hardest.map(|(_, answer, best)| (answer, best))
    }

    /// Where half of the players find the line; `None` if stronger ones find it less often, or nearly all or none find it.
    /// Where more than half of the weakest that the model tells apart find it, or fewer of the strongest, the rating
    /// against which those would score so in a game.
    fn rating(&mut self, board: Board, line: &[Move]) -> Option<Rating> {
        let mut steps = Vec::new();
        let mut now = board;
        for (at, &mv) in line.iter().enumerate() {
            if let (0, Some(best)) = (at % 2, mv.square()) {
                steps.push((now, best, self.solve(now)));
            }
            now = after(now, mv);
        }
        let found = |elo: f32| -> f32 {
            let share = |(board, best, scores): &(Board, Square, Vec<(Square, i32)>)| {
                found_by(self.model, Rating::new(elo), *board, *best, scores)
            };
            steps.iter().map(share).product()
        };
        let (mut low, mut high) = RATINGS;
        let (of_weakest, of_strongest) = (found(low), found(high));
        if of_strongest < of_weakest || of_weakest > MOST || of_strongest < 1.0 - MOST {
            return None;
        }
        if of_weakest >= 0.5 {
            return Some(against(low, of_weakest));
        }
        if of_strongest < 0.5 {
            return Some(against(high, of_strongest));
        }
        // To a rating or two.
        for _ in 0..10 {
            let middle = low.midpoint(high);
            if found(middle) < 0.5 {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(Rating::new(low.midpoint(high).round()))
    }
}

/// The scores of all moves for the side to move, proven, in discs.
pub fn proven_scores(searcher: &mut Searcher, board: Board) -> Vec<(Square, i32)> {
    let mut score = |board: Board| {
        if board.is_over() {
            return board.final_score();
        }
        let limits = Limits {
            goal: Goal::EXACT,
            ..Limits::default()
        };
        let outcome = searcher.search(board, &limits, &Control::new(), &mut |_| {});
        outcome.proven.lower()
    };
    let moves = board.legal_moves();
    moves
        .map(|square| (square, -score(board.play(square))))
        .collect()
}

/// The share of players who find the best move of a puzzle, whose moves have these proven scores.
pub fn found_by(model: &Model, rating: Rating, board: Board, best: Square, scores: &Scores) -> f32 {
    let searched = scores
        .iter()
        .map(|&(square, discs)| (square, Score::from_discs(discs)));
    let searched: Vec<(Square, Score)> = searched.collect();
    let shares = model.probabilities(board, rating, Some(&searched));
    MoveShare::of(best, &shares).unwrap_or(0.0)
}

/// The rating against which a player of `elo` scores `share` in a game, as Elo has it.
fn against(elo: f32, share: f32) -> Rating {
    Rating::new((elo + 400.0 * ((1.0 - share) / share).log10()).round())
}

/// Puzzles of each kind among some.
pub fn counted(puzzles: &[Puzzle]) -> [usize; 4] {
    Kind::ALL.map(|kind| puzzles.iter().filter(|puzzle| puzzle.kind == kind).count())
}
