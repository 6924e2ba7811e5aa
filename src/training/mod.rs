//! From games to weights: labelled positions, data sets, and the fit.
//!
//! Nothing here is needed to play; the engine reads only the weight file that
//! comes out at the end.

pub mod quick;

pub mod sample;

pub mod labels;

pub mod fit;

pub use sample::{Sample, SampleFileError};
