//! Many yes-no questions about the ends of games, answered from a table that keeps what it knows.
//!
//! A proof of a score needs a move for each of many positions that a solve has just searched. Each
//! question is one null window, and most are answered by the table alone. The threads of the
//! searcher take one question at a time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::Control;
use super::counters::Counters;
use super::endgame::CACHED_MAX;
use super::searcher::Searcher;
use super::worker::{Deadline, Node, Worker};
use crate::rules::{Board, Square};
use crate::score::Discs;

/// Most empties of a board whose moves are kept and followed ahead: one more than those of which
/// the shared table knows nothing. The private caches, which soon forget them, have just seen these
/// boards.
const KEPT_BELOW: u32 = CACHED_MAX + 1;

/// Questions that go together: is the final score of a board for its side to move at least `goal`?
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Even, in discs.
    pub goal: i32,
    /// Boards whose side to move has a legal move.
    pub boards: Vec<Board>,
    /// Where the answer is yes, the questions that follow after the move found are answered ahead
    /// as far as that is cheap, for boards of more than this many empties.
    pub down_to: u32,
    /// Stops after so many nodes.
    pub nodes: Option<u64>,
    /// Stops after this time.
    pub time: Option<Duration>,
}

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// Yes, by this move.
    By(Square),
    /// No.
    Not,
    /// The search was stopped before it knew.
    Stopped,
}

/// Moves by which a goal is reached, for boards of one goal.
pub type Known = HashMap<Board, Square>;

impl Searcher {
    /// Answers all questions, and returns how many nodes that took. What the last search and
    /// earlier questions have found is used, and so is `known`, to which moves are added.
    pub fn ask(
        &mut self,
        questions: Questions,
        known: &mut Known,
        control: &Control,
    ) -> (Vec<Reply>, u64) {
        let deadline = Deadline {
            hard: questions.time,
            nodes: questions.nodes,
        };
        let mut shared = self.shared(control, deadline);
        shared.questions = Some(QuestionList::new(questions, std::mem::take(known)));
        let shared = Arc::new(shared);
        self.threads.answer_questions(&shared);
        let nodes = shared.nodes();
        let list = Arc::into_inner(shared).and_then(|shared| shared.questions);
        let list = list.expect("the helpers of a search that is over share nothing");
        let answers = list.answers.into_inner();
        let answers = answers.unwrap_or_else(PoisonError::into_inner);
        *known = list.known;
        known.extend(answers.found);
        (answers.replies, nodes)
    }
}

/// Questions that threads answer together.
pub(super) struct QuestionList {
    questions: Questions,
    /// Moves known before.
    known: Known,
    /// The first question that no thread has taken.
    next: AtomicUsize,
    answers: Mutex<Answers>,
}

/// What threads have answered.
struct Answers {
    /// One for each board.
    replies: Vec<Reply>,
    /// Moves found on the way.
    found: Known,
}

impl QuestionList {
    fn new(questions: Questions, known: Known) -> QuestionList {
        let answers = Answers {
            replies: vec![Reply::Stopped; questions.boards.len()],
            found: Known::new(),
        };
        QuestionList {
            questions,
            known,
            next: AtomicUsize::new(0),
            answers: Mutex::new(answers),
        }
    }
}

impl<C: Counters> Worker<'_, C> {
    /// Answers questions that no other thread has taken, where this search has any.
    pub(super) fn answer_questions(&mut self) {
        let Some(list) = &self.shared.questions else {
            return;
        };
        let mut asker = Asker {
            worker: self,
            list,
            found: Known::new(),
        };
        let mut replies = Vec::new();
        while let index = list.next.fetch_add(1, Ordering::Relaxed)
            && let Some(&board) = list.questions.boards.get(index)
        {
            replies.push((index, asker.answer(board)));
        }
        let found = asker.found;
        self.publish_nodes();
        let mut answers = list.answers.lock().unwrap_or_else(PoisonError::into_inner);
        for (index, reply) in replies {
            answers.replies[index] = reply;
        }
        answers.found.extend(found);
    }
}

