//! Making a proof: the checker's walk, with the engine to say where the claimant goes.
//!
//! A solve comes first: it decides the claim, fills the table, and notes the moves that it finds good enough
//! ([`Searcher::note_wins`]). Then nearly every position of the walk is answered without a search. As each layer follows from the moves of the
//! one above, the moves found so far are all that a run that was killed needs to go on.

use std::io;
use std::time::{Duration, Instant};

use thiserror::Error;

use super::draft::Draft;
use super::verify::board::Board;
use super::verify::file::{Claim, Failure, Header};
use super::verify::walk::Turn;
use crate::files::{FileError, OutputFile};
use crate::rules::{self, Color, Position, Symmetry};
use crate::score::{Bounds, Question};
use crate::search::{Control, Goal, GoalQueries, Limits, Reply, Searcher, TimeLimit};

/// Empty squares of a leaf if nothing is said.
pub const LEAF_EMPTIES: u8 = 8;

/// What ends the making of a proof before it is done.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProofLimits {
    /// Nodes of the search, all threads.
    pub nodes: Option<u64>,
    /// Time.
    pub time: Option<Duration>,
}

impl ProofLimits {
    /// What is left after so many nodes and so much time.
    fn after(self, nodes: u64, time: Duration) -> ProofLimits {
        ProofLimits {
            nodes: self.nodes.map(|most| most.saturating_sub(nodes)),
            time: self.time.map(|most| most.saturating_sub(time)),
        }
    }
}

/// A proof to make.
#[derive(Clone, Debug)]
pub struct ProofPlan {
    /// What it is about.
    pub position: Position,
    /// What it proves, all of it true.
    pub claims: Vec<Claim>,
    /// Empty squares of the leaves.
    pub leaf_empties: u8,
    /// Bytes of memory for positions; more go to disk.
    pub memory: usize,
    /// When to give up.
    pub limits: ProofLimits,
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

/// The claims to prove, where this is known of the score and was asked of it. What is false is not proven, but
/// its negation. None if the bounds do not decide what is asked, or if it is true of every score.
pub fn claims(asked: Question, proven: Bounds) -> Vec<Claim> {
    let both = |discs| vec![Claim::AtLeast(discs), Claim::AtMost(discs)];
    let (lower, upper) = (proven.lower(), proven.upper());
    let mut claims = match (asked, asked.verdict(proven)) {
        (Question::Exact, _) if lower == upper => both(lower),
        (Question::Wld, _) if lower > 0 => vec![Claim::AtLeast(2)],
        (Question::Wld, _) if upper < 0 => vec![Claim::AtMost(-2)],
        (Question::Wld, _) if lower == upper => both(0),
        (Question::Equal(discs), Some(true)) => both(discs),
        (Question::AtLeast(discs), Some(true)) => vec![Claim::AtLeast(discs)],
        (Question::AtMost(discs), Some(true)) => vec![Claim::AtMost(discs)],
        (Question::AtMost(discs) | Question::Equal(discs), Some(false)) if lower > discs => {
            vec![Claim::AtLeast(discs + 2)]
        }
        (Question::AtLeast(discs) | Question::Equal(discs), Some(false)) => {
            vec![Claim::AtMost(discs - 2)]
        }
        _ => Vec::new(),
    };
    // What is true of every score needs no proof.
    claims.retain(|claim| claim.goal() > -64);
    claims
}

/// What these claims say of the score together; none if they contradict each other.
pub fn proven(claims: &[Claim]) -> Option<Bounds> {
    let mut bounds = claims.iter().map(|claim| match *claim {
        Claim::AtLeast(discs) => Bounds::at_least(discs),
        Claim::AtMost(discs) => Bounds::at_most(discs),
    });
    bounds.try_fold(Bounds::UNKNOWN, Bounds::and)
}

/// The question that a claim answers with yes.
pub fn question(claim: Claim) -> Question {
    match claim {
        Claim::AtLeast(discs) => Question::AtLeast(discs),
        Claim::AtMost(discs) => Question::AtMost(discs),
    }
}

/// Solves `board` as far as is asked. Answers what is proven of its score, and the nodes that it took.
///
/// # Errors
/// If a limit was reached.
pub fn solve(
    searcher: &mut Searcher,
    board: rules::Board,
    asked: Question,
    limits: ProofLimits,
    control: &Control,
) -> Result<(Bounds, u64), MakeError> {
    let limits = Limits {
        goal: Goal::Solve(asked),
        nodes: limits.nodes,
        time: limits.time.map_or(TimeLimit::Unlimited, TimeLimit::Move),
        ..Limits::default()
    };
    let outcome = searcher.search(board, &limits, control, &mut |_| {});
    let nodes = outcome.nodes;
    match outcome.complete {
        true => Ok((outcome.proven, nodes)),
        false => Err(MakeError::Unsolved { nodes }),
    }
}

/// How far the making of a proof is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProofProgress {
    /// Empty squares of the layer in work.
    pub empties: u32,
    /// Moves of the claimant so far, all layers.
    pub moves: u64,
    /// Nodes of the search so far.
    pub nodes: u64,
}

