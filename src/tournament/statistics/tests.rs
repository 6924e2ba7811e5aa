//! Simulated pairs of games, for the tests of intervals and of the sequential test.

use super::elo::SCORES;
use crate::random::SplitMix64;

/// Pairs between equals in Othello at fast time controls: many of 1 : 1.
pub(super) const EQUALS: [f64; 5] = [0.08, 0.06, 0.72, 0.06, 0.08];

/// An outcome of a pair, 0..=4 half points, drawn by its share.
pub(super) fn draw(shares: &[f64; 5], random: &mut SplitMix64) -> usize {
    let mut left = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    for (i, share) in shares.iter().enumerate() {
        if left < *share {
            return i;
        }
        left -= share;
    }
    4
}

/// `shares` times exp(t score), with the t that gives the wanted mean.
pub(super) fn bend(shares: [f64; 5], mean: f64) -> [f64; 5] {
    let bent = |t: f64| {
        let mut bent = shares;
        for (share, score) in bent.iter_mut().zip(SCORES) {
            *share *= (t * score).exp();
        }
        let total: f64 = bent.iter().sum();
        bent.map(|share| share / total)
    };
    let (mut low, mut high) = (-50.0, 50.0);
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        let shares = bent(middle);
        let found: f64 = shares.iter().zip(SCORES).map(|(p, score)| p * score).sum();
        if found < mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    bent(low)
}
