//! Scores: disc differences, always for the side to move, their units, what is asked about them and what is known.
//!
//! [`Score`] is what is reported and stored. The search calculates in whole [`Discs`], the
//! evaluation in [`Units`] of 1/128 disc; to mix these two does not compile. A [`Question`] is
//! what a solve is asked, [`Bounds`] are what it has proven.

mod bounds;
mod question;
mod value;

pub use bounds::{Bounds, BoundsError};
pub use question::{Question, QuestionError};
pub use value::GameValue;

use std::fmt;
use std::ops::{Add, Neg, Sub};

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

/// Defines a number of one unit that is calculated with.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
        #[repr(transparent)]
        pub struct $name(i32);

        impl $name {
            /// `number` of them.
            #[inline]
            pub const fn new(number: i32) -> $name {
                $name(number)
            }

            /// The number.
            #[inline]
            pub const fn get(self) -> i32 {
                self.0
            }

            /// The larger of both.
            #[inline]
            #[must_use]
            pub const fn max(self, other: $name) -> $name {
                if self.0 > other.0 { self } else { other }
            }
        }

        impl Neg for $name {
            type Output = $name;

            #[inline]
            fn neg(self) -> $name {
                $name(-self.0)
            }
        }

        impl Add for $name {
            type Output = $name;

            #[inline]
            fn add(self, other: $name) -> $name {
                $name(self.0 + other.0)
            }
        }

        impl Sub for $name {
            type Output = $name;

            #[inline]
            fn sub(self, other: $name) -> $name {
                $name(self.0 - other.0)
            }
        }
    };
}

quantity! {
    /// Whole discs: a score, a bound, or a difference of scores. It may lie beyond ±64.
    Discs
}

quantity! {
    /// Units of 1/128 disc: an estimate, or a difference of estimates. It may lie beyond ±64 discs.
    Units
}

impl Discs {
    /// One disc.
    pub const ONE: Discs = Discs(1);
    /// The best score: all 64 discs.
    pub const MAX: Discs = Discs(64);
    /// The worst score.
    pub const MIN: Discs = Discs(-64);

    /// As units of 1/128 disc.
    #[inline]
    pub const fn units(self) -> Units {
        Units(self.0 * Score::PER_DISC)
    }
}

impl Units {
    /// As a score, clamped to ±64 discs.
    #[inline]
    pub const fn score(self) -> Score {
        Score::from_raw(self.0)
    }

    /// The nearest whole number of discs within ±64, halves away from zero.
    #[inline]
    pub const fn nearest_discs(self) -> Discs {
        Discs(self.score().discs())
    }

    /// Whole discs, rounded up.
    #[inline]
    pub const fn ceil_discs(self) -> Discs {
        Discs(-(-self.0).div_euclid(Score::PER_DISC))
    }

    /// `percent` hundredths of it.
    #[inline]
    #[must_use]
    pub const fn percent(self, percent: i32) -> Units {
        Units(self.0 * percent / 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_round_to_discs() {
        let nearest = [(63, 0), (64, 1), (-64, -1), (100_000, 64)];
        for (units, discs) in nearest {
            assert_eq!(
                Units::new(units).nearest_discs(),
                Discs::new(discs),
                "{units}"
            );
        }
        for (units, discs) in [(0, 0), (1, 1), (128, 1), (-1, 0), (-128, -1)] {
            assert_eq!(Units::new(units).ceil_discs(), Discs::new(discs), "{units}");
        }
        assert_eq!(Discs::new(-2).units(), Units::new(-256));
    }

    #[test]
    fn discs_round_to_the_nearest() {
        assert_eq!(Score::from_raw(63).discs(), 0);
        assert_eq!(Score::from_raw(64).discs(), 1);
        assert_eq!(Score::from_raw(-64).discs(), -1);
        assert_eq!(Score::from_discs(-64).discs(), -64);
    }

    #[test]
    fn a_score_is_the_same_in_all_its_units() {
        for (raw, discs, exactly, hundredths) in [(-320, -3, -2.5, -250), (77, 1, 0.601_562_5, 60)]
        {
            let score = Score::from_raw(raw);
            assert_eq!((score.raw(), score.discs()), (raw, discs));
            assert_eq!((score.to_f64(), score.centidiscs()), (exactly, hundredths));
            assert_eq!(-score, Score::from_raw(-raw));
        }
    }

    #[test]
    fn quantities_are_calculated_with_as_numbers() {
        let [five, seven] = [5, 7].map(Discs::new);
        assert_eq!((five + seven).get(), 12);
        assert_eq!((five - seven).get(), -2);
        assert_eq!((-five).get(), -5);
        assert_eq!((five.max(seven), seven.max(five)), (seven, seven));
        assert_eq!(Units::new(250).percent(30), Units::new(75));
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
