//! Books of other programs, by the layouts of their files: of Edax (version 4) and Egaroucid (version 3), and text.
//!
//! Scores of these are whole discs. Positions in which the side to move must pass are not kept: they follow from
//! the others, and are written again where a format wants them.

mod edax;
mod egaroucid;
mod table;
#[cfg(test)]
mod tests;
mod text;

pub use table::{json_of, position};

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::io::{self, BufRead, Read, Write};

use rayon::prelude::*;
use thiserror::Error;

use super::entry::{BookEntry, BookLeaf, Certainty};
use super::grade;
use super::reply::AfterMove;
use super::tree::Tree;
use crate::rules::{Bitboard, Board, Square};
use crate::score::Score;

/// A format of another program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
pub enum ExchangeFormat {
    /// `book.dat` of Edax, version 4.
    Edax,
    /// `.egbk3` of Egaroucid.
    Egaroucid,
    /// Lines of a board, a level, and the best move outside the book with its score.
    Text,
    /// A line of JSON for each position, for scripts. It is only written.
    Json,
    /// A row for each move of each position, for scripts. It is only written.
    Csv,
}

/// Why a book of another program cannot be read.
#[derive(Debug, Error)]
pub enum ExchangeError {
    /// The file.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is something else, or another version.
    #[error("{0}")]
    Format(String),
    /// A record makes no sense.
    #[error("record {number}: {reason}")]
    Record {
        /// Its number, the first is 1.
        number: u64,
        /// What is wrong.
        reason: &'static str,
    },
}

/// What could not be carried over, and how often.
#[derive(Clone, Debug, Default)]
pub struct Losses(BTreeMap<&'static str, u64>);

impl Losses {
    fn add(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    /// Nothing is lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each kind, and how often.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(&what, &count)| (what, count))
    }
}

/// `positions that must pass: 3, levels: 1`
impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (what, count)) in self.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{what}: {count}")?;
        }
        Ok(())
    }
}

/// Reads a book. Its scores are taken to the root again.
///
/// # Errors
/// If it cannot be read, is of another format, or a record makes no sense.
pub fn import(
    format: ExchangeFormat,
    mut reader: impl BufRead,
) -> Result<(Tree, Losses), ExchangeError> {
    let mut tree = Tree::default();
    let mut losses = Losses::default();
    match format {
        ExchangeFormat::Edax => edax::read(&mut reader, &mut tree, &mut losses)?,
        ExchangeFormat::Egaroucid => egaroucid::read(&mut reader, &mut tree, &mut losses)?,
        ExchangeFormat::Text => text::read(&mut reader, &mut tree, &mut losses)?,
        ExchangeFormat::Json | ExchangeFormat::Csv => {
            let reason =
                "this format is only written: formats to read are edax, egaroucid and text";
            return Err(ExchangeError::Format(reason.to_owned()));
        }
    }
    match format {
        ExchangeFormat::Text => forget_ends(&mut tree),
        _ => forget_unnamed(&mut tree, &mut losses),
    }
    tree.negamax_each(|_, before, after| {
        if before.score != after.score && format != ExchangeFormat::Text {
            losses.add("scores that did not follow from their moves (calculated again)");
        }
    });
    Ok((tree, losses))
}

/// Text has no scores but those of leaves: what has neither a leaf nor a link is as if not searched.
fn forget_ends(tree: &mut Tree) {
    for number in tree.by_empties().into_iter().flatten() {
        let (board, _) = tree.at(number);
        if tree.is_unsearched(number) && tree.links(board).next().is_none() {
            tree.entry_mut(number).depth = BookEntry::UNKNOWN_DEPTH;
        }
    }
}

/// Positions whose best move is not named are as if not searched. What they are worth is kept by the positions before them.
fn forget_unnamed(tree: &mut Tree, losses: &mut Losses) {
    let unknown = with_unknown_best(tree);
    if !unknown.contains(&true) {
        return;
    }
    let leaf = |number| grade::best_leaf(tree, number, |link| unknown[link]);
    let leaves: Vec<_> = (0..tree.len()).into_par_iter().map(leaf).collect();
    for (number, leaf) in leaves.into_iter().enumerate() {
        let entry = tree.entry_mut(number);
        entry.leaf = leaf.filter(|_| !unknown[number]);
        if unknown[number] {
            entry.depth = BookEntry::UNKNOWN_DEPTH;
            losses.add("positions whose best move is not named (as if not searched)");
        }
    }
}

/// Is it a position without a leaf that is worth more than its links? Then the best of its other moves is not known.
fn with_unknown_best(tree: &Tree) -> Vec<bool> {
    let is_so = |number: usize| {
        let (board, entry) = tree.at(number);
        let own = |(_, reply, link): (_, AfterMove, _)| reply.own(tree.at(link).1.score);
        let best = || tree.links(board).map(own).max();
        tree.is_unsearched(number) && best().is_some_and(|best| best < entry.score)
    };
    (0..tree.len()).into_par_iter().map(is_so).collect()
}

