//! Making a proof: the checker's walk, with the engine to say where the claimant goes.
//!
//! A solve comes first: it decides the claim, fills the table, and notes the moves that it finds good enough
//! ([`Searcher::note_wins`]). Then nearly every position of the walk is answered without a search. As each layer follows from the moves of the
//! one above, the moves found so far are all that a run that was killed needs to go on.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::draft::Draft;
use super::verify::board::Board;
use super::verify::file::{Claim, Failure, Header};
use super::verify::walk::Turn;
use crate::files::{FileError, OutputFile};
use crate::rules::{self, Color, Position, Symmetry};
use crate::search::{Control, Goal, Limits, Questions, Reply, Searcher, TimeLimit};

/// Empty squares of a leaf if nothing is said.
pub const LEAF_EMPTIES: u8 = 8;

/// What ends the making of a proof before it is done.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Nodes of the search, all threads.
    pub nodes: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
}

/// Why there is no proof.
#[derive(Debug, Error)]
pub enum MakeError {
    /// A limit was reached, or the run was stopped.
    #[error("unsolved: stopped after {nodes} nodes")]
    Unsolved {
        /// Nodes until then.
        nodes: u64,
    },
    /// The proof cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file beside it cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Something else.
    #[error(transparent)]
    Failed(#[from] Failure),
}

/// A proof that was made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Made {
    /// What the file says before its moves.
    pub header: Header,
    /// Its size.
    pub bytes: u64,
    /// Nodes that the search took after the solve.
    pub nodes: u64,
}

/// The claims to prove, where the score is known to lie between these bounds. Asked is who wins (`None`),
/// or whether some claims hold; if one of them is false, its opposite is proven. None if the bounds do
/// not decide what is asked, or if it is true of every score.
pub fn claims(asked: Option<&[Claim]>, (lower, upper): (i32, i32)) -> Vec<Claim> {
    let mut claims = match asked {
        Some(asked) => asked.to_vec(),
        None if lower > 0 => vec![Claim::AtLeast(2)],
        None if upper < 0 => vec![Claim::AtMost(-2)],
        None => vec![Claim::AtLeast(0), Claim::AtMost(0)],
    };
    let is_false = |claim: &&Claim| claim.is_true((lower, upper)) == Some(false);
    if let Some(claim) = claims.iter().find(is_false) {
        claims = vec![claim.opposite()];
    }
    if claims
        .iter()
        .any(|claim| claim.is_true((lower, upper)) != Some(true))
    {
        return Vec::new();
    }
    // What is true of every score needs no proof.
    claims.retain(|claim| claim.goal() > -64);
    claims
}

/// Solves `board` as far as is asked: who wins (`None`), or these claims up to the first that is false.
/// Answers the proven bounds of its score, and the nodes that it took.
///
/// # Errors
/// If a bound was reached.
pub fn solve(
    searcher: &mut Searcher,
    board: rules::Board,
    asked: Option<&[Claim]>,
    bounds: &Bounds,
    control: &Control,
) -> Result<((i32, i32), u64), MakeError> {
    if board.is_over() {
        let score = board.final_score();
        return Ok(((score, score), 0));
    }
    let goals: Vec<Goal> = match asked {
        None => vec![Goal::Wld],
        Some(claims) => claims
            .iter()
            .map(|claim| match *claim {
                Claim::AtLeast(score) => Goal::Claim(score),
                Claim::AtMost(score) => Goal::Claim(score + 2),
            })
            .collect(),
    };
    let (mut proven, mut spent) = ((-64, 64), 0);
    let start = Instant::now();
    for (index, goal) in goals.into_iter().enumerate() {
        if let Some(claims) = asked {
            if claims
                .iter()
                .any(|claim| claim.is_true(proven) == Some(false))
            {
                break;
            }
            if claims[index].is_true(proven) == Some(true) {
                continue;
            }
        }
        let time = bounds.time.map(|most| most.saturating_sub(start.elapsed()));
        let limits = Limits {
            goal,
            nodes: bounds.nodes.map(|most| most.saturating_sub(spent)),
            time: time.map_or(TimeLimit::Unlimited, TimeLimit::Move),
            ..Limits::default()
        };
        let outcome = searcher.search(board, &limits, control, &mut |_| {});
        spent += outcome.nodes;
        proven = (
            proven.0.max(outcome.proven.0),
            proven.1.min(outcome.proven.1),
        );
        if !outcome.complete {
            return Err(MakeError::Unsolved { nodes: spent });
        }
    }
    Ok((proven, spent))
}

