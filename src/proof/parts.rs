//! A proof made of others: a part of one, or many as the parts of a larger one.

use super::file::write;
use super::make::{MakeError, header, theirs};
use super::strategy::Strategy;
use super::verify::file::{Claim, Failure, Header};
use super::verify::walk::Turn;
use crate::files::OutputFile;
use crate::rules::{Board, Position, Square};

/// Writes what `strategies` prove about `position`, a claim of each, and answers the size in bytes.
///
/// # Errors
/// If a strategy does not need the position, or the file cannot be written.
pub fn cut(
    strategies: &[&Strategy],
    position: Position,
    leaf_empties: u8,
    output: OutputFile,
    memory: usize,
) -> Result<(Header, u64), MakeError> {
    let claim = |strategy: &&Strategy| match strategy.turn(position) {
        Turn::Claimant => Claim::AtLeast(strategy.claim.goal()),
        Turn::Opponent => Claim::AtMost(-strategy.claim.goal()),
    };
    let claims: Vec<Claim> = strategies.iter().map(claim).collect();
    let header = header(position, &claims, leaf_empties);
    let choose = |index: usize, board| strategies[index].choose(board);
    assemble(header, output, memory, &choose)
}

/// Writes the proof of a claim about `position` whose moves are named by `tree` near the root, and
/// below by `parts`: proofs of a goal that is at least as high, for either colour.
///
/// # Errors
/// If neither knows how to go on somewhere, or the file cannot be written.
pub fn join(
    position: Position,
    claim: Claim,
    tree: &dyn Fn(Board) -> Option<Square>,
    parts: &[Strategy],
    leaf_empties: u8,
    output: OutputFile,
    memory: usize,
) -> Result<(Header, u64), MakeError> {
    let able: Vec<&Strategy> = parts
        .iter()
        .filter(|part| part.claim.goal() >= claim.goal())
        .collect();
    let header = header(position, &[claim], leaf_empties);
    let choose = |_, board| {
        let mut known = able.iter().filter_map(|part| part.choose(board));
        known.next().or_else(|| tree(board))
    };
    assemble(header, output, memory, &choose)
}

/// Writes the proof of all claims of `header`, where `choose` names the claimant's move for a claim and a board.
fn assemble(
    mut header: Header,
    output: OutputFile,
    memory: usize,
    choose: &dyn Fn(usize, Board) -> Option<Square>,
) -> Result<(Header, u64), MakeError> {
    let (mut moves, mut layers) = (Vec::new(), Vec::new());
    for (index, &claim) in header.claims.iter().enumerate() {
        let sizes = header.walk(index, memory, &mut |empties, turn, boards| {
            if turn == Turn::Opponent || empties <= u32::from(header.leaf_empties) {
                return Ok(Vec::new());
            }
            let chosen = boards
                .iter()
                .map(|&board| match choose(index, theirs(board)) {
                    Some(square) => Ok(square.index() as u8),
                    None => {
                        let place = header.place(claim, board, turn);
                        let reason = format!("no proof says how to go on at {place}");
                        Err(Failure(reason))
                    }
                });
            let chosen: Vec<u8> = chosen.collect::<Result<_, _>>()?;
            moves.extend(&chosen);
            Ok(chosen)
        })?;
        layers.push(sizes);
    }
    header.layers = layers;
    let mut size = 0;
    output.write(|out| {
        size = write(&header, &moves[..], out)?;
        Ok(())
    })?;
    Ok((header, size))
}
