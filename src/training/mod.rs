//! From games to weights: self-play, labelled positions, and the fit; and how
//! far the engine's shallow searches lie from its deep ones.
//!
//! Nothing here is needed to play; the engine reads only the weight file that
//! comes out at the end.

pub mod selfplay;

pub mod records;

pub mod labels;

pub mod positions;

pub mod corpus;

pub mod sample;

pub mod fit;

pub mod tune;

pub use sample::{Sample, SampleFileError};
