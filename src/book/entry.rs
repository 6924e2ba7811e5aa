//! What the book knows of a position.

use std::fmt;
use std::str::FromStr;

use crate::rules::{Square, Symmetry};
use crate::score::{Bounds, GameValue, Score};

/// How certain a score is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Certainty {
    /// A search estimates it.
    #[default]
    Estimate,
    /// A book of another program says that it is proven, and no search of Emilia has confirmed that: an estimate.
    Unconfirmed,
    /// It is proven who wins, and the sign of the score says so. The number of discs is an estimate.
    Winner,
    /// The score is proven.
    Exact,
}

impl Certainty {
    /// Does Emilia know who wins?
    pub fn is_proven(self) -> bool {
        self >= Certainty::Winner
    }

    /// What is proven of a score that is so certain.
    pub fn bounds(self, score: Score) -> Bounds {
        match self {
            Certainty::Estimate | Certainty::Unconfirmed => Bounds::UNKNOWN,
            Certainty::Exact => Bounds::exactly(even(score)),
            Certainty::Winner => match score.raw().signum() {
                1 => Bounds::at_least(2),
                0 => Bounds::exactly(0),
                _ => Bounds::at_most(-2),
            },
        }
    }

    /// How certain a score within these bounds is.
    pub fn of_bounds(bounds: Bounds) -> Certainty {
        match (bounds.score(), bounds.value()) {
            (Some(_), _) => Certainty::Exact,
            (None, Some(_)) => Certainty::Winner,
            (None, None) => Certainty::Estimate,
        }
    }
}

/// The nearest even number of discs.
fn even(score: Score) -> i32 {
    2 * Score::from_raw(score.raw() / 2).discs()
}

/// `estimate`, `wld`, `exact` or `unconfirmed`.
impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Certainty::Estimate => "estimate",
            Certainty::Winner => "wld",
            Certainty::Exact => "exact",
            Certainty::Unconfirmed => "unconfirmed",
        })
    }
}

/// The same words, in any case.
impl FromStr for Certainty {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Certainty, &'static str> {
        match text.to_lowercase().as_str() {
            "estimate" => Ok(Certainty::Estimate),
            "wld" => Ok(Certainty::Winner),
            "exact" => Ok(Certainty::Exact),
            "unconfirmed" => Ok(Certainty::Unconfirmed),
            _ => Err("expected estimate, wld, exact or unconfirmed"),
        }
    }
}

/// The score nearest to `score` that agrees with what is proven.
pub(super) fn within(score: Score, bounds: Bounds) -> Score {
    score.clamp(
        Score::from_discs(bounds.lower()),
        Score::from_discs(bounds.upper()),
    )
}

/// The best of the moves that do not lead to a position of the book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookLeaf {
    /// The move.
    pub square: Square,
    /// Its score, for the side that plays it.
    pub score: Score,
    /// How certain that is.
    pub certainty: Certainty,
    /// The depth of the search, in plies; of imported books their level. 255: unknown.
    pub depth: u8,
}

impl BookLeaf {
    /// What makes one leaf of a position better known than another.
    pub(super) fn rank(&self) -> (Certainty, Option<u8>) {
        let proven = self.certainty.max(Certainty::Unconfirmed);
        (proven, known_depth(self.depth))
    }
}

/// The depth as a number that sorts: an unknown one is the smallest.
pub(super) fn known_depth(depth: u8) -> Option<u8> {
    (depth != BookEntry::UNKNOWN_DEPTH).then_some(depth)
}

/// Counts of a position. They belong to the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GameCounts {
    /// Games that it won.
    pub wins: u32,
    /// Games that were drawn.
    pub draws: u32,
    /// Games that it lost.
    pub losses: u32,
    /// Lines of the book below, as books of other programs count them.
    pub lines: u32,
}

impl GameCounts {
    /// Games.
    pub fn games(self) -> u64 {
        [self.wins, self.draws, self.losses]
            .map(u64::from)
            .iter()
            .sum()
    }

    /// Counts one more game; its result in discs for the side to move.
    pub fn add_game(&mut self, discs: i32) {
        let count = match GameValue::of_discs(discs) {
            GameValue::Win => &mut self.wins,
            GameValue::Draw => &mut self.draws,
            GameValue::Loss => &mut self.losses,
        };
        *count = count.saturating_add(1);
    }

    /// The games of both, which have none in common.
    pub(super) fn sum(self, other: GameCounts) -> GameCounts {
        GameCounts {
            wins: self.wins.saturating_add(other.wins),
            draws: self.draws.saturating_add(other.draws),
            losses: self.losses.saturating_add(other.losses),
            lines: self.lines.max(other.lines),
        }
    }

    /// The larger of each of both.
    pub(super) fn max(self, other: GameCounts) -> GameCounts {
        GameCounts {
            wins: self.wins.max(other.wins),
            draws: self.draws.max(other.draws),
            losses: self.losses.max(other.losses),
            lines: self.lines.max(other.lines),
        }
    }
}

/// What the book knows of a position; scores for its side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BookEntry {
    /// The best of its links and its leaf; without any, what is known otherwise.
    pub score: Score,
    /// How certain it is.
    pub certainty: Certainty,
    /// The depth of the search that found the score of the position itself, in plies; of imported books
    /// their level. 255: unknown.
    pub depth: u8,
    /// The best move that leaves the book. `None`: all moves are links, or it is not known.
    pub leaf: Option<BookLeaf>,
    /// Counts of games.
    pub counts: GameCounts,
}

impl BookEntry {
    /// The depth where it is not known.
    pub const UNKNOWN_DEPTH: u8 = 255;

    /// The entry of a position that nobody has looked at, such as one of a game.
    pub const UNSEARCHED: BookEntry = BookEntry {
        score: Score::DRAW,
        certainty: Certainty::Estimate,
        depth: BookEntry::UNKNOWN_DEPTH,
        leaf: None,
        counts: GameCounts {
            wins: 0,
            draws: 0,
            losses: 0,
            lines: 0,
        },
    };

    /// Is its score known? Where it is not, the position is as if it were not in the book.
    pub const fn is_known(&self) -> bool {
        self.depth != BookEntry::UNKNOWN_DEPTH || self.leaf.is_some()
    }

    /// The depth to which its moves are searched, in plies: a leaf may have been searched again. `None`: it is not known.
    pub fn searched_depth(&self) -> Option<u8> {
        let leaf = self.leaf.and_then(|leaf| known_depth(leaf.depth));
        known_depth(self.depth).max(leaf)
    }

    /// The entry of a position whose best move outside the book is this.
    pub fn of_leaf(leaf: BookLeaf) -> BookEntry {
        BookEntry {
            score: leaf.score,
            certainty: leaf.certainty,
            depth: leaf.depth,
            leaf: Some(leaf),
            counts: GameCounts::default(),
        }
    }

    /// The entry with another leaf. One that was not known has its score and depth.
    pub(super) fn with_leaf(self, leaf: Option<BookLeaf>) -> BookEntry {
        match leaf.filter(|_| !self.is_known()) {
            Some(leaf) => BookEntry {
                counts: self.counts,
                ..BookEntry::of_leaf(leaf)
            },
            None => BookEntry { leaf, ..self },
        }
    }

    /// The entry of the board seen through `symmetry`.
    #[must_use]
    pub fn transform(self, symmetry: Symmetry) -> BookEntry {
        let turned = |leaf: BookLeaf| BookLeaf {
            square: symmetry.apply_square(leaf.square),
            ..leaf
        };
        BookEntry {
            leaf: self.leaf.map(turned),
            ..self
        }
    }
}
