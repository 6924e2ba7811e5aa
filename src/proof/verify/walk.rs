//! The walk: which positions a strategy leads to, layer by layer.
//!
//! A layer holds the positions with the same number of empty squares, up to symmetry, each
//! once, in ascending order, the claimant's (where it is to move) apart from the opponent's. The
//! first layer is the root. Each layer makes the next: a position of the claimant by the one
//! move that the visitor gives, a position of the opponent by all legal moves. Where a side must
//! pass, the turn goes over at once, and where a game has ended, its score is checked at once.
//! The layer of `leaf_empties` empty squares is given to the visitor and not expanded.
//!
//! So nothing that the opponent can do is left out, whatever the visitor says.

use std::io;

use rayon::prelude::*;
use thiserror::Error;

use super::board::{Board, squares};
use super::layer::{Collector, Layer, Room};

/// Boards that are handled in one go.
const CHUNK: usize = 1 << 14;

/// Boards that one thread takes at a time.
const SHARE: usize = 256;

/// Whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The side that claims.
    Claimant,
    /// The other side.
    Opponent,
}

impl Turn {
    /// After a move or a pass.
    pub const fn other(self) -> Turn {
        match self {
            Turn::Claimant => Turn::Opponent,
            Turn::Opponent => Turn::Claimant,
        }
    }
}

/// What is to be proven: from `root`, the claimant ends with at least `goal` discs more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// Where the claim is made, seen by the side to move.
    pub root: Board,
    /// Is that side black?
    pub black_to_move: bool,
    /// Does it claim, or its opponent?
    pub turn: Turn,
    /// Score that the claimant reaches, even.
    pub goal: i32,
    /// Empty squares of the positions that are not expanded.
    pub leaf_empties: u32,
}

/// Why something is no proof.
#[derive(Debug, Error)]
pub enum Failure {
    /// A file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What is wrong, and where.
    #[error("{0}")]
    NoProof(String),
}

impl Failure {
    /// Something that is wrong.
    pub fn new(reason: impl Into<String>) -> Failure {
        Failure::NoProof(reason.into())
    }
}

/// What looks at a walk, and says where the claimant goes.
pub trait Visitor {
    /// The claimant's moves at `boards`, one each in their order: 8 * (rank - 1) + file.
    ///
    /// # Errors
    /// If there are none; it ends the walk.
    fn moves(&mut self, empties: u32, boards: &[Board]) -> Result<Vec<u8>, Failure>;

    /// Some positions of the opponent, which are expanded by all moves.
    ///
    /// # Errors
    /// If the walk is to end.
    fn opponents(&mut self, _boards: &[Board]) -> Result<(), Failure> {
        Ok(())
    }

    /// Some positions of the last layer.
    ///
    /// # Errors
    /// If one does not meet the claim.
    fn leaves(&mut self, turn: Turn, boards: &[Board]) -> Result<(), Failure>;

    /// A layer is done; it had so many positions of the claimant and of the opponent.
    ///
    /// # Errors
    /// If that is not as it should be.
    fn layer(&mut self, empties: u32, claimant: u64, opponent: u64) -> Result<(), Failure>;
}

impl Question {
    /// The 64 cells of `board`, where it is the turn of `turn`, and the side to move. The position
    /// may be turned or mirrored against the root.
    pub fn place(&self, board: Board, turn: Turn) -> String {
        let black_to_move = self.black_to_move == (turn == self.turn);
        let (mover, other) = if black_to_move {
            ('X', 'O')
        } else {
            ('O', 'X')
        };
        let cell = |square: u32| match (board.mover >> square & 1, board.other >> square & 1) {
            (0, 0) => '-',
            (0, _) => other,
            _ => mover,
        };
        let cells: String = (0..64).map(cell).collect();
        format!("{cells} {mover}")
    }

