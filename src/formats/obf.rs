//! OBF: one Othello problem a line, with its known scores.
//!
//! `64 cells, side; MOVE:+score; MOVE:-score; % comment`, or `64 cells, side; +score;`
//! with the value alone, or the cells and the side alone. Scores are final disc
//! differences for the side to move, the best move first. `--:-127` is padding.
//! Blank lines and lines that begin with `%` or `#` hold no problem. In the older
//! scripts (`fforum-*.script`) the rest of the line after the side is a comment.

use std::fmt;
use std::str::FromStr;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::tag;
use nom::character::complete::{char, one_of, space0, space1};
use nom::combinator::{eof, fail, map, not, opt, peek, rest, value};
use nom::multi::many0;
use nom::sequence::{delimited, preceded, terminated};

use crate::rules::{Move, Position};
use crate::text::TextError;
use crate::text::words::{Parsed, a_move, expect, failure, finish, integer, position};

/// A position, and what is known about it.
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
    /// A problem of which nothing is known.
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
/// If the line is no problem, or knows a score of a move that is not legal.
pub fn parse_line(line: &str) -> Result<Option<Problem>, TextError> {
    finish(line, any_line(line))
}

fn any_line(input: &str) -> Parsed<'_, Option<Problem>> {
    let nothing = preceded(space0, alt((value((), eof), value((), comment))));
    alt((value(None, nothing), map(problem, Some))).parse(input)
}

/// One entry between two semicolons.
enum Item {
    Value(i32),
    Move(Move, i32),
    Padding,
}

fn problem(input: &str) -> Parsed<'_, Problem> {
    let (after, position) = position(input)?;
    let (after, _) = space0(after)?;
    let (after, (items, comment)) = alt((
        preceded(char(';'), items(position)),
        map(preceded(space0, script_comment), |text| (Vec::new(), text)),
    ))
    .parse(after)?;
    let mut problem = Problem::new(position);
    problem.comment = comment.map(str::to_owned);
    for item in items {
        match item {
            Item::Value(score) => problem.value = Some(score),
            Item::Move(mv, score) => problem.moves.push((mv, score)),
            Item::Padding => {}
        }
    }
    Ok((after, problem))
}

/// What follows the first semicolon: the known scores, and a comment.
fn items<'a>(
    position: Position,
) -> impl FnMut(&'a str) -> Parsed<'a, (Vec<Item>, Option<&'a str>)> {
    move |input| {
        let next = terminated(
            item(position),
            expect("expected ';' after the score", end_of_item),
        );
        let (after, items) = many0(delimited(space0, next, space0)).parse(input)?;
        let (after, comment) = preceded(space0, opt(comment)).parse(after)?;
        Ok((after, (items, comment)))
    }
}

/// A semicolon, which may be missing before the end or a comment.
fn end_of_item(input: &str) -> Parsed<'_, ()> {
    let last = peek(alt((value((), eof), value((), comment))));
    preceded(space0, alt((value((), char(';')), last))).parse(input)
}

/// One entry; once something other than the end or a comment stands there, it has to be one.
fn item<'a>(position: Position) -> impl FnMut(&'a str) -> Parsed<'a, Item> {
    move |input| {
        if input.is_empty() || input.starts_with(['%', '#']) {
            return fail().parse(input);
        }
        if input.starts_with(['+', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
            || (input.starts_with('-') && !input.starts_with("--"))
        {
            return map(score, Item::Value).parse(input);
        }
        let colon = delimited(space0, char(':'), space0);
        let named = terminated(a_move, expect("expected ':' after the move", colon));
        let (after, mv) = expect("expected a move and its score, such as F5:+4", named)(input)?;
        if mv == Move::Pass && integer(after).is_ok_and(|(_, number)| number == -127) {
            return map(integer, |_| Item::Padding).parse(after);
        }
        let (after, score) = score(after)?;
        if position.play(mv).is_none() {
            return failure(input, format!("illegal move {mv}"));
        }
        Ok((after, Item::Move(mv, score)))
    }
}

/// A disc difference, −64..=64.
fn score(input: &str) -> Parsed<'_, i32> {
    let (rest, number) = expect("expected a score such as +4", integer)(input)?;
    if (-64..=64).contains(&number) {
        Ok((rest, number))
    } else {
        failure(input, "a score lies between -64 and +64")
    }
}

/// `% text` or `# text` to the end of the line.
fn comment(input: &str) -> Parsed<'_, &str> {
    map(preceded(one_of("%#"), rest), str::trim).parse(input)
}

/// The rest of a script's line. A lone cell or side letter is rather a slip in the board.
fn script_comment(input: &str) -> Parsed<'_, Option<&str>> {
    if not(slip).parse(input).is_err() {
        return failure(input, "expected the end after the side to move");
    }
    let text = map(rest, |text: &str| Some(text.trim()));
    alt((value(None, eof), map(comment, Some), text)).parse(input)
}

fn slip(input: &str) -> Parsed<'_, ()> {
    let cell = one_of("XxOo*BbWw.-_");
    value((), (cell, alt((space1, eof, tag(";"))))).parse(input)
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
    fn a_value_may_stand_alone() {
        for text in ["; +20;", "; 20", ";20 ; # why"] {
            assert_eq!(read(text).score(), Some(20), "{text}");
        }
        assert_eq!(read("; -4;").score(), Some(-4));
    }

    #[test]
    fn nothing_need_be_known() {
        for text in [
            "",
            "  ",
            ";",
            "; ",
            " ;",
            "; % comment",
            " % comment",
            "\t40 % 38 discs",
        ] {
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
        assert_eq!(at(" X"), 2);
        assert_eq!(at(" - "), 2);
        assert_eq!(error(&START[..64]).0, 65);
        let few = "expected 64 cells, found 63";
        assert_eq!(error(&START[1..]), (64, few.to_owned()));
        assert_eq!(error(&format!("-{START}")).0, 65);
        assert_eq!(error("hello").0, 1);
    }

    #[test]
    fn an_illegal_move_is_named() {
        let (_, reason) = error(&format!("{START}; A1:+0;"));
        assert_eq!(reason, "illegal move a1");
    }

    proptest! {
        #[test]
        fn any_text_is_a_value_or_an_error(line in "\\PC{0,40}", keep in 0..=66usize) {
            let _ = parse_line(&line);
            let line = format!("{}{line}", &START[..keep]);
            if let Err(error) = parse_line(&line) {
                prop_assert!((1..=line.len() + 1).contains(&error.column), "{error} in {line:?}");
            }
        }

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
