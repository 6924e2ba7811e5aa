//! Versions for 64-bit ARM, where NEON is part of every CPU.
//!
//! A vector has two lanes of 64 bits. One holds a set, the other the same set turned by half a
//! turn, for which ARM has an instruction. A direction and its opposite are then one shift of both lanes by
//! a constant.

use std::arch::aarch64::*;

use super::portable::{self, north_south};
use super::rays::RAYS;
use super::stability::{BORDERS, spread};

/// `set` in the first lane, turned by half a turn in the second.
#[inline]
#[target_feature(enable = "neon")]
fn both_ways(set: u64) -> uint64x2_t {
    vcombine_u64(vcreate_u64(set), vcreate_u64(set.reverse_bits()))
}

/// The first lane and the second one, turned back, or-ed together.
#[inline]
#[target_feature(enable = "neon")]
fn union(lanes: uint64x2_t) -> u64 {
    vgetq_lane_u64::<0>(lanes) | vgetq_lane_u64::<1>(lanes).reverse_bits()
}

/// A board with the eight squares of `row` in each row.
#[inline]
#[target_feature(enable = "neon")]
fn rows(row: u8) -> uint64x2_t {
    vreinterpretq_u64_u8(vdupq_n_u8(row))
}

/// `base | a & b`
#[inline]
#[target_feature(enable = "neon")]
fn or_and(base: uint64x2_t, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
    vorrq_u64(base, vandq_u64(a, b))
}

/// See [`super::legal_moves`]. On a row an addition carries past the end of a run; no run that can
/// be turned along the row holds a square of an outer file, so that no carry leaves its row.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn legal_moves(player: u64, opponent: u64) -> u64 {
    let discs = both_ways(player);
    let all = both_ways(opponent);
    let inner = vandq_u64(all, rows(0x7e));
    let starts = vandq_u64(inner, vshlq_n_u64::<1>(discs));
    let row = vbicq_u64(vaddq_u64(inner, starts), inner);
    let column = moves_along::<8, 16>(discs, all);
    let falling = moves_along::<9, 18>(discs, inner);
    let rising = moves_along::<7, 14>(discs, inner);
    let reached = vorrq_u64(vorrq_u64(row, column), vorrq_u64(falling, rising));
    union(reached) & !(player | opponent)
}

/// Squares at the far end of a run of `between` that starts beside `discs`. A run is filled in
/// steps of 1, 2, 4 and 6 discs.
#[inline]
#[target_feature(enable = "neon")]
fn moves_along<const SHIFT: i32, const TWICE: i32>(
    discs: uint64x2_t,
    between: uint64x2_t,
) -> uint64x2_t {
    let pairs = vandq_u64(between, vshlq_n_u64::<SHIFT>(between));
    let mut run = vandq_u64(between, vshlq_n_u64::<SHIFT>(discs));
    run = or_and(run, between, vshlq_n_u64::<SHIFT>(run));
    run = or_and(run, pairs, vshlq_n_u64::<TWICE>(run));
    run = or_and(run, pairs, vshlq_n_u64::<TWICE>(run));
    vshlq_n_u64::<SHIFT>(run)
}

/// See [`super::flips`]. After half a turn the rays towards lower indices are those towards higher
/// ones.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let up = flips_up(square, player, opponent);
    let down = flips_up(square ^ 63, player.reverse_bits(), opponent.reverse_bits());
    // No disc is in both lanes.
    union(vpaddq_u64(up, down))
}

/// Flips along the rays towards higher indices, in two lanes.
#[inline]
#[target_feature(enable = "neon")]
fn flips_up(square: usize, player: u64, opponent: u64) -> uint64x2_t {
    let up = &RAYS[square & 63].up;
    // SAFETY: the array has two times two words.
    let (first, second) = unsafe { (vld1q_u64(up.as_ptr()), vld1q_u64(up.as_ptr().add(2))) };
    let (own, other) = (vdupq_n_u64(player), vdupq_n_u64(opponent));
    let flips = |rays: uint64x2_t| {
        // The nearest square without an opponent's disc, if it is the player's.
        let free = vbicq_u64(rays, other);
        let negated = vreinterpretq_u64_s64(vnegq_s64(vreinterpretq_s64_u64(free)));
        let flank = vandq_u64(vandq_u64(free, negated), own);
        vandq_u64(rays, vqsubq_u64(flank, vdupq_n_u64(1)))
    };
    vorrq_u64(flips(first), flips(second))
}

/// See [`super::count_last_flip`]. Multiplications gather bits well enough.
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn count_last_flip(square: usize, player: u64) -> u32 {
    portable::count_last_flip(square, player)
}

/// See [`super::stable_edges`]. As for [`count_last_flip`].
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn stable_edges(own: u64, other: u64) -> u64 {
    portable::stable_edges(own, other)
}

/// See [`super::stable_discs`].
#[inline]
#[target_feature(enable = "neon")]
pub(super) fn stable_discs(own: u64, other: u64) -> u64 {
    let empties = !(own | other);
    let full_rows = vceqz_u8(vreinterpret_u8_u64(vcreate_u64(empties)));
    let lanes = both_ways(empties);
    let safe = [
        BORDERS[0] | vget_lane_u64::<0>(vreinterpret_u64_u8(full_rows)),
        BORDERS[1] | !north_south(empties),
        BORDERS[2] | !smear::<9, 18, 36>(lanes, [0xfe, 0xfc, 0xf0]),
        BORDERS[3] | !smear::<7, 14, 28>(lanes, [0x7f, 0x3f, 0x0f]),
    ];
    spread(own, stable_edges(own, other), safe)
}

/// The lines of a shift through the squares of both lanes. The shift is made once, twice and four
/// times; `files` are those where the moved set may stand.
#[inline]
#[target_feature(enable = "neon")]
fn smear<const ONCE: i32, const TWICE: i32, const FOUR_TIMES: i32>(
    mut set: uint64x2_t,
    files: [u8; 3],
) -> u64 {
    set = or_and(set, vshlq_n_u64::<ONCE>(set), rows(files[0]));
    set = or_and(set, vshlq_n_u64::<TWICE>(set), rows(files[1]));
    set = or_and(set, vshlq_n_u64::<FOUR_TIMES>(set), rows(files[2]));
    union(set)
}
