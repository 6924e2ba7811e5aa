//! The grammar of one line of a list of positions, openings or games: a board, with what is known of it or with
//! moves behind it, or a transcript.
//!
//! | line | is |
//! |---|---|
//! | 64 cells and the side | the board; then what OBF knows ([`super::obf`]), or moves from it |
//! | `[8 .. *]`, FEN | the same ([`super::board`]) |
//! | `f5d6c3`, `1. f5 d6 2. c3`, `P@e3` | a game from the start position ([`super::transcript`]) |
//!
//! A number may stand before any of them, and all may be in quotes. Blank lines and lines that begin with `%` or `#`
//! hold nothing. Whatever else is an error: a number alone is no game without moves.

use std::fmt;

use super::board::{Notation, after_number, begins_with_board, board, is_marked};
use super::obf::{Problem, known};
use super::pasted::missing_moves;
use super::transcript::{Transcript, begins_with_move, begins_with_square, skip, transcript};
use crate::rules::{Color, Game, ParsePositionError, Position};
use crate::text::TextError;
use crate::text::words::{Parsed, failure, finish, is_blank, keyword};
use nom::Parser;
use nom::branch::alt;
use nom::combinator::opt;

/// What a line holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// A board, and what the line knows of it.
    Board(Notation, Problem),
    /// Moves from a board, at least one.
    Continued(Notation, Transcript),
    /// Moves from the start position, at least one.
    Game(Transcript),
}

impl Entry {
    /// The game; that of a board has no moves.
    pub fn into_game(self) -> Game {
        match self {
            Entry::Board(_, problem) => Game::new(problem.position),
            Entry::Continued(_, transcript) | Entry::Game(transcript) => transcript.game,
        }
    }

    /// How the line is written.
    pub const fn form(&self) -> LineForm {
        match self {
            Entry::Board(notation, _) => LineForm::Board(*notation),
            Entry::Continued(notation, _) => LineForm::Continued(*notation),
            Entry::Game(_) => LineForm::Game,
        }
    }
}

/// How a line is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineForm {
    /// See [`Entry::Board`].
    Board(Notation),
    /// See [`Entry::Continued`].
    Continued(Notation),
    /// See [`Entry::Game`].
    Game,
}

impl fmt::Display for LineForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineForm::Board(Notation::Cells) => "boards",
            LineForm::Board(Notation::Ggs) => "boards of GGS",
            LineForm::Board(Notation::Fen) => "FENs",
            LineForm::Continued(Notation::Cells) => "boards with moves",
            LineForm::Continued(Notation::Ggs) => "boards of GGS with moves",
            LineForm::Continued(Notation::Fen) => "FENs with moves",
            LineForm::Game => "transcripts",
        })
    }
}

/// Reads a line; `None` if it is blank or a comment. `side` moves on boards that do not say who does.
///
/// # Errors
/// If the line is neither a board nor a transcript.
pub fn parse_line(line: &str, side: Option<Color>) -> Result<Option<Entry>, TextError> {
    let text = line.trim_start_matches(is_blank);
    // Only blanks are nothing: other white space, such as a stray \r, is an error with its place.
    if text.is_empty() || text.starts_with(['%', '#']) {
        return Ok(None);
    }
    let Some(quoted) = text.strip_prefix('"') else {
        return finish(line, entry(text, side)).map(Some);
    };
    let end_of = |text: &str| line.len() - text.len() + 1;
    let Some((quoted, after)) = quoted.split_once('"') else {
        return Err(TextError::new(line.len() + 1, "expected '\"'"));
    };
    if !after.trim().trim_start_matches([',', ';']).is_empty() {
        return Err(TextError::new(end_of(after), "expected the end after '\"'"));
    }
    let entry = finish(quoted, entry(quoted, side)).map_err(|error| {
        let before = quoted.as_ptr() as usize - line.as_ptr() as usize;
        error.behind(before)
    });
    entry.map(Some)
}

/// Does a text begin as a line of this grammar does, though it may have errors? With a number and a board, moves, or
/// nothing behind it, or with one of them.
pub fn is_begun(text: &str) -> bool {
    /// Letters of cells that are no word of a language.
    const FEWEST: usize = 16;
    let text = after_number(text);
    let is_cell = |letter: char| "-._*XxOoBbWw".contains(letter);
    let cells = text.chars().filter(|&letter| !is_blank(letter));
    let cells = cells.take_while(|&letter| is_cell(letter));
    let is_board = cells.take(FEWEST).count() == FEWEST;
    text.is_empty() || is_board || is_marked(text) || begins_with_square(text)
}

/// What a command says behind an error, if it is that a board does not say who moves.
pub fn side_hint(error: &str) -> &'static str {
    match error.ends_with(&ParsePositionError::NoSide { column: 1 }.to_string()) {
        true => ", or give --side black or --side white",
        false => "",
    }
}

/// Is the text no more than the number of a line?
pub fn is_number(text: &str) -> bool {
    !text.trim().is_empty() && after_number(text).is_empty()
}

