//! OBF: one Othello problem a line, with its known scores.
//!
//! `64 cells, side; MOVE:+score; MOVE:-score; % comment`, or `64 cells, side; +score;`
//! with the value alone, or the cells and the side alone. Scores are final disc
//! differences for the side to move, the best move first. `--:-127` is padding.
//! A comment may also follow the cells and the side. Blank lines and lines that begin with
//! `%` or `#` hold no problem. The board may also be one of GGS or a FEN, and a number may stand before it
//! ([`super::board`]). In the older scripts (`*.script`, `*.scr`) everything
//! after the side is a comment, unless it begins with a semicolon.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use nom::Parser;
use nom::branch::alt;
use nom::character::complete::{char, one_of, space0};
use nom::combinator::{eof, map, opt, peek, rest, value};
use nom::sequence::{delimited, preceded, terminated};

use super::board::{after_number, board};
use crate::rules::{Move, Position};
use crate::text::words::{Checked, Parsed, a_move, expect, failure, finish, integer};
use crate::text::{ReadError, TextError, read_all};

/// A position with its known scores.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The board and the side to move.
    pub position: Position,
    /// Its value in discs for the side to move, where the line gives it alone.
    pub value: Option<i32>,
    /// The known scores of moves in discs for the side to move, as listed.
    pub moves: Vec<(Move, i32)>,
    /// Text after the problem.
    pub comment: Option<String>,
}

impl Problem {
    /// A problem without known scores.
    pub const fn new(position: Position) -> Problem {
        Problem {
            position,
            value: None,
            moves: Vec::new(),
            comment: None,
        }
    }

    /// The known score in discs for the side to move: the value given alone, or that of the best move.
    pub fn score(&self) -> Option<i32> {
        self.value
            .or_else(|| self.moves.iter().map(|&(_, score)| score).max())
    }

    /// The known score of one move in discs for the side to move.
    pub fn move_score(&self, mv: Move) -> Option<i32> {
        let found = self.moves.iter().find(|&&(listed, _)| listed == mv);
        found.map(|&(_, score)| score)
    }
}

/// The line that reads back as this problem.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{};", self.position)?;
        if let Some(value) = self.value {
            write!(f, " {value:+};")?;
        }
        for &(mv, score) in &self.moves {
            match mv {
                Move::Place(square) => write!(f, " {square:#}:{score:+};")?,
                Move::Pass => write!(f, " PS:{score:+};")?,
            }
        }
        match &self.comment {
            Some(comment) => write!(f, " % {comment}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Problem {
    type Err = TextError;

    fn from_str(line: &str) -> Result<Problem, TextError> {
        parse_line(line)?.ok_or_else(|| TextError::new(1, "the line holds no position"))
    }
}

/// Reads a line; `None` if it is blank or a comment.
///
/// # Errors
/// If the line is no problem, or has a score of a move that is not legal.
pub fn parse_line(line: &str) -> Result<Option<Problem>, TextError> {
    finish(line, any_line(line, no_comment))
}

/// Reads a line of a script: any text may follow the side.
///
/// # Errors
/// As for [`parse_line`].
pub fn parse_script_line(line: &str) -> Result<Option<Problem>, TextError> {
    finish(line, any_line(line, script_comment))
}

/// Is the file of this name a script, packed or not? Its lines are read by [`parse_script_line`].
pub fn is_script(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.ends_with(".scr") || name.ends_with(".script")
}

/// Reads whole text: the problems of all lines.
///
/// # Errors
/// At the first line that is no problem.
pub fn parse(text: &[u8]) -> Result<Vec<Problem>, ReadError> {
    read_all(text, parse_line)
}

/// What may follow the side, apart from scores and a marked comment.
pub(super) type Behind = for<'a> fn(&'a str) -> Parsed<'a, Option<&'a str>>;

fn any_line(input: &str, behind: Behind) -> Parsed<'_, Option<Problem>> {
    let nothing = preceded(space0, alt((value((), eof), value((), comment))));
    let problem = |input| problem(input, behind);
    alt((value(None, nothing), map(problem, Some))).parse(input)
}

fn problem(input: &str, behind: Behind) -> Parsed<'_, Problem> {
    let (after, (position, _)) = board(after_number(input), None)?;
    known(position, after, behind)
}