/// Makes a proof in `output`. `searcher` should have solved the position just before.
///
/// # Errors
/// If a limit is reached, or a file cannot be read or written. The moves found so far are then
/// in a file beside the output, with which the next call continues.
pub fn make(
    searcher: &mut Searcher,
    plan: &ProofPlan,
    output: OutputFile,
    control: &Control,
    report: &mut dyn FnMut(ProofProgress),
) -> Result<Made, MakeError> {
    let mut header = header(plan.position, &plan.claims, plan.leaf_empties);
    let mut draft = Draft::open(output.path(), &header)?;
    let (mut progress, start) = (ProofProgress::default(), Instant::now());
    let mut layers = Vec::new();
    for (index, &claim) in plan.claims.iter().enumerate() {
        let mut maker = Maker {
            searcher,
            header: &header,
            claim,
            draft: &mut draft,
            progress: &mut progress,
            limits: plan.limits,
            start,
            control,
            report,
            stopped: false,
        };
        let walked = header.walk(
            index,
            plan.memory,
            &mut |empties, turn, boards| match turn {
                Turn::Claimant if !header.is_leaf(empties) => maker.moves(empties, boards),
                _ => Ok(Vec::new()),
            },
        );
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
pub fn header(position: Position, claims: &[Claim], leaf_empties: u8) -> Header {
    Header {
        root: own(position.board),
        black_to_move: position.side == Color::Black,
        leaf_empties,
        claims: claims.to_vec(),
        layers: Vec::new(),
    }
}

/// The position that a proof is about.
pub fn root(header: &Header) -> Position {
    Position {
        board: theirs(header.root),
        side: color(header.black_to_move),
    }
}

/// The colour of the side that claims.
pub(super) fn claimant(header: &Header, claim: Claim) -> Color {
    color(header.is_black(claim, Turn::Claimant))
}

fn color(is_black: bool) -> Color {
    if is_black { Color::Black } else { Color::White }
}

/// Says where the claimant goes, by the engine.
struct Maker<'a> {
    searcher: &'a mut Searcher,
    header: &'a Header,
    claim: Claim,
    draft: &'a mut Draft,
    progress: &'a mut ProofProgress,
    limits: ProofLimits,
    start: Instant,
    control: &'a Control,
    report: &'a mut dyn FnMut(ProofProgress),
    stopped: bool,
}

/// Positions that are asked about in one go: what a killed run may lose.
const BATCH: usize = 1 << 10;

impl Maker<'_> {
    /// The claimant's moves at `boards`, which have so many empty squares.
    fn moves(&mut self, empties: u32, boards: &[Board]) -> Result<Vec<u8>, Failure> {
        let mut moves = self.draft.kept(boards.len())?;
        if empties != self.progress.empties {
            let ProofProgress { moves, nodes, .. } = self.progress;
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

    fn stop(&mut self) -> Result<Vec<u8>, Failure> {
        self.stopped = true;
        Err(Failure::Wrong("stopped".to_owned()))
    }

    fn ask(&mut self, boards: &[Board]) -> Result<Vec<u8>, Failure> {
        let (turned, boards_met): (Vec<Symmetry>, Vec<rules::Board>) =
            boards.iter().map(|&board| self.as_searched(board)).unzip();
        let spent = self.progress.nodes;
        if self.limits.nodes.is_some_and(|most| spent > most) {
            return self.stop();
        }
        let ProofLimits { nodes, time } = self.limits.after(spent, self.start.elapsed());
        let queries = GoalQueries {
            goal: self.claim.goal(),
            boards: boards_met,
            nodes,
            time,
        };
        let (replies, nodes) = self.searcher.ask(queries, self.control);
        self.progress.nodes += nodes;
        let mut moves = Vec::with_capacity(boards.len());
        for ((reply, symmetry), &board) in replies.into_iter().zip(turned).zip(boards) {
            match reply {
                Reply::By(square) => {
                    let square = symmetry.inverse().apply_square(square);
                    moves.push(square.index() as u8);
                }
                Reply::Stopped => return self.stop(),
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
        let possible = images.filter(|(_, image)| image.empties() & occupied == 0);
        let mut possible = possible.peekable();
        let first = possible.peek().copied();
        let met = possible.find(|(_, image)| self.searcher.has_met(*image, self.claim.goal()));
        met.or(first).unwrap_or((Symmetry::IDENTITY, board))
    }
}

/// The checker's form of a board.
pub(crate) const fn own(board: rules::Board) -> Board {
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
        let check = |asked: Question, (lower, upper), expected: &[Claim]| {
            let proven = Bounds::new(lower, upper).expect("bounds");
            assert_eq!(claims(asked, proven), expected, "{asked} {proven}");
        };
        check(Question::Wld, (2, 64), &[AtLeast(2)]);
        check(Question::Wld, (0, 0), &[AtLeast(0), AtMost(0)]);
        check(Question::Wld, (-64, -6), &[AtMost(-2)]);
        check(Question::Wld, (0, 64), &[]);
        check(Question::Exact, (4, 4), &[AtLeast(4), AtMost(4)]);
        check(Question::Exact, (4, 6), &[]);
        check(Question::AtLeast(4), (4, 64), &[AtLeast(4)]);
        check(Question::AtLeast(4), (-64, 2), &[AtMost(2)]);
        check(Question::AtLeast(4), (2, 6), &[]);
        check(Question::AtMost(4), (6, 8), &[AtLeast(6)]);
        check(Question::Equal(4), (4, 4), &[AtLeast(4), AtMost(4)]);
        check(Question::Equal(4), (6, 64), &[AtLeast(6)]);
        check(Question::Equal(4), (-64, 2), &[AtMost(2)]);
        check(Question::Equal(64), (64, 64), &[AtLeast(64)]);
    }
}
