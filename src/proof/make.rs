//! Making a proof: the checker's walk, with the engine to say where the claimant goes.
//!
//! A solve comes first: it decides the claim, and fills the table. Then nearly every position of the
//! walk is answered by the table or by a short search. As each layer follows from the moves of the
//! one above, the moves found so far are all that a run that was killed needs to go on.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::file::Draft;
use super::verify::board::Board;
use super::verify::file::{Claim, Claimed, Header};
use super::verify::layer::Room;
use super::verify::walk::{Failure, Question, Turn, Visitor};
use crate::files::{FileError, OutputFile};
use crate::rules::{self, Position, Symmetry};
use crate::search::{
    self, Control, GameValue, Goal, Limits, Proof, Questions, Reply, Searcher, TimeLimit,
};

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
    /// Something else.
    #[error(transparent)]
    Failed(#[from] Failure),
}

impl From<io::Error> for MakeError {
    fn from(error: io::Error) -> MakeError {
        MakeError::Failed(Failure::Io(error))
    }
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

/// Who wins for the side to move, or the score: decides what can be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// The final score.
    Score(i32),
    /// Who wins.
    Value(GameValue),
}

impl Known {
    /// Is the claim true? The answer to a claim about a draw or a win is in both; other claims
    /// need the score.
    pub fn decides(self, claim: Claim) -> Option<bool> {
        let (least, most) = match self {
            Known::Score(score) => (score, score),
            Known::Value(GameValue::Win) => (2, 64),
            Known::Value(GameValue::Draw) => (0, 0),
            Known::Value(GameValue::Loss) => (-64, -2),
        };
        let (yes, no) = match claim {
            Claim::AtLeast(score) => (least >= score, most < score),
            Claim::AtMost(score) => (most <= score, least > score),
        };
        match (yes, no) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// The claims that say just this.
    pub fn claims(self) -> Vec<Claim> {
        match self {
            Known::Score(score) => vec![Claim::AtLeast(score), Claim::AtMost(score)],
            Known::Value(GameValue::Win) => vec![Claim::AtLeast(2)],
            Known::Value(GameValue::Draw) => vec![Claim::AtLeast(0), Claim::AtMost(0)],
            Known::Value(GameValue::Loss) => vec![Claim::AtMost(-2)],
        }
    }
}

/// Solves `board` as far as these claims need: who wins, or the score.
///
/// # Errors
/// If a bound was reached.
pub fn solve(
    searcher: &mut Searcher,
    board: rules::Board,
    claims: &[Claim],
    bounds: &Bounds,
    control: &Control,
) -> Result<(Known, u64), MakeError> {
    if board.is_over() {
        return Ok((Known::Score(board.final_score()), 0));
    }
    let by_value = |claim: &Claim| match claim {
        Claim::AtLeast(score) => matches!(score, 0 | 2),
        Claim::AtMost(score) => matches!(score, 0 | -2),
    };
    let goal = if claims.iter().all(by_value) {
        Goal::Wld
    } else {
        Goal::Exact
    };
    let limits = Limits {
        goal,
        nodes: bounds.nodes,
        time: bounds.time.map_or(TimeLimit::Unlimited, TimeLimit::Move),
        ..Limits::default()
    };
    let outcome = searcher.search(board, &limits, control, &mut |_| {});
    let nodes = outcome.nodes;
    let line = outcome.lines.first().filter(|_| outcome.complete);
    match line.map(|line| line.proof) {
        Some(Proof::Exact(score)) => Ok((Known::Score(score), nodes)),
        Some(Proof::Wld(value)) => Ok((Known::Value(value), nodes)),
        _ => Err(MakeError::Unsolved { nodes }),
    }
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
/// solved the position just before.
///
/// # Errors
/// If a bound is reached, or a file cannot be read or written. The moves found so far are then
/// in a file beside `path`, with which the next call goes on.
#[expect(clippy::too_many_arguments, reason = "one call, from one place")]
pub fn make(
    searcher: &mut Searcher,
    position: Position,
    claims: &[Claim],
    leaf_empties: u8,
    path: &Path,
    output: OutputFile,
    room: &Room,
    bounds: &Bounds,
    control: &Control,
    report: &mut dyn FnMut(Progress),
) -> Result<Made, MakeError> {
    let claims = claims.iter().map(|&claim| Claimed {
        claim,
        layers: Vec::new(),
    });
    let mut header = Header {
        root: own(position.board),
        black_to_move: position.side == rules::Color::Black,
        leaf_empties,
        claims: claims.collect(),
    };
    let mut draft = Draft::open(path, &header)?;
    let mut progress = Progress::default();
    for index in 0..header.claims.len() {
        let question = header.question(header.claims[index].claim);
        let mut maker = Maker {
            searcher,
            question,
            draft: &mut draft,
            progress: &mut progress,
            bounds,
            start: Instant::now(),
            control,
            report,
            layers: Vec::new(),
            stopped: false,
            known: search::Known::new(),
        };
        let walked = question.walk(room, &mut maker);
        let (stopped, layers) = (maker.stopped, maker.layers);
        if stopped {
            let nodes = progress.nodes;
            return Err(MakeError::Unsolved { nodes });
        }
        walked?;
        header.claims[index].layers = layers;
    }
    let bytes = draft.finish(output, &header)?;
    let nodes = progress.nodes;
    Ok(Made {
        header,
        bytes,
        nodes,
    })
}

/// Says where the claimant goes, by the engine.
struct Maker<'a> {
    searcher: &'a mut Searcher,
    question: Question,
    draft: &'a mut Draft,
    progress: &'a mut Progress,
    bounds: &'a Bounds,
    start: Instant,
    control: &'a Control,
    report: &'a mut dyn FnMut(Progress),
    layers: Vec<(u64, u64)>,
    stopped: bool,
    /// Moves for layers below that the search has found on its way.
    known: search::Known,
}

/// Most moves in [`Maker::known`]; what is dropped is searched again.
const MOST_KNOWN: usize = 1 << 22;

/// Positions that are asked about in one go: what a killed run may lose.
const BATCH: usize = 1 << 10;

impl Visitor for Maker<'_> {
    fn moves(&mut self, empties: u32, boards: &[Board]) -> Result<Vec<u8>, Failure> {
        let mut moves = self.draft.kept(boards.len())?;
        self.progress.empties = empties;
        self.progress.moves += moves.len() as u64;
        while moves.len() < boards.len() {
            let rest = &boards[moves.len()..];
            let batch = &rest[..rest.len().min(BATCH)];
            if self.known.len() > MOST_KNOWN {
                self.known.clear();
            }
            let found = self.ask(batch)?;
            self.draft.add(&found)?;
            self.progress.moves += found.len() as u64;
            (self.report)(*self.progress);
            moves.extend(found);
        }
        Ok(moves)
    }

