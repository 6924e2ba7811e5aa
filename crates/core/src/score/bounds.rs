//! What is proven of a score.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::GameValue;

/// What is proven of a score: it lies between two even numbers of discs, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    lower: i8,
    upper: i8,
}

impl Bounds {
    /// Nothing is proven.
    pub const UNKNOWN: Bounds = Bounds {
        lower: -64,
        upper: 64,
    };

    /// Bounds in even discs, −64..=64; `None` if they are no such pair.
    pub const fn new(lower: i32, upper: i32) -> Option<Bounds> {
        if -64 <= lower && lower <= upper && upper <= 64 && lower % 2 == 0 && upper % 2 == 0 {
            Some(Bounds {
                lower: lower as i8,
                upper: upper as i8,
            })
        } else {
            None
        }
    }

    /// The score is `discs`, which is even, −64..=64.
    pub const fn exactly(discs: i32) -> Bounds {
        debug_assert!(-64 <= discs && discs <= 64 && discs % 2 == 0);
        Bounds {
            lower: discs as i8,
            upper: discs as i8,
        }
    }

    /// The score is at least so many discs; an odd number is rounded up, as scores are even.
    pub fn at_least(discs: i32) -> Bounds {
        let even = discs + discs.rem_euclid(2);
        Bounds {
            lower: even.clamp(-64, 64) as i8,
            upper: 64,
        }
    }

    /// The score is at most so many discs; an odd number is rounded down.
    pub fn at_most(discs: i32) -> Bounds {
        Bounds::at_least(-discs).opposite()
    }

    /// The score is at least this.
    pub const fn lower(self) -> i32 {
        self.lower as i32
    }

    /// The score is at most this.
    pub const fn upper(self) -> i32 {
        self.upper as i32
    }

    /// The score, if only one is left.
    pub fn score(self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower())
    }

    /// Who wins, if that is known.
    pub fn value(self) -> Option<GameValue> {
        let [low, high] = [self.lower(), self.upper()].map(GameValue::of_discs);
        (low == high).then_some(low)
    }

    /// What both say together; `None` if they contradict each other.
    pub fn and(self, other: Bounds) -> Option<Bounds> {
        let (lower, upper) = (self.lower.max(other.lower), self.upper.min(other.upper));
        (lower <= upper).then_some(Bounds { lower, upper })
    }

    /// The bounds of the other side's score.
    pub const fn opposite(self) -> Bounds {
        Bounds {
            lower: -self.upper,
            upper: -self.lower,
        }
    }
}

/// `+6`, `>=+2`, `<=-4`, `-2..+6`, or `-64..+64` where nothing is proven.
impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Bounds { lower, upper } = self;
        match (lower, upper) {
            _ if lower == upper => write!(f, "{lower:+}"),
            (-64, 64) => write!(f, "{lower:+}..{upper:+}"),
            (_, 64) => write!(f, ">={lower:+}"),
            (-64, _) => write!(f, "<={upper:+}"),
            _ => write!(f, "{lower:+}..{upper:+}"),
        }
    }
}

/// What [`Bounds`] print reads back.
impl FromStr for Bounds {
    type Err = BoundsError;

    fn from_str(text: &str) -> Result<Bounds, BoundsError> {
        let (lower, upper) = if let Some(lower) = text.strip_prefix(">=") {
            (lower, "64")
        } else if let Some(upper) = text.strip_prefix("<=") {
            ("-64", upper)
        } else {
            text.split_once("..").unwrap_or((text, text))
        };
        let discs = |text: &str| text.parse().map_err(|_| BoundsError);
        Bounds::new(discs(lower)?, discs(upper)?).ok_or(BoundsError)
    }
}

/// A text is no bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("expected bounds of a score, such as +6, >=+2 or -2..+6")]
pub struct BoundsError;

#[cfg(test)]
pub(super) fn all_bounds() -> impl Iterator<Item = Bounds> {
    let evens = || (-64..=64).step_by(2);
    evens().flat_map(move |lower| evens().filter_map(move |upper| Bounds::new(lower, upper)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_even_and_join() {
        assert_eq!(
            (Bounds::at_least(1), Bounds::at_least(3).lower()),
            (Bounds::at_least(2), 4)
        );
        assert_eq!(
            (Bounds::at_most(-1).upper(), Bounds::at_most(5).upper()),
            (-2, 4)
        );
        let joined = Bounds::at_least(0).and(Bounds::at_most(1));
        assert_eq!(joined, Some(Bounds::exactly(0)));
        assert_eq!(joined.and_then(Bounds::value), Some(GameValue::Draw));
        assert_eq!(Bounds::at_least(2).and(Bounds::at_most(0)), None);
        assert_eq!(Bounds::new(1, 3), None);
    }

    #[test]
    fn bounds_print_what_is_known() {
        let text = |lower, upper| Bounds::new(lower, upper).expect("bounds").to_string();
        assert_eq!(text(6, 6), "+6");
        assert_eq!(text(2, 64), ">=+2");
        assert_eq!(text(-64, -4), "<=-4");
        assert_eq!(text(-2, 6), "-2..+6");
        assert_eq!(text(-64, 64), "-64..+64");
        for bounds in all_bounds() {
            assert_eq!(bounds.to_string().parse(), Ok(bounds));
        }
        for text in ["", "-", "+3", ">=", "2..-2", ">=+66", "a..b"] {
            assert_eq!(text.parse::<Bounds>(), Err(BoundsError), "{text}");
        }
    }
}
