//! Making and proving data: a reference solver, and, in time, records and weights.

pub mod reference;

pub mod baseline;