/// Finds the best move outside the book for positions of which some moves are not searched, so that other programs get
/// no position that they call broken. Positions of which nothing is known, nor of what follows, are left out. Returns how
/// many were completed.
pub fn complete(
    format: ExchangeFormat,
    tree: &mut Tree,
    mut search: impl FnMut(Board, Bitboard) -> Option<BookLeaf>,
) -> usize {
    tree.negamax();
    // A pass of Edax may be the leaf of its position.
    let ends = match format {
        ExchangeFormat::Edax => edax::last_passes(tree),
        _ => HashSet::new(),
    };
    let mut completed = 0;
    // What follows a position is completed before it.
    for number in tree.by_empties().into_iter().flatten() {
        let (board, entry) = tree.at(number);
        let is_known = entry.is_known() || tree.links(board).next().is_some();
        if ends.contains(&number) || !tree.is_unsearched(number) || !is_known {
            continue;
        }
        if let Some(leaf) = search(board, tree.outside(board)) {
            let entry = tree.entry_mut(number);
            *entry = entry.with_leaf(Some(leaf));
            completed += 1;
        }
    }
    let known: Vec<bool> = tree.iter().map(|(_, entry)| entry.is_known()).collect();
    tree.retain(|number| known[number]);
    tree.negamax();
    completed
}

/// Removes leaves that lose more than `error` discs against the best move of their position.
pub fn remove_leaves(tree: &mut Tree, error: f64) {
    for number in 0..tree.len() {
        let entry = tree.entry_mut(number);
        let best = entry.score.to_f64();
        let is_kept = |leaf: &BookLeaf| best - leaf.score.to_f64() <= error;
        entry.leaf = entry.leaf.filter(is_kept);
    }
}

/// Writes a book; `tree` should be sorted. What other programs call proven is marked so again where they read it.
///
/// # Errors
/// If that fails.
pub fn export(format: ExchangeFormat, tree: &Tree, out: &mut impl Write) -> io::Result<Losses> {
    let mut losses = Losses::default();
    match format {
        ExchangeFormat::Edax => edax::write(&tree.believed(), out, &mut losses)?,
        ExchangeFormat::Egaroucid => egaroucid::write(&tree.believed(), out, &mut losses)?,
        ExchangeFormat::Text => text::write(&tree.believed(), out, &mut losses)?,
        ExchangeFormat::Json => table::write_json(tree, out)?,
        ExchangeFormat::Csv => table::write_csv(tree, out)?,
    }
    Ok(losses)
}

/// A move that is a pass.
const PASS: u8 = 64;

/// No move.
const NO_MOVE: u8 = 65;

/// The next bytes; `None` at the end.
fn record<const N: usize>(
    reader: &mut impl Read,
    number: u64,
) -> Result<Option<[u8; N]>, ExchangeError> {
    let mut bytes = [0; N];
    let mut read = 0;
    while read < N {
        match reader.read(&mut bytes[read..]) {
            // A file that ends within its header is one of something else.
            Ok(0) if read == 0 || number == 0 => return Ok(None),
            Ok(0) => return Err(bad(number, "the file ends in the middle of it")),
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Some(bytes))
}

const fn bad(number: u64, reason: &'static str) -> ExchangeError {
    ExchangeError::Record { number, reason }
}

/// The number that stands in these bytes.
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8]
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4]
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// The board in front of a record. `None`: no position of a book has no move, which is noted.
fn board_of(
    bytes: &[u8],
    number: u64,
    losses: &mut Losses,
) -> Result<Option<Board>, ExchangeError> {
    let board = Board::new(u64_at(bytes, 0), u64_at(bytes, 8));
    let board = board.ok_or_else(|| bad(number, "a square holds two discs"))?;
    if !board.legal_moves().is_empty() {
        return Ok(Some(board));
    }
    losses.add(if board.must_pass() {
        "positions that must pass (they follow from the others)"
    } else {
        "finished games (their score follows from the board)"
    });
    Ok(None)
}

fn discs(score: i32, number: u64) -> Result<Score, ExchangeError> {
    if !(-64..=64).contains(&score) {
        return Err(bad(number, "a score is beyond 64 discs"));
    }
    Ok(Score::from_discs(score))
}

/// A legal move of a record; `None` where it says that there is none.
fn leaf_move(
    board: Board,
    mv: u8,
    none: &[u8],
    number: u64,
) -> Result<Option<Square>, ExchangeError> {
    if none.contains(&mv) {
        return Ok(None);
    }
    let square = Square::new(u32::from(mv)).filter(|&square| board.legal_moves().contains(square));
    square
        .map(Some)
        .ok_or_else(|| bad(number, "its move is not legal"))
}

/// A score in whole discs, and whether that loses a fraction.
fn whole(score: Score, losses: &mut Losses) -> i32 {
    if score.raw() % Score::PER_DISC != 0 {
        losses.add("scores with fractions of a disc (rounded)");
    }
    score.discs()
}

/// What the other program says. Finished games have even scores.
fn certainty(is_exact: bool, score: Score) -> Certainty {
    if is_exact && score.discs() % 2 == 0 {
        Certainty::Unconfirmed
    } else {
        Certainty::Estimate
    }
}
