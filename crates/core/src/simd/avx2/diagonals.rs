//! One table for both diagonals of the last empty square, for CPUs that gather bits by PEXT.

use crate::simd::last_flip::LINE;
use crate::simd::rays::rays_of;

/// The two diagonals of a square, seen as one gathered set of bits.
#[derive(Clone, Copy)]
pub(super) struct Diagonals {
    /// Both diagonals without the square itself: 7 to 13 squares.
    pub(super) mask: u64,
    /// Where this square's part of [`DIAGONAL`] begins.
    pub(super) start: u32,
    /// All bits of the gathered set.
    pub(super) full: u32,
}

/// The diagonals of each square.
pub(super) static DIAGONALS: [Diagonals; 64] = {
    let mut all = [Diagonals {
        mask: 0,
        start: 0,
        full: 0,
    }; 64];
    let mut start = 0;
    let mut square = 0;
    while square < 64 {
        let rays = rays_of(square);
        let mask = rays.up[2] | rays.down[2] | rays.up[3] | rays.down[3];
        let full = (1 << mask.count_ones()) - 1;
        all[square] = Diagonals { mask, start, full };
        start += full + 1;
        square += 1;
    }
    all
};

const DIAGONAL_ENTRIES: usize = (DIAGONALS[63].start + DIAGONALS[63].full + 1) as usize;

/// Discs that turn on both diagonals of a square together, one part per square:
/// entry `start + i` is for own discs that, gathered by `mask`, are `i`. About 70 KB,
/// of which the squares that are empty late, near the border, use the small parts.
pub(super) static DIAGONAL: [u8; DIAGONAL_ENTRIES] = {
    let mut table = [0; DIAGONAL_ENTRIES];
    let mut square = 0;
    while square < 64 {
        let diagonals = &DIAGONALS[square];
        let (falling, rising) = diagonal_bits(square);
        // The player's discs of each diagonal, by file, grown one disc at a time.
        let mut lines = [(0u8, 0u8); 1 << 13];
        let position = square & 7;
        let mut own = 0;
        while own <= diagonals.full as usize {
            if own != 0 {
                let last = own.trailing_zeros() as usize;
                let rest = lines[own & (own - 1)];
                lines[own] = (rest.0 | falling[last], rest.1 | rising[last]);
            }
            let (falling, rising) = lines[own];
            table[diagonals.start as usize + own] =
                LINE[position][falling as usize] + LINE[position][rising as usize];
            own += 1;
        }
        square += 1;
    }
    table
};

/// For each bit of the gathered set of `square`, its file as a bit in the list of
/// the diagonal it lies on: from north-west to south-east, or from north-east to south-west.
const fn diagonal_bits(square: usize) -> ([u8; 13], [u8; 13]) {
    let rays = rays_of(square);
    let on_falling = rays.up[2] | rays.down[2];
    let (mut falling, mut rising) = ([0; 13], [0; 13]);
    let mut rest = DIAGONALS[square].mask;
    let mut i = 0;
    while rest != 0 {
        let file = 1 << (rest.trailing_zeros() & 7);
        if on_falling & rest & rest.wrapping_neg() != 0 {
            falling[i] = file;
        } else {
            rising[i] = file;
        }
        rest &= rest - 1;
        i += 1;
    }
    (falling, rising)
}
