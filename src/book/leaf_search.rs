//! The search of a leaf: the best of some moves, as thoroughly as wanted.

use std::time::Duration;

use super::entry::known_depth;
use super::entry::{BookLeaf, Certainty, within};
use crate::eval::Evaluator;
use crate::rules::{Bitboard, Board};
use crate::score::{Bounds, Score};
use crate::search::{Control, Effort, Goal, Limits, SearchOptions, Searcher, Stage, TimeLimit};

/// How hard leaves are searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeafSearch {
    /// To this depth; the end is solved from about twice as far.
    Depth(u32),
    /// For so many nodes.
    Nodes(u64),
    /// For this time: what is found depends on the machine.
    Time(Duration),
}

impl LeafSearch {
    /// Ten times as long: in plies, this many more. From depth 12 on each ply takes 1.37 times the nodes of the one before
    /// (70 positions of WTHOR games, plies 4 to 14, 28 November 2026).
    const TEN_TIMES: u32 = 7;

    /// A search that takes about ten times as long.
    #[must_use]
    pub const fn ten_times(self) -> LeafSearch {
        match self {
            LeafSearch::Depth(depth) => LeafSearch::Depth(depth + LeafSearch::TEN_TIMES),
            LeafSearch::Nodes(nodes) => LeafSearch::Nodes(nodes.saturating_mul(10)),
            LeafSearch::Time(time) => LeafSearch::Time(time.saturating_mul(10)),
        }
    }

    /// The depth that an entry has of it; of nodes and of a time it is not known before.
    const fn depth(self) -> Option<u32> {
        match self {
            LeafSearch::Depth(depth) => Some(depth),
            LeafSearch::Nodes(_) | LeafSearch::Time(_) => None,
        }
    }

    /// What is tried for a position with so many empties.
    fn stage(self, empties: u32) -> Stage {
        self.depth().map_or(Stage::Estimate, |depth| {
            Effort::at_depth(depth).stage(empties)
        })
    }

    /// Is the leaf of a position with so many empties searched less than this? Without a depth it may be.
    pub fn exceeds(self, leaf: &BookLeaf, empties: u32) -> bool {
        let known = known_depth(leaf.depth).zip(self.depth());
        let is_deeper = known.is_none_or(|(known, depth)| u32::from(known) < depth);
        match leaf.certainty {
            Certainty::Exact => false,
            // A solve confirms or refutes it.
            Certainty::Unconfirmed => is_deeper || self.stage(empties) != Stage::Estimate,
            Certainty::Estimate | Certainty::Winner => is_deeper,
        }
    }
}

/// Depth of the search that says whether moves are near each other, in plies: some 3 ms.
const SHORT_DEPTH: u32 = 10;

/// Searches the best of moves, as thoroughly as wanted.
pub struct LeafSearcher {
    searcher: Searcher,
    wanted: LeafSearch,
}

impl LeafSearcher {
    /// A searcher of one thread with an empty table.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn new(wanted: LeafSearch, hash_mb: usize) -> Result<LeafSearcher, String> {
        let options = SearchOptions {
            threads: 1,
            hash_mb,
        };
        let searcher = Searcher::new(Evaluator::embedded(), options);
        let searcher = searcher.map_err(|error| error.to_string())?;
        Ok(LeafSearcher { searcher, wanted })
    }

    /// The best of these moves; `None` where there is none, or it was stopped. Earlier searches have no influence.
    pub fn best_of(
        &mut self,
        board: Board,
        moves: Bitboard,
        control: &Control,
    ) -> Option<BookLeaf> {
        if moves.is_empty() {
            return None;
        }
        self.searcher.forget();
        let (stage, limits) = self.plan(board, moves);
        let exact = Limits {
            goal: Goal::EXACT,
            depth: None,
            ..limits.clone()
        };
        let estimate = match stage {
            Stage::Exact => return self.search(board, &exact, control),
            Stage::Wld | Stage::Estimate => self.search(board, &limits, control)?,
        };
        if stage == Stage::Estimate || estimate.certainty == Certainty::Exact {
            return Some(estimate);
        }
        let wld = Limits {
            goal: Goal::WLD,
            depth: None,
            ..limits
        };
        let winner = self.search(board, &wld, control)?;
        let square = match winner.score.raw().signum() {
            // Only the move that was found is known to win or to draw.
            0 | 1 => winner.square,
            _ => estimate.square,
        };
        let bounds = winner.certainty.bounds(winner.score);
        let score = within(estimate.score, bounds);
        Some(BookLeaf {
            square,
            score,
            certainty: Certainty::of_bounds(bounds),
            ..estimate
        })
    }

    /// How many discs the two best moves are apart, by a short search; `None`: there is only one, or it was stopped.
    pub fn gap(&mut self, board: Board, control: &Control) -> Option<f64> {
        self.searcher.forget();
        let limits = Limits {
            depth: Some(SHORT_DEPTH),
            multipv: 2,
            ..Limits::default()
        };
        let outcome = self.searcher.search(board, &limits, control, &mut |_| {});
        match outcome.lines[..] {
            [ref best, ref second, ..] => Some(best.unrounded.to_f64() - second.unrounded.to_f64()),
            _ => None,
        }
    }

    /// What is tried, and the limits of its estimate.
    fn plan(&self, board: Board, moves: Bitboard) -> (Stage, Limits) {
        let empties = board.empty_count();
        let limits = Limits {
            moves: Some(moves),
            ..Limits::default()
        };
        let limits = match self.wanted {
            LeafSearch::Depth(depth) => Limits {
                depth: Some(depth),
                ..limits
            },
            LeafSearch::Nodes(nodes) => Limits {
                nodes: Some(nodes),
                ..limits
            },
            LeafSearch::Time(time) => Limits {
                time: TimeLimit::Move(time),
                ..limits
            },
        };
        (self.wanted.stage(empties), limits)
    }

    fn search(&mut self, board: Board, limits: &Limits, control: &Control) -> Option<BookLeaf> {
        let outcome = self.searcher.search(board, limits, control, &mut |_| {});
        if control.is_stopped() {
            return None;
        }
        let line = outcome.lines.first();
        let square = outcome.best.and_then(|mv| mv.square())?;
        let estimate = line.map_or(Score::DRAW, |line| line.unrounded);
        let bounds = line.map_or(Bounds::UNKNOWN, |line| line.proof.bounds());
        Some(BookLeaf {
            square,
            score: within(estimate, bounds),
            certainty: Certainty::of_bounds(bounds),
            depth: line.map_or(0, |line| line.depth.min(60) as u8),
        })
    }
}