/// How far the making of a proof is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// Empty squares of the layer in work.
    pub empties: u32,
    /// Moves of the claimant so far, all layers.
    pub moves: u64,
    /// Nodes of the search so far.
    pub nodes: u64,
}

/// Makes the proof of `claims`, which are true of `position`, as the `output` at `path`. `searcher` should have
/// solved the position just before. Positions take up to `memory` bytes, more go to disk.
///
/// # Errors
/// If a bound is reached, or a file cannot be read or written. The moves found so far are then
/// in a file beside `path`, with which the next call continues.
#[expect(clippy::too_many_arguments, reason = "called from two places")]
pub fn make(
    searcher: &mut Searcher,
    position: Position,
    claims: &[Claim],
    leaf_empties: u8,
    path: &Path,
    output: OutputFile,
    memory: usize,
    bounds: &Bounds,
    control: &Control,
    report: &mut dyn FnMut(Progress),
) -> Result<Made, MakeError> {
    let mut header = header(position, claims, leaf_empties);
    let mut draft = Draft::open(path, &header)?;
    let (mut progress, start) = (Progress::default(), Instant::now());
    let mut layers = Vec::new();
    for (index, &claim) in claims.iter().enumerate() {
        let mut maker = Maker {
            searcher,
            header: &header,
            claim,
            draft: &mut draft,
            progress: &mut progress,
            bounds,
            start,
            control,
            report,
            stopped: false,
        };
        let walked = header.walk(index, memory, &mut |empties, turn, boards| match turn {
            Turn::Claimant if !header.is_leaf(empties) => maker.moves(empties, boards),
            _ => Ok(Vec::new()),
        });
        if maker.stopped {
            let nodes = progress.nodes;
            return Err(MakeError::Unsolved { nodes });
        }
        layers.push(walked?);
    }
    header.layers = layers;
    let bytes = draft.finish(output, &header)?;
    let nodes = progress.nodes;
    Ok(Made {
        header,
        bytes,
        nodes,
    })
}

/// The header of a proof whose layers are not known yet.
pub(super) fn header(position: Position, claims: &[Claim], leaf_empties: u8) -> Header {
    Header {
        root: own(position.board),
        black_to_move: position.side == Color::Black,
        leaf_empties,
        claims: claims.to_vec(),
        layers: Vec::new(),
    }
}

/// The colour of the side that claims.
pub(super) fn claimant(header: &Header, claim: Claim) -> Color {
    match header.is_black(claim, Turn::Claimant) {
        true => Color::Black,
        false => Color::White,
    }
}

/// Says where the claimant goes, by the engine.
struct Maker<'a> {
    searcher: &'a mut Searcher,
    header: &'a Header,
    claim: Claim,
    draft: &'a mut Draft,
    progress: &'a mut Progress,
    bounds: &'a Bounds,
    start: Instant,
    control: &'a Control,
    report: &'a mut dyn FnMut(Progress),
    stopped: bool,
}

/// Positions that are asked about in one go: what a killed run may lose.
const BATCH: usize = 1 << 10;

