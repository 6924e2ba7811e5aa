//! What the sum of rows is multiplied with, because it is too near to a draw.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// log2 of the parts of a factor of one.
const SHIFT: u32 = 10;

/// Parts of a factor of one.
const ONE: i32 = 1 << SHIFT;

/// Factors that a weight file may have.
const LIMITS: RangeInclusive<f64> = 0.5..=2.0;

/// What estimates are multiplied with, as a multiple of 1/1024 from 0.5 to 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Scale(i32);

impl Scale {
    /// This factor, rounded, and at least 0.5 and at most 2.
    pub fn new(factor: f64) -> Scale {
        // `max` passes over what is no number.
        let limited = factor.max(*LIMITS.start()).min(*LIMITS.end());
        Scale((limited * f64::from(ONE)).round() as i32)
    }

    /// The factor.
    pub fn factor(self) -> f64 {
        f64::from(self.0) / f64::from(ONE)
    }

    /// An estimate in 1/128 disc, multiplied and rounded down.
    #[inline]
    pub fn apply(self, estimate: i32) -> i32 {
        ((i64::from(estimate) * i64::from(self.0)) >> SHIFT) as i32
    }
}

impl Default for Scale {
    fn default() -> Scale {
        Scale(ONE)
    }
}

/// Refuses what [`Scale::new`] would limit.
impl TryFrom<f64> for Scale {
    type Error = String;

    fn try_from(factor: f64) -> Result<Scale, String> {
        let (least, most) = (LIMITS.start(), LIMITS.end());
        let scale = LIMITS.contains(&factor).then(|| Scale::new(factor));
        scale.ok_or_else(|| format!("a scale of {factor}, expected {least} to {most}"))
    }
}

impl From<Scale> for f64 {
    fn from(scale: Scale) -> f64 {
        scale.factor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_are_multiplied_and_rounded_down() {
        assert_eq!(Scale::default().apply(-777), -777);
        assert_eq!(Scale::new(1.25).apply(6), 7);
        assert_eq!(Scale::new(1.25).apply(-6), -8);
        assert_eq!(Scale::new(2.0).apply(1 << 24), 1 << 25);
    }

    #[test]
    fn a_factor_is_kept_in_parts_and_within_its_range() {
        assert_eq!(Scale::new(1.037), Scale(1062));
        assert_eq!(Scale::try_from(1.037), Ok(Scale(1062)));
        assert_eq!(Scale::try_from(Scale(1062).factor()), Ok(Scale(1062)));
        for (factor, kept) in [(0.1, 0.5), (7.0, 2.0), (f64::NAN, 0.5)] {
            assert_eq!(Scale::new(factor).factor(), kept);
            assert!(Scale::try_from(factor).is_err());
        }
    }
}
