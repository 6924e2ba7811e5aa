//! Portable versions of every primitive: shifts, carries and multiplications on 64-bit words.

use super::last_flip::LINE;
use super::rays::RAYS;
use super::stability::{BORDERS, EDGE, spread};

/// Every square but those of files A and H: a disc there cannot be flanked along a row or diagonal.
const INNER_FILES: u64 = 0x7e7e_7e7e_7e7e_7e7e;
const INNER_RANKS: u64 = 0x00ff_ffff_ffff_ff00;
const FILE_A: u64 = 0x0101_0101_0101_0101;

/// See [`super::legal_moves`].
#[inline]
pub const fn legal_moves(player: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_FILES;
    let reached = moves_along::<1>(player, inner)
        | moves_along::<8>(player, opponent)
        | moves_along::<9>(player, inner)
        | moves_along::<7>(player, inner);
    reached & !(player | opponent)
}

/// Squares at the far end of a run of `opponent` discs that starts beside `player`,
/// both ways along the lines of `SHIFT`. A run is filled in steps of 1, 2, 4 and 6 discs.
const fn moves_along<const SHIFT: u32>(player: u64, opponent: u64) -> u64 {
    let mut up = opponent & (player << SHIFT);
    let mut down = opponent & (player >> SHIFT);
    up |= opponent & (up << SHIFT);
    down |= opponent & (down >> SHIFT);
    let pairs_up = opponent & (opponent << SHIFT);
    let pairs_down = pairs_up >> SHIFT;
    up |= pairs_up & (up << (2 * SHIFT));
    down |= pairs_down & (down >> (2 * SHIFT));
    up |= pairs_up & (up << (2 * SHIFT));
    down |= pairs_down & (down >> (2 * SHIFT));
    up << SHIFT | down >> SHIFT
}

/// See [`super::flips`].
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let rays = &RAYS[square & 63];
    let up = rays.up.iter().map(|&ray| {
        // The nearest square without an opponent's disc, if it is the player's.
        let nearest = ray & !opponent;
        let flank = nearest & nearest.wrapping_neg() & player;
        ray & flank.saturating_sub(1)
    });
    let down = rays.down.iter().map(|&ray| {
        // Bit 0 keeps the count of leading zeros below 64; it is off the ray or ends it.
        let nearest = ray & !opponent | 1;
        let flank = (1 << 63) >> nearest.leading_zeros() & player & ray;
        ray & opponent & flank.wrapping_neg()
    });
    up.chain(down).fold(0, |all, flips| all | flips)
}

/// See [`super::count_last_flip`].
#[inline]
pub fn count_last_flip(square: usize, player: u64) -> u32 {
    let (file, rank) = (square & 7, square >> 3 & 7);
    let rays = &RAYS[square & 63];
    let row = player >> (8 * rank) & 0xff;
    let column = gather_file_a(player >> file);
    let falling = gather_files(player & (rays.up[2] | rays.down[2]));
    let rising = gather_files(player & (rays.up[3] | rays.down[3]));
    let count = |position: usize, own: u64| u32::from(LINE[position][own as usize & 0xff]);
    count(file, row) + count(rank, column) + count(file, falling) + count(file, rising)
}

