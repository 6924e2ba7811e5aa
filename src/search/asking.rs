//! Many yes-no questions about the ends of games, on a table that keeps what it knows.
//!
//! A proof of a score needs a move for each of many positions that a solve has just seen. Each is
//! one null window, and most are answered by the table alone.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::Control;
use super::endgame::Solver;
use super::searcher::{Searcher, SendHome};
use super::worker::{Deadline, Node, Shared, Worker};
use crate::rules::{Bitboard, Board, Square};

/// Most empties at which the smallest proof is looked for, and not only the nearest.
const SMALLEST_UP_TO: i32 = 64;

/// Is the final score of `board` for its side to move, which has a legal move, at least `goal`?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// The board.
    pub board: Board,
    /// Even, in discs.
    pub goal: i32,
}

/// The answer to a [`Question`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// It is, by this move.
    By(Square),
    /// It is not.
    Not,
    /// The search was stopped before it knew.
    Stopped,
}

impl Searcher {
    /// Answers all `questions`, and says how many nodes that took. What the last search and
    /// earlier questions have found is still known. Each thread takes a question at a time; all
    /// threads share one if there are fewer questions than threads. Stops after `nodes` nodes
    /// or after `time`.
    pub fn ask(
        &mut self,
        questions: &[Question],
        nodes: Option<u64>,
        time: Option<Duration>,
        control: &Control,
    ) -> (Vec<Reply>, u64) {
        let deadline = Deadline { hard: time, nodes };
        let parts = self.parts();
        let share = |threads| {
            Shared::new(
                parts.table,
                parts.evaluator,
                parts.probcut,
                control,
                threads,
                deadline,
            )
        };
        if questions.len() < parts.solvers.len() {
            let shared = share(parts.solvers.len());
            let (first, others) = parts.solvers.split_at_mut(1);
            let replies = thread::scope(|scope| {
                for (index, solver) in others.iter_mut().enumerate() {
                    let shared = &shared;
                    scope.spawn(move || Worker::new(shared, solver, index + 1, None).help());
                }
                let _home = SendHome(&shared);
                let mut worker = Worker::new(&shared, &mut first[0], 0, None);
                let replies = questions
                    .iter()
                    .map(|&question| worker.reply(question))
                    .collect();
                worker.publish_nodes();
                replies
            });
            return (replies, shared.nodes());
        }
        let next = AtomicUsize::new(0);
        let total = AtomicU64::new(0);
        let work = |solver: &mut Solver| {
            let shared = share(1);
            let mut worker = Worker::new(&shared, solver, 0, None);
            let mut found = Vec::new();
            while let index = next.fetch_add(1, Ordering::Relaxed)
                && let Some(&question) = questions.get(index)
            {
                found.push((index, worker.reply(question)));
            }
            total.fetch_add(worker.solver.nodes, Ordering::Relaxed);
            found
        };
        let mut replies = vec![Reply::Stopped; questions.len()];
        thread::scope(|scope| {
            let (first, others) = parts.solvers.split_at_mut(1);
            let work = &work;
            let others: Vec<_> = others
                .iter_mut()
                .filter_map(|solver| {
                    let builder = thread::Builder::new();
                    builder.spawn_scoped(scope, move || work(solver)).ok()
                })
                .collect();
            let own = work(&mut first[0]);
            let rest = others.into_iter().filter_map(|thread| thread.join().ok());
            for (index, reply) in own.into_iter().chain(rest.flatten()) {
                replies[index] = reply;
            }
        });
        (replies, total.into_inner())
    }
}

impl Worker<'_> {
    /// The answer to one question.
    fn reply(&mut self, question: Question) -> Reply {
        let Question { board, goal } = question;
        let node = Node::new(board);
        let found = self.known_move(&node, goal).or_else(|| {
            let depth = board.empty_count() as i32;
            let holds = self.null_window::<true>(&node, depth, goal - 1) >= goal;
            holds.then(|| {
                self.known_move(&node, goal)
                    .or_else(|| self.holding_move(&node, goal, board.legal_moves()))
            })?
        });
        if self.aborted() {
            return Reply::Stopped;
        }
        let Some(square) = found else {
            return Reply::Not;
        };
        if board.empty_count() as i32 > SMALLEST_UP_TO {
            return Reply::By(square);
        }
        // A move that leaves fewer replies makes a smaller proof.
        let replies = |square: Square| board.play(square).legal_moves().count();
        let most = replies(square);
        let fewer = board.legal_moves().filter(|&other| replies(other) < most);
        let mut fewer: Vec<Square> = fewer.collect();
        fewer.sort_by_key(|&square| replies(square));
        let better = fewer
            .into_iter()
            .find(|&square| self.holds(&node, square, goal));
        if self.aborted() {
            return Reply::Stopped;
        }
        Reply::By(better.unwrap_or(square))
    }

    /// The move that a table remembers, if it holds.
    fn known_move(&mut self, node: &Node, goal: i32) -> Option<Square> {
        let square = self.best_known_move(node.board)?;
        let legal = node.board.legal_moves().contains(square);
        (legal && self.holds(node, square, goal)).then_some(square)
    }

    /// The first of `moves` that holds.
    fn holding_move(&mut self, node: &Node, goal: i32, mut moves: Bitboard) -> Option<Square> {
        moves.find(|&square| self.holds(node, square, goal))
    }

    /// Is the score after `square` at least `goal`?
    fn holds(&mut self, node: &Node, square: Square, goal: i32) -> bool {
        let child = node.play(square.index(), node.board.play(square));
        let depth = child.board.empty_count() as i32;
        self.null_window::<true>(&child, depth, 1 - goal) <= -goal && !self.aborted()
    }
}
