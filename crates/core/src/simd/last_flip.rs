//! Tables for the last empty square of a board. All other squares that are not the player's are
//! the opponent's, so that the player's discs on a line are enough to know.

/// `LINE[position][own]`: discs that turn on a line of eight when `position`
/// is played, with the player's discs `own` on it; bit `position` does not matter.
pub(super) static LINE: [[u8; 256]; 8] = {
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
