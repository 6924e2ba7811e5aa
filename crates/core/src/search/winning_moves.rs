//! The moves that reach a score, for many positions that a solve has just searched: a proof of the score
//! needs them. Each question is one null window, and most are answered by the table alone. The threads of the
//! searcher take one question at a time.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use super::budget::TimeBudget;
use super::clock::Deadline;
use super::control::Control;
use super::goal_queries::{GoalQueries, QueryList, Reply};
use super::node::Node;
use super::observer::Observer;
use super::options::TableError;
use super::ordering::EndgameOrder;
use super::searcher::Searcher;
use super::solver::CACHED_MAX;
use super::wins::Wins;
use super::worker::Worker;
use crate::locks::lock;
use crate::rules::{Board, Square};
use crate::score::Discs;

impl Searcher {
    /// From now on its searches note the moves that answer questions, for boards of more than so many
    /// empties, in as much memory as its table has.
    ///
    /// # Errors
    /// If that memory cannot be allocated.
    pub fn note_wins(&mut self, empties: u32) -> Result<(), TableError> {
        let wins = Wins::new(self.options().hash_mb, empties)?;
        self.known.wins = Some(Arc::new(wins));
        Ok(())
    }

    /// Did a search of this searcher meet `board`, as far as it remembers?
    pub fn has_met(&self, board: Board, goal: i32) -> bool {
        let noted = |wins: &Arc<Wins>| wins.get(board, Discs::new(goal - 1)).is_some();
        self.known.wins.as_ref().is_some_and(noted) || self.known.table.probe(board).is_some()
    }

    /// Answers all questions, and returns how many nodes that took. What the last search and
    /// earlier questions have found is used.
    pub fn ask(&mut self, queries: GoalQueries, control: &Control) -> (Vec<Reply>, u64) {
        let deadline = Deadline {
            budget: TimeBudget {
                hard: queries.time,
                ..TimeBudget::default()
            },
            nodes: queries.nodes,
            ..Deadline::default()
        };
        let mut shared = self.shared(control, deadline);
        shared.queries = Some(QueryList::new(queries));
        let shared = Arc::new(shared);
        self.threads.answer_questions(&shared, control);
        let nodes = shared.nodes();
        let list = Arc::into_inner(shared).and_then(|shared| shared.queries);
        let list = list.expect("the helpers of a search that is over share nothing");
        let replies = list.replies.into_inner();
        (replies.unwrap_or_else(PoisonError::into_inner), nodes)
    }
}

impl<O: Observer> Worker<'_, O> {
    /// Answers questions that no other thread has taken, where this search has any.
    pub(super) fn answer_questions(&mut self) {
        let Some(list) = &self.shared.queries else {
            return;
        };
        let mut found = Vec::new();
        while let index = list.next.fetch_add(1, Ordering::Relaxed)
            && let Some(&board) = list.queries.boards.get(index)
        {
            found.push((index, self.reply(board, list.queries.goal)));
        }
        self.publish_nodes();
        let mut replies = lock(&list.replies);
        for (index, reply) in found {
            replies[index] = reply;
        }
    }

    /// Is the final score of `board` at least `goal`, and by which move? Of moves that are known
    /// to reach it, this takes the one that leaves the fewest replies: that makes the smallest
    /// proofs.
    fn reply(&mut self, board: Board, goal: i32) -> Reply {
        let moves = EndgameOrder::smallest_proof_first(board);
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

    /// A move that reaches `goal` by what the tables know of the board after it; else one that was noted;
    /// else the best move that a table has for this board, if it reaches `goal`.
    fn known_move(&mut self, board: Board, moves: &[Square], goal: i32) -> Option<Square> {
        let is_known = |square: &&Square| self.is_at_most(board.play(**square), Discs::new(-goal));
        if let Some(&square) = moves.iter().find(is_known) {
            return Some(square);
        }
        let wins = self.shared.known.wins.as_ref();
        let noted = wins.and_then(|wins| wins.get(board, Discs::new(goal - 1)));
        if let Some(square) = noted.filter(|square| moves.contains(square)) {
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
