//! What only the makers of Emilia's weights and of its model of people need: self-play, labels, fits and
//! their measurement. No player needs it, and no archive has it.
//!
//! It stands on the crate `emilia`, which knows nothing of it: what both share are files, namely weights, models and
//! the records of self-play ([`emilia::formats::records`]). Begin with [`training`], and with docs/TRAINING.md and
//! docs/HUMAN.md, which have the recipes.

pub mod training;

pub mod people;

pub mod commands;

pub mod cli;
