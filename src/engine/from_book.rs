//! Moves of an opening book, which are not believed blindly.
//!
//! The moves that the book does not know are searched for a hundredth of the time first, and then the move of the
//! book. If one of the others seems better than what the book knows, or the move much worse than the book
//! says, or a full search comes further than that of the book, the choice is searched in full, as where there is no
//! book. What is proven is believed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub(super) use crate::book::BookMove;
use crate::book::{
    Book, BookError, BookManner, BookPlayer, BookWriter, Certainty, PositionStudy, learn_game,
};
use crate::faults;
use crate::host::Instant;
use crate::random::SplitMix64;
use crate::rules::{Bitboard, Board, Game, Move};
use crate::score::{Bounds, GameValue, Score};
use crate::search::{Bound, Info, Limits, Outcome, Proof, Searcher, Selectivity, TimeLimit};
use crate::text::values::BookStyle;

use super::SearchJob;
use super::player::{BookHint, BookHints};

/// The book of a player, if it has one, and how it plays from it.
#[derive(Clone, Debug, Default)]
pub(super) struct PlayerBook {
    player: Option<BookPlayer>,
    manner: BookManner,
    seed: u64,
}

impl PlayerBook {
    /// No book.
    pub(super) const NONE: PlayerBook = PlayerBook {
        player: None,
        manner: BookManner {
            variety: 0.0,
            style: BookStyle::Wide,
        },
        seed: 0,
    };

    /// Plays from the book of this file from now on; `None`: from none.
    pub(super) fn open(&mut self, path: Option<&Path>) -> Result<(), String> {
        let book = path.map(Book::open).transpose();
        let book = book.map_err(|error| faults::with_causes(&error))?;
        self.player = book.map(|book| BookPlayer::new(Arc::new(book), self.manner, self.seed()));
        Ok(())
    }

    pub(super) fn set_variety(&mut self, discs: f64) {
        self.manner.variety = discs as f32;
        self.renew();
    }

    pub(super) fn set_style(&mut self, style: BookStyle) {
        self.manner.style = style;
        self.renew();
    }

    fn renew(&mut self) {
        if let Some(player) = &mut self.player {
            player.set_manner(self.manner);
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
        let found = PositionStudy::of(book, board)
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
            let (_, new) = learn_game(&mut writer, game)?;
            writer.commit().map(|()| new)
        });
        let new = learned.map_err(|error| faults::with_causes(&error))?;
        self.open(Some(&path))?;
        Ok(Some(new))
    }

    /// The moves that its repertoire allows; `None`: it says nothing.
    pub(super) fn allowed(&self, board: Board) -> Option<Bitboard> {
        self.player.as_ref()?.allowed(board)
    }

    pub(super) fn choose(&mut self, board: Board) -> Option<BookMove> {
        self.player.as_mut()?.choose(board)
    }
}

