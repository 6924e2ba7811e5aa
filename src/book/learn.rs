//! Games that enter a book: their positions, and who won.

use super::entry::BookEntry;
use super::record::{pack, write_key};
use super::store::BookError;
use super::writer::BookWriter;
use crate::checksum::checksum;
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

/// What became of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LearnedGame {
    /// Its positions are in the book, and its result is counted.
    Counted,
    /// Its positions are in the book. It is not over, so it has no result.
    Unfinished,
    /// It was counted before, and changes nothing.
    Known,
    /// It does not begin with the usual start, and is left out.
    OtherStart,
}

/// Adds the positions of a game that begins with the usual start, and counts its result if it is over, once. New
/// positions are not known to a player before they are searched. Returns how many are new, too; the changes are not
/// committed.
///
/// # Errors
/// If the book is damaged there, or cannot be read.
pub fn learn_game(writer: &mut BookWriter, game: &Game) -> Result<(LearnedGame, usize), BookError> {
    if positions_of(game).next().is_none() {
        return Ok((LearnedGame::OtherStart, 0));
    }
    let result = game.position().result_for_black();
    if result.is_some() && !writer.add_game(fingerprint(game))? {
        return Ok((LearnedGame::Known, 0));
    }
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
    let learned = result.map_or(LearnedGame::Unfinished, |_| LearnedGame::Counted);
    Ok((learned, new))
}

/// A number that follows from the positions of a game, up to symmetry.
fn fingerprint(game: &Game) -> u64 {
    let mut keys = Vec::new();
    for position in game.positions() {
        write_key(pack(position.board.canonical()), &mut keys);
    }
    checksum(&keys)
}
