//! What is asked, and what is found out about it.

use std::fmt;
use std::time::Duration;

use crate::rules::{Bitboard, Move, Position, Symmetry};
use crate::score::{Bounds, GameValue, Question, Score};

/// A question about a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The position.
    pub position: Position,
    /// What is asked.
    pub question: Question,
    /// The moves that it is about: the score is that of the best of them. `None`: all.
    pub moves: Option<Bitboard>,
    /// Where it stands among the problems that are asked.
    pub place: Place,
    /// What it calls itself.
    pub name: Option<Box<str>>,
}

/// Where a problem stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place {
    /// The number of its file, the first is 0; none: standard input, or no file.
    pub file: Option<usize>,
    /// The number of the line in its file, the first is 1; of a game of several lines, the first of them. Of a WTHOR
    /// file, the number of the game. Of what is in no file, any number.
    pub line: u64,
}

impl Problem {
    /// A question about all moves of a position, without a name.
    pub const fn new(position: Position, question: Question) -> Problem {
        Problem {
            position,
            question,
            moves: None,
            place: Place {
                file: None,
                line: 0,
            },
            name: None,
        }
    }

    /// The same, as number `line`: by that its solution is known where they come in any order.
    pub fn numbered(self, line: u64) -> Problem {
        let place = Place { file: None, line };
        Problem { place, ..self }
    }

    /// The moves that it is about.
    pub(crate) fn asked_moves(&self) -> impl Iterator<Item = Move> + use<'_> {
        self.position.board.moves().filter(|mv| {
            let square = self.moves.zip(mv.square());
            square.is_none_or(|(asked, square)| asked.contains(square))
        })
    }

    /// The same about some moves; `None`: all.
    pub fn about(self, moves: Option<Bitboard>) -> Problem {
        Problem { moves, ..self }
    }
}

impl From<(Position, Question)> for Problem {
    fn from((position, question): (Position, Question)) -> Problem {
        Problem::new(position, question)
    }
}

/// What was found out about a problem. Scores are in discs, for the side to move.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// Is the question answered?
    pub status: Status,
    /// The proven bounds of the score. They answer the question if it is solved.
    pub bounds: Bounds,
    /// Where no proof was affordable, the score of a search and its depth in plies.
    pub estimate: Option<(Score, u32)>,
    /// The best move and what follows, as far as it is known. Empty where the game is over or nothing is known.
    pub line: Vec<Move>,
    /// Where all moves are asked about, what is proven of each, the best first.
    pub moves: Option<Vec<(Move, MoveValue)>>,
    /// Is this remembered of a position that came before? Then its line may end early.
    pub is_remembered: bool,
    /// Nodes of the search.
    pub nodes: u64,
    /// How long the search took.
    pub time: Duration,
}

/// What became of a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Status {
    /// The question is answered.
    Solved,
    /// A limit was reached.
    Unsolved,
    /// All was cancelled before.
    Cancelled,
    /// A fault of the solver, and its reason. Other positions are solved all the same.
    Failed(String),
}

impl Solution {
    /// Nothing is known.
    pub(crate) const fn unknown(status: Status) -> Solution {
        Solution {
            status,
            bounds: Bounds::UNKNOWN,
            estimate: None,
            line: Vec::new(),
            moves: None,
            is_remembered: false,
            nodes: 0,
            time: Duration::ZERO,
        }
    }

    /// What is proven, by a line of play that shows it as far as it is known. Whether that is enough is not yet said.
    pub(crate) fn proven(bounds: Bounds, line: Vec<Move>, nodes: u64) -> Solution {
        Solution {
            bounds,
            line,
            nodes,
            ..Solution::unknown(Status::Unsolved)
        }
    }

    /// The best move that is known.
    pub fn best(&self) -> Option<Move> {
        self.line.first().copied()
    }
}

/// A line of play seen through `symmetry`.
pub(crate) fn transformed(line: &[Move], symmetry: Symmetry) -> Vec<Move> {
    let transform = |mv: &Move| match mv {
        Move::Place(square) => Move::Place(symmetry.apply_square(*square)),
        Move::Pass => Move::Pass,
    };
    line.iter().map(transform).collect()
}

/// What is proven of one move, as far as the question goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MoveValue {
    /// The score in discs.
    Score(i32),
    /// Who wins.
    Result(GameValue),
}

impl MoveValue {
    /// The score in discs, if that was asked.
    pub const fn score(self) -> Option<i32> {
        match self {
            MoveValue::Score(discs) => Some(discs),
            MoveValue::Result(_) => None,
        }
    }

    /// Who wins, if only that was asked.
    pub const fn result(self) -> Option<GameValue> {
        match self {
            MoveValue::Score(_) => None,
            MoveValue::Result(value) => Some(value),
        }
    }
}

#[cfg(feature = "program")]
impl MoveValue {
    /// What it says of the score.
    pub(crate) fn bounds(self) -> Bounds {
        match self {
            MoveValue::Score(discs) => Bounds::exactly(discs),
            MoveValue::Result(value) => value.bounds(),
        }
    }
}

impl fmt::Display for MoveValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveValue::Score(discs) => write!(f, "{discs:+}"),
            MoveValue::Result(value) => f.write_str(value.name()),
        }
    }
}
