//! A small random number generator whose stream never changes, so that what a
//! seed made once it makes again in years.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::RangeInclusive;

/// SplitMix64 (G. Steele, D. Lea and C. Flood, "Fast splittable pseudorandom number
/// generators", OOPSLA 2014).
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream of `seed`.
    pub const fn new(seed: u64) -> SplitMix64 {
        SplitMix64 { state: seed }
    }

    /// A stream that differs from run to run, where the system has something to draw it from.
    pub fn fresh() -> SplitMix64 {
        SplitMix64::new(RandomState::new().build_hasher().finish())
    }

    /// The next 64 bits.
    pub const fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number in 0..`bound`, which must not be 0; the bias is below `bound` / 2^64.
    pub const fn below(&mut self, bound: u64) -> u64 {
        ((self.next_u64() as u128 * bound as u128) >> 64) as u64
    }

    /// A number of `range`, which must not be empty, each as likely as the others.
    pub const fn within(&mut self, range: RangeInclusive<u32>) -> u32 {
        let (first, last) = (*range.start(), *range.end());
        first + self.below(last as u64 - first as u64 + 1) as u32
    }

    /// One of `items`, each as likely as the others; `None` if there are none, which draws a number
    /// as well.
    pub fn choose<I>(&mut self, items: I) -> Option<I::Item>
    where
        I: IntoIterator<IntoIter: ExactSizeIterator>,
    {
        let mut items = items.into_iter();
        let chosen = self.below(items.len().max(1) as u64);
        items.nth(chosen as usize)
    }

    /// The number of a weight, drawn in proportion to them. One of them at least is above 0.
    pub fn weighted(&mut self, weights: &[f32]) -> usize {
        /// Steps of the draw: a float has so many below 1.
        const STEPS: u64 = 1 << 24;
        let part = self.below(STEPS) as f32 / STEPS as f32;
        let mut rest = part * weights.iter().sum::<f32>();
        let is_here = |&(_, weight): &(usize, f32)| {
            rest -= weight;
            rest < 0.0
        };
        let possible = || {
            weights
                .iter()
                .copied()
                .enumerate()
                .filter(|&(_, weight)| weight > 0.0)
        };
        let found = possible().find(is_here).or_else(|| possible().next_back());
        found.map_or(0, |(at, _)| at)
    }

    /// Puts `items` in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end as u64 + 1) as usize);
        }
    }

    /// Another stream, independent of this one.
    pub const fn split(&mut self) -> SplitMix64 {
        SplitMix64::new(self.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_the_published_one() {
        let mut random = SplitMix64::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next_u64()).collect();
        let published = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(first, published);
    }

    #[test]
    fn numbers_stay_below_the_bound() {
        let mut random = SplitMix64::new(7);
        let drawn: Vec<u64> = (0..1000).map(|_| random.below(6)).collect();
        assert!((0..6).all(|number| drawn.contains(&number)));
        assert!(drawn.iter().all(|&number| number < 6));
    }

    #[test]
    fn all_numbers_of_a_range_and_all_items_are_drawn() {
        let mut random = SplitMix64::new(7);
        let drawn: Vec<u32> = (0..1000).map(|_| random.within(5..=7)).collect();
        assert!((5..=7).all(|number| drawn.contains(&number)));
        assert!(drawn.iter().all(|number| (5..=7).contains(number)));
        assert_eq!(random.within(4..=4), 4);
        random.within(0..=u32::MAX);

        let items = ["a", "b", "c"];
        let drawn: Vec<&str> = (0..1000).filter_map(|_| random.choose(items)).collect();
        assert_eq!(drawn.len(), 1000);
        assert!(items.iter().all(|item| drawn.contains(item)));
    }

    #[test]
    fn draws_follow_the_weights() {
        let weights = [1.0, 0.0, 2.0, 1.0];
        let mut counts = [0; 4];
        for seed in 0..4000 {
            counts[SplitMix64::new(seed).weighted(&weights)] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((900..1100).contains(&counts[0]) && (1850..2150).contains(&counts[2]));
        assert_eq!(SplitMix64::new(7).weighted(&[0.0, 1e-30]), 1);
    }

    #[test]
    fn to_choose_from_nothing_draws_a_number_too() {
        let (mut random, mut other) = (SplitMix64::new(7), SplitMix64::new(7));
        assert_eq!(random.choose([0; 0]), None);
        other.next_u64();
        assert_eq!(random.next_u64(), other.next_u64());
    }
}
