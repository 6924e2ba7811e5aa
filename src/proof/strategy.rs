//! A proof in memory, to look positions up in it.

use std::io::BufRead;

use super::make::{claimant, own, theirs};
use super::verify::board::Board;
use super::verify::file::{Claim, Failure, Header, ProofReader};
use super::verify::leaf;
use super::verify::walk::Turn;
use crate::rules::{self, Bitboard, Color, Position, Square, Symmetry};

/// The strategy of one claim: where the claimant goes at each of its positions.
pub struct Strategy {
    /// What it is for.
    pub claim: Claim,
    /// The side that it is for.
    pub claimant: Color,
    root_empties: u32,
    /// From the root's empty squares down to the leaves.
    layers: Vec<Positions>,
}

/// Positions of one layer, each list in ascending order.
#[derive(Default)]
struct Positions {
    claimant: Vec<Board>,
    /// One for each of `claimant`; none in the last layer.
    moves: Vec<u8>,
    opponent: Vec<Board>,
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

/// Reads the strategies of all claims of a proof, with so many bytes of memory while they are sorted. No leaf is solved.
///
/// # Errors
/// If it is no proof, as far as the moves tell.
pub fn read(source: impl BufRead, memory: usize) -> Result<(Header, Vec<Strategy>), Failure> {
    let mut strategies: Vec<Strategy> = Vec::new();
    let header = scan(source, memory, &mut |step| {
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
        Ok(())
    })?;
    // The game may be over at the root.
    for index in strategies.len()..header.claims.len() {
        strategies.push(Strategy::new(&header, index));
    }
    Ok((header, strategies))
}

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
    /// The claimant's moves, one for each of its positions above the leaves.
    pub moves: &'a [u8],
}

impl Step<'_> {
    /// The claim that this is about.
    pub fn claim(&self) -> Claim {
        self.header.claims[self.index]
    }
}

/// Reads the proof in `source` and walks through it, with so many bytes of memory for positions; `look`
/// is shown all positions. Answers what is proven if the leaves hold: none is solved.
///
/// # Errors
/// If it is no proof, as far as the moves tell.
pub fn scan(
    source: impl BufRead,
    memory: usize,
    look: &mut dyn FnMut(&Step<'_>) -> Result<(), Failure>,
) -> Result<Header, Failure> {
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

impl Strategy {
    fn new(header: &Header, index: usize) -> Strategy {
        let mut layers = Vec::new();
        layers.resize_with(header.layers[index].len(), Positions::default);
        Strategy {
            claim: header.claims[index],
            claimant: claimant(header, header.claims[index]),
            root_empties: header.root.empties().count_ones(),
            layers,
        }
    }

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
        self.at(position.board, self.turn(position))
    }

    fn at(&self, board: rules::Board, turn: Turn) -> Said {
        if board.must_pass() {
            return match self.at(board.pass(), turn.other()) {
                Said::Absent => Said::Absent,
                _ => Said::Pass,
            };
        }
        if board.is_over() {
            return Said::Over;
        }
        let Some(above) = self.root_empties.checked_sub(board.empty_count()) else {
            return Said::Absent;
        };
        let Some(layer) = self.layers.get(above as usize) else {
            return Said::Leaf;
        };
        let is_last = above as usize + 1 == self.layers.len();
        let smallest = own(board).canonical();
        let found = match turn {
            Turn::Claimant => layer.claimant.binary_search(&smallest),
            Turn::Opponent => layer.opponent.binary_search(&smallest),
        };
        match (found, turn) {
            (Err(_), _) => Said::Absent,
            (Ok(_), _) if is_last => Said::Leaf,
            (Ok(_), Turn::Opponent) => Said::Reply,
            (Ok(index), Turn::Claimant) => {
                let square = Square::wrapping(u32::from(layer.moves[index]));
                Said::Move(turn_back(board, square))
            }
        }
    }

    /// Does the leaf solver find that the claim holds at `board`, where it is the turn of `turn`? For few
    /// empty squares only.
    pub fn holds_at_leaf(&self, board: rules::Board, turn: Turn, nodes: &mut u64) -> bool {
        let goal = self.claim.goal();
        match turn {
            Turn::Claimant => leaf::reaches(own(board), goal, nodes),
            Turn::Opponent => !leaf::reaches(own(board), 2 - goal, nodes),
        }
    }

    /// The claimant's move at `board`: the proof's, or below its leaves one that the leaf solver finds.
    pub fn choose(&self, board: rules::Board) -> Option<Square> {
        match self.at(board, Turn::Claimant) {
            Said::Move(square) => Some(square),
            Said::Leaf => board
                .legal_moves()
                .find(|&square| self.holds_at_leaf(board.play(square), Turn::Opponent, &mut 0)),
            _ => None,
        }
    }

    /// The lines below each position of the claimant and of the opponent, layer by layer. A line ends at
    /// a leaf, or with the game.
    fn lines(&self) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut below: (Vec<f64>, Vec<f64>) = Default::default();
        let mut all = Vec::new();
        for (depth, layer) in self.layers.iter().enumerate().rev() {
            let next = self.layers.get(depth + 1);
            let ends = vec![1.0; layer.claimant.len()];
            let lines = match next {
                None => (ends, vec![1.0; layer.opponent.len()]),
                Some(next) => {
                    let of = |board: Board, turn| lines_of(board, turn, next, &below);
                    let answered = layer.claimant.iter().zip(&layer.moves);
                    let claimant =
                        answered.map(|(&board, &square)| of(child(board, square), Turn::Opponent));
                    let opponent = layer.opponent.iter().map(|&board| {
                        let moves = Bitboard(board.legal_moves());
                        moves
                            .map(|square| of(child(board, square.index() as u8), Turn::Claimant))
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
            let depth = (self.root_empties - position.board.empty_count()) as usize;
            match (self.layers.get(depth), lines.get(depth)) {
                (Some(layer), Some(lines)) => lines_of(own(position.board), turn, layer, lines),
                _ => 1.0,
            }
        };
        let total = worth(root);
        loop {
            let next = match self.look_up(position) {
                Said::Move(square) => square.into(),
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
fn lines_of(board: Board, turn: Turn, layer: &Positions, lines: &(Vec<f64>, Vec<f64>)) -> f64 {
    let (board, turn) = if board.legal_moves() != 0 {
        (board, turn)
    } else {
        (board.passed(), turn.other())
    };
    let (boards, lines) = match turn {
        Turn::Claimant => (&layer.claimant, &lines.0),
        Turn::Opponent => (&layer.opponent, &lines.1),
    };
    let found = boards.binary_search(&board.canonical());
    found
        .ok()
        .and_then(|index| lines.get(index))
        .copied()
        .unwrap_or(1.0)
}

/// The board after a legal move, seen by the other side.
fn child(board: Board, square: u8) -> Board {
    let bit = 1 << square;
    board.after(bit, board.flips(bit))
}

/// The square of `board` that is `square` on the smallest of its eight images.
fn turn_back(board: rules::Board, square: Square) -> Square {
    let smallest = theirs(own(board).canonical());
    let symmetry = Symmetry::all().find(|&symmetry| board.transform(symmetry) == smallest);
    symmetry.map_or(square, |symmetry| symmetry.inverse().apply_square(square))
}
