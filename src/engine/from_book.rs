//! Moves of an opening book, which are not believed blindly.
//!
//! The moves that the book does not know are searched for a hundredth of the time first. If one of them seems better
//! than the book's move, the choice is searched in full, as where there is no book.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(super) use crate::book::BookMove;
use crate::book::{Book, BookError, BookPlayer, BookWriter, Certainty, Study, learn_game};
use crate::host::Instant;
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Game, Move};
use crate::score::{Bounds, GameValue, Score};
use crate::search::{
    Bound, Control, Info, Limits, Outcome, Proof, Searcher, Selectivity, TimeLimit,
};

use super::SearchJob;
use super::player::{BookHint, BookHints};

/// The book of a player, if it has one, and how it plays from it.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayerBook {
    player: Option<BookPlayer>,
    variety: Score,
    seed: u64,
}

impl PlayerBook {
    /// No book.
    pub(super) const NONE: PlayerBook = PlayerBook {
        player: None,
        variety: Score::DRAW,
        seed: 0,
    };

    /// Plays from the book of this file from now on; `None`: from none.
    pub(super) fn open(&mut self, path: Option<&Path>) -> Result<(), String> {
        let book = path.map(Book::open).transpose();
        let book = book.map_err(|error| described(&error))?;
        self.player = book.map(|book| BookPlayer::new(Arc::new(book), self.variety, self.seed()));
        Ok(())
    }

    pub(super) fn set_variety(&mut self, discs: f64) {
        self.variety = Score::from_raw((discs * f64::from(Score::PER_DISC)) as i32);
        if let Some(player) = &mut self.player {
            player.set_variety(self.variety);
        }
    }

    /// 0: another one each time.
    pub(super) fn set_seed(&mut self, seed: u64) {
        self.seed = seed;
        let seed = self.seed();
        if let Some(player) = &mut self.player {
            player.set_seed(seed);
        }
    }

    fn seed(&self) -> u64 {
        match self.seed {
            0 => SplitMix64::fresh().next_u64(),
            seed => seed,
        }
    }

    pub(super) const fn is_chosen(&self) -> bool {
        self.player.is_some()
    }

    pub(super) fn book(&self) -> Option<&Book> {
        self.player.as_ref().map(|player| &**player.book())
    }

    pub(super) fn hints(&self, board: Board) -> Option<BookHints> {
        let book = self.book()?;
        let found = Study::of(book, board)
            .and_then(|study| study.map(|study| hints(book, &study)).transpose());
        found.unwrap_or_else(|error| {
            log::warn!("{error}");
            None
        })
    }

    /// Takes a game into the book; returns the number of new positions.
    pub(super) fn learn(&mut self, game: &Game) -> Result<Option<usize>, String> {
        let Some(path) = self.book().map(|book| book.path().to_owned()) else {
            return Ok(None);
        };
        let learned = BookWriter::open(&path).and_then(|mut writer| {
            let new = learn_game(&mut writer, game)?;
            writer.commit().map(|()| new)
        });
        let new = learned.map_err(|error| described(&error))?;
        self.open(Some(&path))?;
        Ok(Some(new))
    }

    pub(super) fn choose(&mut self, board: Board) -> Option<BookMove> {
        self.player.as_mut()?.choose(board)
    }
}

fn hints(book: &Book, study: &Study) -> Result<BookHints, BookError> {
    let links = study.replies.iter().filter(|reply| reply.is_link);
    let hint = |reply: &crate::book::BookReply| {
        Ok(BookHint {
            line: study.line(book, reply.square)?,
            score: reply.score,
            games: reply.counts.games(),
            depth: reply.depth.map_or(0, u32::from),
        })
    };
    Ok(BookHints {
        hints: links.map(hint).collect::<Result<_, BookError>>()?,
        outside: study.outside(),
    })
}

