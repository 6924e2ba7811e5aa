//! A board and the side to move, as programs and hosts write them in one line: 64 cells, `[8 .. *]` of GGS, and
//! the FEN of hosts that play flipello, with or without a number before it.
//!
//! FEN has eight ranks from the top, the first is rank 1 of Othello. In flipello, `P` is the first player, which
//! chess calls white (`w`): black in Othello. Ranks may also have the letters of cells, and the side with them.

use nom::Parser;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::char;
use nom::combinator::opt;
use nom::sequence::{preceded, terminated};

use crate::rules::{Color, Discs, ParsePositionError, Position};
use crate::text::words::{
    Parsed, blank, blanks, expect, failure, is_blank, keyword, position_or, split_digits,
};

/// How a board is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// 64 cells and the side.
    Cells,
    /// `[8 .. *]`.
    Ggs,
    /// Ranks between slashes.
    Fen,
}

/// A board, and the blanks behind it. `side` moves where it does not say who does.
pub(super) fn board(input: &str, side: Option<Color>) -> Parsed<'_, (Position, Notation)> {
    let input = input.trim_start_matches(is_blank);
    let (parser, notation): (BoardReader, Notation) = match () {
        () if is_ggs(input) => (ggs, Notation::Ggs),
        () if is_fen(input) => (fen, Notation::Fen),
        () => (position_or, Notation::Cells),
    };
    let (rest, position) = parser(input, side)?;
    Ok((rest, (position, notation)))
}

type BoardReader = for<'a> fn(&'a str, Option<Color>) -> Parsed<'a, Position>;

pub(super) fn begins_with_board(input: &str) -> bool {
    input.starts_with(|letter| "-._*XxOoBbWw".contains(letter)) || is_ggs(input) || is_fen(input)
}

/// Does a text begin with the marks of GGS or of FEN?
pub(super) fn is_marked(input: &str) -> bool {
    is_ggs(input) || is_fen(input) && input.bytes().filter(|&byte| byte == b'/').count() > 2
}

/// What follows the number of a line: `8 `, `8.`, `8)` or `8:`, if there is one.
pub(super) fn after_number(input: &str) -> &str {
    let input = input.trim_start_matches(is_blank);
    let (number, after) = split_digits(input);
    if number.is_empty() {
        return input;
    }
    let rest = after.strip_prefix([')', ':']);
    // A point may be a cell.
    let rest = rest.or_else(|| after.strip_prefix('.').filter(|rest| ends_word(rest)));
    match rest {
        Some(rest) => rest.trim_start_matches(is_blank),
        None if ends_word(after) => after.trim_start_matches(is_blank),
        None => input,
    }
}

fn ends_word(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(is_blank)
}

/// The start of `[8 `, or of `BO[8 ` as in GGF.
fn ggs_size(input: &str) -> Option<&str> {
    let name: Parsed<'_, _> = tag_no_case("BO").parse(input);
    let size = name.map_or(input, |(rest, _)| rest).strip_prefix('[')?;
    Some(size).filter(|size| size.starts_with(|letter: char| letter.is_ascii_digit()))
}

fn is_ggs(input: &str) -> bool {
    ggs_size(input).is_some()
}

/// `[8 64 cells, side]`; blanks may stand between the cells.
fn ggs(input: &str, side: Option<Color>) -> Parsed<'_, Position> {
    let size = ggs_size(input).unwrap_or(input);
    let (number, cells) = split_digits(size);
    if number != "8" {
        return failure(size, "the board is not 8 x 8");
    }
    let (cells, _) = expect("expected a blank and 64 cells", blank)(cells)?;
    let (rest, position) = position_or(cells, side)?;
    let end = preceded(blanks, char(']'));
    let (rest, _) = expect("expected ']' after the side to move", end)(rest)?;
    Ok((rest, position))
}

/// Does a text begin with a rank of at most eight letters, and a slash?
fn is_fen(input: &str) -> bool {
    let mut rank = input.bytes().take(9);
    rank.find(|byte| matches!(byte, b'/' | b' ' | b'\t' | b'[')) == Some(b'/')
}

/// Whose letters a FEN has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    /// `P` and `p`.
    Flipello,
    /// Those of cells.
    Cells,
}

