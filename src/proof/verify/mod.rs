//! The checker: is a file a proof of what it claims?
//!
//! It is made to be read in one sitting and to be believed. It has its own rules of the game
//! and shares no search, table, evaluation or vector code with the engine. docs/PROOF.md
//! describes the files and says why what is checked here suffices. In reading order:
//!
//! - `board`: legal moves, flips, the end of a game, the eight symmetries;
//! - `leaf`: playing out the last few squares;
//! - `walk`: all positions that a strategy leads to, whatever the opponent does;
//! - `file`: the bytes of a proof;
//! - `layer`: sorted sets that spill to disk. Only memory depends on it.

pub mod board;
pub mod file;
pub mod layer;
pub mod leaf;
pub mod walk;

use std::io::BufRead;

use rayon::prelude::*;

use board::Board;
use file::{Claimed, Header, ProofReader};
use layer::Room;
use walk::{Failure, Question, Turn, Visitor};

/// What was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// The claims that hold, with the sizes of their layers.
    pub header: Header,
    /// Positions above the leaves, of all claims.
    pub positions: u64,
    /// Leaves of all claims.
    pub leaves: u64,
    /// Boards looked at to solve the leaves.
    pub nodes: u64,
}

/// Checks the proof in `source`, with the threads of the current pool.
///
/// # Errors
/// Why it is none.
pub fn verify(source: impl BufRead, room: &Room) -> Result<Verified, Failure> {
    let mut reader = ProofReader::new(source)?;
    let header = reader.header.clone();
    let mut verified = Verified {
        header: header.clone(),
        positions: 0,
        leaves: 0,
        nodes: 0,
    };
    for claimed in &header.claims {
        let question = header.question(claimed.claim);
        let mut check = Check {
            question,
            claimed,
            reader: &mut reader,
            done: 0,
            nodes: 0,
        };
        question.walk(room, &mut check)?;
        verified.nodes += check.nodes;
        if let Some((leaves, above)) = claimed.layers.split_last() {
            let sum = |sizes: &[(u64, u64)]| sizes.iter().map(|size| size.0 + size.1).sum::<u64>();
            verified.positions += sum(above);
            verified.leaves += leaves.0 + leaves.1;
        }
    }
    reader.finish()?;
    Ok(verified)
}

/// Checks one claim while it is walked.
struct Check<'a, R> {
    question: Question,
    claimed: &'a Claimed,
    reader: &'a mut ProofReader<R>,
    /// Layers that are done.
    done: usize,
    nodes: u64,
}

impl<R: BufRead> Visitor for Check<'_, R> {
    fn moves(&mut self, _: u32, boards: &[Board]) -> Result<Vec<u8>, Failure> {
        self.reader.moves(boards.len())
    }

    fn leaves(&mut self, turn: Turn, boards: &[Board]) -> Result<(), Failure> {
        let solved: Vec<(bool, u64)> = boards
            .par_iter()
            .map(|&board| {
                let mut nodes = 0;
                let holds = match turn {
                    Turn::Claimant => leaf::reaches(board, self.question.goal, &mut nodes),
                    Turn::Opponent => !leaf::reaches(board, 2 - self.question.goal, &mut nodes),
                };
                (holds, nodes)
            })
            .collect();
        for (&board, (holds, nodes)) in boards.iter().zip(solved) {
            self.nodes += nodes;
            if !holds {
                let place = self.question.place(board, turn);
                return Err(Failure::NoProof(format!(
                    "at the leaf {place} the claimant cannot reach {:+}",
                    self.question.goal
                )));
            }
        }
        Ok(())
    }

    fn layer(&mut self, empties: u32, claimant: u64, opponent: u64) -> Result<(), Failure> {
        let said = self
            .claimed
            .layers
            .get(self.done)
            .copied()
            .unwrap_or((0, 0));
        self.done += 1;
        if (claimant, opponent) != said {
            return Err(Failure::NoProof(format!(
                "with {empties} empty squares the moves lead to {claimant} positions of the claimant \
                 and {opponent} of the opponent, the file says {} and {}",
                said.0, said.1
            )));
        }
        Ok(())
    }
}
