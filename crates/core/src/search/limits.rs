//! The goal of a search, and its limits.

use std::fmt;
use std::time::Duration;

use crate::rules::Bitboard;
use crate::score::{Discs, Question};

/// The goal of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Goal {
    /// The best move within the limits.
    #[default]
    Play,
    /// The answer to a question, proven to the end of the game.
    Solve(Question),
}

impl Goal {
    /// The final disc difference.
    pub const EXACT: Goal = Goal::Solve(Question::Exact);
    /// Who wins.
    pub const WLD: Goal = Goal::Solve(Question::Wld);

    /// The goal, asked about the other side's score.
    pub const fn opposite(self) -> Goal {
        match self {
            Goal::Play => self,
            Goal::Solve(question) => Goal::Solve(question.opposite()),
        }
    }

    /// The thresholds that it asks about, if it does not ask for the score itself: even discs, the next to each
    /// other or equal.
    pub(super) fn thresholds(self) -> Option<(Discs, Discs)> {
        match self {
            Goal::Play | Goal::EXACT => None,
            Goal::Solve(question) => {
                let (low, high) = question.thresholds();
                Some((Discs::new(low), Discs::new(high)))
            }
        }
    }
}

/// How much Multi-ProbCut may prune, named by a percentage of cuts that are right. In fact more
/// of them are: `emilia-lab tune --check` counted the shares below as wrong, the first against searches of
/// 6 to 10 plies, the second against final scores from 14 to 17 empties (docs/TRAINING.md).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Selectivity {
    /// 0.9 sigma, before a final score 1.1: 9.1% and 6.1% of the cuts were wrong.
    #[default]
    P73,
    /// 1.5 sigma: 3.2% and 2.9% were wrong.
    P87,
    /// 2.0 sigma: 1.4% and 1.3% were wrong.
    P95,
    /// 2.6 sigma: 0.5% and 0.5% were wrong.
    P98,
    /// 3.3 sigma: 0.2% and 0.2% were wrong.
    P99,
    /// Nothing is pruned.
    Full,
}

impl Selectivity {
    /// All levels, the boldest first.
    pub const ALL: [Selectivity; 6] = [
        Selectivity::P73,
        Selectivity::P87,
        Selectivity::P95,
        Selectivity::P98,
        Selectivity::P99,
        Selectivity::Full,
    ];

    /// 73, 87, 95, 98, 99 or 100.
    pub const fn percent(self) -> u32 {
        [73, 87, 95, 98, 99, 100][self as usize]
    }

    /// The level with this percentage.
    pub fn from_percent(percent: u32) -> Option<Selectivity> {
        Selectivity::ALL
            .into_iter()
            .find(|level| level.percent() == percent)
    }
}

impl fmt::Display for Selectivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", self.percent())
    }
}

/// How long a search may take, beside its other limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TimeLimit {
    /// Until another limit is reached, or it is stopped.
    #[default]
    Unlimited,
    /// At most this long for the move.
    Move(Duration),
    /// A game clock.
    Clock {
        /// Time left for the side to move.
        remaining: Duration,
        /// Added after each of its moves.
        increment: Duration,
        /// Moves until more time is given; `None`: the time is for the whole game.
        moves_to_go: Option<u32>,
    },
}

/// Everything that ends or bounds a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// What to search for.
    pub goal: Goal,
    /// Deepest iteration in plies; `None`: to the end of the game.
    pub depth: Option<u32>,
    /// Nodes after which to stop.
    pub nodes: Option<u64>,
    /// Time after which to stop.
    pub time: TimeLimit,
    /// The level of midgame iterations. A search to the end of the game always ends at `Full`.
    pub selectivity: Selectivity,
    /// Number of best moves to report, at least 1.
    pub multipv: usize,
    /// Only these root moves; `None`: all legal ones.
    pub moves: Option<Bitboard>,
    /// Does a solve use what earlier searches found? Its nodes then depend on these.
    pub warm: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            goal: Goal::Play,
            depth: None,
            nodes: None,
            time: TimeLimit::Unlimited,
            selectivity: Selectivity::P73,
            multipv: 1,
            moves: None,
            warm: false,
        }
    }
}
