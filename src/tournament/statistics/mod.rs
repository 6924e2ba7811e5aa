//! Statistics of finished games: points and pairs, rating differences with their intervals, the
//! sequential test, the use of time, and all of it as text and as charts.

pub mod elo;

pub mod sprt;

pub mod ratings;

pub mod clock_use;

pub mod standings;

pub mod summary;

pub mod chart;

#[cfg(test)]
mod tests;