    /// Walks from the root to the leaves.
    ///
    /// # Errors
    /// The visitor's; an illegal move of the claimant; a game that ends badly for it.
    pub fn walk(&self, room: &Room, visitor: &mut dyn Visitor) -> Result<(), Failure> {
        let mut root = Positions::default();
        self.reach(self.root, self.turn, &mut root)?;
        let mut claimant = Collector::new(room);
        let mut opponent = Collector::new(room);
        claimant.add(&root.claimant)?;
        opponent.add(&root.opponent)?;
        let mut empties = self.root.empties().count_ones();
        while empties > self.leaf_empties {
            let mut next_claimant = Collector::new(room);
            let mut next_opponent = Collector::new(room);
            let mut keep = |found: Vec<Positions>| {
                found.iter().try_for_each(|positions| {
                    next_claimant.add(&positions.claimant)?;
                    next_opponent.add(&positions.opponent)
                })
            };
            let of_claimant = each_chunk(claimant.finish()?, |boards| {
                let moves = visitor.moves(empties, boards)?;
                Ok(keep(self.answer(boards, &moves)?)?)
            })?;
            let of_opponent = each_chunk(opponent.finish()?, |boards| {
                visitor.opponents(boards)?;
                Ok(keep(self.expand(boards)?)?)
            })?;
            visitor.layer(empties, of_claimant, of_opponent)?;
            (claimant, opponent) = (next_claimant, next_opponent);
            empties -= 1;
        }
        let mut leaves = |layer, turn| each_chunk(layer, |boards| visitor.leaves(turn, boards));
        let of_claimant = leaves(claimant.finish()?, Turn::Claimant)?;
        let of_opponent = leaves(opponent.finish()?, Turn::Opponent)?;
        visitor.layer(empties, of_claimant, of_opponent)
    }

    /// Where the claimant's `moves` lead from `boards`, one each.
    fn answer(&self, boards: &[Board], moves: &[u8]) -> Result<Vec<Positions>, Failure> {
        if moves.len() != boards.len() {
            return Err(Failure::new(
                "there are fewer moves than positions of the claimant",
            ));
        }
        let shares = boards.par_chunks(SHARE).zip(moves.par_chunks(SHARE));
        shares
            .map(|(boards, moves)| {
                let mut found = Positions::default();
                for (&board, &square) in boards.iter().zip(moves) {
                    let bit = 1_u64.checked_shl(u32::from(square)).unwrap_or(0);
                    let flips = board.flips(bit);
                    if bit & board.empties() == 0 || flips == 0 {
                        let place = self.place(board, Turn::Claimant);
                        let (file, rank) = (char::from(b'a' + square % 8), square / 8 + 1);
                        let reason = format!("at {place} the move {file}{rank} is not legal");
                        return Err(Failure::NoProof(reason));
                    }
                    self.reach(board.after(bit, flips), Turn::Opponent, &mut found)?;
                }
                Ok(found)
            })
            .collect()
    }

    /// Where all legal moves of the opponent lead from `boards`.
    fn expand(&self, boards: &[Board]) -> Result<Vec<Positions>, Failure> {
        let shares = boards.par_chunks(SHARE);
        shares
            .map(|boards| {
                let mut found = Positions::default();
                for &board in boards {
                    for square in squares(board.legal_moves()) {
                        let child = board.after(square, board.flips(square));
                        self.reach(child, Turn::Claimant, &mut found)?;
                    }
                }
                Ok(found)
            })
            .collect()
    }

    /// Adds `board`, or what it becomes by a pass; checks the score if the game is over.
    fn reach(&self, board: Board, turn: Turn, found: &mut Positions) -> Result<(), Failure> {
        if board.legal_moves() != 0 {
            found.add(board, turn);
        } else if board.passed().legal_moves() != 0 {
            found.add(board.passed(), turn.other());
        } else {
            let score = board.final_score();
            let of_claimant = match turn {
                Turn::Claimant => score,
                Turn::Opponent => -score,
            };
            if of_claimant < self.goal {
                let place = self.place(board, turn);
                return Err(Failure::NoProof(format!(
                    "the game ends at {place} with {score:+} for the side to move"
                )));
            }
        }
        Ok(())
    }
}

/// Positions, not yet sorted.
#[derive(Default)]
struct Positions {
    claimant: Vec<Board>,
    opponent: Vec<Board>,
}

impl Positions {
    fn add(&mut self, board: Board, turn: Turn) {
        match turn {
            Turn::Claimant => self.claimant.push(board.canonical()),
            Turn::Opponent => self.opponent.push(board.canonical()),
        }
    }
}

/// Calls `act` with all boards of `layer`, part by part, and counts them.
fn each_chunk(
    mut layer: Layer,
    mut act: impl FnMut(&[Board]) -> Result<(), Failure>,
) -> Result<u64, Failure> {
    let mut count = 0;
    loop {
        let boards = layer.next(CHUNK)?;
        if boards.is_empty() {
            return Ok(count);
        }
        count += boards.len() as u64;
        act(&boards)?;
    }
}
