//! Transcripts: the squares of a game in playing order, `f5d6c3d3c4`.
//!
//! Any case; passes may be written or left out; blanks and numbers before a move
//! (`1. f5 d6 2. c3`, `f5 1 d6 2 c3`, `1) f5 d6`) are skipped. The moves of flipello hosts are read as
//! well: `P@e3` counts the ranks from below, and is e6; a pass is one square twice, `a1a1`. A final score for black
//! may follow after a blank (`.. h1 +4`), and whatever comes after it is kept as a note, which has no moves unless
//! `%` or `#` marks it. Blank lines and lines that begin with `%` or `#` hold no game; a line without a move is
//! an error.

use std::str::FromStr;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::{digit1, one_of};
use nom::combinator::{map_opt, not, opt};
use nom::sequence::{pair, preceded, separated_pair, terminated};

use super::pasted;
use crate::rules::{Game, Move, Position, Square};
use crate::text::words::{
    Parsed, a_move, failure, finish, integer, is_blank, is_nothing, split_digits, square,
};
use crate::text::{ReadError, TextError, read_all};

/// A game from the start position, and what its line has besides the moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transcript {
    /// The moves, with every pass in its place.
    pub game: Game,
    /// The score column: the final score for black in discs, as given in the line.
    pub score: Option<i32>,
    /// The text after the score, without blanks around it.
    pub note: String,
}

impl FromStr for Transcript {
    type Err = TextError;

    fn from_str(line: &str) -> Result<Transcript, TextError> {
        finish(line, transcript(Position::START, line))
    }
}

/// Reads a line; `None` if it is blank or a comment.
///
/// # Errors
/// If a move cannot be read, or is not legal.
pub fn parse_line(line: &str) -> Result<Option<Transcript>, TextError> {
    match is_nothing(line) {
        true => Ok(None),
        false => line.parse().map(Some),
    }
}

/// Reads whole text: the games of all lines.
///
/// # Errors
/// At the first line that is no game.
pub fn parse(text: &[u8]) -> Result<Vec<Transcript>, ReadError> {
    read_all(text, parse_line)
}

/// A game as it stands in a book, a chat or a table: squares with numbers, punctuation and line ends between
/// them, and remarks in brackets; passes are left out or written. Letters may be full-width (`ｆ５`).
///
/// # Errors
/// If there is a word that is no move, or a move is not legal.
pub fn parse_pasted(text: &str) -> Result<Game, TextError> {
    pasted::parse_pasted(text)
}

/// Moves played from `start`, up to a score or the end. There is at least one.
pub(super) fn transcript(start: Position, input: &str) -> Parsed<'_, Transcript> {
    let mut game = Game::new(start);
    let is_flipello = input.contains('@');
    let mut input = skip(input);
    while let (after, Some(mv)) = opt(|input| written(is_flipello, input)).parse(input)? {
        if game.play(mv).is_err() {
            let reason = match dropped(input) {
                Ok(_) => format!("illegal move {mv} (P@ counts the ranks from below)"),
                Err(_) => format!("illegal move {mv}"),
            };
            return failure(input, reason);
        }
        input = skip(after);
    }
    if game.moves().is_empty() {
        return failure(input, "expected moves, such as f5d6");
    }
    let (after, score) = opt(score_column).parse(input)?;
    if score.is_none() && !after.is_empty() && !after.starts_with(['%', '#']) {
        return failure(after, "expected a square a1..h8, a pass, or a score");
    }
    if let Some(moves) = moves_in_note(after) {
        return failure(moves, "a move after the score: put a comment after %");
    }
    let note = after.trim().to_owned();
    Ok(("", Transcript { game, score, note }))
}

/// A move of a transcript. In one of a flipello host, a pass is one square twice.
fn written(is_flipello: bool, input: &str) -> Parsed<'_, Move> {
    if is_flipello
        && let Ok((rest, (first, second))) = pair(square, square).parse(input)
        && first == second
    {
        return Ok((rest, Move::Pass));
    }
    alt((dropped.map(Move::Place), a_move)).parse(input)
}

/// `P@e3`, a disc that a flipello host drops. Its ranks count from below: this is e6.
pub(super) fn dropped(input: &str) -> Parsed<'_, Square> {
    let from_below = |square: Square| Square::at(square.file(), 7 - square.rank());
    map_opt(preceded(tag_no_case("p@"), square), from_below).parse(input)
}

