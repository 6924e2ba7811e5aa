//! `book.dat` of Edax, version 4: a header of 42 bytes, then records of 42 bytes and 2 for each link.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read, Write};

use rayon::prelude::*;

use super::{
    ExchangeError, Losses, NO_MOVE, PASS, bad, board_of, certainty, discs, leaf_move, record,
    u32_at, u64_at, whole,
};
use crate::book::entry::known_depth;
use crate::book::entry::{BookEntry, BookLeaf, Certainty, GameCounts};
use crate::book::reply::AfterMove;
use crate::book::tree::Tree;
use crate::rules::Board;
use crate::score::Score;

const MAGIC: &[u8; 8] = b"XADEKOOB";
const VERSION: u8 = 4;
const RELEASE: u8 = 4;
/// Where no leaf is, this is its score.
const NO_SCORE: i8 = -127;
/// How far an estimate is taken to be off, in discs.
const ERROR: i32 = 2;
pub(super) const LAST_LEVEL: u8 = 60;

pub(super) fn read(
    reader: &mut impl Read,
    tree: &mut Tree,
    losses: &mut Losses,
) -> Result<(), ExchangeError> {
    let header: [u8; 42] = record(reader, 0)?.unwrap_or([0; 42]);
    if header[..8] != *MAGIC {
        return Err(ExchangeError::Format("it is no book of Edax".to_owned()));
    }
    if header[8] != VERSION {
        let version = header[8];
        return Err(ExchangeError::Format(format!(
            "it is a book of Edax of version {version}, not {VERSION}"
        )));
    }
    let mut number = 0;
    let mut links = 0;
    let mut finished = HashSet::new();
    while let Some(bytes) = record::<42>(reader, number + 1)? {
        number += 1;
        // The record ends with the number of links, the level, and the leaf behind the links.
        let (count, level) = (bytes[38], bytes[39]);
        let mut rest = vec![bytes[40], bytes[41]];
        for _ in 0..count {
            let more: [u8; 2] = record(reader, number)?
                .ok_or_else(|| bad(number, "the file ends in the middle of it"))?;
            rest.extend(more);
        }
        let leaf = [rest[rest.len() - 2], rest[rest.len() - 1]];
        let (board, entry) = match board_of(&bytes, number, losses)? {
            Some(board) => {
                links += u64::from(count);
                (board, entry(board, &bytes, level, leaf, number, losses)?)
            }
            None if leaf[1] == PASS => after_pass(&bytes, level, leaf, number)?,
            None => {
                finished.extend(Board::new(u64_at(&bytes, 0), u64_at(&bytes, 8)));
                continue;
            }
        };
        if tree.find(board).is_some() {
            losses.add("positions that were there before (the deeper one is kept)");
        }
        tree.merge(board, entry);
    }
    take_ends(tree, &finished);
    if number != u64::from(u32_at(&header, 38)) {
        losses.add("number of positions in the header (it is wrong)");
    }
    let found: u64 = (0..tree.len())
        .into_par_iter()
        .map(|number| tree.links(tree.at(number).0).count() as u64)
        .sum();
    if links != found {
        losses.add("list of links (it is not complete; it follows from the positions)");
    }
    Ok(())
}

/// Edax has finished games as positions. Here a move that leads to one is a leaf.
fn take_ends(tree: &mut Tree, finished: &HashSet<Board>) {
    for number in 0..tree.len() {
        let (board, entry) = tree.at(number);
        let leaf_of = |square| match AfterMove::to(board, square) {
            AfterMove::Over(score) if finished.contains(&board.play(square).canonical()) => {
                Some(BookLeaf {
                    square,
                    score,
                    certainty: Certainty::Exact,
                    depth: board.empty_count() as u8,
                })
            }
            _ => None,
        };
        let best = board.legal_moves().filter_map(leaf_of);
        let best = best.chain(entry.leaf).max_by_key(|leaf| leaf.score);
        tree.entry_mut(number).leaf = best;
    }
}

