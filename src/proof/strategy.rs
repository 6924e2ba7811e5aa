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
    fn lines(&self) -> Vec<(Vec<f64>, Vec<f64>)> {
        let layers = &self.positions.layers;
        let mut below: (Vec<f64>, Vec<f64>) = Default::default();
        let mut all = Vec::new();
        for (depth, layer) in layers.iter().enumerate().rev() {
            let next = layers.get(depth + 1);
            let ends = vec![1.0; layer.claimant.len()];
            let lines = match next {
                None => (ends, vec![1.0; layer.opponent.len()]),
                Some(next) => {
                    let of = |board: Board, turn| lines_of(board, turn, next, &below);
                    let answered = layer.claimant.iter().zip(&layer.moves);
                    let claimant = answered.map(|(&board, &square)| {
                        of(child(board, board::Square(square).bit()), Turn::Opponent)
                    });
                    let opponent = layer.opponent.iter().map(|&board| {
                        let moves = squares(board.legal_moves());
                        moves
                            .map(|square| of(child(board, square), Turn::Claimant))
                            .sum()
                    });
                    (claimant.collect(), opponent.collect())
                }
            };
            below = lines.clone();
            all.push(lines);
        }
        all.reverse();
        all
    }

    /// The line in which the opponent holds out longest: it always chooses the move after which the
    /// proof needs most lines. It ends where the proof does. Also the number of lines in all.
    pub fn longest_line(&self, root: Position) -> (Vec<rules::Move>, f64) {
        let lines = self.lines();
        let mut position = root;
        let mut played = Vec::new();
        let worth = |position: Position| {
            let (position, turn) = match position.board.must_pass() {
                true => {
                    let passed = position.play(rules::Move::Pass).unwrap_or(position);
                    (passed, self.turn(passed))
                }
                false => (position, self.turn(position)),
            };
            let depth = (self.positions.root_empties - position.board.empty_count()) as usize;
            match (self.positions.layers.get(depth), lines.get(depth)) {
                (Some(layer), Some(lines)) => lines_of(own(position.board), turn, layer, lines),
                _ => 1.0,
            }
        };
        let total = worth(root);
        loop {
            let next = match self.look_up(position) {
                Said::Move(square) => engines(square).into(),
                Said::Pass => rules::Move::Pass,
                Said::Reply => {
                    let after = |square: Square| position.play(square.into()).map_or(0.0, worth);
                    let moves = position.board.legal_moves();
                    match moves.max_by(|&a, &b| after(a).total_cmp(&after(b))) {
                        Some(square) => square.into(),
                        None => return (played, total),
                    }
                }
                Said::Leaf | Said::Over | Said::Absent => return (played, total),
            };
            let Some(after) = position.play(next) else {
                return (played, total);
            };
            played.push(next);
            position = after;
        }
    }
}

/// The lines below a position that was reached, which is in `layer` unless the game is over.
fn lines_of(board: Board, turn: Turn, layer: &Layer, lines: &(Vec<f64>, Vec<f64>)) -> f64 {
    let (board, turn) = if board.legal_moves() != 0 {
        (board, turn)
    } else {
        (board.passed(), turn.other())
    };
    let lines = match turn {
        Turn::Claimant => &lines.0,
        Turn::Opponent => &lines.1,
    };
    let found = layer.find(board, turn).and_then(|index| lines.get(index));
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
