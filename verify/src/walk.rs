//! The walk: which positions a strategy leads to, layer by layer.
//!
//! A layer holds the positions with the same number of empty squares, up to symmetry, each
//! once, in ascending order, the claimant's (where it is to move) before the opponent's. The
//! first layer is the root. Each layer makes the next: a position of the claimant by the one
//! move that the visitor gives, a position of the opponent by all legal moves. Where a side must
//! pass, the turn goes over at once, and where a game has ended, its score is checked at once.
//! The layer of `leaf_empties` empty squares is shown to the visitor and not expanded.
//!
//! So nothing that the opponent can do is left out, whatever the visitor says.

use std::io;

use rayon::prelude::*;

use super::board::{Board, Square, squares};
use super::file::{Claim, Failure, Header};
use super::layer::Set;

/// Boards that are handled in one go.
const CHUNK: usize = 1 << 14;

/// Boards that one thread takes at a time.
const SHARE: usize = 256;

/// Whose turn it is. The numbers are places in arrays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The side that claims.
    Claimant = 0,
    /// The other side.
    Opponent = 1,
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

/// What looks at a walk, and says where the claimant goes. It is given some positions of one side,
/// with so many empty squares. For the claimant's above the leaves the answer is a move each:
/// 8 * (rank - 1) + file. Otherwise it means nothing.
pub type Visit<'a> = dyn FnMut(u32, Turn, &[Board]) -> Result<Vec<u8>, Failure> + 'a;

/// Positions of the claimant and of the opponent, not yet sorted.
type Found = [Vec<Board>; 2];

impl Header {
    /// Walks from the root to the leaves of claim `index`, with so many bytes of memory for positions.
    /// Answers the sizes of the layers.
    pub fn walk(
        &self,
        index: usize,
        memory: usize,
        visit: &mut Visit<'_>,
    ) -> Result<Vec<[u64; 2]>, Failure> {
        let claim = self.claims[index];
        // Both sides' positions of this layer and of the next.
        let new_layer = || [Set::new(memory / 4), Set::new(memory / 4)];
        let add = |layer: &mut [Set; 2], found: &Found| -> io::Result<()> {
            layer[0].add(&found[0])?;
            layer[1].add(&found[1])
        };
        let (mut layer, mut root) = (new_layer(), Found::default());
        self.reach(claim, self.root, claim.turn(), &mut root)?;
        add(&mut layer, &root)?;
        let mut sizes = Vec::new();
        let mut empties = self.root.empties().count_ones();
        loop {
            let is_last = self.is_leaf(empties);
            let (mut next, mut size) = (new_layer(), [0; 2]);
            for (set, turn) in layer.into_iter().zip([Turn::Claimant, Turn::Opponent]) {
                let mut sorted = set.sorted()?;
                while let chunk = sorted.by_ref().take(CHUNK)
                    && let boards = chunk.collect::<io::Result<Vec<Board>>>()?
                    && !boards.is_empty()
                {
                    size[turn as usize] += boards.len() as u64;
                    let moves = visit(empties, turn, &boards)?;
                    if !is_last {
                        let found = self.expand(claim, turn, &boards, &moves)?;
                        found.iter().try_for_each(|found| add(&mut next, found))?;
                    }
                }
            }
            let said = self
                .layers
                .get(index)
                .and_then(|layers| layers.get(sizes.len()));
            if said.is_some_and(|said| *said != size) {
                let reason = format!(
                    "with {empties} empty squares the moves lead to {size:?} positions \
                     of the claimant and of the opponent, the file says {:?}",
                    said.copied().unwrap_or_default()
                );
                return Err(Failure::Wrong(reason));
            }
            sizes.push(size);
            if is_last {
                return Ok(sizes);
            }
            layer = next;
            empties -= 1;
        }
    }

    /// Where one move of the claimant leads from each of `boards`, or all moves of the opponent.
    fn expand(
        &self,
        claim: Claim,
        turn: Turn,
        boards: &[Board],
        moves: &[u8],
    ) -> Result<Vec<Found>, Failure> {
        let expand_share = |(number, share): (usize, &[Board])| {
            let mut found = Found::default();
            for (&board, index) in share.iter().zip(number * SHARE..) {
                let mut played = board.legal_moves();
                if turn == Turn::Claimant {
                    let square = Square(*moves.get(index).unwrap_or(&u8::MAX));
                    played &= square.bit();
                    if played == 0 {
                        let place = self.place(claim, board, turn);
                        let reason = format!("at {place} {square} is not legal");
                        return Err(Failure::Wrong(reason));
                    }
                }
                for square in squares(played) {
                    let child = board.after(square, board.flips(square));
                    self.reach(claim, child, turn.other(), &mut found)?;
                }
            }
            Ok(found)
        };
        let shares = boards.par_chunks(SHARE).enumerate();
        shares.map(expand_share).collect()
    }

    /// Adds `board`, or what it becomes by a pass; checks the score if the game is over.
    fn reach(
        &self,
        claim: Claim,
        board: Board,
        turn: Turn,
        found: &mut Found,
    ) -> Result<(), Failure> {
        if board.legal_moves() != 0 {
            found[turn as usize].push(board.canonical());
        } else if board.passed().legal_moves() != 0 {
            found[turn.other() as usize].push(board.passed().canonical());
        } else {
            let score = board.final_score();
            let of_claimant = if turn == Turn::Claimant {
                score
            } else {
                -score
            };
            if of_claimant < claim.goal() {
                let place = self.place(claim, board, turn);
                let reason =
                    format!("the game ends at {place} with {score:+} for the side to move");
                return Err(Failure::Wrong(reason));
            }
        }
        Ok(())
    }

    /// Is black to move where it is the turn of `turn`?
    pub fn is_black(&self, claim: Claim, turn: Turn) -> bool {
        self.black_to_move == (turn == claim.turn())
    }

    /// The root as it is printed: see [`Header::place`].
    pub fn place_of_root(&self) -> String {
        cells(self.root, self.black_to_move)
    }

    /// The 64 cells of `board`, where it is the turn of `turn`, and the side to move. The position
    /// may be turned or mirrored against the root.
    pub fn place(&self, claim: Claim, board: Board, turn: Turn) -> String {
        cells(board, self.is_black(claim, turn))
    }
}

fn cells(board: Board, is_black_to_move: bool) -> String {
    let (mover, other) = match is_black_to_move {
        true => ('X', 'O'),
        false => ('O', 'X'),
    };
    let cell = |square: u32| match (board.mover >> square & 1, board.other >> square & 1) {
        (0, 0) => '-',
        (0, _) => other,
        _ => mover,
    };
    let cells: String = (0..64).map(cell).collect();
    format!("{cells} {mover}")
}
