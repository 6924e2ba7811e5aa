//! What the CPU must be able to do for this build: its tier.
//!
//! On x86-64 there are three, the levels of its psABI that the vector code of [`crate::simd`]
//! distinguishes. Other architectures have one. A build for the CPU at hand belongs to the highest
//! tier whose instructions it may use.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The tier of this build, with its architecture: `x86-64-v3`.
pub const NAME: &str = cfg_select! {
    target_arch = "x86_64" => { X86_64_NAMES[Tier::OWN as usize] }
    target_arch = "aarch64" => { "aarch64" }
    target_arch = "wasm32" => { "wasm32" }
    _ => { std::env::consts::ARCH }
};

#[cfg(target_arch = "x86_64")]
const X86_64_NAMES: [&str; 3] = ["x86-64", "x86-64-v3", "x86-64-v4"];

/// A set of instructions that a build may use, the smallest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// What every CPU of the architecture has.
    Baseline,
    /// x86-64-v3: AVX2, BMI2 and what comes with them.
    V3,
    /// x86-64-v4: also AVX-512 F, BW, CD, DQ and VL.
    V4,
}

/// A text that is no tier.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no tier '{0}': it is baseline, v3 or v4")]
pub struct UnknownTier(String);

impl Tier {
    /// All tiers, the fastest first.
    pub const FASTEST_FIRST: [Tier; 3] = [Tier::V4, Tier::V3, Tier::Baseline];

    /// The tier of this build.
    pub const OWN: Tier = cfg_select! {
        not(all(
            target_arch = "x86_64",
            target_feature = "avx2",
            target_feature = "bmi1",
            target_feature = "bmi2",
            target_feature = "fma",
            target_feature = "lzcnt",
            target_feature = "movbe",
            target_feature = "popcnt"
        )) => { Tier::Baseline }
        all(
            target_feature = "avx512f",
            target_feature = "avx512bw",
            target_feature = "avx512cd",
            target_feature = "avx512dq",
            target_feature = "avx512vl"
        ) => { Tier::V4 }
        _ => { Tier::V3 }
    };

    /// Can this CPU, under this system, run builds of the tier?
    #[cfg(target_arch = "x86_64")]
    pub fn runs_here(self) -> bool {
        macro_rules! has {
            ($($feature:tt)*) => { true $(&& is_x86_feature_detected!($feature))* };
        }
        let v3 = || has!("avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "popcnt" "cmpxchg16b" "xsave");
        let v4 = || has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
        match self {
            Tier::Baseline => true,
            Tier::V3 => v3(),
            Tier::V4 => v3() && v4(),
        }
    }

    /// Can this CPU, under this system, run builds of the tier?
    #[cfg(not(target_arch = "x86_64"))]
    pub fn runs_here(self) -> bool {
        self == Tier::Baseline
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Tier::Baseline => "baseline",
            Tier::V3 => "v3",
            Tier::V4 => "v4",
        })
    }
}

impl FromStr for Tier {
    type Err = UnknownTier;

    fn from_str(text: &str) -> Result<Tier, UnknownTier> {
        let mut tiers = Tier::FASTEST_FIRST.into_iter();
        let found = tiers.find(|tier| tier.to_string() == text);
        found.ok_or_else(|| UnknownTier(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_runs_where_its_tests_run() {
        assert!(Tier::OWN.runs_here());
        assert!(Tier::Baseline.runs_here());
    }

    #[test]
    fn a_tier_is_read_as_it_is_printed() {
        for tier in Tier::FASTEST_FIRST {
            assert_eq!(tier.to_string().parse(), Ok(tier));
        }
        let unknown = "v5".parse::<Tier>().map_err(|error| error.to_string());
        assert_eq!(
            unknown,
            Err("no tier 'v5': it is baseline, v3 or v4".to_owned())
        );
    }
}