fn entry(input: &str, side: Option<Color>) -> Parsed<'_, Entry> {
    let text = after_word(after_number(input));
    let is_board = begins_with_cells(text);
    // The first rank of a FEN may be `b3..`.
    if !is_board && !is_marked(text) && begins_with_square(skip(input)) {
        let (rest, game) = transcript(Position::START, input)?;
        return match later_number(input) {
            // The second pair of moves of a game begins none; a whole transcript has the number of its line.
            Some(number) if game.game.moves().len() <= PAIR => {
                failure(input, missing_moves(number))
            }
            _ => Ok((rest, Entry::Game(game))),
        };
    }
    if !is_board && !begins_with_board(text) {
        let reason = "expected a board (64 cells and the side to move) or moves, such as f5d6";
        return failure(text, reason);
    }
    let (after, (position, notation)) = board(text, side)?;
    let after = after.trim_start_matches(is_blank);
    let (after, _) = opt((keyword("to"), alt((keyword("move"), keyword("play"))))).parse(after)?;
    let (after, _) = opt(keyword("moves")).parse(after)?;
    if begins_with_move(skip(after)) {
        let (rest, game) = transcript(position, after)?;
        return Ok((rest, Entry::Continued(notation, game)));
    }
    let (rest, problem) = known(position, after, nothing_else)?;
    Ok((rest, Entry::Board(notation, problem)))
}

/// What follows `position`, `setboard` or such a word before a board.
fn after_word(text: &str) -> &str {
    const WORDS: [&str; 4] = ["position", "setboard", "board", "fen"];
    let length = text.find(|letter: char| !letter.is_ascii_alphabetic());
    let (word, rest) = text.split_at(length.unwrap_or(0));
    let rest = rest.trim_start_matches([':', '=', ' ', '\t']);
    let is_known = WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    if is_known && begins_with_board(rest) {
        rest
    } else {
        text
    }
}

/// Moves of both sides that have one number.
const PAIR: usize = 2;

/// The number of a move other than the first at the start of a text: `2.`.
fn later_number(text: &str) -> Option<u32> {
    let (number, _) = text.trim_start_matches(is_blank).split_once('.')?;
    number.parse().ok().filter(|&number| number > 1)
}

/// Does a text begin with 64 of the usual cells? Most lines do, and need no other look.
fn begins_with_cells(text: &str) -> bool {
    let cells = text.as_bytes().get(..64);
    cells.is_some_and(|cells| cells.iter().all(|cell| matches!(cell, b'-' | b'X' | b'O')))
}

