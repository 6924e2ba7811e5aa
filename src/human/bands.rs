//! Bands of ratings and phases of the game: what is known of people is told apart by them.

use super::Rating;
use crate::rules::Board;

/// Phases of ten plies.
pub const PHASES: usize = 6;

/// Bands of ratings.
pub const BANDS: usize = 5;

/// The ratings at which bands begin, but the first.
pub(super) const BAND_STARTS: [u16; BANDS - 1] = [1150, 1300, 1450, 1600];

/// The band of a rating.
pub fn band(rating: Rating) -> usize {
    let begun = |&&start: &&u16| rating.elo() >= f32::from(start);
    BAND_STARTS.iter().filter(begun).count()
}

/// The phase of a board.
pub fn phase(board: Board) -> usize {
    let ply = 60_u32.saturating_sub(board.empty_count());
    (ply as usize / 10).min(PHASES - 1)
}
