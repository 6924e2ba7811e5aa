//! A proof in memory, to look positions up in it.
//!
//! Nothing that has to be believed stands here: a check does without it.

use std::io::{BufReader, Read};

use super::board::{Board, Square, squares};
use super::check::{Check, Progress, Report, holds};
use super::file::{Claim, Failure, Header};
use super::scan::{Step, scan};
use super::walk::Turn;

/// The strategy of one claim: where the claimant goes at each of its positions.
pub struct Strategy {
    /// What it is for.
    pub claim: Claim,
    /// Empty squares of the root.
    pub root_empties: u32,
    /// From the root's empty squares down to the leaves.
    pub layers: Vec<Layer>,
}

/// Positions of one layer, each list in ascending order.
#[derive(Default)]
pub struct Layer {
    /// Positions where the claimant is to move.
    pub claimant: Vec<Board>,
    /// Its moves, one for each: 8 * (rank - 1) + file. None in the last layer.
    pub moves: Vec<u8>,
    /// Positions where the opponent is to move.
    pub opponent: Vec<Board>,
}

/// What a proof says about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Said {
    /// It is the claimant's turn, and it goes there.
    Move(Square),
    /// It is the opponent's turn, and each of its moves is answered.
    Reply,
    /// The side to move must pass; what follows is in the proof.
    Pass,
    /// The proof leaves the position to the leaf solver.
    Leaf,
    /// The game is over.
    Over,
    /// The proof does not need it.
    Absent,
}

/// Reads the strategies of all claims of a proof, with so many bytes of memory while they are sorted. No
/// leaf is solved: the file is a proof as far as the moves tell.
pub fn read(source: impl Read, memory: usize) -> Result<(Header, Vec<Strategy>), Failure> {
    let mut strategies = Vec::new();
    let header = scan(BufReader::new(source), memory, &mut |step| {
        note(&mut strategies, step);
        Ok(())
    })?;
    complete(&mut strategies, &header);
    Ok((header, strategies))
}

/// Checks a proof as [`verify`](super::check::verify) does, and keeps the strategies of all its claims.
pub fn verified(
    source: impl Read,
    memory: usize,
    report: &mut dyn FnMut(Progress),
) -> Result<(Report, Vec<Strategy>), Failure> {
    let (mut strategies, mut check) = (Vec::new(), Check::new(report));
    let header = scan(BufReader::new(source), memory, &mut |step| {
        note(&mut strategies, step);
        check.take(step)
    })?;
    complete(&mut strategies, &header);
    let nodes = check.nodes;
    Ok((Report { header, nodes }, strategies))
}

/// Adds what a step shows.
fn note(strategies: &mut Vec<Strategy>, step: &Step<'_>) {
    for index in strategies.len()..=step.index {
        strategies.push(Strategy::new(step.header, index));
    }
    let strategy = &mut strategies[step.index];
    let layer = &mut strategy.layers[(strategy.root_empties - step.empties) as usize];
    match step.turn {
        Turn::Claimant => layer.claimant.extend(step.boards),
        Turn::Opponent => layer.opponent.extend(step.boards),
    }
    layer.moves.extend(step.moves);
}

/// Adds the strategies of claims that no step was about: the game may be over at the root.
fn complete(strategies: &mut Vec<Strategy>, header: &Header) {
    for index in strategies.len()..header.claims.len() {
        strategies.push(Strategy::new(header, index));
    }
}

impl Strategy {
    fn new(header: &Header, index: usize) -> Strategy {
        let mut layers = Vec::new();
        layers.resize_with(header.layers[index].len(), Layer::default);
        Strategy {
            claim: header.claims[index],
            root_empties: header.root.empties().count_ones(),
            layers,
        }
    }

    /// What the proof says about `board`, where it is the turn of `turn`. The board need not be the smallest
    /// of its eight images.
    pub fn look_up(&self, board: Board, turn: Turn) -> Said {
        if board.legal_moves() == 0 {
            let passed = board.passed();
            return if passed.legal_moves() == 0 {
                Said::Over
            } else if self.look_up(passed, turn.other()) == Said::Absent {
                Said::Absent
            } else {
                Said::Pass
            };
        }
        let empties = board.empties().count_ones();
        let Some(above) = self.root_empties.checked_sub(empties) else {
            return Said::Absent;
        };
        let Some(layer) = self.layers.get(above as usize) else {
            return Said::Leaf;
        };
        let is_last = above as usize + 1 == self.layers.len();
        match (layer.find(board, turn), turn) {
            (None, _) => Said::Absent,
            (Some(_), _) if is_last => Said::Leaf,
            (Some(_), Turn::Opponent) => Said::Reply,
            (Some(index), Turn::Claimant) => {
                Said::Move(board.turned_back(Square(layer.moves[index])))
            }
        }
    }

    /// Does the claim hold at `board`, where it is the turn of `turn`? By playing on, for few empty squares
    /// only. Adds the boards looked at to `nodes`.
    pub fn holds_at_leaf(&self, board: Board, turn: Turn, nodes: &mut u64) -> bool {
        holds(self.claim, board, turn, nodes)
    }

    /// The claimant's move at `board`: the proof's, or below its leaves one that the leaf solver finds.
    pub fn choose(&self, board: Board) -> Option<Square> {
        let holds = |square: u64| {
            let child = board.after(square, board.flips(square));
            self.holds_at_leaf(child, Turn::Opponent, &mut 0)
        };
        match self.look_up(board, Turn::Claimant) {
            Said::Move(square) => Some(square),
            Said::Leaf => {
                let found = squares(board.legal_moves()).find(|&square| holds(square));
                found.map(Square::of)
            }
            _ => None,
        }
    }
}

impl Layer {
    /// Where `board`, or one of its images, stands in the list of those whose turn it is.
    pub fn find(&self, board: Board, turn: Turn) -> Option<usize> {
        let boards = match turn {
            Turn::Claimant => &self.claimant,
            Turn::Opponent => &self.opponent,
        };
        boards.binary_search(&board.canonical()).ok()
    }
}
