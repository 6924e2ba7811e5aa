//! Games that enter a book: their positions, and who won.

use super::entry::BookEntry;
use super::store::BookError;
use super::writer::BookWriter;
use crate::rules::{Board, Color, Game, Position};

/// Games enter the book down to this number of empties.
const LAST_EMPTIES: u32 = 30;

/// The positions of a game that a book may have; none if it does not begin with the usual start.
pub(super) fn positions_of(game: &Game) -> impl Iterator<Item = Position> {
    let is_usual = game.start().board.canonical() == Board::START.canonical();
    let positions = game.positions();
    let early = positions
        .take_while(move |position| is_usual && position.board.empty_count() >= LAST_EMPTIES);
    early.filter(|position| !position.board.legal_moves().is_empty())
}

/// Adds the positions of a game that begins with the usual start, and counts its result if it is over. New positions
/// are not known to a player before they are searched. Returns how many are new; the changes are not committed.
///
/// # Errors
/// If the book is damaged there, or cannot be read.
pub fn learn_game(writer: &mut BookWriter, game: &Game) -> Result<usize, BookError> {
    let result = game.position().result_for_black();
    let mut new = 0;
    for position in positions_of(game) {
        let known = writer.get(position.board)?;
        new += usize::from(known.is_none());
        let mut entry = known.unwrap_or(BookEntry::UNSEARCHED);
        if let Some(discs) = result {
            let own = if position.side == Color::Black {
                discs
            } else {
                -discs
            };
            entry.counts.add_game(own);
        }
        writer.set(position.board, Some(entry));
    }
    Ok(new)
}