/// An error and its causes in one line.
fn described(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

/// `f5 score +0.50 estimate depth 16, 3 moves outside`
pub(super) fn text(book: &BookMove) -> String {
    let name = book.line.first().copied().map_or("none", Move::name);
    let (score, certainty, depth) = (book.score, book.certainty, book.depth);
    let outside = book.outside.count();
    format!("{name} score {score} {certainty} depth {depth}, {outside} moves outside")
}

/// Plays the move of the book, unless a search finds a better one.
pub(super) fn play(
    book: &BookMove,
    job: &SearchJob,
    searcher: &mut Searcher,
    report: &mut dyn FnMut(&Info),
) -> Outcome {
    let start = Instant::now();
    let (board, control) = (job.board(), job.handle().control());
    let mut nodes = 0;
    if !book.outside.is_empty() && book.certainty != Certainty::Exact && !control.is_stopped() {
        let check = searcher.search(
            board,
            &hundredth(&job.limits, book.outside),
            control,
            &mut |_| {},
        );
        nodes = check.nodes;
        let best = check.lines.first().map(|line| line.score);
        if best.is_some_and(|best| best > book.score) && !control.is_stopped() {
            return in_full(job, start.elapsed(), searcher, control, report);
        }
    }
    let line = line(book, nodes, start.elapsed());
    report(&line);
    Outcome {
        best: book.line.first().copied(),
        ponder: book.line.get(1).copied().filter(|mv| mv.square().is_some()),
        nodes,
        time: start.elapsed(),
        complete: true,
        proven: proven(book),
        lines: vec![line],
    }
}

/// The search as if there were no book, in the time that is left.
fn in_full(
    job: &SearchJob,
    used: Duration,
    searcher: &mut Searcher,
    control: &Control,
    report: &mut dyn FnMut(&Info),
) -> Outcome {
    let time = match job.limits.time {
        TimeLimit::Unlimited => TimeLimit::Unlimited,
        TimeLimit::Move(time) => TimeLimit::Move(time.saturating_sub(used)),
        TimeLimit::Clock {
            remaining,
            increment,
            moves_to_go,
        } => TimeLimit::Clock {
            remaining: remaining.saturating_sub(used),
            increment,
            moves_to_go,
        },
    };
    let limits = Limits {
        time,
        ..job.limits.clone()
    };
    job.search(&limits, searcher, control, report)
}

/// About a hundredth of the effort, for these moves.
fn hundredth(limits: &Limits, moves: Bitboard) -> Limits {
    /// Plies that make a search a hundred times as long, about.
    const PLIES: u32 = 8;
    let time = match limits.time {
        TimeLimit::Unlimited => TimeLimit::Unlimited,
        TimeLimit::Move(time) => TimeLimit::Move(time / 100),
        TimeLimit::Clock {
            remaining,
            increment,
            moves_to_go,
        } => TimeLimit::Clock {
            remaining: remaining / 100,
            increment: increment / 100,
            moves_to_go,
        },
    };
    Limits {
        time,
        nodes: limits.nodes.map(|nodes| (nodes / 100).max(1)),
        depth: limits.depth.map(|depth| depth.saturating_sub(PLIES).max(1)),
        moves: Some(moves),
        multipv: 1,
        ..limits.clone()
    }
}

fn proven(book: &BookMove) -> Bounds {
    // A proven move is a bound of the position from below: another one may be better.
    let bounds = book.certainty.bounds(book.score);
    Bounds::at_least(bounds.lower())
}

fn line(book: &BookMove, nodes: u64, time: Duration) -> Info {
    let proof = match book.certainty {
        Certainty::Estimate => Proof::None,
        Certainty::Winner => Proof::Wld(GameValue::of_discs(book.score.raw().signum())),
        Certainty::Exact => Proof::Exact(book.score.discs()),
    };
    Info {
        depth: book.depth.max(1),
        selectivity: Selectivity::default(),
        multipv: 1,
        score: book.score,
        minimax: book.score,
        bound: Bound::Exact,
        proof,
        nodes,
        time,
        hashfull: 0,
        pv: book.line.clone(),
    }
}
