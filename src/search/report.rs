//! The reports of a search while it runs, and its outcome.

use std::time::Duration;

use super::Selectivity;
use crate::rules::Move;
use crate::score::{Bounds, GameValue, Score};

/// How a score relates to the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is the score at this depth and selectivity.
    Exact,
    /// The score is at least this.
    Lower,
    /// The score is at most this.
    Upper,
}

/// What has been proven, without selectivity and to the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// Nothing: the score is an estimate, or belongs to a claim (see [`Outcome::proven`]).
    None,
    /// The final disc difference for the side to move, even, −64..=64.
    Exact(i32),
    /// Who wins. The score beside it is a proven bound: at least +2 discs (a lower one), 0, or
    /// at most −2 (an upper one), whichever bound the proof happened to find.
    Wld(GameValue),
}

/// One line of play, as one completed iteration saw it.
#[derive(Clone, PartialEq, Debug)]
pub struct Info {
    /// Plies searched; nothing is searched deeper. Passes do not count.
    pub depth: u32,
    /// How much ProbCut pruned.
    pub selectivity: Selectivity,
    /// Rank of the line, the best is 1.
    pub multipv: usize,
    /// For the side to move at the root. Where a selective iteration follows one that was a ply
    /// shallower, and neither found a bound or a certain result, it is a mean of what the iterations up to
    /// this one found for the move, in whole discs, each counting three fifths of the next: their errors
    /// differ. Else it is what this iteration found. Several lines stand in the order of these means,
    /// fractions included.
    pub score: Score,
    /// What this iteration alone found, the score of `pv`.
    pub minimax: Score,
    /// Is the score exact or a bound?
    pub bound: Bound,
    /// What is proven.
    pub proof: Proof,
    /// Nodes of the whole search so far, all threads.
    pub nodes: u64,
    /// Since the search began.
    pub time: Duration,
    /// Filled part of the transposition table, in thousandths.
    pub hashfull: u32,
    /// The line, passes included, from the root.
    pub pv: Vec<Move>,
}

/// The end of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The move to play: a pass where that is forced, `None` where the game is over.
    pub best: Option<Move>,
    /// The answer expected, to think about on the opponent's time.
    pub ponder: Option<Move>,
    /// The last complete lines, the best first; empty where the game is over.
    pub lines: Vec<Info>,
    /// Nodes visited, all threads.
    pub nodes: u64,
    /// Time taken.
    pub time: Duration,
    /// Was the goal reached (depth completed, or score proven)?
    pub complete: bool,
    /// What is proven of the score of the searched moves, also where the goal was not reached.
    pub proven: Bounds,
}
