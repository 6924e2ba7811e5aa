//! What a book says of the moves of a position.

use std::convert::Infallible;

use super::entry::{BookEntry, Certainty, GameCounts};
use super::reply::AfterMove;
use super::store::{Book, BookError};
use super::tree::Tree;
use crate::rules::{Bitboard, Board, Move, Square};
use crate::score::Score;

/// Most moves of a line that the book expects.
const MAX_LINE: usize = 60;

/// What the book says of a move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BookReply {
    /// The move.
    pub square: Square,
    /// Its score for the side that plays it.
    pub score: Score,
    /// How certain that is.
    pub certainty: Certainty,
    /// The depth of its search, in plies, or its level. `None`: not known, or it ends the game.
    pub depth: Option<u8>,
    /// Counts of the position after it, for the side that plays it.
    pub counts: GameCounts,
    /// Does it lead to a position of the book? Else it is the best of those that do not.
    pub is_link: bool,
}

/// What the book says of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct PositionStudy {
    /// The position.
    pub board: Board,
    /// What is known of it.
    pub entry: BookEntry,
    /// The moves that are known, the best first.
    pub replies: Vec<BookReply>,
}

impl PositionStudy {
    /// What the book says of this position; `None`: it does not have it, or has not searched it.
    ///
    /// # Errors
    /// If it is damaged there, or cannot be read.
    pub fn of(book: &Book, board: Board) -> Result<Option<PositionStudy>, BookError> {
        PositionStudy::by(|board| book.get(board), board)
    }

    /// The same of a tree.
    pub fn of_tree(tree: &Tree, board: Board) -> Option<PositionStudy> {
        let Ok(study) = PositionStudy::by(|board| Ok::<_, Infallible>(tree.get(board)), board);
        study
    }

    fn by<E>(
        get: impl Fn(Board) -> Result<Option<BookEntry>, E>,
        board: Board,
    ) -> Result<Option<PositionStudy>, E> {
        let Some(entry) = get(board)?.filter(BookEntry::is_known) else {
            return Ok(None);
        };
        let mut replies = Vec::new();
        for square in board.legal_moves() {
            let reply = AfterMove::to(board, square);
            let Some(next) = reply.board() else { continue };
            if let Some(found) = get(next)?.filter(BookEntry::is_known) {
                replies.push(link(square, reply, &found));
            }
        }
        let leaf = entry.leaf.filter(|leaf| {
            let is_link = replies.iter().any(|reply| reply.square == leaf.square);
            !is_link && board.legal_moves().contains(leaf.square)
        });
        replies.extend(leaf.map(|leaf| BookReply {
            square: leaf.square,
            score: leaf.score,
            certainty: leaf.certainty,
            depth: super::entry::known_depth(leaf.depth),
            counts: GameCounts::default(),
            is_link: false,
        }));
        replies.sort_by_key(|reply| {
            (
                std::cmp::Reverse((reply.score, reply.certainty)),
                !reply.is_link,
            )
        });
        Ok(Some(PositionStudy {
            board,
            entry,
            replies,
        }))
    }

    /// How many discs the two best moves are apart; `None`: fewer are known.
    pub fn gap(&self) -> Option<f64> {
        match self.replies[..] {
            [best, second, ..] => Some(best.score.to_f64() - second.score.to_f64()),
            _ => None,
        }
    }

    /// The moves that do not lead to positions of the book.
    pub fn outside(&self) -> Bitboard {
        let links = self.replies.iter().filter(|reply| reply.is_link);
        let linked = links.fold(0, |linked, reply| linked | reply.square.bit());
        Bitboard(self.board.legal_moves().0 & !linked)
    }

    /// Is anything known of the moves that do not lead to positions of the book? One of them may be the best where it is not.
    pub fn is_searched(&self) -> bool {
        self.outside().is_empty() || self.replies.iter().any(|reply| !reply.is_link)
    }

    /// The line that the book expects after one of the moves: best moves as long as it knows one, passes included. And the
    /// depth of the search at its end, which carries the score.
    ///
    /// # Errors
    /// If it is damaged there, or cannot be read.
    pub fn line(
        &self,
        book: &Book,
        first: &BookReply,
    ) -> Result<(Vec<Move>, Option<u8>), BookError> {
        let mut line = vec![Move::Place(first.square)];
        let mut depth = first.depth;
        let mut reply = AfterMove::to(self.board, first.square);
        while line.len() < MAX_LINE
            && let Some(board) = reply.board()
            && let Some(study) = PositionStudy::of(book, board)?
            && let Some(best) = study.replies.first()
        {
            if !reply.changes_sides() {
                line.push(Move::Pass);
            }
            line.push(Move::Place(best.square));
            depth = best.depth;
            reply = AfterMove::to(board, best.square);
        }
        Ok((line, depth))
    }
}

fn link(square: Square, reply: AfterMove, entry: &BookEntry) -> BookReply {
    let counts = entry.counts;
    let own = if reply.changes_sides() {
        GameCounts {
            wins: counts.losses,
            losses: counts.wins,
            ..counts
        }
    } else {
        counts
    };
    BookReply {
        square,
        score: reply.own(entry.score),
        certainty: entry.certainty,
        depth: entry.searched_depth(),
        counts: own,
        is_link: true,
    }
}
