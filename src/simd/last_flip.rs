//! Tables for the last empty square of a board, where whatever is not the
//! player's is the opponent's: the player's discs on a line say all.

use super::rays::rays_of;

/// `LINE[position][own]`: discs that turn on a line of eight when `position`
/// is played, with the player's discs `own` on it; bit `position` does not matter.
pub(super) static LINE: [[u8; 256]; 8] = LINE_FLIPS;

const LINE_FLIPS: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut position = 0;
    while position < 8 {
        let mut own = 0;
        while own < 256 {
            table[position][own] = line_flips(position as u32, own as u32) as u8;
            own += 1;
        }
        position += 1;
    }
    table
};

/// Everything between `position` and the nearest own disc turns, on either side.
const fn line_flips(position: u32, own: u32) -> u32 {
    let below = own & ((1 << position) - 1);
    let above = own >> (position + 1);
    let mut flips = 0;
    if below != 0 {
        flips += position - 1 - below.ilog2();
    }
    if above != 0 {
        flips += above.trailing_zeros();
    }
    flips
}

/// The two diagonals of a square, seen as one gathered set of bits.
#[derive(Clone, Copy)]
pub(super) struct Diagonals {
    /// Both diagonals without the square itself: 7 to 13 squares.
    pub(super) mask: u64,
    /// Where this square's part of [`DIAGONAL`] begins.
    pub(super) start: u32,
    /// All bits of the gathered set.
    pub(super) full: u32,
    /// The diagonal of south-east and north-west alone.
    pub(super) falling: u64,
    /// The diagonal of south-west and north-east alone.
    pub(super) rising: u64,
}

/// The diagonals of each square.
pub(super) static DIAGONALS: [Diagonals; 64] = DIAGONALS_OF;

const DIAGONALS_OF: [Diagonals; 64] = {
    let mut all = [Diagonals {
        mask: 0,
        start: 0,
        full: 0,
        falling: 0,
        rising: 0,
    }; 64];
    let mut start = 0;
    let mut square = 0;
    while square < 64 {
        let rays = rays_of(square);
        let falling = rays.up[2] | rays.down[2];
        let rising = rays.up[3] | rays.down[3];
        let mask = falling | rising;
        let full = (1 << mask.count_ones()) - 1;
        all[square] = Diagonals {
            mask,
            start,
            full,
            falling,
            rising,
        };
        start += full + 1;
        square += 1;
    }
    all
};

const DIAGONAL_ENTRIES: usize = (DIAGONALS_OF[63].start + DIAGONALS_OF[63].full + 1) as usize;

/// Discs that turn on both diagonals of a square together, one part per square:
/// entry `start + i` is for own discs that, gathered by `mask`, are `i`. About 70 KB,
/// of which the squares that are empty late, near the border, use the small parts.
pub(super) static DIAGONAL: [u8; DIAGONAL_ENTRIES] = {
    let mut table = [0; DIAGONAL_ENTRIES];
    let mut square = 0;
    while square < 64 {
        let diagonals = &DIAGONALS_OF[square];
        let (falling, rising) = diagonal_bits(diagonals);
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
                LINE_FLIPS[position][falling as usize] + LINE_FLIPS[position][rising as usize];
            own += 1;
        }
        square += 1;
    }
    table
};

/// For each bit of the gathered set, the bit of its file, in the falling diagonal's
/// list or the rising one's.
const fn diagonal_bits(diagonals: &Diagonals) -> ([u8; 13], [u8; 13]) {
    let (mut falling, mut rising) = ([0; 13], [0; 13]);
    let mut rest = diagonals.mask;
    let mut i = 0;
    while rest != 0 {
        let square = rest.trailing_zeros();
        let file = 1 << (square & 7);
        if diagonals.falling >> square & 1 != 0 {
            falling[i] = file;
        } else {
            rising[i] = file;
        }
        rest &= rest - 1;
        i += 1;
    }
    (falling, rising)
}
