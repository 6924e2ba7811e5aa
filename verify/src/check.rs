//! The check: a scan that plays out all leaves.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use rayon::prelude::*;

use super::board::Board;
use super::file::{Claim, Failure, Header};
use super::leaf;
use super::scan::{Step, scan};
use super::walk::Turn;

/// What a check found: a proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The position, the claims that hold, and the sizes of the layers that show it.
    pub header: Header,
    /// Boards looked at to play out the leaves.
    pub nodes: u64,
}

impl Report {
    /// Positions above the leaves, of all claims.
    pub fn positions(&self) -> u64 {
        self.header.positions() - self.leaves()
    }

    /// Positions that were played out, of all claims.
    pub fn leaves(&self) -> u64 {
        let last = |layers: &Vec<[u64; 2]>| layers.last().map_or(0, |size| size[0] + size[1]);
        self.header.layers.iter().map(last).sum()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { header, nodes } = self;
        write!(
            f,
            "proven: {} at {}; ",
            header.statement(),
            header.place_of_root()
        )?;
        let (positions, leaves) = (self.positions(), self.leaves());
        let empties = header.leaf_empties;
        write!(
            f,
            "positions {positions}, leaves {leaves} of {empties} empty squares, nodes {nodes}"
        )
    }
}

/// How far a check is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Empty squares of the layer in work.
    pub empties: u32,
    /// Positions that are done, of all claims.
    pub done: u64,
    /// Positions that the file says it has.
    pub total: u64,
}

/// Checks the proof in `source`, with the threads of the current pool and so many bytes of memory for
/// positions. `report` is told every some thousand positions how far it is.
pub fn verify(
    source: impl Read,
    memory: usize,
    report: &mut dyn FnMut(Progress),
) -> Result<Report, Failure> {
    let mut check = Check::new(report);
    let header = scan(BufReader::new(source), memory, &mut |step| check.take(step))?;
    let nodes = check.nodes;
    Ok(Report { header, nodes })
}

/// Verifies a file, as [`verify`] does a stream.
pub fn verify_file(
    path: &Path,
    memory: usize,
    report: &mut dyn FnMut(Progress),
) -> Result<Report, Failure> {
    let open = || {
        let file = File::open(path)?;
        match file.metadata()?.is_dir() {
            true => Err(io::ErrorKind::IsADirectory.into()),
            false => Ok(file),
        }
    };
    let file = open().map_err(|error: io::Error| Failure::System(error.to_string()))?;
    verify(file, memory, report)
}

/// A check in work.
pub(super) struct Check<'a> {
    /// Boards looked at to play out the leaves.
    pub(super) nodes: u64,
    done: u64,
    report: &'a mut dyn FnMut(Progress),
}

impl<'a> Check<'a> {
    pub(super) fn new(report: &'a mut dyn FnMut(Progress)) -> Check<'a> {
        Check {
            nodes: 0,
            done: 0,
            report,
        }
    }

    /// Plays out the positions if they are leaves.
    pub(super) fn take(&mut self, step: &Step<'_>) -> Result<(), Failure> {
        if step.header.is_leaf(step.empties) {
            let solved = step.boards.par_iter().map(|&board| solve(step, board));
            self.nodes += solved.sum::<Result<u64, Failure>>()?;
        }
        self.done += step.boards.len() as u64;
        (self.report)(Progress {
            empties: step.empties,
            done: self.done,
            total: step.header.positions(),
        });
        Ok(())
    }
}

/// Plays out a leaf of `step`. Answers the boards looked at; an error if the claim does not hold there.
fn solve(step: &Step<'_>, board: Board) -> Result<u64, Failure> {
    let (claim, mut nodes) = (step.claim(), 0);
    if holds(claim, board, step.turn, &mut nodes) {
        return Ok(nodes);
    }
    let (place, goal) = (step.header.place(claim, board, step.turn), claim.goal());
    let reason = format!("at the leaf {place} the claimant cannot reach {goal:+}");
    Err(Failure::Wrong(reason))
}

/// Does `claim` hold at `board`, where it is the turn of `turn`? For few empty squares only: it plays on.
/// Adds the boards looked at to `nodes`.
pub fn holds(claim: Claim, board: Board, turn: Turn, nodes: &mut u64) -> bool {
    let goal = claim.goal();
    match turn {
        Turn::Claimant => leaf::reaches(board, goal, nodes),
        Turn::Opponent => !leaf::reaches(board, 2 - goal, nodes),
    }
}
