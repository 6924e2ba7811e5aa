//! Portable versions of every primitive: shifts and carries on 64-bit words.

const NOT_FILE_A: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_FILE_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Moves every square of `set` one step; `SHIFT` is the change of square index
/// (+1 is east, +8 is south). Squares that would wrap around an edge vanish.
const fn step<const SHIFT: i32>(set: u64) -> u64 {
    let moved = if SHIFT > 0 {
        set << SHIFT
    } else {
        set >> -SHIFT
    };
    match SHIFT {
        1 | 9 | -7 => moved & NOT_FILE_A,
        -1 | -9 | 7 => moved & NOT_FILE_H,
        _ => moved,
    }
}

/// Empty squares at the far end of a run of `opponent` discs that starts beside `player`.
const fn moves_towards<const SHIFT: i32>(player: u64, opponent: u64) -> u64 {
    let mut run = step::<SHIFT>(player) & opponent;
    let mut i = 0;
    while i < 5 {
        run |= step::<SHIFT>(run) & opponent;
        i += 1;
    }
    step::<SHIFT>(run)
}

/// See [`super::legal_moves`].
#[inline]
pub const fn legal_moves(player: u64, opponent: u64) -> u64 {
    let reached = moves_towards::<1>(player, opponent)
        | moves_towards::<-1>(player, opponent)
        | moves_towards::<8>(player, opponent)
        | moves_towards::<-8>(player, opponent)
        | moves_towards::<9>(player, opponent)
        | moves_towards::<-9>(player, opponent)
        | moves_towards::<7>(player, opponent)
        | moves_towards::<-7>(player, opponent);
    reached & !(player | opponent)
}

const fn flips_towards<const SHIFT: i32>(bit: u64, player: u64, opponent: u64) -> u64 {
    let mut run = step::<SHIFT>(bit) & opponent;
    let mut i = 0;
    while i < 5 {
        run |= step::<SHIFT>(run) & opponent;
        i += 1;
    }
    if step::<SHIFT>(run) & player != 0 {
        run
    } else {
        0
    }
}

/// See [`super::flips`].
#[inline]
pub const fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    let bit = 1u64 << square;
    flips_towards::<1>(bit, player, opponent)
        | flips_towards::<-1>(bit, player, opponent)
        | flips_towards::<8>(bit, player, opponent)
        | flips_towards::<-8>(bit, player, opponent)
        | flips_towards::<9>(bit, player, opponent)
        | flips_towards::<-9>(bit, player, opponent)
        | flips_towards::<7>(bit, player, opponent)
        | flips_towards::<-7>(bit, player, opponent)
}
