//! What searches and solves tell.

use emilia::binding::{FoundLine, Proven};

use crate::position::{EMILIA_NO_MOVE, number_of};

/// Nothing is proven: the score is an estimate.
pub const EMILIA_PROVEN_NONE: u8 = 0;
/// The claim that was asked is true.
pub const EMILIA_PROVEN_CLAIM: u8 = 1;
/// Who wins is proven.
pub const EMILIA_PROVEN_WLD: u8 = 2;
/// The score is proven to the disc.
pub const EMILIA_PROVEN_EXACT: u8 = 3;
/// The claim that was asked is false.
pub const EMILIA_PROVEN_REFUTED: u8 = 4;

/// Most moves of a line.
pub const EMILIA_LINE: usize = 96;

/// What a search found. Scores are discs for the side to move.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EmiliaResult {
    /// The score: exact, a proven bound, or an estimate, as `proven` says.
    pub score: f64,
    /// Positions visited.
    pub nodes: u64,
    /// Plies searched; 0 where there was no search.
    pub depth: u32,
    /// The final score with best play is at least this, for certain; -64 says nothing.
    pub lower: i8,
    /// The final score is at most this, for certain; 64 says nothing.
    pub upper: i8,
    /// One of `EMILIA_PROVEN_..`.
    pub proven: u8,
    /// The best move, a square or `EMILIA_PASS`; `EMILIA_NO_MOVE` where the game is over.
    pub best: u8,
    /// Moves of `line`.
    pub line_length: u8,
    /// The expected line of play, passes included.
    pub line: [u8; EMILIA_LINE],
}

impl EmiliaResult {
    pub(crate) fn of(found: &FoundLine) -> EmiliaResult {
        let mut line = [EMILIA_NO_MOVE; EMILIA_LINE];
        for (to, &mv) in line.iter_mut().zip(&found.pv) {
            *to = number_of(Some(mv));
        }
        EmiliaResult {
            score: found.score,
            nodes: found.nodes,
            depth: found.depth,
            // Bounds are discs, -64 to 64.
            lower: found.bounds.lower() as i8,
            upper: found.bounds.upper() as i8,
            proven: number_of_proof(found.proven),
            best: number_of(found.best),
            line_length: found.pv.len().min(EMILIA_LINE) as u8,
            line,
        }
    }
}

/// The number of what is proven.
pub(crate) const fn number_of_proof(proven: Proven) -> u8 {
    match proven {
        Proven::Nothing => EMILIA_PROVEN_NONE,
        Proven::Claim => EMILIA_PROVEN_CLAIM,
        Proven::Refuted => EMILIA_PROVEN_REFUTED,
        Proven::Wld => EMILIA_PROVEN_WLD,
        Proven::Exact => EMILIA_PROVEN_EXACT,
    }
}
