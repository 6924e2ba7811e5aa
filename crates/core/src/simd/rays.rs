//! Geometry: the rays that leave each square, and its neighbours.

pub(super) const NOT_FILE_A: u64 = 0xfefe_fefe_fefe_fefe;
pub(super) const NOT_FILE_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// Moves every square of `set` one step; `SHIFT` is the change of square index
/// (+1 is east, +8 is south). Squares that would wrap around an edge vanish.
#[inline]
pub(super) const fn step<const SHIFT: i32>(set: u64) -> u64 {
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

/// The squares that touch one of `set`, those of `set` among them only where they touch another.
#[inline]
pub(super) const fn beside(set: u64) -> u64 {
    let sides = step::<1>(set) | step::<-1>(set);
    let row = set | sides;
    sides | step::<8>(row) | step::<-8>(row)
}

/// The eight rays of a square, without the square itself, up to the board's border.
/// Lane by lane the two halves of a row, a column, a diagonal and an anti-diagonal.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Rays {
    /// Towards higher indices: east, south, south-east, south-west.
    pub(super) up: [u64; 4],
    /// Towards lower indices: west, north, north-west, north-east.
    pub(super) down: [u64; 4],
}

/// The rays of each square.
pub(super) static RAYS: [Rays; 64] = {
    let mut rays = [Rays {
        up: [0; 4],
        down: [0; 4],
    }; 64];
    let mut square = 0;
    while square < 64 {
        rays[square] = rays_of(square);
        square += 1;
    }
    rays
};

/// The squares around each square.
pub(super) static NEIGHBOURS: [u64; 64] = {
    let mut neighbours = [0; 64];
    let mut square = 0;
    while square < 64 {
        neighbours[square] = beside(1 << square);
        square += 1;
    }
    neighbours
};

/// The rays of one square, 0..=63.
pub(super) const fn rays_of(square: usize) -> Rays {
    Rays {
        up: [
            ray::<1>(square),
            ray::<8>(square),
            ray::<9>(square),
            ray::<7>(square),
        ],
        down: [
            ray::<-1>(square),
            ray::<-8>(square),
            ray::<-9>(square),
            ray::<-7>(square),
        ],
    }
}

const fn ray<const SHIFT: i32>(square: usize) -> u64 {
    let mut ray = 0;
    let mut next = step::<SHIFT>(1 << square);
    while next != 0 {
        ray |= next;
        next = step::<SHIFT>(next);
    }
    ray
}
