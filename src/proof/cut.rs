//! A part of a proof as a proof of its own.

use std::path::Path;

use super::file::Draft;
use super::make::{MakeError, own, theirs};
use super::strategy::Strategy;
use super::verify::board::Board;
use super::verify::file::{Claim, Claimed, Header};
use super::verify::layer::Room;
use super::verify::walk::{Failure, Question, Turn, Visitor};
use crate::files::OutputFile;
use crate::rules::{Color, Position};

/// Writes as the `output` at `path` what `strategies` prove about `position`, and answers the size in bytes.
///
/// # Errors
/// If a strategy does not need the position, or a file cannot be written.
pub fn cut(
    strategies: &[&Strategy],
    leaf_empties: u8,
    position: Position,
    path: &Path,
    output: OutputFile,
    room: &Room,
) -> Result<(Header, u64), MakeError> {
    let claim = |strategy: &&Strategy| Claimed {
        claim: match strategy.turn(position) {
            Turn::Claimant => Claim::AtLeast(strategy.question.goal),
            Turn::Opponent => Claim::AtMost(-strategy.question.goal),
        },
        layers: Vec::new(),
    };
    let mut header = Header {
        root: own(position.board),
        black_to_move: position.side == Color::Black,
        leaf_empties,
        claims: strategies.iter().map(claim).collect(),
    };
    let mut draft = Draft::create(path, &header)?;
    for (index, &strategy) in strategies.iter().enumerate() {
        let question = header.question(header.claims[index].claim);
        let mut cutting = Cutting {
            strategy,
            question,
            draft: &mut draft,
            layers: Vec::new(),
        };
        question.walk(room, &mut cutting)?;
        header.claims[index].layers = cutting.layers;
    }
    let bytes = draft.finish(output, &header)?;
    Ok((header, bytes))
}

struct Cutting<'a> {
    strategy: &'a Strategy,
    question: Question,
    draft: &'a mut Draft,
    layers: Vec<(u64, u64)>,
}

impl Visitor for Cutting<'_> {
    fn moves(&mut self, _: u32, boards: &[Board]) -> Result<Vec<u8>, Failure> {
        let side = self.strategy.claimant();
        let mut moves = Vec::with_capacity(boards.len());
        for &board in boards {
            let position = Position {
                board: theirs(board),
                side,
            };
            let Some(square) = self.strategy.choose(position) else {
                let place = self.question.place(board, Turn::Claimant);
                return Err(Failure::NoProof(format!(
                    "the proof does not say how to go on at {place}"
                )));
            };
            moves.push(square.index() as u8);
        }
        self.draft.add(&moves)?;
        Ok(moves)
    }

    fn leaves(&mut self, _: Turn, _: &[Board]) -> Result<(), Failure> {
        Ok(())
    }

    fn layer(&mut self, _: u32, claimant: u64, opponent: u64) -> Result<(), Failure> {
        self.layers.push((claimant, opponent));
        Ok(())
    }
}