fn entry(
    board: Board,
    bytes: &[u8],
    level: u8,
    leaf: [u8; 2],
    number: u64,
    losses: &mut Losses,
) -> Result<BookEntry, ExchangeError> {
    let small = |at: usize| i32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]]));
    let score = discs(small(32), number)?;
    let is_exact = small(34) == small(36) && small(34) == small(32);
    let counts = counts(bytes);
    let [leaf_score, leaf_square] = leaf;
    let square = leaf_move(board, leaf_square, &[NO_MOVE], number)?;
    let leaf = square.map(|square| {
        let leaf_score = discs(i32::from(leaf_score as i8), number)?;
        // Of a worse leaf the bounds of the position say nothing.
        if is_exact && leaf_score != score {
            losses.add("marks of proof beside a worse leaf (the leaf might be better)");
        }
        let certainty = certainty(is_exact && leaf_score == score, leaf_score);
        Ok::<BookLeaf, ExchangeError>(BookLeaf {
            square,
            score: leaf_score,
            certainty,
            depth: level,
        })
    });
    Ok(BookEntry {
        score,
        certainty: certainty(is_exact, score),
        depth: level,
        leaf: leaf.transpose()?,
        counts,
    })
}

fn counts(bytes: &[u8]) -> GameCounts {
    GameCounts {
        wins: u32_at(bytes, 16),
        draws: u32_at(bytes, 20),
        losses: u32_at(bytes, 24),
        lines: u32_at(bytes, 28),
    }
}

/// The position after the pass of a record that has a pass as its leaf: nothing is known of its moves.
fn after_pass(
    bytes: &[u8],
    level: u8,
    [score, _]: [u8; 2],
    number: u64,
) -> Result<(Board, BookEntry), ExchangeError> {
    let board = Board::new(u64_at(bytes, 8), u64_at(bytes, 0));
    let board = board.filter(|board| !board.legal_moves().is_empty());
    let board = board.ok_or_else(|| bad(number, "its move is not legal"))?;
    let entry = BookEntry {
        score: -discs(i32::from(score as i8), number)?,
        depth: level,
        counts: opposite_counts(counts(bytes)),
        ..BookEntry::default()
    };
    Ok((board, entry))
}

const fn opposite_counts(counts: GameCounts) -> GameCounts {
    GameCounts {
        wins: counts.losses,
        losses: counts.wins,
        ..counts
    }
}

pub(super) fn write(tree: &Tree, out: &mut impl Write, losses: &mut Losses) -> io::Result<()> {
    let passes = Passes::of(tree);
    let levels = tree.iter().filter_map(|(_, entry)| entry.searched_depth());
    let level = i32::from(levels.max().unwrap_or(0).min(LAST_LEVEL));
    let empties = tree
        .iter()
        .map(|(board, _)| board.empty_count() as i32 + 1)
        .min();
    out.write_all(MAGIC)?;
    // A day that is no day of anything: 1 January 2000.
    out.write_all(&[VERSION, RELEASE, 0xd0, 0x07, 1, 1, 0, 0, 0, 0])?;
    let count = (tree.len() + passes.boards.len() - passes.ends.len()) as i32;
    for number in [level, empties.unwrap_or(24), 2, 1, 0, count] {
        out.write_all(&number.to_le_bytes())?;
    }
    // A pass is a link, and the position before it a record.
    for (number, (board, entry)) in tree.iter().enumerate() {
        if !passes.ends.contains(&number) {
            write_entry(tree, board, entry, out, losses)?;
        }
    }
    for (&board, &link) in &passes.boards {
        let (_, child) = tree.at(link);
        let score = (-child.score).discs();
        let is_end = passes.ends.contains(&link);
        let pass = (score, PASS);
        write_record(
            EdaxRecord {
                board,
                counts: opposite_counts(child.counts),
                score,
                bounds: opposite(bounds(child)),
                level: level_of(child),
                links: if is_end { Vec::new() } else { vec![pass] },
                leaf: is_end.then_some(pass),
            },
            out,
        )?;
    }
    Ok(())
}

/// Positions of which only a pass before them is a record.
pub(super) fn last_passes(tree: &Tree) -> HashSet<usize> {
    Passes::of(tree).ends
}

/// The passes of a book.
#[derive(Default)]
struct Passes {
    /// The positions in which a pass leads to a position of the book, canonical, and the number of that.
    boards: BTreeMap<Board, usize>,
    /// Positions that only passes reach, and of whose moves nothing is known: the passes are leaves.
    ends: HashSet<usize>,
}

