//! Transcripts: the squares of a game in playing order, `f5d6c3d3c4`.
//!
//! Any case; passes may be written or left out; blanks and move numbers
//! (`1. f5 d6 2. c3`) are skipped. A final score for black may follow after a
//! blank (`.. h1 +4`), and whatever comes after it is kept as a note. Blank lines
//! and lines that begin with `%` or `#` hold no game.

use std::str::FromStr;

use nom::Parser;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{one_of, space0};
use nom::combinator::{map, not, opt, value};
use nom::sequence::{preceded, terminated};

use crate::rules::{Game, Move, Position};
use crate::text::words::{Parsed, a_move, failure, finish, integer, narrow};
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
    let text = line.trim_start();
    if text.is_empty() || text.starts_with(['%', '#']) {
        return Ok(None);
    }
    line.parse().map(Some)
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
    finish(text, pasted(text))
}

fn pasted(text: &str) -> Parsed<'_, Game> {
    let mut game = Game::new(Position::START);
    let mut input = text;
    while let Some(letter) = input.chars().next() {
        input = match closing(letter) {
            Some(ends) => match input.split_once(ends) {
                Some((_, after)) => after,
                None => return failure(input, format!("expected {}", ends[0])),
            },
            None if letter.is_alphabetic() => match pasted_move(input) {
                // The game knows where a pass has to be.
                Ok((rest, Move::Pass)) => rest,
                Ok((rest, mv)) if game.play(mv).is_ok() => rest,
                Ok((_, mv)) => return failure(input, format!("illegal move {mv}")),
                Err(_) => return failure(input, "expected a square a1..h8 or a pass"),
            },
            None => &input[letter.len_utf8()..],
        };
    }
    if game.moves().is_empty() {
        return failure(text, "there is no move");
    }
    Ok(("", game))
}

/// The brackets that end a remark.
const fn closing(letter: char) -> Option<[char; 2]> {
    match letter {
        '(' | '（' => Some([')', '）']),
        '[' | '［' => Some([']', '］']),
        '{' | '｛' => Some(['}', '｝']),
        _ => None,
    }
}

/// A move whose letters may be full-width.
fn pasted_move(input: &str) -> Parsed<'_, Move> {
    let letters = || input.chars().take(2);
    match letters().map(narrow).collect::<String>().parse() {
        Ok(square) => {
            let length = letters().map(char::len_utf8).sum();
            Ok((&input[length..], Move::Place(square)))
        }
        Err(_) => a_move(input),
    }
}

/// Moves played from `start`, up to a score or the end.
fn transcript(start: Position, input: &str) -> Parsed<'_, Transcript> {
    let mut game = Game::new(start);
    let mut input = skip(input)?.0;
    while let (after, Some(mv)) = opt(a_move).parse(input)? {
        if game.play(mv).is_err() {
            return failure(input, format!("illegal move {mv}"));
        }
        input = skip(after)?.0;
    }
    let (after, score) = opt(score_column).parse(input)?;
    if score.is_none() && !after.is_empty() && !after.starts_with(['%', '#']) {
        return failure(after, "expected a square a1..h8, a pass, or a score");
    }
    let transcript = Transcript {
        game,
        score,
        note: after.trim().to_owned(),
    };
    Ok(("", transcript))
}

/// Blanks and move numbers.
fn skip(input: &str) -> Parsed<'_, ()> {
    let digits = take_while1(|c: char| c.is_ascii_digit());
    let number = (digits, tag("."), opt(tag("..")), space0);
    let numbers = nom::multi::many0(number);
    value((), (space0, numbers)).parse(input)
}

/// A whole number, followed by a blank or the end.
fn score_column(input: &str) -> Parsed<'_, i32> {
    let whole = terminated(integer, not(one_of(".,abcdefghABCDEFGH")));
    map(preceded(space0, whole), |score| score).parse(input)
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
    }

    #[test]
    fn a_game_may_be_pasted_from_anywhere() {
        for text in [
            "1. f5 d6\n2. c3 d3\n3. c4",
            "1 F5 2 D6 3 C3 4 D3 5 C4",
            "1) f5-d6, 2) c3-d3 (+0.5 [book]), 3) c4; 33:31",
            "f5 d6 | c3 d3 |\r\nc4 +2",
            "１．ｆ５　Ｄ６　２．ｃ３（定石）ｄ３　c4",
            "f5d6\nc3d3\nc4",
        ] {
            let game = parse_pasted(text).expect(text);
            assert_eq!(game.transcript(), "f5d6c3d3c4", "{text}");
        }
        for (text, column) in [
            ("f5 d6 hello", 7),
            ("f5\na1", 4),
            ("", 1),
            ("12 - 34", 1),
            ("f5 (d6", 4),
            ("ｆ５ｄ９", 7),
        ] {
            assert_eq!(
                parse_pasted(text).map_err(|error| error.column),
                Err(column),
                "{text}"
            );
        }
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
