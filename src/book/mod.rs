//! The opening book: positions, each once up to symmetry, with what is known of them.
//!
//! A [`BookEntry`] belongs to a position in which the side to move has a legal move. Its moves either lead
//! to other positions of the book (links, which are not stored: [`AfterMove`] finds them), or they do not; of
//! the latter the best one is the [`BookLeaf`]. The score of an entry is the best of its links and its leaf.
//!
//! [`Book`] reads the file, [`BookWriter`] changes it, a [`Tree`] holds all positions in memory for work that
//! concerns all of them, such as [`grow()`]. [`BookPlayer`] chooses moves.

mod block;

mod entry;

mod record;

mod reply;

mod store;

mod writer;

mod tree;

mod study;

mod choice;

mod repair;

pub mod grade;

mod leaf_search;

pub mod lines;

mod learn;

mod played;

mod expansion;

pub mod grow;

pub mod jobs;

pub mod exchange;

#[cfg(test)]
mod tests;

pub use choice::{BookManner, BookMove, BookPlayer};
pub use entry::{BookEntry, BookLeaf, Certainty, GameCounts};
pub use expansion::Expansion;
pub use grow::grow;
pub use leaf_search::{LeafSearch, LeafSearcher};
pub use learn::{LearnedGame, learn_game};
pub use played::PlayedGames;
pub use repair::{Rescue, rescue};
pub use reply::AfterMove;
#[cfg(feature = "lent-weights")]
pub use store::builtin_of;
pub use store::{BUILTIN, Book, BookError, Damage};
pub use study::{BookReply, PositionStudy};
pub use tree::{Merged, Tree};
pub use writer::{BookWriter, NewBook};