/// Eight ranks, the discs in hand in brackets, the side, and what else chess has: castling, en passant, the
/// clock and the number of the move.
fn fen(input: &str, side: Option<Color>) -> Parsed<'_, Position> {
    let (rest, (discs, letters)) = ranks(input)?;
    let rest = match (rest.starts_with('['), rest.split_once(']')) {
        (true, Some((_, rest))) => rest,
        (true, None) => return failure(rest, "expected ']' after the discs in hand"),
        (false, _) => rest,
    };
    let (rest, _) = blanks(rest)?;
    let (mut rest, side) = match (fen_side(rest, letters), side) {
        (Some(found), _) => found,
        (None, Some(side)) => (rest, side),
        (None, None) => {
            let no_side = ParsePositionError::NoSide { column: 1 };
            return failure(rest, no_side.to_string());
        }
    };
    loop {
        let (after, _) = blanks(rest)?;
        let word = word_of(after);
        let is_field = word == "-" || word.bytes().all(|byte| byte.is_ascii_digit());
        if word.is_empty() || !is_field {
            break;
        }
        rest = &after[word.len()..];
    }
    let (rest, _) = opt(terminated(blanks, keyword("moves"))).parse(rest)?;
    Ok((rest, Position::of_discs(discs, side)))
}

/// Eight ranks of eight squares each.
fn ranks(input: &str) -> Parsed<'_, (Discs, Letters)> {
    let (mut black, mut white) = (0_u64, 0_u64);
    let (mut rank, mut file) = (0, 0);
    let mut letters = None;
    for (at, letter) in input.char_indices() {
        let here = &input[at..];
        let (count, color, kind) = match letter {
            '/' if file != 8 => {
                return failure(here, format!("the rank has {file} squares, not 8"));
            }
            '/' if rank == 7 => return failure(here, "expected 8 ranks"),
            '/' => {
                (rank, file) = (rank + 1, 0);
                continue;
            }
            '1'..='8' => (letter as usize - '0' as usize, None, letters),
            '-' | '.' | '_' => (1, None, letters),
            'P' => (1, Some(Color::Black), Some(Letters::Flipello)),
            'p' => (1, Some(Color::White), Some(Letters::Flipello)),
            'X' | 'x' | '*' | 'B' | 'b' => (1, Some(Color::Black), Some(Letters::Cells)),
            'O' | 'o' | 'W' | 'w' => (1, Some(Color::White), Some(Letters::Cells)),
            ' ' | '\t' | '[' if (rank, file) == (7, 8) => {
                let letters = letters.unwrap_or(Letters::Flipello);
                return Ok((here, ((black, white), letters)));
            }
            ' ' | '\t' | '[' => return failure(here, "expected 8 ranks of 8 squares"),
            _ => return failure(here, format!("expected a rank of FEN, found {letter:?}")),
        };
        if letters.is_some_and(|letters| Some(letters) != kind) {
            return failure(here, "discs are P and p, or X and O, not both");
        }
        if file + count > 8 {
            return failure(here, "the rank has more than 8 squares");
        }
        letters = kind;
        if let Some(color) = color {
            *color.pick(&mut black, &mut white) |= 1 << (8 * rank + file);
        }
        file += count;
    }
    match (rank, file) {
        (7, 8) => Ok(("", ((black, white), letters.unwrap_or(Letters::Flipello)))),
        _ => failure(&input[input.len()..], "expected 8 ranks of 8 squares"),
    }
}

/// The word at the start of a text, up to a blank, scores or a comment.
fn word_of(input: &str) -> &str {
    let end = [' ', '\t', ';', '%', '#'];
    input.split(end).next().unwrap_or(input)
}