/// The eight squares of file A as bits 0..=7, by rank; the other files are ignored.
const fn gather_file_a(set: u64) -> u64 {
    (set & FILE_A).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The files of a set that has at most one square on each, as bits 0..=7.
const fn gather_files(set: u64) -> u64 {
    set.wrapping_mul(FILE_A) >> 56
}

/// Bits 0..=7 onto file A, by rank: the inverse of [`gather_file_a`].
const fn scatter_file_a(bits: u8) -> u64 {
    // Seven bits at a time: the eighth copy would run into the first.
    let low = (bits as u64 & 0x7f).wrapping_mul(0x0002_0408_1020_4081) & FILE_A;
    low | (bits as u64 >> 7) << 56
}

/// See [`super::stable_edges`].
#[inline]
pub fn stable_edges(own: u64, other: u64) -> u64 {
    let stable = |own: u64, other: u64| EDGE[(own as usize & 0xff) << 8 | other as usize & 0xff];
    let file = |file: u32| stable(gather_file_a(own >> file), gather_file_a(other >> file));
    u64::from(stable(own, other))
        | u64::from(stable(own >> 56, other >> 56)) << 56
        | scatter_file_a(file(0))
        | scatter_file_a(file(7)) << 7
}

/// See [`super::stable_discs`].
#[inline]
pub fn stable_discs(own: u64, other: u64) -> u64 {
    spread(
        own,
        stable_edges(own, other),
        safe_along_lines(!(own | other)),
    )
}

/// The squares on full rows, columns and diagonals, or where such a line ends.
const fn safe_along_lines(empties: u64) -> [u64; 4] {
    [
        BORDERS[0] | !east_west(empties),
        BORDERS[1] | !north_south(empties),
        BORDERS[2] | !smear::<9>(empties, EASTWARDS, WESTWARDS),
        BORDERS[3] | !smear::<7>(empties, WESTWARDS, EASTWARDS),
    ]
}

/// Where a set that moved 1, 2 or 4 files to the east may stand.
pub(super) const EASTWARDS: [u64; 3] = [
    0xfefe_fefe_fefe_fefe,
    0xfcfc_fcfc_fcfc_fcfc,
    0xf0f0_f0f0_f0f0_f0f0,
];
/// Where a set that moved 1, 2 or 4 files to the west may stand.
pub(super) const WESTWARDS: [u64; 3] = [
    0x7f7f_7f7f_7f7f_7f7f,
    0x3f3f_3f3f_3f3f_3f3f,
    0x0f0f_0f0f_0f0f_0f0f,
];

/// All squares of the rows that `set` touches.
const fn east_west(set: u64) -> u64 {
    // What wraps into the next row stays clear of file A, which gathers the row.
    let mut row = set | set >> 4;
    row |= row >> 2;
    row |= row >> 1;
    (row & FILE_A).wrapping_mul(0xff)
}

/// All squares of the columns that `set` touches.
pub(super) const fn north_south(set: u64) -> u64 {
    let mut column = set;
    column |= column.rotate_left(8);
    column |= column.rotate_left(16);
    column | column.rotate_left(32)
}

/// The lines of `SHIFT` through the squares of `set`; the masks are for the shift to the left and to the right.
const fn smear<const SHIFT: u32>(set: u64, up_masks: [u64; 3], down_masks: [u64; 3]) -> u64 {
    let (mut up, mut down) = (set, set);
    up |= up << SHIFT & up_masks[0];
    down |= down >> SHIFT & down_masks[0];
    up |= up << (2 * SHIFT) & up_masks[1];
    down |= down >> (2 * SHIFT) & down_masks[1];
    up |= up << (4 * SHIFT) & up_masks[2];
    down |= down >> (4 * SHIFT) & down_masks[2];
    up | down
}

/// See [`super::corner_stability`].
#[inline]
pub const fn corner_stability(own: u64) -> u32 {
    let corners = own & 0x8100_0000_0000_0081;
    let beside = corners << 1 & 0x0200_0000_0000_0002
        | corners >> 1 & 0x4000_0000_0000_0040
        | corners << 8
        | corners >> 8;
    (corners | own & beside).count_ones()
}

/// See [`super::potential_moves`].
#[inline]
pub const fn potential_moves(player: u64, opponent: u64) -> u64 {
    let row = opponent & INNER_FILES;
    let column = opponent & INNER_RANKS;
    let inner = row & column;
    let around = row << 1
        | row >> 1
        | column << 8
        | column >> 8
        | inner << 9
        | inner >> 9
        | inner << 7
        | inner >> 7;
    around & !(player | opponent)
}