/// One thread that answers questions.
struct Asker<'w, 'a, C> {
    worker: &'w mut Worker<'a, C>,
    list: &'a QuestionList,
    /// Moves that it has found.
    found: Known,
}

impl<C: Counters> Asker<'_, '_, C> {
    /// The answer for one board. What follows from it is answered ahead.
    fn answer(&mut self, board: Board) -> Reply {
        if let Some(&square) = self.list.known.get(&board).or(self.found.get(&board)) {
            return Reply::By(square);
        }
        let reply = self.worker.reply(board, self.list.questions.goal);
        if let Reply::By(square) = reply
            && board.empty_count() <= KEPT_BELOW
        {
            self.found.insert(board, square);
            self.follow(board.play(square));
        }
        reply
    }

    /// Answers what is asked after each move of the opponent, the side to move of `board`.
    fn follow(&mut self, board: Board) {
        let moves = board.legal_moves();
        if board.empty_count() <= self.list.questions.down_to {
            return;
        }
        if moves.is_empty() {
            self.ask_ahead(board.pass());
        } else if board.empty_count() > self.list.questions.down_to + 1 {
            for square in moves {
                let child = board.play(square);
                if child.legal_moves().is_empty() {
                    self.follow_pass(child.pass());
                } else {
                    self.ask_ahead(child);
                }
            }
        }
    }

    fn follow_pass(&mut self, board: Board) {
        if !board.legal_moves().is_empty() {
            self.follow(board);
        }
    }

    fn ask_ahead(&mut self, board: Board) {
        if !board.legal_moves().is_empty() && !self.worker.aborted() {
            self.answer(board);
        }
    }
}

impl<C: Counters> Worker<'_, C> {
    /// Is the final score of `board` at least `goal`, and by which move? Of moves that are known
    /// to reach it, this takes the one that leaves the fewest replies: that makes the smallest
    /// proofs.
    fn reply(&mut self, board: Board, goal: i32) -> Reply {
        let mut moves: Vec<Square> = board.legal_moves().collect();
        moves.sort_by_cached_key(|&square| board.play(square).legal_moves().count());
        let found = self.known_move(board, &moves, goal).or_else(|| {
            if !self.reaches(board, goal) {
                return None;
            }
            let mut in_order = moves.iter().copied();
            self.known_move(board, &moves, goal)
                .or_else(|| in_order.find(|&square| self.holds(board, square, goal)))
        });
        match found {
            _ if self.aborted() => Reply::Stopped,
            Some(square) => Reply::By(square),
            None => Reply::Not,
        }
    }

    /// A move that reaches `goal` by what a table knows of the board after it; else the best move
    /// that a table has for this board, if it reaches `goal`.
    fn known_move(&mut self, board: Board, moves: &[Square], goal: i32) -> Option<Square> {
        let is_known = |square: &&Square| self.is_at_most(board.play(**square), Discs::new(-goal));
        if let Some(&square) = moves.iter().find(is_known) {
            return Some(square);
        }
        let square = self.best_known_move(board)?;
        (moves.contains(&square) && self.holds(board, square, goal)).then_some(square)
    }

    /// Is the score of `board` after `square` at least `goal`?
    fn holds(&mut self, board: Board, square: Square, goal: i32) -> bool {
        !self.reaches(board.play(square), 2 - goal)
    }

    /// Is the score of `board` at least `goal`? Means nothing if the search was stopped.
    fn reaches(&mut self, board: Board, goal: i32) -> bool {
        let empties = board.empty_count();
        let alpha = Discs::new(goal - 1);
        let score = if empties <= CACHED_MAX {
            self.solver.solve(board, alpha)
        } else {
            self.null_window::<true>(&Node::new(board), empties as i32, alpha)
        };
        score > alpha
    }
}
