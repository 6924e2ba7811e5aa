//! From games to weights: self-play, labelled positions, and the fit; and how
//! far the engine's shallow searches lie from its deep ones.
//!
//! The engine reads only the weight file that comes out at the end.

pub mod selfplay;

pub mod labels;

pub mod positions;

pub mod sample;

pub mod fit;

pub mod tune;

pub use sample::{Sample, SampleFileError};