/// What follows a position: what is known of it.
pub(super) fn known(position: Position, after: &str, behind: Behind) -> Parsed<'_, Problem> {
    // So end nearly all of many lines.
    if let "" | ";" = after {
        return Ok(("", Problem::new(position)));
    }
    let mut problem = Problem::new(position);
    let (after, _) = space0(after)?;
    let (rest, comment) = match after.strip_prefix(';') {
        Some(items) => opt(comment).parse(known_scores(&mut problem, items)?)?,
        None => alt((value(None, eof), map(comment, Some), behind)).parse(after)?,
    };
    problem.comment = comment.map(str::to_owned);
    Ok((rest, problem))
}

/// Takes what follows the first semicolon, up to a comment or the end.
fn known_scores<'a>(problem: &mut Problem, input: &'a str) -> Checked<'a, &'a str> {
    let (mut rest, _) = space0(input)?;
    while !rest.is_empty() && !rest.starts_with(['%', '#']) {
        let after = item(problem, rest)?;
        let end = expect("expected ';' after the score", end_of_item);
        rest = terminated(end, space0).parse(after)?.0;
    }
    Ok(rest)
}

/// A semicolon, which may be left out before the end or a comment.
fn end_of_item(input: &str) -> Parsed<'_, ()> {
    let last = peek(alt((value((), eof), value((), comment))));
    preceded(space0, alt((value((), char(';')), last))).parse(input)
}

/// Takes one entry.
fn item<'a>(problem: &mut Problem, input: &'a str) -> Checked<'a, &'a str> {
    let is_number = |letter: char| matches!(letter, '+' | '-' | '0'..='9');
    if input.starts_with(is_number) && !input.starts_with("--") {
        let (rest, value) = score(input)?;
        problem.value = Some(value);
        return Ok(rest);
    }
    let colon = delimited(space0, char(':'), space0);
    let named = terminated(a_move, expect("expected ':' after the move", colon));
    let (after, mv) = expect("expected a move and its score, such as F5:+4", named)(input)?;
    if mv == Move::Pass
        && let Ok((padding, -127)) = integer(after)
    {
        return Ok(padding);
    }
    let (rest, score) = score(after)?;
    if problem.position.play(mv).is_none() {
        return failure(input, format!("illegal move {mv}"));
    }
    problem.moves.push((mv, score));
    Ok(rest)
}

/// A disc difference, −64..=64.
fn score(input: &str) -> Parsed<'_, i32> {
    let (rest, number) = expect("expected a score such as +4", integer)(input)?;
    match number {
        -64..=64 => Ok((rest, number)),
        _ => failure(input, "a score lies between -64 and +64"),
    }
}

/// `% text` or `# text` to the end of the line.
fn comment(input: &str) -> Parsed<'_, &str> {
    map(preceded(one_of("%#"), rest), str::trim).parse(input)
}

fn script_comment(input: &str) -> Parsed<'_, Option<&str>> {
    map(rest, |text: &str| Some(text.trim())).parse(input)
}

