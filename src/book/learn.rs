//! Games that enter a book: their positions, and who won.

use super::entry::Entry;
use super::store::BookError;
use super::writer::BookWriter;
use crate::rules::{Board, Color, Game};

/// Games enter the book down to this number of empties.
const LAST_EMPTIES: u32 = 30;

/// Adds the positions of a game that begins with the usual start, and counts its result if it is over. New positions
/// are not known to a player before they are searched. Returns how many are new; the changes are not committed.
///
/// # Errors
/// If the book is damaged there, or cannot be read.
pub fn learn_game(writer: &mut BookWriter, game: &Game) -> Result<usize, BookError> {
    if game.start().board.canonical() != Board::START.canonical() {
        return Ok(0);
    }
    let result = game.position().result_for_black();
    let mut new = 0;
    for position in game.positions() {
        let board = position.board;
        if board.empty_count() < LAST_EMPTIES {
            break;
        }
        if board.legal_moves().is_empty() {
            continue;
        }
        let known = writer.get(board)?;
        new += usize::from(known.is_none());
        let mut entry = known.unwrap_or(Entry::UNSEARCHED);
        if let Some(discs) = result {
            let own = if position.side == Color::Black {
                discs
            } else {
                -discs
            };
            entry.counts.add_game(own);
        }
        writer.set(board, Some(entry));
    }
    Ok(new)
}
