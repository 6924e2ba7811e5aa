//! From games to weights: labelled positions, data sets, and the fit; and the
//! second opinions that check what the search claims.
//!
//! Nothing here is needed to play; the engine reads only the weight file that
//! comes out at the end.

pub mod reference;

pub mod baseline;

pub mod quick;

pub mod sample;

pub mod labels;

pub mod fit;

pub use sample::{Sample, SampleFileError};
