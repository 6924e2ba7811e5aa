//! Playing from a book.

use std::sync::Arc;

use super::entry::Certainty;
use super::store::{Book, BookError};
use super::study::{BookReply, PositionStudy};
use crate::human::{MoveShare, Rating, players_model};
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Move};
use crate::score::Score;
use crate::text::values::BookStyle;

/// How moves of a book are chosen.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct BookManner {
    /// Discs that the moves of the book may cost in a game, on average.
    pub variety: f32,
    /// Which moves are drawn.
    pub style: BookStyle,
}

impl BookManner {
    /// Moves of a game that vary; then the best ones follow. So what variety costs is spent where games differ most by it.
    const VARIED: u32 = 4;

    /// A move that costs so many discs more than another one is drawn 1/e times as often, if a game may cost one disc: evenly,
    /// and as people play, who prefer good moves anyway. By games of the built-in book against players of 4 plies
    /// (docs/BOOK.md); against better ones, who leave the book later, a game costs a little more.
    const EVENLY: f32 = 1.33;
    const AS_PEOPLE: f32 = 7.0;

    /// No move costs more than so many times what the game may.
    const MOST: f32 = 4.0;

    /// How likely the moves are that lose so many discs. At least one loses nothing.
    fn weights(self, board: Board, moves: &[&BookReply], best: Score) -> Vec<f32> {
        let unit = match self.style {
            BookStyle::Best => 0.0,
            BookStyle::People => self.variety * BookManner::AS_PEOPLE,
            BookStyle::Wide => self.variety * BookManner::EVENLY,
        };
        let shares = match self.style {
            BookStyle::People if unit > 0.0 => players_model()
                .map(|model| model.probabilities(board, Rating::TOP_OF_PEOPLE, None))
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        let most = if unit > 0.0 {
            BookManner::MOST * self.variety
        } else {
            0.0
        };
        let weight = |reply: &&BookReply| {
            let loss = (best.to_f64() - reply.score.to_f64()) as f32;
            if loss > most {
                return 0.0;
            }
            let share = MoveShare::of(reply.square, &shares).unwrap_or(1.0);
            share * (-loss / unit.max(f32::MIN_POSITIVE)).exp()
        };
        moves.iter().map(weight).collect()
    }
}

/// A book to play from, and how.
#[derive(Clone, Debug)]
pub struct BookPlayer {
    book: Arc<Book>,
    manner: BookManner,
    random: SplitMix64,
    /// Free squares when it moved last.
    last_empties: u32,
    /// Moves that it has played in this game.
    played: u32,
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
    /// Plays from this book.
    pub const fn new(book: Arc<Book>, manner: BookManner, seed: u64) -> BookPlayer {
        BookPlayer {
            book,
            manner,
            random: SplitMix64::new(seed),
            last_empties: 0,
            played: 0,
        }
    }

    /// The book.
    pub const fn book(&self) -> &Arc<Book> {
        &self.book
    }

    /// Chooses so from now on.
    pub const fn set_manner(&mut self, manner: BookManner) {
        self.manner = manner;
    }

    /// Draws from this seed from now on.
    pub const fn set_seed(&mut self, seed: u64) {
        self.random = SplitMix64::new(seed);
    }

    /// The moves of a position that its repertoire allows; all where it says nothing of it.
    pub fn allowed(&self, board: Board) -> Option<Bitboard> {
        self.book.allowed(board).unwrap_or_else(|error| {
            log::warn!("{error}");
            None
        })
    }

    /// A move of the book; `None` where it ends, where its best move leaves it, and where it is damaged.
    pub fn choose(&mut self, board: Board) -> Option<BookMove> {
        // A game never has more free squares than before.
        if board.empty_count() >= self.last_empties {
            self.played = 0;
        }
        self.last_empties = board.empty_count();
        let mut manner = self.manner;
        if self.played >= BookManner::VARIED {
            manner.variety = 0.0;
        }
        self.played += 1;
        let draw = self.random.next_u64();
        self.try_choose(board, manner, draw)
            .unwrap_or_else(|error| {
                log::warn!("{error}");
                None
            })
    }

    fn try_choose(
        &self,
        board: Board,
        manner: BookManner,
        draw: u64,
    ) -> Result<Option<BookMove>, BookError> {
        let Some(mut study) = PositionStudy::of(&self.book, board)? else {
            return Ok(None);
        };
        let allowed = self.book.allowed(board)?.unwrap_or(Bitboard(u64::MAX));
        study.replies.retain(|reply| allowed.contains(reply.square));
        let best = study
            .replies
            .first()
            .map_or(Score::MIN, |reply| reply.score);
        let good: Vec<_> = study.replies.iter().filter(|reply| reply.is_link).collect();
        let mut weights = manner.weights(board, &good, best);
        // A proven win is never given up, nor a proven draw.
        let mut possible = good
            .iter()
            .zip(&weights)
            .filter(|(_, weight)| **weight > 0.0);
        if let Some((certain, _)) = possible.find(|(reply, _)| reply.certainty.is_proven()) {
            let value = certain.score.raw().signum();
            let keeps = |reply: &BookReply| {
                value < 0 || reply.certainty.is_proven() && reply.score.raw().signum() >= value
            };
            for (weight, reply) in weights.iter_mut().zip(&good) {
                *weight *= f32::from(u8::from(keeps(reply)));
            }
        }
        if weights.iter().all(|&weight| weight <= 0.0) {
            return Ok(None);
        }
        let reply = good[SplitMix64::new(draw).weighted(&weights)];
        let (line, depth) = study.line(&self.book, reply)?;
        Ok(Some(BookMove {
            line,
            score: reply.score,
            certainty: reply.certainty,
            depth: depth.map_or(0, u32::from),
            best,
            is_settled: study.entry.certainty == Certainty::Exact,
            outside: Bitboard(study.outside().0 & allowed.0),
        }))
    }
}
