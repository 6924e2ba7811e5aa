//! Versions for x86-64 with AVX2 and BMI2: the four directions in the four
//! 64-bit lanes of one vector, and bits gathered by PEXT.
//!
//! The module exists only in builds whose target has these features everywhere.

mod diagonals;

use std::arch::x86_64::*;

use self::diagonals::{DIAGONAL, DIAGONALS};
use super::last_flip::LINE;
use super::portable::{EASTWARDS, WESTWARDS};
use super::rays::RAYS;
use super::stability::{BORDERS, EDGE, spread};

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = 0x8080_8080_8080_8080;
const ALL: u64 = u64::MAX;

/// Four lanes, the first one lowest.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes(lanes: [u64; 4]) -> __m256i {
    _mm256_setr_epi64x(
        lanes[0] as i64,
        lanes[1] as i64,
        lanes[2] as i64,
        lanes[3] as i64,
    )
}

/// A vector with `word` in each lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn splat(word: u64) -> __m256i {
    _mm256_set1_epi64x(word as i64)
}

/// The four lanes or-ed together.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn union(lanes: __m256i) -> u64 {
    let pair = _mm_or_si128(
        _mm256_castsi256_si128(lanes),
        _mm256_extracti128_si256::<1>(lanes),
    );
    _mm_cvtsi128_si64(_mm_or_si128(pair, _mm_unpackhi_epi64(pair, pair))) as u64
}

/// The rays of `square` towards higher indices, and towards lower ones.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn rays(square: usize) -> (__m256i, __m256i) {
    let rays = &RAYS[square & 63];
    // SAFETY: both arrays are 32 bytes long, and a multiple of 32 bytes from
    // the start of `Rays`, which is aligned to 64.
    unsafe {
        (
            _mm256_load_si256(rays.up.as_ptr().cast()),
            _mm256_load_si256(rays.down.as_ptr().cast()),
        )
    }
}

/// See [`super::legal_moves`]. The portable algorithm with a direction in each lane.
#[inline]
#[allow(dead_code, reason = "a build with AVX-512 has its own")]
#[target_feature(enable = "avx2")]
pub(super) fn legal_moves(player: u64, opponent: u64) -> u64 {
    const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;
    let shift = lanes([1, 8, 9, 7]);
    let shift_twice = lanes([2, 16, 18, 14]);
    let discs = splat(player);
    let between = _mm256_and_si256(
        splat(opponent),
        lanes([INNER_FILES, ALL, INNER_FILES, INNER_FILES]),
    );

    let mut up = _mm256_and_si256(between, _mm256_sllv_epi64(discs, shift));
    let mut down = _mm256_and_si256(between, _mm256_srlv_epi64(discs, shift));
    up = or_and(up, between, _mm256_sllv_epi64(up, shift));
    down = or_and(down, between, _mm256_srlv_epi64(down, shift));
    let pairs_up = _mm256_and_si256(between, _mm256_sllv_epi64(between, shift));
    let pairs_down = _mm256_srlv_epi64(pairs_up, shift);
    up = or_and(up, pairs_up, _mm256_sllv_epi64(up, shift_twice));
    down = or_and(down, pairs_down, _mm256_srlv_epi64(down, shift_twice));
    up = or_and(up, pairs_up, _mm256_sllv_epi64(up, shift_twice));
    down = or_and(down, pairs_down, _mm256_srlv_epi64(down, shift_twice));

    let reached = _mm256_or_si256(_mm256_sllv_epi64(up, shift), _mm256_srlv_epi64(down, shift));
    union(reached) & !(player | opponent)
}

/// `base | a & b`
#[inline]
#[target_feature(enable = "avx2")]
fn or_and(base: __m256i, a: __m256i, b: __m256i) -> __m256i {
    _mm256_or_si256(base, _mm256_and_si256(a, b))
}

