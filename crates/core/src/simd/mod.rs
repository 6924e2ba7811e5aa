//! The hot primitives on plain `u64` sets of squares; bit i is square i,
//! A1 = 0, H1 = 7, H8 = 63.
//!
//! Each primitive exists in a portable version, and where it pays in vector
//! versions beside it; which one runs is chosen when compiling, by the target's
//! features. The portable ones are public so that benches can compare. This is
//! the only module with `unsafe` code; it knows no `Board`. [`hints`] has the other functions that
//! need `unsafe`.

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "bmi2"
))]
mod avx2;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    target_feature = "bmi2",
    target_feature = "avx512vl",
    target_feature = "avx512cd"
))]
mod avx512;
pub mod hints;
mod last_flip;
#[cfg(target_arch = "aarch64")]
mod neon;
pub mod portable;
mod rays;
mod stability;
#[cfg(test)]
mod tests;

/// Calls the fastest version of a primitive that the build's target can run.
macro_rules! fastest {
    ($primitive:ident($($argument:expr),*)) => {
        cfg_select! {
            all(
                target_arch = "x86_64",
                target_feature = "avx2",
                target_feature = "bmi2",
                target_feature = "avx512vl",
                target_feature = "avx512cd"
            ) => {
                // SAFETY: this arm exists only in builds whose target has these features.
                unsafe { avx512::$primitive($($argument),*) }
            }
            all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2") => {
                // SAFETY: this arm exists only in builds whose target has these features.
                unsafe { avx2::$primitive($($argument),*) }
            }
            target_arch = "aarch64" => {
                // SAFETY: NEON is part of every 64-bit ARM CPU.
                unsafe { neon::$primitive($($argument),*) }
            }
            _ => { portable::$primitive($($argument),*) }
        }
    };
}

/// Squares where `player` may place a disc.
#[inline]
pub fn legal_moves(player: u64, opponent: u64) -> u64 {
    fastest!(legal_moves(player, opponent))
}

/// Discs of `opponent` that turn when `player` plays the empty `square` (0..=63).
#[inline]
pub fn flips(square: usize, player: u64, opponent: u64) -> u64 {
    fastest!(flips(square, player, opponent))
}

/// Number of discs that `player` turns on the last empty `square`, 0..=19;
/// every other square that is not `player`'s is the opponent's.
#[inline]
pub fn count_last_flip(square: usize, player: u64) -> u32 {
    fastest!(count_last_flip(square, player))
}

/// Discs of `own` that can never turn, whatever either side plays, and in any order.
///
/// A subset of the truth: a disc counts where in each of its four lines no
/// square is empty, or the border or a stable own disc stands beside it; on
/// the edges, where no play along the edge can turn it.
#[inline]
pub fn stable_discs(own: u64, other: u64) -> u64 {
    fastest!(stable_discs(own, other))
}

/// The discs of `own` on the four edges that can never turn: exact for play on each edge alone.
#[inline]
pub fn stable_edges(own: u64, other: u64) -> u64 {
    fastest!(stable_edges(own, other))
}

/// Corners that `own` holds and its discs on the edges beside them, 0..=12; all are stable.
#[inline]
pub const fn corner_stability(own: u64) -> u32 {
    portable::corner_stability(own)
}

/// Empty squares beside a disc of `opponent` that a move there could flip if the mover had a disc
/// behind it: a superset of the legal moves.
#[inline]
pub const fn potential_moves(player: u64, opponent: u64) -> u64 {
    portable::potential_moves(player, opponent)
}

/// The squares that touch one of `set`, those of `set` among them only where they touch another.
#[inline]
pub const fn beside(set: u64) -> u64 {
    rays::beside(set)
}

/// The three to eight squares around `square` (0..=63).
#[inline]
pub fn neighbours(square: usize) -> u64 {
    rays::NEIGHBOURS[square & 63]
}
