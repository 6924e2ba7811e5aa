//! A proof in memory, to look positions up in it: the checker's strategies for the engine's positions.

use std::io::Read;

use super::make::{claimant, own};
use super::verify::board::{self, Board, squares};
use super::verify::file::{Claim, Failure, Header};
pub use super::verify::strategy::Said;
use super::verify::strategy::{self as proven, Layer};
use super::verify::walk::Turn;
use crate::rules::{self, Color, Position, Square};

/// The strategy of one claim: where the claimant goes at each of its positions.
pub struct Strategy {
    /// What it is for.
    pub claim: Claim,
    /// The side that it is for.
    pub claimant: Color,
    positions: proven::Strategy,
}

/// Reads the strategies of all claims of a proof, with so many bytes of memory while they are sorted. No leaf is solved.
///
/// # Errors
/// If it is no proof, as far as the moves tell.
pub fn read(source: impl Read, memory: usize) -> Result<(Header, Vec<Strategy>), Failure> {
    let (header, strategies) = proven::read(source, memory)?;
    let strategies = strategies.into_iter().map(|positions| Strategy {
        claim: positions.claim,
        claimant: claimant(&header, positions.claim),
        positions,
    });
    let strategies = strategies.collect();
    Ok((header, strategies))
}

impl Strategy {
    /// Whose turn it is at `position`.
    pub fn turn(&self, position: Position) -> Turn {
        if position.side == self.claimant {
            Turn::Claimant
        } else {
            Turn::Opponent
        }
    }

    /// What the proof says about `position`.
    pub fn look_up(&self, position: Position) -> Said {
        self.positions
            .look_up(own(position.board), self.turn(position))
    }

    /// Does the leaf solver find that the claim holds at `board`, where it is the turn of `turn`? For few
    /// empty squares only.
    pub fn holds_at_leaf(&self, board: rules::Board, turn: Turn, nodes: &mut u64) -> bool {
        self.positions.holds_at_leaf(own(board), turn, nodes)
    }

    /// The claimant's move at `board`: the proof's, or below its leaves one that the leaf solver finds.
    pub fn choose(&self, board: rules::Board) -> Option<Square> {
        self.positions.choose(own(board)).map(engines)
    }

    /// The lines below each position of the claimant and of the opponent, layer by layer. A line ends at
    /// a leaf, or with the game.
    fn lines(&self) -> Vec<[Vec<f64>; 2]> {
        let layers = &self.positions.layers;
        // Where none is counted, as in the last layer, there is one.
        let mut below: [Vec<f64>; 2] = Default::default();
        let mut all = vec![below.clone(); layers.len()];
        for (depth, pair) in layers.windows(2).enumerate().rev() {
            let of = |board, square, turn| lines_of(child(board, square), turn, &pair[1], &below);
            let answered = pair[0].claimant.iter().zip(&pair[0].moves);
            let claimant = answered
                .map(|(&board, &square)| of(board, board::Square(square).bit(), Turn::Opponent));
            let opponent = pair[0].opponent.iter().map(|&board| {
                let moves = squares(board.legal_moves());
                moves.map(|square| of(board, square, Turn::Claimant)).sum()
            });
            below = [claimant.collect(), opponent.collect()];
            all[depth] = below.clone();
        }
        all
    }

    /// The line in which the opponent holds out longest: it always chooses the move after which the
    /// proof needs most lines. It ends where the proof does. Also the number of lines in all.
    pub fn longest_line(&self, root: Position) -> (Vec<rules::Move>, f64) {
        let lines = self.lines();
        let worth = |position: Position| {
            let depth = (self.positions.root_empties - position.board.empty_count()) as usize;
            let layer = self.positions.layers.get(depth).zip(lines.get(depth));
            let (board, turn) = (own(position.board), self.turn(position));
            layer.map_or(1.0, |(layer, lines)| lines_of(board, turn, layer, lines))
        };
        let next = |position: Position| match self.look_up(position) {
            Said::Move(square) => Some(engines(square).into()),
            Said::Pass => Some(rules::Move::Pass),
            Said::Reply => {
                let after = |square: Square| position.play(square.into()).map_or(0.0, worth);
                let moves = position.board.legal_moves();
                let longest = moves.max_by(|&a, &b| after(a).total_cmp(&after(b)));
                longest.map(rules::Move::Place)
            }
            Said::Leaf | Said::Over | Said::Absent => None,
        };
        let (mut position, mut played) = (root, Vec::new());
        while let Some(mv) = next(position)
            && let Some(after) = position.play(mv)
        {
            played.push(mv);
            position = after;
        }
        (played, worth(root))
    }
}

/// The lines below a position that was reached, which is in `layer` unless the game is over.
fn lines_of(board: Board, turn: Turn, layer: &Layer, lines: &[Vec<f64>; 2]) -> f64 {
    let (board, turn) = match board.legal_moves() {
        0 => (board.passed(), turn.other()),
        _ => (board, turn),
    };
    let index = layer.find(board, turn);
    let found = index.and_then(|index| lines[turn as usize].get(index));
    found.copied().unwrap_or(1.0)
}

/// The board after a legal move, given as a bit, seen by the other side.
fn child(board: Board, square: u64) -> Board {
    board.after(square, board.flips(square))
}

/// The engine's form of a square.
fn engines(square: board::Square) -> Square {
    Square::wrapping(u32::from(square.0))
}