/// See [`super::flips`]. Upwards the nearest square without an opponent's disc
/// is a lowest set bit; downwards it is found by filling each ray behind it.
#[inline]
#[allow(dead_code, reason = "a build with AVX-512 has its own")]
#[target_feature(enable = "avx2")]
pub(super) fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let (up, down) = rays(square);
    let own = splat(player);
    let other = splat(opponent);
    let zero = _mm256_setzero_si256();

    let mut behind = _mm256_andnot_si256(other, down);
    behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, lanes([1, 8, 9, 7])));
    behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, lanes([2, 16, 18, 14])));
    behind = _mm256_or_si256(behind, _mm256_srlv_epi64(behind, lanes([4, 32, 36, 28])));
    let nearest = _mm256_andnot_si256(_mm256_srlv_epi64(behind, lanes([1, 8, 9, 7])), behind);
    let flank = _mm256_and_si256(_mm256_and_si256(nearest, own), down);
    let flips_down = _mm256_and_si256(_mm256_and_si256(other, down), _mm256_sub_epi64(zero, flank));

    let free = _mm256_andnot_si256(other, up);
    let nearest = _mm256_and_si256(free, _mm256_sub_epi64(zero, free));
    let flank = _mm256_and_si256(nearest, own);
    // One less, but zero stays zero.
    let below = _mm256_sub_epi64(
        _mm256_add_epi64(flank, splat(ALL)),
        _mm256_cmpeq_epi64(flank, zero),
    );
    union(or_and(flips_down, up, below))
}

/// See [`super::count_last_flip`]. The own discs on the row, the column and both diagonals are table indices.
#[inline]
#[target_feature(enable = "bmi2")]
pub(super) fn count_last_flip(square: usize, player: u64) -> u32 {
    let diagonals = &DIAGONALS[square & 63];
    let row = (player >> (square & 56)) as u8;
    let column = _pext_u64(player, FILE_A << (square & 7)) as u8;
    let on_both = _pext_u64(player, diagonals.mask) as u32;
    debug_assert!(on_both <= diagonals.full);
    // SAFETY: a square's part of the table starts at `start` and has `full` + 1
    // entries, and the gathered bits of its diagonals are no more than `full`.
    let on_both = unsafe { *DIAGONAL.get_unchecked((diagonals.start + on_both) as usize) };
    u32::from(LINE[square & 7][usize::from(row)])
        + u32::from(LINE[square >> 3 & 7][usize::from(column)])
        + u32::from(on_both)
}

/// See [`super::stable_edges`].
#[inline]
#[target_feature(enable = "bmi2")]
pub(super) fn stable_edges(own: u64, other: u64) -> u64 {
    let stable = |own: u64, other: u64| {
        let entry = usize::from(own as u8) << 8 | usize::from(other as u8);
        u64::from(EDGE[entry])
    };
    let file_a = stable(_pext_u64(own, FILE_A), _pext_u64(other, FILE_A));
    let file_h = stable(_pext_u64(own, FILE_H), _pext_u64(other, FILE_H));
    stable(own, other)
        | stable(own >> 56, other >> 56) << 56
        | _pdep_u64(file_a, FILE_A)
        | _pdep_u64(file_h, FILE_H)
}

/// See [`super::stable_discs`].
#[inline]
#[target_feature(enable = "avx2,bmi2")]
pub(super) fn stable_discs(own: u64, other: u64) -> u64 {
    let edges = stable_edges(own, other);
    spread(own, edges, safe_along_lines(!(own | other)))
}

/// The squares on full rows, columns and diagonals, or where such a line ends.
#[inline]
#[target_feature(enable = "avx2")]
fn safe_along_lines(empties: u64) -> [u64; 4] {
    const SHIFTS: [[u64; 4]; 3] = [[1, 8, 9, 7], [2, 16, 18, 14], [4, 32, 36, 28]];
    let mut up = splat(empties);
    let mut down = up;
    for (step, shifts) in SHIFTS.iter().enumerate() {
        let (east, west) = (EASTWARDS[step], WESTWARDS[step]);
        let shift = lanes(*shifts);
        up = or_and(
            up,
            _mm256_sllv_epi64(up, shift),
            lanes([east, ALL, east, west]),
        );
        down = or_and(
            down,
            _mm256_srlv_epi64(down, shift),
            lanes([west, ALL, west, east]),
        );
    }
    let touched = _mm256_or_si256(up, down);
    let full = _mm256_xor_si256(touched, splat(ALL));
    let safe = _mm256_or_si256(full, lanes(BORDERS));
    // SAFETY: both are 32 bytes of plain bits.
    unsafe { std::mem::transmute::<__m256i, [u64; 4]>(safe) }
}
