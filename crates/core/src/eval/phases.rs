//! The phases of a game, by its number of empties.

/// Phases of the game, by which samples are sorted.
pub const PHASES: usize = 24;

/// Rows for the number of empties, 0..=60.
pub const BIASES: usize = 61;

/// The phase of a board with `empties` free squares: 0 in the opening, then one
/// for every two plies, the last for the last squares.
#[inline]
pub const fn phase(empties: u32) -> usize {
    let phase = 51u32.saturating_sub(empties) as usize / 2;
    if phase < PHASES { phase } else { PHASES - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_cover_the_game_in_order() {
        let phases: Vec<usize> = (0..=60).rev().map(phase).collect();
        assert!(phases.is_sorted());
        assert_eq!((phases[0], phases[60]), (0, PHASES - 1));
        assert_eq!((phase(25), phase(24), phase(23)), (13, 13, 14));
    }
}
