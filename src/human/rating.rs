//! How strong a player is.

use std::fmt;
use std::str::FromStr;

/// A player's strength in Elo, 1 to 3000, on the scale of the results of tournament games: on average, the players with 100
/// games and more in 2013 to 2017 have 1500. It is the scale of no federation.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Rating(f32);

/// It is never a NaN.
impl Eq for Rating {}

/// The rating at which the numbers of a model that change with the rating do not count.
const CENTRE: f32 = 1400.0;

/// Elo by which a model counts ratings.
const UNIT: f32 = 300.0;

/// The farthest from [`CENTRE`] that a model counts, in [`UNIT`]s: few players are beyond.
const FARTHEST: f32 = 3.0;

impl Rating {
    /// The Elo of the highest rating.
    pub const MAX_ELO: u16 = 3000;

    /// The highest rating.
    pub const MAX: Rating = Rating(Self::MAX_ELO as f32);

    /// Few people have more: what a model says of higher ratings is a guess.
    pub const TOP_OF_PEOPLE: Rating = Rating(1900.0);

    /// A rating of `elo` Elo, clamped to 1..=3000; a NaN is 1.
    pub const fn new(elo: f32) -> Rating {
        Rating(elo.max(1.0).min(Self::MAX.0))
    }

    /// The lower one of two.
    #[must_use]
    pub const fn min(self, other: Rating) -> Rating {
        Rating(self.0.min(other.0))
    }

    /// The Elo.
    pub const fn elo(self) -> f32 {
        self.0
    }

    /// The number by which a model multiplies what changes with the rating, −3 to 3.
    pub const fn factor(self) -> f32 {
        ((self.0 - CENTRE) / UNIT).clamp(-FARTHEST, FARTHEST)
    }
}

/// Whole Elo: `1500`.
impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0}", self.0)
    }
}

impl FromStr for Rating {
    type Err = String;

    fn from_str(text: &str) -> Result<Rating, String> {
        let elo = text.parse::<u16>().ok();
        let elo = elo.filter(|elo| (1..=Rating::MAX_ELO).contains(elo));
        elo.map(|elo| Rating::new(elo.into()))
            .ok_or_else(|| format!("expected a rating, 1 to {}", Rating::MAX_ELO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_and_limited() {
        assert_eq!("1500".parse(), Ok(Rating::new(1500.0)));
        assert_eq!(Rating::new(1500.4).to_string(), "1500");
        for text in ["", "-1", "0", "3001", "1e3", "nan"] {
            assert!(text.parse::<Rating>().is_err(), "{text}");
        }
        assert_eq!(Rating::new(f32::NAN).elo(), 1.0);
        assert_eq!(Rating::new(9e9), Rating::MAX);
        assert_eq!(Rating::MAX.factor(), FARTHEST);
    }
}
