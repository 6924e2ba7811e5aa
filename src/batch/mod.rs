//! Solving many positions: what is asked about each, in what order, and what is remembered.
//!
//! `emilia solve` and `emilia batch` are made of these pieces; none of them prints or parses
//! arguments.

pub mod queue;

pub mod memo;

pub mod estimate;

pub mod shard;

pub mod answer;

pub mod merge;

pub mod cache;

pub mod resume;

pub mod split;
