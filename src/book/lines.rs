//! Lines to know by heart: the least number of them with which a side holds a score (also called the umigame number).
//!
//! The side that learns chooses the moves that hold the score with the fewest lines; the other side may play
//! each move that loses at most so many discs. A line ends where the book does. Moves that lead to the same position up to
//! symmetry are one. A repertoire is obeyed.

use std::collections::{HashMap, HashSet};

use super::reply::AfterMove;
use super::study::PositionStudy;
use super::tree::Tree;
use crate::rules::{Bitboard, Board, Move, Square};
use crate::score::Score;

/// Whose move it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Turn {
    /// That of the side that learns.
    Own,
    /// That of the other side.
    Other,
}

impl Turn {
    /// Whose move it is after a move.
    pub const fn after(self, reply: AfterMove) -> Turn {
        match (self, reply.changes_sides()) {
            (Turn::Own, true) | (Turn::Other, false) => Turn::Other,
            (Turn::Own, false) | (Turn::Other, true) => Turn::Own,
        }
    }

    /// A score of the side to move, for the side that learns.
    pub fn own(self, score: Score) -> Score {
        match self {
            Turn::Own => score,
            Turn::Other => -score,
        }
    }
}

/// A line to know.
#[derive(Clone, PartialEq, Debug)]
pub struct HeartLine {
    /// Its moves, passes included.
    pub moves: Vec<Move>,
    /// What it is worth for the side that learns.
    pub score: Score,
    /// How likely someone is to go wrong in it who does not know it.
    pub wrong: f64,
}

/// What is asked about a book.
pub struct HeartLines<'a> {
    tree: &'a Tree,
    /// What is held, for the side that learns.
    target: Score,
    /// Discs that a move of the other side may lose.
    slack: f64,
    counts: HashMap<(usize, Turn), u64>,
}

/// A move of a line.
#[derive(Clone, Copy, Debug)]
struct Step {
    square: Square,
    reply: AfterMove,
    /// For the side that plays it.
    score: Score,
}

impl<'a> HeartLines<'a> {
    /// Lines that hold at least `target`, for the side that learns.
    pub fn new(tree: &'a Tree, target: Score, slack: f64) -> HeartLines<'a> {
        HeartLines {
            tree,
            target,
            slack,
            counts: HashMap::new(),
        }
    }

    /// The least number of lines from this position on.
    pub fn count(&mut self, board: Board, turn: Turn) -> u64 {
        let Some(number) = self.tree.find(board) else {
            return 1;
        };
        if let Some(&count) = self.counts.get(&(number, turn)) {
            return count;
        }
        let steps = self.steps(board, turn);
        let counts = steps.iter().map(|step| self.count_after(*step, turn));
        let count = match turn {
            Turn::Own => counts.min(),
            Turn::Other => counts.reduce(u64::saturating_add),
        };
        let count = count.unwrap_or(1);
        self.counts.insert((number, turn), count);
        count
    }

    fn count_after(&mut self, step: Step, turn: Turn) -> u64 {
        let next = step.reply.board();
        next.map_or(1, |board| self.count(board, turn.after(step.reply)))
    }

    /// The lines, at most so many. `holds` says how likely someone is to play one of the moves that hold the score.
    pub fn lines(
        &mut self,
        board: Board,
        turn: Turn,
        most: usize,
        holds: &dyn Fn(Board, Bitboard) -> f64,
    ) -> Vec<HeartLine> {
        let mut found = Vec::new();
        let begun = HeartLine {
            moves: Vec::new(),
            score: self.target,
            wrong: 0.0,
        };
        self.add_lines(board, turn, begun, most, holds, &mut found);
        found.sort_by(|a, b| b.wrong.total_cmp(&a.wrong));
        found
    }

    fn add_lines(
        &mut self,
        board: Board,
        turn: Turn,
        begun: HeartLine,
        most: usize,
        holds: &dyn Fn(Board, Bitboard) -> f64,
        found: &mut Vec<HeartLine>,
    ) {
        let mut steps = self.steps(board, turn);
        let mut right = 1.0 - begun.wrong;
        if turn == Turn::Own && !steps.is_empty() {
            let holding = steps.iter().fold(0, |all, step| all | step.square.bit());
            right *= holds(board, Bitboard(holding));
            steps.sort_by_cached_key(|step| self.count_after(*step, turn));
            steps.truncate(1);
        }
        if steps.is_empty() && found.len() < most {
            found.push(begun);
            return;
        }
        for step in steps {
            let mut line = HeartLine {
                moves: begun.moves.clone(),
                score: turn.own(step.score),
                wrong: 1.0 - right,
            };
            line.moves.push(Move::Place(step.square));
            if matches!(step.reply, AfterMove::Again(_)) {
                line.moves.push(Move::Pass);
            }
            match step
                .reply
                .board()
                .filter(|&board| self.tree.find(board).is_some())
            {
                Some(board) => {
                    self.add_lines(board, turn.after(step.reply), line, most, holds, found);
                }
                None if found.len() < most => found.push(line),
                None => return,
            }
        }
    }

    /// The moves from which lines go on, the best first.
    fn steps(&self, board: Board, turn: Turn) -> Vec<Step> {
        let study = PositionStudy::of_tree(self.tree, board);
        let replies = study.map_or(Vec::new(), |study| study.replies);
        let steps = replies.into_iter().map(|reply| Step {
            square: reply.square,
            reply: AfterMove::to(board, reply.square),
            score: reply.score,
        });
        let mut steps: Vec<Step> = steps.collect();
        match turn {
            Turn::Own => {
                let allowed = self.tree.allowed(board);
                let is_allowed = |step: &Step| allowed.is_none_or(|all| all.contains(step.square));
                steps.retain(is_allowed);
                let holding = steps.partition_point(|step| step.score >= self.target);
                // A repertoire may give up more.
                steps.truncate(holding.max(1));
            }
            Turn::Other => {
                let best = steps.first().map_or(0.0, |step| step.score.to_f64());
                let mut seen = HashSet::new();
                steps.retain(|step| {
                    let next = step.reply.board().map(Board::canonical);
                    let is_new = next.is_none_or(|next| seen.insert(next));
                    is_new && best - step.score.to_f64() <= self.slack
                });
            }
        }
        steps
    }
}
