//! Scores: disc differences, always for the side to move, and their units.

use std::fmt;
use std::ops::Neg;

/// A final or estimated disc difference for the side to move.
///
/// One raw unit is 1/128 of a disc. Final scores are whole even discs,
/// −64..=64, the empties of a finished game counted for the winner.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Score(i16);

impl Score {
    /// Raw units in one disc.
    pub const PER_DISC: i32 = 128;
    /// The best score: all 64 discs.
    pub const MAX: Score = Score::from_discs(64);
    /// The worst score.
    pub const MIN: Score = Score::from_discs(-64);
    /// An even game.
    pub const DRAW: Score = Score(0);

    /// The score of `discs` discs, −64..=64.
    pub const fn from_discs(discs: i32) -> Score {
        debug_assert!(-64 <= discs && discs <= 64);
        Score((discs * Self::PER_DISC) as i16)
    }

    /// The score of `raw` units of 1/128 disc, clamped to ±64 discs.
    pub const fn from_raw(raw: i32) -> Score {
        let limit = 64 * Self::PER_DISC;
        let clamped = if raw > limit {
            limit
        } else if raw < -limit {
            -limit
        } else {
            raw
        };
        Score(clamped as i16)
    }

    /// Units of 1/128 disc.
    pub const fn raw(self) -> i32 {
        self.0 as i32
    }

    /// The nearest whole number of discs, halves away from zero.
    pub const fn discs(self) -> i32 {
        let raw = self.0 as i32;
        let half = if raw < 0 {
            -(Self::PER_DISC / 2)
        } else {
            Self::PER_DISC / 2
        };
        (raw + half) / Self::PER_DISC
    }

    /// The score in discs, with its fraction.
    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / f64::from(Self::PER_DISC)
    }

    /// The score in hundredths of a disc, as the protocols print it.
    pub const fn centidiscs(self) -> i32 {
        self.0 as i32 * 100 / Self::PER_DISC
    }

    /// Is the game even?
    pub const fn is_draw(self) -> bool {
        self.0 == 0
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// Discs with a sign and two decimals: `+2.00`, `-0.50`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+.2}", self.to_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discs_round_to_the_nearest() {
        assert_eq!(Score::from_raw(63).discs(), 0);
        assert_eq!(Score::from_raw(64).discs(), 1);
        assert_eq!(Score::from_raw(-64).discs(), -1);
        assert_eq!(Score::from_discs(-64).discs(), -64);
    }

    #[test]
    fn raw_scores_are_clamped_to_the_board() {
        assert_eq!(Score::from_raw(100_000), Score::MAX);
        assert_eq!(Score::from_raw(-100_000), Score::MIN);
    }

    #[test]
    fn scores_print_discs_with_a_sign() {
        assert_eq!(Score::from_discs(2).to_string(), "+2.00");
        assert_eq!(Score::from_raw(-64).to_string(), "-0.50");
    }
}
