//! What stands for the opening book in a build without the feature `book`.

use std::path::Path;

use crate::rules::{Bitboard, Board, Game};
use crate::search::{Info, Outcome, Searcher};
use crate::text::values::BookStyle;

use super::SearchJob;
use super::player::BookHints;

/// A move of a book: there is none.
#[derive(Clone, Debug)]
pub(super) enum BookMove {}

/// No book.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayerBook;

impl PlayerBook {
    pub(super) const NONE: PlayerBook = PlayerBook;

    pub(super) fn open(&mut self, path: Option<&Path>) -> Result<(), String> {
        path.map_or(
            Ok(()),
            |_| Err("this build has no opening books".to_owned()),
        )
    }

    pub(super) fn set_variety(&mut self, _: f64) {}

    pub(super) fn set_style(&mut self, _: BookStyle) {}

    pub(super) fn set_seed(&mut self, _: u64) {}

    pub(super) const fn is_chosen(&self) -> bool {
        false
    }

    pub(super) fn hints(&self, _: Board) -> Option<BookHints> {
        None
    }

    pub(super) fn learn(&mut self, _: &Game) -> Result<Option<usize>, String> {
        Ok(None)
    }

    pub(super) fn allowed(&self, _: Board) -> Option<Bitboard> {
        None
    }

    pub(super) fn choose(&mut self, _: Board) -> Option<BookMove> {
        None
    }
}

pub(super) fn text(book: &BookMove) -> String {
    match *book {}
}

pub(super) fn play(
    book: &BookMove,
    _: &SearchJob,
    _: &mut Searcher,
    _: &mut dyn FnMut(&Info),
) -> Outcome {
    match *book {}
}