/// Does a text begin with a square, which no board does?
pub(super) fn begins_with_square(input: &str) -> bool {
    square(input).is_ok() || dropped(input).is_ok()
}

/// Does a text begin with a move that can be nothing else? The letters of a pass may begin a word.
pub(super) fn begins_with_move(input: &str) -> bool {
    let is_whole =
        |rest: &str| rest.is_empty() || rest.starts_with(is_blank) || square(rest).is_ok();
    begins_with_square(input) || a_move(input).is_ok_and(|(rest, _)| is_whole(rest))
}

/// The next move, behind blanks and numbers, marked (`2.`, `2...`, `2)`, `2:`) or plain. Where no move follows,
/// what stands behind blanks and marked numbers: a plain number there is a score.
pub(super) fn skip(input: &str) -> &str {
    let mut rest = input.trim_start_matches(is_blank);
    let mut score = None;
    while !begins_with_move(rest)
        && let Some((after, is_marked)) = number(rest)
    {
        if !is_marked {
            score.get_or_insert(rest);
        }
        rest = after.trim_start_matches(is_blank);
    }
    match score {
        Some(score) if !begins_with_move(rest) => score,
        _ => rest,
    }
}

/// What follows a number without a sign, and whether the number has a mark behind it. One without a mark is a word.
fn number(input: &str) -> Option<(&str, bool)> {
    let (digits, after) = split_digits(input);
    if digits.is_empty() {
        return None;
    }
    let is_clock = |rest: &&str| !rest.starts_with(|letter: char| letter.is_ascii_digit());
    let colon = after.strip_prefix(':').filter(is_clock);
    match after.strip_prefix(['.', ')', '…']).or(colon) {
        Some(marked) => Some((marked.strip_prefix("..").unwrap_or(marked), true)),
        None => (after.is_empty() || after.starts_with(is_blank)).then_some((after, false)),
    }
}

/// A whole number, or the discs of both sides (`33-31`), followed by a blank or the end.
fn score_column(input: &str) -> Parsed<'_, i32> {
    let discs = || {
        let number = |discs: &str| discs.parse().ok();
        map_opt(digit1, move |discs| {
            number(discs).filter(|discs| *discs <= 64)
        })
    };
    // `0:03` is a time.
    let pair = separated_pair(discs(), one_of("-:"), discs());
    let pair = map_opt(pair, |(black, white): (i32, i32)| {
        (13..=64)
            .contains(&(black + white))
            .then_some(black - white)
    });
    terminated(alt((pair, integer)), not(one_of(".…,:-abcdefghABCDEFGH"))).parse(input)
}