/// The side to move of a FEN, a word of its own. In flipello `w` has the discs `P`.
fn fen_side(input: &str, letters: Letters) -> Option<(&str, Color)> {
    let word = word_of(input);
    let color = match (word, letters) {
        ("w" | "W" | "P", Letters::Flipello) => Color::Black,
        ("b" | "B" | "p", Letters::Flipello) => Color::White,
        ("X" | "x" | "*" | "B" | "b", Letters::Cells) => Color::Black,
        ("O" | "o" | "W" | "w", Letters::Cells) => Color::White,
        _ => return None,
    };
    Some((&input[word.len()..], color))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::words::finish;

    const START: &str = "---------------------------OX------XO---------------------------";

    fn read(text: &str, side: Option<Color>) -> Result<(String, Notation), (usize, String)> {
        let parsed = board(text, side)
            .map(|(rest, (position, notation))| (rest, (format!("{position}{rest}"), notation)));
        finish(text, parsed).map_err(|error| (error.column, error.reason))
    }

    #[test]
    fn boards_of_ggs_are_read() {
        let rows: Vec<&str> = (0..8).map(|row| &START[8 * row..][..8]).collect();
        let rows = rows.join(" ").replace('X', "*");
        for text in [
            format!("[8 {rows} *]"),
            format!("[8 {START} X]"),
            format!("BO[8 {rows} Black]"),
            format!(" [8  {rows}  * ]"),
        ] {
            let expected = (format!("{START} X"), Notation::Ggs);
            assert_eq!(read(&text, None), Ok(expected), "{text}");
        }
        let column = |text: String| read(&text, None).expect_err(&text).0;
        assert_eq!(column(format!("[10 {rows} *]")), 2);
        assert_eq!(column(format!("[8 {rows}]")), 75);
        assert_eq!(column(format!("[8 {rows} *")), 77);
        assert_eq!(column(format!("[8 {}]", &rows[1..])), 74);
        let side = read(&format!("[8 {rows}]"), Some(Color::White)).expect("a side");
        assert_eq!(side.0, format!("{START} O"));
    }

    #[test]
    fn fens_of_flipello_are_read() {
        let hands = format!("[{}{}]", "P".repeat(30), "p".repeat(30));
        for (text, side) in [
            (format!("8/8/8/3pP3/3Pp3/8/8/8{hands} w 0 1"), "X"),
            ("8/8/8/3pP3/3Pp3/8/8/8 w - - 0 1".to_owned(), "X"),
            ("8/8/8/3pP3/3Pp3/8/8/8 b".to_owned(), "O"),
            ("8/8/8/3ox3/3xo3/8/8/8 x".to_owned(), "X"),
            ("8/8/8/3OX3/3XO3/8/8/8 O 3".to_owned(), "O"),
            ("8/8/8/3WB3/3BW3/8/8/8 b".to_owned(), "X"),
            ("--------/8/8/3O*3/3*O3/8/8/8 *".to_owned(), "X"),
        ] {
            let expected = (format!("{START} {side}"), Notation::Fen);
            assert_eq!(read(&text, None), Ok(expected), "{text}");
        }
        let read = |text| read(text, Some(Color::White)).map(|(text, _)| text);
        assert_eq!(read("8/8/8/3pP3/3Pp3/8/8/8"), Ok(format!("{START} O")));
        assert_eq!(
            read("8/8/8/3pP3/3Pp3/8/8/8 w 0 1 moves P@e3"),
            Ok(format!("{START} XP@e3"))
        );
        assert_eq!(
            read("p7/8/8/8/8/8/8/7P b ; +4"),
            Ok(format!("O{}X O ; +4", "-".repeat(62)))
        );
    }

    #[test]
    fn errors_of_fens_name_the_column() {
        for (text, column) in [
            ("8/8/8/3pP3/3Pp3/8/8 w", 20),
            ("8/8/8/3pP3/3Pp3/8/8/8/8 w", 22),
            ("8/8/8/3pP4/3Pp3/8/8/8 w", 10),
            ("8/8/8/3pP2/3Pp3/8/8/8 w", 11),
            ("8/8/8/3pX3/3Pp3/8/8/8 w", 9),
            ("8/8/8/3pQ3/3Pp3/8/8/8 w", 9),
            ("8/8/8/3pP3/3Pp3/8/8/8", 22),
            ("8/8/8/3pP3/3Pp3/8/8/8 white", 23),
            ("8/8/8/3pP3/3Pp3/8/8/8[PP w", 22),
            ("8/8/8/9/8/8/8/8 w", 7),
            ("8/8", 4),
        ] {
            assert_eq!(
                read(text, None).map_err(|error| error.0),
                Err(column),
                "{text}"
            );
        }
    }

    #[test]
    fn the_number_of_a_line_is_no_part_of_its_board() {
        for (text, rest) in [
            ("8 --", "--"),
            (" 12) X", "X"),
            ("12)X", "X"),
            ("3: X", "X"),
            ("3. X", "X"),
            ("3\tX", "X"),
            ("5", ""),
            ("3..X", "3..X"),
            ("8/8/8 w", "8/8/8 w"),
            ("12x", "12x"),
            ("x", "x"),
        ] {
            assert_eq!(after_number(text), rest, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_board_or_an_error_in_it(
            text in "(BO)?\\[?[8/pPxO\\-. \\]wb*é]{0,90}",
            side in prop::option::of(Just(Color::Black)),
        ) {
            if let Err((column, _)) = read(&text, side) {
                prop_assert!((1..=text.len() + 1).contains(&column), "{column} in {text:?}");
            }
        }

        #[test]
        fn what_is_written_as_fen_is_read_back(cells in "[XO-]{64}", black: bool) {
            let rows: Vec<&str> = (0..8).map(|row| &cells[8 * row..][..8]).collect();
            let mut fen = rows.join("/").replace('X', "P").replace('O', "p");
            for count in (1..=8).rev() {
                fen = fen.replace(&"-".repeat(count), &count.to_string());
            }
            let (letter, side) = if black { ('X', 'w') } else { ('O', 'b') };
            let expected = (format!("{cells} {letter}"), Notation::Fen);
            prop_assert_eq!(read(&format!("{fen} {side} 0 1"), None), Ok(expected));
        }
    }
}