    fn leaves(&mut self, _: Turn, _: &[Board]) -> Result<(), Failure> {
        Ok(())
    }

    fn layer(&mut self, empties: u32, claimant: u64, opponent: u64) -> Result<(), Failure> {
        self.layers.push((claimant, opponent));
        self.known.retain(|board, _| board.empty_count() < empties);
        Ok(())
    }
}

impl Maker<'_> {
    fn ask(&mut self, boards: &[Board]) -> Result<Vec<u8>, Failure> {
        let (turned, boards_met): (Vec<Symmetry>, Vec<rules::Board>) =
            boards.iter().map(|&board| self.as_searched(board)).unzip();
        let spent = self.progress.nodes;
        let elapsed = self.start.elapsed();
        let questions = Questions {
            goal: self.question.goal,
            boards: boards_met,
            down_to: self.question.leaf_empties,
            nodes: self.bounds.nodes.map(|most| most.saturating_sub(spent)),
            time: self.bounds.time.map(|most| most.saturating_sub(elapsed)),
        };
        let (replies, nodes) = self.searcher.ask(questions, &mut self.known, self.control);
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
                    return Err(Failure::new("stopped"));
                }
                Reply::Not => {
                    let place = self.question.place(board, Turn::Claimant);
                    return Err(Failure::NoProof(format!(
                        "the engine contradicts itself: it does not hold the claim at {place}"
                    )));
                }
            }
        }
        Ok(moves)
    }

    /// The one of the eight boards that the solve met on its way from the root, and the symmetry
    /// that leads to it: all discs of the root must still be there. The table knows only that one.
    fn as_searched(&self, board: Board) -> (Symmetry, rules::Board) {
        let occupied = !self.question.root.empties();
        let board = theirs(board);
        let images = Symmetry::all().map(|symmetry| (symmetry, board.transform(symmetry)));
        let mut met = images.filter(|(_, image)| image.empties() & occupied == 0);
        met.next().unwrap_or((Symmetry::IDENTITY, board))
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