/// The first word of moves in a note, up to a marked comment: without it a game would be cut there.
fn moves_in_note(note: &str) -> Option<&str> {
    let note = note.split(['%', '#']).next().unwrap_or(note);
    let is_moves = |word: &&str| {
        let mut rest = *word;
        while let Ok((after, _)) = dropped(rest).or_else(|_| square(rest)) {
            rest = after;
        }
        rest.is_empty()
    };
    let mut words = note.split(is_blank).filter(|word| !word.is_empty());
    let word = words.find(is_moves)?;
    note.get(word.as_ptr() as usize - note.as_ptr() as usize..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Transcript {
        line.parse().expect(line)
    }

    #[test]
    fn squares_are_read_in_any_form() {
        for line in [
            "f5d6c3",
            "F5D6C3",
            " f5 d6\tc3 ",
            "1. f5 d6 2. c3",
            "1.F5 2.D6 3.C3",
            "1 f5 d6 2 c3",
            "1) f5 d6 2) c3",
            "1: f5 1... d6 2: c3",
            "1.f5 1…d6 2.c3",
            "f5 3 d6 12 c3",
            "P@f4 P@d3 P@c6",
            "p@f4P@d3c3",
        ] {
            assert_eq!(read(line).game.transcript(), "f5d6c3", "{line}");
        }
    }

    #[test]
    fn a_score_and_a_note_may_follow() {
        let transcript = read("f5d6c3 +4 1977 +18");
        assert_eq!(transcript.score, Some(4));
        assert_eq!(transcript.note, "1977 +18");
        assert_eq!(read("f5 -26").score, Some(-26));
        assert_eq!(read("f5 0").score, Some(0));
        assert_eq!(read("f5").score, None);
        assert_eq!(read("f5d6 26-38").score, Some(-12));
        assert!("f5 0:03".parse::<Transcript>().is_err(), "a clock");
    }

    #[test]
    fn numbers_between_moves_end_no_game() {
        for (line, moves, score, note) in [
            ("f5 3 d6 12 c3 5", "f5d6c3", Some(5), ""),
            ("f5 d6 2 c3 d3 3 c4 f4", "f5d6c3d3c4f4", None, ""),
            ("f5 d6 2) c3 d3", "f5d6c3d3", None, ""),
            ("1. f5 d6 2. c3 d3 3.", "f5d6c3d3", None, ""),
            ("f5 1 2 3 d6 4 1977 18", "f5d6", Some(4), "1977 18"),
            ("f5d6 4 played in a5b", "f5d6", Some(4), "played in a5b"),
            ("f5d6 -4 % after d6", "f5d6", Some(-4), "% after d6"),
        ] {
            let read = read(line);
            assert_eq!(read.game.transcript(), moves, "{line}");
            assert_eq!((read.score, &*read.note), (score, note), "{line}");
        }
        let column = |line: &str| line.parse::<Transcript>().map_err(|error| error.column);
        assert_eq!(column("f5 12 a1"), Err(7));
        assert_eq!(column("f5 +3 d6"), Err(7), "cut at its score");
        assert_eq!(column("f5 3 best d6c3 4"), Err(11));
        assert_eq!(column("f5 1d6"), Err(4));
    }

    #[test]
    fn a_line_without_a_move_is_no_game() {
        for (line, column) in [("5", 1), ("12 34", 1), ("1.", 3), ("+4", 1), ("1) % x", 4)] {
            let error = line.parse::<Transcript>().expect_err(line);
            assert_eq!(error.reason, "expected moves, such as f5d6", "{line}");
            assert_eq!(error.column, column, "{line}");
        }
    }

    #[test]
    fn flipello_counts_ranks_from_below_and_passes_with_one_square_twice() {
        assert_eq!(read("P@e3").game.transcript(), "e6");
        let error = "P@e6".parse::<Transcript>().expect_err("e3");
        assert_eq!(
            error.to_string(),
            "column 1: illegal move e3 (P@ counts the ranks from below)"
        );
        let played = game_with_a_pass();
        let drops: String = (played.moves().iter())
            .map(|mv| match mv.square() {
                Some(square) => format!("P@{}{} ", &square.to_string()[..1], 8 - square.rank()),
                None => "e4e4 ".to_owned(),
            })
            .collect();
        assert_eq!(read(&drops).game, played);
    }

    /// Both sides play their first legal square; the game ends one move after its first pass.
    fn game_with_a_pass() -> Game {
        let mut game = Game::new(Position::START);
        while let Some(square) = game.position().board.legal_moves().first() {
            game.play(square.into()).expect("legal");
        }
        game.play(Move::Pass).expect("white has a move");
        let square = game.position().board.legal_moves().first();
        game.play(square.expect("a move").into()).expect("legal");
        game
    }

    #[test]
    fn passes_may_be_written_or_left_out() {
        let played = game_with_a_pass();
        assert_eq!(read(&played.transcript()).game, played, "implied");
        for word in ["pass", "PA", "--", "ps"] {
            let written: Vec<String> = played
                .moves()
                .iter()
                .map(|mv| mv.to_string().replace("pass", word))
                .collect();
            assert_eq!(read(&written.join(" ")).game, played, "{word}");
            assert_eq!(read(&written.concat()).game, played, "{word}");
        }
    }

    #[test]
    fn errors_name_the_column() {
        let column = |line: &str| line.parse::<Transcript>().map_err(|error| error.column);
        assert_eq!(column("f5d6a1"), Err(5));
        assert_eq!(column("f5 f5"), Err(4));
        assert_eq!(column("f5d"), Err(3));
        assert_eq!(column("f5 hello"), Err(4));
        assert_eq!(column("f5d6 pass"), Err(6));
    }

    #[test]
    fn blank_lines_and_comments_hold_no_game() {
        for line in ["", "  ", "% openings", "# openings"] {
            assert_eq!(parse_line(line), Ok(None), "{line:?}");
        }
    }
}
