//! Moves of an opening book, which are not believed blindly.
//!
//! The moves that the book does not know are searched for a hundredth of the time first. If one of them seems better
//! than the book's move, the choice is searched in full, as where there is no book.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(super) use crate::book::BookMove;
use crate::book::{Book, BookError, BookPlayer, BookWriter, Certainty, Study, learn_game};
use crate::faults;
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
        let book = book.map_err(|error| faults::with_causes(&error))?;
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
        let new = learned.map_err(|error| faults::with_causes(&error))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::{BookWriter, Entry, Leaf};
    use crate::engine::{Patience, Player};
    use crate::eval::Evaluator;
    use crate::search::SearchOptions;

    /// A book in which one move of a symmetric position leads to a position with this score for it.
    fn book(folder: &Path, discs: i32) -> (std::path::PathBuf, Board) {
        let path = folder.join("a.book");
        let mut writer = BookWriter::open(&path).expect("a writable place");
        let board = Board::START.play("f5".parse().expect("a square"));
        let leaf = |board: Board, score| {
            Entry::of_leaf(Leaf {
                square: board.legal_moves().first().expect("a move"),
                score: Score::from_discs(score),
                certainty: Certainty::Estimate,
                depth: 20,
            })
        };
        let known = board.play("d6".parse().expect("a square"));
        let entry = Entry {
            leaf: None,
            score: Score::from_discs(discs),
            depth: 20,
            ..Entry::default()
        };
        writer.set(board, Some(entry));
        writer.set(known, Some(leaf(known, -discs)));
        writer.commit().expect("a writable place");
        (path, board)
    }

    fn outcome(discs: i32) -> (Outcome, Option<String>) {
        let folder = tempfile::tempdir().expect("a writable place");
        let (path, board) = book(folder.path(), discs);
        let mut player = Player::default();
        player.set_book(Some(&path)).expect("a book");
        let host = Limits {
            depth: Some(9),
            ..Limits::default()
        };
        let job = player.choose_within(board, host, Patience::Bounded);
        let options = SearchOptions {
            threads: 1,
            hash_mb: 1,
        };
        let searcher = Searcher::new(Evaluator::embedded(), options);
        let mut reports = 0;
        let outcome = job.run(&mut searcher.expect("memory"), &mut |_| reports += 1);
        assert!(reports > 0);
        (outcome, job.book_text())
    }

    #[test]
    fn a_good_move_of_the_book_is_played_after_a_short_search() {
        let (outcome, text) = outcome(20);
        assert_eq!(
            text.as_deref(),
            Some("d6 score +20.00 estimate depth 20, 2 moves outside")
        );
        assert_eq!(outcome.best.map(Move::name), Some("d6"));
        assert_eq!(
            (outcome.lines[0].depth, outcome.lines[0].score),
            (20, Score::from_discs(20))
        );
        assert!(outcome.nodes > 0);
    }

    #[test]
    fn where_another_move_is_better_the_choice_is_searched_in_full() {
        let (outcome, _) = outcome(-40);
        assert_eq!(outcome.lines[0].depth, 9);
        assert!(outcome.lines[0].score > Score::from_discs(-20));
    }

    #[test]
    fn analyses_and_other_players_have_no_book() {
        let folder = tempfile::tempdir().expect("a writable place");
        let (path, board) = book(folder.path(), 20);
        let mut player = Player::default();
        let text = |player: &mut Player, host| {
            player
                .choose_within(board, host, Patience::Bounded)
                .book_text()
        };
        assert_eq!(text(&mut player, Limits::default()), None);
        player.set_book(Some(&path)).expect("a book");
        assert!(text(&mut player, Limits::default()).is_some());
        let two_lines = Limits {
            multipv: 2,
            ..Limits::default()
        };
        assert_eq!(text(&mut player, two_lines), None);
        assert!(player.set_book(Some(&folder.path().join("none"))).is_err());
        assert!(player.has_book(), "the old one stays");
        player.set_book(None).expect("nothing to read");
        assert_eq!(text(&mut player, Limits::default()), None);
    }
}