impl Passes {
    fn of(tree: &Tree) -> Passes {
        let mut passes = Passes::default();
        let mut moved = HashSet::new();
        for (board, _) in tree.iter() {
            for (square, reply, link) in tree.links(board) {
                let is_end = || {
                    let (board, entry) = tree.at(link);
                    entry.leaf.is_none() && tree.links(board).next().is_none()
                };
                if matches!(reply, AfterMove::Again(_)) {
                    let passing = board.play(square).canonical();
                    if passes.boards.insert(passing, link).is_none() && is_end() {
                        passes.ends.insert(link);
                    }
                } else if is_end() {
                    moved.insert(link);
                }
            }
        }
        passes.ends.retain(|link| !moved.contains(link));
        passes
    }
}

fn write_entry(
    tree: &Tree,
    board: Board,
    entry: &BookEntry,
    out: &mut impl Write,
    losses: &mut Losses,
) -> io::Result<()> {
    if entry
        .searched_depth()
        .is_none_or(|depth| depth > LAST_LEVEL)
    {
        losses.add("levels that are unknown or beyond 60");
    }
    if entry.certainty == Certainty::Winner {
        losses.add("marks of who wins");
    }
    let mut links: Vec<(i32, u8)> = tree
        .links(board)
        .map(|(square, reply, link)| {
            let score = reply.own(tree.at(link).1.score).discs();
            (score, square.index() as u8)
        })
        .collect();
    links.sort_by_key(|&(score, square)| (-score, square));
    let depth = entry.searched_depth();
    if entry
        .leaf
        .is_some_and(|leaf| known_depth(leaf.depth) != depth)
    {
        losses.add("depths of leaves");
    }
    let score = whole(entry.score, losses);
    let leaf = entry
        .leaf
        .map(|leaf| (whole(leaf.score, losses), leaf.square.index() as u8));
    write_record(
        EdaxRecord {
            board,
            counts: entry.counts,
            score,
            bounds: bounds(entry),
            level: level_of(entry),
            links,
            leaf,
        },
        out,
    )
}

pub(super) fn level_of(entry: &BookEntry) -> u8 {
    entry.searched_depth().unwrap_or(0).min(LAST_LEVEL)
}

/// What is proven; of an estimate, how far it is taken to be off.
fn bounds(entry: &BookEntry) -> (i32, i32) {
    let proven = entry.certainty.bounds(entry.score);
    let score = Score::discs(entry.score);
    match entry.certainty {
        Certainty::Exact => (proven.lower(), proven.upper()),
        _ => (
            (score - ERROR).max(proven.lower()),
            (score + ERROR).min(proven.upper()),
        ),
    }
}

const fn opposite((lower, upper): (i32, i32)) -> (i32, i32) {
    (-upper, -lower)
}

/// A record, its scores in discs.
struct EdaxRecord {
    board: Board,
    counts: GameCounts,
    score: i32,
    bounds: (i32, i32),
    level: u8,
    /// Scores and moves.
    links: Vec<(i32, u8)>,
    leaf: Option<(i32, u8)>,
}

fn write_record(record: EdaxRecord, out: &mut impl Write) -> io::Result<()> {
    let EdaxRecord {
        board,
        counts,
        score,
        bounds: (lower, upper),
        level,
        links,
        leaf,
    } = record;
    let mut bytes = Vec::with_capacity(42 + 2 * links.len());
    bytes.extend(board.player.to_le_bytes());
    bytes.extend(board.opponent.to_le_bytes());
    for count in [counts.wins, counts.draws, counts.losses, counts.lines] {
        bytes.extend(count.to_le_bytes());
    }
    for number in [score, lower, upper] {
        bytes.extend((number as i16).to_le_bytes());
    }
    bytes.extend([links.len() as u8, level]);
    for &(score, square) in &links {
        bytes.extend([score as i8 as u8, square]);
    }
    let (score, square) = leaf.unwrap_or((i32::from(NO_SCORE), NO_MOVE));
    bytes.extend([score as i8 as u8, square]);
    out.write_all(&bytes)
}
