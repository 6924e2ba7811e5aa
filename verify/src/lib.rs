//! The checker: is a file a proof of what it claims?
//!
//! It is made to be read in one sitting and to be believed. It has its own rules of the game
//! and shares no search, table, evaluation or vector code with the engine. docs/PROOF.md
//! describes the files and says why what is checked here suffices. In reading order:
//!
//! - `board`: legal moves, flips, the end of a game, the eight symmetries;
//! - `leaf`: playing out the last few squares;
//! - `file`: the bytes of a proof;
//! - `walk`: all positions that a strategy leads to, whatever the opponent does;
//! - `layer`: sorted sets that spill to disk.
//!
//! An error says why something is no proof.

#![expect(
    clippy::missing_errors_doc,
    reason = "each error says why something is no proof"
)]

pub mod board;
pub mod file;
pub mod layer;
pub mod leaf;
pub mod walk;

use std::io::BufRead;

use rayon::prelude::*;

use board::Board;
use file::{Failure, Header, ProofReader};
use walk::Turn;

/// Checks the proof in `source`, with the threads of the current pool and so many bytes of memory for
/// positions. Answers what it proves, and the boards looked at to solve its leaves.
pub fn verify(source: impl BufRead, memory: usize) -> Result<(Header, u64), Failure> {
    let mut reader = ProofReader::new(source)?;
    let header = reader.header.clone();
    let mut nodes = 0;
    for (index, claim) in header.claims.iter().enumerate() {
        let goal = claim.goal();
        let solve = |board: Board, turn: Turn| {
            let mut nodes = 0;
            let holds = match turn {
                Turn::Claimant => leaf::reaches(board, goal, &mut nodes),
                Turn::Opponent => !leaf::reaches(board, 2 - goal, &mut nodes),
            };
            if holds {
                return Ok(nodes);
            }
            let place = header.place(*claim, board, turn);
            let reason = format!("at the leaf {place} the claimant cannot reach {goal:+}");
            Err(Failure::Wrong(reason))
        };
        header.walk(index, memory, &mut |empties, turn, boards| {
            if header.is_leaf(empties) {
                let solved = boards.par_iter().map(|&board| solve(board, turn));
                nodes += solved.sum::<Result<u64, Failure>>()?;
            } else if turn == Turn::Claimant {
                return reader.moves(boards.len());
            }
            Ok(Vec::new())
        })?;
    }
    reader.finish()?;
    Ok((header, nodes))
}