fn hints(book: &Book, study: &PositionStudy) -> Result<BookHints, BookError> {
    let links = study.replies.iter().filter(|reply| reply.is_link);
    let hint = |reply: &crate::book::BookReply| {
        let (line, depth) = study.line(book, reply)?;
        Ok(BookHint {
            line,
            score: reply.score,
            games: reply.counts.games(),
            depth: depth.map_or(0, u32::from),
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

/// Plays the move of the book, unless a short search gives a reason not to.
pub(super) fn play(
    book: &BookMove,
    job: &SearchJob,
    searcher: &mut Searcher,
    report: &mut dyn FnMut(&Info),
) -> Outcome {
    let start = Instant::now();
    let mut nodes = 0;
    if is_doubtful(book, job, searcher, &mut nodes) {
        return in_full(job, start.elapsed(), searcher, report);
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

/// A short search errs by some discs; where it finds the move of the book worth so much less than the book says, the
/// book is wrong.
const DOUBT: Score = Score::from_discs(8);

/// Plies of the shallowest search that can contradict a book.
const LEAST_DEPTH: u32 = 4;

/// A search that takes a hundred times as long comes so many plies further, about: 16 to 18 of one thread from 10 ms to 1 s (25
/// positions of ply 4 to 24, 30 November 2026).
const HUNDREDFOLD: u32 = 17;

/// Does a short search find another move better, or the move of the book much worse than the book says? Or does a full one
/// come further than the book?
fn is_doubtful(book: &BookMove, job: &SearchJob, searcher: &mut Searcher, nodes: &mut u64) -> bool {
    if book.is_settled {
        return false;
    }
    let control = job.handle().control();
    let mut best_of = |moves: Bitboard| {
        if moves.is_empty() || control.is_stopped() {
            return None;
        }
        let limits = hundredth(&job.limits, moves);
        let found = searcher.search(job.board(), &limits, control, &mut |_| {});
        *nodes += found.nodes;
        // A search that was stopped, or ended soon, says nothing.
        let line = found.lines.first().filter(|_| !control.is_stopped());
        line.filter(|line| line.depth >= LEAST_DEPTH)
            .map(|line| (line.unrounded, line.depth))
    };
    if best_of(book.outside).is_some_and(|(score, _)| score > book.best) {
        return true;
    }
    let own = book.line.first().and_then(|mv| mv.square());
    let own = own.filter(|_| !book.certainty.is_proven());
    let found = own.and_then(|square| best_of(square.into()));
    found.is_some_and(|(score, depth)| {
        let full = job.limits.depth.unwrap_or(u32::MAX);
        let full = full.min(depth + HUNDREDFOLD).min(job.board().empty_count());
        score.raw() + DOUBT.raw() < book.score.raw()
            || reach(book).is_some_and(|reach| reach < full)
    })
}

/// How far the book has looked, in plies: to the end of its line, and by the search there. `None`: that is not known.
fn reach(book: &BookMove) -> Option<u32> {
    let played = book.line.iter().filter(|mv| mv.square().is_some()).count();
    // The last move of the line is the first one of the search.
    (book.depth > 0).then(|| played as u32 + book.depth - 1)
}

/// The search as if there were no book, in the time that is left.
fn in_full(
    job: &SearchJob,
    used: Duration,
    searcher: &mut Searcher,
    report: &mut dyn FnMut(&Info),
) -> Outcome {
    let limits = Limits {
        time: part_of(job.limits.time, used, 1),
        ..job.limits.clone()
    };
    job.search(&limits, searcher, report)
}

/// About a hundredth of the effort, for these moves.
fn hundredth(limits: &Limits, moves: Bitboard) -> Limits {
    Limits {
        time: part_of(limits.time, Duration::ZERO, 100),
        nodes: limits.nodes.map(|nodes| (nodes / 100).max(1)),
        depth: limits.depth.map(|depth| {
            depth
                .saturating_sub(HUNDREDFOLD)
                .max(depth.min(LEAST_DEPTH))
        }),
        moves: Some(moves),
        multipv: 1,
        ..limits.clone()
    }
}

/// The time without what is used of it, divided into so many parts.
fn part_of(time: TimeLimit, used: Duration, parts: u32) -> TimeLimit {
    let left = |time: Duration| time.saturating_sub(used) / parts;
    match time {
        TimeLimit::Unlimited => TimeLimit::Unlimited,
        TimeLimit::Move(time) => TimeLimit::Move(left(time)),
        TimeLimit::Clock {
            remaining,
            increment,
            moves_to_go,
        } => TimeLimit::Clock {
            remaining: left(remaining),
            increment: increment / parts,
            moves_to_go,
        },
    }
}

fn proven(book: &BookMove) -> Bounds {
    // A proven move is a bound of the position from below: another one may be better.
    let bounds = book.certainty.bounds(book.score);
    Bounds::at_least(bounds.lower())
}

fn line(book: &BookMove, nodes: u64, time: Duration) -> Info {
    let proof = match book.certainty {
        Certainty::Estimate | Certainty::Unconfirmed => Proof::None,
        Certainty::Winner => Proof::Wld(GameValue::of_discs(book.score.raw().signum())),
        Certainty::Exact => Proof::Exact(book.score.discs()),
    };
    Info {
        depth: book.depth.max(1),
        selectivity: Selectivity::default(),
        multipv: 1,
        score: book.score,
        unrounded: book.score,
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
    use std::path::PathBuf;

    use super::*;
    use crate::book::{BookEntry, BookLeaf, BookWriter};
    use crate::engine::{Patience, Player};
    use crate::eval::Evaluator;
    use crate::rules::Square;
    use crate::search::{Control, SearchOptions};

    /// A book that knows these moves of a board, and their scores in discs for the side that plays them.
    fn book(folder: &Path, board: Board, moves: &[(Square, i32)]) -> PathBuf {
        let path = folder.join("a.book");
        let mut writer = BookWriter::open(&path).expect("a writable place");
        let best = moves.iter().map(|&(_, discs)| discs).max();
        let known = |score| BookEntry {
            score: Score::from_discs(score),
            depth: 20,
            ..BookEntry::default()
        };
        writer.set(board, best.map(known));
        for &(square, discs) in moves {
            let reply = board.play(square);
            let leaf = BookLeaf {
                square: reply.legal_moves().first().expect("a move"),
                score: Score::from_discs(-discs),
                certainty: Certainty::Estimate,
                depth: 20,
            };
            writer.set(reply, Some(BookEntry::of_leaf(leaf)));
        }
        writer.commit().expect("a writable place");
        path
    }

    fn after_f5() -> Board {
        Board::START.play("f5".parse().expect("a square"))
    }

    fn d6() -> Square {
        "d6".parse().expect("a square")
    }

    fn searcher() -> Searcher {
        let options = SearchOptions {
            threads: 1,
            hash_mb: 1,
        };
        Searcher::new(Evaluator::embedded(), options).expect("memory")
    }

    /// What is played, and what is said about the book.
    fn outcome(board: Board, moves: &[(Square, i32)], host: Limits) -> (Outcome, Option<String>) {
        let folder = tempfile::tempdir().expect("a writable place");
        let mut player = Player::default();
        let path = book(folder.path(), board, moves);
        player.set_book(Some(&path)).expect("a book");
        let job = player.choose_within(board, host, Patience::Bounded);
        let mut reports = 0;
        let outcome = job.run(&mut searcher(), &mut |_| reports += 1);
        assert!(reports > 0);
        (outcome, job.book_text())
    }

    fn to_depth(depth: u32) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    #[test]
    fn a_good_move_of_the_book_is_played_after_a_short_search() {
        let (outcome, text) = outcome(after_f5(), &[(d6(), 5)], to_depth(9));
        assert_eq!(
            text.as_deref(),
            Some("d6 score +5.00 estimate depth 20, 2 moves outside")
        );
        assert_eq!(outcome.best.map(Move::name), Some("d6"));
        assert_eq!(
            (outcome.lines[0].depth, outcome.lines[0].score),
            (20, Score::from_discs(5))
        );
        assert!(outcome.nodes > 0);
    }

    #[test]
    fn where_another_move_is_better_the_choice_is_searched_in_full() {
        let (outcome, _) = outcome(after_f5(), &[(d6(), -40)], to_depth(9));
        assert_eq!(outcome.lines[0].depth, 9);
        assert!(outcome.lines[0].score > Score::from_discs(-20));
    }

    #[test]
    fn where_a_full_search_comes_further_than_the_book_it_is_done() {
        let nodes = |nodes| Limits {
            nodes: Some(nodes),
            ..Limits::default()
        };
        // The line of the book has two moves, the last of them searched to depth 20.
        for (host, is_played) in [(nodes(1000), true), (nodes(1_000_000), false)] {
            let (outcome, _) = outcome(after_f5(), &[(d6(), 5)], host);
            assert_eq!(outcome.lines[0].score == Score::from_discs(5), is_played);
            assert_eq!(outcome.nodes < 100_000, is_played);
        }
    }

    /// Positions of random games in which one move loses much: the moves with their scores, the worst first.
    fn blunders() -> impl Iterator<Item = (Board, Vec<(Square, i32)>)> {
        let mut random = SplitMix64::new(5);
        let mut searcher = searcher();
        let board = move || {
            let mut board = Board::START;
            for _ in 0..20 {
                let square = random.choose(board.legal_moves())?;
                board = board.play(square);
            }
            Some(board)
        };
        let boards = std::iter::repeat_with(board).flatten();
        boards.filter_map(move |board| {
            let score = |square: Square| {
                let limits = Limits {
                    moves: Some(square.into()),
                    ..to_depth(LEAST_DEPTH)
                };
                let found = searcher.search(board, &limits, &Control::new(), &mut |_| {});
                (square, found.lines[0].score.discs())
            };
            let mut moves: Vec<_> = board.legal_moves().map(score).collect();
            moves.sort_by_key(|&(_, discs)| discs);
            let goes_on =
                |&(square, _): &(Square, i32)| !board.play(square).legal_moves().is_empty();
            let is_one = moves.len() > 2 && moves[0].1 <= moves[1].1 - 16;
            (is_one && moves.iter().all(goes_on)).then_some((board, moves))
        })
    }

    #[test]
    fn a_move_that_loses_much_is_not_played_whatever_the_book_says() {
        let host = to_depth(8);
        for (board, mut moves) in blunders().take(5) {
            // The book takes it for the best, by little.
            let best = moves.last().expect("a move").1;
            let wrong = moves[0].0;
            moves[0].1 = best + 1;
            // The other moves are not in the book, or they are in it and look worse.
            for known in [&moves[..1], &moves[..]] {
                let (outcome, text) = outcome(board, known, host.clone());
                let text = text.expect("a move of the book");
                assert!(text.starts_with(wrong.name()), "{text}");
                let played = outcome.best.and_then(|mv| mv.square());
                assert!(played.is_some() && played != Some(wrong), "{text}");
            }
        }
    }

    #[test]
    fn checks_take_a_hundredth_of_the_time_and_the_rest_is_what_is_left() {
        let seconds = Duration::from_secs;
        let clock = |remaining, increment| TimeLimit::Clock {
            remaining,
            increment,
            moves_to_go: None,
        };
        for (time, hundredth, rest) in [
            (
                TimeLimit::Move(seconds(200)),
                TimeLimit::Move(seconds(2)),
                TimeLimit::Move(seconds(199)),
            ),
            (
                clock(seconds(500), seconds(100)),
                clock(seconds(5), seconds(1)),
                clock(seconds(499), seconds(100)),
            ),
            (
                TimeLimit::Unlimited,
                TimeLimit::Unlimited,
                TimeLimit::Unlimited,
            ),
        ] {
            assert_eq!(part_of(time, Duration::ZERO, 100), hundredth);
            assert_eq!(part_of(time, seconds(1), 1), rest);
        }
    }

    #[test]
    fn analyses_and_other_players_have_no_book() {
        let folder = tempfile::tempdir().expect("a writable place");
        let board = after_f5();
        let path = book(folder.path(), board, &[(d6(), 5)]);
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
