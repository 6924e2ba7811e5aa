//! Emilia, an Othello (Reversi) engine: rules, evaluation, search, exact and
//! win/loss/draw endgame solving, and the protocols that hosts speak.
//!
//! Modules stand in layers; each uses only those above it in this list.

pub mod simd;

pub mod host;

pub mod tier;

pub mod reserve;

pub mod threads;

pub mod random;

pub mod checksum;

#[cfg(feature = "program")]
pub mod files;

pub mod container;

pub mod score;

pub mod rules;

pub mod text;

pub mod oracle;

pub mod formats;

pub mod eval;

pub mod search;

pub mod analysis;

pub mod engine;

pub mod protocol;

#[cfg(feature = "program")]
pub mod training;

#[cfg(feature = "program")]
pub mod proof;

#[cfg(feature = "program")]
pub mod tournament;

#[cfg(feature = "program")]
pub mod batch;

#[cfg(feature = "program")]
pub mod commands;

#[cfg(feature = "program")]
pub mod cli;

#[cfg(feature = "program")]
pub mod launcher;
