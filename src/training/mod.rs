//! From games to weights: self-play, labelled positions, and the fit; how far the
//! engine's shallow searches lie from its deep ones; and the slow twins that prove and
//! measure the engine.
//!
//! Nothing here is needed to play; the engine reads only the weight file that
//! comes out at the end.

pub mod reference;

pub mod baseline;

pub mod solver;

pub mod selfplay;

pub mod records;

pub mod labels;

pub mod positions;

pub mod corpus;

pub mod sample;

pub mod fit;

pub mod tune;

pub use sample::{Sample, SampleFileError};