fn nothing_else(input: &str) -> Parsed<'_, Option<&str>> {
    let reason = "expected scores after ';', moves, or a comment after '%'";
    failure(input, reason)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";
    const LATE: &str = "XXXXXXXXXXXXOXXXXXXOOOXXXXOOOOXXXXOOOXXXXXXOXXXXX-XXO-XXX-X---XX O";

    /// Board, moves and score of a line.
    fn read(line: &str) -> Result<Option<(LineForm, String)>, (usize, String)> {
        let read = parse_line(line, None).map_err(|error| (error.column, error.reason))?;
        let text = |entry: Entry| {
            let form = entry.form();
            let game = entry.into_game();
            (form, format!("{} {}", game.position(), game.transcript()))
        };
        Ok(read.map(text))
    }

    #[test]
    fn every_form_of_a_line_is_read() {
        let cells = LineForm::Board(Notation::Cells);
        let moved = LineForm::Continued(Notation::Cells);
        let after = "---------------------------OX------XXX-------------------------- O f5";
        for (line, form, text) in [
            (START.to_owned(), cells, format!("{START} ")),
            (format!("8 {START}"), cells, format!("{START} ")),
            (format!("1) {LATE}"), cells, format!("{LATE} ")),
            (format!("40\t{LATE}; +4; % x"), cells, format!("{LATE} ")),
            (format!("\"{START}\","), cells, format!("{START} ")),
            (
                START
                    .replace('X', "Black to move")
                    .replacen("Black to move", "X", 2),
                cells,
                format!("{START} "),
            ),
            (
                START.replace('X', "Black").replacen("Black", "X", 2),
                cells,
                format!("{START} "),
            ),
            (format!("{START} f5"), moved, after.to_owned()),
            (format!("{START}f5 +4 % x"), moved, after.to_owned()),
            (format!("7: {START} 1. f5"), moved, after.to_owned()),
            (
                format!("Position: {START} moves f5"),
                moved,
                after.to_owned(),
            ),
            (format!("setboard {START}"), cells, format!("{START} ")),
            ("f5".to_owned(), LineForm::Game, after.to_owned()),
            (" 12 f5 3 1977".to_owned(), LineForm::Game, after.to_owned()),
            ("12 1. f5".to_owned(), LineForm::Game, after.to_owned()),
            ("P@f4".to_owned(), LineForm::Game, after.to_owned()),
            ("\"f5\"".to_owned(), LineForm::Game, after.to_owned()),
            (
                "8/8/8/3pP3/3Pp3/8/8/8 w 0 1 moves P@f4".to_owned(),
                LineForm::Continued(Notation::Fen),
                after.to_owned(),
            ),
            (
                "b7/8/8/3WB3/3BW3/8/8/8 b".to_owned(),
                LineForm::Board(Notation::Fen),
                format!("X{} ", &START[1..]),
            ),
            (
                "3. 8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1; % x".to_owned(),
                LineForm::Board(Notation::Fen),
                format!("{START} "),
            ),
            (
                format!("[8 {}]", START.replace('X', "*")),
                LineForm::Board(Notation::Ggs),
                format!("{START} "),
            ),
        ] {
            assert_eq!(read(&line), Ok(Some((form, text))), "{line}");
        }
        for line in ["", " ", "% 5", "# 5", "\t"] {
            assert_eq!(read(line), Ok(None), "{line:?}");
        }
    }

    #[test]
    fn the_second_pair_of_moves_begins_no_game() {
        assert!(read("2. c4 c3").is_err() && read("17. c4").is_err());
        for line in ["2. f5d6c3", "12) f5d6", "1. c4 c3", "2 f5d6"] {
            assert!(read(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn what_is_no_line_is_an_error_with_its_column() {
        for (line, column) in [
            ("5", 2),
            ("12 34", 4),
            ("1.", 3),
            ("40 % no board", 4),
            ("8/8/8/3pP3/3Pp3/8/8 w", 20),
            ("hello", 1),
            ("5 hello", 3),
            ("pass", 1),
            ("+4", 1),
            ("f5 a1", 4),
            ("f5 +3 d6", 7),
            ("\"f5", 4),
            ("\"f5\" d6", 5),
            ("\"f5 a1\"", 5),
            ("[10 f5", 2),
        ] {
            assert_eq!(read(line).map_err(|error| error.0), Err(column), "{line}");
        }
        let at = |rest: &str| {
            let error = read(&format!("{START}{rest}")).expect_err(rest);
            error.0 - START.len()
        };
        assert_eq!(at(" 40"), 2);
        assert_eq!(at(" f5a1"), 4);
        assert_eq!(at(" f5; +4;"), 4);
        assert_eq!(at(" X"), 2);
    }

    #[test]
    fn a_line_that_is_wrong_is_told_from_other_text() {
        let few = &START[1..];
        for line in [
            "5",
            "12)",
            few,
            &format!("3 {few}"),
            "f5f5",
            "1. a1",
            "P@a1",
            "8/8/8/8/8/8/8 w",
            "[8 ---",
        ] {
            assert!(is_begun(line), "{line}");
        }
        for line in [
            "Othello Quest",
            "Move 1 :",
            "black +12",
            "b w",
            "id,moves",
            "(;GM[Othello]",
            "[Event \"?\"]",
            "-- 3 --",
            "1/2 of it",
        ] {
            assert!(!is_begun(line), "{line}");
        }
    }

    #[test]
    fn boards_that_do_not_say_who_moves_need_a_side() {
        let cells = &START[..64];
        let read = |text: &str, side| {
            let entry = parse_line(text, side).map_err(|error| error.column)?;
            Ok(entry.map(|entry| entry.into_game().position().to_string()))
        };
        let white = Some(Color::White);
        for line in [
            cells.to_owned(),
            format!("3 {cells}"),
            format!("{cells}; +2;"),
            format!("[8 {cells}]"),
        ] {
            assert!(read(&line, None).is_err(), "{line}");
            assert_eq!(read(&line, white), Ok(Some(format!("{cells} O"))), "{line}");
        }
        assert_eq!(
            read(START, white),
            Ok(Some(START.to_owned())),
            "the line says it"
        );
        let moved = read(&format!("{cells} f4"), white);
        assert_eq!(
            moved.map(|text| text.expect("a board").ends_with('X')),
            Ok(true)
        );
        assert_eq!(read(&format!("{cells} f4"), None), Err(66));
        assert_eq!(
            read(&format!("{} X", &cells[1..]), white),
            Err(64),
            "63 cells"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_has_an_error_in_it(
            text in "[\"0-9.):%/ ]{0,6}(BO)?\\[?[8/pPxO\\-. \\]wbf5d6@+é\"]{0,90}",
            side in prop::option::of(Just(Color::Black)),
        ) {
            if let Err(error) = parse_line(&text, side) {
                prop_assert!((1..=text.len() + 1).contains(&error.column), "{error} in {text:?}");
            }
        }

        #[test]
        fn what_is_printed_reads_back(number in 0..99_u8, cells in "[XO-]{64}", white: bool) {
            let text = format!("{cells} {}", if white { 'O' } else { 'X' });
            let position: Position = text.parse().expect("a position");
            for line in [text.clone(), format!("{number} {text}"), format!("{number}) {text};")] {
                let entry = parse_line(&line, None).expect("a board").expect("a board");
                prop_assert_eq!(entry.form(), LineForm::Board(Notation::Cells));
                prop_assert_eq!(entry.into_game().position(), position);
            }
        }
    }
}
