//! The model of what people play ([`emilia::human`]), made from games and measured.
//!
//! `choices` are the moves of games between people, `ratings` how strong the players of those games are. `fit` makes a
//! model from both, `measure` and `profile` compare one with games that it has not seen. docs/HUMAN.md has the recipe
//! and the figures.

pub mod ratings;

pub mod choices;

pub mod measure;

pub mod fit;

pub mod profile;
