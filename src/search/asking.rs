//! Many yes-no questions about the ends of games, on a table that keeps what it knows.
//!
//! A proof of a score needs a move for each of many positions that a solve has just seen. Each is
//! one null window, and most are answered by the table alone.

use std::collections::HashMap;
use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::Control;
use super::counters::Off;
use super::endgame::{CACHED_MAX, EndgameSolver};
use super::searcher::Searcher;
use super::worker::{Deadline, Node, Shared, Worker};
use crate::rules::{Board, Square};
use crate::score::Discs;
use crate::threads::{self, Stack};

/// Most empties of a board below which moves are noted ahead: one more than those of which the
/// shared table knows nothing. The private caches, which forget soon, have just seen them.
const NOTED_BELOW: u32 = CACHED_MAX + 1;

/// Questions that go together: is the final score of a board for its side to move at least `goal`?
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Even, in discs.
    pub goal: i32,
    /// Boards whose side to move has a legal move.
    pub boards: Vec<Board>,
    /// If so, the questions that follow when the side to move plays as it is told, down to
    /// more than this many empties, are answered ahead as far as that is cheap.
    pub down_to: u32,
    /// Stops after so many nodes.
    pub nodes: Option<u64>,
    /// Stops after this time.
    pub time: Option<Duration>,
}

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// It is, by this move.
    By(Square),
    /// It is not.
    Not,
    /// The search was stopped before it knew.
    Stopped,
}

/// Moves by which a goal is reached, for boards of one goal.
pub type Known = HashMap<Board, Square>;

impl Searcher {
    /// Answers all questions, and says how many nodes that took. What the last search and
    /// earlier questions have found is used, and so is `known`, to which moves are added. Each
    /// thread takes a question at a time.
    pub fn ask(
        &self,
        questions: &Questions,
        known: &mut Known,
        control: &Control,
    ) -> (Vec<Reply>, u64) {
        let boards = &questions.boards;
        let deadline = Deadline {
            hard: questions.time,
            nodes: questions.nodes,
        };
        let (table, evaluator, probcut) = (&self.table, &self.evaluator, &self.probcut);
        let start = || {
            let shared = Shared::new(
                Arc::clone(table),
                Arc::clone(evaluator),
                Arc::clone(probcut),
                control.clone(),
                1,
                deadline,
            );
            Some((shared, EndgameSolver::<Off>::new()?))
        };
        let next = AtomicUsize::new(0);
        let known_before = &*known;
        let work = || {
            let (mut replies, mut noted) = (Vec::new(), Known::new());
            // A thread without memory leaves the questions to the others.
            let Some((shared, mut solver)) = start() else {
                return (replies, noted, 0);
            };
            let mut asker = Asker {
                worker: Worker::new(&shared, &mut solver, 0, None),
                questions,
                known: known_before,
                noted: &mut noted,
            };
            while let index = next.fetch_add(1, Ordering::Relaxed)
                && let Some(&board) = boards.get(index)
            {
                replies.push((index, asker.answer(board)));
            }
            (replies, noted, solver.nodes)
        };
        let others = self.options().threads.min(boards.len()).saturating_sub(1);
        let parts = thread::scope(|scope| {
            let started = (0..others)
                .map_while(|_| threads::spawn_scoped(scope, "asker", Stack::Search, work).ok());
            let started: Vec<_> = started.collect();
            let own = work();
            let joined = started.into_iter().filter_map(|thread| thread.join().ok());
            iter::once(own).chain(joined).collect::<Vec<_>>()
        });
        let mut replies = vec![Reply::Stopped; boards.len()];
        let mut nodes = 0;
        for (part, noted, its_nodes) in parts {
            for (index, reply) in part {
                replies[index] = reply;
            }
            known.extend(noted);
            nodes += its_nodes;
        }
        (replies, nodes)
    }
}

/// One thread that answers questions.
struct Asker<'q, 'a> {
    worker: Worker<'a, Off>,
    questions: &'q Questions,
    /// Moves known before.
    known: &'q Known,
    /// Moves found since.
    noted: &'q mut Known,
}

impl Asker<'_, '_> {
    /// The answer for one board, with what follows from it noted ahead.
    fn answer(&mut self, board: Board) -> Reply {
        if let Some(&square) = self.known.get(&board).or_else(|| self.noted.get(&board)) {
            return Reply::By(square);
        }
        let reply = self.worker.reply(board, self.questions.goal);
        if let Reply::By(square) = reply
            && board.empty_count() <= NOTED_BELOW
        {
            self.noted.insert(board, square);
            self.follow(board.play(square));
        }
        reply
    }

    /// Answers what is asked after each move of the opponent, who is to move on `board`.
    fn follow(&mut self, board: Board) {
        let moves = board.legal_moves();
        if board.empty_count() <= self.questions.down_to {
            return;
        }
        if moves.is_empty() {
            self.ask_ahead(board.pass());
        } else if board.empty_count() > self.questions.down_to + 1 {
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

impl Worker<'_, Off> {
    /// Is the final score of `board` at least `goal`, and by which move? Of moves that are known
    /// to do, the one that leaves the fewest replies: that makes the smallest proofs.
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

    /// A move that holds by what a table says of the board after it, or else the move that a table
    /// remembers for this one, if it holds.
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
