//! Yes-no questions about the ends of games, and the list of them that threads answer together.

use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use crate::rules::{Board, Square};

/// Questions that go together: is the final score of a board for its side to move at least `goal`?
#[derive(Clone, Debug, Default)]
pub struct GoalQueries {
    /// Even, in discs.
    pub goal: i32,
    /// Boards whose side to move has a legal move.
    pub boards: Vec<Board>,
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

/// Questions that threads answer together.
pub(super) struct QueryList {
    pub(super) queries: GoalQueries,
    /// The first question that no thread has taken.
    pub(super) next: AtomicUsize,
    /// One for each board.
    pub(super) replies: Mutex<Vec<Reply>>,
}

impl QueryList {
    pub(super) fn new(queries: GoalQueries) -> QueryList {
        QueryList {
            replies: Mutex::new(vec![Reply::Stopped; queries.boards.len()]),
            queries,
            next: AtomicUsize::new(0),
        }
    }
}
