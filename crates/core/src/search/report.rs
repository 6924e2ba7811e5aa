//! The reports of a search while it runs, and its outcome.

use std::time::Duration;

use super::Selectivity;
use crate::rules::Move;
use crate::score::{Bounds, Discs, GameValue, Score};

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

impl Bound {
    /// What a search of the window `alpha..beta` says by its answer `score`.
    pub(super) fn of(score: Discs, alpha: Discs, beta: Discs) -> Bound {
        match score {
            _ if score <= alpha => Bound::Upper,
            _ if score >= beta => Bound::Lower,
            _ => Bound::Exact,
        }
    }

    /// What this bound, a score of so many discs, proves.
    pub(super) fn proven(self, discs: i32) -> Bounds {
        match self {
            Bound::Exact => Bounds::exactly(discs),
            Bound::Lower => Bounds::at_least(discs),
            Bound::Upper => Bounds::at_most(discs),
        }
    }

    /// What it is of the other side's score.
    pub(super) const fn opposite(self) -> Bound {
        match self {
            Bound::Exact => Bound::Exact,
            Bound::Lower => Bound::Upper,
            Bound::Upper => Bound::Lower,
        }
    }
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

impl Proof {
    /// What it says of the score.
    pub fn bounds(self) -> Bounds {
        match self {
            Proof::None => Bounds::UNKNOWN,
            Proof::Exact(discs) => Bounds::exactly(discs),
            Proof::Wld(value) => value.bounds(),
        }
    }
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
    /// `score` with its fraction of a disc.
    pub unrounded: Score,
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

impl Outcome {
    /// That of these lines: the first one has the best move, the nodes and the time.
    pub fn of(lines: Vec<Info>, complete: bool, proven: Bounds) -> Outcome {
        let first = lines.first();
        let pv = first.map_or(&[][..], |line| &line.pv);
        Outcome {
            best: pv.first().copied(),
            ponder: pv.get(1).copied(),
            nodes: first.map_or(0, |line| line.nodes),
            time: first.map_or(Duration::ZERO, |line| line.time),
            complete,
            proven,
            lines,
        }
    }
}
