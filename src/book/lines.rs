//! Lines to know by heart: the least number of them with which a side holds a score (also called the umigame number).
//!
//! The side that learns chooses the moves that hold the score with the fewest lines; the other side may play
//! each move that loses at most so many discs. A line ends where the book does. Moves that lead to the same position up to
//! symmetry are one. A repertoire is obeyed.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::reply::AfterMove;
use super::study::{BookReply, PositionStudy};
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
    held: HashMap<(usize, Turn), Score>,
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
            held: HashMap::new(),
        }
    }

    /// Lines that hold what can be held; `None`: the book does not know the position.
    pub fn best(tree: &'a Tree, board: Board, turn: Turn, slack: f64) -> Option<HeartLines<'a>> {
        let mut lines = HeartLines::new(tree, Score::MIN, slack);
        lines.target = lines.held(board, turn)?;
        Some(lines)
    }

    /// What is held, for the side that learns.
    pub const fn target(&self) -> Score {
        self.target
    }

    /// The moves, without those that the repertoire excludes: what each holds for the side that learns, and with how many
    /// lines.
    pub fn moves(&mut self, board: Board, turn: Turn) -> Vec<(Square, Score, u64)> {
        let steps = self.allowed(board, turn);
        let with_lines = |step: Step| {
            let score = turn.own(step.score);
            let mut after = HeartLines::new(self.tree, score, self.slack);
            (step.square, score, after.count_after(step, turn))
        };
        steps.into_iter().map(with_lines).collect()
    }

    /// What the side that learns holds from this position on, with the moves that its repertoire allows; `None`: the book
    /// does not know the position. Where no allowed move is known it is the score of the position.
    fn held(&mut self, board: Board, turn: Turn) -> Option<Score> {
        let number = self.tree.find(board)?;
        let entry = self.tree.at(number).1;
        let score = entry.is_known().then_some(entry.score)?;
        if !self.tree.has_repertoire() {
            return Some(turn.own(score));
        }
        if let Some(&held) = self.held.get(&(number, turn)) {
            return Some(held);
        }
        let best = self.allowed(board, turn).first().map(|step| step.score);
        let held = turn.own(best.unwrap_or(score));
        self.held.insert((number, turn), held);
        Some(held)
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
        if found.len() >= most {
            return;
        }
        let mut steps = self.steps(board, turn);
        let mut right = 1.0 - begun.wrong;
        if turn == Turn::Own && !steps.is_empty() {
            let holding = steps.iter().fold(0, |all, step| all | step.square.bit());
            right *= holds(board, Bitboard(holding));
            steps.sort_by_cached_key(|step| self.count_after(*step, turn));
            steps.truncate(1);
        }
        if steps.is_empty() {
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

    /// The moves that the repertoire of the side that learns does not exclude, with what they hold, the best first.
    fn allowed(&mut self, board: Board, turn: Turn) -> Vec<Step> {
        let study = PositionStudy::of_tree(self.tree, board);
        let mut replies = study.map_or(Vec::new(), |study| study.replies);
        if let Some(allowed) = self.tree.allowed(board).filter(|_| turn == Turn::Own) {
            replies.retain(|reply| allowed.contains(reply.square));
        }
        let step = |known: BookReply| {
            let reply = AfterMove::to(board, known.square);
            let next = reply.board();
            let held = next.and_then(|next| self.held(next, turn.after(reply)));
            Step {
                square: known.square,
                reply,
                score: held.map_or(known.score, |held| turn.own(held)),
            }
        };
        let mut steps: Vec<Step> = replies.into_iter().map(step).collect();
        steps.sort_by_key(|step| Reverse(step.score));
        steps
    }

    /// The moves from which lines go on, the best first.
    fn steps(&mut self, board: Board, turn: Turn) -> Vec<Step> {
        let mut steps = self.allowed(board, turn);
        match turn {
            Turn::Own => {
                let holding = steps.partition_point(|step| step.score >= self.target);
                // Where a repertoire allows no more.
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