impl Maker<'_> {
    /// The claimant's moves at `boards`, which have so many empty squares.
    fn moves(&mut self, empties: u32, boards: &[Board]) -> Result<Vec<u8>, Failure> {
        let mut moves = self.draft.kept(boards.len())?;
        if empties != self.progress.empties {
            let Progress { moves, nodes, .. } = self.progress;
            log::debug!("{empties} empties next: {moves} moves and {nodes} nodes so far");
        }
        self.progress.empties = empties;
        self.progress.moves += moves.len() as u64;
        while moves.len() < boards.len() {
            let rest = &boards[moves.len()..];
            let batch = &rest[..rest.len().min(BATCH)];
            let found = self.ask(batch)?;
            self.draft.add(&found)?;
            self.progress.moves += found.len() as u64;
            (self.report)(*self.progress);
            moves.extend(found);
        }
        Ok(moves)
    }

    fn ask(&mut self, boards: &[Board]) -> Result<Vec<u8>, Failure> {
        let (turned, boards_met): (Vec<Symmetry>, Vec<rules::Board>) =
            boards.iter().map(|&board| self.as_searched(board)).unzip();
        let spent = self.progress.nodes;
        if self.bounds.nodes.is_some_and(|most| spent > most) {
            self.stopped = true;
            return Err(Failure::Wrong("stopped".to_owned()));
        }
        let elapsed = self.start.elapsed();
        let questions = Questions {
            goal: self.claim.goal(),
            boards: boards_met,
            nodes: self.bounds.nodes.map(|most| most.saturating_sub(spent)),
            time: self.bounds.time.map(|most| most.saturating_sub(elapsed)),
        };
        let (replies, nodes) = self.searcher.ask(questions, self.control);
        self.progress.nodes += nodes;
        let mut moves = Vec::with_capacity(boards.len());
        for ((reply, symmetry), &board) in replies.into_iter().zip(turned).zip(boards) {
            match reply {
                Reply::By(square) => {
                    let square = symmetry.inverse().apply_square(square);
                    moves.push(square.index() as u8);
                }
                Reply::Stopped => {
                    self.stopped = true;
                    return Err(Failure::Wrong("stopped".to_owned()));
                }
                Reply::Not => {
                    let place = self.header.place(self.claim, board, Turn::Claimant);
                    return Err(Failure::Wrong(format!(
                        "the engine contradicts itself: it does not hold the claim at {place}"
                    )));
                }
            }
        }
        Ok(moves)
    }

    /// The one of the eight boards that the solve met on its way from the root, and the symmetry
    /// that leads to it: the tables know only that one. All discs of the root must still be there; where
    /// that is true of several, it is one that the searcher remembers.
    fn as_searched(&self, board: Board) -> (Symmetry, rules::Board) {
        let occupied = !self.header.root.empties();
        let board = theirs(board);
        let images = Symmetry::all().map(|symmetry| (symmetry, board.transform(symmetry)));
        let possible: Vec<_> = images
            .filter(|(_, image)| image.empties() & occupied == 0)
            .collect();
        let goal = self.claim.goal();
        let met = possible
            .iter()
            .find(|(_, image)| self.searcher.has_met(*image, goal));
        let chosen = met.or(possible.first());
        chosen.copied().unwrap_or((Symmetry::IDENTITY, board))
    }
}

/// The checker's form of a board.
pub(super) const fn own(board: rules::Board) -> Board {
    Board {
        mover: board.player,
        other: board.opponent,
    }
}

/// The engine's form of a board.
pub(super) const fn theirs(board: Board) -> rules::Board {
    rules::Board {
        player: board.mover,
        opponent: board.other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Claim::{AtLeast, AtMost};

    #[test]
    fn what_is_proven_is_what_was_asked_or_its_opposite() {
        let check = |asked: Option<&[Claim]>, proven: (i32, i32), expected: &[Claim]| {
            assert_eq!(claims(asked, proven), expected, "{asked:?} {proven:?}");
        };
        check(None, (2, 64), &[AtLeast(2)]);
        check(None, (0, 0), &[AtLeast(0), AtMost(0)]);
        check(None, (-64, -6), &[AtMost(-2)]);
        check(None, (0, 64), &[]);
        check(Some(&[AtLeast(4)]), (4, 64), &[AtLeast(4)]);
        check(Some(&[AtLeast(4)]), (-64, 2), &[AtMost(2)]);
        check(Some(&[AtLeast(4)]), (2, 6), &[]);
        check(Some(&[AtLeast(4), AtMost(4)]), (6, 64), &[AtLeast(6)]);
        check(Some(&[AtLeast(64), AtMost(64)]), (64, 64), &[AtLeast(64)]);
    }
}
