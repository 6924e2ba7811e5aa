//! Bands of ratings and phases of the game, and what is known of people by both: what their moves lose at most.

use super::Rating;
use crate::rules::Board;

/// Phases of ten plies.
pub const PHASES: usize = 6;

/// Bands of ratings.
pub const BANDS: usize = 5;

/// The ratings at which bands begin, but the first.
pub const BAND_STARTS: [u16; BANDS - 1] = [1150, 1300, 1450, 1600];

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

/// What 99 of 100 moves of people lose at most by a search of 8 plies, in discs: for each band of ratings by phases of ten plies.
/// Of 12,500 moves of WTHOR games between people of 2013 to 2017, 2,500 a band (270 to 500 a cell, so each is good to a few discs).
const MOST_LOST: [[f32; PHASES]; BANDS] = [
    [16.0, 20.0, 21.0, 27.0, 29.0, 28.0],
    [10.0, 14.0, 16.0, 17.0, 24.0, 14.0],
    [6.0, 12.0, 13.0, 14.0, 18.0, 11.0],
    [7.0, 8.0, 12.0, 13.0, 16.0, 10.0],
    [5.0, 7.0, 9.0, 12.0, 12.0, 10.0],
];

/// What a player of this rating may lose by a move of this board, in discs.
pub fn most_lost(rating: Rating, board: Board) -> f32 {
    MOST_LOST[band(rating)][phase(board)]
}
