//! What people play: how likely a player of a given strength is to choose each legal move.
//!
//! A [`Model`] gives each legal move a score, and the probabilities are the softmax of the scores. A score is a sum:
//!
//! - what the board after the move looks like: the rows of its pattern configurations and of its mobility pair, those that
//!   the evaluation knows as well (`candidates`). A row is two numbers: a weight, and how it changes with the rating;
//! - facts about the move, such as what it loses by the static evaluation, with weights for each stage of the game
//!   that change with the rating too (`stages`);
//! - in openings, what people played in this position (`openings`);
//! - where a search has valued the moves, what each loses by it.
//!
//! Strength is a [`Rating`], on a scale of Emilia's own: that of the results of the players to whose games the model was fitted
//! by emilia-lab, which also measures a model on games that it has not seen. docs/HUMAN.md has the recipe and the figures.

mod rating;

pub mod bands;

#[doc(hidden)]
pub mod stages;

#[doc(hidden)]
pub mod candidates;

#[doc(hidden)]
pub mod openings;

#[doc(hidden)]
pub mod model;

#[doc(hidden)]
pub mod file;

mod shared;

mod searched;

pub use file::{ModelError, ModelProvenance};
pub use model::{Model, MoveShare};
pub use rating::Rating;
pub use searched::search_values;
#[cfg(feature = "lent-weights")]
pub use shared::lend_model;
pub use shared::players_model;
