//! Reading a proof along its walk: each position, and where the claimant goes from it.

use std::io::BufRead;

use super::board::Board;
use super::file::{Claim, Failure, Header, ProofReader};
use super::walk::Turn;

/// Some positions of one side in one layer of a proof.
pub struct Step<'a> {
    /// What the file says before its moves.
    pub header: &'a Header,
    /// Which of its claims this is about.
    pub index: usize,
    /// Empty squares of the positions.
    pub empties: u32,
    /// Whose turn it is.
    pub turn: Turn,
    /// The positions, in ascending order.
    pub boards: &'a [Board],
    /// The claimant's moves, one for each of its positions above the leaves: 8 * (rank - 1) + file.
    pub moves: &'a [u8],
}

impl Step<'_> {
    /// The claim that this is about.
    pub fn claim(&self) -> Claim {
        self.header.claims[self.index]
    }
}

/// What is shown all positions of a proof.
pub type Look<'a> = dyn FnMut(&Step<'_>) -> Result<(), Failure> + 'a;

/// Reads the proof in `source` and walks through it, with so many bytes of memory for positions; `look`
/// is shown all positions. Answers what is proven if the leaves hold: none is solved.
pub fn scan(source: impl BufRead, memory: usize, look: &mut Look<'_>) -> Result<Header, Failure> {
    let mut reader = ProofReader::new(source)?;
    let header = reader.header.clone();
    for index in 0..header.claims.len() {
        header.walk(index, memory, &mut |empties, turn, boards| {
            let moves = match turn {
                Turn::Claimant if !header.is_leaf(empties) => reader.moves(boards.len())?,
                _ => Vec::new(),
            };
            look(&Step {
                header: &header,
                index,
                empties,
                turn,
                boards,
                moves: &moves,
            })?;
            Ok(moves)
        })?;
    }
    reader.finish()?;
    Ok(header)
}