fn no_comment(input: &str) -> Parsed<'_, Option<&str>> {
    failure(input, "expected scores after ';' or a comment after '%'")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: &str = "---------------------------OX------XO--------------------------- X";

    fn read(rest: &str) -> Problem {
        format!("{START}{rest}").parse().expect(rest)
    }

    fn error(line: &str) -> (usize, String) {
        let error = line.parse::<Problem>().expect_err(line);
        (error.column, error.reason)
    }

    fn place(text: &str) -> Move {
        text.parse().expect("a move")
    }

    #[test]
    fn moves_and_scores_are_read() {
        let problem = read("; F5:+0; d3:-2;C4 : 4 ; --:-127; % from nowhere");
        let expected = [(place("f5"), 0), (place("d3"), -2), (place("c4"), 4)];
        assert_eq!(problem.moves, expected);
        assert_eq!(problem.score(), Some(4));
        assert_eq!(problem.move_score(place("d3")), Some(-2));
        assert_eq!(problem.comment.as_deref(), Some("from nowhere"));
    }

    #[test]
    fn a_value_may_have_no_move() {
        for text in ["; +20;", "; 20", ";20 ; # why"] {
            assert_eq!(read(text).score(), Some(20), "{text}");
        }
        assert_eq!(read("; -4;").score(), Some(-4));
    }

    #[test]
    fn scores_may_be_missing() {
        for text in ["", "  ", ";", "; ", " ;", "; % comment", " % comment", "%"] {
            let problem = read(text);
            assert_eq!(problem.score(), None, "{text:?}");
            assert_eq!(problem.position, Position::START, "{text:?}");
        }
    }

    #[test]
    fn blank_lines_and_comments_hold_no_problem() {
        for line in ["", "   ", "% FFO 40", " # note", "%", "\t"] {
            assert_eq!(parse_line(line), Ok(None), "{line:?}");
        }
    }

    #[test]
    fn a_pass_may_have_a_score() {
        let cells = format!("{}OX-", "O".repeat(61));
        let problem: Problem = format!("{cells} X; PS:-64;").parse().expect("white moves");
        assert_eq!(problem.moves, [(Move::Pass, -64)]);
    }

    #[test]
    fn errors_name_the_column() {
        let at = |rest: &str| error(&format!("{START}{rest}")).0 - START.len();
        assert_eq!(at("; F5"), 5);
        assert_eq!(at("; F5:"), 6);
        assert_eq!(at("; F5:+x"), 6);
        assert_eq!(at("; F5:+65"), 6);
        assert_eq!(at("; F5:+1000000000"), 6);
        assert_eq!(at("; F5:+2 D3:+0"), 8);
        assert_eq!(at("; F5:+2; A1:+0"), 10);
        assert_eq!(at("; Q5:+2"), 3);
        assert_eq!(at("; F5:+2; PS:+2"), 10);
        for (junk, column) in [
            (" X", 2),
            (" junk", 2),
            ("junk", 1),
            ("\0", 1),
            (" 40 % x", 2),
        ] {
            assert_eq!(at(junk), column, "{junk:?}");
        }
        assert_eq!(error(&START[..64]).0, 65);
        let few = "expected 64 cells, found 63";
        assert_eq!(error(&START[1..]), (64, few.to_owned()));
        assert_eq!(error(&format!("-{START}")).0, 65);
        assert_eq!(error("hello").0, 1);
    }

    #[test]
    fn scripts_have_comments_after_the_side() {
        let read = |rest: &str| parse_script_line(&format!("{START}{rest}")).expect(rest);
        for (rest, comment) in [
            ("", None),
            ("\t40 % 38 discs", Some("40 % 38 discs")),
            (" % why", Some("why")),
            ("junk\0", Some("junk\0")),
        ] {
            let comment = comment.map(str::to_owned);
            assert_eq!(
                read(rest).map(|problem| problem.comment),
                Some(comment),
                "{rest:?}"
            );
        }
        assert_eq!(read("; +4;").and_then(|problem| problem.score()), Some(4));
        assert_eq!(parse_script_line("%1 FFO 40"), Ok(None));
        let is_script = |name: &str| is_script(Path::new(name));
        for name in ["a.scr", "b/fforum-1.script", "FFOTEST.SCR.gz"] {
            assert!(is_script(name), "{name}");
        }
        for name in ["a.obf", "scr", "a.scr.obf"] {
            assert!(!is_script(name), "{name}");
        }
    }

    #[test]
    fn a_number_may_stand_before_the_board() {
        for number in ["8 ", "40\t", "1) ", "1)", "12. ", "3: ", " 7 "] {
            let line = format!("{number}{START}; +4;");
            let problem: Problem = line.parse().expect(&line);
            assert_eq!(
                (problem.position, problem.score()),
                (Position::START, Some(4)),
                "{line}"
            );
            assert_eq!(
                error(&format!("{number}{START} X")).0,
                number.len() + 68,
                "{line}"
            );
        }
        let script = parse_script_line(&format!("40 {START} 38 discs")).expect("a script");
        assert_eq!(
            script.and_then(|problem| problem.comment).as_deref(),
            Some("38 discs")
        );
        assert!(parse_line("5").is_err() && parse_line("12 34").is_err());
    }

    #[test]
    fn an_illegal_move_is_named() {
        let (_, reason) = error(&format!("{START}; A1:+0;"));
        assert_eq!(reason, "illegal move a1");
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(
            score in -64..=64i32,
            scores in prop::collection::vec(-64..=64i32, 0..=4),
            alone: bool,
            comment in prop::option::of("[a-z0-9;%]{1,9}"),
        ) {
            let names = ["f5", "d3", "c4", "e6"];
            let problem = Problem {
                position: Position::START,
                value: alone.then_some(score),
                moves: names.into_iter().map(place).zip(scores).collect(),
                comment,
            };
            prop_assert_eq!(problem.to_string().parse(), Ok(problem));
        }
    }
}
