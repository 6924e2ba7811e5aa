//! Playing from a book.

use std::sync::Arc;

use super::entry::Certainty;
use super::store::{Book, BookError};
use super::study::PositionStudy;
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Move};
use crate::score::Score;

/// A book to play from, and how.
#[derive(Clone, Debug)]
pub struct BookPlayer {
    book: Arc<Book>,
    /// What a move may cost against the best one.
    variety: Score,
    random: SplitMix64,
}

/// A move of the book.
#[derive(Clone, PartialEq, Debug)]
pub struct BookMove {
    /// The line that the book expects. It begins with the move.
    pub line: Vec<Move>,
    /// The score of the move, for the side that plays it.
    pub score: Score,
    /// How certain that is.
    pub certainty: Certainty,
    /// The depth of its search, in plies; 0 if it is not known.
    pub depth: u32,
    /// The score of the best move that the book knows; with variety another one may be played.
    pub best: Score,
    /// Is it proven that no move is better than that?
    pub is_settled: bool,
    /// The moves that the book does not know: one of them may be better.
    pub outside: Bitboard,
}

impl BookPlayer {
    /// Plays from this book. Of the moves that cost at most `variety` against the best one, it draws one.
    pub const fn new(book: Arc<Book>, variety: Score, seed: u64) -> BookPlayer {
        BookPlayer {
            book,
            variety,
            random: SplitMix64::new(seed),
        }
    }

    /// The book.
    pub const fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// Gives up at most so much from now on.
    pub const fn set_variety(&mut self, variety: Score) {
        self.variety = variety;
    }

    /// Draws from this seed from now on.
    pub const fn set_seed(&mut self, seed: u64) {
        self.random = SplitMix64::new(seed);
    }

    /// A move of the book; `None` where it ends, where its best move leaves it, and where it is damaged.
    pub fn choose(&mut self, board: Board) -> Option<BookMove> {
        let draw = self.random.next_u64();
        self.try_choose(board, draw).unwrap_or_else(|error| {
            log::warn!("{error}");
            None
        })
    }

    fn try_choose(&self, board: Board, draw: u64) -> Result<Option<BookMove>, BookError> {
        let Some(study) = PositionStudy::of(&self.book, board)? else {
            return Ok(None);
        };
        let best = study
            .replies
            .first()
            .map_or(Score::MIN, |reply| reply.score);
        let least = best.raw() - self.variety.raw();
        let good = |reply: &&super::BookReply| reply.is_link && reply.score.raw() >= least;
        let mut good: Vec<_> = study.replies.iter().filter(good).collect();
        // A proven win is never given up, nor a proven draw.
        if let Some(certain) = good.iter().find(|reply| reply.certainty.is_proven()) {
            let value = certain.score.raw().signum();
            if value >= 0 {
                good.retain(|reply| {
                    reply.certainty.is_proven() && reply.score.raw().signum() >= value
                });
            }
        }
        let chosen = SplitMix64::new(draw).choose(good);
        let Some(reply) = chosen else {
            return Ok(None);
        };
        Ok(Some(BookMove {
            line: study.line(&self.book, reply.square)?,
            score: reply.score,
            certainty: reply.certainty,
            depth: reply.depth.map_or(0, u32::from),
            best,
            is_settled: study.entry.certainty == Certainty::Exact,
            outside: study.outside(),
        }))
    }
}
