//! Versions for x86-64 with AVX-512VL and CD besides AVX2 and BMI2: the count of
//! leading zeros for vectors, three-input logic, and eight lanes.
//!
//! The module exists only in builds whose target has these features everywhere.

use std::arch::x86_64::*;

pub(super) use super::avx2::{count_last_flip, stable_discs, stable_edges};
use super::avx2::{rays, splat, union};

/// See [`super::legal_moves`]. All eight directions at once, as rotations: no
/// disc on the border that a direction starts or ends at can be turned along
/// it, so that with those left out nothing wraps around. Runs of one disc, of
/// three and of seven are found by doubling (Kogge and Stone's prefix scheme).
#[inline]
#[target_feature(enable = "avx2,avx512f")]
pub(super) fn legal_moves(player: u64, opponent: u64) -> u64 {
    const FILES: i64 = 0x7e7e_7e7e_7e7e_7e7e;
    const RANKS: i64 = 0x00ff_ffff_ffff_ff00;
    const BOTH: i64 = FILES & RANKS;
    let shift = _mm512_setr_epi64(1, 8, 9, 7, 63, 56, 55, 57);
    let shift_twice = _mm512_setr_epi64(2, 16, 18, 14, 62, 48, 46, 50);
    let shift_four_times = _mm512_setr_epi64(4, 32, 36, 28, 60, 32, 28, 36);
    let inner = _mm512_setr_epi64(FILES, RANKS, BOTH, BOTH, FILES, RANKS, BOTH, BOTH);
    let discs = _mm512_set1_epi64(player as i64);
    let between = _mm512_and_si512(_mm512_set1_epi64(opponent as i64), inner);

    let pairs = _mm512_and_si512(between, _mm512_rolv_epi64(between, shift));
    let fours = _mm512_and_si512(pairs, _mm512_rolv_epi64(pairs, shift_twice));
    let one = or_and(discs, between, _mm512_rolv_epi64(discs, shift));
    let three = or_and(one, pairs, _mm512_rolv_epi64(one, shift_twice));
    let run = _mm512_or_si512(
        _mm512_and_si512(three, between),
        _mm512_and_si512(fours, _mm512_rolv_epi64(three, shift_four_times)),
    );
    let reached = _mm512_rolv_epi64(run, shift);

    let half = _mm256_or_si256(
        _mm512_castsi512_si256(reached),
        _mm512_extracti64x4_epi64::<1>(reached),
    );
    union(half) & !(player | opponent)
}

/// `base | a & b`
#[inline]
#[target_feature(enable = "avx512f")]
fn or_and(base: __m512i, a: __m512i, b: __m512i) -> __m512i {
    _mm512_or_si512(base, _mm512_and_si512(a, b))
}

/// See [`super::flips`]. The nearest square without an opponent's disc is a
/// lowest set bit upwards, and a highest one downwards.
#[inline]
#[target_feature(enable = "avx2,avx512f,avx512vl,avx512cd")]
pub(super) fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let (up, down) = rays(square);
    let own = splat(player);
    let other = splat(opponent);
    let zero = _mm256_setzero_si256();

    // Bit 0 keeps the count of leading zeros below 64, past which a shift would
    // cost the compiler a check; it is off the ray or ends it.
    let free = _mm256_or_si256(_mm256_andnot_si256(other, down), splat(1));
    let nearest = _mm256_srlv_epi64(splat(1 << 63), _mm256_lzcnt_epi64(free));
    let flank = _mm256_and_si256(_mm256_and_si256(nearest, own), down);
    let above = _mm256_and_si256(_mm256_sub_epi64(zero, flank), other);
    let flips_down = _mm256_and_si256(above, down);

    let free = _mm256_andnot_si256(other, up);
    let nearest = _mm256_and_si256(free, _mm256_sub_epi64(zero, free));
    let flank = _mm256_and_si256(nearest, own);
    // One less, but zero stays zero.
    let below = _mm256_max_epi64(_mm256_add_epi64(flank, splat(u64::MAX)), zero);
    let flips_up = _mm256_and_si256(below, up);
    union(_mm256_or_si256(flips_up, flips_down))
}
