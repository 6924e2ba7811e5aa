//! What the versions of the stability primitives share: the edge table, the
//! lines of the board, and the spread from stable discs to their neighbours.

/// The squares that are never flanked along a row, a column, and either
/// diagonal, because one of the two neighbours on that line is off the board.
pub(super) const BORDERS: [u64; 4] = [
    0x8181_8181_8181_8181,
    0xff00_0000_0000_00ff,
    0xff81_8181_8181_81ff,
    0xff81_8181_8181_81ff,
];

/// Grows `stable` until no disc of `own` can be added. `safe` are the squares
/// that cannot be flanked along a row, a column and the two diagonals because
/// the line is full or ends there; it holds [`BORDERS`], so a shift that wraps
/// around an edge lands where it changes nothing.
#[inline]
pub(super) fn spread(own: u64, mut stable: u64, safe: [u64; 4]) -> u64 {
    let [row, column, falling, rising] = safe;
    stable |= own & row & column & falling & rising;
    if stable == 0 {
        return 0;
    }
    loop {
        let beside = (row | stable << 1 | stable >> 1)
            & (column | stable << 8 | stable >> 8)
            & (falling | stable << 9 | stable >> 9)
            & (rising | stable << 7 | stable >> 7);
        let grown = stable | own & beside;
        if grown == stable {
            return stable;
        }
        stable = grown;
    }
}

/// `EDGE[256 * own + other]`: discs of `own` on an edge of eight squares that
/// no play along the edge can turn, by exhaustion.
pub(super) static EDGE: [u8; 1 << 16] = {
    let mut table = [0; 1 << 16];
    // Every play adds a disc, so edges of many discs come first.
    let mut occupied: usize = 256;
    while occupied > 0 {
        occupied -= 1;
        let mut own = occupied;
        loop {
            table[own << 8 | occupied ^ own] = stable_on_edge(&table, own, occupied ^ own);
            if own == 0 {
                break;
            }
            own = (own - 1) & occupied;
        }
    }
    table
};

/// One entry of [`EDGE`], from those with one disc more.
const fn stable_on_edge(table: &[u8; 1 << 16], own: usize, other: usize) -> u8 {
    let mut stable = own as u8;
    let mut empties = !(own | other) & 0xff;
    while empties != 0 && stable != 0 {
        let square = empties & empties.wrapping_neg();
        let turned = edge_flips(square, own, other);
        stable &= table[(own | square | turned) << 8 | other & !turned];
        let turned = edge_flips(square, other, own);
        stable &= table[(own & !turned) << 8 | other | square | turned];
        empties &= empties - 1;
    }
    stable
}

/// Discs of `opponent` that turn when `player` plays `square`, all on one edge.
/// A disc may be placed where none turns: lines across the edge can make it legal.
const fn edge_flips(square: usize, player: usize, opponent: usize) -> usize {
    flanked::<true>(square, player, opponent) | flanked::<false>(square, player, opponent)
}

/// Discs that turn on one side of the square, upwards or downwards.
const fn flanked<const UP: bool>(square: usize, player: usize, opponent: usize) -> usize {
    let (mut run, mut next) = (0, square);
    loop {
        next = if UP { next << 1 } else { next >> 1 };
        if next & opponent == 0 {
            return if next & player != 0 { run } else { 0 };
        }
        run |= next;
    }
}
