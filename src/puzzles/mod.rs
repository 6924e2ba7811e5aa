//! Puzzles for people: a position in which one move is proven to be best, how strong those are who find it, and what
//! it is about.
//!
//! - [`make`]: from games that the model of people plays with itself;
//! - `file`: the layout of a file of them.

mod file;

pub mod make;

mod themes;

pub use file::{PUZZLES, PuzzleFileError, read, write};
pub use themes::Themes;

use crate::human::Rating;
use crate::oracle::reference;
use crate::rules::{Board, Move, Square};

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Just one move wins.
    OnlyWin = 0,
    /// No move wins, and just one draws.
    OnlyDraw = 1,
    /// One move is better than all others by [`BETTER`] discs and more.
    Best = 2,
    /// The final score is to be counted.
    Count = 3,
}

impl Kind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Kind; 4] = [Kind::OnlyWin, Kind::OnlyDraw, Kind::Best, Kind::Count];

    /// Its name: `win`, `draw`, `best`, `count`.
    pub const fn name(self) -> &'static str {
        ["win", "draw", "best", "count"][self as usize]
    }

    /// Is it of type A: just one move gets the result?
    pub const fn is_only_move(self) -> bool {
        matches!(self, Kind::OnlyWin | Kind::OnlyDraw)
    }
}

/// Discs between the best move and the next one, where both have the same result.
pub const BETTER: i32 = 4;

/// The fewest moves among which there is something to choose.
pub const CHOICES: usize = 3;

/// A puzzle.
#[derive(Clone, PartialEq, Debug)]
pub struct Puzzle {
    /// The smallest of its images under the symmetries of the board.
    pub board: Board,
    /// What is asked.
    pub kind: Kind,
    /// The final score with best play, in discs for the side to move.
    pub score: i32,
    /// Half of the players of this rating find it in a game.
    pub rating: Rating,
    /// What it is about.
    pub themes: Themes,
    /// The solver's moves and the answers, as long as the solver's are the only ones.
    pub line: Vec<Move>,
}

/// The scores of all moves, each proven, for the side to move.
pub type Scores = [(Square, i32)];

/// The kind of the puzzle that a position is, and its best move; `None` if it is none.
pub fn kind_of(scores: &Scores) -> Option<(Kind, Square, i32)> {
    if scores.len() < CHOICES {
        return None;
    }
    let &(best, score) = scores.iter().max_by_key(|(_, score)| *score)?;
    let others = scores.iter().filter(|(square, _)| *square != best);
    let next = others.map(|(_, score)| *score).max()?;
    let kind = match (score.signum(), next.signum()) {
        (1, -1 | 0) => Kind::OnlyWin,
        (0, -1) => Kind::OnlyDraw,
        _ if score - next >= BETTER => Kind::Best,
        _ => return None,
    };
    Some((kind, best, score))
}

/// Checks a puzzle with the reference solver, which shares nothing with the search; what is wrong with it.
///
/// # Errors
/// If the puzzle is not what it says.
pub fn check(puzzle: &Puzzle) -> Result<(), String> {
    let Puzzle { board, line, .. } = puzzle;
    if board.canonical() != *board {
        return Err("it is not the first of its images".to_owned());
    }
    if puzzle.kind == Kind::Count {
        let score = reference::solve(*board).score;
        return if score == puzzle.score {
            Ok(())
        } else {
            Err(format!("the score is {score}, not {}", puzzle.score))
        };
    }
    let scores = reference::score_moves(*board);
    let scores: Vec<_> = scores
        .into_iter()
        .filter_map(|(mv, score)| Some((mv.square()?, score)))
        .collect();
    match kind_of(&scores) {
        None => Err("no move is the only one".to_owned()),
        Some((kind, best, score)) if kind != puzzle.kind || score != puzzle.score => {
            Err(format!("it is {} {score} by {best}", kind.name()))
        }
        Some((_, best, _)) if line.first() != Some(&Move::Place(best)) => {
            Err(format!("the move is {best}"))
        }
        Some(_) => follow(*board, line),
    }
}

/// Are the moves of the line legal?
fn follow(mut board: Board, line: &[Move]) -> Result<(), String> {
    for &mv in line {
        let is_legal = board.moves().any(|legal| legal == mv);
        if !is_legal {
            return Err(format!("{mv} is not legal"));
        }
        board = after(board, mv);
    }
    Ok(())
}

/// The board after a legal move.
fn after(board: Board, mv: Move) -> Board {
    mv.square()
        .map_or_else(|| board.pass(), |square| board.play(square))
}
