//! The hot primitives on plain `u64` sets of squares: portable versions and
//! vector versions beside them, one chosen when compiling.
//!
//! The only module with `unsafe` code. It knows no `Board`.

mod portable;

/// Squares where `player` may place a disc.
#[inline]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    portable::legal_moves(player, opponent)
}

/// Discs of `opponent` that turn when `player` plays the empty `square` (0..=63).
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    portable::flips(square, player, opponent)
}
