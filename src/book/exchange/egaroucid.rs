//! `.egbk3` of Egaroucid: 9 bytes of magic, the version, the number of positions, and records of 25 bytes.

use std::io::{self, Read, Write};

use super::{ExchangeError, Losses, NO_MOVE, board_of, discs, leaf_move, record, u32_at, whole};
use crate::book::entry::{BookEntry, BookLeaf, Certainty, GameCounts};
use crate::book::tree::Tree;
use crate::rules::Board;

const MAGIC: &[u8; 9] = b"DICUORAGE";
const VERSION: u8 = 3;
/// No score.
const NO_SCORE: i8 = -126;
/// Other codes of no move: undefined, and the pass of a position that has no move.
const UNDEFINED: u8 = 125;
const NO_LEVEL: i8 = -1;

pub(super) fn read(
    reader: &mut impl Read,
    tree: &mut Tree,
    losses: &mut Losses,
) -> Result<(), ExchangeError> {
    let header: [u8; 14] = record(reader, 0)?.unwrap_or([0; 14]);
    if header[..9] != *MAGIC {
        return Err(ExchangeError::Format(
            "it is no book of Egaroucid".to_owned(),
        ));
    }
    if header[9] != VERSION {
        let version = header[9];
        return Err(ExchangeError::Format(format!(
            "it is a book of Egaroucid of version {version}, not {VERSION}"
        )));
    }
    let (mut number, mut bad, mut first_bad) = (0, 0, None);
    loop {
        let bytes = match record::<25>(reader, number + 1) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => break,
            // The file was cut: what stands before is whole.
            Err(ExchangeError::Record { .. }) => {
                losses.add("records that are cut off (left out)");
                break;
            }
            Err(error) => return Err(error),
        };
        number += 1;
        let read = board_of(&bytes, number, losses).and_then(|board| {
            let entry = board.map(|board| Ok((board, entry(&bytes, board, number)?)));
            entry.transpose()
        });
        let (board, entry) = match read {
            Ok(Some(read)) => read,
            Ok(None) => continue,
            Err(reason) => {
                losses.add("records that make no sense (left out)");
                bad += 1;
                first_bad.get_or_insert(reason);
                continue;
            }
        };
        if tree.find(board).is_some() {
            losses.add("positions that were there before (the deeper one is kept)");
        }
        tree.merge(board, entry);
    }
    if number != u64::from(u32_at(&header, 10)) {
        losses.add("numbers of positions in the header (they are wrong)");
    }
    // A record may be bad; most of them are not.
    first_bad.filter(|_| 2 * bad > number).map_or(Ok(()), Err)
}

/// What a record says of its board.
fn entry(bytes: &[u8; 25], board: Board, number: u64) -> Result<BookEntry, ExchangeError> {
    let [value, level, leaf_value, leaf_square, leaf_level] =
        [16, 17, 22, 23, 24].map(|at| bytes[at]);
    let square = leaf_move(board, leaf_square, &[NO_MOVE, UNDEFINED], number)?;
    let leaf = match square.filter(|_| leaf_value as i8 != NO_SCORE) {
        None => None,
        Some(square) => Some(BookLeaf {
            square,
            score: discs(i32::from(leaf_value as i8), number)?,
            certainty: Certainty::Estimate,
            depth: depth(leaf_level),
        }),
    };
    let (score, depth) = match value as i8 {
        NO_SCORE => (0, BookEntry::UNKNOWN_DEPTH),
        score => (score, depth(level)),
    };
    Ok(BookEntry {
        score: discs(i32::from(score), number)?,
        certainty: Certainty::Estimate,
        depth,
        leaf,
        counts: GameCounts {
            lines: u32_at(bytes, 18),
            ..GameCounts::default()
        },
    })
}

const fn depth(level: u8) -> u8 {
    if level as i8 == NO_LEVEL {
        BookEntry::UNKNOWN_DEPTH
    } else {
        level
    }
}

const fn level(depth: u8) -> u8 {
    if depth == BookEntry::UNKNOWN_DEPTH {
        NO_LEVEL as u8
    } else {
        depth
    }
}

pub(super) fn write(tree: &Tree, out: &mut impl Write, losses: &mut Losses) -> io::Result<()> {
    out.write_all(MAGIC)?;
    out.write_all(&[VERSION])?;
    out.write_all(&(tree.len() as i32).to_le_bytes())?;
    for (board, entry) in tree.iter() {
        let counts = entry.counts;
        if counts.games() > 0 {
            losses.add("counts of games");
        }
        if entry.certainty != Certainty::Estimate {
            losses.add("marks of proven scores");
        }
        let mut bytes = Vec::with_capacity(25);
        bytes.extend(board.player.to_le_bytes());
        bytes.extend(board.opponent.to_le_bytes());
        let depth = entry.searched_depth();
        let depth = depth.unwrap_or(BookEntry::UNKNOWN_DEPTH);
        bytes.extend([whole(entry.score, losses) as i8 as u8, level(depth)]);
        bytes.extend(counts.lines.to_le_bytes());
        bytes.extend(
            entry
                .leaf
                .map_or([NO_SCORE as u8, NO_MOVE, NO_LEVEL as u8], |leaf| {
                    [
                        whole(leaf.score, losses) as i8 as u8,
                        leaf.square.index() as u8,
                        level(leaf.depth),
                    ]
                }),
        );
        out.write_all(&bytes)?;
    }
    Ok(())
}
